"""What the staff does to the catalogue as a whole: merges, moves and repairs, each with a line in the log."""

from comicsdb.admin.audit_log import Actor, record
from comicsdb.catalog import Catalog, NotFoundError
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import repair, repair_slugs
from comicsdb.catalog.maintenance.merge import Preview, merge
from comicsdb.catalog.maintenance.move import move_publisher
from comicsdb.catalog.references import labelled
from comicsdb.models import Imprint


def find(catalog: Catalog, kind: str, key: int | str):
    """The object with an id or a slug, ready to be named by its label.

    Raises NotFoundError, GoneError or MovedError.
    """
    model = KINDS[kind].model
    is_id = isinstance(key, int) or (key.isascii() and key.isdigit())
    found = catalog.get(model, int(key)) if is_id and len(str(key)) < 11 else catalog.by_slug(model, str(key))
    shown = catalog.session.scalar(labelled(model).where(model.id == found.id))
    if shown is None:
        raise NotFoundError(kind, key)
    return shown


def merge_objects(catalog: Catalog, actor: Actor, canonical, other, reason: str = "") -> Preview:
    """Merge two objects of one kind; see `catalog.merge.merge`."""
    kind, kept, gone = canonical.__tablename__, _named(canonical), _named(other)
    done = merge(catalog, canonical, other, reason)
    _record(catalog, actor, "merge", kind, (canonical.id, kept), merged=[gone, kept], reason=["", reason])
    return done


def move(
    catalog: Catalog, actor: Actor, publisher, parent, *, with_children: bool = False, reason: str = ""
) -> Imprint:
    """Make a publisher an imprint of another; see `catalog.move.move_publisher`."""
    target, below = (publisher.id, _named(publisher)), _named(parent)
    imprint = move_publisher(catalog, publisher, parent, with_children=with_children, reason=reason)
    became = f"{_named(imprint)}, {below}"
    _record(catalog, actor, "move", "publisher", target, imprint=["", became], reason=["", reason])
    return imprint


def fix_start_year(catalog: Catalog, actor: Actor, series, year: int) -> dict[str, tuple[str, str]]:
    """Correct the first year of a series, and its addresses; see `catalog.repair_slugs.fix_start_year`."""
    target, before = (series.id, _named(series)), series.year_began
    changed = repair_slugs.fix_start_year(catalog, series, year)
    _record(catalog, actor, "repair", "series", target, year_began=[before, year], slugs=["", len(changed)])
    return changed


def rebuild_slugs(catalog: Catalog, actor: Actor, series) -> dict[str, tuple[str, str]]:
    """Make the slugs of a series' issues anew; see `catalog.repair_slugs.rebuild_issue_slugs`."""
    target = (series.id, _named(series))
    changed = repair_slugs.rebuild_issue_slugs(catalog, series)
    _record(catalog, actor, "repair", "series", target, slugs=["", len(changed)])
    return changed


def copy_credits(catalog: Catalog, actor: Actor, source, targets) -> dict[int, int]:
    """Copy the credits of an issue to others; see `catalog.repair.copy_credits`."""
    target = (source.id, _named(source))
    copied = repair.copy_credits(catalog, source, targets)
    _record(
        catalog,
        actor,
        "repair",
        "issue",
        target,
        credits=["", [f"{n}: issue {i}" for i, n in copied.items()]],
    )
    return copied


def add_universe(catalog: Catalog, actor: Actor, series, universe, *, characters: bool) -> dict[str, int]:
    """Put the issues of a series into a universe; see `catalog.repair.add_universe`."""
    target, added_to = (series.id, _named(series)), _named(universe)
    added = repair.add_universe(catalog, series, universe, characters=characters)
    _record(catalog, actor, "repair", "series", target, universe=["", added_to], **_numbers(added))
    return added


def repair_anthology(
    catalog: Catalog, actor: Actor, series, *, roles: bool, descriptions: bool
) -> dict[str, int]:
    """Repair credits and descriptions of an old anthology; see `catalog.repair.repair_anthology`."""
    target = (series.id, _named(series))
    found = repair.repair_anthology(catalog, series, roles=roles, descriptions=descriptions)
    _record(catalog, actor, "repair", "series", target, **_numbers(found))
    return found


def _named(entity) -> str:
    return f"{entity.label} ({entity.id})"


def _numbers(found: dict[str, int]) -> dict[str, list]:
    return {name: ["", number] for name, number in found.items() if number}


def _record(
    catalog: Catalog, actor: Actor, action: str, kind: str, target: tuple[int, str], **change
) -> None:
    """A line of the log; what is empty before and after is left out."""
    said = {name: pair for name, pair in change.items() if any(pair)}
    record(catalog.session, actor, action, kind, *target, said)
