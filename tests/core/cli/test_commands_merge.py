"""The commands that merge, move, repair and report, as operators type them: dry runs, errors, exit codes."""

import re

import pytest
from sqlalchemy import insert, select

from comicsdb import models
from comicsdb.catalog import Catalog, MovedError
from comicsdb.models import History, StaffAction
from tests.cases import for_each
from tests.core.catalog.maintenance.test_merge_references import crowd


def state(rows):
    """The numbers of rows in the history and in the audit log, which show whether anything was written."""
    return rows("SELECT (SELECT count(*) FROM history), (SELECT count(*) FROM staff_action)")


def test_series_with_every_field_and_link_filled_are_merged(comicsdb, make, open_session, rows):
    first, second = (crowd(make, open_session, number) for number in range(2))
    kept, other = first["series"], second["series"]
    told = comicsdb("merge", "series", "--canonical", kept.id, "--other", other.id)
    assert f"genre: 1 moved, 0 there already ({second['genre'].name})" in told
    assert rows(select(models.Series.id).where(models.Series.id == other.id)) == []


def test_a_merge_is_shown_and_then_done(comicsdb, make, rows, factory):
    kept, other = make.team(name="Crew"), make.team(name="Crew Too", desc="Four\nof them", cv_id=9)
    make.issue(series=make.series(name="Run"), teams=[other])
    ids = (kept.id, other.id)
    words = ("merge", "team", "--canonical", ids[0], "--other", ids[1])
    before = state(rows)
    shown = comicsdb(*words, "--dry-run")
    assert "gets: cv_id = 9" in shown
    assert "gets: desc = Four of them" in shown
    assert "issue: 1 moved, 0 there already (Run (2020) #1)" in shown
    assert "would be merged" in shown
    assert state(rows) == before
    assert f"Team {ids[1]} is merged into {ids[0]}." in comicsdb(*words, "--reason", "The same crew")
    with factory() as session:
        with pytest.raises(MovedError) as moved:
            Catalog(session).get(models.Team, ids[1])
        assert (moved.value.entity.id, moved.value.entity.cv_id) == (ids[0], 9)
    (line,) = rows(select(StaffAction.actor_name, StaffAction.action, StaffAction.kind))
    assert tuple(line) == ("", "merge", "team")
    (reason,) = rows(select(History.reason).where(History.type == "-"))[0]
    assert reason == "The same crew"
    assert f"was merged into team {ids[0]}" in comicsdb(*words, code=1)


@for_each(
    "words,says",
    [
        (("merge", "arc", "--canonical", "{arc}", "--other", "{arc}"), "the same entry"),
        (("merge", "arc", "--canonical", "{arc}", "--other", "999"), "No arc 999."),
        (("move-publisher", "--publisher", "999", "--parent", "998"), "No publisher 999."),
        (("fix-start-year", "--series", "999", "--year", "2000"), "No series 999."),
        (("dup-credits", "--from", "{issue}", "--to", "{issue}"), "its own credits"),
        (("add-universe", "--series", "999", "--universe", "1"), "No series 999."),
    ],
)
def test_what_cannot_be_done_ends_with_exit_code_1_and_changes_nothing(comicsdb, make, rows, words, says):
    known = {"arc": make.arc().id, "issue": make.issue().id}
    before = state(rows)
    assert says in comicsdb(*(each.format(**known) for each in words), code=1)
    assert state(rows) == before


def test_what_is_in_the_way_of_a_merge_is_told_also_in_a_dry_run(comicsdb, make, rows):
    pair = [make.series(name=name) for name in ("Run", "Stay")]
    for each in pair:
        make.issue(series=each, number="3")
    words = ("merge", "series", "--canonical", pair[0].id, "--other", pair[1].id)
    for more in ((), ("--dry-run",)):
        assert "Stay (2020) #3" in comicsdb(*words, *more, code=1)


def test_a_publisher_is_moved(comicsdb, make, rows):
    old, parent = make.publisher(name="Little", alt_names=["Piccola"]), make.publisher(name="Big")
    make.universe(publisher=old, name="Prime")
    words = ("move-publisher", "--publisher", old.id, "--parent", parent.id)
    assert "Prime" in comicsdb(*words, code=1)
    shown = comicsdb(*words, "--with-children", "--dry-run")
    assert "lost: alt_names = Piccola" in shown
    assert "imprint  a new one" in shown
    assert rows("SELECT count(*) FROM imprint") == [(0,)]
    comicsdb(*words, "--with-children")
    assert rows("SELECT name, publisher_id FROM imprint") == [("Little", parent.id)]
    assert rows("SELECT publisher_id FROM universe") == [(parent.id,)]


def test_a_first_year_is_corrected_with_all_addresses(comicsdb, make, rows, factory):
    series = make.series(name="Run", year_began=2019)
    taken = make.series(name="Run", volume=2, year_began=2021, publisher=series.publisher_id)
    issues = [make.issue(series=series, number=number) for number in ("1", "-1", "2")]
    before = {each.id: each.slug for each in issues}
    assert list(before.values()) == ["run-2019-1", "run-2019-1-1", "run-2019-2"]
    words = ("fix-start-year", "--series", series.id, "--year", 2021)
    assert "run-2019 → run-2021-1" in comicsdb(*words, "--dry-run")
    assert rows(f"SELECT slug FROM series WHERE id = {series.id}") == [("run-2019",)]
    comicsdb(*words)
    slugs = dict(map(tuple, rows(f"SELECT id, slug FROM issue WHERE series_id = {series.id}")))
    assert slugs == {
        issues[0].id: "run-2021-1-1",
        issues[1].id: "run-2021-1-1-1",
        issues[2].id: "run-2021-1-2",
    }
    with factory() as session:
        for each, slug in before.items():
            with pytest.raises(MovedError) as moved:
                Catalog(session).by_slug(models.Issue, slug)
            assert moved.value.entity.id == each
    comicsdb("fix-start-year", "--series", series.id, "--year", 2019)  # and back: it gets its former slugs
    assert dict(map(tuple, rows(f"SELECT id, slug FROM issue WHERE series_id = {series.id}"))) == before
    assert rows(f"SELECT slug FROM series WHERE id = {taken.id}") == [("run-2021",)]
    assert "0 slugs changed." in comicsdb("rebuild-slugs", "--series", series.id)


def test_credits_are_copied_but_not_of_covers_and_not_over_others(comicsdb, make, rows):
    writer, inker, cover, other = (make.creator() for _ in range(4))
    source, first, second = (make.issue() for _ in range(3))
    make.credit(source, writer, "Writer", "Cover")
    make.credit(source, inker, "Inker")
    make.credit(source, cover, "Cover")
    make.credit(first, inker, "Colorist")
    make.credit(first, other, "Letterer")
    words = ("dup-credits", "--from", source.id, "--to", first.id, second.id)
    before = state(rows)
    assert "3 credits copied. Dry run" in comicsdb(*words, "--dry-run")
    assert state(rows) == before
    assert "3 credits copied." in comicsdb(*words)
    found = rows(
        "SELECT c.issue_id, c.creator_id, r.name FROM credit c JOIN credit_role x ON x.credit_id = c.id"
        f" JOIN role r ON r.id = x.role_id WHERE c.issue_id <> {source.id}"
    )
    assert {tuple(row) for row in found} == {
        (first.id, writer.id, "Writer"),
        (first.id, writer.id, "Cover"),
        (first.id, inker.id, "Colorist"),
        (first.id, other.id, "Letterer"),
        (second.id, writer.id, "Writer"),
        (second.id, writer.id, "Cover"),
        (second.id, inker.id, "Inker"),
    }
    assert "0 credits copied." in comicsdb(*words)


def test_a_series_is_put_into_a_universe(comicsdb, make, rows):
    series, universe = make.series(), make.universe()
    there, new = make.character(universes=[universe]), make.character()
    stranger = make.character()
    issues = [make.issue(series=series, number=str(number), characters=[there, new]) for number in range(3)]
    make.issue(characters=[stranger])
    before = {each.id: each.modified for each in issues}
    words = ("add-universe", "--series", series.id, "--universe", universe.id)
    assert "3 issues and 1 characters added. Dry run" in comicsdb(*words, "--characters", "--dry-run")
    assert "3 issues and 0 characters added." in comicsdb(*words)
    assert "0 issues and 1 characters added." in comicsdb(*words, "--characters")
    assert rows("SELECT count(*) FROM issue_universe") == [(3,)]
    assert rows("SELECT count(*) FROM character_universe") == [(2,)]
    after = dict(map(tuple, rows(f"SELECT id, modified FROM issue WHERE series_id = {series.id}")))
    assert all(after[each] > before[each] for each in before)
    last = rows("SELECT kind, type, reason FROM history ORDER BY id DESC LIMIT 4")
    assert {tuple(row[:2]) for row in last} == {("character", "~"), ("issue", "~")}
    assert all(f"Universe {universe.id}" in row.reason for row in last)


def test_an_old_anthology_is_repaired_on_demand_only(comicsdb, make, rows):
    series = make.series()
    both, writer = make.creator(), make.creator()
    issue = make.issue(series=series, desc="Old words.")
    make.credit(issue, both, "Penciller", "Inker", "Colorist")
    make.credit(issue, writer, "Writer", "Penciller")
    before = state(rows)
    comicsdb("old-anthologies", "--series", series.id)
    assert state(rows) == before
    done = comicsdb("old-anthologies", "--series", series.id, "--fix-credits", "--delete-desc")
    assert "Credits of 1 and descriptions of 1 issues changed." in done
    found = rows(
        "SELECT c.creator_id, r.name FROM credit c JOIN credit_role x ON x.credit_id = c.id"
        " JOIN role r ON r.id = x.role_id"
    )
    assert {tuple(row) for row in found} == {
        (both.id, "Artist"),
        (both.id, "Colorist"),
        (writer.id, "Story"),
        (writer.id, "Penciller"),
    }
    assert rows('SELECT DISTINCT "desc" FROM issue') == [("",)]


def test_series_that_are_there_twice_are_reported(comicsdb, make):
    publisher = make.publisher(name="Acme")

    def series(name, code, **more):
        return make.series(name=name, publisher=publisher, series_type=make.series_type(code), **more)

    bad = [series("Run", "single_issue"), series("Run", "limited_series")]
    series("Run", "annual")
    series("Run", "single_issue", volume=2)
    worse = [series("Böok", "trade_paperback"), series("book", "trade_paperback")]
    told = comicsdb("find-bad-volumes")
    ids = [int(each) for each in re.findall(r"^ +(\d+)  ", told, re.MULTILINE)]
    assert ids == [each.id for each in (*bad, *worse)]
    assert told.endswith("2 found.\n")


def test_the_changes_of_a_day_are_those_of_people_on_the_sites_clock(comicsdb, make, open_session):
    user = make.user("ann")
    arc = make.arc()
    lines = [
        {"kind": "arc", "object_id": arc.id, "action": "update", "user_id": each, "at": moment}
        for each, moment in (
            (user.id, "2026-03-02 04:30Z"),  # still the first of March in New York
            (user.id, "2026-03-02 12:00Z"),
            (1, "2026-03-02 13:00Z"),
            (None, "2026-03-02 13:00Z"),
        )
    ]
    open_session.execute(insert(models.Change), lines)
    open_session.commit()
    assert comicsdb("find-changes", "--date", "2026-03-01") == f"23:30  arc {arc.id}  update  ann\n1 found.\n"
    assert comicsdb("find-changes", "--date", "2026-03-02").endswith("1 found.\n")
    comicsdb("find-changes", "--date", "soon", code=2)


def test_external_ids_are_counted_even_where_there_is_nothing(comicsdb, make):
    assert re.search(r"^GCD +0 +–$", comicsdb("alt-id-stats"), re.MULTILINE)
    for values in ({"cv_id": 1}, {"cv_id": 2, "gcd_id": 1}, {}, {}):
        make.issue(**values)
    told = comicsdb("alt-id-stats")
    for line in (r"issues +4", r"Comic Vine +2 +50\.0%", r"GCD +1 +25\.0%", r"neither +2 +50\.0%"):
        assert re.search(f"^{line}$", told, re.MULTILINE), told
