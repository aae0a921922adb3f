"""Merging and moving in the administration: choosing objects by id, slug or search; preview; and effects."""

from datetime import date

import pytest
from sqlalchemy import select

from comicsdb import admin
from comicsdb.models import CATALOG, History, Imprint, Publisher, Series, StaffAction
from tests.conftest import record_statements
from tests.core.catalog.maintenance.test_merge_references import crowd
from tests.web.admin.helpers import cells, log_in_as
from tests.web.conftest import field_errors, form_to, notice, soup

KINDS = [model.__tablename__ for model in CATALOG]
MERGE, MOVE = "/admin/merge/", "/admin/move/"


def page(testapp, path, **query):
    return testapp.get(path, query)


def effects(response) -> list[str]:
    return [" ".join(each.get_text(" ").split()) for each in soup(response).select(".effects > li")]


@pytest.mark.parametrize("path", [MERGE, f"{MERGE}arc/", MOVE])
def test_others_need_not_know_that_it_is_there(testapp, make, path):
    testapp.get(path, status=303)
    log_in_as(testapp, make, "Nora")
    testapp.get(path, status=404)
    testapp.post(path, {"csrf_token": "x"}, expect_errors=True, status=[400, 403, 404, 405])


def test_the_overview_leads_to_every_kind(testapp, boss):
    found = {each["href"] for each in soup(testapp.get("/admin/")).select("a")}
    assert {MERGE, MOVE} <= found
    paths = {each["href"] for each in soup(testapp.get(MERGE)).select(".tile a")}
    assert paths == {f"{MERGE}{kind}/" for kind in KINDS}
    for path in paths:
        assert soup(testapp.get(path)).h1
    testapp.get(f"{MERGE}genre/", status=404)


def test_two_are_found_by_words_and_chosen_by_links(testapp, boss, make):
    kept, other, _third = (make.arc(name=name) for name in ("Long Dusk", "Long Dusk II", "Dawn"))
    found = page(testapp, f"{MERGE}arc/", find="long")
    assert [row[0] for row in cells(found)] == ["Long Dusk", "Long Dusk II"]
    step = found.click("^Keep<.*: Long Dusk</span>$")
    step = step.click("^Remove<.*: Long Dusk II</span>$")
    assert step.request.GET["keep"] == str(kept.id)
    assert step.request.GET["other"] == str(other.id)
    assert soup(step).select_one("#plan-title")
    assert "Nothing matches." in page(testapp, f"{MERGE}arc/", find="xyz").text
    make.issue(series=make.series(name="Run"), number="77")
    assert [row[0] for row in cells(page(testapp, f"{MERGE}issue/", find="#77"))] == ["Run (2020) #77"]


def test_a_merge_is_seen_before_and_done_with_a_reason(testapp, boss, make, session):
    kept = make.creator(name="Ada Pencil", alias=["AP"], desc="Here.")
    other = make.creator(
        name="A. Pencil",
        alias=["ap", "Line"],
        cv_id=7,
        desc="There.",
        attributions=[{"source": "W", "url": "https://example.org/"}],
    )
    make.team(creators=[other])
    issue = make.issue(series=make.series(name="Run"))
    make.credit(issue, other, "Writer")
    session.commit()
    seen = page(testapp, f"{MERGE}creator/", keep=kept.slug, other=other.id)
    rows = {row[0]: row[1:] for row in cells(seen)}
    assert rows["Entry"][:2] == [f"Ada Pencil ( {kept.id})".replace("( ", "("), f"A. Pencil ({other.id})"]
    assert rows["Description"] == ["Here.", "There.", "as it is"]
    assert [row for name, row in rows.items() if row == ["–", "7", "7"]]
    assert [row for name, row in rows.items() if row == ["AP", "ap; Line", "AP; A. Pencil; Line"]]
    told = effects(seen)
    assert any(each.startswith("Credits : 1 will be moved") and "Run (2020) #1" in each for each in told)
    assert any(each.startswith("Attribution : 1 will be lost") for each in told), told
    path = f"{MERGE}creator/"
    form = form_to(seen, path)
    form["reason"] = "The same hand"
    done = form.submit(status=303)
    assert done.location == f"http://localhost/creator/{kept.slug}/"
    assert notice(done.follow()) == "A. Pencil was merged."
    assert testapp.get(f"/creator/{other.slug}/", status=301).location == done.location
    (line,) = session.scalars(select(StaffAction).where(StaffAction.action == "merge"))
    assert (line.actor_name, line.kind, line.target_id) == ("Boss", "creator", kept.id)
    assert line.change["reason"] == ["", "The same hand"]
    assert "Merged" in testapp.get("/admin/action/").text
    newest = session.scalars(select(History).where(History.kind == "creator").order_by(History.id)).all()
    assert {(row.type, row.reason, row.user_id) for row in newest[-2:]} == {
        ("-", "The same hand", boss.id),
        ("~", "The same hand", boss.id),
    }


def test_dates_are_shown_as_far_as_they_are_known(testapp, boss, make, session):
    kept, other = make.creator(name="Ada Pencil"), make.creator(name="A. Pencil")
    make.catalog.update(kept, {"birth": date(1920, 1, 1), "birth_precision": "year"})
    make.catalog.update(other, {"death": date(1999, 5, 1), "death_precision": "month"})
    series = make.series(name="Run")
    undated, dated = make.issue(series=series, number="1"), make.issue(series=series, number="2")
    make.catalog.update(undated, {"cover_date": None})
    make.catalog.update(dated, {"cover_date": date(1963, 9, 1), "cover_date_precision": "month"})
    session.commit()
    rows = [row[1:] for row in cells(page(testapp, f"{MERGE}creator/", keep=kept.id, other=other.id))]
    assert ["1920", "–", "as it is"] in rows
    assert ["–", "1999-05", "1999-05"] in rows
    rows = {
        row[0]: row[1:] for row in cells(page(testapp, f"{MERGE}issue/", keep=undated.id, other=dated.id))
    }
    assert rows["Cover date"] == ["–", "1963-09", "1963-09"]


def test_objects_with_every_field_and_link_filled_are_shown_and_merged(testapp, boss, make, session):
    first, second = (crowd(make, session, number) for number in range(2))
    for kind in KINDS:  # parents first, so each still has everything that belongs to it
        kept, other = first[kind], second[kind]
        seen = page(testapp, f"{MERGE}{kind}/", keep=kept.id, other=other.id)
        told = effects(seen)
        if kind == "series":  # reference data has names, but no pages to link to
            assert f"Genres : 1 will be moved: {second['genre'].name}" in told, told
        done = form_to(seen, f"{MERGE}{kind}/").submit(status=303)
        assert done.location == f"http://localhost/{kind}/{kept.slug}/"


def test_what_is_in_the_way_is_shown_with_links_and_nothing_is_done(testapp, boss, make, session):
    kept, other = make.series(name="Run"), make.series(name="Run II")
    mine, theirs = make.issue(series=kept, number="3"), make.issue(series=other, number="3")
    path = f"{MERGE}series/"
    seen = page(testapp, path, keep=kept.id, other=other.id)
    links = {each["href"] for each in soup(seen).select(".form-errors a")}
    assert links == {f"/issue/{mine.slug}/", f"/issue/{theirs.slug}/"}
    assert "Merge permanently" not in seen.text
    form = form_to(seen, path)
    assert (form["keep"].value, form["other"].value) == (str(kept.id), str(other.id))
    refused = form.submit(status=422)
    assert "Run (2020) #3" in field_errors(refused)[""]
    assert session.get(Series, other.id) is not None


@pytest.mark.parametrize(
    ("keep", "other", "wrong"),
    [
        ("999999", "", {"keep"}),
        ("no-such", "{gone}", {"keep", "other"}),
        ("{arc}", "{arc}", {"other"}),
        ("{arc}", "\0", {"other"}),
        ("{arc}", "9" * 300, {"other"}),
    ],
)
def test_what_is_not_there_is_told_beside_its_field(
    testapp, boss, make, catalog, session, keep, other, wrong
):
    arc, gone = make.arc(), make.arc()
    catalog.delete(gone)
    session.commit()
    keep, other = (each.format(arc=arc.id, gone=gone.slug) for each in (keep, other))
    path = f"{MERGE}arc/"
    assert set(field_errors(page(testapp, path, keep=keep, other=other))) == wrong
    token = form_to(page(testapp, path), "/accounts/logout/")["csrf_token"].value
    sent = {"keep": keep, "other": other, "csrf_token": token}
    assert set(field_errors(testapp.post(path, sent, status=422))) == wrong
    assert "Choose two" in testapp.post(path, {"csrf_token": token}, status=422).text
    sent = {"keep": arc.id, "other": make.arc().id, "reason": "x" * 101, "csrf_token": token}
    assert set(field_errors(testapp.post(path, sent, status=422))) == {"reason"}
    assert testapp.post(path, sent | {"csrf_token": "x"}, status=400).status_int == 400


def test_a_publisher_becomes_an_imprint(testapp, boss, make, session):
    old, parent = make.publisher(name="Little", alt_names=["Piccola"]), make.publisher(name="Big")
    series, universe, old_id = make.series(publisher=old), make.universe(publisher=old), old.id
    refused = page(testapp, MOVE, publisher=old.id, parent=parent.slug)
    assert universe.label in soup(refused).select_one(".form-errors").get_text()
    seen = page(testapp, MOVE, publisher=old.id, parent=parent.slug, with_children="1")
    assert any("Big will get a new imprint, Little." in each for each in effects(seen))
    assert any("Piccola" in each for each in effects(seen))
    done = form_to(seen, MOVE).submit(status=303)
    (imprint,) = session.scalars(select(Imprint).where(Imprint.publisher_id == parent.id))
    assert done.location == f"http://localhost/imprint/{imprint.slug}/"
    session.expire_all()
    moved = session.get(Series, series.id)
    assert (moved.publisher_id, moved.imprint_id) == (parent.id, imprint.id)
    assert session.get(Publisher, old_id) is None
    gone = testapp.get("/publisher/little/", status=410)
    assert f"It is imprint {imprint.id} now: Little" in soup(gone).get_text()
    assert [each.action for each in session.scalars(admin.actions())] == ["move"]
    assert set(field_errors(page(testapp, MOVE, publisher=parent.id, parent=parent.id))) == {"parent"}


def test_what_an_existing_imprint_does_not_take_over_is_seen_before(testapp, boss, make):
    old, parent = make.publisher(name="Little", desc="Small.", cv_id=4), make.publisher(name="Big")
    make.imprint(name="Little", publisher=parent, desc="Was small.", cv_id=5)
    told = effects(page(testapp, MOVE, publisher=old.id, parent=parent.id))
    assert [each for each in told if "lost" in each] == [
        "Will be lost: Description : Small.",
        "Will be lost: Comic Vine ID : 4",
    ]


def test_a_preview_costs_the_same_however_much_it_shows(testapp, boss, make, connection):
    def cost(kind, kept, other):
        with record_statements(connection) as statements:
            page(testapp, f"{MERGE}{kind}/", keep=kept.id, other=other.id)
        return len(statements), statements

    kept, other = make.creator(), make.creator()
    issue = make.issue(credits=[{"creator": other.id, "roles": []}], reprints=[make.issue()])
    make.team(creators=[other])
    make.character(creators=[other])
    few, _statements = cost("creator", kept, other)
    for _ in range(12):
        make.issue(credits=[{"creator": other.id, "roles": []}])
        make.team(creators=[other])
        make.character(creators=[other])
    number, statements = cost("creator", kept, other)
    assert number == few <= 22, statements
    number, statements = cost("issue", make.issue(), issue)
    assert number <= 34, statements
