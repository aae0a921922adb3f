"""What queries for the people of many issues share: who has most credits, of whom few are shown."""

from sqlalchemy import ARRAY, ColumnElement, Integer, Select, Subquery, any_, func, select

from comicsdb.models import Role, credit_role


def credited(issues: Select, flag: ColumnElement[bool], **said: ColumnElement[bool]) -> Subquery:
    """Who is credited in some issues in roles with `flag`, such as `Role.is_writer`: `creator_id`, each
    once for an issue, and by its name whether what is `said` holds for any of these roles.

    Issues and roles are arrays: one index then leads to these issues alone, and tells all that is wanted.
    """
    columns = credit_role.c
    return (
        select(columns.creator_id, *(func.bool_or(each).label(name) for name, each in said.items()))
        .where(columns.issue_id == any_(among(issues)), has_role(flag))
        .group_by(columns.issue_id, columns.creator_id)
        .subquery()
    )


def among(ids: Select) -> ColumnElement:
    """The ids as one array, to look up in an index one by one rather than to join with."""
    return func.array(ids.scalar_subquery(), type_=ARRAY(Integer))


def has_role(flag: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition on `credit_role` that its role has `flag`."""
    return credit_role.c.role_id == any_(among(select(Role.id).where(flag)))


def least(number: ColumnElement[int], most: int) -> ColumnElement[int]:
    """The smallest `number` among the `most` greatest; rows with less need not be put together."""
    last = select(number).order_by(number.desc()).offset(most - 1).limit(1).scalar_subquery()
    return func.coalesce(last, 0)
