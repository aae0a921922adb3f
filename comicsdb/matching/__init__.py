"""Matching what clients know of a comic with issues of the catalog."""
