"""The home page: announcements on their days, what is new, and the collection in numbers (web.md 5)."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from comicsdb.clock import business_day
from comicsdb.models import Announcement, Issue
from comicsdb_web.richtext import clean
from tests.web.conftest import labels, soup


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
            Announcement(title="to come", start_date=today + day),
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
        ("<b>cross<i>ed</b>over</i>", "<b>cross<i>ed</i></b>over"),
        ('<a href="javascript:alert(1)">x</a>', "<a>x</a>"),
        ('<a href="JaVaScRiPt:alert(1)">x</a>', "<a>x</a>"),
        ('<a href="java\nscript:alert(1)">x</a>', "<a>x</a>"),
        ('<a href="//evil.example">x</a>', "<a>x</a>"),
        ('<a href="/help/?a=1&amp;b=&quot;">x</a>', '<a href="/help/?a=1&amp;b=&#34;" rel="noopener">x</a>'),
        (
            '<a href="https://example.org/" onclick="x">x</a>',
            '<a href="https://example.org/" rel="noopener">x</a>',
        ),
        ("<style>p{}</style><script>x</script>y", "y"),
        ("<svg/onload=alert(1)><p style=x>z", "<p>z</p>"),
        ("&lt;script&gt;x", "&lt;script&gt;x"),
        ("</p></div>end<br/>", "end<br>"),
        ("<!-- c --><![CDATA[d]]>e", "e"),
    ],
)
def test_only_a_few_elements_are_left(html, cleaned):
    assert clean(html) == cleaned
