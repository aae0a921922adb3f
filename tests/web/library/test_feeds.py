"""Feeds: valid, bounded and cacheable, with the right issues; private feeds have secret addresses."""

import io
import logging
from datetime import UTC, date, datetime, timedelta
from xml.etree import ElementTree

import icalendar
import pytest
import webtest
from sqlalchemy import insert, select, update

from comicsdb.accounts import feed_addresses
from comicsdb.accounts.passwords import digest
from comicsdb.clock import business_day
from comicsdb.library import feeds, pull_list
from comicsdb.models import Change, FeedAddress, Issue
from comicsdb_web.rendering import atom, calendars
from tests.conftest import forget_limits, record_statements
from tests.web.conftest import field_errors, form_to, form_with, notice, soup, start_session, submit
from tests.web.library.wish_list_fixtures import small_catalog

ATOM = "{http://www.w3.org/2005/Atom}"
OWN = "/accounts/feeds/"


@pytest.fixture
def world(make):
    """A few series and issues, which are enough for these tests."""
    return small_catalog(make)


@pytest.fixture
def today(wsgi):
    """The business day of the site."""
    return business_day(wsgi.registry.settings["comicsdb.timezone"])


@pytest.fixture(autouse=True)
def unlimited(wsgi):
    """Reset the rate limits for each test."""
    forget_limits(wsgi.registry["comicsdb.limiter"])
    yield
    forget_limits(wsgi.registry["comicsdb.limiter"])


@pytest.fixture
def coming(make, world, today):
    """Issues with store dates relative to today; number 9 is from another publisher."""
    for number, days in (("10", 0), ("11", -1), ("12", 7), ("13", 85), ("14", -20), ("15", 400)):
        make.issue(series=world.series, number=number, store_date=today + timedelta(days=days))
    make.issue(series=world.book, number="8", store_date=today)
    make.issue(number="9", store_date=today)


def entries(response) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(response.body)  # noqa: S314
    assert root.tag == f"{ATOM}feed"
    return root.findall(f"{ATOM}entry")


def titles(response) -> list[str]:
    return [each.findtext(f"{ATOM}title") for each in entries(response)]


def events(response) -> list[icalendar.Event]:
    return icalendar.Calendar.from_ical(response.body).walk("VEVENT")


def numbers(response) -> list[str]:
    """The numbers of the issues in a feed of either format, in order."""
    if response.content_type == "text/calendar":
        labels = [str(each["SUMMARY"]) for each in events(response)]
    else:
        labels = titles(response)
    return [each.rpartition("#")[2] for each in labels]


def test_which_issues_each_feed_tells_of(testapp, world, coming):
    def told(path):
        by_form = {form: numbers(testapp.get(f"/feeds/{path}.{form}")) for form in ("atom", "ics")}
        assert by_form["atom"] == by_form["ics"][::-1]
        return by_form["ics"]

    assert told("releases") == ["11", "10", "8", "9", "12", "13"]
    assert told(f"publisher/{world.publisher.slug}") == ["14", "11", "10", "8", "12", "13"]
    assert told(f"series/{world.series.slug}") == ["14", "11", "10", "12", "13"]
    assert told(f"series/{world.book.slug}") == ["8"]


def test_atom_has_all_that_the_rules_ask_for(testapp, world, coming, today, session):
    response = testapp.get(f"/feeds/series/{world.series.slug}.atom")
    assert response.content_type == "application/atom+xml"
    root = ElementTree.fromstring(response.body)  # noqa: S314
    links = {each.get("rel"): each.get("href") for each in root.findall(f"{ATOM}link")}
    assert links == {
        "self": f"http://localhost/feeds/series/{world.series.slug}.atom",
        "alternate": f"http://localhost/series/{world.series.slug}/",
    }
    assert root.findtext(f"{ATOM}id") == f"tag:localhost,2026:feed/series/{world.series.id}"
    assert root.findtext(f"{ATOM}title") == "Lamplight (2019)"
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "comicsdb"
    found = entries(response)
    moments = [datetime.fromisoformat(each.findtext(f"{ATOM}updated")) for each in found]
    assert datetime.fromisoformat(root.findtext(f"{ATOM}updated")) == max(moments)
    issue = session.scalars(select(Issue).where(Issue.number == "10")).one()
    (entry,) = [each for each in found if each.findtext(f"{ATOM}title").endswith("#10")]
    assert entry.findtext(f"{ATOM}id") == f"tag:localhost,2026:issue/{issue.id}"
    assert datetime.fromisoformat(entry.findtext(f"{ATOM}updated")) == issue.modified
    assert entry.find(f"{ATOM}link").get("href") == f"http://localhost/issue/{issue.slug}/"
    assert entry.findtext(f"{ATOM}summary").startswith("Harbor House, in stores ")
    assert len({each.findtext(f"{ATOM}id") for each in found}) == len(found)


def test_a_calendar_has_all_that_the_rules_ask_for(testapp, world, coming, today, session):
    response = testapp.get(f"/feeds/series/{world.series.slug}.ics")
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    calendar = icalendar.Calendar.from_ical(response.body)
    assert calendar["VERSION"] == "2.0"
    assert (calendar["PRODID"], calendar["NAME"]) == (calendars.PRODUCT, "Lamplight (2019)")
    issue = session.scalars(select(Issue).where(Issue.number == "10")).one()
    (event,) = [each for each in events(response) if each["SUMMARY"].endswith("#10")]
    assert event["UID"] == f"issue-{issue.id}@localhost"
    assert (event.decoded("DTSTART"), event.decoded("DTEND")) == (today, today + timedelta(days=1))
    assert event["DTSTART"].params["VALUE"] == "DATE"
    assert event.decoded("DTSTAMP") == issue.modified.astimezone(UTC).replace(microsecond=0)
    assert event["URL"] == f"http://localhost/issue/{issue.slug}/"
    assert event["DESCRIPTION"] == "Harbor House"
    lines = response.body.split(b"\r\n")
    assert lines.pop() == b""
    assert all(len(line) <= 75 and b"\n" not in line for line in lines)


STRANGE = "Lämp; light, \\ “世界” " + "ß" * 100 + " <&>"


def test_names_come_through_whole(testapp, make, today):
    series = make.series(name=STRANGE, sort_name="x")
    make.issue(series=series, store_date=today)
    label = f"{STRANGE} (2020) #1"
    assert titles(testapp.get("/feeds/releases.atom")) == [label]
    response = testapp.get("/feeds/releases.ics")
    assert [str(each["SUMMARY"]) for each in events(response)] == [label]
    assert max(len(line) for line in response.body.split(b"\r\n")) <= 75


@pytest.mark.parametrize("bad", ["a\x00b", "a\x0bb\x1f", "\ud800", "\uffff"])
def test_what_xml_and_calendars_cannot_hold_is_left_out(bad):
    moment = datetime(2026, 3, 4, tzinfo=UTC)
    about = atom.Feed("tag:x,2026:f", bad, bad, "", "http://x/", moment, "en")
    root = ElementTree.fromstring(atom.feed(about, []))  # noqa: S314
    assert set(root.findtext(f"{ATOM}title")) <= {"a", "b"}
    if bad != "\ud800":  # a surrogate, which a database cannot store
        event = calendars.Event("u", date(2026, 3, 4), bad, "two\r\nlines\nmore", "http://x/", moment)
        (found,) = icalendar.Calendar.from_ical(calendars.calendar("c", [event])).walk("VEVENT")
        assert str(found["DESCRIPTION"]) == "two\nlines\nmore"
        assert not any(each < " " for each in str(found["SUMMARY"]))


def test_an_empty_feed_is_a_feed(testapp, world):
    assert entries(testapp.get("/feeds/releases.atom")) == []
    assert events(testapp.get("/feeds/releases.ics")) == []


def test_a_feed_is_bounded(testapp, world, session, today, connection):
    days = (today + timedelta(days=each % 60) for each in range(600))
    columns = ("series_id", "slug", "number", "cover_date", "store_date")
    rows = [(world.series.id, f"many-{n}", f"m{n}", day, day) for n, day in enumerate(days)]
    session.execute(insert(Issue), [dict(zip(columns, row, strict=True)) for row in rows])
    session.commit()
    testapp.get("/feeds/releases.ics")  # the first request of a process reads more
    with record_statements(connection) as statements:
        found = events(testapp.get("/feeds/releases.ics"))
    assert len(found) == feeds.RELEASES.limit
    assert max(each.decoded("DTSTART") for each in found) == today + timedelta(days=49)  # the nearest dates
    assert len(statements) == 2


def test_public_feeds_are_kept_and_asked_for_again_by_tag_and_date(testapp, world, coming, session, catalog):
    path = f"/feeds/publisher/{world.publisher.slug}.atom"
    response = testapp.get(path)
    assert response.headers["Cache-Control"] == "public, max-age=900"
    assert "Set-Cookie" not in response.headers
    assert "Last-Modified" not in response.headers  # the same second may still have more changes
    tag = {"If-None-Match": response.headers["ETag"]}
    assert testapp.get(path, headers=tag, status=304).body == b""
    session.execute(update(Change).values(at=Change.at - timedelta(days=2)))
    session.commit()
    dated = testapp.get(path)
    assert dated.last_modified.astimezone(UTC) <= datetime.now(UTC)
    since = {"If-Modified-Since": dated.headers["Last-Modified"]}
    assert testapp.get(path, headers=since, status=304).body == b""
    catalog.update(world.series, {"name": "Gaslight"})
    session.commit()
    for conditions in (tag, since):
        assert "Gaslight (2019) #10" in titles(testapp.get(path, headers=conditions, status=200))


def test_a_former_address_leads_on_and_others_are_not_there(testapp, world, catalog, make):
    slug = world.series.slug
    catalog.update(world.series, {"slug": "gaslight"})
    catalog.session.commit()
    answer = testapp.get(f"/feeds/series/{slug}.ics?x=1", status=301)
    assert answer.location == "http://localhost/feeds/series/gaslight.ics?x=1"
    gone = make.series()
    catalog.delete(gone)
    catalog.session.commit()
    testapp.get(f"/feeds/series/{gone.slug}.atom", status=410)
    for path in (
        "series/nothing.ics",
        "publisher/nothing.atom",
        "releases.xml",
        "series/a%01.ics",
        "arc/x.ics",
    ):
        testapp.get(f"/feeds/{path}", status=404)
    testapp.post("/feeds/releases.atom", status=405)


def test_pages_name_their_feeds(testapp, world):
    for kind in ("series", "publisher"):
        slug = getattr(world, kind).slug
        links = soup(testapp.get(f"/{kind}/{slug}/")).select("head link[rel=alternate]")
        feeds = [each for each in links if "/feeds/" in each["href"]]
        assert {each["type"]: each["href"] for each in feeds} == {
            "application/atom+xml": f"/feeds/{kind}/{slug}.atom",
            "text/calendar": f"/feeds/{kind}/{slug}.ics",
        }


def test_whoever_asks_too_often_waits(testapp):
    statuses = [testapp.get("/feeds/releases.ics", expect_errors=True) for _ in range(61)]
    assert [each.status_int for each in statuses[-2:]] == [200, 429]
    assert 1 <= int(statuses[-1].headers["Retry-After"]) <= 60


# Private feeds.


@pytest.fixture
def nora(testapp, member, world, session):
    """The member, logged in, following a series."""
    start_session(testapp, member)
    pull_list.add(session, member.id, world.series.id)
    session.commit()
    return member


@pytest.fixture
def program(testapp):
    """A client without a session, such as a calendar program."""
    return webtest.TestApp(testapp.app)


def made(testapp, name="Calendar"):
    """Create an address; returns the page that shows it, and the paths of both formats."""
    page = submit(testapp, OWN, status=200, name=name)
    shown = {form: soup(page).find(id=f"new-{form}")["value"] for form in ("ics", "atom")}
    return page, {form: each.removeprefix("http://localhost") for form, each in shown.items()}


def listed(testapp) -> list[str]:
    return [each.th.get_text(strip=True) for each in soup(testapp.get(OWN)).select("tbody tr")]


def test_an_address_is_shown_once_and_tells_what_its_owner_follows(
    testapp, program, nora, coming, session, today
):
    page, paths = made(testapp)
    assert page.headers["Cache-Control"] == "no-store"
    assert listed(testapp) == ["Calendar"]
    secret = paths["ics"].split("/")[3]
    assert len(secret) >= 43
    assert secret not in testapp.get(OWN).text
    assert numbers(program.get(paths["ics"])) == ["14", "11", "10", "12", "13"]
    response = program.get(paths["atom"])
    assert numbers(response) == ["13", "12", "10", "11", "14"]
    assert response.headers["Cache-Control"] == "private, no-store"
    assert response.headers["X-Robots-Tag"].startswith("noindex")
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in response.headers
    assert secret not in response.text
    row = session.scalars(select(FeedAddress)).one()
    session.refresh(row)
    assert (row.digest, row.last_used) == (digest(secret), today)
    assert secret not in " ".join(str(value) for value in vars(row).values())


def test_a_private_feed_is_in_the_language_of_its_owner(testapp, program, nora, coming, session):
    nora.language = "it"
    session.commit()
    _page, paths = made(testapp)
    atom, calendar = program.get(paths["atom"]), program.get(paths["ics"])
    assert "<title>La mia pull list</title>" in atom.text
    assert "data di uscita: " in atom.text
    assert "X-WR-CALNAME:La mia pull list" in calendar.text
    assert atom.headers["Content-Language"] == calendar.headers["Content-Language"] == "it"
    program.set_cookie("language", "en")
    assert "<title>My pull list</title>" in program.get(paths["atom"]).text


def test_an_address_is_made_once_by_one_form(testapp, nora):
    form = form_with(testapp.get(OWN), "form_key")
    form["name"] = "Phone"
    form.submit(status=200)
    again = form.submit(status=303).follow()
    assert notice(again).startswith("That form was already submitted.")
    assert listed(testapp) == ["Phone"]


def test_what_is_wrong_with_a_label_is_said_beside_it(testapp, nora, session):
    assert set(field_errors(submit(testapp, OWN, status=422, name="x" * 101))) == {"name"}
    assert listed(testapp) == []
    for number in range(feed_addresses.ADDRESSES_MAX):
        feed_addresses.make_address(session, nora.id, "", str(number))
    session.commit()
    assert "revoke one" in field_errors(submit(testapp, OWN, status=422))["name"]


def test_a_revoked_address_leads_nowhere(testapp, program, nora, session):
    _, paths = made(testapp)
    _, others = made(testapp, "Other")
    row = session.scalars(select(FeedAddress).where(FeedAddress.name == "Calendar")).one()
    answer = submit(testapp, OWN, action=f"{OWN}{row.id}/revoke/").follow()
    assert notice(answer).startswith("The address was revoked")
    assert listed(testapp) == ["Other"]
    for path in paths.values():
        gone = program.get(path, status=404)
        assert gone.text == "Not found.\n"
        assert gone.headers["Cache-Control"] == "private, no-store"
    program.get(others["ics"], status=200)


def test_addresses_of_nobody_and_of_inactive_accounts_look_the_same(testapp, program, nora, session):
    _, paths = made(testapp)
    nora.is_active = False
    session.commit()
    answers = [program.get(each, status=404) for each in (
        paths["ics"],
        f"/s/feeds/{'x' * 43}/pull-list.ics",
        "/s/feeds/x/pull-list.ics",
        f"/s/feeds/{'y' * 5000}/pull-list.ics",
    )]  # fmt: skip
    assert len({(each.text, str(sorted(each.headers.items()))) for each in answers}) == 1


def test_nobody_revokes_the_address_of_another(testapp, nora, make, session):
    other = make.user()
    foreign = feed_addresses.make_address(session, other.id, "Theirs", "k").address
    session.commit()
    token = form_to(testapp.get(OWN), OWN)["csrf_token"].value
    for number in (foreign.id, 999_999, "9" * 30):
        testapp.post(f"{OWN}{number}/revoke/", {"csrf_token": token}, status=404)
    assert session.scalar(select(FeedAddress.name)) == "Theirs"
    assert listed(testapp) == []


def test_private_feed_former_address_is_served(testapp, program, nora):
    _, paths = made(testapp)
    former = paths["ics"].replace("/s/feeds/", "/feeds/private/")
    assert program.get(former, status=200).body == program.get(paths["ics"], status=200).body


def test_a_secret_cannot_be_tried_often(testapp, program, nora):
    _, paths = made(testapp)
    for number in range(20):
        program.get(f"/s/feeds/{number:043}/pull-list.ics", status=404)
    refused = program.get(paths["ics"], status=429)
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.headers["Cache-Control"] == "private, no-store"


def test_no_log_holds_a_secret(testapp, program, nora, session, monkeypatch, caplog):
    _, paths = made(testapp)
    secret = paths["ics"].split("/")[3]
    caplog.set_level(logging.DEBUG)
    program.get(paths["ics"])
    monkeypatch.setattr(pull_list, "pulled_ids", None)  # causes a server error
    program.get(paths["ics"], status=500)
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    for record in caplog.records:
        handler.emit(record)
    assert "Server error at GET /s/…" in told.getvalue()
    assert secret not in told.getvalue()
