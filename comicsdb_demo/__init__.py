"""The demo catalogue: comics of long ago and comics that never were.

`DATA` is the folder of a data set with pictures, accounts, reading lists and a collection, which `comicsdb
import --accounts` reads; `add_community` adds what such a set does not hold. The passwords and tokens of its
accounts are public: the core refuses them wherever the secret is not that of development.
"""

from pathlib import Path

from comicsdb_demo.community import add_community

__all__ = ["DATA", "add_community"]

DATA = Path(__file__).parent / "data"
