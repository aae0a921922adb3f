"""Cards: the statements that load the cards of each kind."""

from functools import cache

from sqlalchemy import CTE, ColumnElement, Select, func, inspect, select
from sqlalchemy.dialects.postgresql import JSONB

from comicsdb.catalog import filters, search
from comicsdb.catalog.filters import Condition, equal
from comicsdb.catalog.kinds import KINDS, kind_of
from comicsdb.models import Creator, Credit, Imprint, Issue, Publisher, Series, SeriesType, Universe
from comicsdb_web.rendering.json_columns import json_object
from comicsdb_web.rendering.row_views import RowView, row_view

# The order of issues within their series.
WITHIN_SERIES = (Issue.series_order, Issue.id)


def _latest_first(issues) -> tuple:
    return (issues.cover_date.desc(), issues.store_date.desc().nulls_last(), issues.id.desc())


def _oldest_first(issues) -> tuple:
    return (issues.cover_date, issues.store_date.asc().nulls_last(), issues.id)


# The orders that lists of issues offer besides the default, as functions of a table of issues.
ISSUE_SORTS = {
    "cover_new": _latest_first,
    "cover_old": _oldest_first,
    "added": lambda issues: (issues.created_on.desc(), issues.id.desc()),
}


SERIES_SORTS = {
    "rating": lambda series: (series.rating_average.desc(), series.id.desc()),
    "size": lambda series: (series.issue_count.desc(), series.id.desc()),
    "last": lambda series: (series.last_cover_date.desc(), series.id.desc()),
}
SORTS = {Issue: ISSUE_SORTS, Series: SERIES_SORTS}  # of the kinds that offer any
# Lists with these names or values of parameters are not cached: they depend on more than versions of kinds.
UNCACHED_PARAMETERS = {Series: ("rating",)}


def order(model, sort: str = "") -> tuple:
    """The order of a list of a kind; an unknown `sort` gives the default order."""
    chosen = SORTS.get(model, {}).get(sort)
    return chosen(model) if chosen else search.order_columns(model)


def card_kinds(model) -> tuple[str, ...]:
    """The kinds whose versions change with the cards of a kind."""
    kind = kind_of(model)
    return (kind.name, *kind.listed_with)


def _issue_link(model) -> tuple[ColumnElement, ColumnElement]:
    """The columns that link issues to objects: (issue, object)."""
    if model is Creator:
        return Credit.issue_id, Credit.creator_id
    link = next(each for each in KINDS["issue"].links if each.target is model)
    return link.table.c[link.own], link.table.c[link.other]


def number_of_issues(entity) -> ColumnElement[int]:
    """The number of issues of each row of a kind, or of an alias of one: 0, never NULL."""
    model = inspect(entity).mapper.class_
    if model is Series:
        return entity.issue_count  # a stored count
    owner = _issue_link(model)[1]
    return select(func.count()).where(owner == entity.id).correlate(entity).scalar_subquery()


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
    """The condition for the issues of an object, or of the rows of an alias."""
    model = inspect(entity).mapper.class_
    if model is Series:
        return Issue.series_id == entity.id
    issue, owner = _issue_link(model)
    return Issue.id.in_(select(issue).where(owner == entity.id).correlate_except(issue.table))


@cache
def own_issues(own) -> CTE:
    """The issues of the only row of an alias, as a CTE that is evaluated once per statement."""
    issue, owner = _issue_link(inspect(own).mapper.class_)
    columns = Issue.id, Issue.series_id, Issue.cover_date, Issue.store_date
    mine = select(own.id).scalar_subquery()
    return (
        select(*columns)
        .join_from(issue.table, Issue, Issue.id == issue)
        .where(owner == mine)
        .cte("own_issues")
    )


@cache
def issues_condition(model) -> Condition:
    """The condition for the issues of an object of a kind, by its id."""
    if model is Series:
        return Condition(equal, Issue.series_id)
    issue, owner = _issue_link(model)
    return Condition(equal, owner, lambda owned: Issue.id.in_(select(issue).where(owned)))


def link_columns(entity) -> list[ColumnElement]:
    """The columns for links to objects of a kind, or of an alias of one."""
    model = inspect(entity).mapper.class_
    if model is Issue:
        label = json_object([Series.name, Series.year_began, _type_of(Series)])
        series = select(label).where(Series.id == entity.series_id).correlate(entity).scalar_subquery()
        return [entity.id, entity.slug, entity.number, series.label("series")]
    columns = [entity.id, entity.slug, entity.name]
    if model is Series:
        columns += [entity.year_began, _type_of(entity)]
    elif model is Universe:
        columns.append(entity.designation)
    return columns


def picture_columns(entity) -> list[ColumnElement]:
    """The columns of a kind's pictures, if it has any."""
    if "image" not in inspect(entity).mapper.columns:
        return []
    return [entity.image, entity.image_width, entity.image_height]


def _type_of(series) -> ColumnElement:
    query = select(json_object([SeriesType.code])).where(SeriesType.id == series.series_type_id)
    return query.correlate(series).scalar_subquery().label("series_type")


def _publisher_of(series) -> ColumnElement:
    query = select(json_object([Publisher.slug, Publisher.name])).where(Publisher.id == series.publisher_id)
    return query.correlate(series).scalar_subquery().label("publisher")


def issue_columns() -> list[ColumnElement]:
    """The columns of the cards of issues, in a statement that joins their series."""
    series = json_object([Series.name, Series.year_began, _type_of(Series), _publisher_of(Series)])
    own = [Issue.id, Issue.slug, Issue.number, Issue.series_id, *picture_columns(Issue)]
    return [
        *own,
        Issue.cover_date,
        Issue.cover_date_precision,
        Issue.store_date,
        Issue.created_on,
        series.label("series"),
    ]


def statement(model, *, with_count: bool = True) -> Select:
    """The columns of the cards of a kind; `number` counts issues or series, if the kind has any."""
    if model is Issue:
        return select(*issue_columns()).select_from(Issue).join(Issue.series)
    if model is Series:
        counts = number_of_issues(Series).label("number"), first_cover().label("cover")
        return select(*link_columns(Series), _publisher_of(Series), *counts)
    columns = link_columns(model) + picture_columns(model)
    if with_count and model in (Publisher, Imprint):
        columns.append(number_of_series(model).label("number"))
    elif with_count and "issue" in kind_of(model).listed_with:
        columns.append(number_of_issues(model).label("number"))
    return select(*columns)


def load(session, model, found: Select) -> list[RowView]:
    """The objects of a kind that a statement selects, as cards show them."""
    return [row_view(model.__tablename__, row._mapping) for row in session.execute(found)]


def id_statement(model) -> Select:
    """The ids of a kind, with the joins for its order."""
    return select(Issue.id).join(Issue.series) if model is Issue else select(model.id)


def count_statement(model, *conditions) -> Select:
    """The number of objects that meet the conditions."""
    return filters.count_statement(model.__table__, conditions)
