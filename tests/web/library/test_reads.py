"""Reads: marking an issue as read without owning it, reading dates, and acts on the run of a series."""

from datetime import UTC, datetime

from sqlalchemy import select

from comicsdb.library import reads
from comicsdb.models import CollectionItem
from tests.web.conftest import form_to, form_with, notice, soup, start_session
from tests.web.library.wish_list_fixtures import small_catalog


def test_an_issue_is_marked_as_read_without_a_copy(testapp, make, member, session):
    issue = small_catalog(make).second
    start_session(testapp, member)
    address = f"/issue/{issue.slug}/"

    def press():
        bar = testapp.get(address)
        button = soup(bar).select_one(".own [name=read]")
        fields = {"csrf_token": form_with(bar, id="track")["csrf_token"].value, "read": button["value"]}
        return testapp.post(button["formaction"], fields | {"next": address})

    def noted():
        return [each.read_on for each in reads.of_issue(session, member.id, issue.id)]

    answer = press()
    assert (answer.status_int, answer.location) == (303, f"http://localhost{address}")
    assert notice(answer.follow()) == "Lamplight (2019) #2 is marked as read."
    assert len(noted()) == 1
    early = datetime(2020, 1, 1, tzinfo=UTC)
    reads.add(session, member.id, issue.id, early)
    session.commit()
    press()
    assert noted() == [early]  # the latest date was removed
    assert notice(press().follow()) == "The last reading date of Lamplight (2019) #2 was removed."
    assert noted() == []
    assert session.scalar(select(CollectionItem.id)) is None


def test_one_click_adds_the_run_of_a_series(testapp, make, member, session):
    world = small_catalog(make)
    start_session(testapp, member)
    address, path = f"/series/{world.series.slug}/", f"/collection/add-run/{world.series.slug}/"
    answer = form_to(testapp.get(address), path).submit()
    assert (answer.status_int, answer.location) == (303, f"http://localhost{address}")
    owned = session.scalars(select(CollectionItem.issue_id).where(CollectionItem.user_id == member.id)).all()
    assert {world.first.id, world.second.id} <= set(owned)
    assert notice(answer.follow()) == f"{len(owned)} issues were added. 0 were already there."
    again = form_to(testapp.get(address), path).submit().follow()
    assert notice(again) == f"0 issues were added. {len(owned)} were already there."


def test_all_but_some_of_a_run_are_added_or_read(testapp, make, member, session):
    world = small_catalog(make)
    start_session(testapp, member)
    page = testapp.get(f"/series/{world.series.slug}/")
    form = form_with(page, "but")

    def send(but, **button):
        form["but"] = but
        return notice(form.submit(**button).follow())

    assert send("2 - 3") == "1 issue was added. 0 were already there."
    assert send("1, #3", name="read", value="1") == "1 issue was marked as read."
    assert reads.of_issue(session, member.id, world.second.id)
    assert send("1, 77") == "This series has no issue with the number 77."
    assert session.scalars(select(CollectionItem.issue_id)).all() == [world.first.id]
    listed = soup(testapp.get("/series/"))
    assert [each.get_text(strip=True) for each in listed.select(".card .progress-line")] == [
        "1 of 3 read, 1 owned"
    ]


def test_a_read_has_a_date_or_none_or_goes_for_all_before_it(testapp, make, member, session):
    world = small_catalog(make)
    start_session(testapp, member)
    series, address = f"/series/{world.series.slug}/", f"/issue/{world.second.slug}/"

    def progress():
        return soup(testapp.get(series)).select_one(".progress-line").get_text(strip=True)

    def send(when=None, **typed):
        form = form_to(testapp.get(address), f"/reads/add/{world.second.slug}/")
        for name, value in typed.items():
            form[name] = value
        answer = form.submit("when", value=when) if when else form.submit()
        return notice(answer.follow())

    def noted():
        return [each.read_on for each in reads.of_issue(session, member.id, world.second.id)]

    assert progress() == "0 of 3 read, 0 owned"
    assert send("up_to") == "2 issues were marked as read."
    assert send("up_to") == "0 issues were marked as read."
    assert progress() == "2 of 3 read, 0 owned"
    assert len(noted()) == 1
    assert send("unknown") == send(read_date="2020-01-02") == "Lamplight (2019) #2 is marked as read."
    assert noted()[1].date().isoformat() in {"2020-01-01", "2020-01-02"}  # in the reader's time zone
    assert noted()[2] is None
    for typed in ("", "soon", "0000-00-00"):
        assert send(read_date=typed) == "Date read: Enter a valid date, such as 2024-05-31.", typed
    assert send(read_date="2999-01-01") == "Date read: Choose today or an earlier day."
    assert len(noted()) == 3
