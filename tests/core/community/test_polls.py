"""Polls: their status, votes and results, and the actions of the staff."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from comicsdb import admin
from comicsdb.accounts.deletion import remove_account
from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.catalog.errors import ForbiddenError
from comicsdb.community import polls
from comicsdb.community.polls import Status
from comicsdb.models import Poll, PollChoice, PollVote, StaffAction
from tests.cases import for_each
from tests.concurrency import run_concurrently
from tests.factories import Factories
from tests.refused import refused

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
END = START + timedelta(days=7)
NOW = START + timedelta(days=1)
MOMENT = timedelta(microseconds=1)


def values(**changed):
    given = {"title": "Which cover?", "description": "", "start_date": START, "end_date": END}
    return given | {"choices": ["The red one", "The blue one", "Neither"]} | changed


def made(session, **changed) -> Poll:
    poll = admin.create_poll(session, None, values(**changed))
    session.flush()
    return poll


def choice_ids(session, poll) -> list[int]:
    return [each.id for each in polls.choices(session, poll.id)]


def counted(session, poll) -> list[tuple[str, int, int]]:
    return [(each.choice.text, each.votes, each.percent) for each in polls.results(session, poll.id)]


def test_a_poll_is_open_from_its_start_to_its_end_both_included(session):
    poll = made(session)
    stands = [polls.status_of(poll, at) for at in (START - MOMENT, START, END, END + MOMENT)]
    assert stands == [Status.UPCOMING, Status.ACTIVE, Status.ACTIVE, Status.CLOSED]


def test_open_polls_come_first_then_those_to_come_then_closed_ones(session):
    day = timedelta(days=1)
    for title, start, end in (
        ("long closed", -9, -8),
        ("open", -2, 2),
        ("upcoming", 3, 4),
        ("just closed", -4, -3),
        ("newly open", -1, 1),
        ("far away", 8, 9),
    ):
        made(session, title=title, start_date=NOW + start * day, end_date=NOW + end * day)
    rows, order = polls.select_polls(NOW)
    titles = [row.Poll.title for row in session.execute(rows.order_by(*order))]
    assert titles == ["newly open", "open", "far away", "upcoming", "just closed", "long closed"]


def test_votes_are_counted_in_the_order_of_the_choices(session, make):
    poll = made(session)
    red, blue, _neither = choice_ids(session, poll)
    assert counted(session, poll) == [("The red one", 0, 0), ("The blue one", 0, 0), ("Neither", 0, 0)]
    voters = [make.user() for _ in range(3)]
    for voter, choice in zip(voters, (blue, red, blue), strict=True):
        polls.vote(session, poll.id, choice, voter.id, NOW)
    assert counted(session, poll) == [("The red one", 1, 33), ("The blue one", 2, 67), ("Neither", 0, 0)]
    assert polls.chosen_by(session, poll.id, voters[1].id) == red
    assert polls.chosen_by(session, poll.id, make.user().id) is None


def test_a_vote_stands_and_counts_while_the_poll_is_open_alone(session, make):
    poll, user = made(session), make.user()
    red, blue, _neither = choice_ids(session, poll)
    for at in (START - MOMENT, END + MOMENT):
        with pytest.raises(ForbiddenError):
            polls.vote(session, poll.id, red, user.id, at)
    polls.vote(session, poll.id, red, user.id, NOW)
    for again in (red, blue):
        with pytest.raises(ForbiddenError):
            polls.vote(session, poll.id, again, user.id, NOW)
    assert polls.chosen_by(session, poll.id, user.id) == red


def test_the_choice_is_one_of_the_poll(session, make):
    poll, other, user = made(session), made(session), make.user()
    foreign = choice_ids(session, other)[0]
    with pytest.raises(NotFoundError):
        polls.vote(session, poll.id, foreign, user.id, NOW)
    with pytest.raises(NotFoundError):
        polls.vote(session, other.id + 1, foreign, user.id, NOW)
    row = insert(PollVote).values(poll_id=poll.id, choice_id=foreign, user_id=user.id)
    with pytest.raises(IntegrityError, match="fk_poll_vote_poll_id_choice_id_poll_choice"):
        session.execute(row)


def test_a_poll_ends_after_it_begins_whoever_writes_it(session):
    session.add(Poll(title="x", start_date=START, end_date=START))
    with pytest.raises(IntegrityError, match="ck_poll_period"):
        session.flush()


@for_each(
    "wrong,field",
    [
        ({"title": " "}, "title"),
        ({"title": "x" * 256}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"description": "a\0b"}, "description"),
        ({"description": "x" * 10_001}, "description"),
        ({"start_date": None}, "start_date"),
        ({"end_date": None}, "end_date"),
        ({"end_date": START}, "end_date"),
        ({"choices": ["one", " "]}, "choices"),
        ({"choices": ["Same", "same "]}, "choices"),
        ({"choices": ["x" * 256, "y"]}, "choices"),
        ({"choices": [str(n) for n in range(21)]}, "choices"),
    ],
)
def test_wrong_values_are_told_by_field(session, wrong, field):
    assert refused(admin.create_poll, session, None, values(**wrong)) == {field}
    assert session.scalar(select(func.count()).select_from(Poll)) == 0


def test_the_choices_stay_once_somebody_has_voted(session, make):
    poll, user = made(session), make.user()
    changed = admin.change_poll(session, None, poll.id, values(choices=["Yes", "", "No"]))
    assert changed == {"choices": [["The red one", "The blue one", "Neither"], ["Yes", "No"]]}
    assert [each.text for each in polls.choices(session, poll.id)] == ["Yes", "No"]
    polls.vote(session, poll.id, choice_ids(session, poll)[0], user.id, NOW)
    with pytest.raises(InvalidError, match="choices"):
        admin.change_poll(session, None, poll.id, values(choices=["Yes", "Perhaps"]))
    before = poll.modified
    later = END + timedelta(days=1)
    admin.change_poll(session, None, poll.id, values(choices=["Yes", "No"], end_date=later))
    session.refresh(poll)
    assert (poll.end_date, poll.modified > before) == (later, True)
    assert admin.change_poll(session, None, poll.id, {}) == {}
    assert counted(session, poll) == [("Yes", 1, 100), ("No", 0, 0)]


def test_what_the_staff_does_is_logged_and_a_deleted_poll_takes_its_votes_along(session, make):
    clerk = make.user("clerk", is_staff=True)
    poll = admin.create_poll(session, clerk, values())
    assert poll.created_by_id == clerk.id
    polls.vote(session, poll.id, choice_ids(session, poll)[0], make.user().id, NOW)
    admin.delete_poll(session, clerk, poll.id)
    for model in (Poll, PollChoice, PollVote):
        assert session.scalar(select(func.count()).select_from(model)) == 0
    lines = session.scalars(select(StaffAction).where(StaffAction.kind == "poll").order_by(StaffAction.id))
    assert [(line.action, line.actor_name, line.target) for line in lines] == [
        ("create", "clerk", "Which cover?"),
        ("delete", "clerk", "Which cover?"),
    ]
    with pytest.raises(NotFoundError):
        admin.delete_poll(session, clerk, poll.id)


def test_an_account_that_goes_takes_its_vote_along_and_leaves_its_polls(session, make):
    author, voter = make.user(), make.user()
    poll = admin.create_poll(session, author, values())
    for user in (author, voter):
        polls.vote(session, poll.id, choice_ids(session, poll)[0], user.id, NOW)
    remove_account(session, author)
    session.expire_all()
    assert session.get(Poll, poll.id).created_by_id is None
    assert session.scalars(select(PollVote.user_id)).all() == [voter.id]


# Concurrent votes, each on a separate connection.


@pytest.fixture
def open_poll(factory):
    """The ids of an open poll, of its choices and of an account."""
    with factory() as session:
        user, poll = Factories(Catalog(session)).user().id, made(session)
        session.commit()
        return poll.id, choice_ids(session, poll), user


def voting(poll, choice, user):
    """A job that votes: its result is True if the vote counts, else the name of the exception."""

    def job(catalog):
        try:
            polls.vote(catalog.session, poll, choice, user, NOW)
        except (ForbiddenError, NotFoundError) as error:
            return type(error).__name__
        return True

    return job


def test_of_many_votes_at_once_by_one_account_one_counts(factory, open_poll):
    poll, choices, user = open_poll
    answers = run_concurrently(factory, *(voting(poll, choice, user) for choice in choices * 2))
    assert sorted(map(str, answers)) == ["ForbiddenError"] * 5 + ["True"]
    with factory() as session:
        voted = session.scalars(select(PollVote)).all()
    assert [each.choice_id for each in voted] == [choices[answers.index(True) % 3]]


def test_a_vote_meets_a_poll_that_is_changed_or_deleted_without_a_fault(factory, open_poll):
    """Either the vote came first and the choices stay, or they were replaced and its choice is unknown."""
    poll, choices, user = open_poll

    def change(catalog):
        try:
            admin.change_poll(catalog.session, None, poll, values(choices=["Yes", "No"]))
        except InvalidError:
            return "kept"
        return "changed"

    voted, changed = run_concurrently(factory, voting(poll, choices[0], user), change)
    assert (voted, changed) in {(True, "kept"), ("NotFoundError", "changed")}
    with factory() as session:
        left = [each.id for each in polls.choices(session, poll)]

    def delete(catalog):
        admin.delete_poll(catalog.session, None, poll)

    with factory() as session:
        others = [Factories(Catalog(session)).user().id for _ in range(2)]
        session.commit()
    answers = run_concurrently(factory, delete, *(voting(poll, left[0], other) for other in others))
    assert set(answers[1:]) <= {True, "NotFoundError"}
    with factory() as session:
        assert session.scalar(select(func.count()).select_from(PollVote)) == 0
