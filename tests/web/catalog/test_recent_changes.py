"""The recent changes of the whole site: order, filters and pages, which cost the same in a long log."""

import re
from datetime import UTC, datetime
from itertools import product

import pytest
from sqlalchemy import select, text, update

from comicsdb.catalog import Catalog
from comicsdb.catalog.history import recent_changes
from comicsdb.catalog.history.recent_changes import ChangeFilter
from comicsdb.models import Arc, Change, Tombstone
from tests.conftest import record_statements
from tests.web.admin.helpers import cells
from tests.web.conftest import soup, start_session


@pytest.fixture
def reader(testapp, member):
    """The test client, logged in as a member."""
    start_session(testapp, member)
    return testapp


def entries(page) -> list[str]:
    """The names of the changed objects on a page."""
    return [each.get_text(strip=True) for each in soup(page).select(".entry-name > span:last-child")]


def test_members_see_them_and_have_a_link(testapp, member):
    assert "/accounts/login/?next=" in testapp.get("/changes/", status=303).location
    assert soup(testapp.get("/")).select("a[href='/changes/']") == []
    start_session(testapp, member)
    assert soup(testapp.get("/")).select("a[href='/changes/']")
    assert "Nothing here yet." in testapp.get("/changes/").text
    assert testapp.get("/changes", status=301).location.endswith("/changes/")


def test_each_line_tells_what_when_and_who(make, session, reader, member):
    arc = make.arc(name="Dusk")
    Catalog(session, member.id).update(arc, {"name": "Dawn", "desc": "x"})
    session.commit()
    rows = cells(reader.get("/changes/"))
    assert [row[1:5] for row in rows] == [
        ["Updated", "Story Arc: Dawn", "Description, Name", "Nora"],
        ["Created", "Story Arc: Dawn", "–", "unknown"],
    ]
    page = soup(reader.get("/changes/"))
    assert page.select_one(".entry a")["href"] == f"/arc/{arc.slug}/"
    assert page.select_one(".stacked-action a")["href"] == f"/arc/{arc.slug}/history/"


def test_what_is_gone_is_struck_and_leads_to_its_page(make, session, catalog, reader):
    arc, loser, survivor = make.arc(name="Dusk"), make.team(name="Crew"), make.team(name="The Crew")
    path, team_path = f"/arc/{arc.slug}/", f"/team/{loser.slug}/"
    catalog.delete(arc)
    catalog.delete(loser)
    session.commit()
    session.get_one(Tombstone, ("team", loser.id)).survivor_id = survivor.id
    session.execute(
        update(Change).where(Change.kind == "team", Change.action == "delete").values(action="merge")
    )
    session.commit()
    page = reader.get("/changes/")
    struck = {each["href"]: each.get_text() for each in soup(page).select("a.gone")}
    assert struck == {path: "Dusk", team_path: "Crew"}
    reader.get(path, status=410)
    assert entries(reader.get("/changes/?action=merge")) == ["Crew"]


def test_kinds_without_pages_are_told_by_name(session, reader):
    from comicsdb.models import Genre

    Catalog(session).create(Genre, {"name": "Opera"})
    session.commit()
    (row,) = cells(reader.get("/changes/"))
    assert row[1:4] == ["Created", "Genre: Opera", "–"]


def test_filters_narrow_and_say_what_they_cannot_read(make, session, reader, member):
    make.arc(name="Dusk")
    team = make.team(name="Crew")
    Catalog(session, member.id).update(team, {"name": "The Crew"})
    session.commit()
    assert entries(reader.get("/changes/?user=nORA")) == ["The Crew"]
    assert entries(reader.get("/changes/?kind=arc")) == ["Dusk"]
    assert entries(reader.get("/changes/?kind=team&action=create")) == ["The Crew"]
    assert "Nothing matches." in reader.get("/changes/?kind=arc&action=delete").text
    for query, name in (
        ("user=nobody", "user"),
        ("user=x%00", "user"),
        ("since=x", "since"),
        ("since=20260101", "since"),
        ("until=1-1", "until"),
        ("until=2026-W01-1", "until"),
        ("kind=nonsense", "kind"),
        ("action=x", "action"),
    ):
        page = reader.get(f"/changes/?{query}")
        assert soup(page).select_one(f"#by-{name}[aria-invalid][aria-describedby=by-{name}-error]")
        assert len(soup(page).select(".field-error")) == len(soup(page).select(f"#by-{name}-error")) == 1
        assert len(entries(page)) == 3


def test_days_are_those_of_the_site_and_both_are_included(make, session, reader):
    for number in range(4):
        make.arc(name=f"Arc {number}")
    numbers = session.scalars(select(Change.seq).order_by(Change.seq)).all()
    # In the site's zone, New York, these are the 1st, the 2nd, the 2nd and the 3rd of March.
    moments = ((1, 12), (2, 5), (3, 4), (3, 6))
    for seq, (day, hour) in zip(numbers, moments, strict=True):
        at = datetime(2026, 3, day, hour, tzinfo=UTC)
        session.execute(update(Change).where(Change.seq == seq).values(at=at))
    session.commit()

    def found(query):
        return [int(name[-1]) for name in entries(reader.get(f"/changes/?{query}"))]

    assert found("since=2026-03-02&until=2026-03-02") == [2, 1]
    assert found("since=2026-03-03") == [3]
    assert found("until=2026-03-01") == [0]
    assert found("since=2027-01-01") == found("until=2025-01-01") == []
    assert found("since=0001-01-01&until=9999-12-31") == [3, 2, 1, 0]


def test_pages_follow_one_another_both_ways(make, session, reader):
    for number in range(60):
        session.add(Arc(name=f"Arc {number:02}", slug=f"arc-{number}"))
        session.flush()
    session.commit()
    wanted = [f"Arc {number:02}" for number in reversed(range(60))]
    seen, page = [], reader.get("/changes/?kind=arc")
    assert not soup(page).select("a[rel=prev]")
    while True:
        seen.append(entries(page))
        older = soup(page).select_one("a[rel=next]")
        if older is None:
            break
        page = reader.get(older["href"])
    assert [name for names in seen for name in names] == wanted
    assert [len(names) for names in seen] == [25, 25, 10]
    for names in reversed(seen[:-1]):
        page = reader.get(soup(page).select_one("a[rel=prev]")["href"])
        assert entries(page) == names
    assert not soup(page).select("a[rel=prev]")
    for odd in ("before=x", "after=-1", "before=" + "9" * 30):
        reader.get(f"/changes/?{odd}", status=404)


def test_a_page_costs_the_same_however_much_it_shows(make, session, reader, connection):
    def cost():
        with record_statements(connection) as statements:
            reader.get("/changes/")
        return len(statements), statements

    make.arc(), make.team(), make.issue()
    few, _statements = cost()
    for _ in range(6):
        make.arc(), make.team(), make.issue()
    many, statements = cost()
    assert many == few, statements


INDEXES = (
    (ChangeFilter(), "pk_change_log"),
    (ChangeFilter(kind="genre"), "ix_change_log_(kind|object)"),
    (ChangeFilter(user_id=7), "ix_change_log_user"),
    (ChangeFilter(action="merge"), "ix_change_log_action"),
    (
        ChangeFilter(since=datetime(2026, 1, 5, tzinfo=UTC), until=datetime(2026, 1, 6, tzinfo=UTC)),
        "ix_change_log_at",
    ),
)


def test_every_filter_reads_a_few_lines_of_a_long_log(session, monkeypatch):
    session.execute(
        text(
            "INSERT INTO change_log (at, kind, object_id, action) SELECT"
            " '2026-01-01'::timestamptz + n * interval '1 minute', CASE n % 9000 WHEN 5 THEN 'genre'"
            " ELSE 'issue' END, n, CASE n % 9000 WHEN 7 THEN 'merge' ELSE 'update' END"
            " FROM generate_series(1, 20000) n"
        )
    )
    session.execute(text("ANALYZE change_log"))
    middle = session.scalar(text("SELECT max(seq) - 10000 FROM change_log"))
    statements = []
    execute = session.execute
    monkeypatch.setattr(
        session, "execute", lambda statement, *rest: statements.append(statement) or execute(statement, *rest)
    )
    for (wanted, index), before in product(INDEXES, (None, middle)):
        statements.clear()
        recent_changes.get_page(session, wanted, before=before)
        sql = statements[0].compile(session.connection(), compile_kwargs={"literal_binds": True})
        explained = text(f"EXPLAIN (ANALYZE, TIMING off, BUFFERS) {sql}".replace(":", "\\:"))
        plan = "\n".join(execute(explained).scalars())
        assert re.search(index, plan), plan
        assert "Seq Scan on change_log" not in plan, plan
        removed = [int(each) for each in re.findall(r"Rows Removed by Filter: (\d+)", plan)]
        assert sum(removed) == 0, plan
