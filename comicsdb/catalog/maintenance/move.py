"""Turning a publisher into an imprint of another one."""

from dataclasses import dataclass, field

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from comicsdb.catalog import slugs
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.maintenance import merge_references
from comicsdb.catalog.maintenance.merge import MergeProblem, raise_problems
from comicsdb.catalog.references import to_reference
from comicsdb.catalog.service import Catalog, validated_reason
from comicsdb.i18n import _
from comicsdb.models import Attribution, Imprint, Publisher, Series, Universe

REASON_LENGTH_MAX = 100
COPIED_FIELDS = ("desc", "cv_id", "gcd_id", "founded")  # fields that both kinds have


@dataclass(frozen=True)
class MovePreview:
    """The preview of a move.

    `imprint` is the parent's existing imprint with the publisher's name, or None. `values` are those that the
    imprint gets, and `lost` those that it does not get, by field. The numbers count moved objects. With
    `problems`, the move is impossible.
    """

    publisher: Publisher
    parent: Publisher
    imprint: Imprint | None
    values: dict
    series: int
    universes: int
    attributions: int
    shown: tuple = ()
    lost: dict = field(default_factory=dict)
    problems: tuple[MergeProblem, ...] = ()


def preview_move(session: Session, publisher, parent, *, with_children: bool = False) -> MovePreview:
    """Preview turning `publisher` into an imprint of `parent`.

    With `with_children`, its universes move to the parent. Raises InvalidError if both are the same
    publisher.
    """
    if publisher.id == parent.id:
        raise InvalidError({"parent": [_("A publisher cannot be an imprint of itself: choose another one.")]})
    imprint = session.scalar(
        select(Imprint)
        .where(Imprint.publisher_id == parent.id, func.fold(Imprint.name) == func.fold(publisher.name))
        .order_by(Imprint.id)
        .limit(1)
    )
    values, lost = _values(session, publisher, imprint)
    series = session.scalars(
        select(Series.id).where(Series.publisher_id == publisher.id).order_by(Series.id)
    ).all()
    return MovePreview(
        publisher,
        parent,
        imprint,
        values,
        series=len(series),
        universes=_count(session, Universe.publisher_id == publisher.id),
        attributions=_count(session, Attribution.publisher_id == publisher.id),
        shown=merge_references.load_references(session, "series", series[: merge_references.SHOWN_MAX]),
        lost=lost,
        problems=tuple(_problems(session, publisher, parent, with_children)),
    )


def move_publisher(
    catalog: Catalog, publisher, parent, *, with_children: bool = False, reason: str = ""
) -> Imprint:
    """Turn `publisher` into an imprint of `parent`, and delete the publisher; returns the imprint.

    The tombstone's reason names the imprint. Raises InvalidError with the problems, or NotFoundError if one
    of the two was deleted meanwhile. Does not commit.
    """
    session, unit = catalog.session, catalog.unit
    reason = validated_reason(reason.strip())
    for entity in (parent, publisher):
        catalog.lock(entity, against_references=True)
    planned = preview_move(session, publisher, parent, with_children=with_children)
    raise_problems(planned.problems)
    unit.reason = reason or unit.reason or f"Publisher {publisher.id} became an imprint of {parent.id}"
    with session.begin_nested():
        imprint = planned.imprint
        if imprint is None:
            imprint = catalog.create(Imprint, {"publisher": parent.id, **planned.values})
        elif planned.values:
            catalog.update(imprint, planned.values)
        _move_contents(catalog, publisher.id, parent.id, imprint.id)
        session.expire_all()
        catalog.delete(publisher, f"It is imprint {imprint.id} now: {publisher.name}"[:REASON_LENGTH_MAX])
    return imprint


def _values(session: Session, publisher, imprint) -> tuple[dict, dict]:
    """The values for the imprint, and those that would be lost, by field."""
    empty = (None, "")
    values = {
        name: getattr(publisher, name)
        for name in COPIED_FIELDS
        if getattr(publisher, name) not in empty and (imprint is None or getattr(imprint, name) in empty)
    }
    lost = {
        name: getattr(publisher, name)
        for name in COPIED_FIELDS
        if name not in values and getattr(publisher, name) not in (*empty, getattr(imprint, name, None))
    }
    for name in ("cv_id", "gcd_id"):
        column = getattr(Imprint, name)
        if name in values and session.scalar(select(Imprint.id).where(column == values[name])) is not None:
            lost[name] = values.pop(name)  # another imprint has this value
    if imprint is None:
        values["name"] = publisher.name
        if slugs.slug_problem(session, "imprint", publisher.slug) is None:
            values["slug"] = publisher.slug
    lost |= {name: getattr(publisher, name) for name in ("alt_names", "image") if getattr(publisher, name)}
    return values, lost


def _count(session: Session, condition) -> int:
    return session.scalar(select(func.count()).where(condition))


def _problems(session: Session, publisher, parent, with_children: bool):
    for model, movable, problem in (
        (Imprint, False, _("It has imprints of its own. Move them to another publisher first:")),
        (
            Universe,
            with_children,
            _("It has universes. Choose to move them to the parent, or move them first:"),
        ),
    ):
        own = select(model).where(model.publisher_id == publisher.id).order_by(model.id)
        found = () if movable else tuple(map(to_reference, session.scalars(own)))
        if found:
            yield MergeProblem(problem, found)
    pairs = merge_references.find_collisions(session, "publisher", parent.id, publisher.id)
    for kind in ("series", "universe"):
        ids = [each for name, here, there in pairs if name == kind for each in (here, there)]
        if ids:
            yield MergeProblem(
                _("Both publishers have entries that must be unique. Change these first:"),
                merge_references.load_references(session, kind, ids),
            )


def _move_contents(catalog: Catalog, publisher: int, parent: int, imprint: int) -> None:
    """Move everything that belongs to the publisher to the imprint or to its publisher."""
    session, unit = catalog.session, catalog.unit
    values = {
        "old": publisher,
        "parent": parent,
        "imprint": imprint,
        "editor": catalog.editor_id,
    }
    series = session.scalars(
        text(
            "UPDATE series SET publisher_id = :parent, imprint_id = :imprint, edited_by_id = :editor"
            " WHERE publisher_id = :old RETURNING id"
        ),
        values,
    )
    ids = set(series)
    unit.record_saved("series", ids)
    unit.record_event("series.embedded", ids)
    universes = session.scalars(
        text(
            "UPDATE universe SET publisher_id = :parent, edited_by_id = :editor"
            " WHERE publisher_id = :old RETURNING id"
        ),
        values,
    )
    unit.record_saved("universe", set(universes))
    cited = session.execute(
        text("UPDATE attribution SET publisher_id = NULL, imprint_id = :imprint WHERE publisher_id = :old"),
        values,
    )
    if cited.rowcount:
        unit.record_part_change("imprint", "attributions", {imprint})
    identified = session.execute(
        text(
            "UPDATE external_id t SET publisher_id = NULL, imprint_id = :imprint WHERE publisher_id = :old"
            " AND NOT EXISTS (SELECT 1 FROM external_id x WHERE x.imprint_id = :imprint"
            " AND (x.source, x.external_id, x.scope) = (t.source, t.external_id, t.scope))"
        ),
        values,
    )
    if identified.rowcount:
        unit.record_part_change("imprint", "external_ids", {imprint})
    unit.propagate()
