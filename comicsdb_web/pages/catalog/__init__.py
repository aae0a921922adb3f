"""The pages of the catalog: the nine kinds, search, releases and history."""
