"""The home page, help, errors, and addresses for machines."""
