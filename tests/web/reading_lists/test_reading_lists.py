"""Pages of reading lists: their overview with its filters, the page of a list, and who can see it."""

import pytest
from sqlalchemy import update

from comicsdb.accounts.passwords import Passwords
from comicsdb.library import reading_lists as lists
from comicsdb.library.reading_lists import figures, items, ratings
from comicsdb.models import ReadingList
from tests.conftest import record_statements
from tests.lists import OFFICIAL, create_issues, identity_of, locked_list, make_list
from tests.web.conftest import PASSWORD, details, form_to, soup, start_session
from tests.web.forms.form_helpers import log_in_as


def names(page):
    """The names of the lists on a page, in order."""
    return [each.get_text(strip=True) for each in soup(page).select(".list-card .card-label")]


def chips(page):
    return [each.get_text(" ", strip=True) for each in soup(page).select(".chips a.tag:not(.tag-clear)")]


def lines(page):
    """Number and label of each issue on the page of a list."""
    return [
        (each.select_one(".item-order").get_text(" ", strip=True), each.select_one(".item-label").get_text())
        for each in soup(page).select(".list-item")
    ]


@pytest.fixture
def owner(make):
    """Olga, who owns lists."""
    return make.user("Olga", password=PASSWORD, passwords=Passwords("fast"))


@pytest.fixture
def order(session, make, world, owner):
    """A public list of four issues, with two types and one issue without type, rated by two readers."""
    made = make_list(
        session,
        owner,
        [world.first, world.second, world.third, world.reprint],
        name="Lamplight in order",
        desc=" ".join(f"word{n}" for n in range(1, 31)),
        list_type="STORY",
    )
    rows = session.scalars(figures.items(made.id)).all()
    grip = locked_list(session, owner, made)
    for row, code in zip(rows, ("PROLOGUE", "CORE", "CORE", ""), strict=True):
        items.set_type(grip, row.id, code)
    for stars in (4, 5):
        ratings.rate(session, identity_of(make.user()), OFFICIAL, made, stars)
    session.commit()
    return made


def path(made, action=""):
    return f"/reading-lists/{made.slug}/{action}"


def token_of(testapp):
    return form_to(testapp.get("/accounts/"), "/accounts/logout/")["csrf_token"].value


def test_a_card_says_what_a_list_is(testapp, order):
    card = soup(testapp.get("/reading-lists/")).select_one(".list-card")
    assert card.select_one(".tag").get_text() == "Story"
    assert card.select_one(".card-label")["href"] == path(order)
    assert card.select_one(".card-foot").get_text(" ", strip=True) == "4 issues 2019–2020 by Olga"
    assert card.select_one("svg.stars")["aria-label"] == "4.5 of 5 stars"
    assert len(card.select(".fan img")) == 1  # only one of the issues has a cover
    assert card.select_one(".list-words").get_text() == " ".join(f"word{n}" for n in range(1, 19)) + "…"


def test_the_page_shows_the_issues_in_order_and_what_they_are_made_of(testapp, order, world):
    page = testapp.get(path(order))
    assert page.headers["Cache-Control"] == "private, no-store"
    assert lines(page) == [
        ("Number 1", "Lamplight (2019) #1"),
        ("Number 2", "Lamplight (2019) #2"),
        ("Number 3", "Lamplight (2019) #3"),
        ("Number 4", world.reprint.label),
    ]
    tree = soup(page)
    counts = {each.dt.get_text(): each.dd.get_text() for each in tree.select(".list-counts > div")}
    assert counts == {"Issues": "4", "Years": "2019–2020", "Publisher": "1", "Series": "2"}
    bar = tree.select(".composition-bar rect")
    assert [(each["class"], each["x"], each["width"]) for each in bar] == [
        (["part-prologue"], "0", "250.0"),
        (["part-core"], "250.0", "500.0"),
        (["part-untyped"], "750.0", "250.0"),
    ]
    assert [each.get_text(" ", strip=True) for each in tree.select(".composition-parts li")] == [
        "Prologue 1 (25%)",
        "Core Issue 2 (50%)",
        "No type 1 (25%)",
    ]
    assert tree.select("[style]") == []
    shares = [each.get_text(" ", strip=True) for each in tree.select(".shares li")]
    assert shares == [
        "Harbor House 4 issues",
        "Lamplight (2019) 3 issues",
        f"{world.book.label} 1 issue",
    ]
    people = [each.get_text(" ", strip=True) for each in tree.select(".list-people .credit-text")]
    assert people == [
        "Ada Pencil Writer, Artist · 1 issue",
        "Bo Brush Artist · 1 issue",
        "Lamplighter 2 issues",
    ]
    assert tree.select_one("#rating-head").get_text(" ", strip=True) == "4.5 (2 ratings)"
    assert details(page)["Type"] == "Story"
    assert tree.select_one("#share-address")["value"] == f"http://localhost{path(order)}"
    assert tree.select_one("[data-copy-from]")["data-copied"] == "Link copied"


def test_issues_are_filtered_by_type(testapp, order):
    for wanted, numbers, chip in (
        ("CORE", ["2", "3"], "Core Issue 2"),
        ("none", ["4"], "No type 1"),
        ("EPILOGUE", [], "Epilogue 0"),
        ("bogus", ["1", "2", "3", "4"], "All 4"),
    ):
        page = testapp.get(path(order), {"issue_type": wanted})
        assert [number.removeprefix("Number ") for number, _label in lines(page)] == numbers
        chosen = [each.get_text(" ", strip=True) for each in soup(page).select(".chips [aria-current]")]
        assert chosen == [chip]


def test_issues_come_fifty_at_a_time(testapp, session, make, owner):
    made = make_list(session, owner, create_issues(session, make.series(), 52))
    page = testapp.get(path(made))
    link = soup(page).select_one("#items-more a")
    assert len(lines(page)) == 50
    assert link["href"] == path(made, "items-load-more/?offset=50")
    rest = testapp.get(link["href"])
    assert [each[0] for each in lines(rest)] == ["Number 51", "Number 52"]
    assert soup(rest).select_one("a[rel=prev]")["href"] == path(made, "items-load-more/?offset=0")
    fragment = testapp.get(link["href"], headers={"X-Fragment": "1"})
    assert "X-Fragment" in fragment.headers["Vary"]
    targets = {each["data-target"]: each["data-mode"] for each in soup(fragment).select("template")}
    assert targets == {"items": "append", "items-more": "replace"}
    assert "More issues" not in fragment.text
    for wrong in ("-1", "x", "1.5"):
        testapp.get(path(made, f"items-load-more/?offset={wrong}"), status=400)
    assert lines(testapp.get(path(made, "items-load-more/?offset=99999999999999"))) == []


def test_filters_narrow_the_list_each_with_a_chip(testapp, session, make, world, order, owner):
    other = make_list(session, make.user("Zed"), name="Ashes", list_type="EVENT")
    session.execute(
        update(ReadingList)
        .where(ReadingList.id == other.id)
        .values(attribution_source="CBRO", rating_count=1, rating_sum=2)
    )
    session.commit()
    for query, found in (
        ("q=lamp+ORDER", [order]),
        ("q=reading+orders", [other]),
        ("q=zed", [other]),
        ("q=lamp+zed", []),
        ("name=in+order", [order]),
        ("username=OLG", [order]),
        ("publisher=harbor", [order]),
        ("publisher=nobody", []),
        ("list_type=EVENT", [other]),
        ("attribution_source=CBRO", [other]),
        ("average_rating__gte=4", [order]),
        ("average_rating__gte=2", [other, order]),
        ("stray=1&page=1", [other, order]),
        ("list_type=STORY&username=olga", [order]),
    ):
        assert names(testapp.get(f"/reading-lists/?{query}")) == [each.name for each in found], query
    page = testapp.get("/reading-lists/?list_type=STORY&username=olga&stray=1&page=1")
    assert chips(page) == ["Owner: olga Remove this filter", "Type: Story Remove this filter"]
    first = soup(page).select_one(".chips a.tag")
    assert first["href"] == "/reading-lists/?list_type=STORY"
    assert soup(page).select_one(".chips a.tag-clear")["href"] == "/reading-lists/"
    assert not soup(page).select_one(".more-filters").has_attr("open")


def test_a_value_that_makes_no_sense_is_said_beside_its_field_and_narrows_nothing(testapp, order):
    page = testapp.get("/reading-lists/?list_type=BOGUS&average_rating__gte=9&attribution_source=x&q=%00")
    assert names(page) == [order.name]
    assert chips(page) == []
    said = [each.get_text(strip=True) for each in soup(page).select(".field-error")]
    assert said == ["Choose one of the options."] * 3
    testapp.get("/reading-lists/?page=2", status=404)


def test_search_is_the_list(testapp, order):
    answer = testapp.get("/reading-lists/search?q=lamp&list_type=STORY", status=302)
    assert answer.location == "http://localhost/reading-lists/?q=lamp&list_type=STORY"
    testapp.get("/reading-lists/my-lists/", status=303)


def test_nobody_else_sees_any_trace_of_a_private_list(testapp, session, make, world, order, owner):
    hidden = make_list(session, owner, [world.first], name="Secret dusk", is_private=True)
    lists.update(session, identity_of(owner), OFFICIAL, order, {"next": hidden.id})
    session.commit()
    (item,) = session.scalars(figures.items(hidden.id)).all()
    reading = ["", "items-load-more/", "items-load-more/?offset=50"]
    writing = [
        "update/", "delete/", "add-issue/", "add-from-series/", "add-from-arc/", f"remove-issue/{item.id}/",
        f"item/{item.id}/edit-type/", f"item/{item.id}/cancel-edit-type/",
    ]  # fmt: skip
    for user, groups in ((None, ()), ("Lea", ("editor", "reading list editor"))):
        testapp.reset()
        token = "x"
        if user:
            log_in_as(testapp, make, user, groups=groups, is_staff=user == "Lea")
            token = token_of(testapp)
        for action in [*reading, *(writing if user else ())]:
            assert "Secret" not in testapp.get(path(hidden, action), status=404).text
            answer = testapp.get(path(hidden, action), headers={"X-Fragment": "1"}, status=404)
            assert "Secret" not in answer.text
        if user:
            for action in (f"item/{item.id}/update-type/", "rate/", *writing[:6]):
                answer = testapp.post(path(hidden, action), {"csrf_token": token, "rating": "5"}, status=404)
                assert "Secret" not in answer.text
        for address in ("/reading-lists/", path(order), f"/issue/{world.first.slug}/"):
            assert "Secret dusk" not in testapp.get(address).text
        count = soup(testapp.get("/reading-lists/?q=secret")).select_one(".list-count")
        assert count.get_text() == "0 results"
    # Visitors are redirected to the log-in page, whether the list exists or not.
    testapp.reset()
    for slug in (hidden.slug, "there-is-none"):
        testapp.get(f"/reading-lists/{slug}/update/", status=303)


def test_the_owner_sees_private_lists_with_a_badge_and_without_stars(testapp, session, make, world, order):
    user = log_in_as(testapp, make)
    mine = make_list(session, user, [world.first], name="Mine")
    ratings.rate(session, identity_of(make.user()), OFFICIAL, mine, 5)
    lists.update(session, identity_of(user), OFFICIAL, mine, {"is_private": True})
    session.commit()
    page = testapp.get("/reading-lists/my-lists/")
    assert names(page) == ["Mine"]
    assert soup(page).select_one(".tag-private").get_text() == "Private"
    assert soup(page).select(".stars") == []
    page = testapp.get(path(mine))
    assert soup(page).select(".rating-panel, .stars, [data-copy-from]") == []
    assert soup(page).select_one('meta[name="robots"]')["content"] == "noindex"
    assert names(testapp.get("/reading-lists/?is_private=true")) == ["Mine"]
    assert names(testapp.get("/reading-lists/?is_private=false")) == [order.name]
    assert names(testapp.get("/reading-lists/?average_rating__gte=1")) == [order.name]
    token = token_of(testapp)
    testapp.post(path(mine, "rate/"), {"csrf_token": token, "rating": "4"}, status=403)
    lists.update(session, identity_of(user), OFFICIAL, mine, {"is_private": False})
    session.commit()
    assert soup(testapp.get(path(mine))).select_one(".stars")["aria-label"] == "5.0 of 5 stars"


def test_neighbours_are_linked_where_they_may_be_seen(testapp, session, order, owner):
    after = make_list(session, owner, name="Dawn", previous=order.id)

    def links():
        shown = soup(testapp.get(path(order))).select(".list-neighbours p")
        return [(each.small.get_text(), each.a.get_text()) for each in shown]

    assert links() == [("Read next", "Dawn")]
    back = soup(testapp.get(path(after))).select_one(".list-neighbours a")
    assert (back.get_text(), back["href"]) == (order.name, path(order))
    lists.update(session, identity_of(owner), OFFICIAL, after, {"is_private": True})
    session.commit()
    assert links() == []
    start_session(testapp, owner)
    assert links() == [("Read next", "Dawn")]


def test_readers_rate_lists_of_others_by_a_form_and_by_a_fragment(testapp, session, make, order, owner):
    assert soup(testapp.get(path(order))).select_one(".rating-panel a").get_text() == "Log in to rate"
    log_in_as(testapp, make)
    form = form_to(testapp.get(path(order)), path(order, "rate/"))
    sent = {"csrf_token": form["csrf_token"].value, "rating": "3"}
    page = testapp.post(form.action, sent, status=303).follow()
    assert soup(page).select_one("#rating-head").get_text(" ", strip=True) == "4.0 (3 ratings)"
    assert soup(page).select_one('.rate [aria-pressed="true"]')["value"] == "3"
    answer = testapp.post(form.action, sent | {"rating": "0"}, headers={"X-Fragment": "1"})
    assert "<strong>4.5</strong>" in answer.text
    for wrong in ("6", "x", ""):
        testapp.post(form.action, sent | {"rating": wrong}, status=303)
    session.expire_all()
    assert session.get(ReadingList, order.id).rating_count == 2
    testapp.reset()
    start_session(testapp, owner)
    page = soup(testapp.get(path(order)))
    assert page.select(".rate") == []
    assert page.select_one("#rating-widget .stars")["aria-label"] == "4.5 of 5 stars"
    testapp.post(path(order, "rate/"), sent | {"csrf_token": token_of(testapp)}, status=403)


def test_pages_cost_the_same_however_much_they_show(
    testapp, session, make, connection, world, order, owner, member
):
    def cost(address):
        with record_statements(connection) as statements:
            testapp.get(address, status=200)
        return len(statements)

    start_session(testapp, member)
    addresses = (
        "/reading-lists/",
        "/reading-lists/my-lists/",
        path(order),
        path(order, "items-load-more/?offset=0"),
    )
    make_list(session, member)
    few = [cost(each) for each in addresses]
    assert few == [4, 4, 13, 5]  # including the marks of all issues, and the progress
    with make.single_commit():
        series = [make.series(name=f"Run {n}", publisher=make.publisher()) for n in range(15)]
        people = [make.creator(name=f"Hand {n}") for n in range(8)]
        role = make.role("Writer").id
        crowd = [make.character(name=f"Face {n}") for n in range(14)]
        written = [{"creator": who.id, "roles": [role]} for who in people]
        issues = [make.issue(series=each, characters=crowd, credits=written) for each in series]
    items.add_issues(locked_list(session, owner, order), [each.id for each in issues])
    for n in range(8):
        make_list(session, member if n % 2 else owner, issues[:3], desc="Many words", is_private=bool(n % 3))
    session.commit()
    assert [cost(each) for each in addresses] == few
    page = soup(testapp.get(path(order)))
    assert [each.get_text() for each in page.select(".shares-rest")] == ["and 4 more", "and 5 more"]
    assert len(page.select(".list-people")[0].select("li")) == 6
    assert len(page.select(".list-people")[1].select("li")) == 12
