"""What touches what: a table of rules, M1 to M24, and the statements that carry it out.

An event is something that happened to rows (`publisher.name`: their name changed). For each event the
table names the kinds whose `modified` moves and which of their rows, as a condition in which `:ids` stands
for the rows the event happened to. Touches do not chain: a row that was only touched is no event.

What the declaration of a kind says is not repeated in the table: links and parts that change touch the object
itself (M1 to M9, M17, M23), a name touches the objects that have it as a parent (M10, M11, M15) or link to it
(M14, M16).
"""

from collections import defaultdict

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS, children_of, linked_to

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

# Kinds with an issue list: how their rows are found from issues (M24).
ISSUE_LISTS = {
    **{
        kind: _linked(link.table.name, link.other, link.own)
        for kind in KINDS
        for link in KINDS["issue"].links
        if link.target.__tablename__ == kind and hasattr(link.target, "issues_modified")
    },
    "series": "id IN (SELECT series_id FROM issue WHERE id = ANY(:ids))",
}

# (rule, event, {kind touched: which of its rows})
TABLE: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("M10", "publisher.name", {"issue": _issues_of_series("publisher_id = ANY(:ids)")}),
    ("M11", "imprint.name", {"issue": _issues_of_series("imprint_id = ANY(:ids)")}),
    ("M12", "series.embedded", {"issue": "series_id = ANY(:ids)"}),
    ("M12", "series.label", {"series": _ASSOCIATED, "issue": _REPRINTS_OF_SERIES}),
    ("M13", "issue.place", {"issue": _REPRINTING}),
    ("M14", "genre.name", {"issue": _IN_SERIES_WITH_GENRE}),
    ("M15", "series_type.name", {"issue": _issues_of_series("series_type_id = ANY(:ids)")}),
    ("M12, M15", "series_type.label", {"series": _ASSOCIATED_WITH_TYPE, "issue": _REPRINTS_OF_TYPE}),
    ("M15", "role.name", {"issue": _CREDITED_IN_ROLE}),
    ("M16", "creator.name", {"issue": _CREDITED}),
    ("M1-M4", "issue.deleted", ISSUE_LISTS),  # resolved before the rows are deleted
)

TOUCHES: dict[str, dict[str, str]] = {event: touched for _, event, touched in TABLE}

# Columns whose change is an event, beside `<kind>.name` for the columns that other objects embed.
_FIELD_EVENTS: dict[str, dict[str, tuple[str, ...]]] = {
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
    "series_type": {"series_type.label": ("code",)},
}

# Link fields that others embed as well as their owner.
LINK_EVENTS = {"series.genres": "series.embedded"}

# What the removal of a row means to those that showed it; of other kinds it is the event `<kind>.name`.
_DELETION_EVENTS: dict[str, tuple[str, ...]] = {
    "publisher": (),  # what shows it is deleted with it
    "series_type": (),  # cannot be deleted while series have it
    "series": ("series.label",),
    "issue": ("issue.deleted", "issue.place"),
}


def field_events(kind: str) -> dict[str, tuple[str, ...]]:
    """The events of a kind, each with the columns whose change it is."""
    embedded = KINDS[kind].embedded
    return ({f"{kind}.name": embedded} if embedded else {}) | _FIELD_EVENTS.get(kind, {})


def deletion_events(kind: str) -> tuple[str, ...]:
    """The events that the removal of rows of a kind is."""
    return _DELETION_EVENTS.get(kind, (f"{kind}.name",))


def touched_by(event: str) -> dict[str, str]:
    """The kinds that an event touches, each with the condition that selects the rows."""
    kind, what = event.split(".")
    if what == "name":
        model = KINDS[kind].model
        linked = {
            owner.name: _linked(link.table.name, link.own, link.other) for owner, link in linked_to(model)
        }
        children = {child.name: f"{field}_id = ANY(:ids)" for child, field in children_of(model)}
        return linked | children | TOUCHES.get(event, {})
    of_itself = (*KINDS[kind].parts, *(link.field for link in KINDS[kind].links))
    if what in of_itself or (what == "issues" and kind in ISSUE_LISTS):
        return {kind: SELF}
    return TOUCHES.get(event, {})


def resolve(session: Session, events: dict[str, set[int]]) -> dict[str, set[int]]:
    """The rows that events touch, as {kind: ids}; one statement per event and kind that is named."""
    touched: dict[str, set[int]] = defaultdict(set)
    for event, ids in events.items():
        for kind, rows in touched_by(event).items():
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
