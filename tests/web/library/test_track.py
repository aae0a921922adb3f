"""The track bar: own, read, want and stars with one click; visitors have to log in first."""

import pytest
from sqlalchemy import select

from comicsdb.models import CollectionItem, FormerSlug, IssueRating, LibraryAct, ReadDate, WishListItem
from tests.conftest import record_statements
from tests.web.conftest import form_to, notice, soup, start_session
from tests.web.library.wish_list_fixtures import small_catalog

FRAGMENT = {"X-Fragment": "1"}


def bar(page, issue):
    """Name and value of the pressed buttons of an issue."""
    found = page.select_one(f'[data-part="track-{issue.id}"]')
    pressed = found.select("button[aria-pressed=true]")
    return {(each["name"], each["value"]) for each in pressed}


def test_a_member_tracks_an_issue_on_a_card(testapp, make, member, session, connection):
    world = small_catalog(make)
    issue, path = world.second, f"/track/{world.second.slug}/"
    start_session(testapp, member)
    page = f"/series/{world.series.slug}/"
    answer = testapp.get(page)
    assert bar(soup(answer), issue) == set()
    token = soup(answer).select_one("#track [name=csrf_token]")["value"]

    def press(name, value, **headers):
        sent = {"csrf_token": token, "next": page, name: value}
        return testapp.post(path, sent, headers=headers)

    said = {
        ("own", "1"): "Lamplight (2019) #2 was added to your collection.",
        ("read", "1"): "Lamplight (2019) #2 is marked as read.",
        ("want", "1"): "Lamplight (2019) #2 was added to your wish list.",
        ("stars", "4"): "Your rating was saved.",
    }
    for (name, value), text in said.items():
        answer = press(name, value)
        assert (answer.status_int, answer.location) == (303, f"http://localhost{page}")
        answer = answer.follow()
        assert notice(answer).startswith(text)
        assert soup(answer).select_one(".message-undo button")
    assert bar(soup(answer), issue) == {("own", "0"), ("read", "0"), ("want", "0"), ("stars", "0")}
    assert bar(soup(answer), world.first) == set()
    for model in (CollectionItem, ReadDate, IssueRating, WishListItem):
        assert session.scalars(select(model.issue_id)).all() == [issue.id], model
    for name in ("own", "read", "want", "stars"):
        parts = soup(press(name, "0", **FRAGMENT)).select("template")
        copy = [f"copy-{issue.id}"] if name == "own" else []  # the link on the issue's page
        assert [each["data-target"] for each in parts] == [f"track-{issue.id}", *copy, "toast"]
        assert parts[0].select_one(f"button[name={name}]")["aria-pressed"] == "false"
        assert parts[-1].select_one("form.message-undo")
    for model in (CollectionItem, ReadDate, IssueRating, WishListItem):
        assert session.scalar(select(model.id)) is None, model
    # Invalid values change nothing, and requests without a CSRF token are refused.
    before = session.scalars(select(LibraryAct.id)).all()
    assert press("own", "7").status_int == press("stars", "6").status_int == 303
    assert testapp.post(path, {"own": "1"}, status=400)
    testapp.post("/track/nothing/", {"own": "1", "csrf_token": token}, status=404)
    assert session.scalars(select(LibraryAct.id)).all() == before
    # One statement loads the marks of all cards.
    with record_statements(connection) as statements:
        testapp.get("/issue/")
    assert len([each for each in statements if "unnest" in each]) == 1


def test_a_run_is_marked_as_read_up_to_a_card(testapp, make, member, session):
    world = small_catalog(make)
    address, press = f"/series/{world.series.slug}/issue_list/", f"/track/{world.second.slug}/?run=1"
    assert not soup(testapp.get(address)).select("[name=up_to]")
    start_session(testapp, member)
    page = soup(testapp.get(address))
    assert [each["formaction"] for each in page.select("[name=up_to]")][1] == press
    fields = {"csrf_token": page.select_one("#track [name=csrf_token]")["value"], "up_to": "1"}
    found = soup(testapp.post(press, fields, headers={"X-Fragment": "1"}))
    bars = {each["data-target"]: each for each in found.select("template")}
    assert bars["toast"].div["data-say"] == "2 issues were marked as read."
    assert list(bars) == [f"track-{world.first.id}", f"track-{world.second.id}", "toast"]
    assert all(bars[each].select("[name=read][aria-pressed=true]") for each in list(bars)[:2])
    assert len(found.select("[name=up_to]")) == 2
    read = session.scalars(select(ReadDate.issue_id).where(ReadDate.user_id == member.id)).all()
    assert sorted(read) == [world.first.id, world.second.id]


@pytest.mark.parametrize("site", ["same-origin", "cross-site"])
def test_what_a_visitor_asks_for_is_done_after_log_in(testapp, make, member, session, site):
    world = small_catalog(make)
    page = f"/issue/{world.second.slug}/"
    shown = testapp.get(page)
    assert soup(shown).select_one("#track [name=csrf_token]") is None
    button = soup(shown).select_one(".track button[name=read]")
    sent = {"read": button["value"], "next": page}
    status = 303 if site == "same-origin" else 403
    answer = testapp.post(button["formaction"], sent, headers={"Sec-Fetch-Site": site}, status=status)
    if site == "cross-site":
        assert "asked" not in testapp.cookies
        return
    answer = answer.follow()
    assert notice(answer) == "Log in or sign up to continue: what you chose will then be saved."
    form = form_to(answer, "/accounts/login/")
    form["username"], form["password"] = "Nora", "correct horse"
    answer = form.submit().follow().follow()
    assert answer.request.path == page
    assert notice(answer).startswith("Lamplight (2019) #2 is marked as read.")
    assert session.scalars(select(ReadDate.issue_id)).all() == [world.second.id]
    assert testapp.get("/track/").location == "http://localhost/"  # once only


def test_what_a_visitor_asked_for_follows_an_issue_to_its_new_address(testapp, make, member, session):
    world = small_catalog(make)
    old = world.second.slug
    sent = {"read": "1", "next": f"/issue/{old}/"}
    answer = testapp.post(f"/track/{old}/", sent, headers={"Sec-Fetch-Site": "same-origin"})
    session.add(FormerSlug(kind="issue", slug=old, object_id=world.second.id))
    world.second.slug = "lamplight-2020-2"
    session.commit()
    form = form_to(answer.follow(), "/accounts/login/")
    form["username"], form["password"] = "Nora", "correct horse"
    answer = form.submit().follow().follow().follow()
    assert answer.request.path == "/issue/lamplight-2020-2/"
    assert notice(answer).startswith("Lamplight (2019) #2 is marked as read.")
    assert session.scalars(select(ReadDate.issue_id)).all() == [world.second.id]


@pytest.mark.parametrize("long", ["next", "want"])
def test_what_is_too_long_for_a_cookie_is_left_out(testapp, make, member, session, long):
    world = small_catalog(make)
    page = f"/issue/{world.second.slug}/"
    sent = {"want": "1", "next": "/issue/"} | {long: f"/issue/?series_name={'x' * 3000}"}
    answer = testapp.post(f"/track/{world.second.slug}/", sent, headers={"Sec-Fetch-Site": "same-origin"})
    assert len(testapp.cookies["asked"]) < 2000
    form = form_to(answer.follow(), "/accounts/login/")
    form["username"], form["password"] = "Nora", "correct horse"
    answer = form.submit().follow()
    assert answer.location == f"http://localhost{page if long == 'next' else '/issue/'}"
    assert session.scalars(select(WishListItem.issue_id)).all() == (
        [world.second.id] if long == "next" else []
    )
