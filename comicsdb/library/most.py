"""What queries for the people of many issues share: who has most credits, of whom few are shown."""

from sqlalchemy import ARRAY, ColumnElement, Integer, any_, func, select

from comicsdb.models import Role, credit_role


def in_roles(issue_id: ColumnElement[int], flag: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition that joins `credit_role` to an issue: in roles with `flag`, such as `Role.is_writer`.

    The roles are an array: an index then finds the credits in these roles, and no others are read.
    """
    return (credit_role.c.issue_id == issue_id) & has_role(flag)


def has_role(flag: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition on `credit_role` that its role has `flag`."""
    roles = func.array(select(Role.id).where(flag).scalar_subquery(), type_=ARRAY(Integer))
    return credit_role.c.role_id == any_(roles)


def least(number: ColumnElement[int], most: int) -> ColumnElement[int]:
    """The smallest `number` among the `most` greatest; rows with less need not be put together."""
    last = select(number).order_by(number.desc()).offset(most - 1).limit(1).scalar_subquery()
    return func.coalesce(last, 0)
