"""Cards: the statements that load the cards of each kind."""

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import contains_eager, joinedload

from comicsdb.catalog.kinds import KINDS, kind_of
from comicsdb.models import Creator, Credit, Imprint, Issue, Publisher, Series

# The order of issues within their series.
WITHIN_SERIES = (Issue.cover_date, Issue.store_date.asc().nulls_last(), Issue.number, Issue.id)


def kinds_shown(model) -> tuple[str, ...]:
    """The kinds whose versions change with the cards of a kind."""
    kind = kind_of(model)
    return (kind.name, *kind.listed_with)


def _issue_link(model) -> tuple[ColumnElement, ColumnElement]:
    """The columns that link issues to objects: (issue, object)."""
    if model is Creator:
        return Credit.issue_id, Credit.creator_id
    link = next(each for each in KINDS["issue"].links if each.target is model)
    return link.table.c[link.own], link.table.c[link.other]


def number_of_issues(model) -> ColumnElement[int]:
    """The number of issues of each row: 0, never NULL."""
    if model is Series:
        return select(func.count()).where(Issue.series_id == Series.id).correlate(Series).scalar_subquery()
    _issue, owner = _issue_link(model)
    return select(func.count()).where(owner == model.id).correlate(model).scalar_subquery()


def number_of_series(model) -> ColumnElement[int]:
    """The number of series of each publisher or imprint."""
    column = {Publisher: Series.publisher_id, Imprint: Series.imprint_id}[model]
    return select(func.count()).where(column == model.id).correlate(model).scalar_subquery()


def first_cover() -> ColumnElement:
    """The cover of each series: `[key, width, height]` of its first issue, NULL if there is none."""
    return (
        select(func.jsonb_build_array(Issue.image, Issue.image_width, Issue.image_height, type_=JSONB))
        .where(Issue.series_id == Series.id)
        .order_by(*WITHIN_SERIES)
        .limit(1)
        .correlate(Series)
        .scalar_subquery()
    )


def issues_of(entity) -> ColumnElement[bool]:
    """The condition for the issues of an object."""
    if isinstance(entity, Series):
        return Issue.series_id == entity.id
    issue, owner = _issue_link(type(entity))
    return Issue.id.in_(select(issue).where(owner == entity.id))


def statement(model) -> Select:
    """Rows of `(entity, number)`, for series also `cover`; issues come with series, type and publisher.

    Kinds without issues and series have no number.
    """
    if model is Issue:
        return (
            select(Issue)
            .join(Issue.series)
            .options(
                contains_eager(Issue.series).options(
                    joinedload(Series.series_type), joinedload(Series.publisher)
                )
            )
        )
    if model is Series:
        return select(Series, number_of_issues(Series).label("number"), first_cover().label("cover")).options(
            joinedload(Series.series_type), joinedload(Series.publisher)
        )
    if model in (Publisher, Imprint):
        return select(model, number_of_series(model).label("number"))
    if "issue" in kind_of(model).listed_with:
        return select(model, number_of_issues(model).label("number"))
    return select(model)


def ids(model) -> Select:
    """The ids of a kind, with the joins for its order."""
    return select(Issue.id).join(Issue.series) if model is Issue else select(model.id)


def counted(model, *conditions) -> Select:
    """The number of objects that meet the conditions."""
    return select(func.count()).select_from(model).where(*conditions)
