"""Copying credits, characters, teams and stories from other issues: in the form, and by buttons."""

from datetime import date

from comicsdb.models import History, Issue
from comicsdb_web.forms.drafts import state_of
from tests.web.conftest import field_errors, form_to, notice, soup
from tests.web.forms.form_helpers import checkbox_labels, log_in_as, open_form, submit_form, value


def button(page, action):
    """The form of a button on an issue's page, or None."""
    form = soup(page).select_one(f'form[action$="/{action}/"]')
    return form and form_to(page, form["action"])


def press(testapp, issue, action):
    """Press a button on an issue's page; returns the next page."""
    return button(testapp.get(f"/issue/{issue.slug}/"), action).submit(status=303).follow()


def test_the_form_takes_over_from_the_previous_issue_and_saves_nothing(testapp, nora, world, make, session):
    number = session.query(Issue).count()
    cover_only = make.creator(name="Cover Only")
    make.credit(world.first, cover_only, "Cover")
    page = submit_form(open_form(testapp, "/issue/create/"), press=("copy", "credits"), status=200)
    assert "Choose the series first" in page
    typed = {"series": [world.series.id], "number": "4", "cover_date": "2019-05-20", "desc": "typed"}
    page = submit_form(page, typed, press=("copy", "credits"), status=200)
    page = submit_form(page, press=("copy", "characters"), status=200)
    page = submit_form(page, press=("copy", "teams"), status=200)
    assert field_errors(page) == {}
    assert checkbox_labels(page, "characters", ticked=True) == ["Lamplighter Wick"]
    assert checkbox_labels(page, "teams", ticked=True) == ["Night Crew"]
    assert checkbox_labels(page, "credits-0-creator", ticked=True) == ["Ada Pencil 1950–"]
    assert checkbox_labels(page, "credits-0-roles", ticked=True) == ["Writer", "Penciller"]
    assert len(soup(page).select("[id^=credits-][data-row]")) == 2
    assert session.query(Issue).count() == number
    submit_form(page)
    made = session.query(Issue).filter_by(number="4").one()
    assert state_of(session, made)["credits"] == state_of(session, world.first)["credits"][:2]
    # An existing issue copies from the one before it in time, never from itself, and nothing twice.
    form = open_form(testapp, f"/issue/{world.first.slug}/update/")
    page = submit_form(form, press=("copy", "credits"), status=200)
    assert "There is no earlier issue" in page
    page = submit_form(
        open_form(testapp, f"/issue/{made.slug}/update/"), press=("copy", "credits"), status=200
    )
    assert len(soup(page).select("[id^=credits-][data-row]")) == 2
    submit_form(open_form(testapp, "/team/create/"), press=("copy", "credits"), status=200)


def test_what_was_typed_into_the_boxes_of_a_new_row_outlives_copying_and_placing(testapp, nora, world):
    form = open_form(testapp, f"/issue/{world.second.slug}/update/")
    typed = {"credits-7-creator-q": "Somebody", "credits-8-roles-q": "Wri", "credits-20-creator-q": ""}
    for text, press in (("", ("copy", "credits")), ("Writer: Nobody", ("place", "credits"))):
        page = submit_form(form, typed | {"credits-text": text}, press=press, status=200)
        assert value(page, "credits-7-creator-q") == "Somebody", press
        assert value(page, "credits-8-roles-q") == "Wri", press
        assert soup(page).find(id="credits-20") is None


def test_an_issue_without_a_cover_date_takes_over_from_the_one_listed_before_it(testapp, nora, make):
    series = make.series()
    early, late = (make.character(name=name) for name in ("Early", "Late"))
    make.issue(series=series, number="1", cover_date=date(2020, 1, 1), characters=[early])
    middle = make.issue(series=series, number="2", cover_date=None, store_date=date(2020, 2, 1))
    make.issue(series=series, number="3", cover_date=date(2020, 3, 1), characters=[late])
    form = open_form(testapp, f"/issue/{middle.slug}/update/")
    page = submit_form(form, press=("copy", "characters"), status=200)
    assert checkbox_labels(page, "characters", ticked=True) == ["Early"]


def test_credits_are_duplicated_without_those_for_covers_alone(testapp, nora, world, make, session):
    make.credit(world.first, make.creator(name="Cover Only"), "Cover")
    rows = session.query(History).filter_by(kind="issue", object_id=world.second.id)
    number = rows.count()
    page = press(testapp, world.second, "duplicate-credits")
    assert notice(page) == "2 credits were copied. 1 credit for a cover only was left out."
    session.expire_all()
    state = state_of(session, world.second)
    assert state["credits"] == state_of(session, world.first)["credits"][:2]
    assert (world.second.edited_by_id, rows.count()) == (nora.id, number + 1)
    # It has credits now; and there is no issue before the first one.
    page = testapp.get(f"/issue/{world.second.slug}/")
    assert soup(page).select_one(".helpers button").has_attr("disabled")
    assert (
        notice(button(page, "duplicate-credits").submit(status=303).follow())
        == "This issue already has credits."
    )
    make.catalog.update(world.first, {"credits": []})
    session.commit()
    page = press(testapp, world.first, "duplicate-credits")
    assert notice(page) == "There is no earlier issue in this series."
    assert button(testapp.get(f"/issue/{world.reprint.slug}/"), "duplicate-credits") is None


def test_some_publishers_credits_are_not_duplicated(site_with, make, world, session):
    site = site_with(**{"comicsdb.copying.without": f"999 {world.publisher.id}"})
    log_in_as(site, make)
    page = site.get(f"/issue/{world.second.slug}/")
    assert button(page, "duplicate-credits") is None
    token = button(page, "logout")["csrf_token"].value
    answer = site.post(f"/issue/{world.second.slug}/duplicate-credits/", {"csrf_token": token}, status=303)
    assert "are not copied" in notice(answer.follow())
    assert state_of(session, world.second)["credits"] == []


def test_collected_editions_take_over_what_their_reprints_have(testapp, nora, world, make, session):
    series = make.series(name="Parts")
    late, early = (
        make.issue(
            series=series, number=number, cover_date=date(2018, month, 1), name=name, characters=people
        )
        for number, month, name, people in (
            ("2", 3, ["Dusk"], []),
            ("1", 2, [], [make.character(name="Moth")]),
        )
    )
    make.catalog.update(world.reprint, {"reprints": [world.first.id, late.id, early.id]})
    session.commit()
    page = press(testapp, world.reprint, "sync-reprints")
    told = [each.get_text(" ", strip=True) for each in soup(page).select(".message")]
    assert told == [
        "Left out because they have several stories: Lamplight (2019) #1",
        "Copied: 1 character, 0 teams, 2 stories.",
    ]
    session.expire_all()
    state = state_of(session, world.reprint)
    assert state["name"] == ["[Untitled]", "Dusk"]
    assert state["characters"] == state_of(session, early)["characters"]
    page = press(testapp, world.reprint, "sync-reprints")
    assert notice(page) == "This issue already has characters, teams or stories."
    assert button(testapp.get(f"/issue/{world.first.slug}/"), "sync-reprints") is None


def test_nothing_to_take_over_changes_nothing(testapp, nora, world, make, session):
    modified = world.reprint.modified
    page = press(testapp, world.reprint, "sync-reprints")
    told = [each.get_text(" ", strip=True) for each in soup(page).select(".message")]
    assert told[-1] == "Nothing to copy was found."
    empty = make.issue(series=world.book, number="2")
    assert "no reprints" in notice(press(testapp, empty, "sync-reprints"))
    session.refresh(world.reprint)
    assert world.reprint.modified == modified


def test_the_buttons_are_for_accounts_and_need_a_post_with_a_token(testapp, make, world):
    """Who else may not use them is checked in test_rights.py."""
    path = f"/issue/{world.second.slug}/"
    assert soup(testapp.get(path)).select(".helpers") == []
    addresses = [f"{path}{action}/" for action in ("duplicate-credits", "sync-reprints")]
    for address in addresses:
        testapp.get(address, status=405)
        assert "/accounts/login/" in testapp.post(address, status=303).location
    log_in_as(testapp, make)
    for address in addresses:
        testapp.post(address, status=400)
