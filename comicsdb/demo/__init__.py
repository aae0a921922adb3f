"""The demo catalogue: comics of long ago and comics that never were, with pictures drawn on the spot.

`write` makes a folder in the import format (`comicsdb.exchange.format`); so does `python -m comicsdb.demo
FOLDER`. The facts are in data/, one file a publishing house.
"""

from comicsdb.demo.writer import write

__all__ = ["write"]
