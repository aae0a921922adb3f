"""Merging two objects of one kind.

The canonical object stays. Its blank fields are filled from the other object, and all references to the other
object are moved to it. The other object's id and slug permanently redirect to it.
"""

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog import rules, uniqueness
from comicsdb.catalog.advice import advisory_errors
from comicsdb.catalog.deletion import expunge_deleted, write_tombstones
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.kinds import Kind, kind_of
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge_references import MergeEffect
from comicsdb.catalog.service import Catalog, validated_reason
from comicsdb.i18n import Text, _
from comicsdb.library import merging, ratings
from comicsdb.models import Attribution, CollectionItem, ExternalId, IssueRating, Series, Variant
from comicsdb.models.attribution import OWNERS
from comicsdb.models.choices import ID_COLUMNS, UNKNOWN_AGE_RATING_ID, Precision

ALT_NAME_FIELDS = {"publisher": "alt_names", "series": "alt_names", "creator": "alias", "character": "alias"}
NOT_COPIED = {"number", "currency", "image", "image_width", "image_height", "cover_hash"}
BLANK = (None, "", [])


@dataclass(frozen=True)
class MergeProblem:
    """A reason why two objects cannot be merged, with the objects that prevent it."""

    text: Text
    objects: tuple = ()

    @property
    def message(self) -> Text:
        """The reason, with the names of the objects."""
        names = ", ".join(f"{each.label} ({each.id})" for each in self.objects)
        return _("${text} ${names}", mapping={"text": self.text, "names": names})


@dataclass(frozen=True)
class MergePreview:
    """The preview of a merge.

    `filled` has the values that the canonical object gets, by field; `names` are its new alternative names,
    and `lost_names` those that are too long. `dropped` counts the attributions and the image that are deleted
    with the other object. With `problems`, the merge is impossible.
    """

    canonical: object
    other: object
    filled: dict = field(default_factory=dict)
    names: tuple[str, ...] = ()
    lost_names: tuple[str, ...] = ()
    effects: tuple[MergeEffect, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    problems: tuple[MergeProblem, ...] = ()

    @property
    def names_field(self) -> str | None:
        """The field for alternative names, if the kind has one."""
        return ALT_NAME_FIELDS.get(self.canonical.__tablename__)


def preview_merge(session: Session, canonical, other) -> MergePreview:
    """Preview the merge of `other` into `canonical`.

    Raises InvalidError if they are the same object or of different kinds.
    """
    kind = _kind_of_both(canonical, other)
    names, lost_names = _new_names(kind, canonical, other)
    return MergePreview(
        canonical,
        other,
        filled=_values_to_fill(session, kind, canonical, other),
        names=names,
        lost_names=lost_names,
        effects=tuple(merge_references.preview_effects(session, kind.name, canonical.id, other.id)),
        dropped=_dropped_counts(session, kind, other),
        problems=tuple(_problems(session, kind, canonical, other)),
    )


def merge(catalog: Catalog, canonical, other, reason: str = "") -> MergePreview:
    """Merge `other` into `canonical`; returns what was done. The history of both keeps the reason.

    Raises InvalidError with the problems, or NotFoundError if one of them was deleted meanwhile. Does not
    commit.
    """
    session, unit = catalog.session, catalog.unit
    kind = _kind_of_both(canonical, other)
    reason = merge_reason(catalog, canonical, other, reason)
    for entity in (canonical, other):
        catalog.lock(entity, against_references=True)
    planned = preview_merge(session, canonical, other)
    raise_problems(planned.problems)
    to_delete, unit.reason = {kind.name: {other.id}}, reason
    with catalog.savepoint(kind):
        _record_before(catalog, kind, canonical, other)
        unit.before_deletion(to_delete, "merge", reason)
        if kind.name == "issue":
            merging.merge_items(session, canonical.id, other.id)
        _keep_external_ids(session, kind, canonical, other)
        moved = merge_references.move_references(catalog, kind.name, canonical.id, other.id)
        if kind.name == "issue":
            raters = select(IssueRating.user_id).where(IssueRating.issue_id == canonical.id)
            of_raters = (CollectionItem.issue_id == canonical.id, CollectionItem.user_id.in_(raters))
            ratings.copy_to_items(session, *of_raters)
        _redirect(catalog, kind, canonical, other, reason)
        session.execute(delete(kind.model).where(kind.model.id == other.id))
        expunge_deleted(session, to_delete)
        unit.after_deletion(to_delete)
        _record_after(catalog, kind, canonical, moved)
        session.expire_all()  # rows were written by SQL statements
        _fill(kind, canonical, planned, catalog.editor_id)
        session.flush()
    unit.propagate()
    unit.log_after_commit("merge", kind.name, other.id, f"{other.slug} into {canonical.id}")
    return planned


def merge_reason(catalog: Catalog, canonical, other, reason: str) -> str:
    """The reason for a merge, as the history shows it."""
    said = validated_reason(reason.strip()) or catalog.unit.reason
    return said or f"Merged {other.__tablename__} {other.id} into {canonical.id}"


def raise_problems(problems: tuple[MergeProblem, ...]) -> None:
    """Raise InvalidError with the problems of a merge or move, if there are any."""
    if problems:
        raise InvalidError({"__all__": [problem.message for problem in problems]})


def _kind_of_both(canonical, other) -> Kind:
    kind = kind_of(type(canonical))
    if kind_of(type(other)) is not kind:
        raise InvalidError({"other": [_("Only two entries of the same kind can be merged.")]})
    if not hasattr(kind.model, "slug"):
        raise InvalidError({"__all__": [_("Only entries with a page of their own can be merged.")]})
    if canonical.id == other.id:
        raise InvalidError({"other": [_("These are the same entry: choose another one.")]})
    return kind


# Values of the canonical object.


def _values_to_fill(session: Session, kind: Kind, canonical, other) -> dict:
    """The values for blank fields of the canonical object, except those that would break rules."""
    wanted = _missing_values(kind, canonical, other)
    for conflict in uniqueness.find_conflicts(session, kind, canonical, wanted, besides=[other.id]):
        for name in set(conflict.fields) & set(wanted):  # a third object has these values
            del wanted[name]
    while wanted:
        try:
            rules.validate(session, kind, canonical, wanted)
        except InvalidError as refused:
            wanted = {name: value for name, value in wanted.items() if name not in refused.errors}
        else:
            break
    if kind.name == "creator":  # unknown dates are better than impossible ones
        names = ("birth", "birth_precision", "death", "death_precision")
        dates = {name: getattr(canonical, name) for name in names}
        breaches = advisory_errors(session, kind.name, dates, wanted)
        for name in breaches:
            del wanted[name], wanted[f"{name}_precision"]
    return wanted


def _missing_values(kind: Kind, canonical, other) -> dict:
    """The other object's values of fields that are blank in the canonical one."""
    wanted = {}
    for name in sorted({*kind.scalars} - NOT_COPIED - {ALT_NAME_FIELDS.get(kind.name)}):
        if getattr(canonical, name) in BLANK and getattr(other, name) not in BLANK:
            wanted[name] = getattr(other, name)
    if "price" in wanted:
        wanted["currency"] = other.currency
    for name in kind.partial_dates:
        precision = f"{name}_precision"
        mine, theirs = getattr(canonical, precision), getattr(other, precision)
        if mine == Precision.NONE != theirs:  # the date is only a place in lists
            wanted[name] = getattr(other, name)
        if name in wanted:
            wanted[precision] = theirs
    if kind.name == "issue" and "desc" in wanted:  # the flag belongs to the text
        mine, theirs = canonical.desc_is_solicitation, other.desc_is_solicitation
        wanted |= {"desc_is_solicitation": theirs} if mine != theirs else {}
    for name in kind.parents:
        mine, theirs = (getattr(each, f"{name}_id") for each in (canonical, other))
        unknown = UNKNOWN_AGE_RATING_ID if name == "rating" else None
        if mine == unknown != theirs:
            wanted[name] = theirs
    return wanted


def _new_names(kind: Kind, canonical, other) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The new alternative names of the canonical object, and those that are too long."""
    column = ALT_NAME_FIELDS.get(kind.name)
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


def _fill(kind: Kind, canonical, planned: MergePreview, editor: int) -> None:
    for name, value in planned.filled.items():
        setattr(canonical, f"{name}_id" if name in kind.parents else name, value)
    if planned.names:
        setattr(canonical, planned.names_field, [*getattr(canonical, planned.names_field), *planned.names])
    canonical.edited_by_id = editor


# Losses and problems.


def _dropped_counts(session: Session, kind: Kind, other) -> dict[str, int]:
    found = Counter()
    if kind.name in OWNERS:
        column = getattr(Attribution, f"{kind.name}_id")
        found["attributions"] = session.scalar(select(func.count()).where(column == other.id))
    if getattr(other, "image", ""):
        found["image"] = 1
    return dict(+found)


def _problems(session: Session, kind: Kind, canonical, other):
    pairs = merge_references.find_collisions(session, kind.name, canonical.id, other.id)
    for owned in dict.fromkeys(each for each, _here, _there in pairs):
        ids = [each for name, here, there in pairs if name == owned for each in (here, there)]
        yield MergeProblem(
            _("Both have entries that must be unique. Merge or change these first:"),
            merge_references.load_references(session, owned, ids),
        )
    if kind.name == "imprint" and canonical.publisher_id != other.publisher_id:
        ids = session.scalars(
            select(Series.id)
            .where(Series.imprint_id == other.id, Series.publisher_id != canonical.publisher_id)
            .order_by(Series.id)
        ).all()
        if ids:
            yield MergeProblem(
                _(
                    "The remaining imprint does not belong to the publisher of these series. Merge the"
                    " publishers, or move the series first:"
                ),
                merge_references.load_references(session, "series", ids),
            )


# Recording the merge.


def _record_before(catalog: Catalog, kind: Kind, canonical, other) -> None:
    """Record in the unit of work what can no longer be found after the merge."""
    unit, session = catalog.unit, catalog.session
    if kind.name == "issue":
        if other.rating_count:
            unit.record_ratings({canonical.id}, {canonical.series_id, other.series_id})
        pictures = session.scalars(select(Variant.image).where(Variant.issue_id == other.id))
        unit.retain_files(pictures)  # the rows they belong to move to the canonical object
    elif kind.name == "series":
        if other.rating_count:
            unit.record_ratings(set(), {canonical.id})
        if session.scalar(text("SELECT 1 FROM series_genre WHERE series_id = :id"), {"id": other.id}):
            unit.record_event("series.embedded", {canonical.id})


def _redirect(catalog: Catalog, kind: Kind, canonical, other, reason: str) -> None:
    """Redirect the other's id and slug, and all redirects to it, to the canonical object."""
    write_tombstones(catalog.session, {kind.name: {other.id}}, catalog.actor_id, reason, canonical.id)
    values = {"kind": kind.name, "kept": canonical.id, "other": other.id, "slug": other.slug}
    for statement in (
        "UPDATE tombstone SET survivor_id = :kept WHERE kind = :kind AND survivor_id = :other",
        "UPDATE former_slug SET object_id = :kept WHERE kind = :kind AND object_id = :other",
        "INSERT INTO former_slug (kind, slug, object_id) VALUES (:kind, :slug, :kept)"
        " ON CONFLICT (kind, slug) DO UPDATE SET object_id = :kept",
    ):
        catalog.session.execute(text(statement), values)


def _keep_external_ids(session: Session, kind: Kind, canonical, other) -> None:
    """Keep the other's ids whose column is filled in the canonical object, as further ids of that object."""
    for source, name in ID_COLUMNS.items():
        mine, theirs = (getattr(each, name, None) for each in (canonical, other))
        if mine is not None and theirs:
            values = {f"{kind.name}_id": canonical.id, "source": source, "external_id": str(theirs)}
            session.execute(insert(ExternalId).values(values).on_conflict_do_nothing())


def _record_after(catalog: Catalog, kind: Kind, canonical, moved: dict[str, set[int]]) -> None:
    """Record the changed objects and links in the unit of work."""
    unit = catalog.unit
    unit.record_saved(kind.name, {canonical.id})
    if kind.name == "issue":
        unit.record_event("series.issues", {canonical.series_id})
    if "issue" in moved:
        unit.record_event("series.issues", {canonical.id})
