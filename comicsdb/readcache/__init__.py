"""Cached reads: validators, entity tags, and the regions that hold what was answered."""
