"""Rights to edit and delete, and the page that confirms a deletion and lists what else it deletes."""

import pytest
from sqlalchemy import select

from comicsdb.models import CATALOG, Group, Issue, Publisher, StaffAction, Tombstone
from comicsdb.models.user import EDITOR_GROUP
from tests.web.conftest import form_to, notice, soup
from tests.web.forms.form_helpers import log_in_as, open_form, submit_form


def objects(world):
    """Yield each kind with an object of it."""
    for model in CATALOG:
        kind = model.__tablename__
        yield kind, getattr(world, "first" if kind == "issue" else kind)


def let(session, name, *kinds):
    """Give a group the right to delete these kinds only."""
    session.scalar(select(Group).where(Group.name == name)).may_delete = list(kinds)
    session.commit()


def acts(page) -> list[str]:
    """The links in the menu of a page."""
    return [each.get_text(strip=True) for each in soup(page).select(".acts a")]


def test_whoever_is_not_logged_in_is_led_to_the_log_in_form(testapp, world):
    for kind, entity in objects(world):
        for address in (
            f"/{kind}/create/",
            *(f"/{kind}/{entity.slug}/{verb}/" for verb in ("update", "delete")),
        ):
            assert testapp.get(address, status=303).location.endswith(
                f"/accounts/login/?next={address.replace('/', '%2F')}"
            )
        assert acts(testapp.get(f"/{kind}/{entity.slug}/")) == []
    assert "Set-Cookie" not in testapp.get(f"/issue/{world.first.slug}/").headers


def test_every_account_is_led_to_the_forms_and_only_superusers_delete(testapp, make, world):
    """That every account can use the forms is checked in test_kinds.py."""
    log_in_as(testapp, make)
    for kind, entity in objects(world):
        page = testapp.get(f"/{kind}/{entity.slug}/")
        expected = {"series": ["New", "Edit", "New issue", "History"]}
        assert acts(page) == expected.get(kind, ["New", "Edit", "History"])
        assert "by system" in soup(page).select_one(".edited").get_text()
        testapp.get(f"/{kind}/{entity.slug}/delete/", status=403)
        assert soup(testapp.get(f"/{kind}/")).find("a", href=f"/{kind}/create/") is not None
    token = form_to(page, "/accounts/logout/")["csrf_token"].value
    testapp.post(f"/{kind}/{entity.slug}/delete/", {"csrf_token": token}, status=403)
    testapp.post(f"/{kind}/{entity.slug}/update/", {"name": "x"}, status=400)  # no token


def test_a_setting_leaves_editing_to_editors(other_site, make, world, caplog):
    site = other_site
    log_in_as(site, make)
    caplog.clear()
    site.get("/publisher/create/", status=403)
    assert "Permission denied at publisher.create (user=" in caplog.text
    site.get(f"/issue/{world.first.slug}/update/", status=403)
    path = f"/issue/{world.second.slug}/"
    page = site.get(path)
    assert acts(page) == ["History"]
    assert soup(page).select(".helpers") == []
    token = form_to(page, "/accounts/logout/")["csrf_token"].value
    for action in ("duplicate-credits", "sync-reprints"):
        site.post(f"{path}{action}/", {"csrf_token": token}, status=403)
    assert soup(site.get("/publisher/")).find("a", href="/publisher/create/") is None
    site.reset()
    log_in_as(site, make, "Ed", groups=[EDITOR_GROUP])
    assert soup(site.get(path)).select(".helpers button")
    submit_form(open_form(site, "/publisher/create/"), {"name": "Made by an editor"})


def test_a_superuser_deletes_every_kind_with_a_reason(testapp, make, world, session):
    boss = log_in_as(testapp, make, "Boss", is_superuser=True)
    order = ("issue", "arc", "character", "team", "creator", "universe", "series", "imprint", "publisher")
    of_kind = dict(objects(world))
    for kind in order:
        entity = of_kind[kind]
        address, label, object_id = f"/{kind}/{entity.slug}/delete/", entity.slug, entity.id
        page = testapp.get(address)
        form = form_to(page, address)
        form["reason"] = "Twice"
        if "owned" in form.fields:
            form["owned"] = True
        answer = form.submit(status=303)
        assert answer.location == f"http://localhost/{kind}/", label
        assert "was deleted" in notice(answer.follow())
        tombstone = session.get(Tombstone, (kind, object_id))
        assert (tombstone.reason, tombstone.user_id) == ("Twice", boss.id)
        testapp.get(address, status=410)
        session.expire_all()


def test_what_goes_along_is_counted_before(testapp, make, world):
    log_in_as(testapp, make, "Boss", is_superuser=True)
    page = soup(testapp.get(f"/publisher/{world.publisher.slug}/delete/"))
    assert [each.get_text(strip=True) for each in page.select(".notice li")] == [
        "1 imprint", "1 universe", "2 series", "4 issues", "2 credits", "1 variant cover", "2 ratings",
    ]  # fmt: skip
    page = soup(testapp.get(f"/creator/{world.creator.slug}/delete/"))
    assert [each.get_text(strip=True) for each in page.select(".notice li")] == [
        "1 issue",
        "1 character",
        "1 team",
    ]
    page = soup(testapp.get(f"/issue/{world.reprint.slug}/delete/"))
    assert [each.get_text(strip=True) for each in page.select(".notice li")] == [
        "1 reprint of it, or reprinted in it"
    ]
    assert soup(testapp.get(f"/publisher/{make.publisher().slug}/delete/")).select(".notice") == []


def test_what_belongs_to_readers_goes_only_with_a_superusers_word(testapp, make, world, session):
    log_in_as(testapp, make, "Boss", is_superuser=True)
    address = f"/issue/{world.first.slug}/delete/"
    form = form_to(testapp.get(address), address)
    page = form.submit(status=422)
    assert "Tick the box" in page
    assert session.get(Issue, world.first.id) is not None
    testapp.reset()
    let(session, EDITOR_GROUP, "issue")
    log_in_as(testapp, make, "Ed", groups=[EDITOR_GROUP])
    page = testapp.get(address)
    assert "Only a superuser can delete" in page
    token = soup(page).find(attrs={"name": "csrf_token"})["value"]
    testapp.post(address, {"csrf_token": token, "owned": "1"}, status=422)
    session.expire_all()
    assert session.get(Issue, world.first.id) is not None


def test_a_group_deletes_the_kinds_it_may_and_no_others(testapp, make, world, session):
    let(session, EDITOR_GROUP, "publisher", "arc")
    log_in_as(testapp, make, "Ed", groups=[EDITOR_GROUP])
    testapp.get(f"/series/{world.series.slug}/delete/", status=403)
    assert "Delete" not in acts(testapp.get(f"/series/{world.series.slug}/"))
    assert "Delete" in acts(testapp.get(f"/arc/{world.arc.slug}/"))
    address = f"/publisher/{make.publisher(name='Empty').slug}/delete/"
    form_to(testapp.get(address), address).submit(status=303)
    assert session.query(Publisher).filter_by(name="Empty").count() == 0


def test_a_reason_that_history_cannot_hold_is_refused(testapp, make, session):
    log_in_as(testapp, make, "Boss", is_superuser=True)
    arc = make.arc()
    address = f"/arc/{arc.slug}/delete/"
    form = form_to(testapp.get(address), address)
    form["reason"] = "x" * 101
    page = form.submit(status=422)
    assert "Enter at most 100 characters" in page
    assert soup(page).find(id="reason")["value"] == "x" * 101
    session.expire_all()
    assert arc.name


@pytest.mark.parametrize("superuser", [True, False])
def test_superusers_say_what_a_group_may_delete(testapp, make, session, superuser):
    log_in_as(testapp, make, "Boss", is_superuser=superuser, is_staff=True)
    group = session.scalar(select(Group).where(Group.name == EDITOR_GROUP))
    address = f"/admin/group/{group.id}/"
    page = testapp.get(address)
    form = form_to(page, f"{address}rights/")
    ticks = soup(page).select("[name=may_delete]")
    assert [each.has_attr("disabled") for each in ticks] == [not superuser] * 9
    token = form["csrf_token"].value
    sent = [("csrf_token", token), ("may_delete", "issue"), ("may_delete", "arc")]
    testapp.post(f"{address}rights/", sent, status=303)
    session.expire_all()
    assert group.may_delete == (["arc", "issue"] if superuser else [])
    lines = session.query(StaffAction).filter_by(kind="group").all()
    assert [line.change for line in lines] == ([{"may_delete": [[], ["arc", "issue"]]}] if superuser else [])
    testapp.post(f"{address}rights/", [("csrf_token", token), ("may_delete", "user")], status=303)
    session.expire_all()
    assert "user" not in group.may_delete
