"""Writes history, change log, list versions and epoch, just before a commit."""

from functools import lru_cache

from sqlalchemy import String, TextClause, literal_column, text
from sqlalchemy.orm import Session

from comicsdb.catalog.history.snapshots import snapshot_expression
from comicsdb.catalog.kinds import KINDS
from comicsdb.db.arrays import id_array
from comicsdb.models.record import CHANGED, CREATED

# The epoch of the log: sequence numbers are valid within one epoch only, so clients of the log compare it.
# `restore` creates a new one, and so does any other way to copy or restore a database, as table, database,
# cluster or timeline then differ. Only a cold copy of the server's files keeps it.
EPOCH = literal_column(
    "(SELECT md5(concat_ws('/', epoch.installation, epoch.tableoid,"
    " (SELECT oid FROM pg_database WHERE datname = current_database()),"
    " (SELECT system_identifier FROM pg_control_system()),"
    " (SELECT timeline_id FROM pg_control_checkpoint()))) FROM epoch WHERE id = 1)",
    String,
)


BATCH_SIZE = 2000  # objects of a kind per statement
NO_ROWS = """
    SELECT CAST(NULL AS varchar) AS kind, 0 AS place, 0 AS id, false AS created, CAST(NULL AS jsonb) AS state
    WHERE false
"""


@lru_cache(200)
def _statement(kinds: tuple[str, ...]) -> TextClause:
    """The statement for rows of these kinds; the parameters `<kind>` and `<kind>_created` are ids."""
    states = [
        f"SELECT '{kind}', {place}, t.id, t.id = ANY({id_array(f'{kind}_created')}),"
        f" {snapshot_expression(kind)} FROM {kind} t WHERE t.id = ANY({id_array(kind)})"
        for place, kind in enumerate(kinds)
    ]
    return text(f"""
WITH now AS MATERIALIZED ({" UNION ALL ".join((NO_ROWS, *states))}
), compared AS (
    SELECT now.*, last.snapshot IS NULL AS first, ARRAY(
        SELECT each.key::varchar FROM jsonb_each(now.state) each
        WHERE last.snapshot IS NOT NULL
        AND coalesce(last.snapshot -> each.key, '[]') IS DISTINCT FROM each.value
        ORDER BY each.key
    ) AS fields
    FROM now LEFT JOIN LATERAL (
        SELECT snapshot FROM history WHERE kind = now.kind AND object_id = now.id ORDER BY id DESC LIMIT 1
    ) last ON true
), changed AS MATERIALIZED (
    SELECT * FROM compared WHERE first OR cardinality(fields) > 0
), written AS (
    INSERT INTO history (kind, object_id, type, user_id, reason, snapshot)
    SELECT kind, id, CASE WHEN created THEN '{CREATED}' ELSE '{CHANGED}' END,
        CAST(:actor AS integer), CAST(:reason AS varchar), state
    FROM changed ORDER BY place, id
), lines AS (
    INSERT INTO change_log (user_id, kind, object_id, action, fields, survivor_id)
    SELECT CAST(:actor AS integer), kind, object_id, action, fields, survivor_id FROM (
        SELECT place, id AS number, kind, id AS object_id,
            CASE WHEN created THEN 'create' ELSE 'update' END AS action, fields, NULL AS survivor_id
        FROM changed
        UNION ALL
        SELECT {len(kinds)}, number, kind, object_id, action, '{{}}', (
            SELECT survivor_id FROM tombstone WHERE gone.action = 'merge'
            AND tombstone.kind = gone.kind AND tombstone.object_id = gone.object_id
        ) FROM unnest(CAST(:gone_kinds AS varchar[]), CAST(:gone_ids AS integer[]),
            CAST(:gone_actions AS varchar[]))
            WITH ORDINALITY AS gone (kind, object_id, action, number)
    ) line ORDER BY place, number
), versions AS (
    INSERT INTO version (kind) SELECT unnest(CAST(:outdated AS varchar[]))
    ON CONFLICT (kind) DO UPDATE SET value = version.value + 1
), moved AS MATERIALIZED (
    SELECT begin_epoch() WHERE CAST(:figures AS boolean) OR EXISTS (SELECT FROM changed)
    OR CAST(:gone_ids AS integer[]) <> '{{}}' OR CAST(:outdated AS varchar[]) <> '{{}}'
)
SELECT FROM moved
""")


def append(session: Session, changes, actor_id: int | None, reason: str | None) -> None:
    """Write history and log for the recorded changes of a transaction, and advance versions and epoch.

    Each object whose state differs from its last snapshot gets a history row, and a log line with the fields
    that differ; parts that were introduced after a snapshot was written count as empty in it. Deleted objects
    get a log line. If nothing differs, the epoch does not change.

    The caller holds the writers' lock (`UnitOfWork.acquire_write_lock`) until the transaction ends. Sequence
    numbers are therefore in commit order, and no smaller number appears after a greater one was visible.
    """
    actions, affected = changes.actions, changes.affected
    chosen = {kind: sorted({*actions.get(kind, ()), *affected.get(kind, ())}) for kind in KINDS}
    longest = max(map(len, chosen.values()))
    for start in range(0, max(longest, 1), BATCH_SIZE):
        batch = {kind: ids[start : start + BATCH_SIZE] for kind, ids in chosen.items() if ids[start:]}
        created = {
            f"{kind}_created": [each for each in ids if actions[kind].get(each) == "create"]
            for kind, ids in batch.items()
        }
        is_last = start + BATCH_SIZE >= longest
        deleted = changes.deleted if is_last else []
        session.execute(
            _statement(tuple(batch)),
            {
                **batch,
                **created,
                "actor": actor_id,
                "reason": reason,
                "gone_kinds": [kind for kind, _, _ in deleted],
                "gone_ids": [object_id for _, object_id, _ in deleted],
                "gone_actions": [action for _, _, action in deleted],
                "outdated": sorted(changes.outdated) if is_last else [],
                "figures": changes.figures_changed,
            },
        )
