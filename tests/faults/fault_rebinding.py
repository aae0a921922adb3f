"""Webhooks whose host names are rebound, by a name server that changes its answers; needs root."""

import json
import subprocess
import sys
from pathlib import Path

from comicsdb.http.outgoing import BROKEN, PRIVATE
from tests.faults.rebinding import NAMES, PUBLIC

ROOT = Path(__file__).parents[2]


def test_rebound_names_lead_to_no_private_address(tmp_path):
    command = ["unshare", "--mount", "--net", sys.executable, "-m", "tests.faults.rebinding", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # The listener at the public address closes the connection before TLS begins.
    assert found.pop("later-private.example") == [BROKEN, [PUBLIC], 1]
    assert found.keys() | {"later-private.example"} == NAMES.keys()
    assert all(outcome == [PRIVATE, [], 1] for outcome in found.values())
