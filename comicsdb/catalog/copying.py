"""Copying credits from the previous issue, and contents from reprinted issues."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session, joinedload, selectinload

from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.service import Catalog
from comicsdb.i18n import _
from comicsdb.models import (
    Credit,
    Issue,
    Series,
    issue_character,
    issue_reprint,
    issue_team,
)
from comicsdb.models.choices import COLLECTED_CODES

EXCLUDED = _("Credits are not copied for this publisher or series type.")
HAS_CREDITS = _("This issue already has credits.")
NO_PREVIOUS = _("There is no earlier issue in this series.")
NOT_COLLECTED = _("Only collected editions can copy the contents of the issues they reprint.")
HAS_CONTENT = _("This issue already has characters, teams or stories.")
NO_REPRINTS = _("This issue has no reprints to copy from.")
UNTITLED = "[Untitled]"
NAMED_MAX = 3  # skipped issues in a message


def previous_issue(
    session: Session, series_id: int, *, before: int | None = None, until: date | None = None
) -> Issue | None:
    """The last issue of a series before the one with the id `before`, and of cover dates up to `until`."""
    statement = select(Issue).where(Issue.series_id == series_id)
    if before is not None:
        place = select(Issue.series_order, Issue.id).where(Issue.id == before).scalar_subquery()
        statement = statement.where(tuple_(Issue.series_order, Issue.id) < place)
    if until is not None:
        statement = statement.where(Issue.cover_date <= until)
    statement = statement.options(joinedload(Issue.series).joinedload(Series.series_type))
    return session.scalar(statement.order_by(Issue.series_order.desc(), Issue.id.desc()).limit(1))


@dataclass(frozen=True)
class CreditCopy:
    """The number of copied credits, and of credits left out because they may belong to variant covers."""

    copied: int
    skipped: int


def copyable_credits(session: Session, issue_id: int) -> tuple[list[dict], int]:
    """The credits of an issue for `catalog.update`, and the number of omitted cover-only credits."""
    found = session.scalars(
        select(Credit)
        .where(Credit.issue_id == issue_id)
        .options(selectinload(Credit.roles))
        .order_by(Credit.id)
    ).all()
    kept = [each for each in found if not (len(each.roles) == 1 and each.roles[0].is_cover)]
    values = [{"creator": each.creator_id, "roles": [role.id for role in each.roles]} for each in kept]
    return values, len(found) - len(kept)


def may_duplicate_credits(series: Series, without: frozenset[int]) -> bool:
    """Whether a series' type and publisher allow copying; `without` has the ids of excluded publishers."""
    return series.series_type.code not in COLLECTED_CODES and series.publisher_id not in without


def duplicate_credits(catalog: Catalog, issue: Issue, without: frozenset[int]) -> CreditCopy:
    """Copy the credits of the previous issue to an issue that has none.

    Raises InvalidError if that is not possible.
    """
    session = catalog.session
    catalog.lock(issue)
    series = session.scalar(
        select(Series).where(Series.id == issue.series_id).options(joinedload(Series.series_type))
    )
    if not may_duplicate_credits(series, without):
        raise _error(EXCLUDED)
    if session.scalar(select(Credit.id).where(Credit.issue_id == issue.id).limit(1)) is not None:
        raise _error(HAS_CREDITS)
    source = previous_issue(session, issue.series_id, before=issue.id)
    if source is None:
        raise _error(NO_PREVIOUS)
    wanted, skipped = copyable_credits(session, source.id)
    if wanted:
        catalog.update(issue, {"credits": wanted})
    return CreditCopy(len(wanted), skipped)


@dataclass(frozen=True)
class ReprintSync:
    """The numbers of copied items, and the labels of issues skipped because they have several stories."""

    characters: int
    teams: int
    stories: int
    skipped: tuple[str, ...]


def may_sync_reprints(series: Series) -> bool:
    """Whether a series is of a type for collected editions."""
    return series.series_type.code in COLLECTED_CODES


def sync_reprints(catalog: Catalog, issue: Issue) -> ReprintSync:
    """Copy characters, teams and stories from the issues that a collected edition reprints.

    Only issues with at most one story are used, ordered by cover and store dates. Raises InvalidError if
    there is nothing to copy, or something would be overwritten.
    """
    session = catalog.session
    catalog.lock(issue)
    series = session.scalar(
        select(Series).where(Series.id == issue.series_id).options(joinedload(Series.series_type))
    )
    if not may_sync_reprints(series):
        raise _error(NOT_COLLECTED)
    linked = (issue_character, issue_team)
    if issue.name or any(session.scalar(select(1).where(t.c.issue_id == issue.id).limit(1)) for t in linked):
        raise _error(HAS_CONTENT)
    reprints = session.scalars(
        select(Issue)
        .join(issue_reprint, issue_reprint.c.reprint_id == Issue.id)
        .where(issue_reprint.c.issue_id == issue.id)
        .options(joinedload(Issue.series).joinedload(Series.series_type))
        .order_by(Issue.cover_date, Issue.store_date.asc().nulls_last(), Issue.id)
    ).all()
    if not reprints:
        raise _error(NO_REPRINTS)
    taken = [each for each in reprints if len(each.name) <= 1]
    skipped = tuple(each.label for each in reprints if len(each.name) > 1)
    ids = [each.id for each in taken]
    characters, teams = (_linked(session, table, ids) for table in linked)
    stories = [title for each in taken for title in (each.name or [UNTITLED])]
    if taken:
        catalog.update(issue, {"characters": characters, "teams": teams, "name": stories})
    return ReprintSync(len(characters), len(teams), len(stories), skipped)


def _linked(session: Session, table, issue_ids: list[int]) -> list[int]:
    column = next(each for each in table.c if each.name != "issue_id")
    return list(
        session.scalars(select(column).where(table.c.issue_id.in_(issue_ids)).distinct().order_by(column))
    )


def _error(text) -> InvalidError:
    return InvalidError({"__all__": [text]})
