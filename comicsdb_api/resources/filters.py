"""The filters of each list."""

from sqlalchemy import false, func, select
from sqlalchemy.sql.elements import False_

from comicsdb.catalog import search
from comicsdb.models import (
    AgeRating,
    Arc,
    Character,
    Creator,
    Credit,
    Genre,
    Imprint,
    Issue,
    Publisher,
    Role,
    Series,
    SeriesType,
    Team,
    Universe,
    credit_role,
    issue_character,
    issue_team,
    issue_universe,
    series_genre,
)
from comicsdb.models.choices import LANGUAGES, Status
from comicsdb_api.resource.filters import (
    LONGEST,
    Choice,
    Contains,
    Day,
    DayRange,
    Exact,
    Filter,
    IdList,
    Int,
    IntList,
    Later,
    Missing,
    Month,
    Phrase,
    Words,
    Year,
)

issue, series, credit = Issue.__table__, Series.__table__, Credit.__table__
publisher, imprint, universe = Publisher.__table__, Imprint.__table__, Universe.__table__
series_type, age_rating, genre = SeriesType.__table__, AgeRating.__table__, Genre.__table__


class Isbn(Filter):
    """`isbn`: an ISBN with ten or thirteen digits, whichever of both the column has."""

    says = "{}, with 10 or 13 digits: one finds the other; blanks and hyphens do not count."

    def test(self, value, zone):  # noqa: ARG002
        return search.same_isbn(self.column, value)


class Upc(Filter):
    """`upc`: the whole bar code of an issue or of one of its variants; `column` is not looked at."""

    says = "{} of the issue or of one of its variants; blanks, hyphens and case do not count."

    def test(self, value, zone):  # noqa: ARG002
        return search.issues_with_upc(lambda column: search.same_code(column, value))


class UpcPrefix(Filter):
    """`upc-prefix`: how that bar code begins."""

    says = "Beginning of {} of the issue or of one of its variants; blanks and hyphens do not count."

    def test(self, value, zone):  # noqa: ARG002
        if len(value) > LONGEST:
            return false()
        return search.issues_with_upc(lambda column: search.code_begins(column, value))


def among(column, found, *joined):
    """Lifts a condition: `column` is one of the values that `found` has where the condition holds.

    The subquery stands alone: that the list joins the same table has nothing to do with it.
    """

    def lift(condition):
        if isinstance(condition, False_):  # nothing has it: nothing is joined, either
            return condition
        return column.in_(select(found).where(condition, *joined).correlate(None))

    return lift


def both(outer, inner):
    """One lift after the other."""
    return lambda condition: outer(inner(condition))


def in_issue(link):
    """Lifts a condition on what hangs on issues to one on issues."""
    return among(issue.c.id, link.c.issue_id)


def in_issue_of_series(link):
    """The same, to one on the series of these issues."""
    return among(series.c.id, issue.c.series_id, issue.c.id == link.c.issue_id)


def identified(table) -> tuple:
    """The ids in other databases."""
    return (
        IdList("cv_id", table.c.cv_id, "id at Comic Vine"),
        IdList("gcd_id", table.c.gcd_id, "id at the Grand Comics Database"),
    )


def unidentified(table) -> tuple:
    """Whether these ids are there."""
    return (
        Missing("missing_cv_id", table.c.cv_id, "the id at Comic Vine"),
        Missing("missing_gcd_id", table.c.gcd_id, "the id at the Grand Comics Database"),
    )


def modified(table) -> tuple:
    """What has changed since."""
    return (Later("modified_gt", table.c.modified, "modified"),)


def named(model) -> tuple:
    """What most kinds have."""
    table = model.__table__
    return (Phrase("name", table.c.folded, "the name"), *identified(table), *modified(table))


def plainly_named(model) -> tuple:
    """Reference data, whose names are folded on the spot."""
    table = model.__table__
    return (Phrase("name", func.fold(table.c.name), "the name"), *modified(table))


def of_series(prefix: str, of) -> tuple:
    """What is asked of series, and of the series of issues."""
    names = (series.c.folded, series.c.alt_folded)
    of_publisher = both(of, among(series.c.publisher_id, publisher.c.id))
    of_imprint = both(of, among(series.c.imprint_id, imprint.c.id))
    of_genres = both(of, among(series.c.id, series_genre.c.series_id))
    of_genre = both(of_genres, among(series_genre.c.genre_id, genre.c.id))
    return (
        Words(f"{prefix}name", names[:1], "the name of the series", of),
        Phrase(
            f"{prefix}alt_names", names[1], "the alternative names of the series, with blanks between", of
        ),
        Words(f"{prefix}q", names, "the name or the alternative names of the series", of),
        Int(f"{prefix}volume", series.c.volume, "volume of the series", of),
        Int(f"{prefix}year_began", series.c.year_began, "first year of the series", of),
        Int("publisher_id", series.c.publisher_id, "id of the publisher", of),
        Contains("publisher_name", publisher.c.name, "the name of the publisher", of_publisher),
        Int("imprint_id", series.c.imprint_id, "id of the imprint", of),
        Contains("imprint_name", imprint.c.name, "the name of the imprint", of_imprint),
        IntList("genre_id", series_genre.c.genre_id, "genres of the series", of_genres),
        Phrase("genre", func.fold(genre.c.name), "the name of a genre of the series", of_genre),
    )


def of_contents(of) -> tuple:
    """Who and what is in issues. Each filter may be met by another issue of a series, or another credit."""
    return (
        Int("creator_id", credit.c.creator_id, "id of a creator in the credits", of(credit)),
        IntList("role_id", credit_role.c.role_id, "roles in the credits", of(credit_role)),
        Int("character_id", issue_character.c.character_id, "id of a character", of(issue_character)),
        Int("team_id", issue_team.c.team_id, "id of a team", of(issue_team)),
        Int("universe_id", issue_universe.c.universe_id, "id of a universe", of(issue_universe)),
    )


ARC = named(Arc)
CHARACTER = named(Character)
CREATOR = named(Creator)
IMPRINT = named(Imprint)
TEAM = named(Team)
ROLE = plainly_named(Role)
SERIES_TYPE = plainly_named(SeriesType)
UNIVERSE = (
    Phrase("name", universe.c.folded, "the name"),
    Contains("designation", universe.c.designation, "the designation"),
    *modified(universe),
)
PUBLISHER = (
    Phrase("name", publisher.c.folded, "the name"),
    Phrase("alt_names", publisher.c.alt_folded, "the alternative names, with blanks between"),
    Words("q", (publisher.c.folded, publisher.c.alt_folded), "the name or the alternative names"),
    *identified(publisher),
    *modified(publisher),
)
SERIES = (
    *of_series("", lambda condition: condition),
    Int("year_end", series.c.year_end, "last year"),
    Choice("language", series.c.language, "language", LANGUAGES),
    Choice("status", series.c.status, "status: 1 cancelled, 2 completed, 3 hiatus, 4 ongoing", Status),
    Int("series_type_id", series.c.series_type_id, "id of the type"),
    Contains(
        "series_type",
        series_type.c.name,
        "the name of the type",
        among(series.c.series_type_id, series_type.c.id),
    ),
    *identified(series),
    *unidentified(series),
    *of_contents(in_issue_of_series),
    *modified(series),
)
ISSUE = (
    Exact("number", issue.c.number, "number"),
    Exact("alt_number", issue.c.alt_number, "alternative number"),
    Year("cover_year", issue.c.cover_date, "the cover date"),
    Month("cover_month", issue.c.cover_date, "the cover date"),
    DayRange("cover_date_range", issue.c.cover_date, "cover date"),
    Day("store_date", issue.c.store_date, "store date"),
    DayRange("store_date_range", issue.c.store_date, "store date"),
    Day("foc_date", issue.c.foc_date, "final order cut-off date"),
    DayRange("foc_date_range", issue.c.foc_date, "final order cut-off date"),
    Int("series_id", issue.c.series_id, "id of the series"),
    *of_series("series_", among(issue.c.series_id, series.c.id)),
    Exact("rating", age_rating.c.name, "name of the age rating", among(issue.c.rating_id, age_rating.c.id)),
    Exact("sku", issue.c.sku, "SKU"),
    Isbn("isbn", issue.c.isbn, "ISBN"),
    Upc("upc", issue.c.upc, "UPC"),
    UpcPrefix("upc_starts_with", issue.c.upc, "the UPC"),
    Exact("cover_hash", issue.c.cover_hash, "perceptual hash of the cover"),
    *identified(issue),
    *unidentified(issue),
    *of_contents(in_issue),
    *modified(issue),
)
