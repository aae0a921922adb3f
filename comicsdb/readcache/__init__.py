"""Cached reads: validators, entity tags, the execution policy, and the regions of the cache."""
