"""The objects that a reader of the change feed has to read again, with their states, in one statement.

Besides those in log lines, these are objects that changed without one (`models.TouchedObject`). A position in
their rows is `XID` or `XID.ID`: a transaction number, and the last row of that transaction that was read.
"""

import re
from typing import NamedTuple

from sqlalchemy import CTE, BigInteger, Select, bindparam, column, literal_column, select, text

from comicsdb.catalog.public_tables import PUBLIC_KINDS, states_query
from comicsdb.models.base import BIG_MAX

POSITION = re.compile(r"(\d{1,19})(?:\.(\d{1,19}))?", re.ASCII)
OBJECTS_MAX = 1000
# Transactions below this number have ended, so their rows are complete.
OLDEST_RUNNING_XID = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"


class Position(NamedTuple):
    """A transaction number, and the last row of the transaction that was read."""

    xid: int
    row: int

    @classmethod
    def of(cls, value: str) -> "Position | None":
        """Parse a position; returns None if the text is invalid."""
        found = POSITION.fullmatch(value)
        numbers = [int(each or 0) for each in found.groups()] if found else [BIG_MAX + 1]
        return cls(*numbers) if max(numbers) <= BIG_MAX else None


def select_objects(lines: CTE, position: Position | None, kind: str | None) -> Select:
    """Select the states of all objects in log lines or touched after a position, each once.

    `lines` has kind, object_id and survivor_id. The columns are the list as JSON text, the next position, and
    whether more objects were touched than the list has. Without a position, the list has only the objects of
    the lines, and the next position is the current one.
    """
    named = text(
        f"SELECT kind, object_id FROM {lines.name} UNION SELECT kind, survivor_id FROM {lines.name}"
        " WHERE survivor_id IS NOT NULL"
    )
    touched = text(
        "SELECT xid, id, kind, ids, sum(cardinality(ids)) OVER (ORDER BY xid, id) AS total FROM ("
        " SELECT * FROM touched_object WHERE (xid, id) > (:touched_xid, :touched_row)"
        f" AND xid < {OLDEST_RUNNING_XID} AND kind = ANY(:touched_kinds) ORDER BY xid, id"
        f" LIMIT {OBJECTS_MAX + 1}) later"
    ).bindparams(
        bindparam("touched_xid", position.xid if position else BIG_MAX, BigInteger),
        bindparam("touched_row", position.row if position else BIG_MAX, BigInteger),
        bindparam("touched_kinds", [kind] if kind else list(PUBLIC_KINDS)),
    )
    chosen = text(f"SELECT * FROM touched WHERE total <= {OBJECTS_MAX} - (SELECT count(*) FROM named)")
    wanted = text("SELECT kind, object_id FROM named UNION SELECT kind, unnest(ids) FROM chosen")
    states = " UNION ALL ".join(
        f"SELECT '{each}' AS kind, id, state FROM ("
        + states_query(each, f"unnest(ARRAY(SELECT object_id FROM wanted WHERE kind = '{each}'))")
        + ") found"
        for each in PUBLIC_KINDS
    )
    last = "SELECT xid || '.' || id FROM chosen ORDER BY xid DESC, id DESC LIMIT 1"
    left = "(SELECT count(*) FROM touched) > (SELECT count(*) FROM chosen)"
    kept = f"{position.xid}.{position.row}" if position else ""
    return select(
        literal_column(f"(SELECT coalesce(json_agg(s ORDER BY kind, id), '[]')::text FROM ({states}) s)"),
        literal_column(
            f"CASE WHEN {left} THEN coalesce(({last}), '{kept}') ELSE ({OLDEST_RUNNING_XID})::text END"
        ),
        literal_column(left),
    ).add_cte(
        lines,
        *(
            each.columns(column("kind")).cte(name)
            for name, each in (("named", named), ("touched", touched), ("chosen", chosen), ("wanted", wanted))
        ),
    )
