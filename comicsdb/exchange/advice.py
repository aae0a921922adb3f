"""Advisory rules: breaches are counted and named in the report, never refused (model.md 3.8, 3.11)."""

from collections.abc import Iterator

from psycopg import sql

from comicsdb.catalog.advice import NO_ARCS, NO_ASSOCIATED, NO_CV_ID, is_isbn, is_sku, is_upc
from comicsdb.exchange.fields import File
from comicsdb.exchange.format import ISSUES, SERIES
from comicsdb.exchange.report import EXAMPLES
from comicsdb.exchange.run import Run

ISBN_RULE = "ISBN whose check digit or form is wrong"
UPC_RULE = "UPC whose check digit or form is wrong"
SKU_RULE = "SKU with other characters than letters and digits"
LIFE_RULE = "death before birth"


def codes(record: dict) -> Iterator[tuple[str, str]]:
    """The rules that the trade's numbers of an issue or variant break, with the number."""
    if record.get("isbn") and not is_isbn(record["isbn"]):
        yield ISBN_RULE, record["isbn"]
    if record.get("upc") and not is_upc(record["upc"]):
        yield UPC_RULE, record["upc"]
    sku = record.get("sku")
    if sku and not is_sku(sku):
        yield SKU_RULE, sku


def life(record: dict) -> Iterator[tuple[str, str]]:
    """The rule that the dates of a creator break, with these."""
    birth, death = record.get("birth"), record.get("death")
    if birth and death and death < birth:
        yield LIFE_RULE, f"{birth}–{death}"


ADVISERS = {"creators": life, "issues": codes, "variants": codes}


def _listed(codes) -> str:
    return "(" + ", ".join(f"'{code}'" for code in codes) + ")"


# Over the staged rows s; `code` is that of the series' type.
_SERIES_SOURCE = """(
    SELECT s.*, x.code, i.publisher_id AS imprint_of FROM staged_series s
    JOIN series_type x ON x.id = s.series_type_id LEFT JOIN staged_imprints i ON i.db_id = s.imprint_id
) s"""
_ISSUE_SOURCE = """(
    SELECT i.*, x.code, s.collection FROM staged_issues i
    JOIN staged_series s ON s.db_id = i.series_id JOIN series_type x ON x.id = s.series_type_id
) s"""
RULES: tuple[tuple[str, File, str, str], ...] = (
    (
        "cv_id on a Trade Paperback series",
        SERIES,
        _SERIES_SOURCE,
        f"s.cv_id IS NOT NULL AND s.code IN {_listed(NO_CV_ID)}",
    ),
    (
        "associated series of a Hardcover, Omnibus or Trade Paperback",
        SERIES,
        _SERIES_SOURCE,
        f"cardinality(s.associated_ids) > 0 AND s.code IN {_listed(NO_ASSOCIATED)}",
    ),
    ("year_end before year_began", SERIES, _SERIES_SOURCE, "s.year_end < s.year_began"),
    ("imprint of another publisher", SERIES, _SERIES_SOURCE, "s.imprint_of <> s.publisher_id"),
    (
        "collection title where the series allows none",
        ISSUES,
        _ISSUE_SOURCE,
        "s.title <> '' AND NOT s.collection",
    ),
    (
        "arcs on an issue of a Trade Paperback or Hardcover series",
        ISSUES,
        _ISSUE_SOURCE,
        f"cardinality(s.arc_ids) > 0 AND s.code IN {_listed(NO_ARCS)}",
    ),
)


def advise(run: Run) -> None:
    """Look for breaches that need more than one record; ids must be the database's already."""
    for rule, file, source, condition in RULES:
        run.cursor.execute(
            sql.SQL(
                f"SELECT s.line, s.slug, count(*) OVER () FROM {source} WHERE {condition}"
                " ORDER BY s.line LIMIT %s"
            ),
            (EXAMPLES,),
        )
        rows = run.cursor.fetchall()
        for line, slug, _ in rows:
            run.report.advise(rule, file.file_name, line, slug)
        if rows:
            run.report.advice[rule].count = rows[0][2]
