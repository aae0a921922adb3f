"""Maintenance: merging, moving, repairing and changing many objects at once."""
