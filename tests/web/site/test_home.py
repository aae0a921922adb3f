"""The home page: announcements, new issues, the size of the catalog, and what is next for members."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from sqlalchemy import update

from comicsdb import clock
from comicsdb.clock import business_day, monday_of
from comicsdb.library import collection, pull_list, reads
from comicsdb.models import Announcement, Issue, ReadingList, ReadingListItem
from comicsdb_web.rendering.richtext import clean
from tests.conftest import record_statements
from tests.web.conftest import form_to, labels, soup, start_session


def test_an_empty_collection_has_a_home(testapp):
    page = soup(testapp.get("/"))
    assert page.h1.get_text() == "Every comic has a story behind it."
    assert page.select_one(".shelf") is None
    assert [each.get_text() for each in page.select(".totals dd")] == ["0"] * 5


def test_the_newest_issues_come_first(testapp, world, session):
    day = timedelta(days=1)
    for age, issue in enumerate((world.second, world.first, world.third, world.reprint)):
        session.execute(
            update(Issue).where(Issue.id == issue.id).values(created_on=world.first.created_on - age * day)
        )
    session.commit()
    response = testapp.get("/")
    assert labels(response)[:2] == ["Lamplight (2019) #2", "Lamplight (2019) #1"]
    assert [each["href"] for each in soup(response).select(".shelf a")] == [f"/issue/{world.first.slug}/"]


def test_the_collection_is_counted(testapp, world):
    page = soup(testapp.get("/"))
    shown = {each.dt.get_text(strip=True): each.dd.get_text() for each in page.select(".totals dl > div")}
    assert shown == {"Publishers": "1", "Series": "2", "Issues": "4", "Creators": "2", "Characters": "1"}


def test_announcements_are_shown_on_their_days(testapp, session, wsgi):
    today = business_day(wsgi.registry.settings["comicsdb.timezone"])
    day = timedelta(days=1)
    session.add_all(
        [
            Announcement(title="always"),
            Announcement(title="first day", start_date=today, display_type="warning"),
            Announcement(title="last day", end_date=today),
            Announcement(title="over", end_date=today - day),
            Announcement(title="upcoming", start_date=today + day),
            Announcement(title="withdrawn", active=False),
        ]
    )
    session.commit()
    page = soup(testapp.get("/"))
    shown = {each.h2.get_text(): each["class"][1] for each in page.select(".announcement")}
    assert shown == {
        "always": "announcement-primary",
        "first day": "announcement-warning",
        "last day": "announcement-primary",
    }


def close(testapp, announcement, **headers):
    """Send the close button of an announcement, as a browser would."""
    address = f"/announcements/{announcement.id}/dismiss/"
    return testapp.post(address, {"next": "/"}, headers=headers, expect_errors=True)


def test_an_announcement_can_be_closed_without_scripts_and_stays_so(testapp, session):
    first, second = Announcement(title="first"), Announcement(title="second")
    session.add_all([first, second])
    session.commit()
    response = form_to(testapp.get("/"), f"/announcements/{first.id}/dismiss/").submit()
    assert (response.status_int, response.location) == (302, "http://localhost/")
    page = soup(testapp.get("/"))
    assert [each.h2.get_text() for each in page.select(".announcement")] == ["second"]
    close(testapp, second)
    assert soup(testapp.get("/")).select(".announcement") == []
    testapp.reset()
    assert len(soup(testapp.get("/")).select(".announcement")) == 2


def test_an_announcement_is_closed_in_place(testapp, session):
    announcement = Announcement(title="Hello")
    session.add(announcement)
    session.commit()
    response = close(testapp, announcement, **{"X-Fragment": "1"})
    template = soup(response).template
    target = template["data-target"]
    assert (response.status_int, template.get_text()) == (200, "")
    assert template.span["data-say"] == "The announcement was dismissed."
    assert soup(testapp.get("/")).find(id=target) is None
    testapp.reset()
    assert soup(testapp.get("/")).find(id=target).h2.get_text() == "Hello"


def test_other_sites_close_nothing_and_strange_cookies_neither(testapp, session):
    announcement = Announcement(title="Hello")
    session.add(announcement)
    session.commit()
    refused = close(testapp, announcement, **{"Sec-Fetch-Site": "cross-site"})
    assert (refused.status_int, "Set-Cookie" in refused.headers) == (403, False)
    address = "/announcements/99999999999999999999/dismiss/"
    assert "Set-Cookie" not in testapp.post(address, {"next": "//evil.example"}, status=404).headers
    for cookie in ("x", "..", "-1.²", "9" * 4000):
        page = testapp.get("/", headers={"Cookie": f"dismissed={quote(cookie)}"})
        assert len(soup(page).select(".announcement")) == 1
    assert testapp.get(f"/announcements/{announcement.id}/dismiss/", expect_errors=True).status_int == 405


def test_the_oldest_closed_announcements_are_forgotten_first(testapp, session):
    for number in range(1, 53):
        close(testapp, SimpleNamespace(id=number))
    close(testapp, SimpleNamespace(id=10))  # a second time, so it is the latest now
    kept = testapp.cookies["dismissed"].strip('"').split(".")
    assert (len(kept), kept[0], kept[-2:]) == (50, "3", ["52", "10"])


def test_the_page_says_what_there_is_and_how_to_take_part(testapp, session, connection):
    with record_statements(connection) as statements:
        page = soup(testapp.get("/"))
    assert len(statements) == 1 + 1, statements  # the contents of the page; the validators of its cache entry
    features = {each.h3.get_text(): each.a["href"] for each in page.select(".about .feature")}
    assert features == {
        "REST API": "/help/api/",
        "Collections": "/collection/",
        "Reading Lists": "/reading-lists/",
        "Wish List": "/wish-list/",
        "Pull List": "/pull-list/",
        "Quick Scrobble": "/help/library/",
    }
    assert [each.get_text(strip=True) for each in page.select(".hero-buttons a")] == [
        "Browse the catalog",
        "Sign up",
        "Help",
    ]
    assert len(page.select(".teaser li")) == 3
    assert [each.get_text() for each in page.select(".involved h3")] == ["Data", "Code", "Donate", "Contact"]


def up(page) -> dict[str, list[str]]:
    """The labels in each section of a member's home page, or the text of an empty section."""
    return {
        part.h2.get_text(): [each.get_text(" ", strip=True) for each in part.select(".coming-text, .nothing")]
        for part in page.select(".up section")
    }


def test_a_members_home_tells_what_is_up_in_their_library(testapp, make, member, session, connection, wsgi):
    today = business_day(wsgi.registry.settings["comicsdb.timezone"])
    monday, day = monday_of(today), timedelta(days=1)
    assert up(soup(testapp.get("/"))) == {}
    start_session(testapp, member)
    empty = up(soup(testapp.get("/")))
    assert [len(texts) for texts in empty.values()] == [1] * 5
    assert empty["What to read next"][0].startswith("Mark issues as read to see what comes next")
    with make.single_commit():
        publisher = make.publisher(name="Harbor House")
        run, other = (make.series(name=name, publisher=publisher) for name in ("Run", "Other"))
        issues = [
            make.issue(series=run, number=str(n), cover_date=date(2020, n, 1), store_date=date(2020, n, 1))
            for n in range(1, 12)
        ]
        pulled = make.issue(series=other, number="1", store_date=monday, foc_date=today + 14 * day)
        make.issue(series=other, number="2", store_date=monday + 7 * day, foc_date=today + 15 * day)
        make.issue(series=other, number="3", store_date=monday - day, foc_date=today - day)
    pull_list.add(session, member.id, other.id)
    # Gaps of one, two and three issues; the last one is too long to be shown.
    for place in (0, 1, 3, 6, 10):
        collection.add(session, member.id, issues[place].id, {})
    reads.add(session, member.id, issues[0].id, datetime(2021, 1, 1, tzinfo=UTC))
    reads.add(session, member.id, issues[2].id, None)
    listed = ReadingList(user_id=member.id, name="Nights", slug="nights")
    session.add(listed)
    session.flush()
    for order, issue in enumerate((issues[2], issues[8], issues[9]), 1):
        session.add(ReadingListItem(reading_list_id=listed.id, issue_id=issue.id, order=order))
    session.commit()
    testapp.get("/")
    with record_statements(connection) as statements:
        page = soup(testapp.get("/"))
    # The account; the page; the pulls; what is next, and its issues; the member's marks on the cards.
    assert len(statements) == 6, statements
    assert up(page) == {
        "This week's pulls": ["Other (2020) #1 Harbor House"],
        "What to read next": ["Run (2020) #4 Harbor House", "Run (2020) #9 Nights"],
        "Gaps in your collection": [f"Run (2020) #{n} Harbor House" for n in (3, 5, 6)],
        "Order soon": ["Other (2020) #1 Final order cut-off"],
        "Changed in series you follow": [f"Other (2020) #{n} Added" for n in (3, 2, 1)],
    }
    assert page.select_one(".up a[href='/reading-lists/nights/']").get_text() == "Nights"
    # For a series that is followed but not pulled, only changes are shown.
    pull_list.set_pulled(session, member.id, other.id, "NONE", "")
    session.execute(update(Issue).where(Issue.id == pulled.id).values(modified=clock.now() - 16 * day))
    session.commit()
    shown = up(soup(testapp.get("/")))
    assert [len(shown[part]) for part in ("Order soon", "Changed in series you follow")] == [1, 2]
    assert shown["Order soon"][0].startswith("No series on your pull list")
    testapp.reset()
    assert up(soup(testapp.get("/"))) == {}


def test_addresses_of_the_outside_come_from_the_settings(other_site):
    page = soup(other_site.get("/"))
    links = [each["href"] for each in page.select(".involved a")]
    assert "https://opencollective.com/comics" in links
    assert "https://code.example/x" in links
    assert "mailto:us@example.org" in links


def test_the_menus_lead_to_a_blog_and_other_places_where_there_are_some(testapp, other_site):
    plain = soup(testapp.get("/")).select_one("header.top")
    assert not {"Blog", "Follow us"} & {each.get_text(strip=True) for each in plain.select("a, summary, h2")}
    top = soup(other_site.get("/")).select_one("header.top")
    links = [(each.get_text(strip=True), each["href"]) for each in top.select("a[rel~=noopener]")]
    there = [("Mastodon", "https://social.example/@us"), ("The Forum", "https://forum.example/?a&b")]
    known = [("Blog", "https://blog.example"), ("Report a problem", "https://code.example/x")]
    for each in (*known, *there):
        assert links.count(each) == 2  # in the menus for wide and for narrow screens
    assert len(links) == 8


def test_the_licence_of_the_content_is_told_below_every_page(testapp, site_with, other_site):
    [link] = soup(testapp.get("/series/")).select(".foot a[rel~=license]")
    assert (link.get_text(), link["href"]) == (
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
    )
    [link] = soup(other_site.get("/")).select(".foot a[rel~=license]")
    assert (link.get_text(), link["href"]) == ("Ours <3", "https://example.org/?a&b")
    assert not soup(site_with(**{"comicsdb.licence": "none"}).get("/")).select(".foot a[rel~=license]")


def test_an_announcement_is_harmless(testapp, session):
    content = (
        '<p onclick="x()">Hi <strong>all</strong></p><script>alert(1)</script><img src=x onerror=alert(1)>'
    )
    session.add(Announcement(title="<i>T</i>", content=content))
    session.commit()
    box = soup(testapp.get("/")).select_one(".announcement")
    assert box.div.decode_contents().strip() == "<p>Hi <strong>all</strong></p>"
    assert box.h2.get_text() == "<i>T</i>"


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ("plain & simple <3", "plain &amp; simple &lt;3"),
        ("<b>open <i>both", "<b>open <i>both</i></b>"),
        ("<b>cross<i>ed</b>over</i>", "<b>cross<i>ed</i></b><i>over</i>"),
        ('<a href="javascript:alert(1)">x</a>', '<a rel="noopener">x</a>'),
        ('<a href="JaVaScRiPt:alert(1)">x</a>', '<a rel="noopener">x</a>'),
        ('<a href="java\nscript:alert(1)">x</a>', '<a rel="noopener">x</a>'),
        ('<a href="//evil.example">x</a>', '<a rel="noopener">x</a>'),
        ('<a href="/help/?a=1&amp;b=&quot;">x</a>', '<a href="/help/?a=1&amp;b=&quot;" rel="noopener">x</a>'),
        (
            '<a href="https://example.org/" onclick="x">x</a>',
            '<a href="https://example.org/" rel="noopener">x</a>',
        ),
        ("<style>p{}</style><script>x</script>y", "y"),
        ("<svg/onload=alert(1)><p style=x>z", "<p>z</p>"),
        ("&lt;script&gt;x", "&lt;script&gt;x"),
        ("</p></div>end<br/>", "<p></p>end<br>"),
        ("<!-- c --><![CDATA[d]]>e", "e"),
        (f"&#x{'f' * 5000};&#{'9' * 5000};", "\N{REPLACEMENT CHARACTER}" * 2),
    ],
)
def test_only_a_few_elements_are_left(html, cleaned):
    assert clean(html) == cleaned
