"""The library's part of a member's home page: what to read next, gaps, final order dates, and changes.

Each part is a statement that selects issues in its own order; one statement runs all of them, another loads
the issues. Parts that depend on reads or additions only consider the latest rows, so the cost does not grow
with the library.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import select, text
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.models import Issue, Series

SHOWN = 6  # issues per part
LATEST_ROWS = 300  # latest reads, or latest items of the collection, that determine the current series
SERIES_MAX = 30
ORDER_DAYS = CHANGED_DAYS = 14
PARTS = ("series", "lists", "gaps", "orders", "changes")


@dataclass(frozen=True)
class Entry:
    """An issue of a part; `list_name` and `list_slug` are those of the reading list in which it is next."""

    issue: Issue
    list_name: str | None
    list_slug: str | None


def next_up(session: Session, user_id: int, today: date) -> dict[str, list[Entry]]:
    """The entries of each part, by its name in PARTS; two statements."""
    values = {
        "user": user_id,
        "today": today,
        "orders_until": today + timedelta(days=ORDER_DAYS),
        "changed_since": today - timedelta(days=CHANGED_DAYS),
        "latest": LATEST_ROWS,
        "series": SERIES_MAX,
        "shown": SHOWN,
    }
    rows = session.execute(_ALL, values).all()
    loaded = (
        select(Issue)
        .join(Issue.series)
        .where(Issue.id.in_({row.issue_id for row in rows}))
        .options(
            contains_eager(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
    )
    issues = {each.id: each for each in session.scalars(loaded)} if rows else {}
    found = {part: [] for part in PARTS}
    for row in rows:
        if row.issue_id in issues:
            found[row.part].append(Entry(issues[row.issue_id], row.list_name, row.list_slug))
    return found


_PULLED = """
    SELECT s.series_id FROM pull_list_series s JOIN pull_list p ON p.id = s.pull_list_id
    WHERE p.user_id = :user"""
_READ = "EXISTS (SELECT FROM read_date d WHERE d.user_id = :user AND d.issue_id = i.id)"
# The order of issues within their series, as one value.
_PLACE = "(i.series_order, i.id)"
_RELEASED = "coalesce(i.store_date, i.cover_date) <= :today"

# The first issue after the furthest read one, in the most recently read series.
_SERIES = f"""
    SELECT next.id AS issue_id, NULL::text AS list_name, NULL::text AS list_slug,
        row_number() OVER (ORDER BY recent.at DESC, recent.series_id) AS place
    FROM (
        SELECT r.series_id, max(r.at) AS at FROM (
            (SELECT i.series_id, d.read_on AS at FROM read_date d JOIN issue i ON i.id = d.issue_id
            WHERE d.user_id = :user AND d.read_on IS NOT NULL
            ORDER BY d.read_on DESC, d.id DESC LIMIT :latest)
            UNION ALL
            (SELECT i.series_id, d.created_on FROM read_date d JOIN issue i ON i.id = d.issue_id
            WHERE d.user_id = :user AND d.read_on IS NULL ORDER BY d.id DESC LIMIT :latest)
        ) r GROUP BY r.series_id ORDER BY at DESC, r.series_id LIMIT :series
    ) recent
    CROSS JOIN LATERAL (
        SELECT i.series_order, i.id FROM issue i
        WHERE i.series_id = recent.series_id AND {_READ} ORDER BY {_PLACE} DESC LIMIT 1
    ) furthest
    CROSS JOIN LATERAL (
        SELECT i.id FROM issue i
        WHERE i.series_id = recent.series_id AND {_RELEASED}
            AND {_PLACE} > (furthest.series_order, furthest.id)
        ORDER BY {_PLACE} LIMIT 1
    ) next"""

# The first issue after the furthest read one, in the reader's own reading lists.
_LISTS = """
    SELECT next.issue_id, l.name AS list_name, l.slug AS list_slug,
        row_number() OVER (ORDER BY under_way.at DESC, l.id) AS place
    FROM (
        SELECT m.reading_list_id, max(m."order") AS furthest, max(coalesce(d.read_on, d.created_on)) AS at
        FROM reading_list_item m JOIN reading_list o ON o.id = m.reading_list_id AND o.user_id = :user
        JOIN read_date d ON d.user_id = :user AND d.issue_id = m.issue_id
        GROUP BY m.reading_list_id
    ) under_way
    JOIN reading_list l ON l.id = under_way.reading_list_id
    JOIN LATERAL (
        SELECT m.issue_id FROM reading_list_item m
        WHERE m.reading_list_id = l.id AND m."order" > under_way.furthest ORDER BY m."order" LIMIT 1
    ) next ON true"""

# One or two missing issues between owned ones, in the series to which issues were added last.
_GAPS = f"""
    SELECT run.id AS issue_id, NULL::text AS list_name, NULL::text AS list_slug,
        row_number() OVER (ORDER BY run.at DESC, run.series_id, run.place) AS place
    FROM (
        SELECT owned.*, count(*) OVER (PARTITION BY owned.series_id, owned.before) AS length
        FROM (
            SELECT i.id, i.series_id, recent.at, mine.owned,
                row_number() OVER (PARTITION BY i.series_id ORDER BY {_PLACE}) AS place,
                count(*) FILTER (WHERE mine.owned)
                    OVER (PARTITION BY i.series_id ORDER BY {_PLACE}) AS before,
                count(*) FILTER (WHERE mine.owned) OVER (PARTITION BY i.series_id) AS total
            FROM (
                SELECT i.series_id, max(c.id) AS at FROM (
                    SELECT id, issue_id FROM collection_item
                    WHERE user_id = :user ORDER BY id DESC LIMIT :latest
                ) c JOIN issue i ON i.id = c.issue_id
                GROUP BY i.series_id ORDER BY at DESC LIMIT :series
            ) recent
            JOIN issue i ON i.series_id = recent.series_id AND {_RELEASED}
            CROSS JOIN LATERAL (SELECT EXISTS
                (SELECT FROM collection_item c WHERE c.user_id = :user AND c.issue_id = i.id) AS owned
            ) mine
        ) owned
    ) run
    -- The owned issue before a gap counts too.
    WHERE NOT run.owned AND run.before > 0 AND run.before < run.total AND run.length <= 3"""

_ORDERS = f"""
    SELECT i.id AS issue_id, NULL::text AS list_name, NULL::text AS list_slug,
        row_number() OVER (ORDER BY i.foc_date, i.id) AS place
    FROM issue i
    WHERE i.series_id IN ({_PULLED} AND s.pulled <> 'NONE')
        AND i.foc_date BETWEEN :today AND :orders_until"""

_CHANGES = f"""
    SELECT i.id AS issue_id, NULL::text AS list_name, NULL::text AS list_slug,
        row_number() OVER (ORDER BY i.modified DESC, i.id DESC) AS place
    FROM issue i WHERE i.series_id IN ({_PULLED}) AND i.modified >= :changed_since"""

_SELECTS = dict(zip(PARTS, (_SERIES, _LISTS, _GAPS, _ORDERS, _CHANGES), strict=True))
_ALL = text(
    " UNION ALL ".join(
        f"SELECT '{part}' AS part, place, issue_id, list_name, list_slug FROM ({rows}) {part}"
        " WHERE place <= :shown"
        for part, rows in _SELECTS.items()
    )
    + " ORDER BY part, place"
)
