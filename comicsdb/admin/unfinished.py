"""Finishing merges and deletions in pieces that a crash interrupted."""

import logging
from datetime import timedelta

from sqlalchemy.orm import sessionmaker

from comicsdb.admin import catalogue
from comicsdb.catalog import (
    Catalog,
    ConflictError,
    GoneError,
    InvalidError,
    MovedError,
    NotFoundError,
    late_stamps,
)
from comicsdb.catalog.maintenance import pieces
from comicsdb.models import UnfinishedAct, User

log = logging.getLogger(__name__)

IDLE = timedelta(minutes=5)  # for which nobody has worked at an act that was interrupted
IMPOSSIBLE = (ConflictError, GoneError, InvalidError, MovedError, NotFoundError)


def resume(factory: sessionmaker, media=None, *, idle: timedelta = IDLE) -> int:
    """Finish what was interrupted, for who began it; returns how many merges and deletions.

    What has become impossible is logged and not tried again.
    """
    with factory() as session:
        acts = pieces.interrupted(session, idle)
        session.expunge_all()
    for act in acts:
        with factory() as session:
            if media is not None:
                session.info["media"] = media
            try:
                _finish(session, act)
            except IMPOSSIBLE as error:
                session.rollback()
                pieces.forget(session, act.kind, act.object_id)
                log.warning("The %s %d cannot be merged or deleted: %s", act.kind, act.object_id, error)
            session.commit()
    late_stamps.resume(factory, idle)
    return len(acts)


def _finish(session, act: UnfinishedAct) -> None:
    actor = session.get(User, act.user_id) if act.user_id is not None else None
    catalog = Catalog(session, act.user_id, actor_name=actor.username if actor is not None else "")
    entity = catalogue.find(catalog, act.kind, act.object_id)
    if act.survivor_id is not None:
        canonical = catalogue.find(catalog, act.kind, act.survivor_id)
        catalogue.merge_objects(catalog, actor, canonical, entity, act.reason)
    elif act.audited:
        catalogue.delete_object(catalog, actor, entity, act.reason)
    else:
        pieces.delete_below(catalog, entity, act.reason)
        catalog.delete(entity, act.reason)
