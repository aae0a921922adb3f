"""Runs the command as `python -m comicsdb_client`."""

import sys

from comicsdb_client.command import main

sys.exit(main())
