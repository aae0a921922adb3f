"""A check of the stored order of issues."""

from sqlalchemy import Connection, text

_STORED = text("SELECT id, series_order FROM issue")
_REORDER = text("SELECT order_issues(array_agg(id)) FROM series")


def misplaced_issues(connection: Connection) -> set[int]:
    """The ids of issues whose stored place is not the one that all issues of their series give."""
    stored = set(map(tuple, connection.execute(_STORED)))
    savepoint = connection.begin_nested()
    connection.execute(_REORDER)
    counted = set(map(tuple, connection.execute(_STORED)))
    savepoint.rollback()
    return {issue for issue, _place in stored ^ counted}
