"""Propagation of changes: the table of what they touch, `TOUCHES`, and the statements that apply it.

An event is a change of rows (`publisher.name`: the names of publishers changed). For each event, the table
has the kinds whose `modified` is updated, each with a condition for the rows, whose parameter `:ids` are the
ids of the changed rows. Updates of `modified` are not events themselves, so they do not cascade.

What follows from the declarations of kinds is not in the table: changed links and parts touch the object
itself; a changed name touches the objects that have the object as a parent or link to it.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS, children_of, linked_to
from comicsdb.db.arrays import id_array

SELF = "id = ANY(:ids)"


def _linked(table: str, own: str, other: str) -> str:
    """The condition that a link table links a row to one of the event's rows."""
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

# Kinds with an issue list, each with the query for the ids of the rows that list some issues.
ISSUE_LIST_QUERIES = {
    **{
        kind: f"SELECT {link.other} FROM {link.table.name} WHERE {link.own} = ANY(:ids)"
        for kind in KINDS
        for link in KINDS["issue"].links
        if link.target.__tablename__ == kind and hasattr(link.target, "issues_modified")
    },
    "series": "SELECT series_id FROM issue WHERE id = ANY(:ids)",
}
ISSUE_LIST_CONDITIONS = {kind: f"id IN ({ids})" for kind, ids in ISSUE_LIST_QUERIES.items()}

# Each event with the kinds it touches, each with the condition for its rows.
TOUCHES: dict[str, dict[str, str]] = {
    "publisher.name": {"issue": _issues_of_series("publisher_id = ANY(:ids)")},
    "imprint.name": {"issue": _issues_of_series("imprint_id = ANY(:ids)")},
    "series.embedded": {"issue": "series_id = ANY(:ids)"},
    "series.label": {"series": _ASSOCIATED, "issue": _REPRINTS_OF_SERIES},
    "issue.place": {"issue": _REPRINTING},
    "genre.name": {"issue": _IN_SERIES_WITH_GENRE},
    "series_type.name": {"issue": _issues_of_series("series_type_id = ANY(:ids)")},
    "series_type.label": {"series": _ASSOCIATED_WITH_TYPE, "issue": _REPRINTS_OF_TYPE},
    "role.name": {"issue": _CREDITED_IN_ROLE},
    "creator.name": {"issue": _CREDITED},
    "issue.deleted": ISSUE_LIST_CONDITIONS,  # resolved before the rows are deleted
}

# Columns whose change is an event, in addition to `<kind>.name` for the columns that other objects embed.
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
    "issue": {
        "issue.place": ("series_id", "number", "cover_date", "cover_date_precision", "store_date"),
    },
    "series_type": {"series_type.label": ("code",)},
}

# Link fields that not only the object itself shows, but also other objects that embed it.
LINK_EVENTS = {"series.genres": "series.embedded"}

# The events of a deletion; for kinds not listed here, `<kind>.name`.
_DELETION_EVENTS: dict[str, tuple[str, ...]] = {
    "publisher": (),  # objects that show the publisher are deleted with it
    "series_type": (),  # cannot be deleted while series have this type
    "series": ("series.label",),
    "issue": ("issue.deleted", "issue.place"),
}


def field_events(kind: str) -> dict[str, tuple[str, ...]]:
    """The events of a kind, each with its columns."""
    embedded = KINDS[kind].embedded
    return ({f"{kind}.name": embedded} if embedded else {}) | _FIELD_EVENTS.get(kind, {})


def deletion_events(kind: str) -> tuple[str, ...]:
    """The events that a deletion of rows of a kind causes."""
    return _DELETION_EVENTS.get(kind, (f"{kind}.name",))


def touched_conditions(event: str) -> dict[str, str]:
    """The kinds that an event touches, each with the condition for its rows."""
    kind, what = event.split(".")
    if what == "name":
        model = KINDS[kind].model
        linked = {
            owner.name: _linked(link.table.name, link.own, link.other) for owner, link in linked_to(model)
        }
        children = {child.name: f"{field}_id = ANY(:ids)" for child, field in children_of(model)}
        return linked | children | TOUCHES.get(event, {})
    of_itself = (*KINDS[kind].parts, *(link.field for link in KINDS[kind].links))
    if what in of_itself or (what == "issues" and kind in ISSUE_LIST_CONDITIONS):
        return {kind: SELF}
    return TOUCHES.get(event, {})


def resolve(session: Session, events: dict[str, set[int]]) -> dict[str, set[int]]:
    """The rows that events touch, as {kind: ids}; sends at most one statement."""
    touched: dict[str, set[int]] = defaultdict(set)
    conditions, parameters = [], {}
    for number, (event, ids) in enumerate(events.items()):
        for kind, rows in touched_conditions(event).items():
            if rows == SELF:
                touched[kind] |= ids
            else:
                conditions.append((kind, rows.replace(":ids", id_array(f"ids_{number}"))))
                parameters[f"ids_{number}"] = list(ids)
    for kind, each in _find(session, conditions, parameters):
        touched[kind].add(each)
    return touched


def _find(session: Session, conditions: Iterable[tuple[str, str]], parameters: dict) -> Iterable:
    """Pairs of kind and id, for the rows of each kind that meet its condition."""
    selects = [f"SELECT '{kind}', id FROM {kind} WHERE {rows}" for kind, rows in conditions]
    return session.execute(text(" UNION ALL ".join(selects)), parameters) if selects else ()


def _next_stamp(*columns: str) -> str:
    """The next value of a stamp: the current time, or just after its current value if that is later.

    It is later than all `columns`: a response that depends on two stamps has the date of the later one, which
    may be in the future if it was imported or the clock was set back.
    """
    past = ", ".join(f"{each} + interval '1 microsecond'" for each in columns)
    return f"greatest(clock_timestamp(), {past})"


def move_stamps(session: Session, moved: dict[str, set[int]]) -> None:
    """Update `modified` of rows of several kinds, and store its former values, in one statement.

    Rows are locked in the order of kinds and ids.
    """
    wanted = {kind: list(moved[kind]) for kind in KINDS if moved.get(kind)}
    if wanted:
        session.execute(_move_statement(tuple(wanted)), wanted)


@lru_cache(200)
def _move_statement(kinds: tuple[str, ...]) -> TextClause:
    """The statement that updates `modified` of several kinds; the final SELECT determines their order."""
    parts = [part for kind in kinds for part in _move_ctes(kind)]
    order = ", ".join(f"(SELECT count(*) FROM {kind}_moved)" for kind in kinds)
    return text(f"WITH {', '.join(parts)} SELECT {order}")


def _move_ctes(kind: str) -> tuple[str, str]:
    columns = KINDS[kind].model.__table__.columns
    before = "modified_before = t.modified, " if "modified_before" in columns else ""  # not reference data
    passed = ("modified", "rated") if "rated" in columns else ("modified",)
    later = _next_stamp(*(f"t.{each}" for each in passed))
    return (
        f"{kind}_rows AS (SELECT id FROM {kind} WHERE id = ANY({id_array(kind)})"
        " ORDER BY id FOR NO KEY UPDATE)",
        f"{kind}_moved AS (UPDATE {kind} t SET {before}modified = {later}"
        f" FROM {kind}_rows mine WHERE t.id = mine.id RETURNING t.id)",
    )


def move_name_stamp(session: Session, kind: str, ids: set[int]) -> None:
    """Update `name_changed` of rows."""
    session.execute(
        text(f"UPDATE {kind} SET name_changed = {_next_stamp('name_changed')} WHERE id = ANY(:ids)"),
        {"ids": list(ids)},
    )


def move_issue_list_stamps(session: Session, issues: set[int], parents: dict[str, set[int]]) -> None:
    """Update `issues_modified` of `parents`, and of all objects with one of `issues` in their issue list."""
    given = {kind: list(parents.get(kind, ())) for kind in ISSUE_LIST_CONDITIONS}
    session.execute(_move_lists_statement(tuple(given)), {"ids": list(issues), **given})


@lru_cache(200)
def _move_lists_statement(kinds: tuple[str, ...]) -> TextClause:
    updates = [
        f"{kind}_moved AS (UPDATE {kind} SET issues_modified_before = issues_modified,"
        f" issues_modified = {_next_stamp('issues_modified')}"
        f" WHERE id IN ({ISSUE_LIST_QUERIES[kind].replace(':ids', id_array('ids'))}"
        f" UNION SELECT unnest({id_array(kind)})))"
        for kind in kinds
    ]
    return text(f"WITH {', '.join(updates)} SELECT 1")


def refresh_issue_ratings(session: Session, issues: set[int]) -> None:
    """Compute number and sum of the ratings of issues, and add the differences to their series.

    Moves `rated` of both. Ratings given before the publication of an issue are excluded until
    `library.ratings.count_due` includes them. A separate statement locks the rows first, so that the next one
    sees ratings that others have committed.
    """
    chosen = {"ids": list(issues)}
    session.execute(
        text(
            "SELECT 1 FROM issue i JOIN series s ON s.id = i.series_id WHERE i.id = ANY(:ids)"
            " ORDER BY s.id, i.id FOR NO KEY UPDATE OF s, i"
        ),
        chosen,
    )
    session.execute(text(_COUNT_STARS), chosen)


_COUNT_STARS = f"""
WITH found AS (
    SELECT i.id, i.series_id, count(r.id) AS number, coalesce(sum(r.rating), 0) AS total,
        count(r.id) - i.rating_count AS more, coalesce(sum(r.rating), 0) - i.rating_sum AS greater
    FROM issue i LEFT JOIN issue_rating r ON r.issue_id = i.id AND r.counted
    WHERE i.id = ANY(:ids) GROUP BY i.id
), counted AS (
    UPDATE issue t SET rating_count = f.number, rating_sum = f.total, rated_before = t.rated,
        rated = {_next_stamp("t.rated", "t.modified")}
    FROM found f WHERE t.id = f.id
)
UPDATE series t SET rating_count = t.rating_count + f.more, rating_sum = t.rating_sum + f.greater,
    rated_before = t.rated, rated = {_next_stamp("t.rated", "t.modified")}
FROM (SELECT series_id, sum(more) AS more, sum(greater) AS greater FROM found GROUP BY series_id) f
WHERE t.id = f.series_id
"""


def refresh_series_ratings(session: Session, series: set[int]) -> None:
    """Compute the rating figures of series from those of their issues, and move their `rated`."""
    chosen = {"ids": list(series)}
    session.execute(text("SELECT 1 FROM series WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"), chosen)
    session.execute(
        text(
            "UPDATE series t SET rating_count = f.number, rating_sum = f.total, rated_before = t.rated,"
            f" rated = {_next_stamp('t.rated', 't.modified')}"
            " FROM (SELECT s.id, coalesce(sum(i.rating_count), 0) AS number,"
            " coalesce(sum(i.rating_sum), 0) AS total"
            " FROM series s LEFT JOIN issue i ON i.series_id = s.id AND i.rating_count > 0"
            " WHERE s.id = ANY(:ids) GROUP BY s.id) f WHERE t.id = f.id"
        ),
        chosen,
    )
