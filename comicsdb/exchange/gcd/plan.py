"""The plan of an import: the choices, and the series that they select, with their types and volumes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from comicsdb.exchange.gcd import values
from comicsdb.exchange.gcd.dump import Dump

PIECE_ISSUES = 1000  # about as many issues per transaction
PIECE_SERIES = 400  # at most as many series per transaction
_YEARS = re.compile(r"([0-9]{4})?(-)?([0-9]{4})?")


class ChoiceError(ValueError):
    """A choice is invalid or selects nothing in the dump; the text says which."""


@dataclass(frozen=True)
class Choices:
    """What to import: empty sets and None mean all. Publishers are names or GCD ids."""

    languages: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    publishers: frozenset[str] = frozenset()
    years: tuple[int | None, int | None] = (None, None)
    non_comics: bool = False
    synopses: bool = False

    def as_json(self) -> dict:
        """The choices as they are stored with an import."""
        return {
            "languages": sorted(self.languages),
            "countries": sorted(self.countries),
            "publishers": sorted(self.publishers),
            "years": list(self.years),
            "non_comics": self.non_comics,
            "synopses": self.synopses,
        }


def read_years(text: str) -> tuple[int | None, int | None]:
    """The years of `1961`, `1961-1970`, `1961-` or `-1970`."""
    found = _YEARS.fullmatch(text.strip())
    if not found or not (found[1] or found[3]):
        raise ChoiceError(f"--years takes a year or two, such as 1961-1970, 1961- or -1970, not {text!r}.")
    first = int(found[1]) if found[1] else None
    last = int(found[3]) if found[3] else None if found[2] else first
    if first and last and first > last:
        raise ChoiceError(f"--years {text}: the first year is after the last one.")
    return first, last


@dataclass(slots=True)
class PlannedSeries:
    """A series to import: its type and the rule if that is uncertain, its volume and number of issues."""

    id: int
    code: str
    rule: str
    volume: int
    issues: int = field(default=0)


_SELECT = """
SELECT s.id, s.name, s.publisher_id, s.publishing_format, s.binding, s.is_singleton,
    s.publication_type_id, s.is_comics_publication, s.year_began, coalesce(s.year_ended, 0),
    coalesce(l.code, ''), coalesce(c.code, ''), p.name, s.is_current
FROM gcd_series s JOIN gcd_publisher p ON p.id = s.publisher_id
LEFT JOIN stddata_language l ON l.id = s.language_id LEFT JOIN stddata_country c ON c.id = s.country_id
ORDER BY s.publisher_id, s.name, coalesce(s.year_began, 0), s.id
"""


def plan_series(dump: Dump, choices: Choices) -> list[PlannedSeries]:
    """The chosen series, ordered by id."""
    _check(dump, choices)
    found = []
    for _, listed in groupby(dump.connection.execute(_SELECT), key=lambda row: (row[2], row[1])):
        found += _plan_series_of_name(listed, choices)
    found.sort(key=lambda series: series.id)
    by_id = {series.id: series for series in found}
    counts = "SELECT series_id, count(*) FROM gcd_issue GROUP BY series_id"
    for series_id, number in dump.connection.execute(counts):
        if series_id in by_id:
            by_id[series_id].issues = number
    return found


def _plan_series_of_name(listed, choices: Choices) -> Iterator[PlannedSeries]:
    """The chosen ones of a publisher's series of one name; the volume is the rank within the type."""
    ranks: dict[str, int] = {}
    for row in listed:
        code, rule = values.series_type(
            row[1], row[3] or "", row[4] or "", singleton=bool(row[5]), publication_type=row[6]
        )
        ranks[code] = ranks.get(code, 0) + 1
        if _is_chosen(row, choices):
            yield PlannedSeries(row[0], code, rule, ranks[code])


def _is_chosen(row: tuple, choices: Choices) -> bool:
    publisher, comics, began, ended, language, country, name, current = row[2], *row[7:14]
    first, last = choices.years
    return (
        (bool(comics) or choices.non_comics)
        and (not choices.languages or language.lower() in choices.languages)
        and (not choices.countries or country.lower() in choices.countries)
        and (
            not choices.publishers
            or str(publisher) in choices.publishers
            or name.casefold() in choices.publishers
        )
        and (last is None or (began or 0) <= last)
        and (first is None or bool(current) or (ended or began or 0) >= first)
    )


def _check(dump: Dump, choices: Choices) -> None:
    """Raise ChoiceError for a language, country or publisher that the dump does not have."""
    languages = {code.lower() for (code,) in dump.rows("SELECT code FROM stddata_language")}
    countries = {code.lower() for (code,) in dump.rows("SELECT code FROM stddata_country")}
    for what, chosen, known in (
        ("language", choices.languages, languages),
        ("country", choices.countries, countries),
    ):
        for missing in sorted(chosen - known):
            raise ChoiceError(f"--{what} {missing}: the dump has no such code.")
    if choices.publishers:
        rows = dump.rows("SELECT id, name FROM gcd_publisher")
        known = {str(row[0]) for row in rows} | {row[1].casefold() for row in rows}
        for missing in sorted(choices.publishers - known):
            raise ChoiceError(f"--publisher {missing}: the dump has no publisher with this name or id.")


def pieces(series: list[PlannedSeries], after: int) -> Iterator[list[PlannedSeries]]:
    """The series with ids above `after`, in pieces of one transaction each."""
    piece, issues = [], 0
    for each in series:
        if each.id <= after:
            continue
        if piece and (issues + each.issues > PIECE_ISSUES or len(piece) == PIECE_SERIES):
            yield piece
            piece, issues = [], 0
        piece.append(each)
        issues += each.issues
    if piece:
        yield piece
