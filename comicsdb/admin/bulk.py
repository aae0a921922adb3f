"""What the staff does to many objects at once, each act with one line in the log that names them all."""

from collections.abc import Iterable

from comicsdb.admin.audit_log import Actor, record
from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance import bulk
from comicsdb.catalog.maintenance.bulk import Executives, Outcome
from comicsdb.i18n import ngettext
from comicsdb.models import Issue, Series


def rate_teen(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Rate issues Teen that are rated Unknown; see `catalog.bulk.set_teen`."""
    return _recorded(catalog, actor, Issue, "rate teen", bulk.set_teen(catalog, ids))


def remove_covers(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Take covers away; see `catalog.bulk.remove_covers`."""
    return _recorded(catalog, actor, Issue, "remove covers", bulk.remove_covers(catalog, ids))


def add_executives(catalog: Catalog, actor: Actor, ids: Iterable[int], executives: Executives) -> Outcome:
    """Add the standing credits of publishers; see `catalog.bulk.add_executives`."""
    outcome = bulk.add_executives(catalog, ids, executives)
    return _recorded(catalog, actor, Issue, "add executives", outcome)


def take_from_reprints(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Take contents over from reprinted issues; see `catalog.bulk.take_from_reprints`."""
    return _recorded(catalog, actor, Issue, "take from reprints", bulk.take_from_reprints(catalog, ids))


def rebuild_many_slugs(catalog: Catalog, actor: Actor, ids: Iterable[int]) -> Outcome:
    """Make the slugs of the issues of series anew; see `catalog.bulk.rebuild_slugs`."""
    return _recorded(catalog, actor, Series, "rebuild slugs", bulk.rebuild_slugs(catalog, ids))


def delete_objects(catalog: Catalog, actor: Actor, model, ids: Iterable[int], reason: str = "") -> Outcome:
    """Delete objects of one kind; see `catalog.bulk.delete`."""
    return _recorded(catalog, actor, model, "delete", bulk.delete(catalog, model, ids, reason), reason)


def _recorded(catalog: Catalog, actor: Actor, model, action: str, done: Outcome, reason: str = "") -> Outcome:
    """The outcome, with a line of the log if anything was done."""
    if done.changed:
        change = {"objects": ["", list(done.changed)]} | ({"reason": ["", reason]} if reason else {})
        target = str(ngettext("${n} object", "${n} objects", len(done.changed)))
        record(catalog.session, actor, action, model.__tablename__, None, target, change)
    return done
