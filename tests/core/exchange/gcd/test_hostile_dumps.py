"""Hostile dumps: what is wrong in them is left out, or the dump is refused with a message."""

import copy
import random
from contextlib import suppress

import pytest

from comicsdb.exchange.gcd import schema
from comicsdb.exchange.gcd.dump import DumpError
from tests.conftest import database_copy
from tests.core.exchange.gcd.test_importing import Gcd, small

VALUES = (
    None,
    "",
    "x" * 5000,
    "\0",
    "9" * 400,
    b"\0\xff",
    -1,
    2**62,
    1e300,
    "1e9",
    "½",
    "-0",
    "2026-99-99",
    "%s",
)


@pytest.fixture(scope="module")
def importer(cluster, template, tmp_path_factory):
    """An importer of dumps into an empty catalog."""
    for url in database_copy(cluster, template):
        importer = Gcd(url, tmp_path_factory.mktemp("hostile"))
        yield importer
        importer.close()


def _spoiled(table: str, names: list[str], seed: int):
    """A small dump whose last row of a table has values of any type in these columns; None without a row."""
    rows, chosen = copy.deepcopy(small()), random.Random(seed)
    if not rows.rows[table]:
        return None
    rows.rows[table][-1] |= {name: chosen.choice(VALUES) for name in names}
    return rows


def test_values_of_any_type_are_imported_or_left_out(importer):
    for table, columns in schema.TABLES.items():
        names = [column.name for column in columns if not column.name.endswith(("_id", "deleted"))]
        for seed in range(3):
            if rows := _spoiled(table, names, seed):
                importer.take(rows, dry_run=True)


def test_ids_of_any_type_refer_to_nothing_or_are_refused(importer):
    for table, columns in schema.TABLES.items():
        names = [column.name for column in columns if column.name.endswith("_id")]
        if rows := _spoiled(table, names, 1):
            with suppress(DumpError):
                importer.take(rows, dry_run=True)


@pytest.mark.parametrize(
    "column", ["year_began", "name", "sort_name", "publishing_format", "number", "key_date", "price", "title"]
)
def test_a_row_with_a_wrong_value_is_stored_as_far_as_it_can_be(importer, column):
    rows = small()
    for table in ("gcd_series", "gcd_issue", "gcd_story"):
        for value in VALUES:
            if column in rows.rows[table][0]:
                row = copy.deepcopy(rows.rows[table][0]) | {"id": 100 + len(rows.rows[table]), column: value}
                rows.rows[table].append(row)
    importer.take(rows)
    assert importer.one("SELECT count(*) FROM issue") >= 1
