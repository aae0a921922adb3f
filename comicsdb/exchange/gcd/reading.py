"""Reads the rows of a dump that belong to some series: everything that one transaction of an import needs.

`CROSS JOIN` makes SQLite keep the order of the tables: dumps have no statistics, and the chosen rows are few.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from comicsdb.exchange.gcd.dump import Dump

TITLED = (19, 13, 21, 5)  # types of stories whose titles count as the issue's: comics, photo, text, cartoon
WITH_GENRES = (19, 13)
CREDITED = (5, 6, 7, 13, 19, 21)
FORMAL = 1  # gcd_group_membership


class SeriesRow(NamedTuple):
    """A series of a dump."""

    id: int
    name: str
    sort_name: str
    year_began: int | None
    year_ended: int | None
    is_current: int
    publisher_id: int
    language: str
    country: str
    publishing_format: str


class IssueRow(NamedTuple):
    """An issue of a dump, or a variant, whose `variant_of_id` is that of its issue."""

    id: int
    series_id: int
    number: str
    volume: str
    display_volume_with_number: int
    key_date: str
    on_sale_date: str
    on_sale_date_uncertain: int
    price: str
    page_count: object
    isbn: str
    valid_isbn: str
    barcode: str
    title: str
    rating: str
    variant_of_id: int | None
    variant_name: str


class StoryRow(NamedTuple):
    """A story, cover or other sequence of an issue."""

    id: int
    issue_id: int
    type_id: int
    title: str
    title_inferred: int
    page_count: object
    genre: str
    synopsis: str
    script: str
    pencils: str
    inks: str
    colors: str
    letters: str
    editing: str


class CreditRow(NamedTuple):
    """A credit of a story, or of an issue (no story or type); `creator_id` is None if it is unknown."""

    issue_id: int
    story_id: int | None
    story_type: int | None
    credit_type: int
    qualifier: str
    uncertain: int
    creator_id: int | None
    name: str


class NamedRow(NamedTuple):
    """A creator, character or team: its name, other names, and further details."""

    id: int
    name: str
    aliases: tuple[str, ...]
    details: tuple


@dataclass
class PieceRows:
    """The rows of some series: their issues, and the creators, characters and other objects in these."""

    series: list[SeriesRow] = field(default_factory=list)
    issues: list[IssueRow] = field(default_factory=list)
    variants: list[IssueRow] = field(default_factory=list)
    stray_variants: list[IssueRow] = field(default_factory=list)  # their issue is in another series
    stories: dict[int, list[StoryRow]] = field(default_factory=lambda: defaultdict(list))
    credits: dict[int, list[CreditRow]] = field(default_factory=lambda: defaultdict(list))
    # Ids by issue; None stands for a name that the dump lacks.
    characters: dict[int, set] = field(default_factory=lambda: defaultdict(set))
    teams: dict[int, set] = field(default_factory=lambda: defaultdict(set))
    arcs: dict[int, set] = field(default_factory=lambda: defaultdict(set))
    universes: dict[int, set] = field(default_factory=lambda: defaultdict(set))
    brands: dict[int, set] = field(default_factory=lambda: defaultdict(set))  # brand groups


_OF_STORIES = "piece_issue p CROSS JOIN gcd_story s CROSS JOIN"
_CREATOR = """(SELECT {} FROM gcd_creator_name_detail n CROSS JOIN gcd_creator k
    WHERE n.id = c.creator_id AND k.id = n.creator_id)"""


def read_piece(dump: Dump, series: Iterable[int]) -> PieceRows:
    """The rows of series and of their issues."""
    rows = PieceRows()
    dump.fill_ids("piece_series", series)
    rows.series = [
        SeriesRow(*row)
        for row in dump.rows(
            "SELECT s.id, s.name, s.sort_name, s.year_began, s.year_ended, s.is_current, s.publisher_id,"
            " coalesce((SELECT code FROM stddata_language WHERE id = s.language_id), ''),"
            " coalesce((SELECT code FROM stddata_country WHERE id = s.country_id), ''), s.publishing_format"
            " FROM piece_series p CROSS JOIN gcd_series s WHERE s.id = p.id ORDER BY s.id"
        )
    ]
    _read_issues(dump, rows)
    dump.fill_ids("piece_issue", (issue.id for issue in rows.issues))
    dump.fill_ids("piece_variant", (variant.id for variant in rows.variants))
    _read_stories(dump, rows)
    _read_credits(dump, rows)
    _read_appearances(dump, rows)
    return rows


def _read_issues(dump: Dump, rows: PieceRows) -> None:
    columns = ", ".join(f"i.{name}" for name in IssueRow._fields)
    found = [
        IssueRow(*row)
        for row in dump.rows(
            f"SELECT {columns} FROM piece_series p CROSS JOIN gcd_issue i WHERE i.series_id = p.id"
            " ORDER BY i.series_id, i.sort_code, i.id"
        )
    ]
    rows.issues = [issue for issue in found if issue.variant_of_id is None]
    bases = {issue.id: issue.series_id for issue in rows.issues}
    for issue in found:
        if issue.variant_of_id is not None:
            at_home = bases.get(issue.variant_of_id) == issue.series_id
            (rows.variants if at_home else rows.stray_variants).append(issue)


def _read_stories(dump: Dump, rows: PieceRows) -> None:
    columns = ", ".join(f"s.{name}" for name in StoryRow._fields)
    for row in dump.rows(
        f"SELECT {columns} FROM piece_issue p CROSS JOIN gcd_story s WHERE s.issue_id = p.id"
        " ORDER BY s.issue_id, s.sequence_number, s.id"
    ):
        rows.stories[row[1]].append(StoryRow(*row))


def _read_credits(dump: Dump, rows: PieceRows) -> None:
    who = f"{_CREATOR.format('k.id')}, {_CREATOR.format('n.name')}"
    types = ", ".join(map(str, CREDITED))
    for statement in (
        f"SELECT s.issue_id, s.id, s.type_id, c.credit_type_id, c.credit_name, c.uncertain, {who}"
        f" FROM {_OF_STORIES} gcd_story_credit c WHERE s.issue_id = p.id AND c.story_id = s.id"
        f" AND s.type_id IN ({types}) ORDER BY s.issue_id, s.sequence_number, c.id",
        f"SELECT c.issue_id, NULL, NULL, c.credit_type_id, c.credit_name, c.uncertain, {who}"
        " FROM piece_issue p CROSS JOIN gcd_issue_credit c WHERE c.issue_id = p.id ORDER BY c.issue_id, c.id",
    ):
        for row in dump.rows(statement):
            rows.credits[row[0]].append(CreditRow(*row))


def _read_appearances(dump: Dump, rows: PieceRows) -> None:
    named = "(SELECT o.id FROM {0}_name_detail n CROSS JOIN {0} o WHERE n.id = c.{1} AND o.id = n.{2})"
    character = named.format("gcd_character", "character_id", "character_id")
    group = named.format("gcd_group", "group_name_id", "group_id")
    for found, statement in (
        (rows.characters, _appearances("gcd_story_character", character)),
        (rows.teams, _appearances("gcd_group_character", group)),
        (
            rows.arcs,
            _appearances("gcd_story_story_arc", "(SELECT id FROM gcd_story_arc WHERE id = c.storyarc_id)"),
        ),
        (
            rows.arcs,
            "SELECT v.variant_of_id, (SELECT id FROM gcd_story_arc WHERE id = c.storyarc_id)"
            " FROM piece_variant p CROSS JOIN gcd_issue v CROSS JOIN gcd_story s"
            " CROSS JOIN gcd_story_story_arc c"
            " WHERE v.id = p.id AND s.issue_id = p.id AND c.story_id = s.id",
        ),
        (
            rows.universes,
            _appearances("gcd_story_universe", "(SELECT id FROM gcd_universe WHERE id = c.universe_id)"),
        ),
        (
            rows.brands,
            "SELECT e.issue_id, b.brandgroup_id FROM piece_issue p CROSS JOIN gcd_issue_brand_emblem e"
            " CROSS JOIN gcd_brand_emblem_group b WHERE e.issue_id = p.id AND b.brand_id = e.brand_id",
        ),
    ):
        for issue, identifier in dump.connection.execute(statement):
            found[issue].add(identifier)


def _appearances(table: str, identifier: str) -> str:
    return (
        f"SELECT s.issue_id, {identifier} FROM {_OF_STORIES} {table} c"
        " WHERE s.issue_id = p.id AND c.story_id = s.id"
    )


# Rows by their ids.


def publishers(dump: Dump, ids: Iterable[int]) -> list[tuple]:
    """Id, name, founding year, whether the year is uncertain, notes, and country code."""
    return _chosen(
        dump,
        ids,
        "SELECT o.id, o.name, o.year_began, o.year_began_uncertain, o.notes,"
        " coalesce((SELECT code FROM stddata_country WHERE id = o.country_id), '')"
        " FROM piece_id p CROSS JOIN gcd_publisher o WHERE o.id = p.id ORDER BY o.id",
    )


def brand_groups(dump: Dump, ids: Iterable[int]) -> list[tuple]:
    """Id, name, publisher, founding year, and whether the year is uncertain."""
    return _chosen(
        dump,
        ids,
        "SELECT o.id, o.name, o.parent_id, o.year_began, o.year_began_uncertain"
        " FROM piece_id p CROSS JOIN gcd_brand_group o WHERE o.id = p.id ORDER BY o.id",
    )


def universes(dump: Dump, ids: Iterable[int]) -> list[tuple]:
    """Id, name, designation and the name of the multiverse."""
    return _chosen(
        dump,
        ids,
        "SELECT o.id, o.name, o.designation,"
        " coalesce((SELECT name FROM gcd_multiverse WHERE id = o.verse_id), o.multiverse)"
        " FROM piece_id p CROSS JOIN gcd_universe o WHERE o.id = p.id ORDER BY o.id",
    )


def arcs(dump: Dump, ids: Iterable[int]) -> list[tuple]:
    """Id and name."""
    return _chosen(
        dump,
        ids,
        "SELECT o.id, o.name FROM piece_id p CROSS JOIN gcd_story_arc o WHERE o.id = p.id ORDER BY o.id",
    )


def creators(dump: Dump, ids: Iterable[int]) -> list[NamedRow]:
    """Creators; their details are birth and death: year, month, day, and whether each is uncertain."""
    date = "SELECT year, month, day, year_uncertain, month_uncertain, day_uncertain FROM stddata_date"
    found = []
    for identifier, name, birth, death in _chosen(
        dump,
        ids,
        "SELECT o.id, o.gcd_official_name, o.birth_date_id, o.death_date_id"
        " FROM piece_id p CROSS JOIN gcd_creator o WHERE o.id = p.id ORDER BY o.id",
    ):
        dates = tuple(next(iter(dump.rows(f"{date} WHERE id = ?", each)), None) for each in (birth, death))
        found.append(NamedRow(identifier, name, (), dates))
    return _with_aliases(dump, found, "gcd_creator_name_detail", "creator_id")


def characters(dump: Dump, ids: Iterable[int]) -> list[NamedRow]:
    """Characters, with their universe and the ids of the teams that they formally belong to."""
    found = []
    for identifier, name, universe in _chosen(
        dump,
        ids,
        "SELECT o.id, o.name, o.universe_id FROM piece_id p CROSS JOIN gcd_character o"
        " WHERE o.id = p.id ORDER BY o.id",
    ):
        teams = dump.rows(
            "SELECT g.id FROM gcd_group_membership m CROSS JOIN gcd_group g WHERE m.character_id = ?"
            f" AND m.membership_type_id = {FORMAL} AND g.id = m.group_id ORDER BY g.id",
            identifier,
        )
        found.append(NamedRow(identifier, name, (), (universe, tuple(team for (team,) in teams))))
    return _with_aliases(dump, found, "gcd_character_name_detail", "character_id")


def teams(dump: Dump, ids: Iterable[int]) -> list[NamedRow]:
    """Teams, with their universe."""
    return [
        NamedRow(identifier, name, (), (universe,))
        for identifier, name, universe in _chosen(
            dump,
            ids,
            "SELECT o.id, o.name, o.universe_id FROM piece_id p CROSS JOIN gcd_group o"
            " WHERE o.id = p.id ORDER BY o.id",
        )
    ]


def publisher_ids(dump: Dump, names: Iterable[str]) -> dict[str, int]:
    """The ids of publishers by name; the lowest if several have the name."""
    marks = list(names)
    rows = dump.rows(
        f"SELECT name, min(id) FROM gcd_publisher WHERE name IN ({','.join('?' * len(marks))}) GROUP BY name",
        *marks,
    )
    return dict(rows)


def _chosen(dump: Dump, ids: Iterable[int], statement: str) -> list[tuple]:
    dump.fill_ids("piece_id", ids)
    return dump.rows(statement)


def _with_aliases(dump: Dump, found: list[NamedRow], table: str, column: str) -> list[NamedRow]:
    """The same rows with their other names; relies on `piece_id` still holding the chosen ids."""
    names = defaultdict(list)
    for identifier, name in dump.rows(
        f"SELECT n.{column}, n.name FROM piece_id p CROSS JOIN {table} n"
        f" WHERE n.{column} = p.id AND NOT n.is_official_name ORDER BY n.id"
    ):
        names[identifier].append(name)
    return [each._replace(aliases=tuple(names[each.id])) for each in found]
