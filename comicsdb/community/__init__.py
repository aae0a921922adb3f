"""Polls, statistics of the catalogue, public profiles, follows, reviews and years in review."""
