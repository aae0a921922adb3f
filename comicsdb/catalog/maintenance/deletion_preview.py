"""What a deletion would take along, counted before anybody confirms it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import KINDS, children_of, linked_to
from comicsdb.models import (
    CollectionItem,
    Credit,
    Issue,
    IssueRating,
    PullListSeries,
    ReadingListItem,
    Series,
    Variant,
    WishListItem,
    credit_role,
    issue_reprint,
)

# Links that a declaration of kinds does not show, by the kind that is deleted: (word, column).
_LINKS = {
    "creator": (("issue", Credit.creator_id),),
    "issue": (("reprint", issue_reprint.c.issue_id),),
    "role": (("credit", credit_role.c.role_id),),
}


@dataclass(frozen=True)
class Consequences:
    """Numbers by what they count, zeros left out: what goes, what stays without it, and what readers lose."""

    gone: dict[str, int]
    unlinked: dict[str, int]
    owned: dict[str, int]


def consequences(session: Session, entity) -> Consequences:
    """What deleting an object takes along, in one statement."""
    return consequences_of(session, entity.__tablename__, [entity.id])


def consequences_of(session: Session, kind: str, ids: Collection[int]) -> Consequences:
    """What deleting some objects of a kind takes along, in one statement."""
    going, owned = _going(kind, ids), _owned(kind, ids)
    counts = {**going, **owned}
    counts |= {f"link {word}": _number(column.in_(ids)) for word, column in _unlinked(kind)}
    if not counts:
        return Consequences({}, {}, {})
    row = session.execute(select(*(count.label(word) for word, count in counts.items()))).one()._mapping
    found = {word: number for word, number in row.items() if number}
    return Consequences(
        gone={word: number for word, number in found.items() if word in going},
        unlinked={
            word.removeprefix("link "): number for word, number in found.items() if word.startswith("link ")
        },
        owned={word: number for word, number in found.items() if word in owned},
    )


def _unlinked(kind: str) -> Iterator[tuple[str, ColumnElement]]:
    """The columns of links to the object that go while the other object stays, each with its word."""
    yield from _LINKS.get(kind, ())
    for owner, link in linked_to(KINDS[kind].model):
        yield owner.name, link.table.c[link.other]
    for child, field in children_of(KINDS[kind].model):
        if child.owner != field:
            yield child.name, getattr(child.model, f"{field}_id")


def _issues(kind: str, ids: Collection[int]):
    """The issues that go, or None where none does."""
    if kind == "issue":
        return select(Issue.id).where(Issue.id.in_(ids))
    if kind == "series":
        return select(Issue.id).where(Issue.series_id.in_(ids))
    if kind == "publisher":
        return select(Issue.id).join(Issue.series).where(Series.publisher_id.in_(ids))
    return None


def _going(kind: str, ids: Collection[int]) -> dict:
    """What goes with it, as counts."""
    children = (child for child, field in children_of(KINDS[kind].model) if child.owner == field)
    counts = {
        child.name: _number(getattr(child.model, f"{kind}_id").in_(ids))
        for child in children
        if child.name != "issue"
    }
    issues = _issues(kind, ids)
    if issues is None:
        return counts
    if kind != "issue":
        counts["issue"] = _number(Issue.id.in_(issues))
    counts["credit"] = _number(Credit.issue_id.in_(issues))
    counts["variant"] = _number(Variant.issue_id.in_(issues))
    return counts


def _owned(kind: str, ids: Collection[int]) -> dict:
    """What belongs to readers and goes with it, as counts."""
    issues = _issues(kind, ids)
    if issues is None:
        return {}
    counts = {
        "rating": _number(IssueRating.issue_id.in_(issues)),
        "collection_item": _number(CollectionItem.issue_id.in_(issues)),
        "wish_list_item": _number(WishListItem.issue_id.in_(issues)),
        "reading_list_item": _number(ReadingListItem.issue_id.in_(issues)),
    }
    if kind == "series":
        counts["pull_list_series"] = _number(PullListSeries.series_id.in_(ids))
    elif kind == "publisher":
        series = select(Series.id).where(Series.publisher_id.in_(ids))
        counts["pull_list_series"] = _number(PullListSeries.series_id.in_(series))
    return counts


def _number(condition):
    return select(func.count()).where(condition).scalar_subquery()
