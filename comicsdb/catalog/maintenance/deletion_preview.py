"""Previews of deletions: counts of everything else that a deletion removes."""

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
    ReadDate,
    ReadingListItem,
    Review,
    Series,
    Variant,
    WishListItem,
    credit_role,
    issue_reprint,
)

# Links that are not declared in kinds, by the deleted kind: (name, column).
_LINKS = {
    "creator": (("issue", Credit.creator_id),),
    "issue": (("reprint", issue_reprint.c.issue_id),),
    "role": (("credit", credit_role.c.role_id),),
}


@dataclass(frozen=True)
class DeletionPreview:
    """Counts by name, without zeros: deleted objects, objects that lose a link, and readers' deleted rows."""

    deleted: dict[str, int]
    unlinked: dict[str, int]
    reader_rows: dict[str, int]


def preview_deletion(session: Session, entity) -> DeletionPreview:
    """What the deletion of an object would remove; runs one statement."""
    return preview_deletions(session, entity.__tablename__, [entity.id])


def preview_deletions(session: Session, kind: str, ids: Collection[int]) -> DeletionPreview:
    """What the deletion of objects of a kind would remove; runs one statement."""
    deleted, reader_rows = _deleted_counts(kind, ids), _reader_counts(kind, ids)
    counts = {**deleted, **reader_rows}
    counts |= {f"link {word}": _count(column.in_(ids)) for word, column in _unlinked_columns(kind)}
    if not counts:
        return DeletionPreview({}, {}, {})
    row = session.execute(select(*(count.label(word) for word, count in counts.items()))).one()._mapping
    found = {word: number for word, number in row.items() if number}
    return DeletionPreview(
        deleted={word: number for word, number in found.items() if word in deleted},
        unlinked={
            word.removeprefix("link "): number for word, number in found.items() if word.startswith("link ")
        },
        reader_rows={word: number for word, number in found.items() if word in reader_rows},
    )


def _unlinked_columns(kind: str) -> Iterator[tuple[str, ColumnElement]]:
    """The columns of links to the objects from objects that stay, each with a name."""
    yield from _LINKS.get(kind, ())
    for owner, link in linked_to(KINDS[kind].model):
        yield owner.name, link.table.c[link.other]
    for child, field in children_of(KINDS[kind].model):
        if child.owner != field:
            yield child.name, getattr(child.model, f"{field}_id")


def _issues(kind: str, ids: Collection[int]):
    """The issues that would be deleted, or None for kinds without issues."""
    if kind == "issue":
        return select(Issue.id).where(Issue.id.in_(ids))
    if kind == "series":
        return select(Issue.id).where(Issue.series_id.in_(ids))
    if kind == "publisher":
        return select(Issue.id).join(Issue.series).where(Series.publisher_id.in_(ids))
    return None


def _deleted_counts(kind: str, ids: Collection[int]) -> dict:
    """Counts of the deleted objects."""
    children = (child for child, field in children_of(KINDS[kind].model) if child.owner == field)
    counts = {
        child.name: _count(getattr(child.model, f"{kind}_id").in_(ids))
        for child in children
        if child.name != "issue"
    }
    issues = _issues(kind, ids)
    if issues is None:
        return counts
    if kind != "issue":
        counts["issue"] = _count(Issue.id.in_(issues))
    counts["credit"] = _count(Credit.issue_id.in_(issues))
    counts["variant"] = _count(Variant.issue_id.in_(issues))
    return counts


def _reader_counts(kind: str, ids: Collection[int]) -> dict:
    """Counts of deleted rows that belong to readers."""
    issues = _issues(kind, ids)
    if issues is None:
        return {}
    counts = {
        "rating": _count(IssueRating.issue_id.in_(issues)),
        "collection_item": _count(CollectionItem.issue_id.in_(issues)),
        "read_date": _count(ReadDate.issue_id.in_(issues)),
        "wish_list_item": _count(WishListItem.issue_id.in_(issues)),
        "reading_list_item": _count(ReadingListItem.issue_id.in_(issues)),
        "review": _count(Review.issue_id.in_(issues) & (Review.text != "")),
    }
    if kind == "series":
        counts["pull_list_series"] = _count(PullListSeries.series_id.in_(ids))
    elif kind == "publisher":
        series = select(Series.id).where(Series.publisher_id.in_(ids))
        counts["pull_list_series"] = _count(PullListSeries.series_id.in_(series))
    return counts


def _count(condition):
    return select(func.count()).where(condition).scalar_subquery()
