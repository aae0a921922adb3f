"""Reading lists for tests, created through the services like those of any surface."""

import itertools
from datetime import date

from sqlalchemy import insert, inspect, select
from sqlalchemy.orm import object_session, selectinload

from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import items
from comicsdb.models import Issue, User
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.security import make_identity

OFFICIAL = "Metron"
_numbers = itertools.count(1)


def identity_of(user):
    """The identity of an account; its groups are loaded if necessary."""
    if "groups" in inspect(user).unloaded:
        wanted = select(User).where(User.id == user.id).options(selectinload(User.groups))
        object_session(user).scalars(wanted).one()
    return make_identity(user, "session")


def make_list(session, user, issues=(), **values):
    """A committed list of an account, with issues in their order."""
    identity = identity_of(user)
    made = lists.create(session, identity, OFFICIAL, {"name": f"List {next(_numbers)}"} | values)
    if issues:
        items.add_issues(lists.lock_list(session, identity, OFFICIAL, made), [each.id for each in issues])
    session.commit()
    return made


def create_issues(session, series, number):
    """Issues 1 to `number` of a series, created together."""
    rows = [
        {
            "series_id": series.id,
            "number": str(n),
            "slug": f"{series.slug}-{n}",
            "cover_date": date(2020, 1, 1),
            "created_by_id": SYSTEM_USER_ID,
            "edited_by_id": SYSTEM_USER_ID,
        }
        for n in range(1, number + 1)
    ]
    found = session.scalars(insert(Issue).returning(Issue, sort_by_parameter_order=True), rows).all()
    session.commit()
    return found


def locked_list(session, user, reading_list):
    """The list, locked for an account."""
    return lists.lock_list(session, identity_of(user), OFFICIAL, reading_list)
