"""Stars that readers give to issues, and the figures of issue and series that follow from them."""

from datetime import date

from sqlalchemy import ARRAY, Integer, any_, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import Invalid, NotFound
from comicsdb.catalog.unit import Unit
from comicsdb.library.keeping import hold, moved
from comicsdb.models import CollectionItem, Issue, IssueRating, Series
from comicsdb.models.choices import STARS

LOWEST, HIGHEST = STARS


def rate(session: Session, issue: Issue, user_id: int, stars: int | None, *, today: date) -> bool:
    """Set, change or (None) take back the stars of one account for one issue (model.md 5.8, 11).

    `today` is the business day: an issue that is not out yet cannot be rated, but stars it has can be taken
    back. Raises Invalid, naming the field "rating", or NotFound if the issue was deleted meanwhile; gives
    whether anything changed. Number, sum and rating stamp of the issue and of its series follow in the same
    transaction (model.md 9, M22); `modified` of neither moves. The account's own item of the collection, if
    there is one, gets the same stars (model.md 5.3). Nothing is committed here.
    """
    changed = give(session, user_id, {issue.id: stars}, today=today)
    owned = update(CollectionItem).where(
        CollectionItem.user_id == user_id,
        CollectionItem.issue_id == issue.id,
        CollectionItem.rating.is_distinct_from(stars),
    )
    session.execute(owned.values(rating=stars, **moved(CollectionItem)))
    return bool(changed)


def give(session: Session, user_id: int, stars: dict[int, int | None], *, today: date) -> set[int]:
    """What `rate` does, for many issues by id, without a look at the collection: gives those that changed.

    From here on until the transaction ends, nobody else writes the catalogue or this account's library.
    """
    for each in stars.values():
        if each is not None and (type(each) is not int or not LOWEST <= each <= HIGHEST):
            raise Invalid({"rating": [f"Stars are a whole number from {LOWEST} to {HIGHEST}."]})
    Unit.of(session).alone()
    hold(session, user_id)
    series = _lock(session, stars, today, user_id)
    changed = _store(session, user_id, stars)
    if changed:
        unit = Unit.of(session)
        unit.rated(changed, {series[each] for each in changed})
        unit.settle()
    return changed


def _lock(session: Session, stars: dict[int, int | None], today: date, user_id: int) -> dict[int, int]:
    """The series of each issue, as it is now; series are locked first, then issues, to the transaction's end.

    All raters of a series thus wait for one another, in the order in which every other writer locks. Raises
    Invalid where stars are new and an issue is not out yet, and NotFound where one is gone.
    """
    chosen = Issue.id == any_(cast(list(stars), ARRAY(Integer)))
    wanted = select(Issue.series_id).where(chosen)
    locked: set[int] = set()
    while True:
        rows = select(Series.id).where(Series.id.in_(wanted)).order_by(Series.id)
        locked |= set(session.scalars(rows.with_for_update(key_share=True)))
        issues = select(Issue.id, Issue.series_id, Issue.store_date).where(chosen).order_by(Issue.id)
        found = session.execute(issues.with_for_update(key_share=True, of=Issue)).all()
        if all(each.series_id in locked for each in found):  # none was moved while we waited
            break
    for gone in set(stars) - {each.id for each in found}:
        raise NotFound("issue", gone)
    early = {
        each.id: each.store_date
        for each in found
        if stars[each.id] is not None and each.store_date is not None and each.store_date > today
    }
    if early:
        given = select(IssueRating.issue_id, IssueRating.rating).where(
            IssueRating.user_id == user_id, IssueRating.issue_id.in_(early)
        )
        had = dict(session.execute(given).all())
        for issue_id, day in early.items():
            if had.get(issue_id) != stars[issue_id]:  # the stars of one that was put off are kept
                raise Invalid(
                    {"rating": [f"This issue can be rated from {day.isoformat()} on, when it is out."]}
                )
    return {each.id: each.series_id for each in found}


def _store(session: Session, user_id: int, stars: dict[int, int | None]) -> set[int]:
    """Write stars where they differ; gives the issues where they did."""
    given = {issue_id: each for issue_id, each in stars.items() if each is not None}
    changed: set[int] = set()
    if len(given) < len(stars):
        taken_back = delete(IssueRating).where(
            IssueRating.issue_id == any_(cast(list(set(stars) - set(given)), ARRAY(Integer))),
            IssueRating.user_id == user_id,
        )
        changed |= set(session.scalars(taken_back.returning(IssueRating.issue_id)))
    if given:
        rows = select(
            func.unnest(cast(list(given), ARRAY(Integer))),
            cast(user_id, Integer),
            func.unnest(cast(list(given.values()), ARRAY(Integer))),
        )
        written = insert(IssueRating).from_select(["issue_id", "user_id", "rating"], rows)
        written = written.on_conflict_do_update(
            index_elements=[IssueRating.issue_id, IssueRating.user_id],
            set_={"rating": written.excluded.rating, "modified": func.clock_timestamp()},
            where=IssueRating.rating != written.excluded.rating,
        )
        changed |= set(session.scalars(written.returning(IssueRating.issue_id)))
    return changed
