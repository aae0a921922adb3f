"""Alert rules and dashboard of deploy/, and the table of docs/operations.md, name metrics that exist."""

import json
import re
from functools import partial
from pathlib import Path

import yaml
from sqlalchemy import create_engine

from comicsdb.exchange.downloads import age_of_newest
from comicsdb.ops.metrics import QUEUES, DatabaseCollector, DumpCollector, Instruments

ROOT = Path(__file__).parent.parent.parent.parent
SAMPLES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
NAME = re.compile(r"\bcomicsdb_[a-z_]+\b")


def metrics(database, folder: Path) -> dict[str, str]:
    """The types of all metrics by name."""
    engine = create_engine(database)
    families = [family for instrument in vars(Instruments()).values() for family in instrument.describe()]
    families += [
        *DatabaseCollector(engine).collect(),
        *DumpCollector(partial(age_of_newest, folder)).collect(),
    ]
    engine.dispose()
    return {family.name: family.type for family in families}


def test_alerts_dashboard_and_document_name_metrics_that_exist(database, tmp_path):
    types = metrics(database, tmp_path)
    assert set(QUEUES) < set(types)
    samples = {name + ending for name, kind in types.items() for ending in SAMPLES[kind]}
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus-alerts.yml").read_text("utf-8"))
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in alerts}) == len(alerts) >= 10
    dashboard = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text("utf-8"))
    expressions = [rule["expr"] for rule in alerts]
    expressions += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for expression in expressions:
        named = set(NAME.findall(expression))
        assert named <= samples, expression
    shown = {name for expression in expressions for name in NAME.findall(expression)}
    assert {re.sub("_(total|bucket)$", "", name) for name in shown} == set(types)  # nothing is unseen

    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    table = "\n".join(re.findall(r"^\| (`comicsdb_.*?) \|", text, re.MULTILINE))
    described = {re.sub("_total$", "", name) for name in NAME.findall(table)}
    assert described == set(types)
