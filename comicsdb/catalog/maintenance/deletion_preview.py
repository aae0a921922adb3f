"""What a deletion would take along, counted before anybody confirms it."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from comicsdb.models import (
    CollectionItem,
    Credit,
    Imprint,
    Issue,
    IssueRating,
    PullListSeries,
    ReadingListItem,
    Series,
    Universe,
    Variant,
    WishListItem,
    character_creator,
    character_team,
    character_universe,
    credit_role,
    issue_arc,
    issue_character,
    issue_reprint,
    issue_team,
    issue_universe,
    series_genre,
    team_creator,
    team_universe,
)

# Links that go while both objects but the deleted one stay, by the kind that is deleted: (word, column).
_LINKS = {
    "arc": (("issue", issue_arc.c.arc_id),),
    "character": (("issue", issue_character.c.character_id),),
    "creator": (
        ("issue", Credit.creator_id),
        ("character", character_creator.c.creator_id),
        ("team", team_creator.c.creator_id),
    ),
    "imprint": (("series", Series.imprint_id),),
    "team": (("issue", issue_team.c.team_id), ("character", character_team.c.team_id)),
    "universe": (
        ("issue", issue_universe.c.universe_id),
        ("character", character_universe.c.universe_id),
        ("team", team_universe.c.universe_id),
    ),
    "issue": (("reprint", issue_reprint.c.issue_id),),
    "age_rating": (("issue", Issue.rating_id),),
    "genre": (("series", series_genre.c.genre_id),),
    "role": (("credit", credit_role.c.role_id),),
    "series_type": (("series", Series.series_type_id),),
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
    counts |= {f"link {word}": _number(column.in_(ids)) for word, column in _LINKS.get(kind, ())}
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
    counts = {}
    if kind == "publisher":
        counts = {
            "imprint": _number(Imprint.publisher_id.in_(ids)),
            "universe": _number(Universe.publisher_id.in_(ids)),
            "series": _number(Series.publisher_id.in_(ids)),
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
