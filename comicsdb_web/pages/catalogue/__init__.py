"""The pages of the catalogue: the nine kinds, search, releases and history."""
