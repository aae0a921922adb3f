"""Snapshots of an object's whole state; history stores one after each transaction that changed the object."""

from datetime import date
from decimal import Decimal
from functools import cache

from sqlalchemy import Date, Numeric, text
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS, Kind, Link
from comicsdb.models.attribution import OWNERS
from comicsdb.models.record import DELETED

_CREDITS = """(SELECT coalesce(jsonb_agg(jsonb_build_object('creator', c.creator_id, 'roles', (
    SELECT coalesce(jsonb_agg(r.role_id ORDER BY r.role_id), '[]') FROM credit_role r WHERE r.credit_id = c.id
)) ORDER BY c.creator_id), '[]') FROM credit c WHERE c.issue_id = t.id)"""
_VARIANTS = """(SELECT coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'name', v.name, 'price', v.price,
    'currency', v.currency, 'sku', v.sku, 'upc', v.upc, 'image', v.image) ORDER BY v.id), '[]')
    FROM variant v WHERE v.issue_id = t.id)"""


def _linked(link: Link) -> str:
    return (
        f"(SELECT coalesce(jsonb_agg(x.{link.other} ORDER BY x.{link.other}), '[]')"
        f" FROM {link.table.name} x WHERE x.{link.own} = t.id)"
    )


def _attributions(kind: str) -> str:
    return (
        "(SELECT coalesce(jsonb_agg(jsonb_build_object('source', a.source, 'url', a.url) ORDER BY a.id),"
        f" '[]') FROM attribution a WHERE a.{kind}_id = t.id)"
    )


def _external_ids(kind: str) -> str:
    return (
        "(SELECT coalesce(jsonb_agg(jsonb_build_object('source', e.source, 'external_id', e.external_id,"
        " 'scope', e.scope) ORDER BY e.source, e.scope, e.external_id), '[]')"
        f" FROM external_id e WHERE e.{kind}_id = t.id)"
    )


@cache
def snapshot_expression(name: str) -> str:
    """The SQL expression for the snapshot of a kind; the table's alias is t.

    It omits stamps, rating figures and authors, which change without an edit.
    """
    kind: Kind = KINDS[name]
    parts = {"credits": _CREDITS, "variants": _VARIANTS}
    if name in OWNERS:
        parts["attributions"] = _attributions(name)
        parts["external_ids"] = _external_ids(name)
    pairs = [("slug", "t.slug")] if hasattr(kind.model, "slug") else []
    pairs += [(field, f't."{field}"') for field in kind.scalars]
    pairs += [(field, f"t.{field}_id") for field in kind.parents]
    pairs += [(link.field, _linked(link)) for link in kind.links]
    pairs += [(part, parts[part]) for part in kind.parts]
    return "jsonb_build_object(" + ", ".join(f"'{key}', {value}" for key, value in pairs) + ")"


def record_deletions(
    session: Session, to_delete: dict[str, set[int]], actor_id: int | None, reason: str | None
) -> None:
    """Write the last state of rows before their deletion to the history."""
    for kind, ids in to_delete.items():
        session.execute(
            text(
                "INSERT INTO history (kind, object_id, type, user_id, reason, snapshot)"
                f" SELECT :kind, t.id, '{DELETED}', :actor, :reason, {snapshot_expression(kind)}"
                f" FROM {kind} t WHERE t.id = ANY(:ids) ORDER BY t.id"
            ),
            {"kind": kind, "ids": list(ids), "actor": actor_id, "reason": reason},
        )


def current_snapshot(session: Session, kind: str, object_id: int) -> dict:
    """The current state of an object, as a snapshot."""
    statement = text(f"SELECT {snapshot_expression(kind)} FROM {kind} t WHERE t.id = :id")
    return session.scalar(statement, {"id": object_id})


def to_column_type(column, value):
    """Convert a value of a snapshot to the column's type, as JSON has neither dates nor decimals."""
    if value is None:
        return None
    if isinstance(column.type, Date):
        return date.fromisoformat(value)
    return Decimal(str(value)) if isinstance(column.type, Numeric) else value
