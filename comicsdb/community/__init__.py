"""Polls and the statistics of the whole catalogue."""
