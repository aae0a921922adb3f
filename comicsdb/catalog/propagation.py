"""What touches what: a table of rules, M1 to M24, and the statements that carry it out.

An event is something that happened to rows (`publisher.name`: their name changed). For each event the
table names the kinds whose `modified` moves and which of their rows, as a condition in which `:ids` stands
for the rows the event happened to. Touches do not chain: a row that was only touched is no event.
"""

from collections import defaultdict

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS

SELF = "id = ANY(:ids)"


def _linked(table: str, own: str, other: str) -> str:
    """Rows that a link table ties to the event's rows."""
    return f"id IN (SELECT {own} FROM {table} WHERE {other} = ANY(:ids))"


def _issues_of_series(where: str) -> str:
    return f"series_id IN (SELECT id FROM series WHERE {where})"


_IN_SERIES_WITH_GENRE = "series_id IN (SELECT series_id FROM series_genre WHERE genre_id = ANY(:ids))"
_REPRINTS_OF_SERIES = (
    "id IN (SELECT r.issue_id FROM issue_reprint r JOIN issue i ON i.id = r.reprint_id"
    " WHERE i.series_id = ANY(:ids))"
)
_ASSOCIATED_WITH_TYPE = (
    "id IN (SELECT a.series_id FROM series_associated a JOIN series s ON s.id = a.associated_id"
    " WHERE s.series_type_id = ANY(:ids))"
)
_REPRINTS_OF_TYPE = (
    "id IN (SELECT r.issue_id FROM issue_reprint r JOIN issue i ON i.id = r.reprint_id"
    " JOIN series s ON s.id = i.series_id WHERE s.series_type_id = ANY(:ids))"
)
_CREDITED = "id IN (SELECT issue_id FROM credit WHERE creator_id = ANY(:ids))"
_CREDITED_IN_ROLE = (
    "id IN (SELECT c.issue_id FROM credit c JOIN credit_role r ON r.credit_id = c.id"
    " WHERE r.role_id = ANY(:ids))"
)
_REPRINTING = _linked("issue_reprint", "issue_id", "reprint_id")
_ASSOCIATED = _linked("series_associated", "series_id", "associated_id")

# (rule, event, {kind touched: which of its rows})
TABLE: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("M1", "series.issues", {"series": SELF}),
    ("M2", "issue.arcs", {"issue": SELF}),
    ("M2", "arc.issues", {"arc": SELF}),
    ("M3", "issue.characters", {"issue": SELF}),
    ("M3", "character.issues", {"character": SELF}),
    ("M4", "issue.teams", {"issue": SELF}),
    ("M4", "team.issues", {"team": SELF}),
    ("M5", "issue.universes", {"issue": SELF}),
    ("M6", "issue.reprints", {"issue": SELF}),
    ("M7", "issue.variants", {"issue": SELF}),
    ("M8, M9", "issue.credits", {"issue": SELF}),
    (
        "M10",
        "publisher.name",
        {
            "imprint": "publisher_id = ANY(:ids)",
            "universe": "publisher_id = ANY(:ids)",
            "series": "publisher_id = ANY(:ids)",
            "issue": _issues_of_series("publisher_id = ANY(:ids)"),
        },
    ),
    (
        "M11",
        "imprint.name",
        {"series": "imprint_id = ANY(:ids)", "issue": _issues_of_series("imprint_id = ANY(:ids)")},
    ),
    ("M12", "series.embedded", {"issue": "series_id = ANY(:ids)"}),
    ("M12", "series.label", {"series": _ASSOCIATED, "issue": _REPRINTS_OF_SERIES}),
    ("M13", "issue.place", {"issue": _REPRINTING}),
    (
        "M14",
        "genre.name",
        {"series": _linked("series_genre", "series_id", "genre_id"), "issue": _IN_SERIES_WITH_GENRE},
    ),
    (
        "M15",
        "series_type.name",
        {"series": "series_type_id = ANY(:ids)", "issue": _issues_of_series("series_type_id = ANY(:ids)")},
    ),
    ("M12, M15", "series_type.label", {"series": _ASSOCIATED_WITH_TYPE, "issue": _REPRINTS_OF_TYPE}),
    ("M15", "age_rating.name", {"issue": "rating_id = ANY(:ids)"}),
    ("M15", "role.name", {"issue": _CREDITED_IN_ROLE}),
    ("M16", "arc.name", {"issue": _linked("issue_arc", "issue_id", "arc_id")}),
    ("M16", "character.name", {"issue": _linked("issue_character", "issue_id", "character_id")}),
    (
        "M16",
        "team.name",
        {
            "issue": _linked("issue_team", "issue_id", "team_id"),
            "character": _linked("character_team", "character_id", "team_id"),
        },
    ),
    (
        "M16",
        "universe.name",
        {
            "issue": _linked("issue_universe", "issue_id", "universe_id"),
            "character": _linked("character_universe", "character_id", "universe_id"),
            "team": _linked("team_universe", "team_id", "universe_id"),
        },
    ),
    (
        "M16",
        "creator.name",
        {
            "issue": _CREDITED,
            "character": _linked("character_creator", "character_id", "creator_id"),
            "team": _linked("team_creator", "team_id", "creator_id"),
        },
    ),
    ("M17", "character.creators", {"character": SELF}),
    ("M17", "character.teams", {"character": SELF}),
    ("M17", "character.universes", {"character": SELF}),
    ("M17", "team.creators", {"team": SELF}),
    ("M17", "team.universes", {"team": SELF}),
    ("M17", "series.genres", {"series": SELF}),
    ("M17", "series.associated", {"series": SELF}),
    *(
        ("M23", f"{kind}.attributions", {kind: SELF})
        for kind, spec in KINDS.items()
        if "attributions" in spec.parts
    ),
    # What deleted rows leave behind, asked before they go.
    (
        "M1-M4",
        "issue.deleted",
        {
            "series": "id IN (SELECT series_id FROM issue WHERE id = ANY(:ids))",
            "arc": _linked("issue_arc", "arc_id", "issue_id"),
            "character": _linked("issue_character", "character_id", "issue_id"),
            "team": _linked("issue_team", "team_id", "issue_id"),
        },
    ),
)

TOUCHES: dict[str, dict[str, str]] = {event: touched for _, event, touched in TABLE}

# Columns whose change is an event; a column that is in no row here is shown by its own object alone.
FIELD_EVENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "publisher": {"publisher.name": ("name",)},
    "imprint": {"imprint.name": ("name",)},
    "universe": {"universe.name": ("name", "designation")},
    "creator": {"creator.name": ("name",)},
    "team": {"team.name": ("name",)},
    "character": {"character.name": ("name",)},
    "arc": {"arc.name": ("name",)},
    "series": {
        "series.label": ("name", "year_began", "series_type_id", "sort_name"),
        "series.embedded": (
            "name",
            "sort_name",
            "alt_names",
            "language",
            "volume",
            "year_began",
            "series_type_id",
            "publisher_id",
            "imprint_id",
        ),
    },
    "issue": {"issue.place": ("series_id", "number", "cover_date", "store_date")},
    "genre": {"genre.name": ("name",)},
    "series_type": {"series_type.name": ("name", "code"), "series_type.label": ("code",)},
    "age_rating": {"age_rating.name": ("name",)},
    "role": {"role.name": ("name", "order")},
}

# Link fields that others embed as well as their owner.
LINK_EVENTS = {"series.genres": "series.embedded"}

# What the removal of a row means to those that showed it.
DELETION_EVENTS: dict[str, tuple[str, ...]] = {
    "imprint": ("imprint.name",),
    "universe": ("universe.name",),
    "creator": ("creator.name",),
    "team": ("team.name",),
    "character": ("character.name",),
    "arc": ("arc.name",),
    "series": ("series.label",),
    "issue": ("issue.deleted", "issue.place"),
    "genre": ("genre.name",),
    "age_rating": ("age_rating.name",),
    "role": ("role.name",),
}

# Objects with an issue list: how their rows are found from issues (M24).
ISSUE_LISTS = {
    "team": "id IN (SELECT team_id FROM issue_team WHERE issue_id = ANY(:ids))",
    "character": "id IN (SELECT character_id FROM issue_character WHERE issue_id = ANY(:ids))",
    "arc": "id IN (SELECT arc_id FROM issue_arc WHERE issue_id = ANY(:ids))",
    "series": "id IN (SELECT series_id FROM issue WHERE id = ANY(:ids))",
}


def resolve(session: Session, events: dict[str, set[int]]) -> dict[str, set[int]]:
    """The rows that events touch, as {kind: ids}; one statement per event and kind that is named."""
    touched: dict[str, set[int]] = defaultdict(set)
    for event, ids in events.items():
        for kind, rows in TOUCHES.get(event, {}).items():
            if rows == SELF:
                touched[kind] |= ids
            else:
                found = session.execute(text(f"SELECT id FROM {kind} WHERE {rows}"), {"ids": list(ids)})
                touched[kind].update(found.scalars())
    return touched


def _later(*columns: str) -> str:
    """The next value of a stamp: the clock, but always later than before, if there was one.

    Later than all of `columns`: where a body has two stamps its date is that of the later one, which may be
    ahead of the clock, as it was imported or the clock put back.
    """
    past = ", ".join(f"{each} + interval '1 microsecond'" for each in columns)
    return f"greatest(clock_timestamp(), {past})"


def move_stamp(session: Session, kind: str, ids: set[int], column: str = "modified") -> None:
    """Move a stamp of some rows, and keep the value it had; rows are locked in the order of their ids."""
    if not ids:
        return
    columns = KINDS[kind].model.__table__.columns
    before = f"{column}_before = t.{column}, " if f"{column}_before" in columns else ""  # not reference data
    passed = (column, "rated") if column == "modified" and "rated" in columns else (column,)
    later = _later(*(f"t.{each}" for each in passed))
    session.execute(
        text(
            f"WITH mine AS (SELECT id FROM {kind} WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE)"
            f" UPDATE {kind} t SET {before}{column} = {later} FROM mine WHERE t.id = mine.id"
        ),
        {"ids": list(ids)},
    )


def move_name_stamp(session: Session, kind: str, ids: set[int]) -> None:
    """Note that the embedded name of some rows has changed."""
    session.execute(
        text(f"UPDATE {kind} SET name_changed = {_later('name_changed')} WHERE id = ANY(:ids)"),
        {"ids": list(ids)},
    )


def move_issue_list_stamps(session: Session, issues: set[int], parents: dict[str, set[int]]) -> None:
    """Move the second stamp of every object whose issue list shows one of `issues`, and of `parents`."""
    for kind, rows in ISSUE_LISTS.items():
        ids = set(parents.get(kind, ()))
        if issues:
            found = session.execute(text(f"SELECT id FROM {kind} WHERE {rows}"), {"ids": list(issues)})
            ids.update(found.scalars())
        move_stamp(session, kind, ids, "issues_modified")


def refresh_rating_figures(session: Session, *, series: set[int], issues: set[int]) -> None:
    """Count and sum the stars of issues and series anew, and move their rating stamps (M22).

    Stars given before an issue was out are left out until `library.ratings.count_due` has counted them.
    The rows are locked by a statement of their own: the next one then sees what other raters committed.
    """
    stars = "LEFT JOIN issue_rating r ON r.counted AND r.issue_id ="
    for kind, ids, source in (
        ("series", series, f"LEFT JOIN issue i ON i.series_id = t.id {stars} i.id"),
        ("issue", issues, f"{stars} t.id"),
    ):
        if not ids:
            continue
        chosen = {"ids": list(ids)}
        session.execute(
            text(f"SELECT 1 FROM {kind} WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"), chosen
        )
        session.execute(
            text(
                f"UPDATE {kind} t SET rating_count = f.number, rating_sum = f.total, rated_before = t.rated,"
                f" rated = {_later('t.rated', 't.modified')}"
                " FROM (SELECT t.id, count(r.id) AS number, coalesce(sum(r.rating), 0) AS total"
                f" FROM {kind} t {source} WHERE t.id = ANY(:ids) GROUP BY t.id) f WHERE t.id = f.id"
            ),
            chosen,
        )
