"""Likes and copies of reading lists, sorting by likes, and the preview picture for other sites."""

import io

import pytest
from PIL import Image
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords
from comicsdb.library import reading_lists as lists
from comicsdb.models import FormerSlug, ReadingList, ReadingListLike
from tests.lists import OFFICIAL, identity_of, make_list
from tests.web.conftest import PASSWORD, form_to, form_with, notice, soup, start_session

FRAGMENT = {"X-Fragment": "1"}


@pytest.fixture
def owner(make):
    """Olga, who owns lists."""
    return make.user("Olga", password=PASSWORD, passwords=Passwords("fast"))


@pytest.fixture
def order(session, owner, world):
    return make_list(session, owner, [world.first, world.third], name="Lamplight in order")


def path(made, action=""):
    return f"/reading-lists/{made.slug}/{action}"


def likes(session):
    return session.scalars(select(ReadingListLike.reading_list_id)).all()


def test_a_member_likes_a_list_and_takes_it_back(testapp, session, order, member):
    start_session(testapp, member)
    page = testapp.get(path(order))
    token = form_with(page, "csrf_token")["csrf_token"].value
    button = soup(page).select_one("#like button")
    assert (button["name"], button["value"], button["aria-pressed"]) == ("like", "1", "false")
    answer = testapp.post(path(order, "press/"), {"csrf_token": token, "like": "1"}).follow()
    assert notice(answer).startswith("You like Lamplight in order.")
    assert soup(answer).select_one("#like .like-count").get_text() == "1"
    assert likes(session) == [order.id]
    card = soup(testapp.get("/reading-lists/")).select_one(".list-card")
    assert card.select_one(".likes").get_text() == "1 like"
    answer = testapp.post(path(order, "press/"), {"csrf_token": token, "like": "0"}, headers=FRAGMENT)
    parts = {each["data-target"]: each for each in soup(answer).select("template")}
    assert parts["like"].select_one("button")["aria-pressed"] == "false"
    assert testapp.post(parts["toast"].select_one("form")["action"], {"csrf_token": token})
    assert likes(session) == [order.id]  # undone
    testapp.post(path(order, "press/"), {"csrf_token": token, "like": "7"})
    testapp.post(path(order, "press/"), {"like": "0"}, status=400)
    assert likes(session) == [order.id]


def test_owners_see_likes_and_cannot_like(testapp, session, order, owner):
    start_session(testapp, owner)
    page = testapp.get(path(order))
    assert not soup(page).select("#like, button[name=copy]")
    token = form_with(page, "csrf_token")["csrf_token"].value
    for name, text in (
        ("like", "You cannot like your own list."),
        ("copy", "This is one of your own lists."),
    ):
        answer = testapp.post(path(order, "press/"), {"csrf_token": token, name: "1"}).follow()
        assert notice(answer) == text
    assert likes(session) == []


@pytest.mark.parametrize("name", ["like", "copy"])
def test_what_a_visitor_chooses_is_done_after_log_in(testapp, session, order, member, name):
    page = testapp.get(path(order))
    assert not soup(page).select(".list-share [name=csrf_token]")
    testapp.post(path(order, "press/"), {name: "1"}, headers={"Sec-Fetch-Site": "cross-site"}, status=403)
    sent = {name: "1", "next": path(order)}
    answer = testapp.post(path(order, "press/"), sent, headers={"Sec-Fetch-Site": "same-origin"}).follow()
    assert notice(answer) == "Log in or sign up to continue: what you chose will then be saved."
    form = form_to(answer, "/accounts/login/")
    form["username"], form["password"] = "Nora", PASSWORD
    answer = form.submit().follow().follow()
    copied = session.scalar(select(ReadingList).where(ReadingList.user_id == member.id))
    if name == "like":
        assert (answer.request.path, likes(session), copied) == (path(order), [order.id], None)
    else:
        assert answer.request.path == path(copied)
        assert notice(answer).startswith("Lamplight in order was copied.")
    assert testapp.get("/asked/reading-list/").location == "http://localhost/"  # once only


def test_what_a_visitor_chose_follows_a_list_to_its_new_address(testapp, session, order, member):
    old = path(order)
    sent = {"like": "1", "next": old}
    answer = testapp.post(f"{old}press/", sent, headers={"Sec-Fetch-Site": "same-origin"}).follow()
    session.add(FormerSlug(kind="reading_list", slug=order.slug, object_id=order.id))
    order.slug = "elsewhere"
    session.commit()
    form = form_to(answer, "/accounts/login/")
    form["username"], form["password"] = "Nora", PASSWORD
    answer = form.submit().follow().follow().follow()
    assert (answer.request.path, likes(session)) == (path(order), [order.id])


def test_a_copy_names_its_original_as_long_as_that_may_be_seen(testapp, session, order, owner, member):
    start_session(testapp, member)
    token = form_with(testapp.get(path(order)), "csrf_token")["csrf_token"].value
    answer = testapp.post(path(order, "press/"), {"csrf_token": token, "copy": "1"}).follow()
    copied = session.scalars(select(ReadingList).where(ReadingList.user_id == member.id)).one()
    assert len(soup(answer).select(".list-item")) == 2
    assert copied.is_private

    def says(made=copied):
        return [each.get_text(" ", strip=True) for each in soup(testapp.get(path(made))).select(".list-by")]

    assert says() == ["by Nora", "Copied from Lamplight in order by Olga"]
    assert "Copies" in soup(testapp.get(path(order))).select_one(".facts").get_text()
    testapp.reset()  # other readers see only the number of public copies
    assert "Copies" not in soup(testapp.get(path(order))).select_one(".facts").get_text()
    lists.update(session, identity_of(member), OFFICIAL, copied, {"is_private": False, "name": "Mine"})
    session.commit()
    assert "Copies" in soup(testapp.get(path(order))).select_one(".facts").get_text()
    lists.update(session, identity_of(owner), OFFICIAL, order, {"is_private": True})
    session.commit()
    assert says() == ["by Nora"]
    assert "Lamplight in order" not in testapp.get(path(copied)).text
    lists.remove(session, identity_of(owner), OFFICIAL, order)
    session.commit()
    assert says() == ["by Nora"]


def test_lists_are_ordered_by_likes(testapp, session, make, order, owner, member):
    make_list(session, owner, name="Another")
    start_session(testapp, member)
    token = form_with(testapp.get(path(order)), "csrf_token")["csrf_token"].value
    testapp.post(path(order, "press/"), {"csrf_token": token, "like": "1"}, headers=FRAGMENT)

    def names(page):
        return [each.get_text() for each in soup(page).select(".list-card .card-label")]

    page = testapp.get("/reading-lists/?q=a")
    assert names(page) == ["Another", "Lamplight in order"]
    page = page.click("Most liked")
    assert page.request.query_string == "q=a&sort=likes"
    assert names(page) == ["Lamplight in order", "Another"]
    assert soup(page).select_one("form.list-filters [name=sort]")["value"] == "likes"
    assert names(page.click("By name")) == ["Another", "Lamplight in order"]


def test_a_public_list_has_a_picture_whose_address_changes_with_it(testapp, session, order, owner):
    def address():
        head = soup(testapp.get(path(order)))
        assert head.select_one("meta[name='twitter:card']")["content"] == "summary_large_image"
        return head.select_one("meta[property='og:image']")["content"].removeprefix("http://localhost")

    first = address()
    assert first.startswith(path(order, "share-"))
    answer = testapp.get(first)
    assert (answer.content_type, answer.headers["Cache-Control"]) == ("image/jpeg", "public, max-age=86400")
    assert Image.open(io.BytesIO(answer.body)).size == (1200, 630)
    assert testapp.get(first).body == answer.body
    lists.update(session, identity_of(owner), OFFICIAL, order, {"name": "Another name"})
    session.commit()
    second = address()
    assert second != first
    assert testapp.get(first, status=302).location.endswith(second)
    assert testapp.get(second).body != answer.body
    lists.update(session, identity_of(owner), OFFICIAL, order, {"is_private": True})
    session.commit()
    testapp.get(second, status=404)
    start_session(testapp, owner)
    assert "/share-" not in testapp.get(path(order)).text
    testapp.get(path(order, second.rsplit("/", 1)[-1]), status=404)
