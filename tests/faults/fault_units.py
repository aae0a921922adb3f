"""The exposure of our systemd units to attacks, as rated by systemd itself from 0 to 10."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.needs import program

UNITS = sorted((Path(__file__).parent.parent.parent / "deploy" / "systemd").glob("*.service"))
MOST = 2.0


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_exposed_little(path):
    command = [program("systemd-analyze", "systemd"), "security", "--offline=true", "--no-pager", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (exposure,) = re.findall(r"Overall exposure level for \S+: ([0-9.]+)", said)
    print(f"{path.name}: {exposure}")  # noqa: T201
    assert float(exposure) < MOST, said
