"""The page cache: it serves anonymous visitors, and no reader's data gets into it."""

from datetime import date

import pytest

from comicsdb import admin, clock
from comicsdb.readcache.validators import ValidatorCache
from tests.conftest import record_statements
from tests.web.conftest import form_to, log_in, soup, start_session
from tests.web.test_statements import addresses

ONE = 1  # statements of a cache hit: the epoch
FIRST = 1  # additional statements of a cache miss: epoch, stamps and versions


def test_a_hit_costs_one_statement_and_a_miss_one_more_than_the_page(testapp, world, connection):
    seen = set()
    testapp.get("/health/")  # the first request of a day counts ratings
    for path, limit in addresses(world):
        with record_statements(connection) as miss:
            first = testapp.get(path)
        with record_statements(connection) as hit:
            again = testapp.get(path)
        assert first.headers["X-Cache"] == ("HIT" if path in seen else "MISS"), path
        assert again.headers["X-Cache"] == "HIT", path
        assert len(miss) <= limit + FIRST, f"{path}: {miss}"
        assert len(hit) == ONE, f"{path}: {hit}"
        assert again.body == first.body
        differing = {name for name, value in first.headers.items() if again.headers.get(name) != value}
        assert differing == {"X-Cache"}, path
        seen.add(path)


def test_after_any_commit_a_hit_asks_for_epoch_and_stamps_once(testapp, world, connection, make):
    path = f"/issue/{world.first.slug}/"
    testapp.get(path)
    make.arc(name="Elsewhere")
    with record_statements(connection) as statements:
        assert testapp.get(path).headers["X-Cache"] == "HIT"
    assert len(statements) == 2  # the epoch, and as it has changed, stamps and versions


def test_a_tag_is_answered_by_304_without_a_body(testapp, world):
    page = testapp.get("/publisher/")
    for tag in (page.headers["ETag"], f"W/{page.headers['ETag']}", f'"x", {page.headers["ETag"]}'):
        answer = testapp.get("/publisher/", headers={"If-None-Match": tag}, status=304)
        assert answer.body == b""
        assert answer.headers["ETag"] == page.headers["ETag"]
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["Vary"] == "Cookie, Accept-Language, X-Fragment"
    assert testapp.get("/publisher/", headers={"If-None-Match": '"x"'}).body == page.body


@pytest.mark.parametrize("name", ["messages", "session"])
def test_an_empty_cookie_of_ours_gets_a_page_without_markers(testapp, world, name):
    page = testapp.get("/publisher/", headers={"Cookie": f"{name}="})
    assert soup(page).html["data-theme"] == "system"
    assert "X-Cache" not in page.headers


def test_what_is_remembered_of_a_list_does_not_grow_with_what_is_asked_for(testapp, world, monkeypatch):
    remembered = ValidatorCache()
    monkeypatch.setitem(testapp.app.registry, "comicsdb.validator_cache", remembered)
    for number in range(3):
        testapp.get(f"/character/nobody-{number}/issue_list/", status=404)
    testapp.get(f"/character/{world.character.slug}/issue_list/")
    assert len(remembered.lru) == 1


def test_anonymous_readers_get_no_cookie(testapp, world):
    for path, _limit in addresses(world):
        for _ in range(2):
            page = testapp.get(path)
            assert "Set-Cookie" not in page.headers
            assert "csrf_token" not in page.text


def test_cached_page_of_a_theme_is_served_to_readers_of_that_theme_only(testapp, world):
    tags = set()
    for theme in ("system", "light", "dark"):
        testapp.set_cookie("theme", theme)
        first, second = testapp.get("/issue/"), testapp.get("/issue/")
        assert [first.headers["X-Cache"], second.headers["X-Cache"]] == ["MISS", "HIT"]
        assert first.body == second.body
        page = soup(second)
        assert page.html["data-theme"] == theme
        pressed = {button["value"] for button in page.select('[name="theme"][aria-pressed="true"]')}
        assert pressed == {theme}
        tags.add(second.headers["ETag"])
    assert len(tags) == 3


def test_languages_share_nothing(testapp, world):
    english = testapp.get("/issue/")
    italian = testapp.get("/issue/", headers={"Accept-Language": "it"})
    assert italian.headers["X-Cache"] == "MISS"
    assert (english.headers["Content-Language"], italian.headers["Content-Language"]) == ("en", "it")
    assert english.headers["ETag"] != italian.headers["ETag"]
    testapp.set_cookie("language", "it")
    assert testapp.get("/issue/").body == italian.body


def test_hosts_share_nothing(testapp, world):
    testapp.get("/issue/")
    other = testapp.get("/issue/", headers={"Host": "other.example"})
    assert other.headers["X-Cache"] == "MISS"


def test_the_order_of_parameters_does_not_matter_and_that_of_values_does(testapp, world):
    testapp.get("/series/?volume=1&language=it&language=en")
    assert testapp.get("/series/?language=it&language=en&volume=1").headers["X-Cache"] == "HIT"
    assert testapp.get("/series/?language=en&language=it&volume=1").headers["X-Cache"] == "MISS"


def test_who_is_logged_in_is_answered_by_the_views(testapp, world, member):
    path = f"/issue/{world.first.slug}/"
    testapp.get(path)
    start_session(testapp, member)
    page = testapp.get(path)
    assert not {"X-Cache", "ETag"} & set(page.headers)
    assert "Nora" in page.text
    testapp.reset()
    assert "Nora" not in testapp.get(path).text


def test_a_page_with_a_message_is_kept_by_nobody(testapp, world, member):
    log_in(testapp)
    form = form_to(testapp.get("/publisher/"), "/accounts/logout/")
    testapp.get("/publisher/")
    form.submit(status=303)
    if "messages" not in testapp.cookies:
        pytest.fail("logging out says nothing any more: find another message for this test")
    page = testapp.get("/publisher/")
    assert soup(page).select(".message")
    assert page.headers["Cache-Control"] == "no-store"
    assert "X-Cache" not in page.headers
    assert not soup(testapp.get("/publisher/")).select(".message")


@pytest.mark.parametrize(
    "path", ["/search/?q=lamp", "/reading-lists/", "/polls/", "/accounts/login/", "/issue/none/", "/issue/1/"]
)
def test_other_pages_are_not_kept(testapp, world, path):
    for _ in range(2):
        assert "X-Cache" not in testapp.get(path, expect_errors=True).headers


def test_an_announcement_shows_at_once(testapp, world, session):
    testapp.get("/")
    values = {"title": "News", "content": "", "display_type": "primary", "active": True}
    found = admin.create_announcement(session, None, values | {"start_date": None, "end_date": None})
    session.commit()
    assert "News" in testapp.get("/").text
    assert testapp.get("/").headers["X-Cache"] == "HIT"
    admin.change_announcement(session, None, found, {"title": "Other words"})
    session.commit()
    assert "Other words" in testapp.get("/").text
    admin.delete_announcement(session, None, found)
    session.commit()
    assert "Other words" not in testapp.get("/").text


def test_who_has_closed_an_announcement_has_a_home_page_of_his_own(testapp, world):
    testapp.get("/")
    testapp.set_cookie("dismissed", "1")
    assert "X-Cache" not in testapp.get("/").headers
    assert testapp.get("/issue/").headers["X-Cache"] == "MISS"


def test_a_new_day_makes_new_pages(testapp, world, monkeypatch):
    testapp.get("/issue/")
    monkeypatch.setattr(clock, "business_day", lambda _zone, _moment=None: date(2031, 5, 1))
    assert testapp.get("/issue/").headers["X-Cache"] == "MISS"


def test_figures_are_kept_with_their_moment(testapp, world, wsgi):
    testapp.get("/statistics/")
    assert testapp.get("/statistics/").headers["X-Cache"] == "MISS"
    page = testapp.get("/statistics/")
    assert page.headers["X-Cache"] == "HIT"
    wsgi.registry["comicsdb.cache"].clear()
    testapp.get("/statistics/")
    assert testapp.get("/statistics/").headers["X-Cache"] == "MISS"


def test_head_shares_the_page(testapp, world):
    page = testapp.get("/arc/")
    head = testapp.head("/arc/")
    assert (head.headers["X-Cache"], head.body) == ("HIT", b"")
    assert head.headers["ETag"] == page.headers["ETag"]


def test_made_up_parameters_make_no_new_pages(testapp, world):
    pages = {
        "/": "",
        f"/issue/{world.first.slug}/": "page=2&q=x&sort=added",
        "/issue/": "sort=added",
        "/series/": "language=it&language=en&volume=1",
        f"/character/{world.character.slug}/issue_list/": "sort=cover_new",
        "/character/": "q=read-by-searches-only",
    }
    for path, query in pages.items():
        plain = testapp.get(f"{path}?{query}")
        for number in range(3):
            odd = f"{path}?&utm_{number}={number}&{query}&%71{number}=&Page=2&=&{'x' * 300}"
            page = testapp.get(odd)
            assert page.headers["X-Cache"] == "HIT", odd
            assert page.body == plain.body


def test_an_encoded_name_of_a_parameter_is_known(testapp, world):
    plain = testapp.get("/series/?q=lamp")
    assert testapp.get("/series/?%71=lamp").headers["X-Cache"] == "MISS"
    assert soup(testapp.get("/series/?%71=nothing+is+called+that")).select(".empty")
    assert soup(plain).select(".card")


def test_links_of_members_repeat_only_known_parameters(testapp, world, make, reader):
    for number in range(30):
        make.publisher(name=f"House {number}")
    for path in (
        "/publisher/?name=House&utm_made=up",
        "/issue/?sort=added&utm_made=up",
        "/collection/?utm_made=up&q=x",
    ):
        page = testapp.get(path)
        assert "Nora" in page.text
        assert "utm_made" not in page.text
    assert "/publisher/?name=House&amp;page=2" in testapp.get("/publisher/?utm_made=up&name=House").text
