"""The pages of polls: the list, votes, hidden results, and their administration by the staff."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from comicsdb import admin, clock
from comicsdb.accounts.passwords import Passwords
from comicsdb.community import polls
from comicsdb.models import Poll, PollVote
from tests.conftest import record_statements
from tests.web.conftest import PASSWORD, field_errors, form_to, notice, soup, start_session, submit

DAY = timedelta(days=1)
FRAGMENT = {"X-Fragment": "1"}


@pytest.fixture
def ask(session):
    """`ask(title, first, last)`: create a poll that begins and ends so many days from now."""

    def asked(title="Which cover?", first=-1, last=1):
        now = clock.now()
        values = {"title": title, "description": "Look at both.", "choices": ["Red", "Blue"]}
        values |= {"start_date": now + first * DAY, "end_date": now + last * DAY}
        poll = admin.create_poll(session, None, values)
        session.commit()
        return poll

    return asked


@pytest.fixture
def clerk(testapp, make):
    """A staff account, logged in."""
    clerk = make.user("clerk", password=PASSWORD, passwords=Passwords("fast"), is_staff=True)
    start_session(testapp, clerk)
    return clerk


def vote_for(session, poll, user, place=0):
    polls.vote(session, poll.id, polls.choices(session, poll.id)[place].id, user.id, clock.now())
    session.commit()


def shown(response) -> list[str]:
    """The lines of the results on a page."""
    return [each.get_text(" ", strip=True) for each in soup(response).select(".poll-line")]


def test_the_list_says_where_each_poll_stands(testapp, session, make, ask):
    ask("closed", -3, -2), ask("upcoming", 1, 2)
    vote_for(session, ask("open"), make.user())
    cards = soup(testapp.get("/polls/")).select(".poll-card")
    lines = [[each.h2.get_text(), each.select_one(".tag").get_text(strip=True)] for each in cards]
    assert lines == [["open", "Open"], ["upcoming", "Upcoming"], ["closed", "Closed"]]
    assert [("1 vote" in each.get_text(), "0 votes" in each.get_text()) for each in cards] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert "no-store" in testapp.get("/polls/").headers["Cache-Control"]


def test_twenty_polls_a_page_in_two_statements(testapp, connection, ask):
    for number in range(21):
        ask(f"Poll {number}")
    with record_statements(connection) as statements:
        page = testapp.get("/polls/")
    assert len(statements) == 2, statements
    assert len(soup(page).select(".poll-card")) == 20
    assert len(soup(testapp.get("/polls/?page=2")).select(".poll-card")) == 1
    assert testapp.get("/polls/?page=3", expect_errors=True).status_int == 404


def test_results_are_hidden_while_a_poll_is_open_unless_one_has_voted(testapp, session, make, ask, reader):
    poll = ask()
    vote_for(session, poll, make.user(), place=1)
    page = testapp.get(f"/polls/{poll.id}/")
    assert (shown(page), "1 vote" in page.text) == ([], False)
    labels = [each.get_text() for each in soup(page).select(".poll-choice label")]
    assert labels == ["Red", "Blue"]
    form = form_to(page, f"/polls/{poll.id}/vote/")
    form["choice"] = str(polls.choices(session, poll.id)[0].id)
    page = form.submit(status=303).follow()
    assert notice(page) == "Your vote was counted. These are the results so far."
    assert shown(page) == ["Red your vote 50% 1 vote", "Blue 50% 1 vote"]
    assert soup(page).select_one(".poll-mine").progress.attrs["value"] == "1"
    assert form_to_vote(page) is None


def form_to_vote(page):
    return soup(page).select_one(".poll-form")


def test_a_poll_in_few_statements(testapp, session, connection, make, ask):
    poll = ask()
    for _ in range(5):
        vote_for(session, poll, make.user())
    for first, last, most in ((-1, 1, 2), (-2, -1, 2), (1, 2, 1)):
        poll.start_date, poll.end_date = clock.now() + first * DAY, clock.now() + last * DAY
        session.commit()
        with record_statements(connection) as statements:
            testapp.get(f"/polls/{poll.id}/")
        assert len(statements) == most, statements


def test_strangers_see_the_choices_and_the_way_to_log_in(testapp, session, make, ask):
    poll = ask()
    vote_for(session, poll, make.user())
    page = soup(testapp.get(f"/polls/{poll.id}/"))
    assert [each.get_text() for each in page.select(".poll-choices li")] == ["Red", "Blue"]
    link = page.select_one("#poll a")["href"]
    assert link == f"/accounts/login/?next=%2Fpolls%2F{poll.id}%2F"
    assert page.select(".poll-line, .poll-form") == []


def test_a_closed_poll_shows_everybody_what_came_of_it(testapp, session, make, ask):
    poll = ask()
    vote_for(session, poll, make.user())
    poll.start_date, poll.end_date = clock.now() - 2 * DAY, clock.now() - DAY
    session.commit()
    assert shown(testapp.get(f"/polls/{poll.id}/")) == ["Red 100% 1 vote", "Blue 0% 0 votes"]


def test_a_poll_to_come_says_when_it_opens_and_no_more(testapp, ask, reader):
    page = testapp.get(f"/polls/{ask(first=1, last=2).id}/")
    assert soup(page).select_one("#poll").get_text().strip().startswith("Opens on ")
    assert "Red" not in soup(page).main.get_text()


@pytest.mark.parametrize(("first", "last"), [(1, 2), (-2, -1)])
def test_nobody_votes_in_a_poll_that_is_not_open(testapp, session, ask, reader, first, last):
    poll = ask(first=first, last=last)
    choice = polls.choices(session, poll.id)[0].id
    assert cast(testapp, poll, ask(), choice).status_int == 403
    assert session.scalar(select(func.count()).select_from(PollVote)) == 0


def cast(testapp, poll, open_one, choice, headers=None):
    """Vote in a poll, with the CSRF token from the page of an open one."""
    token = soup(testapp.get(f"/polls/{open_one.id}/")).select_one(".poll-form input[name=csrf_token]")
    given = {"csrf_token": token["value"]} | ({"choice": choice} if choice is not None else {})
    return testapp.post(f"/polls/{poll.id}/vote/", given, headers=headers or {}, expect_errors=True)


def test_bad_votes_are_refused_each_in_its_way(testapp, session, ask, reader):
    poll, other = ask(), ask("Another")
    foreign, mine = (polls.choices(session, each.id)[0].id for each in (other, poll))
    for choice, status in (
        (None, 400),
        ("", 400),
        ("-1", 400),
        ("²", 400),
        (foreign, 404),
        (10**9, 404),
        (10**30, 404),
    ):
        assert cast(testapp, poll, poll, choice).status_int == status, choice
    assert cast(testapp, poll, other, mine).status_int == 303
    again = cast(testapp, poll, other, mine)
    assert again.status_int == 403
    assert testapp.get("/polls/99999999999/", expect_errors=True).status_int == 404
    assert testapp.get(f"/polls/{poll.id}/vote/", expect_errors=True).status_int == 405


def test_a_vote_in_place_answers_with_the_results(testapp, session, ask, reader):
    poll = ask()
    choice = polls.choices(session, poll.id)[1].id
    response = cast(testapp, poll, poll, choice, FRAGMENT)
    template = soup(response).select_one("template")
    assert (response.status_int, template["data-target"], template["data-mode"]) == (200, "poll", "replace")
    assert "Blue" in template.decode_contents()
    assert "your vote" in template.decode_contents()


def test_strangers_who_vote_are_sent_to_log_in_and_back_to_the_poll(testapp, ask):
    poll = ask()
    testapp.get("/accounts/login/")  # sets the cookie of the CSRF token
    token = form_to(testapp.get("/accounts/login/"), "/accounts/login/")["csrf_token"].value
    response = testapp.post(
        f"/polls/{poll.id}/vote/",
        {"choice": "1", "csrf_token": token},
        headers={"Referer": f"http://localhost/polls/{poll.id}/"},
    )
    assert response.location.endswith(f"/accounts/login/?next=%2Fpolls%2F{poll.id}%2F")


def test_the_staff_deletes_and_others_do_not(testapp, session, ask, make, reader):
    poll = ask()
    vote_for(session, poll, make.user())
    address = f"/polls/{poll.id}/delete/"
    assert testapp.get(address, expect_errors=True).status_int == 403
    assert "Delete" not in soup(testapp.get(f"/polls/{poll.id}/")).main.get_text()
    reader.is_staff = True
    session.commit()
    assert "with its 1 vote." in soup(testapp.get(address)).main.get_text()
    page = submit(testapp, address).follow()
    assert notice(page) == "The poll was deleted."
    assert session.scalar(select(func.count()).select_from(Poll)) == 0
    assert testapp.get(address, expect_errors=True).status_int == 404


def test_the_administration_makes_and_changes_polls(testapp, session, clerk, make):
    fields = {"title": "Next", "start_date": "2026-03-01T09:30", "end_date": "2026-02-01T09:30"}
    refused = submit(testapp, "/admin/poll/add/", status=422, choices="One\n", **fields)
    assert field_errors(refused) == {
        "end_date": "The end must be after the beginning.",
        "choices": "A poll needs at least two choices.",
    }
    labels = soup(refused).select(".form-errors a")
    assert [each.get_text() for each in labels] == ["Closes", "Choices"]  # as next to the fields
    wrong = submit(testapp, "/admin/poll/add/", status=422, **fields | {"end_date": "soon"})
    assert field_errors(wrong) == {"end_date": "Enter the date and time as 2026-12-31T18:00."}
    fields |= {"end_date": "2026-03-08T09:30", "choices": "One\r\nTwo"}
    assert notice(submit(testapp, "/admin/poll/add/", **fields).follow()) == "Saved."
    poll = session.scalars(select(Poll)).one()
    assert poll.start_date.isoformat() == "2026-03-01T14:30:00+00:00"  # half past nine in New York
    assert poll.created_by_id == clerk.id
    address = f"/admin/poll/{poll.id}/"
    assert notice(submit(testapp, address).follow()) == "Nothing to change."
    assert notice(submit(testapp, address, title="Now").follow()) == "Saved."
    wrong = submit(testapp, address, status=422, title_it="x" * 256, choices_it="Uno")
    assert set(field_errors(wrong)) == {"title_it", "choices_it"}
    assert field_errors(wrong)["choices_it"] == "Enter as many choices as in English, in the same order."
    italian = {"title_it": "Ora", "description_it": "Scegli.", "choices_it": "Uno\r\nDue"}
    assert notice(submit(testapp, address, **italian).follow()) == "Saved."
    assert notice(submit(testapp, address).follow()) == "Nothing to change."
    assert "it: Uno; Due" in soup(testapp.get("/admin/action/")).main.get_text()
    assert [
        each.th.get_text(strip=True) for each in soup(testapp.get("/admin/poll/?q=ora")).select("tbody tr")
    ]
    polls.vote(session, poll.id, polls.choices(session, poll.id)[0].id, clerk.id, poll.start_date)
    session.commit()
    for language, texts in (("it", ("Ora", "Scegli.", "Uno", "Due")), ("en", ("Now", "One", "Two"))):
        testapp.set_cookie("language", language)
        page = soup(testapp.get(f"/polls/{poll.id}/")).main.get_text()
        assert [each for each in texts if each not in page] == []
    assert soup(testapp.get(address)).select_one("#choices").has_attr("readonly")
    votes = soup(testapp.get(f"{address}votes/")).select("tbody tr")
    assert [each.th.get_text(strip=True) for each in votes] == ["clerk"]
    for state, titles in (("closed", ["Now"]), ("active", [])):
        page = soup(testapp.get("/admin/poll/", {"state": state}))
        assert [each.th.get_text(strip=True) for each in page.select("tbody tr")] == titles
