"""The change log and the versions of lists, written just before a commit."""

from dataclasses import dataclass

from sqlalchemy import String, literal_column, text
from sqlalchemy.orm import Session

# The epoch of the log: its numbers are valid within one epoch only, which clients of the log compare.
# `restore` creates a new one, and so does any other way to copy or restore a database, as table, database,
# cluster or timeline differ then. Only a cold copy of the server's files keeps it.
EPOCH = literal_column(
    "(SELECT md5(concat_ws('/', epoch.installation, epoch.tableoid,"
    " (SELECT oid FROM pg_database WHERE datname = current_database()),"
    " (SELECT system_identifier FROM pg_control_system()),"
    " (SELECT timeline_id FROM pg_control_checkpoint()))) FROM epoch WHERE id = 1)",
    String,
)


_APPEND = text("""
WITH lines AS (
    INSERT INTO change_log (user_id, kind, object_id, action, fields, survivor_id)
    SELECT :actor, kind, object_id, action, string_to_array(fields, ','),
        (SELECT survivor_id FROM tombstone WHERE line.action = 'merge'
        AND tombstone.kind = line.kind AND tombstone.object_id = line.object_id)
    FROM unnest(CAST(:kinds AS varchar[]), CAST(:ids AS integer[]),
        CAST(:actions AS varchar[]), CAST(:fields AS varchar[]))
        WITH ORDINALITY AS line (kind, object_id, action, fields, place) ORDER BY place
), versions AS (
    INSERT INTO version (kind) SELECT unnest(CAST(:outdated AS varchar[]))
    ON CONFLICT (kind) DO UPDATE SET value = version.value + 1
), moved AS MATERIALIZED (SELECT begin_epoch())
SELECT FROM moved
""")


@dataclass(frozen=True)
class Line:
    """A line to write: the object, the action, and the changed fields."""

    kind: str
    object_id: int
    action: str
    fields: tuple[str, ...] = ()


def append(session: Session, lines: list[Line], outdated: set[str], actor_id: int | None) -> None:
    """Append lines to the log, and advance the versions of outdated lists and the epoch.

    The caller holds the lock of all writers (`UnitOfWork.acquire_write_lock`) until the transaction ends. So
    sequence numbers grow in the order of commits, and no smaller number appears after a greater one was
    visible.
    """
    session.execute(
        _APPEND,
        {
            "actor": actor_id,
            "kinds": [line.kind for line in lines],
            "ids": [line.object_id for line in lines],
            "actions": [line.action for line in lines],
            "fields": [",".join(line.fields) for line in lines],
            "outdated": sorted(outdated),
        },
    )
