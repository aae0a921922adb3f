"""`add_components.py BILL COMPONENTS` adds to a bill of materials what pip does not install."""

import json
import sys
from pathlib import Path

bill, components = map(Path, sys.argv[1:])
content = json.loads(bill.read_text("utf-8"))
content["components"] += json.loads(components.read_text("utf-8"))
bill.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
