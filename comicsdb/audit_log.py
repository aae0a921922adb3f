"""The audit log: one entry for each action of staff, with actor, target and change."""

import logging
from collections.abc import Mapping
from datetime import date

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.log_lines import printable
from comicsdb.models import StaffAction, User
from comicsdb.security import Identity

log = logging.getLogger(__name__)

BLANK_VALUES = (None, "", {})
Actor = User | Identity | None  # None for the command line


def record(
    session: Session,
    actor: Actor,
    action: str,
    kind: str,
    target_id: int | None,
    target: str,
    change: Mapping | None = None,
) -> None:
    """Write an entry; `change` maps field names to their old and new values."""
    name = actor.username if actor is not None else ""
    session.add(
        StaffAction(
            at=clock.now(),
            actor_id=actor_id_of(actor),
            actor_name=name,
            action=action,
            kind=kind,
            target_id=target_id,
            target=target[:255],
            change=dict(change or {}),
        )
    )
    log.info("%s did: %s %s %s", name or "A command", action, kind, printable(target))


def actor_id_of(actor: Actor) -> int | None:
    """The account id of an actor; None for commands."""
    return actor.user_id if isinstance(actor, Identity) else actor.id if actor is not None else None


def actions(*, kind: str | None = None, target_id: int | None = None) -> Select[tuple[StaffAction]]:
    """The entries, newest first, optionally about one target."""
    lines = select(StaffAction).order_by(StaffAction.at.desc(), StaffAction.id.desc())
    if kind is not None:
        lines = lines.where(StaffAction.kind == kind)
    if target_id is not None:
        lines = lines.where(StaffAction.target_id == target_id)
    return lines


def changes(before: Mapping, after: Mapping) -> dict[str, list]:
    """Old and new values of the fields that differ, as JSON values.

    Pass an empty mapping as `before` for a creation, as `after` for a deletion. Fields that were and remain
    blank are left out.
    """
    pairs = {field: (before.get(field), after.get(field)) for field in {**before, **after}}
    return {
        field: [_plain(old), _plain(new)]
        for field, (old, new) in pairs.items()
        if old != new and not (old in BLANK_VALUES and new in BLANK_VALUES)
    }


def _plain(value):
    """A value in a form that JSON can represent."""
    return value.isoformat() if isinstance(value, date) else value
