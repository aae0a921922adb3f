"""The home page, help, errors, and resources for programs."""
