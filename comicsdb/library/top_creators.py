"""Parts of queries for the creators, series and others with most issues."""

from sqlalchemy import ARRAY, CTE, ColumnElement, Integer, Select, Subquery, any_, func, select

from comicsdb.catalog import search
from comicsdb.models import Role, credit_role


def credited(issues: Select, flag: ColumnElement[bool], **said: ColumnElement[bool]) -> Subquery:
    """Subquery of the creators of issues in roles with `flag` (such as `Role.is_writer`).

    A row has the `creator_id`, and for each flag in `said` a column of that name that says whether any of
    these roles has it; there is one row per issue and creator. Issues and roles are passed as arrays, so that
    an index-only scan of these issues suffices.
    """
    columns = credit_role.c
    return (
        select(columns.creator_id, *(func.bool_or(each).label(name) for name, each in said.items()))
        .where(columns.issue_id == any_(as_array(issues)), has_role(flag))
        .group_by(columns.issue_id, columns.creator_id)
        .subquery()
    )


def as_array(ids: Select) -> ColumnElement:
    """The ids as one array, for index lookups instead of a join."""
    return func.array(ids.scalar_subquery(), type_=ARRAY(Integer))


def has_role(flag: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition on `credit_role` that the role has `flag`."""
    return credit_role.c.role_id == any_(as_array(select(Role.id).where(flag)))


def nth_greatest(number: ColumnElement[int], n: int) -> ColumnElement[int]:
    """The smallest of the `n` greatest values of `number`: rows below it need not be loaded."""
    last = select(number).order_by(number.desc()).offset(n - 1).limit(1).scalar_subquery()
    return func.coalesce(last, 0)


def most_frequent(model, counted: CTE, most: int, *columns: ColumnElement) -> Select:
    """The objects with the greatest `number` in `counted`, where they have an `id`; at most `most`.

    Rows of `(object, number, *columns)`, highest numbers first.
    """
    return (
        select(model, counted.c.number, *columns)
        .join(counted, counted.c.id == model.id)
        .where(counted.c.number >= nth_greatest(counted.c.number, most))
        .order_by(counted.c.number.desc(), *search.order_columns(model))
        .limit(most)
    )
