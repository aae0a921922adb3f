"""The history of an object: its versions, the changes in each, and the comparison of any two."""

import re
from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import event, insert, select, text

from comicsdb.catalog import Catalog
from comicsdb.models import CATALOG, FormerSlug, History
from tests.conftest import record_statements
from tests.factories import history_of
from tests.web.admin.helpers import cells
from tests.web.conftest import form_with, soup, start_session


@pytest.fixture
def reader(testapp, member):
    """The test client, logged in as a member."""
    start_session(testapp, member)
    return testapp


@pytest.fixture
def edit(session):
    """`edit(entity, who=None, reason=None, **values)`: an update in a transaction of its own."""

    def edited(entity, who=None, reason=None, **values):
        Catalog(session, who and who.id, reason).update(entity, values)
        session.commit()

    return edited


def versions(session, entity):
    """The ids of an object's versions, oldest first."""
    return [each.id for each in history_of(session, entity.__tablename__, entity.id)]


def told(page) -> dict[str, str]:
    """The differences that a page shows, by field: removed text in brackets, added text in braces."""
    for hidden in page.select(".diff .sr-only, .diff .arrow"):
        hidden.element.clear(keep_tail=True)
    for mark, left, right in (("del", "[", "]"), ("ins", "{", "}")):
        for each in page.select(f".diff {mark}"):
            marked = f"{left}{each.get_text().strip()}{right}"
            del each.element[:]
            each.element.text = marked
    return {
        each.dt.get_text(strip=True): " ".join(each.dd.get_text(" ", strip=True).split())
        for each in page.select(".diff-field")
    }


def test_every_kind_has_one_for_members_alone(world, testapp, member):
    objects = [getattr(world, "first" if m.__tablename__ == "issue" else m.__tablename__) for m in CATALOG]
    paths = [f"/{each.__tablename__}/{each.slug}/history/" for each in objects]
    for path in paths:
        assert "/accounts/login/?next=" in testapp.get(path, status=303).location
    start_session(testapp, member)
    for path in paths:
        page = testapp.get(path, status=200)
        assert soup(page).h1.get_text(" ", strip=True).endswith(" history")
        assert page.headers["Cache-Control"] == "no-store"


def test_versions_are_told_newest_first_with_who_what_and_why(make, reader, edit):
    arc, user = make.arc(name="Dusk"), make.user("Ann")
    edit(arc, user, "Read the cover", name="Dawn")
    page = reader.get(f"/arc/{arc.slug}/history/")
    rows = cells(page)
    assert [row[2:4] for row in rows] == [["Ann", "Updated"], ["unknown", "Created"]]
    assert "Read the cover" in rows[0][4]
    assert soup(page).select_one(".versions-table a[href='/accounts/Ann/']")
    assert told(soup(page)) == {"Name": "[Dusk] {Dawn}"}


def test_changes_are_told_by_names_with_links(world, make, reader, edit):
    other, writer = make.character(name="Moth"), make.role("Writer")
    edit(
        world.first,
        characters=[other.id],
        credits=[{"creator": world.inker.id, "roles": [writer.id]}],
        price=Decimal("4.50"),
        store_date=date(2019, 4, 10),
        desc="It truly begins.",
        rating=1,
        name=["Ashes", "A Spark"],
    )
    page = soup(reader.get(f"/issue/{world.first.slug}/history/"))
    assert page.select_one(f".diff a[href='/character/{other.slug}/']").get_text() == "Moth"
    assert told(page) == {
        "Stories": "Order changed: [A Spark; Ashes] {Ashes; A Spark}",
        "In stores": "[April 3, 2019] {April 10, 2019}",
        "Price": "[$3.99] {$4.50}",
        "Description": "It {truly} begins.",
        "Age rating": "[Teen] {Unknown}",
        "Characters": "[Lamplighter] {Moth}",
        "Reprints": "{Lamplight Collected TPB (2020) #1}",
        "Credits": "[Ada Pencil] : [Penciller] , [Writer] Bo Brush : [Inker] , {Writer}",
    }


def test_codes_are_told_as_the_reader_knows_them(world, reader, edit):
    edit(world.series, language="de", status=4, imprint=None, genres=[8])
    assert told(soup(reader.get(f"/series/{world.series.slug}/history/"))) == {
        "Language": "[Italian] {German}",
        "Status": "[Completed] {Ongoing}",
        "Imprint": "[Little Harbor] {nothing}",
        "Genres": "{Romance}",
    }


def test_variants_are_told_one_by_one(world, session, reader, edit):
    (foil,) = session.scalar(select(History.snapshot).where(History.kind == "issue"))["variants"]
    edit(world.first, variants=[{"id": foil["id"], "name": "Gold", "sku": ""}])
    page = soup(reader.get(f"/issue/{world.first.slug}/history/"))
    assert told(page)["Name"] == "[Foil] {Gold}"


def test_what_is_typed_is_never_markup(make, reader, edit):
    arc = make.arc(name="<b>old</b>", desc="<script>x</script>")
    edit(
        arc,
        name="<i>new</i>",
        desc="<script>y</script>",
        attributions=[{"source": "W", "url": "javascript:x"}],
    )
    page = soup(reader.get(f"/arc/{arc.slug}/history/"))
    assert not page.select("main script:not([type]), main b, dd i, main [href^=javascript]")
    assert "<b>old</b>" in page.select_one(".diff del").get_text()


def test_twenty_five_stand_on_a_page(make, session, reader):
    arc = make.arc()
    row = session.scalars(select(History).where(History.kind == "arc")).one()
    values = {"kind": "arc", "object_id": arc.id, "type": "~"}
    session.execute(
        insert(History),
        [values | {"snapshot": row.snapshot | {"desc": f"Text {number}"}} for number in range(30)],
    )
    session.commit()
    path = f"/arc/{arc.slug}/history/"
    first, last = reader.get(path), reader.get(f"{path}?page=last")
    assert (len(cells(first)), len(cells(last))) == (25, 6)
    # The oldest version on a page is compared with the newest on the next one.
    oldest = soup(first).select("tbody tr")[-1].select_one(".diff-text")
    assert oldest.find("del").get_text() == "4"
    reader.get(f"{path}?page=3", status=404)


# Comparison.


def test_any_two_versions_can_be_compared_without_a_script(make, session, reader, edit):
    arc = make.arc(name="One", desc="The same")
    for name in ("Two", "Three"):
        edit(arc, name=name)
    form = form_with(reader.get(f"/arc/{arc.slug}/history/"), "from")
    numbers = versions(session, arc)
    assert (form["from"].value, form["to"].value) == (str(numbers[1]), str(numbers[2]))
    form["from"] = str(numbers[0])
    page = form.submit()
    assert page.status_int == 200
    assert told(soup(page)) == {"Name": "[One] {Three}"}


def test_a_single_version_offers_no_comparison(make, session, reader, edit):
    arc = make.arc(name="Dusk")
    address = f"/arc/{arc.slug}/history/"
    for query in ("", f"?to={versions(session, arc)[0]}"):
        page = soup(reader.get(address + query))
        assert page.select("form.history input") == []
        assert "Compare" not in page.main.get_text()
        assert "Choose the other version" not in page.main.get_text()
    edit(arc, desc="A long night.")
    assert len(soup(reader.get(address)).select("form.history input[type=radio]")) == 4


def test_one_choice_is_kept_while_the_other_is_made(make, session, reader, edit):
    arc = make.arc(name="One")
    edit(arc, name="Two")
    number = versions(session, arc)[0]
    page = soup(reader.get(f"/arc/{arc.slug}/history/?from={number}"))
    assert page.select_one("form.history input[type=hidden][name=from]")["value"] == str(number)
    assert {each["name"] for each in page.select("form.history input[type=radio]")} == {"to"}


def test_versions_of_other_objects_are_not_there(make, session, reader):
    arc, other = make.arc(), make.arc()
    own, foreign = versions(session, arc)[0], versions(session, other)[0]
    path = f"/arc/{arc.slug}/history/"
    for number in (foreign, 999_999, "x", "-1", "9" * 30, "%D9%A3"):
        reader.get(f"{path}?from={own}&to={number}", status=404)
    assert "No differences in what is shown here" in reader.get(f"{path}?from={own}&to={own}").text


# Unknown and former addresses, and deleted objects.


def test_an_unknown_slug_is_404_and_a_former_one_leads_on(make, session, reader):
    arc = make.arc()
    session.add(FormerSlug(kind="arc", slug="old-name", object_id=arc.id))
    session.commit()
    reader.get("/arc/nothing-of-the-sort/history/", status=404)
    reader.get("/arc/%01/history/", status=404)
    moved = reader.get("/arc/old-name/history/?page=1", status=301)
    assert moved.location.endswith(f"/arc/{arc.slug}/history/?page=1")


def test_a_deleted_object_keeps_its_history_for_members(make, session, testapp, member, edit):
    series = make.series(name="Run")
    issue = make.issue(series=series, number="7")
    path, slug = f"/issue/{issue.slug}/", issue.slug
    edit(issue, number="8")
    Catalog(session, member.id).delete(issue, "A double")
    session.commit()
    gone = testapp.get(path, status=410)
    assert soup(gone).select_one(".error-label").get_text() == "Run (2020) #8"
    assert f"{path}history/" not in gone.text
    start_session(testapp, member)
    assert soup(testapp.get(path, status=410)).select_one(f"a[href='{path}history/']")
    page = testapp.get(f"{path}history/")
    assert [row[2:4] for row in cells(page)] == [
        ["Nora", "Deleted"],
        ["unknown", "Updated"],
        ["unknown", "Created"],
    ]
    assert "A double" in page.text
    assert not soup(page).select(f"a[href*='/issue/{slug}/history/'][href$='revert/']")


# Costs.


def test_a_page_costs_the_same_however_many_versions_it_shows(world, make, reader, edit, connection):
    path = f"/issue/{world.first.slug}/history/"

    def cost():
        with record_statements(connection) as statements:
            reader.get(path)
        return len(statements), statements

    def changed(number):
        arcs = [make.arc(), make.arc()]
        made = [{"creator": make.creator().id, "roles": [number]}]
        edit(world.first, arcs=[each.id for each in arcs], credits=made, reprints=[make.issue().id])

    changed(1)
    few, _statements = cost()
    for number in range(2, 8):
        changed(number)
    many, statements = cost()
    assert many == few, statements
    # Three for session, account and groups; three for object, count and rows; one for each of nine kinds.
    assert many <= 3 + 3 + 9, statements


def test_a_page_of_a_long_history_is_found_by_its_index(make, session, reader, connection):
    arc = make.arc()
    copies = (
        "INSERT INTO history (kind, object_id, type, snapshot) SELECT kind, object_id, '~', snapshot"
        " FROM history, generate_series(1, 200) WHERE kind = 'arc'"
    )
    session.execute(text(copies))
    session.execute(text("SET LOCAL enable_seqscan = off"))  # it would scan so small a table
    session.commit()
    sent = []
    event.listen(connection, "before_cursor_execute", lambda *given: sent.append(given[2:4]))
    reader.get(f"/arc/{arc.slug}/history/")
    sql, values = next(each for each in sent if "FROM history" in each[0] and "LIMIT" in each[0])
    plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN (ANALYZE, TIMING off) {sql}", values).scalars())
    scans = re.findall(r"using (\w+) on history.*actual rows=(\d+)", plan)
    assert {index for index, _rows in scans} == {"ix_history_object", "pk_history"}, plan
    assert all(int(rows) <= 25 for _index, rows in scans), plan
    assert "Filter" not in plan, plan
