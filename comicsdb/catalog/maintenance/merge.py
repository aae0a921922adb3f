"""Merging: two objects of one kind that are the same thing become one.

The canonical object stays. It gets what it lacks from the other one, and all that points to the other is led
to it; the other's id and slug lead to it for ever.
"""

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from comicsdb.catalog import propagation, rules, uniqueness
from comicsdb.catalog.advice import advise
from comicsdb.catalog.deletion import bury, forget
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.kinds import KINDS, Kind, kind_of
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge_references import Effect
from comicsdb.catalog.service import Catalog, fit_reason
from comicsdb.i18n import Text, _
from comicsdb.library import merging
from comicsdb.models import Attribution, Series, Variant
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.choices import UNKNOWN_AGE_RATING_ID

OTHER_NAMES = {"publisher": "alt_names", "series": "alt_names", "creator": "alias", "character": "alias"}
NEVER_FILLED = {"number", "currency", "image", "image_width", "image_height", "cover_hash"}
NOTHING = (None, "", [])


@dataclass(frozen=True)
class Problem:
    """Why something cannot be done with two objects as they are, and the objects that are in the way."""

    text: Text
    objects: tuple = ()

    @property
    def told(self) -> Text:
        """The text with the names of the objects."""
        names = ", ".join(f"{each.label} ({each.id})" for each in self.objects)
        return _("${text} ${names}", mapping={"text": self.text, "names": names})


@dataclass(frozen=True)
class Preview:
    """What a merge will do.

    `filled` maps each field that the canonical object gets to its value, `names` are the other names it gets
    and `lost_names` those that do not fit. `dropped` counts what goes with the other object, by part:
    attributions, image. With `problems` nothing can be done.
    """

    canonical: object
    other: object
    filled: dict = field(default_factory=dict)
    names: tuple[str, ...] = ()
    lost_names: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def names_field(self) -> str | None:
        """The field that holds other names, if the kind has one."""
        return OTHER_NAMES.get(self.canonical.__tablename__)


def preview(session: Session, canonical, other) -> Preview:
    """What it would mean to merge `other` into `canonical`; nothing is changed.

    Raises InvalidError for two objects that are the same or of different kinds.
    """
    kind = _kind_of_both(canonical, other)
    names, lost_names = _names(kind, canonical, other)
    return Preview(
        canonical,
        other,
        filled=_filled(session, kind, canonical, other),
        names=names,
        lost_names=lost_names,
        effects=tuple(merge_references.effects(session, kind.name, canonical.id, other.id)),
        dropped=_dropped(session, kind, other),
        problems=tuple(_problems(session, kind, canonical, other)),
    )


def merge(catalog: Catalog, canonical, other, reason: str = "") -> Preview:
    """Merge `other` into `canonical`; returns what was done. The reason is kept in the history of both.

    Raises InvalidError, with what is in the way, or NotFoundError if one of them was deleted meanwhile.
    Nothing is committed here.
    """
    session, unit = catalog.session, catalog.unit
    kind = _kind_of_both(canonical, other)
    reason = fit_reason(reason.strip()) or unit.reason or f"Merged {kind.name} {other.id} into {canonical.id}"
    for entity in (canonical, other):
        catalog.lock(entity, against_references=True)
    planned = preview(session, canonical, other)
    if planned.problems:
        raise InvalidError({"__all__": [problem.told for problem in planned.problems]})
    doomed, unit.reason = {kind.name: {other.id}}, reason
    with catalog.attempt(kind):
        _foresee(catalog, kind, canonical, other)
        unit.before_deletion(doomed, "merge", reason)
        editor = catalog.actor_id or SYSTEM_USER_ID
        if kind.name == "issue":
            merging.unite(session, canonical.id, other.id)
        moved = merge_references.lead_over(session, kind.name, canonical.id, other.id, editor)
        if kind.name == "issue":
            merging.agree(session, canonical.id)
        _redirect(catalog, kind, canonical, other, reason)
        session.execute(delete(kind.model).where(kind.model.id == other.id))
        forget(session, doomed)
        unit.after_deletion(doomed)
        _notice(catalog, kind, canonical, moved)
        session.expire_all()  # rows were written past the session
        _fill(kind, canonical, planned, editor)
        session.flush()
    unit.propagate()
    unit.log_after_commit("merge", kind.name, other.id, f"{other.slug} into {canonical.id}")
    return planned


def _kind_of_both(canonical, other) -> Kind:
    kind = kind_of(type(canonical))
    if kind_of(type(other)) is not kind:
        raise InvalidError({"other": [_("Only two objects of one kind can be merged.")]})
    if not hasattr(kind.model, "slug"):
        raise InvalidError({"__all__": [_("Only objects with a page of their own can be merged.")]})
    if canonical.id == other.id:
        raise InvalidError({"other": [_("These are one and the same: choose another one.")]})
    return kind


# What the canonical object gets.


def _filled(session: Session, kind: Kind, canonical, other) -> dict:
    """The values of fields that are empty on the one side only, without those that rules would refuse."""
    wanted = _missing_values(kind, canonical, other)
    for conflict in uniqueness.conflicts(session, kind, canonical, wanted, besides=[other.id]):
        for name in set(conflict.fields) & set(wanted):  # a third object has it
            del wanted[name]
    while wanted:
        try:
            rules.check(session, kind, canonical, wanted)
        except InvalidError as refused:
            wanted = {name: value for name, value in wanted.items() if name not in refused.errors}
        else:
            break
    if kind.name == "creator":  # a life that cannot be is worse than one that is not known
        dates = {"birth": canonical.birth, "death": canonical.death}
        breaches = advise(session, kind.name, dates, wanted)
        wanted = {name: value for name, value in wanted.items() if name not in breaches}
    return wanted


def _missing_values(kind: Kind, canonical, other) -> dict:
    """What the other object has in fields in which the canonical one has nothing."""
    wanted = {}
    for name in sorted({*kind.scalars} - NEVER_FILLED - {OTHER_NAMES.get(kind.name)}):
        if getattr(canonical, name) in NOTHING and getattr(other, name) not in NOTHING:
            wanted[name] = getattr(other, name)
    if "price" in wanted:
        wanted["currency"] = other.currency
    if kind.name == "issue" and "desc" in wanted:  # a text comes with what it is
        mine, theirs = canonical.desc_is_solicitation, other.desc_is_solicitation
        wanted |= {"desc_is_solicitation": theirs} if mine != theirs else {}
    for name in kind.parents:
        mine, theirs = (getattr(each, f"{name}_id") for each in (canonical, other))
        unknown = UNKNOWN_AGE_RATING_ID if name == "rating" else None
        if mine == unknown != theirs:
            wanted[name] = theirs
    return wanted


def _names(kind: Kind, canonical, other) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The other names that the canonical object gets, and those that are too long for it."""
    column = OTHER_NAMES.get(kind.name)
    if column is None:
        return (), ()
    longest = kind.model.__table__.columns[column].type.item_type.length
    known = {each.casefold() for each in (canonical.name, *getattr(canonical, column))}
    found = []
    for each in (other.name, *getattr(other, column)):
        if each.casefold() not in known:
            known.add(each.casefold())
            found.append(each)
    return (
        tuple(each for each in found if len(each) <= longest),
        tuple(each for each in found if len(each) > longest),
    )


def _fill(kind: Kind, canonical, planned: Preview, editor: int) -> None:
    for name, value in planned.filled.items():
        setattr(canonical, f"{name}_id" if name in kind.parents else name, value)
    if planned.names:
        setattr(canonical, planned.names_field, [*getattr(canonical, planned.names_field), *planned.names])
    canonical.edited_by_id = editor


# What is lost, and what is in the way.


def _dropped(session: Session, kind: Kind, other) -> dict[str, int]:
    found = Counter()
    if kind.name in OWNERS:
        column = getattr(Attribution, f"{kind.name}_id")
        found["attributions"] = session.scalar(select(func.count()).where(column == other.id))
    if getattr(other, "image", ""):
        found["image"] = 1
    return dict(+found)


def _problems(session: Session, kind: Kind, canonical, other):
    pairs = merge_references.collisions(session, kind.name, canonical.id, other.id)
    for owned in dict.fromkeys(each for each, _here, _there in pairs):
        ids = [each for name, here, there in pairs if name == owned for each in (here, there)]
        yield Problem(
            _("Both have what must not be there twice. Merge or change these first:"),
            merge_references.objects(session, owned, ids),
        )
    if kind.name == "imprint" and canonical.publisher_id != other.publisher_id:
        ids = session.scalars(
            select(Series.id)
            .where(Series.imprint_id == other.id, Series.publisher_id != canonical.publisher_id)
            .order_by(Series.id)
        ).all()
        if ids:
            yield Problem(
                _(
                    "The imprint that stays belongs to another publisher than these series."
                    " Merge the publishers, or move the series first:"
                ),
                merge_references.objects(session, "series", ids),
            )


# What follows.


def _foresee(catalog: Catalog, kind: Kind, canonical, other) -> None:
    """Tell the unit of work what it could not find out afterwards."""
    unit, session = catalog.unit, catalog.session
    if kind.name == "issue":
        if other.rating_count:
            unit.rated({canonical.id}, {canonical.series_id, other.series_id})
        pictures = session.scalars(select(Variant.image).where(Variant.issue_id == other.id))
        unit.retain_files(pictures)  # they move with their rows
    elif kind.name == "series":
        if other.rating_count:
            unit.rated(set(), {canonical.id})
        if session.scalar(text("SELECT 1 FROM series_genre WHERE series_id = :id"), {"id": other.id}):
            unit.record_event("series.embedded", {canonical.id})


def _redirect(catalog: Catalog, kind: Kind, canonical, other, reason: str) -> None:
    """Let the other's id and slug, and all that led to it before, lead to the canonical object."""
    bury(catalog.session, {kind.name: {other.id}}, catalog.actor_id, reason, canonical.id)
    values = {"kind": kind.name, "kept": canonical.id, "other": other.id, "slug": other.slug}
    for statement in (
        "UPDATE tombstone SET survivor_id = :kept WHERE kind = :kind AND survivor_id = :other",
        "UPDATE former_slug SET object_id = :kept WHERE kind = :kind AND object_id = :other",
        "INSERT INTO former_slug (kind, slug, object_id) VALUES (:kind, :slug, :kept)"
        " ON CONFLICT (kind, slug) DO UPDATE SET object_id = :kept",
    ):
        catalog.session.execute(text(statement), values)


def _notice(catalog: Catalog, kind: Kind, canonical, moved: dict[str, set[int]]) -> None:
    """Tell the unit of work which objects were written, and what that means to others."""
    unit = catalog.unit
    unit.record_saved(kind.name, {canonical.id})
    if kind.name == "issue":
        unit.record_event("series.issues", {canonical.series_id})
    for owned, ids in moved.items():
        unit.record_saved(owned, ids)
        columns = {key for key, parent in KINDS[owned].parents.items() if parent is kind.model}
        for event, watched in propagation.field_events(owned).items():
            if any(f"{each}_id" in watched for each in columns):
                unit.record_event(event, ids)
        if owned == "issue":
            unit.record_event("series.issues", {canonical.id})
