"""Reverting on the site: access, the preview with its warnings, conflicts, and the result."""

import pytest
from sqlalchemy import select

from comicsdb.catalog import Catalog
from comicsdb.models import Arc, History
from tests.factories import history_of
from tests.web.admin.helpers import log_in_as
from tests.web.conftest import form_to, notice, soup, start_session


@pytest.fixture
def editor(testapp, make):
    """A member of the group `editor`, logged in."""
    return log_in_as(testapp, make, "Edda", groups=["editor"])


@pytest.fixture
def edit(session):
    """`edit(entity, **values)`: an update without an account, in a transaction of its own."""

    def edited(entity, **values):
        Catalog(session).update(entity, values)
        session.commit()

    return edited


def address(session, entity, number=0):
    """The address for reverting an object to one of its versions, counted from the oldest."""
    version = history_of(session, entity.__tablename__, entity.id)[number]
    return f"/{entity.__tablename__}/{entity.slug}/history/{version.id}/revert/"


def reverted(testapp, path, *, status=303, tick=False):
    """Open the page and submit its form; `tick` accepts that missing objects are left out."""
    form = form_to(testapp.get(path), path)
    if tick:
        form["without_missing"] = True
    return form.submit(status=status)


def test_staff_and_editors_may_and_nobody_else(make, session, testapp, member, edit):
    arc = make.arc(name="Dusk")
    edit(arc, name="Dawn")
    path, history = address(session, arc), f"/arc/{arc.slug}/history/"
    assert "/accounts/login/" in testapp.get(path, status=303).location
    start_session(testapp, member)
    testapp.get(path, status=403)
    assert path not in testapp.get(history).text
    for name, rights in (
        ("Ed", {"groups": ["editor"]}),
        ("St", {"is_staff": True}),
        ("Su", {"is_superuser": True}),
    ):
        log_in_as(testapp, make, name, **rights)
        assert path in testapp.get(history).text
        assert form_to(testapp.get(path), path)
    log_in_as(testapp, make, "Li", groups=["reading list editor"])
    testapp.get(path, status=403)


@pytest.mark.usefixtures("editor")
def test_the_older_version_comes_back_as_an_edit(make, session, testapp, edit):
    arc = make.arc(name="Dusk", desc="Old words")
    edit(arc, name="Dawn", desc="New words")
    path = address(session, arc)
    page = soup(testapp.get(path))
    assert [each.get_text() for each in page.select(".diff del")] == ["Dawn", "New"]
    answer = reverted(testapp, path)
    assert answer.location.endswith(f"/arc/{arc.slug}/")
    assert notice(answer.follow()) == "The older version was restored."
    session.expire_all()
    assert (arc.name, arc.desc) == ("Dusk", "Old words")
    newest = soup(testapp.get(f"/arc/{arc.slug}/history/")).select_one("tbody tr")
    assert "Edda" in newest.get_text()
    assert f"Revert to version {path.split('/')[-3]}" in newest.get_text()


@pytest.mark.usefixtures("editor")
def test_a_change_meanwhile_is_shown_and_not_overwritten(make, session, testapp, edit):
    arc = make.arc(name="Dusk")
    edit(arc, name="Dawn")
    path = address(session, arc)
    form = form_to(testapp.get(path), path)
    edit(arc, name="Noon")
    answer = form.submit(status=409)
    assert "changed this in the meantime" in soup(answer).select_one(".form-errors").get_text()
    assert soup(answer).select_one(".diff del").get_text() == "Noon"
    session.expire_all()
    assert arc.name == "Noon"
    form_to(answer, path).submit(status=303)  # after seeing it
    session.expire_all()
    assert arc.name == "Dusk"


@pytest.mark.usefixtures("editor")
def test_a_form_without_its_stamp_reverts_nothing(make, session, testapp, edit):
    arc = make.arc(name="Dusk")
    edit(arc, name="Dawn")
    path = address(session, arc)
    for stamp in ("", "yesterday", "2026-01-01", "9" * 400):
        form = form_to(testapp.get(path), path)
        form["modified"] = stamp
        form.submit(status=409)
    assert session.scalar(select(Arc.name).where(Arc.id == arc.id)) == "Dawn"


@pytest.mark.usefixtures("editor")
def test_what_does_not_exist_any_more_is_named_and_left_out_on_request(make, session, catalog, testapp, edit):
    team, character = make.team(name="Night Crew"), make.character(name="Moth")
    edit(character, name="Lamp", teams=[team.id])
    edit(character, name="Lantern", teams=[])
    catalog.delete(team)
    session.commit()
    path = address(session, character, 1)
    assert "Night Crew" in soup(testapp.get(path)).select_one(".cautions").get_text()
    assert "left out" in reverted(testapp, path, status=422).text
    reverted(testapp, path, tick=True)
    session.expire_all()
    assert character.name == "Lamp"


@pytest.mark.usefixtures("editor")
def test_a_parent_that_is_gone_leaves_no_button(make, session, catalog, testapp, edit):
    old, new = make.publisher(name="Old House"), make.publisher()
    imprint = make.imprint(publisher=old)
    edit(imprint, publisher=new.id)
    catalog.delete(old)
    session.commit()
    path = address(session, imprint)
    page = testapp.get(path)
    assert "cannot be reverted" in page.text
    assert not soup(page).select("main form")
    token = form_to(page, "/accounts/logout/")["csrf_token"].value
    fields = {"csrf_token": token, "modified": imprint.modified.isoformat(), "without_missing": "1"}
    assert "cannot be restored" in testapp.post(path, fields, status=422).text
    session.expire_all()
    assert imprint.publisher_id == new.id


@pytest.mark.usefixtures("editor")
def test_a_unique_value_that_was_taken_names_who_has_it(make, session, testapp, edit):
    series = make.series(name="Run")
    issue = make.issue(series=series, number="1")
    edit(issue, number="2")
    other = make.issue(series=series, number="1")
    shown = soup(reverted(testapp, address(session, issue), status=422)).select_one(".form-errors")
    assert "Series, Number" in shown.get_text()
    assert (shown.a["href"], shown.a.get_text()) == (f"/issue/{other.slug}/", "Run (2020) #1")


@pytest.mark.usefixtures("editor")
def test_a_rule_that_the_older_version_breaks_is_told(make, session, testapp, edit):
    publisher, other = make.publisher(), make.publisher()
    imprint = make.imprint(publisher=publisher)
    series = make.series(publisher=publisher, imprint=imprint)
    edit(series, imprint=None)
    edit(imprint, publisher=other.id)
    shown = soup(reverted(testapp, address(session, series), status=422)).select_one(".form-errors")
    assert "Imprint: The imprint belongs to another publisher." in shown.get_text()


@pytest.mark.usefixtures("editor")
def test_pictures_that_cannot_come_back_are_told_before(world, session, testapp, edit):
    (foil,) = session.scalar(select(History.snapshot).where(History.kind == "issue"))["variants"]
    edit(world.first, image="issue/2026/01/03/other.png", variants=[])
    page = soup(testapp.get(address(session, world.first))).select_one(".cautions").get_text()
    assert "The current one stays." in page
    assert f"the variant “{foil['name']}” was removed" in page


@pytest.mark.usefixtures("editor")
def test_the_present_version_has_no_button(make, session, testapp):
    arc = make.arc()
    page = soup(testapp.get(address(session, arc)))
    assert "the current version" in page.main.get_text()
    assert not page.select("main form")


@pytest.mark.usefixtures("editor")
def test_versions_of_others_unknown_ones_and_deleted_objects(make, session, catalog, testapp):
    arc, other = make.arc(), make.arc()
    foreign = address(session, other).split("/")[-3]
    for number in (foreign, "999999", "9" * 30):
        testapp.get(f"/arc/{arc.slug}/history/{number}/revert/", status=404)
    path = address(session, other)
    catalog.delete(other)
    session.commit()
    testapp.get(path, status=410)


@pytest.mark.usefixtures("editor")
def test_only_forms_of_ours_revert(make, session, testapp, edit):
    arc = make.arc(name="Dusk")
    edit(arc, name="Dawn")
    testapp.post(address(session, arc), {"modified": arc.modified.isoformat()}, status=400)
    assert session.scalar(select(Arc.name).where(Arc.id == arc.id)) == "Dawn"
