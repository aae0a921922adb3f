"""Postponed acts on many objects, run after the request or command that requested them.

`catalog.maintenance.pieces` stores the notes that describe them. One process at a time runs these acts, one
after the other, in transactions that each hold the writers' lock for a fraction of a second. Each piece
removes its objects from the note in its own transaction, so nothing is lost if a process is killed: the next
one continues where it stopped. The last transaction writes the entry in the audit log, and removes the note.
"""

import logging
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import Engine, delete, exists, func, or_, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from comicsdb.admin import catalog_objects
from comicsdb.catalog import Catalog, CatalogError, late_stamps, rules
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import bulk, pieces, repair_slugs
from comicsdb.catalog.maintenance.merge import preview_merge, raise_problems
from comicsdb.db import make_engine, session_factory
from comicsdb.media.storage import Storage
from comicsdb.models import LateStamps, UnfinishedAct, User
from comicsdb.ops import jobs
from comicsdb.ops.worker import Worker, add_worker

log = logging.getLogger(__name__)

IDLE = timedelta(minutes=5)  # time after which recorded stamps are those of a process that was killed
PAUSE = 2.0  # seconds between checks for acts


def has_unfinished(session: Session) -> bool:
    """Whether there are acts to run, or stamps that a killed process did not update."""
    interrupted = exists().where(LateStamps.at < func.now() - IDLE)
    return session.scalar(select(or_(exists().where(UnfinishedAct.id > 0), interrupted)))


def run_unfinished(factory: sessionmaker, media=None, *, idle: timedelta = IDLE) -> dict[int, dict]:
    """Run all noted acts on behalf of the users who requested them; returns the results by note.

    Acts that have become impossible are logged and removed; failed ones are retried at the next call. Raises
    `jobs.AlreadyRunningError` if another process is running acts.
    """
    done = {}
    with jobs.job_lock(factory.kw["bind"], jobs.ACTS), factory() as session:
        if media is not None:
            session.info["media"] = media  # deletes pictures after a commit
        for note in _notes(session):
            try:
                done[note.id] = _finish(session, note)
            except CatalogError as error:
                session.rollback()
                _remove(session, note)
                session.commit()
                log.warning("Given up: %s of %s %s: %s", note.act, note.kind, note.ids[:5], error)
            except SQLAlchemyError:
                session.rollback()
                log.exception("To be tried again: %s of %s %s", note.act, note.kind, note.ids[:5])
        late_stamps.resume_interrupted(factory, idle)
    return done


def _notes(session: Session) -> list[UnfinishedAct]:
    notes = list(session.scalars(select(UnfinishedAct).order_by(UnfinishedAct.id)))
    session.expunge_all()
    session.rollback()
    return notes


def _remove(session: Session, note: UnfinishedAct) -> None:
    session.execute(delete(UnfinishedAct).where(UnfinishedAct.id == note.id))


def _finish(session: Session, note: UnfinishedAct) -> dict:
    """Run an act, and commit."""
    actor = session.get(User, note.user_id) if note.user_id is not None else None
    name = actor.username if actor is not None else ""
    catalog = Catalog(session, note.user_id, note.reason or None, actor_name=name)
    if note.act == "merge":
        _merge(catalog, actor, note)
        result = {note.kind: 1}
    else:
        if note.act == "delete":
            pieces.delete_dependents(catalog, note.kind, set(note.ids), note.reason)
        result = _write(catalog, note)
        entry = note.arguments.get("entry")
        if entry is not None and any(result.values()):
            of = note.arguments.get("of", note.kind)
            catalog_objects.write_entry(session, actor, of, entry, result)
    _remove(session, note)
    session.commit()
    return result


def _merge(catalog: Catalog, actor: User | None, note: UnfinishedAct) -> None:
    """Merge two objects; leaves the transaction open."""
    (other_id,), kept_id = note.ids, note.arguments["survivor"]

    def found():
        return [catalog_objects.find(catalog, note.kind, each) for each in (kept_id, other_id)]

    raise_problems(preview_merge(catalog.session, *found()).problems)
    pieces.move_dependents(catalog, note.kind, kept_id, other_id, note.reason)
    catalog.session.expunge_all()
    catalog_objects.merge_now(catalog, actor, *found(), note.reason)


def _write(catalog: Catalog, note: UnfinishedAct) -> dict:
    """Process all objects of a note, in pieces; the result includes pieces done before an interruption."""
    act, result = ACTS[note.act], dict(note.result)

    def write(own: Catalog, ids: set[int]) -> None:
        own.unit.acquire_write_lock()
        there = sorted(rules.existing_ids(own.session, KINDS[note.kind].model, ids, lock=False))
        found = act(own, there, note) if there else {}
        together = {name: _merged_result(result.get(name), value) for name, value in found.items()}
        own.session.execute(
            update(UnfinishedAct)
            .where(UnfinishedAct.id == note.id)
            .values(ids=text(f"ids[{len(ids) + 1}:]"), result=result | together)
        )
        result.update(together)

    pieces.in_pieces(catalog, note.ids, write, note.reason)
    return result


def _merged_result(before: int | list[int] | None, more: int | list[int]) -> int | list[int]:
    """The sum of two numbers, or the sorted union of two lists of ids."""
    return sorted({*(before or ()), *more}) if isinstance(more, list) else (before or 0) + more


def _delete(catalog: Catalog, ids: list[int], note: UnfinishedAct) -> dict:
    return {"objects": list(bulk.delete(catalog, ids, note.kind, note.reason).changed)}


def _rebuild_slugs(catalog: Catalog, ids: list[int], _note: UnfinishedAct) -> dict:
    return {"slugs": len(repair_slugs.rebuild_issue_slugs(catalog, ids))}


def _bulk(catalog: Catalog, ids: list[int], note: UnfinishedAct) -> dict:
    done = catalog_objects.BULK_ACTS[note.act](catalog, ids, **note.arguments["values"])
    return {"objects": list(done.changed)}


def _repair(catalog: Catalog, ids: list[int], note: UnfinishedAct) -> dict:
    return catalog_objects.REPAIRS[note.act](catalog, ids, **note.arguments["values"])


# The function that processes one piece of each act; it returns results by name.
ACTS: dict[str, Callable[[Catalog, list[int], UnfinishedAct], dict]] = {
    "delete": _delete,
    "repair slugs": _rebuild_slugs,
    **dict.fromkeys(catalog_objects.BULK_ACTS, _bulk),
    **dict.fromkeys(catalog_objects.REPAIRS, _repair),
}


class ActWorker(Worker):
    """A worker that checks for acts every few seconds; each process has one."""

    def __init__(self, engine: Engine, settings: dict, media: Storage):
        super().__init__("acts")
        self._factory = sessionmaker(engine)
        self._settings = settings
        self._media = media

    def work(self) -> float:
        """Run all noted acts; returns the seconds until the next check."""
        with self._factory() as session:
            left = has_unfinished(session)
        if left:
            engine = make_engine(self._settings)  # without the time limits of requests
            try:
                run_unfinished(session_factory(engine), self._media)
            except jobs.AlreadyRunningError:
                pass
            finally:
                engine.dispose()
        return PAUSE


def includeme(config):
    """Start the thread that runs acts, if the settings ask for one."""
    add_worker(
        config,
        "comicsdb.acts.worker",
        lambda registry: ActWorker(
            registry["comicsdb.engine"], registry.settings, registry["comicsdb.media"]
        ),
    )
