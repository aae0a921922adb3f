"""The epoch moves with every commit that may change a response, and with no other."""

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import delete, insert, select, update

from comicsdb.accounts import deletion
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.db.epoch import EPOCH_NOW
from comicsdb.library import ratings
from comicsdb.models import ApiToken, Arc, Group, Issue, User, user_group_member
from comicsdb_api import auth
from tests import engines
from tests.cases import for_each
from tests.conftest import database_copy
from tests.factories import Factories

WHEN = datetime(2026, 2, 3, tzinfo=UTC)
DECIDING = {
    "username": "other",
    "password": "$other",
    "is_active": False,
    "is_staff": True,
    "is_superuser": True,
    "supporter_until": WHEN,
    "supporter_tier": "friend",
    "second_factor": True,
}
USES = {
    "bio": "Reads.",
    "last_login": WHEN,
    "basic_used": WHEN.date(),
    "basic_address": "x",
    "language": "it",
}


@pytest.fixture
def moves(factory):
    """`moves(work)`: whether the work, committed in a separate session, moves the epoch."""

    def asked(work, *, commit=True):
        with factory() as session:
            before = session.scalar(EPOCH_NOW)
        with factory() as session:
            work(session)
            session.commit() if commit else session.rollback()
        with factory() as session:
            after = session.scalar(EPOCH_NOW)
        assert after >= before
        return after > before

    return asked


@pytest.fixture(scope="module")
def filled(cluster, template):
    """A database with an account (in a group, with a token) and an issue: its name, and their ids."""
    cluster.clone_database(template, "epoch")
    engine = engines.acquire(cluster.url("epoch"))
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        user, issue = make.user("Nora"), make.issue(store_date=date(2020, 1, 1))
        group = session.scalars(select(Group).order_by(Group.id)).first()
        session.execute(insert(user_group_member).values(user_id=user.id, group_id=group.id))
        session.execute(insert(ApiToken).values(user_id=user.id, digest="d" * 64, token_key="k"))
        session.commit()
        made = {"user": user.id, "issue": issue.id, "group": group.id}
    engines.release(engine)
    yield "epoch", made
    cluster.drop_database("epoch")


@pytest.fixture
def database(cluster, filled):
    """A copy of the `filled` database."""
    yield from database_copy(cluster, filled[0])


@pytest.fixture
def made(filled):
    return filled[1]


@for_each("column", DECIDING)
def test_what_decides_about_an_account_moves_it(moves, made, column):
    change = update(User).where(User.id == made["user"]).values({column: DECIDING[column]})
    assert moves(lambda session: session.execute(change))
    assert not moves(lambda session: session.execute(change), commit=False)


def test_what_an_account_is_asked_for_is_what_moves_it():
    for statement in auth.ACCOUNT_QUERIES.values():
        columns = {column.name for column in statement.selected_columns}
        assert columns <= {*DECIDING, "id", "groups", "token_id", "expiry", "scope", "shares_limits"}


@for_each(
    "change,counts",
    [
        ({"last_used": WHEN, "last_address": "192.0.2.7"}, False),
        ({"name": "Tagger"}, False),
        ({"expiry": WHEN}, True),
        ({"scope": "read"}, True),
    ],
)
def test_of_a_token_what_it_opens_moves_it_and_its_use_does_not(moves, made, change, counts):
    work = update(ApiToken).where(ApiToken.user_id == made["user"]).values(change)
    assert moves(lambda session: session.execute(work)) is counts


def test_a_further_token_moves_it_as_the_others_share_their_limits_with_it(moves, made):
    token = ApiToken(user_id=made["user"], digest="e" * 64, token_key="l")
    assert moves(lambda session: session.add(token))


@for_each("column", USES)
def test_what_does_not_decide_leaves_it(moves, made, column):
    change = update(User).where(User.id == made["user"]).values({column: USES[column]})
    assert not moves(lambda session: session.execute(change))


def test_tokens_and_groups_move_it(moves):
    for change in (
        update(ApiToken).values(expiry=WHEN),
        delete(ApiToken),
        delete(user_group_member),
        update(Group).values(name=Group.name + "s"),
        delete(User).where(User.username == "Nora"),
    ):
        assert moves(lambda session, change=change: session.execute(change)), str(change)


def test_a_write_to_the_catalog_moves_it_once_committed(moves, made):
    def create(session):
        Catalog(session).create(Arc, {"name": "Salt Tide"})

    assert moves(create)
    assert not moves(create, commit=False)


def test_stars_move_it(moves, made):
    def rated(stars):
        def work(session):
            issue = session.get(Issue, made["issue"])
            ratings.rate(session, issue, made["user"], stars, today=date(2026, 1, 1))

        return work

    assert moves(rated(4))
    assert not moves(rated(4))  # the same again
    assert moves(lambda session: deletion.remove_account(session, session.get(User, made["user"])))
