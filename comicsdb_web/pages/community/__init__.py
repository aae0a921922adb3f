"""Polls, announcements, the timeline and the statistics of the catalog."""
