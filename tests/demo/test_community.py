"""The polls and the announcement of the demo, which need the demo's accounts."""

from datetime import UTC, datetime

from sqlalchemy import select

from comicsdb.community import polls
from comicsdb.community.polls import Status, status_of
from comicsdb.models import Announcement, Poll
from comicsdb_demo import DATA
from comicsdb_demo.community import POLLS, add_community
from tests.dataset import read_set

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_one_poll_is_open_and_one_is_closed_with_what_it_came_to(make, session):
    users = {row["username"]: make.user(row["username"]) for row in read_set(DATA)["users"]}
    assert add_community(session, NOW) == sum(len(each["votes"]) for each in POLLS)
    made = session.scalars(select(Poll).order_by(Poll.start_date.desc())).all()
    assert [status_of(each, NOW) for each in made] == [Status.ACTIVE, Status.CLOSED]
    assert sorted(result.votes for result in polls.results(session, made[1].id)) == [0, 1, 2, 3]
    assert polls.chosen_by(session, made[0].id, users["reader"].id) is None
    announcement = session.scalars(select(Announcement)).one()
    assert announcement.active


def test_without_the_accounts_of_the_demo_nobody_is_asked(make, session):
    make.user("admin")
    assert add_community(session, NOW) == 0
    assert session.scalars(select(Poll)).all() == []


def test_what_can_be_answered_is_in_the_catalog():
    made = read_set(DATA)
    names = {row["name"] for kind in ("characters", "publishers") for row in made[kind]}
    assert {choice for poll in POLLS for choice in poll["choices"]} <= names
