"""Looking up many scanned barcodes with one statement."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.catalog.trade_numbers import SUPPLEMENT_LENGTHS, Gtin

CODES_MAX = 100  # codes looked up at once
MATCHES_MAX = 30  # issues or variants per code and column
_LONG_SUPPLEMENT = 5  # digits of a supplement that contains issue, cover and printing
_OF_ISSUE = 3  # leading digits of it that are the issue's number
_COLUMNS = (("issue", "id", "NULL::integer", ("upc", "isbn")), ("variant", "issue_id", "id", ("upc",)))


class BarcodeMatch(NamedTuple):
    """An issue or variant that matches a code; `is_exact` unless it has another supplement or none."""

    issue_id: int
    variant_id: int | None
    is_exact: bool


def look_up(session: Session, codes: Sequence[Gtin]) -> list[list[BarcodeMatch]]:
    """The issues and variants that match each code.

    A code with a supplement matches numbers with the same supplement; if there are none, those without a
    supplement and those of other covers and printings of the same issue. A code without a supplement matches
    all numbers with its stem.
    """
    ranges = [(place, *each) for place, code in enumerate(codes) for each in _ranges(code)]
    found: list[list] = [[] for _ in codes]
    places, lows, highs = zip(*ranges, strict=True) if ranges else ((), (), ())
    for row in session.execute(
        _STATEMENT, {"places": list(places), "lows": list(lows), "highs": list(highs)}
    ):
        found[row.place].append(row)
    return [_matches(code, rows) for code, rows in zip(codes, found, strict=True)]


def _ranges(code: Gtin) -> list[tuple[str, str]]:
    """The first and last text of each range that contains matching numbers."""
    whole = [(each, each) for each in code.short_isbn]
    for form in code.forms:
        if not code.supplement:
            whole.append((form, form + "9" * _LONG_SUPPLEMENT))
            continue
        whole += [(form, form), (form + code.supplement, form + code.supplement)]
        if len(code.supplement) == _LONG_SUPPLEMENT:
            number = form + code.supplement[:_OF_ISSUE]
            whole.append((number + "00", number + "99"))
    return whole


def _matches(code: Gtin, rows: list) -> list[BarcodeMatch]:
    """The distinct matches among the rows; only the exact ones if there are any."""
    exact = {form + code.supplement for form in code.forms} | set(code.short_isbn)
    is_exact: dict[tuple, bool] = {}
    for row in rows:
        key = row.issue_id, row.variant_id
        if not _has_stem(code, row.code):
            continue
        same = not code.supplement or row.code in exact
        is_exact[key] = is_exact.get(key, False) or same
    chosen = [key for key, same in is_exact.items() if same] or list(is_exact)
    return [BarcodeMatch(*key, is_exact[key]) for key in chosen]


def _has_stem(code: Gtin, number: str) -> bool:
    """Whether a number has the code's stem: another EAN-13 may begin with the same 12 digits."""
    return number in code.short_isbn or any(
        number.startswith(form) and len(number) - len(form) in SUPPLEMENT_LENGTHS for form in code.forms
    )


def _column_query(table: str, issue: str, variant: str, column: str) -> str:
    code = f"upper(translate({column}, ' -', ''))"  # as in the indexes of product codes
    return (
        f"(SELECT {issue} AS issue_id, {variant} AS variant_id, {code} AS code FROM {table}"
        f" WHERE {code} ~>=~ wanted.low AND {code} ~<=~ wanted.high"
        f" ORDER BY {code} USING ~<~, id LIMIT {MATCHES_MAX})"
    )


_STATEMENT = text(
    "SELECT wanted.place, found.* FROM unnest(CAST(:places AS integer[]), CAST(:lows AS text[]),"
    " CAST(:highs AS text[])) AS wanted (place, low, high) CROSS JOIN LATERAL ("
    + " UNION ALL ".join(
        _column_query(table, issue, variant, column)
        for table, issue, variant, columns in _COLUMNS
        for column in columns
    )
    + ") found ORDER BY wanted.place, found.issue_id, found.variant_id NULLS FIRST, found.code"
)
