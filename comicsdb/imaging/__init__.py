"""Checking, cleaning, measuring and scaling pictures, in separate processes (`decoder.py`).

This package imports nothing else of comicsdb, so that such a process starts quickly and holds no secrets.
"""
