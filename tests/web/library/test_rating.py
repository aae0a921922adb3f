"""The rating widget of issues: buttons for one to five stars, removal, and requests that change nothing."""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import select, update

from comicsdb.library import ratings
from comicsdb.models import Issue, IssueRating
from tests.conftest import record_statements
from tests.web.conftest import form_to, notice, soup

TODAY = date(2026, 11, 22)


def address(issue):
    return f"/issue/{issue.slug}/"


def target(issue):
    """The address of the widget's form, which contains the id."""
    return f"/issue-ratings/{issue.id}/rate/"


def rate(testapp, issue, rating, *, fragment=False, status=303, **fields):
    """Press a button of the widget on the issue's page."""
    form = form_to(testapp.get(address(issue)), target(issue))
    headers = {"X-Fragment": "1"} if fragment else {}
    sent = {
        "csrf_token": form["csrf_token"].value,
        **({} if rating is None else {"rating": rating}),
        **fields,
    }
    return testapp.post(form.action, sent, headers=headers, status=status)


def given(session, issue):
    return dict(
        session.execute(
            select(IssueRating.user_id, IssueRating.rating).where(IssueRating.issue_id == issue.id)
        ).all()
    )


def header(page):
    found = soup(page).select_one("#rating-widget .rating")
    return found.get_text(" ", strip=True) if found else ""


def soup_of_templates(answer):
    """The templates of a fragment by target."""
    parts = soup(answer).select("template")
    return {each["data-target"]: each for each in parts}


def test_five_buttons_of_one_form_give_stars_and_a_sixth_takes_them_back(testapp, session, world, nora):
    issue = world.second
    page = soup(testapp.get(address(issue)))
    buttons = page.select(".rate button")
    assert [(each["name"], each["value"]) for each in buttons] == [("rating", str(n)) for n in range(1, 6)]
    assert [each.get_text(strip=True) for each in buttons] == [
        "1 star", "2 stars", "3 stars", "4 stars", "5 stars",
    ]  # fmt: skip
    assert page.select_one(".rating-none").get_text() == "No ratings yet"
    assert page.select_one(".stars") is None
    answer = rate(testapp, issue, "4")
    assert answer.location.endswith(address(issue))
    page = answer.follow()
    assert notice(page) == "Your rating was saved."
    assert given(session, issue) == {nora.id: 4}
    assert header(page) == "4.0 (1 rating)"
    assert [each["value"] for each in soup(page).select(".rate .rate-on")] == ["1", "2", "3", "4"]
    assert [each["value"] for each in soup(page).select('.rate [aria-pressed="true"]')] == ["4"]
    assert header(rate(testapp, issue, "5").follow()) == "5.0 (1 rating)"
    assert soup(testapp.get(address(issue))).select_one(".rate-clear")["value"] == "0"
    page = rate(testapp, issue, "0").follow()
    assert notice(page) == "Your rating was removed."
    assert given(session, issue) == {}
    assert soup(page).select_one(".rate-clear") is None


def test_the_average_of_all_is_shown_to_the_percent_and_the_series_follows(
    testapp, session, make, world, nora
):
    for stars in (3, 3, 4, 3):
        ratings.rate(session, world.second, make.user().id, stars, today=TODAY)
    session.commit()
    page = soup(rate(testapp, world.second, "4").follow())
    assert page.select_one("#rating-widget svg")["aria-label"] == "3.4 of 5 stars"
    assert [each["data-fill"] for each in page.select("#rating-widget [data-fill]")] == ["100"] * 3 + ["40"]
    assert len(page.select("#rating-widget .star-empty")) == 5
    assert page.select_one("#rating-widget svg svg svg[data-fill='40']")["width"] == "9.6"
    assert page.select("[style]") == []
    # The 3 and 4 of the first issue and these five: the average of all stars, not of the issues' averages.
    series = soup(testapp.get(f"/series/{world.series.slug}/")).select_one(".rating")
    assert series.get_text(" ", strip=True) == "3.4 (7 ratings)"
    assert series.svg["aria-label"] == "3.4 of 5 stars"


def test_what_is_no_number_of_stars_changes_nothing(testapp, session, world, nora):
    rate(testapp, world.second, "2")
    form = form_to(testapp.get(address(world.second)), target(world.second))
    token = {"csrf_token": form["csrf_token"].value}
    for wrong in ({}, *({"rating": each} for each in ("", "6", "-1", "abc", "3.5", "٣", "1e0", " 4", "\0"))):
        answer = testapp.post(form.action, token | wrong, status=303)
        assert "messages" not in answer.headers.get("Set-Cookie", "")
        fragment = testapp.post(form.action, token | wrong, headers={"X-Fragment": "1"}, status=200)
        assert 'data-say=""' in fragment.text
        assert given(session, world.second) == {nora.id: 2}


def test_the_fragment_replaces_the_widget_and_the_average(testapp, session, world, nora):
    answer = rate(testapp, world.first, "5", fragment=True, status=200)
    assert answer.headers["Cache-Control"] == "no-store"
    parts = soup_of_templates(answer)
    assert set(parts) == {"rating-head", "rating-widget"}
    assert parts["rating-head"].get_text(" ", strip=True) == "4.0 (3 ratings)"
    assert parts["rating-widget"].select_one(".rating").get_text(" ", strip=True) == "4.0 (3 ratings)"
    assert parts["rating-widget"].select_one('[aria-pressed="true"]')["value"] == "5"
    assert given(session, world.first)[nora.id] == 5


def test_an_issue_that_is_not_out_says_from_when_and_cannot_be_rated(testapp, session, world, nora):
    day = datetime.now(UTC).date() + timedelta(days=30)
    rate(testapp, world.second, "3")
    other = form_to(testapp.get(address(world.third)), target(world.third))
    session.execute(
        update(Issue).where(Issue.id.in_((world.second.id, world.third.id))).values(store_date=day)
    )
    session.commit()
    page = soup(testapp.get(address(world.third)))
    assert page.select(".rate") == []
    assert "It can be rated once it is out" in page.select_one(".rating-note").get_text()
    assert str(day.year) in page.select_one(".rating-note").get_text()
    sent = {"csrf_token": other["csrf_token"].value, "rating": "5"}
    page = testapp.post(other.action, sent, status=303).follow()
    assert notice(page) == "This cannot be rated now: nothing was changed."
    answer = testapp.post(other.action, sent, headers={"X-Fragment": "1"}, status=422)
    assert "nothing was changed" in soup_of_templates(answer)["messages"].get_text()
    assert given(session, world.third) == {}
    # Stars that were given before the date was moved can be removed.
    assert [each["value"] for each in soup(testapp.get(address(world.second))).select(".rate button")] == [
        "0"
    ]
    rate(testapp, world.second, "0")
    assert given(session, world.second) == {}


def test_who_is_not_logged_in_gets_a_link_and_comes_back(testapp, session, world, member):
    page = testapp.get(address(world.first))
    link = soup(page).select_one("#rating-widget a")
    assert (link.get_text(), soup(page).select(".rate")) == ("Log in to rate", [])
    assert link["href"] == f"/accounts/login/?next=%2Fissue%2F{world.first.slug}%2F"
    token = form_to(testapp.get("/accounts/login/"), "/accounts/login/")["csrf_token"].value
    sent, here = {"csrf_token": token, "rating": "5"}, f"http://localhost{address(world.first)}"
    answer = testapp.post(target(world.first), sent, headers={"Referer": here}, status=303)
    assert answer.location.endswith(link["href"])
    answer = testapp.post(target(world.first), sent, headers={"X-Fragment": "1"}, status=204)
    assert answer.headers["X-Location"] == "/accounts/login/"
    assert member.id not in given(session, world.first)


def test_only_a_form_of_ours_rates(testapp, session, world, nora):
    testapp.get(target(world.first), status=405)
    testapp.post(target(world.first), {"rating": "5"}, status=400)
    assert nora.id not in given(session, world.first)
    rate(testapp, world.first, "5")
    testapp.post("/issue-ratings/2147483647/rate/", {"rating": "5", "csrf_token": "x"}, status=400)
    form = form_to(testapp.get(address(world.first)), target(world.first))
    token = form["csrf_token"].value
    testapp.post("/issue-ratings/2147483647/rate/", {"rating": "5", "csrf_token": token}, status=404)
    answer = rate(testapp, world.first, "4", next="https://elsewhere.example/")
    assert answer.location.endswith(address(world.first))
    assert rate(testapp, world.first, "4", next="/series/").location.endswith("/series/")


def test_rating_does_not_cost_more_where_many_have_rated(testapp, session, make, connection, world, nora):
    form = form_to(testapp.get(address(world.second)), target(world.second))

    def cost(stars):
        sent = {"csrf_token": form["csrf_token"].value, "rating": stars}
        with record_statements(connection) as statements:
            testapp.post(form.action, sent, headers={"X-Fragment": "1"})
        return len(statements)

    few = cost("1")
    for user in [make.user() for _ in range(12)]:
        ratings.rate(session, world.second, user.id, 5, today=TODAY)
    session.commit()
    assert cost("2") == few
