"""The demo catalog: old comics and invented ones.

`DATA` is the folder of a data set with pictures, accounts, reading lists and a collection, which `comicsdb
import --accounts` reads; `add_community` adds what a data set cannot contain. The passwords and tokens of the
accounts are public: the core rejects them unless the secret is that of development.
"""

from pathlib import Path

from comicsdb_demo.community import add_community

__all__ = ["DATA", "add_community"]

DATA = Path(__file__).parent / "data"
