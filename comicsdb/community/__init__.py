"""Polls, statistics of the catalog, public profiles, follows, reviews and years in review."""
