"""Query plans of filters at 100,000 issues: they use indexes and do bounded work.

The statements are those that requests send. Work is counted, not timed: rows and buffers read;
`bench/filter_times.py` prints milliseconds.
"""

from base64 import urlsafe_b64encode

import orjson
import pytest

from tests import large
from tests.api.api_client import serve_catalog
from tests.api.resource.test_filters import FILTERS

LARGE = 5_000  # rows; smaller tables may be read whole
# Limits for about 50 ms of work. Reading index rows in order is cheap; a lookup of one reads three pages.
MOST_ROWS, MOST_PAGES = 400_000, 100_000

# The queries of each list: a rare and a frequent value for every filter. No words of one or two letters:
# these have no trigrams, and are searched for in the whole table.
NAMED = [
    "name=karomi",
    "name=élika",
    "cv_id=4010",
    "gcd_id=21",
    "modified_gt=2025-06-01",
    "modified_gt=2020-02-01",
]
CONTENTS = [
    "role_id=1",
    "role_id=1,7",
    "role_id=40",
    "role_id=30,40",
    *(
        f"{kind}_id={each}"
        for kind in ("creator", "character", "team", "universe")
        for each in (1, 2, 500, 15_000)
    ),
]
QUERIES = {
    "arc": NAMED,
    "character": [*NAMED, "name=secret spider", "name=spider"],
    "creator": [*NAMED, "name=ada"],
    "imprint": NAMED,
    "team": NAMED,
    "universe": [
        "name=karomi",
        "name=verse",
        "designation=earth-1999",
        "designation=EARTH",
        "modified_gt=2025-06-01",
    ],
    "publisher": [
        *NAMED,
        "name=press",
        "alt_names=karomi",
        "alt_names=house",
        "q=karomi",
        "q=karomi press",
        "q=house kar",
    ],
    "series": [
        "name=spider",
        "name=spider secret karo",
        "alt_names=citta kar",
        "q=citta robot",
        "language=it",
        "volume=1",
        "year_began=1990",
        "year_end=2000",
        "genre=horror",
        "genre_id=1,2",
        "publisher_id=1",
        "imprint_id=1",
        "series_type_id=13",
        "status=4",
        "publisher_name=karomi",
        "publisher_name=press",
        "imprint_name=ink",
        "series_type=single",
        "cv_id=4010",
        "gcd_id=21",
        "missing_cv_id=true",
        "missing_gcd_id=0",
        "modified_gt=2025-06-01",
        "character_id=1&role_id=1",
        *CONTENTS,
    ],
    "issue": [
        "number=1",
        "number=1200",
        "alt_number=600a",
        "cover_year=1990",
        "cover_month=5",
        "cover_date_range_after=2015-01-01",
        "cover_date_range_before=1945-01-01",
        "store_date=1990-01-01",
        "foc_date=1990-01-01",
        "store_date_range_after=1950-01-01",
        "store_date_range_after=1990-01-01&store_date_range_before=1990-02-01",
        "foc_date_range_before=1990-01-01",
        "foc_date_range_after=2010-01-01",
        "series_id=1",
        "series_id=2999",
        "series_name=spider",
        "series_name=spider secret karo",
        "series_alt_names=citta",
        "series_q=citta robot",
        "series_volume=1",
        "series_year_began=1990",
        "publisher_id=1",
        "publisher_name=karomi",
        "publisher_name=press",
        "imprint_id=1",
        "imprint_name=ink",
        "rating=teen",
        "rating=unknown",
        "sku=s00000010",
        "upc=777777783163001",
        "upc=7777777 83163 00001",
        "gtin=777777783163",
        "gtin=77777778316300001",
        "isbn=9780306406157",
        "isbn=0306406152",
        "genre=horror",
        "genre_id=1",
        "genre_id=1,2,3",
        "cv_id=5000,5001,5002,9",
        "upc_starts_with=7777777",
        "upc_starts_with=777777783163",
        "cover_hash=abc",
        "cv_id=5000",
        "gcd_id=21",
        "missing_cv_id=true",
        "missing_gcd_id=false",
        "modified_gt=2026-03-01",
        "modified_gt=2020-06-01",
        "series_id=1&number=5",
        "series_name=spider&number=1",
        "character_id=1&role_id=1",
        *CONTENTS,
    ],
}


@pytest.fixture(scope="module")
def site(cluster, template, media_folder):
    """A large catalog, served."""
    with serve_catalog(cluster, template, "large", media_folder) as site:
        with site.session.get_bind().connect() as connection:
            # Parallel workers would save time only where a processor is idle.
            connection.exec_driver_sql("SET max_parallel_maintenance_workers = 0")
            large.fill(connection)
        yield site


def pairs(query: str) -> list[tuple[str, str]]:
    """The parameters of a query."""
    return [tuple(pair.split("=", 1)) for pair in query.split("&")]


def nodes(plan: dict):
    """All nodes of a plan."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def removed(node: dict) -> int:
    """The rows that a node read and discarded, all loops together."""
    return node.get("Rows Removed by Filter", 0) * node["Actual Loops"]


def rows(node: dict) -> int:
    """The rows that a node read, all loops together."""
    return max(1, node["Actual Rows"]) * node["Actual Loops"] + removed(node)


@pytest.mark.parametrize(("kind", "query"), [(kind, query) for kind in QUERIES for query in QUERIES[kind]])
def test_a_filter_reads_no_large_table_in_vain_and_does_bounded_work(site, kind, query):
    is_bounded(site.explain(kind, *pairs(query))[0]["Plan"])


def cursor(*values) -> str:
    """A cursor with these values."""
    return f"cursor={urlsafe_b64encode(orjson.dumps(values)).decode()}"


MIDDLE = cursor("", "m", "m", "1990-01-01", "infinity", "1", 1)
OPTIONS = [  # with the number of rows that may be read for each row of the page
    ("issue", "page_size=500&include=all", 800),
    ("issue", "page_size=500&fields=id,credits.creator", 40),
    ("issue", f"ids={','.join(map(str, range(1, 100_000, 1000)))}&include=all", 800),
    ("issue", "cursor=*&include=all", 800),
    ("issue", MIDDLE, 40),
    ("issue", f"{MIDDLE}&page_size=500&series_id=5", 40),
    ("issue", f"sort=-modified&{cursor('-modified', '2024-01-01T00:00:00Z', 50_000)}", 8),
    ("issue", f"sort=cover_date&{cursor('cover_date', '1990-01-01', 1)}", 8),
    ("issue", f"sort=-id&{cursor('-id', 50_000)}", 8),
    ("series", f"{cursor('', 'm', 'm', 1990, 1)}&include=all", 800),
    ("character", cursor("", "m", "m", 1), 8),
    ("character", f"sort=modified&{cursor('modified', '2024-01-01T00:00:00Z', 1)}", 8),
]


@pytest.mark.parametrize(("kind", "query", "most"), OPTIONS)
def test_options_need_few_rows_for_each_of_a_page(site, kind, query, most):
    asked = pairs(query)
    plan = site.explain(kind, *asked)[0]["Plan"]
    found = site.client.json(site.path(kind, *asked))["results"]
    scans = [node for node in nodes(plan) if "Scan" in node["Node Type"]]
    assert sum(rows(node) for node in scans) <= most * len(found) + LARGE


@pytest.mark.parametrize("typeahead", ["0", "1"])
@pytest.mark.parametrize(
    "query",
    ["spider", "spidr", "karomi", "the", "e", "ar", "--", "spider 1940 3", "the 1", "#1", "spider (1950)"],
)
def test_a_search_over_all_kinds_does_bounded_work(site, query, typeahead):
    (found,) = site.explain("search", ("q", query), ("typeahead", typeahead))
    is_bounded(found["Plan"])


def test_suggestions_read_few_rows(site):
    for query in ("s", "the s", "sp", "secret"):
        (found,) = site.explain("search", ("q", query), ("typeahead", "1"))
        read = sum(rows(node) for node in nodes(found["Plan"]) if "Relation Name" in node)
        assert read <= 800, query


def is_bounded(root: dict) -> None:
    """Assert that the work of a plan is within the limits for about 50 ms."""
    scans = [node for node in nodes(root) if "Scan" in node["Node Type"]]
    # A sequential scan is best for counting nearly all rows of a table, and discards few of them.
    vain = [node for node in scans if node["Node Type"] == "Seq Scan" and removed(node) > LARGE]
    assert vain == []
    assert sum(rows(node) for node in scans) <= MOST_ROWS
    assert root["Shared Hit Blocks"] + root["Shared Read Blocks"] <= MOST_PAGES


def test_every_filter_is_among_them():
    for kind, queries in QUERIES.items():
        asked_for = {name for query in queries for name, _ in pairs(query)}
        assert {name for each in FILTERS[kind] for name in each.parameters} == asked_for
