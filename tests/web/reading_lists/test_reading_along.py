"""Reading along a list: the next issue, acts on many issues, and missing issues."""

import csv
import io

import pytest
from sqlalchemy import select

from comicsdb.models import CollectionItem, LibraryAct, ReadDate, WishListItem
from tests.lists import create_issues, make_list
from tests.web.conftest import form_with, notice, soup, start_session

FRAGMENT = {"X-Fragment": "1"}


@pytest.fixture
def issues(session, make):
    return create_issues(session, make.series(name="Night"), 5)


@pytest.fixture
def order(session, make, issues):
    """A list of another account with five issues."""
    return make_list(session, make.user("Olga"), issues, name="Night in order")


@pytest.fixture
def post(testapp, member, order):
    """`post(action, **fields)`: send a form of the list's pages as Nora."""
    start_session(testapp, member)
    token = form_with(testapp.get(path(order)), "csrf_token")["csrf_token"].value

    def send(action, headers=None, status=None, **fields):
        return testapp.post(
            path(order, action), {"csrf_token": token, **fields}, headers=headers, status=status
        )

    return send


def path(made, action=""):
    return f"/reading-lists/{made.slug}/{action}"


def held(session, model, issues):
    """The positions in `issues` of those that a table has rows for."""
    rows = session.scalars(select(model.issue_id)).all()
    return [place for place, each in enumerate(issues, 1) if each.id in rows]


def next_label(page):
    found = soup(page).select_one(".next-item .item-label")
    return found and found.get_text()


def test_the_next_issue_is_read_one_after_the_other(testapp, session, order, issues, post):
    page = testapp.get(path(order))
    assert next_label(page) == "Night (2020) #1"
    assert soup(page).select_one("#list-reading .progress-line span").get_text() == "0 of 5 read, 0 owned"
    button = soup(page).select_one(".next-item button")
    answer = post("read/", issue=button["value"])
    assert answer.location.endswith(path(order, "#list-reading"))
    answer = testapp.get(path(order))
    assert notice(answer).startswith("1 issue was marked as read.")
    assert soup(answer).select_one(".message-undo")
    assert next_label(answer) == "Night (2020) #2"
    # A fragment updates the panel, the issue's buttons and the message, which has an undo button.
    answer = post("read/", FRAGMENT, issue=str(issues[1].id))
    parts = {each["data-target"]: each for each in soup(answer).select("template")}
    assert set(parts) == {f"track-{issues[1].id}", "toast", "list-reading"}
    assert next_label(answer) == "Night (2020) #3"
    assert parts["toast"].select_one(".message-undo")
    # A skipped issue is next if nothing follows the last one that was read.
    post("read/", issue=str(issues[4].id))
    assert next_label(testapp.get(path(order))) == "Night (2020) #3"
    assert held(session, ReadDate, issues) == [1, 2, 5]
    before = session.scalars(select(LibraryAct.id)).all()
    for nonsense in ("0", "x", str(issues[0].id)):  # unknown, not a number, already read
        assert post("read/", issue=nonsense).status_int == 303
    assert session.scalars(select(LibraryAct.id)).all() == before


def test_issues_are_read_up_to_one_of_the_list(testapp, session, order, issues, post):
    buttons = soup(testapp.get(path(order))).select("button[form=read-up-to]")
    assert len(buttons) == 5
    answer = post("read/", up_to=buttons[2]["value"])
    assert answer.location.endswith(f"#item-{buttons[2]['value']}")
    assert held(session, ReadDate, issues) == [1, 2, 3]
    answer = soup(post("read/", FRAGMENT, up_to=buttons[3]["value"]))
    assert answer.select_one(f"template[data-target=track-{issues[3].id}]")
    post("read/", status=404, up_to="1234567")
    post("read/", up_to=buttons[4]["value"])
    page = soup(testapp.get(path(order)))
    assert page.select_one("#list-reading .rating-note").get_text() == "You have read all of it."


def test_all_issues_are_added_marked_or_wished_but_for_some(testapp, session, order, issues, post):
    post("track/", to="collection", but="2, 4-5")
    assert held(session, CollectionItem, issues) == [1, 3]
    assert notice(testapp.get(path(order))).startswith("2 issues were added. 0 were already there.")
    post("track/", to="read", but="1")
    assert held(session, ReadDate, issues) == [2, 3, 4, 5]
    post("track/", to="wish_list", but="5")
    assert held(session, WishListItem, issues) == [2, 4]  # owned issues are left out
    post("track/", to="collection")
    assert held(session, CollectionItem, issues) == [1, 2, 3, 4, 5]
    testapp.get(path(order))
    before = session.scalars(select(LibraryAct.id)).all()
    for nonsense in ("6", "0", "3-1", "x", "1-2-3"):
        post("track/", to="collection", but=nonsense)
        assert f"“{nonsense}” is not a position in this list" in notice(testapp.get(path(order)))
    for nothing in ({"to": "collection"}, {"to": "nowhere"}, {}):
        post("track/", **nothing)
    assert session.scalars(select(LibraryAct.id)).all() == before


def test_what_is_missing_is_a_shopping_list(testapp, session, order, issues, post):
    post("track/", to="collection", but="2, 4-5")
    page = testapp.get(path(order, "missing/"))
    assert [each.get_text() for each in soup(page).select(".shopping-issue a")] == [
        f"Night (2020) #{n}" for n in (2, 4, 5)
    ]
    text = soup(page).select_one("#missing-text").get_text().split("\n")
    assert [each for each in text if each] == [f"Night (2020) #{n}" for n in (2, 4, 5)]
    answer = post("track/", to="wish_list", next=path(order, "missing/")).follow()
    assert notice(answer).startswith("3 issues were added to your wish list.")
    assert len(soup(answer).select(".shopping .tag")) == 3
    answer = testapp.get(path(order, "missing.csv"))
    assert answer.content_type == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"), newline="")))
    assert [(row["position"], row["series"], row["number"], row["wished"]) for row in rows] == [
        (n, "Night (2020)", n, "yes") for n in "245"
    ]
    post("track/", to="collection")
    assert "You own all issues in this list." in testapp.get(path(order, "missing/")).text


def test_cards_show_members_their_progress(testapp, session, make, order, issues, post):
    empty = make_list(session, make.user(), name="Nothing yet")
    post("track/", to="read", but="1-3")
    lines = {
        card.select_one(".card-label").get_text(): card.select_one(".progress-line")
        for card in soup(testapp.get("/reading-lists/")).select(".list-card")
    }
    assert lines[empty.name] is None
    assert lines[order.name].get_text(strip=True) == "2 of 5 read, 0 owned"
    testapp.reset()
    assert not soup(testapp.get("/reading-lists/")).select(".progress-line")
    assert not soup(testapp.get(path(order))).select("#list-reading, button[form=read-up-to]")
