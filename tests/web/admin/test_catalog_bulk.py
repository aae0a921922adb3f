"""Bulk acts in the administration: chosen in a list, confirmed, and applied to all objects or to none."""

import pytest
from sqlalchemy import select

from comicsdb.catalog.maintenance import pieces
from comicsdb.catalog.maintenance.bulk import OBJECTS_MAX
from comicsdb.models import Arc, Group, Issue, StaffAction, UnfinishedAct
from tests.conftest import record_statements
from tests.web.admin.helpers import log_in_as
from tests.web.conftest import field_errors, form_with, notice, soup


def offered(testapp, kind) -> list[str]:
    """The acts that a list offers."""
    found = soup(testapp.get(f"/admin/{kind}/")).select("#act option")
    return [each["value"] for each in found if each["value"]]


def choose(testapp, kind, act, *ids, status=200, **more):
    """Submit a list with an act and the chosen objects."""
    address = f"/admin/{kind}/" + more.pop("query", "")
    token = soup(testapp.get(address)).main.find("input", attrs={"name": "csrf_token"})["value"]
    sent = [("csrf_token", token), ("act", act), *more.items(), *(("chosen", str(each)) for each in ids)]
    return testapp.post(address, sent, status=status)


def confirm(page, status=303, **fields):
    """Submit the form of the confirmation page."""
    form = form_with(page, "confirmed")
    for name, value in fields.items():
        form[name] = value
    return form.submit(status=status)


def listed(page) -> list[str]:
    return [each.get_text(strip=True) for each in soup(page).select(".effects li")]


def lines(session) -> list[tuple]:
    found = session.scalars(select(StaffAction).order_by(StaffAction.id))
    return [(each.action, each.kind, each.target) for each in found]


def test_each_kind_offers_what_whoever_asks_may_do(testapp, boss, world, session, site_with, make):
    assert offered(testapp, "issue") == ["teen", "covers", "reprints"]
    assert offered(testapp, "series") == ["slugs"]
    assert offered(testapp, "arc") == []
    assert soup(testapp.get("/admin/arc/")).select('[name="chosen"]') == []
    session.scalars(select(Group).where(Group.name == "editor")).one().may_delete = ["arc"]
    boss.groups = session.scalars(select(Group).where(Group.name == "editor")).all()
    session.commit()
    assert offered(testapp, "arc") == ["delete"]
    assert offered(testapp, "series") == ["slugs"]
    choose(testapp, "series", "delete", world.series.id, status=303)
    assert notice(testapp.get("/admin/series/")).startswith("Choose an action")
    site = site_with(**{"comicsdb.executives": f"{world.publisher.id}: {world.inker.id} President"})
    log_in_as(site, make, "Other", is_superuser=True)
    assert offered(site, "issue") == ["executives", "teen", "covers", "reprints", "delete"]
    assert offered(site, "genre") == ["delete"]


def test_what_is_chosen_is_shown_and_done_after_a_yes(testapp, boss, world, session):
    page = choose(testapp, "issue", "teen", world.first.id, world.second.id, query="?q=lamp")
    assert listed(page) == ["Lamplight (2019) #1", "Lamplight (2019) #2"]
    assert soup(page).select_one(".lead strong").get_text() == "2 entries"
    session.expire_all()
    assert world.second.rating_id == 1
    done = confirm(page)
    assert done.location == "http://localhost/admin/issue/?q=lamp"
    assert notice(done.follow()).startswith("1 entry was changed. 1 was left unchanged.")
    session.expire_all()
    assert [each.rating_id for each in (world.first, world.second, world.third)] == [3, 3, 1]
    assert lines(session) == [("rate teen", "issue", "1 object")]
    assert "Age rating set to Teen" in testapp.get("/admin/action/")


def test_the_whole_list_as_it_is_narrowed(testapp, boss, world, session):
    page = choose(testapp, "issue", "teen", query="?q=%232", all="1")
    assert listed(page) == ["Lamplight (2019) #2"]
    page = choose(testapp, "issue", "teen", all="1")
    assert len(listed(page)) == 4
    confirm(page)
    session.expire_all()
    assert set(session.scalars(select(Issue.rating_id))) == {3}


@pytest.mark.parametrize(("kind", "act"), [("issue", "covers"), ("issue", "reprints"), ("series", "slugs")])
def test_the_other_acts(testapp, boss, world, session, kind, act):
    entity = {"covers": world.first, "reprints": world.reprint, "slugs": world.series}[act]
    world.first.name = ["One"]
    slug, world.second.slug = world.second.slug, "odd"
    session.commit()
    done = confirm(choose(testapp, kind, act, entity.id)).follow()
    assert notice(done).startswith("1 entry was changed.")
    session.expire_all()
    if act == "covers":
        assert (world.first.image, world.first.cover_hash) == ("", "")
    if act == "reprints":
        assert world.reprint.name == ["One"]
    if act == "slugs":
        assert testapp.get("/issue/odd/", status=301).location == f"http://localhost/issue/{slug}/"


def test_executives_come_from_the_setting(site_with, make, world, session):
    site = site_with(**{"comicsdb.executives": f"{world.publisher.id}: {world.inker.id} President"})
    log_in_as(site, make, is_staff=True)
    done = confirm(choose(site, "issue", "executives", world.second.id)).follow()
    assert notice(done).startswith("1 entry was changed.")
    assert "Bo Brush" in site.get(f"/issue/{world.second.slug}/")
    wrong = site_with(**{"comicsdb.executives": f"{world.publisher.id}: 999999 President"})
    log_in_as(wrong, make, "Other", is_staff=True)
    refused = confirm(choose(wrong, "issue", "executives", world.third.id), status=422)
    assert "names entries that do not exist: 999999" in field_errors(refused)[""]


def test_many_are_deleted_with_a_reason_and_a_warning(testapp, root, world, session, make):
    with make.single_commit():
        arcs = [make.arc(name=f"Arc {number}") for number in range(12)]
    page = choose(testapp, "arc", "delete", *(each.id for each in arcs))
    assert len(listed(page)) == 11
    assert listed(page)[-1] == "and 2 more"
    done = confirm(page, reason="Twice")
    assert notice(done.follow()).startswith("12 entries were deleted.")
    assert session.scalars(select(Arc.name)).all() == [world.arc.name]
    rated = choose(testapp, "issue", "delete", world.first.id, world.second.id)
    told = [each.get_text(strip=True) for each in soup(rated).select(".notice li")]
    assert "2 ratings" in told
    assert "2 credits" in told
    assert "Tick the box" in field_errors(confirm(rated, status=422))["owned"]
    confirm(rated, owned="1")
    assert session.scalars(select(Issue.number).order_by(Issue.id)).all() == ["3", "1"]
    assert lines(session)[0] == ("delete", "arc", "12 objects")


def test_very_many_are_left_for_later(testapp, root, world, session, make, monkeypatch):
    kept = make.series(name="Kept")
    session.commit()
    monkeypatch.setattr(pieces, "IMMEDIATE_MAX", 0)
    path = f"/admin/series/{world.series.id}/delete/"
    form = form_with(testapp.get(path), "reason")
    form["owned"] = "1"
    assert "is being deleted" in notice(form.submit().follow())
    assert "It is being deleted, with" in soup(testapp.get(path)).main.get_text()
    merging = testapp.get(f"/admin/merge/series/?keep={kept.id}&other={world.series.id}")
    assert "is being merged" in notice(form_with(merging, "reason").submit().follow())
    page = choose(testapp, "issue", "teen", world.first.id, world.second.id)
    assert "2 entries will be changed" in notice(confirm(page).follow())
    notes = session.execute(select(UnfinishedAct.act, UnfinishedAct.ids).order_by(UnfinishedAct.id)).all()
    assert [tuple(each) for each in notes] == [
        ("delete", [world.series.id]),
        ("merge", [world.series.id]),
        ("rate teen", [world.first.id, world.second.id]),
    ]
    assert lines(session) == []


def test_deletions_left_for_later_are_called_deletions(testapp, root, world, session, monkeypatch):
    monkeypatch.setattr(pieces, "IMMEDIATE_MAX", 0)
    page = choose(testapp, "series", "delete", world.series.id)
    said = notice(confirm(page, owned="1").follow())
    assert said.startswith("1 entry will be deleted in the background")
    assert session.scalars(select(UnfinishedAct.act)).all() == ["delete"]


def test_nothing_is_done_where_something_is_in_the_way(testapp, root, world, session, make):
    gone = make.arc()
    page = choose(testapp, "arc", "delete", gone.id, world.arc.id)
    make.catalog.delete(gone)
    session.commit()
    assert "no longer exist" in field_errors(confirm(page, status=422))[""]
    session.expire_all()
    assert session.get(Arc, world.arc.id) is not None
    page = choose(testapp, "series_type", "delete", 6, 13)
    assert "Some series have this type" in field_errors(confirm(page, status=422))[""]
    assert lines(session) == []


@pytest.mark.parametrize(
    ("act", "ids", "told"),
    [
        ("", [1], "Choose an action"),
        ("nonsense", [1], "Choose an action"),
        ("delete", [], "Select the entries to change"),
        ("delete", ["x", "-1", "0", "9" * 30, "\0"], "Select the entries to change"),
        ("delete", range(1, OBJECTS_MAX + 2), "Too many"),
    ],
)
def test_a_choice_that_is_none_leads_back(testapp, root, make, act, ids, told, connection):
    make.arc()
    with record_statements(connection) as statements:
        answer = choose(testapp, "arc", act, *ids, status=303)
    assert told in notice(answer.follow())
    assert not [each for each in statements if each.startswith(("DELETE", "UPDATE arc"))]


def test_a_bulk_act_costs_little_for_many(testapp, boss, make, connection):
    with make.single_commit():
        issues = [make.issue() for _ in range(14)]
    costs = []
    for some in (issues[:2], issues[2:]):
        page = choose(testapp, "issue", "teen", *(each.id for each in some))
        with record_statements(connection) as statements:
            confirm(page)
        costs.append(len(statements))
    assert costs[0] == costs[1], costs
