"""Cards: for each kind the statement that loads what its cards show, at a constant cost."""

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import contains_eager, joinedload

from comicsdb.models import (
    Arc,
    Character,
    Creator,
    Credit,
    Imprint,
    Issue,
    Publisher,
    Series,
    Team,
    Universe,
    issue_arc,
    issue_character,
    issue_team,
    issue_universe,
)

# How the issues of an object are found: (column with the issue, column with the object).
ISSUE_LINKS = {
    Arc: (issue_arc.c.issue_id, issue_arc.c.arc_id),
    Character: (issue_character.c.issue_id, issue_character.c.character_id),
    Creator: (Credit.issue_id, Credit.creator_id),
    Team: (issue_team.c.issue_id, issue_team.c.team_id),
    Universe: (issue_universe.c.issue_id, issue_universe.c.universe_id),
}

# By kind of cards, the kinds whose versions tell of what they show.
SHOWN = {
    Publisher: ("publisher", "series"),
    Imprint: ("imprint", "series"),
    Universe: ("universe", "issue"),
    Series: ("series", "series_type", "publisher", "issue"),
    Issue: ("issue", "series", "series_type", "publisher"),
    Creator: ("creator", "issue"),
    Character: ("character", "issue"),
    Team: ("team", "issue"),
    Arc: ("arc", "issue"),
}

# The order of issues within their series.
WITHIN_SERIES = (Issue.cover_date, Issue.store_date.asc().nulls_last(), Issue.number, Issue.id)


def number_of_issues(model) -> ColumnElement[int]:
    """The number of issues of each row: 0, never NULL."""
    if model is Series:
        return select(func.count()).where(Issue.series_id == Series.id).correlate(Series).scalar_subquery()
    _issue, owner = ISSUE_LINKS[model]
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
    """The issues of an object of any kind that has some."""
    if isinstance(entity, Series):
        return Issue.series_id == entity.id
    issue, owner = ISSUE_LINKS[type(entity)]
    return Issue.id.in_(select(issue).where(owner == entity.id))


def statement(model) -> Select:
    """Rows of `(entity, number)`, for series also `cover`; issues come with series, type and publisher."""
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
    number = number_of_series(model) if model in (Publisher, Imprint) else number_of_issues(model)
    return select(model, number.label("number"))


def ids(model) -> Select:
    """The ids of a kind, with what its orders need joined."""
    return select(Issue.id).join(Issue.series) if model is Issue else select(model.id)


def counted(model, *conditions) -> Select:
    """How many objects meet the conditions."""
    return select(func.count()).select_from(model).where(*conditions)
