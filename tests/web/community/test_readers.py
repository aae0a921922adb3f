"""Public profiles show only the parts that their owner chose; for others, private ones do not exist."""

import io
from datetime import UTC, datetime

import pytest
from PIL import Image

from comicsdb.accounts.deletion import remove_account
from comicsdb.community import profiles
from comicsdb.library import collection
from comicsdb.models import ReadDate
from tests.conftest import record_statements
from tests.web.addresses import keep_library, publish
from tests.web.conftest import form_to, soup, start_session

WORDS = "Zanzibarium"
PAGES = ("", "shelf/", "diary/", "year/")
STATEMENTS = 11


@pytest.fixture
def kept(session, member, world):
    """Nora's library."""
    return keep_library(session, member, world, WORDS)


def paths(response, links=".card-label") -> list[str]:
    """The addresses to which the cards of a page link."""
    return [each["href"] for each in soup(response).select(links)]


def answers_of(testapp, name: str) -> list[tuple[int, str]]:
    """Status and text of each page of a profile, without the name itself."""
    found = []
    for page in PAGES:
        response = testapp.get(f"/readers/{name}/{page}", expect_errors=True)
        found.append((response.status_int, response.text.replace(name, "NAME")))
    return found


@pytest.mark.parametrize("viewer", [None, "Bob"])
def test_a_profile_that_is_not_public_is_like_none(testapp, session, kept, member, make, viewer):
    make.user("Gone", is_active=False)
    publish(session, make.user("Shut", is_active=False))
    if viewer:
        start_session(testapp, make.user(viewer))
    none = answers_of(testapp, "Never")
    assert {status for status, _text in none} == {404}
    for name in ("Nora", "nora", "Gone", "Shut"):
        assert answers_of(testapp, name) == none, name
    profiles.save_settings(session, member.id, public=False, parts=profiles.PARTS)
    session.commit()
    assert answers_of(testapp, "Nora") == none


@pytest.mark.parametrize("part", [profiles.SHELF, profiles.FAVOURITES, profiles.DIARY])
def test_each_part_is_chosen_on_its_own(testapp, session, kept, member, world, part):
    publish(session, member, part)
    page = testapp.get("/readers/Nora/")
    assert testapp.get("/readers/nora/").location.endswith("/readers/Nora/")
    assert [each.get_text() for each in soup(page).select("main h2")] == {
        profiles.SHELF: ["Shelf 1"],
        profiles.FAVOURITES: ["Favourites"],
        profiles.DIARY: ["Last read"],
    }[part]
    assert paths(page) == [f"/issue/{world.third.slug}/"]
    assert WORDS not in page.text
    for name, other in (("shelf", profiles.SHELF), ("diary", profiles.DIARY)):
        answer = testapp.get(f"/readers/Nora/{name}/", expect_errors=True)
        assert answer.status_int == (200 if part == other else 404)
        assert WORDS not in answer.text
        if part == other:
            assert paths(answer) == [f"/issue/{world.third.slug}/"]
            assert f"/readers/Nora/{name}/" in page.text
        else:
            assert f"/readers/Nora/{name}/" not in page.text


def test_a_public_profile_is_for_people_not_search_engines_and_is_not_cached(testapp, session, kept, member):
    publish(session, member)
    for page in PAGES:
        response = testapp.get(f"/readers/Nora/{page}")
        assert soup(response).find("meta", attrs={"name": "robots"})["content"] == "noindex"
        assert response.headers["Cache-Control"] == "private, no-store"
        assert member.email not in response.text
        assert "Only you" not in response.text


def test_its_owner_sees_all_of_it_and_who_else_does(testapp, session, kept, member):
    start_session(testapp, member)
    for page in PAGES:
        note = soup(testapp.get(f"/readers/Nora/{page}")).select_one(".reader-own")
        assert "Only you can see this." in note.get_text()
    publish(session, member, profiles.SHELF)
    notes = [
        soup(testapp.get(f"/readers/Nora/{page}")).select_one(".reader-own").get_text() for page in PAGES
    ]
    assert ["Everybody" in each for each in notes] == [True, True, False, False]


def test_what_is_public_is_chosen_by_a_form(testapp, session, member):
    start_session(testapp, member)
    page = testapp.get("/accounts/update/public/")
    form = form_to(page, "/accounts/update/public/")
    assert not any(form[name].checked for name in ("public", *profiles.PARTS))
    form["public"] = form["diary"] = True
    page = form.submit().follow()
    assert "Your profile is public" in page.text
    session.expire_all()
    mine = profiles.find_own(session, member.id)
    assert (mine.is_public, mine.parts) == (True, {"diary"})
    form = form_to(page, "/accounts/update/public/")
    form["public"] = False
    assert "not public" in form.submit().follow().text
    assert testapp.get("/readers/Nora/").status_int == 200  # the owner still sees it
    testapp.reset()
    testapp.get("/readers/Nora/", status=404)


def test_favourites_are_found_by_a_search_and_ordered(testapp, session, member, world):
    start_session(testapp, member)
    address = "/accounts/update/favourites/"
    issue, series = (f"/{each.__tablename__}/{each.slug}/" for each in (world.second, world.series))
    for query, path in ((f"{world.series.name} 2", issue), (world.series.name, series)):
        page = testapp.get(address, {"q": query})
        line = next(each for each in soup(page).select(".favourite") if each.a["href"] == path)
        page = form_to(page, address).submit("add", value=line.button["value"]).follow()
    assert paths(page, ".favourite a") == [issue, series]
    page = form_to(page, address).submit("up").follow()
    assert paths(page, ".favourite a") == [series, issue]
    form_to(page, address).submit("remove", index=0)
    session.expire_all()
    assert [each.issue_id for each in profiles.favourites(session, member.id)] == [world.second.id]
    assert "Nothing matches" in testapp.get(address, {"q": "qqqqqq"}).text


def test_a_month_is_chosen_and_one_without_reads_is_not_there(testapp, session, kept, member, world):
    session.add(
        ReadDate(user_id=member.id, issue_id=world.first.id, read_on=datetime(2025, 3, 4, 12, tzinfo=UTC))
    )
    publish(session, member)
    page = soup(testapp.get("/readers/Nora/diary/"))
    assert page.select_one(".diary-ways a")["href"] == "?month=2025-03"
    march = testapp.get("/readers/Nora/diary/?month=2025-03")
    assert paths(march) == [f"/issue/{world.first.slug}/"]
    for month in ("2025-04", "x", "2025-03-01", "9999-99"):
        testapp.get("/readers/Nora/diary/", {"month": month}, status=404)


def test_a_profile_costs_few_statements_however_much_there_is(
    testapp, session, kept, member, world, connection
):
    def costs():
        for page in PAGES:
            with record_statements(connection) as statements:
                testapp.get(f"/readers/Nora/{page}", status=200)
            assert len(statements) <= STATEMENTS, statements
            yield len(statements)

    publish(session, member)
    profiles.add_favourite(session, member.id, "series", world.series.id)
    session.commit()
    few = list(costs())
    for issue in (world.first, world.second, world.reprint):
        collection.add(session, member.id, issue.id, {"is_read": True})
    profiles.add_favourite(session, member.id, "issue", world.first.id)
    profiles.add_favourite(session, member.id, "series", world.book.id)
    session.commit()
    assert list(costs()) == few


def test_a_deleted_or_deactivated_account_takes_its_profile_away(testapp, session, kept, member):
    publish(session, member)
    testapp.get("/readers/Nora/shelf/")
    member.is_active = False
    session.commit()
    assert {status for status, _text in answers_of(testapp, "Nora")} == {404}
    remove_account(session, member)
    session.commit()
    assert {status for status, _text in answers_of(testapp, "Nora")} == {404}


def test_a_year_in_review_has_figures_and_a_picture_if_it_is_public(testapp, session, kept, member, world):
    publish(session, member)
    moment = datetime(2025, 3, 4, 12, tzinfo=UTC)
    for issue in (world.first, world.first, world.second):
        session.add(ReadDate(user_id=member.id, issue_id=issue.id, read_on=moment))
    session.commit()
    page = soup(testapp.get("/readers/Nora/year/?year=2025"))
    assert page.select_one(".list-count").get_text() == "2 issues"
    assert page.select_one("#run-title .block-count").get_text() == "2 issues"
    publishers = page.select_one("#chart-publishers tbody").get_text(" ", strip=True)
    assert publishers == f"{world.publisher.name} 2"
    assert len(page.select("#chart-months tbody tr")) == 12
    picture = page.find("meta", property="og:image")["content"].removeprefix("http://localhost")
    assert picture == "/readers/Nora/year/share.jpg?year=2025"
    answer = testapp.get(picture)
    with Image.open(io.BytesIO(answer.body)) as image:
        assert image.size == (1200, 630)
    assert answer.headers["Cache-Control"] == "private, no-store"
    testapp.get("/readers/Nora/year/?year=2024", status=404)
    publish(session, member, profiles.DIARY)
    testapp.get(picture, status=404)
    start_session(testapp, member)
    testapp.get(picture, status=404)
    page = soup(testapp.get("/readers/Nora/year/?year=2025"))
    assert "share.png" in page.find("meta", property="og:image")["content"]
