"""Export and import of libraries: another account gets the same data, without loss or duplicates."""

import csv
import io
import json
import zipfile
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import func, select, text

from comicsdb.catalog import InvalidError
from comicsdb.library import collection, pull_list, reading_lists
from comicsdb.library.transfer.format import COLUMNS, LISTS, PARTS, RATINGS
from comicsdb.library.transfer.imports import confirm, reread, save, upload
from comicsdb.library.transfer.reading import read_file
from comicsdb.library.transfer.review import Choices, decisions, load_page
from comicsdb.library.transfer.writing import as_archive, as_csv, as_json, library
from comicsdb.models import (
    CollectionItem,
    Issue,
    IssueRating,
    LibraryImportRow,
    ReadDate,
    ReadingList,
    User,
)
from comicsdb.schemas.types import TEXT_LENGTH_MAX
from tests.conftest import connection_in_savepoint, connection_with_data, record_statements
from tests.core.library.library_files import (
    TODAY,
    create_catalog,
    exported_library,
    fill_library,
    import_file,
)
from tests.lists import OFFICIAL, identity_of

WRITERS = {"json": as_json, "zip": as_archive}
ADDED = {
    "collection_added": 4,
    "reads_added": 2,
    "pull_list_added": 1,
    "wish_list_added": 4,
    "ratings_added": 2,
    "reading_lists_added": 2,
    "reading_list_items_added": 3,
}


def stock(session, make) -> tuple[int, list[int]]:
    """Create a catalog and an account with a full library; returns the ids of account and issues."""
    w, user = create_catalog(make), make.user("Ann")
    fill_library(session, user, w)
    return user.id, [each.id for each in w.issues]


@pytest.fixture(scope="module")
def stocked(engine):
    """A connection for all tests, and the ids of its data."""
    with connection_with_data(engine, stock) as found:
        yield found


@pytest.fixture
def connection(stocked):
    """The shared connection in a savepoint, which is rolled back."""
    yield from connection_in_savepoint(stocked[0])


@pytest.fixture
def ann(session, stocked):
    return session.get(User, stocked[1][0])


@pytest.fixture
def issues(session, stocked):
    """The ten issues of the long series."""
    return session.scalars(select(Issue).where(Issue.id.in_(stocked[1][1])).order_by(Issue.id)).all()


def agrees(session):
    """Whether the invariants of the library hold."""
    wrong_reads = session.scalar(
        text(
            "SELECT count(*) FROM collection_item c, LATERAL"
            " (SELECT count(*) > 0 AS is_read, max(read_on) AS date_read FROM read_date d"
            " WHERE (d.user_id, d.issue_id) = (c.user_id, c.issue_id)) reads"
            " WHERE (c.is_read, c.date_read) IS DISTINCT FROM (reads.is_read, reads.date_read)"
        )
    )
    wrong_stars = session.scalar(
        text(
            "SELECT count(*) FROM collection_item c LEFT JOIN issue_rating r USING (user_id, issue_id)"
            " WHERE c.rating IS DISTINCT FROM r.rating"
        )
    )
    wrong_figures = session.scalar(
        text(
            "SELECT count(*) FROM issue i WHERE (rating_count, rating_sum) <>"
            " (SELECT count(*), coalesce(sum(rating), 0) FROM issue_rating WHERE issue_id = i.id)"
        )
    )
    gaps = session.scalar(
        text(
            'SELECT count(*) FROM (SELECT max("order") <> count(*) AS wrong FROM reading_list_item'
            " GROUP BY reading_list_id) lists WHERE wrong"
        )
    )
    return (wrong_reads, wrong_stars, wrong_figures, gaps) == (0, 0, 0, 0)


@pytest.mark.parametrize("form", WRITERS)
def test_what_one_account_exports_is_what_the_next_one_has_after_importing_it(session, make, ann, form):
    exported = exported_library(session, ann)
    bob = make.user("Bob")
    assert import_file(session, bob, WRITERS[form](exported)) == ADDED
    assert exported_library(session, bob) == exported
    assert agrees(session)
    assert exported_library(session, ann) == exported


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("take_file", [False, True])
def test_twice_is_once(session, make, ann, form, take_file):
    exported, bob = exported_library(session, ann), make.user("Bob")
    import_file(session, bob, WRITERS[form](exported))
    stamps = select(CollectionItem.modified, CollectionItem.id)
    before = session.execute(stamps).all()
    assert import_file(session, bob, WRITERS[form](exported), take_file=take_file) == {}
    assert import_file(session, ann, WRITERS[form](exported), take_file=take_file) == {}
    assert exported_library(session, bob) == exported_library(session, ann) == exported
    assert session.execute(stamps).all() == before


def test_ids_are_not_needed(session, make, ann):
    """As in a file of another site, where the same comics have other ids."""
    exported, bob = exported_library(session, ann), make.user("Bob")
    document = json.loads(as_json(exported))
    for part in (*document.values(), *(each["items"] for each in document[LISTS])):
        for row in part if isinstance(part, list) else ():
            for name in (
                "issue_id",
                "issue_cv_id",
                "issue_gcd_id",
                "series_id",
                "series_cv_id",
                "variant_id",
            ):
                row.pop(name, None)
    assert import_file(session, bob, json.dumps(document).encode()) == ADDED
    assert exported_library(session, bob) == exported


def test_a_cover_date_is_exported_as_far_as_it_is_known_and_read_back(session, make):
    ann, bob, series = make.user(), make.user(), make.series(name="Tex Rider", year_began=1958)
    dates = (None, "none"), (date(1986, 1, 1), "year"), (date(1986, 11, 1), "month")
    with make.single_commit():
        for number, (day, known) in enumerate(dates, 1):
            issue = make.issue(series=series, number=str(number), cover_date=day, cover_date_precision=known)
            session.add(IssueRating(user_id=ann.id, issue_id=issue.id, rating=4))
    exported = exported_library(session, ann)
    for form, write in WRITERS.items():
        read = read_file(write(exported), rows=9, megabytes=1).rows
        said = [(each.wanted.cover_date, each.wanted.published, each.unclear) for each in read]
        assert said == [(None, None, []), (None, 1986, []), (date(1986, 11, 1), None, [])], form
    document = json.loads(as_json(exported))
    assert [each.get("cover_date") for each in document[RATINGS]] == [None, "1986", "1986-11"]
    for row in document[RATINGS]:
        del row["issue_id"]
    assert import_file(session, bob, json.dumps(document).encode()) == {"ratings_added": 3}


@pytest.mark.parametrize("form", WRITERS)
def test_what_the_forms_accept_comes_back_unchanged(session, make, issues, form):
    ann, bob, long = make.user(), make.user(), "n" * TEXT_LENGTH_MAX
    values = {
        "tags": ["first; second", "this | that"],
        "notes": long,
        "purchase_date": date(26, 11, 27),
        "read_dates": [datetime(1899, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)],
    }
    collection.add(session, ann.id, issues[0].id, values)
    reading_lists.create(session, identity_of(ann), OFFICIAL, {"name": "Long", "desc": long})
    session.commit()
    exported = exported_library(session, ann)
    data = WRITERS[form](exported)
    assert import_file(session, ann, data, take_file=True) == {}
    import_file(session, bob, data)
    assert exported_library(session, bob) == exported


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize("form", WRITERS)
def test_names_that_end_like_a_volume_or_a_year_are_names(session, make, ann, form, with_ids):
    reader, other = make.user(), make.user()
    with make.single_commit():
        publisher = make.publisher(name="Quay")
        named = {"publisher": publisher, "year_began": 2018}
        make.series(name="Almanac", volume=2, **named)
        wanted = [make.series(name=f"Almanac{end}", **named).id for end in (" Vol. 2", " (2018)", ", v3")]
    for each in wanted:
        pull_list.add(session, reader.id, each)
    session.commit()
    exported = exported_library(session, reader)
    if not with_ids:
        exported["pull_list"] = [row | {"series_id": None} for row in exported["pull_list"]]
    assert import_file(session, other, WRITERS[form](exported)) == {"pull_list_added": len(wanted)}
    assert {each.series_id for each in pull_list.entries(session, other.id)} == set(wanted)


def test_each_table_can_be_imported_alone(session, make, ann):
    exported, bob = exported_library(session, ann), make.user("Bob")
    for part in PARTS:
        data = as_csv(part, exported[part])
        assert import_file(session, bob, data), part
        assert import_file(session, bob, data) == {}, part
    found = exported_library(session, bob)
    for part in ("collection", "pull_list", "wish_list"):
        assert found[part] == exported[part]
    stars = [[(each["issue_id"], each["rating"]) for each in rows["ratings"]] for rows in (found, exported)]
    assert stars[0] == stars[1]
    assert [each["issue_id"] for each in found[PARTS[-1]]] == [
        each["issue_id"] for each in exported[PARTS[-1]]
    ]


def test_cells_are_no_formulas(session, ann):
    archive = zipfile.ZipFile(io.BytesIO(as_archive(library(session, ann.id))))
    assert set(archive.namelist()) == {f"{part}.csv" for part in COLUMNS}
    for name in archive.namelist():
        for record in csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline="")):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in record), (
                name,
                record,
            )


def test_only_what_is_said_stands_in_json(session, ann):
    document = json.loads(as_json(library(session, ann.id)))
    assert (document["format"], document["version"]) == ("comicsdb-library", 1)
    assert set(document["collection"][1]) == {
        "issue_id",
        "issue_gcd_id",
        "series",
        "series_volume",
        "series_year",
        "publisher",
        "number",
        "cover_date",
        "quantity",
        "book_format",
        "is_read",
        "added",
    }
    assert document["collection"][0]["purchase_price"] == "1234.50"
    assert document["collection"][0]["purchase_currency"] == "ITL"
    assert document["reading_lists"][0]["next"] == 2


def test_an_export_costs_a_statement_for_each_part_and_one_for_the_issues(session, connection, ann):
    with record_statements(connection) as statements:
        library(session, ann.id)
    assert len(statements) == 9, statements


def item(session, user, issue):
    session.expire_all()
    rows = select(CollectionItem).where(
        CollectionItem.user_id == user.id, CollectionItem.issue_id == issue.id
    )
    return session.scalars(rows.order_by(CollectionItem.id)).first()


def one(issues, place=0, **values):
    """A file whose collection has one issue with these values."""
    row = {"issue_id": issues[place].id, **values}
    return json.dumps({"format": "comicsdb-library", "version": 1, "collection": [row]}).encode()


def test_mine_is_kept_and_blanks_are_filled(session, ann, issues):
    said = {"quantity": 9, "grade": "5.0", "notes": "theirs", "purchase_store": "theirs", "rating": 1}
    assert import_file(session, ann, one(issues, **said)) == {}
    counted = import_file(session, ann, one(issues, 1, **said, purchase_price="3", purchase_currency="GBP"))
    assert counted == {"collection_changed": 1, "ratings_added": 1}
    found = item(session, ann, issues[1])
    assert (found.quantity, str(found.grade), found.notes, found.rating) == (1, "5.0", "theirs", 1)
    assert (str(found.purchase_price), found.purchase_currency) == ("3.00", "GBP")
    assert agrees(session)


def test_the_files_values_replace_mine_where_that_is_wanted(session, ann, issues):
    before = item(session, ann, issues[0]).modified
    said = {"quantity": 9, "grade": "5.0", "purchase_price": "1", "purchase_currency": "EUR", "rating": 1}
    counted = import_file(session, ann, one(issues, **said), take_file=True)
    assert counted == {"collection_changed": 1, "ratings_changed": 1}
    found = item(session, ann, issues[0])
    assert (found.quantity, str(found.grade), found.rating) == (9, "5.0", 1)
    assert (str(found.purchase_price), found.purchase_currency) == ("1.00", "EUR")
    assert found.notes.startswith("=2+2")  # an absent value replaces nothing
    assert found.modified > before
    assert agrees(session)


def test_what_is_pulled_is_replaced_only_where_that_is_wanted(session, ann):
    before = exported_library(session, ann)["pull_list"]
    (row,) = before
    rows = [{"series_id": row["series_id"], "pulled": "ALL"}]
    data = json.dumps({"format": "comicsdb-library", "version": 1, "pull_list": rows}).encode()
    assert import_file(session, ann, data) == {}
    assert exported_library(session, ann)["pull_list"] == before
    for changed in ({"pull_list_changed": 1}, {}):
        assert import_file(session, ann, data, take_file=True) == changed
    assert exported_library(session, ann)["pull_list"] == [row | {"pulled": "ALL"}]


def test_rows_of_one_issue_that_differ_are_copies_of_their_own(session, make, stocked):
    bob = make.user("Bob")
    data = (
        b"Series;Issue;Grade;Storage Box;Purchase Price;Quantity\n"
        b"The Lamplighter;1;9.8;Box 1;20,00;\n"
        b"The Lamplighter;1;4.0;Box 2;3,50;2\n"
        b"The Lamplighter;1;9.8;Box 1;20,00;\n"
        b"The Lamplighter;2;9.8;Box 1;;\n"
        b"The Lamplighter;2;;;;\n"
    )
    for counted in ({"collection_added": 3}, {}):
        assert import_file(session, bob, data, currency="EUR") == counted
        copies = [
            (each["number"], str(each["grade"]), each["storage_location"], each["quantity"])
            for each in exported_library(session, bob)["collection"]
        ]
        assert copies == [("1", "9.8", "Box 1", 2), ("1", "4.0", "Box 2", 2), ("2", "9.8", "Box 1", 2)]


def test_copies_that_are_counted_in_one_item_are_not_added_again(session, make, stocked, issues):
    """As in a library that was imported when rows about one issue were put together."""
    bob = make.user("Bob")
    collection.add(session, bob.id, issues[0].id, {"quantity": 2, "notes": "Both."})
    session.commit()
    data = b"Series;Issue;Grade;Storage Box\nThe Lamplighter;1;9.8;Box 1\nThe Lamplighter;1;4.0;Box 2\n"

    def copies():
        rows = exported_library(session, bob)["collection"]
        return [(str(each["grade"]), each["storage_location"], each["quantity"]) for each in rows]

    for counted in ({"collection_changed": 1}, {}):
        assert import_file(session, bob, data) == counted
        assert copies() == [("9.8", "Box 1", 2)]
    counted = {"collection_added": 1, "collection_changed": 1}
    assert import_file(session, bob, data, take_file=True) == counted
    assert copies() == [("9.8", "Box 1", 1), ("4.0", "Box 2", 1)]
    more = data + b"The Lamplighter;1;2.0;Box 3\n"
    assert import_file(session, bob, more) == {"collection_added": 1}
    assert copies() == [("9.8", "Box 1", 1), ("4.0", "Box 2", 1), ("2.0", "Box 3", 1)]


def test_dates_of_a_table_saved_by_a_spreadsheet_may_start_with_the_day(session, make, issues):
    bob = make.user("Bob")
    data = (
        "issue_id;quantity;purchase_date;purchase_price;purchase_currency;read_dates\n"
        f"{issues[0].id};1;27/11/2025;3,99;EUR;26/11/2025 05/06/2024\n"
        f"{issues[1].id};1;03/04/2025;1.250,00;EUR;05/06/2024 18:30\n"
        f"{issues[2].id};1;2025-05-06;;;2024-07-08T09:10:11Z\n"
        f'{issues[3].id};1;;;;"05/06/2024; 07/08/2024,09/10/2024"\n'
    ).encode()
    assert import_file(session, bob, data) == {"collection_added": 4}
    found = exported_library(session, bob)["collection"]
    purchases = [str(each["purchase_date"]) for each in found]
    assert purchases == ["2025-11-27", "2025-04-03", "2025-05-06", "None"]
    assert [str(each["purchase_price"]) for each in found] == ["3.99", "1250.00", "None", "None"]
    days = [[each.date().isoformat() for each in row["read_dates"] or ()] for row in found]
    several = ["2024-06-05", "2024-08-07", "2024-10-09"]
    assert days == [["2024-06-05", "2025-11-26"], [], ["2024-07-08"], several]


def test_dates_of_reading_are_put_together(session, ann, issues):
    reads = ["2020-01-02T03:04:05.000678Z", "2022-02-02T12:00:00+01:00", "2018-01-01", "2018-01-01"]
    for changed in ({"collection_changed": 1}, {}):
        assert import_file(session, ann, one(issues, read_dates=reads)) == changed
    found = item(session, ann, issues[0])
    assert found.date_read.isoformat() == "2022-02-02T11:00:00+00:00"
    assert (
        session.scalar(
            select(func.count()).where(ReadDate.user_id == found.user_id, ReadDate.issue_id == found.issue_id)
        )
        == 4
    )
    assert agrees(session)


def test_read_without_a_date_is_read_once(session, ann, issues):
    for changed in ({"collection_changed": 2}, {}):  # both copies of the issue show it
        assert import_file(session, ann, one(issues, 1, is_read=True)) == changed
    assert (item(session, ann, issues[1]).is_read, item(session, ann, issues[1]).date_read) == (
        True,
        None,
    )
    assert agrees(session)
    assert import_file(session, ann, one(issues, 3, is_read=True)) == {"collection_added": 1}
    assert item(session, ann, issues[3]).is_read
    assert agrees(session)


def test_stars_for_what_is_not_out_yet_are_the_readers_own(session, make, ann, issues):
    make.catalog.update(issues[8], {"store_date": date(2099, 1, 1)})
    session.commit()
    assert import_file(session, ann, one(issues, 8, rating=5)) == {"collection_added": 1, "ratings_added": 1}
    assert item(session, ann, issues[8]).rating == 5
    session.refresh(issues[8])
    assert issues[8].rating_count == 0


def test_what_is_deleted_or_merged_meanwhile_is_no_error(session, make, ann, issues):
    rows = [{"issue_id": each.id} for each in issues[7:10]]
    data = json.dumps({"format": "comicsdb-library", "version": 1, "collection": rows}).encode()
    made = upload(session, ann.id, "f", data, currency="USD", rows=9, megabytes=1)
    merged = issues[8].id
    make.catalog.delete(issues[7])
    session.commit()
    make.catalog.delete(issues[8])
    session.execute(
        text("UPDATE tombstone SET survivor_id = :new WHERE kind = 'issue' AND object_id = :id"),
        {"id": merged, "new": issues[6].id},
    )
    session.commit()
    stored = confirm(session, identity_of(ann), OFFICIAL, made.id, Choices(), TODAY)
    assert stored.counted == {"collection_added": 2, "gone": 1}
    owned = select(CollectionItem.issue_id).where(CollectionItem.user_id == ann.id)
    assert {issues[6].id, issues[9].id} < set(session.scalars(owned))


def test_reading_lists_of_one_name_become_one(session, make, ann, issues):
    bob = make.user("Bob")
    exported = exported_library(session, ann)
    import_file(session, bob, as_json(exported))
    items = [{"issue_id": each.id, "issue_type": "CORE"} for each in (issues[9], issues[5])]
    lists = [{"name": "Second half", "desc": "theirs", "items": items}]
    data = json.dumps({"format": "comicsdb-library", "version": 1, "reading_lists": lists}).encode()
    assert import_file(session, bob, data) == {"reading_list_items_added": 1}
    numbers = [each["number"] for each in exported_library(session, bob)["reading_list_items"]]
    assert numbers == ["7", "6", "½", "10"]
    assert import_file(session, bob, data, take_file=True) == {"reading_lists_changed": 1}
    found = exported_library(session, bob)
    assert [(each["number"], each["issue_type"]) for each in found["reading_list_items"]] == [
        ("10", "CORE"),
        ("6", "CORE"),
        ("7", ""),
        ("½", ""),
    ]
    assert [each["desc"] for each in found["reading_lists"]] == ["@desc", "theirs"]
    assert agrees(session)
    assert exported_library(session, ann) == exported


def test_only_staff_bring_sources_of_lists(session, make):
    lists = [{"name": "Order", "attribution_source": "CBRO", "attribution_url": "https://example.org/"}]
    data = json.dumps({"format": "comicsdb-library", "version": 1, "reading_lists": lists}).encode()
    for user, source in ((make.user("Bob"), ""), (make.user("Root", is_staff=True), "CBRO")):
        assert import_file(session, user, data) == {"reading_lists_added": 1}
        rows = select(ReadingList.attribution_source).where(ReadingList.user_id == user.id)
        assert session.scalars(rows).all() == [source]


def test_a_thousand_rows_cost_as_many_statements_as_one(session, make, connection):
    series = make.series(name="Endless")
    session.execute(
        text(
            "INSERT INTO issue (series_id, number, slug, cover_date)"
            " SELECT :series, n, 'endless-' || n, '2020-01-01' FROM generate_series(1, 500) n"
        ),
        {"series": series.id},
    )
    session.commit()

    def counted(most, user):
        row = {"series": "endless", "quantity": 2, "rating": 4, "read_dates": ["2020-01-01"], "notes": "n"}
        rows = [{"number": str(n + 1), **row} for n in range(most)]
        parts = {
            "collection": rows,
            "wish_list": rows,
            "reading_lists": [{"name": "All", "items": rows[:10]}],
        }
        data = json.dumps({"format": "comicsdb-library", "version": 1, **parts}).encode()
        with record_statements(connection) as statements:
            import_file(session, user, data, rows=20_000)
            import_file(session, user, data.replace(b'"n"', b'"m"'), rows=20_000, take_file=True)
        return len(statements)

    few, many = counted(1, make.user("Few")), counted(500, make.user("Many"))
    assert few == many <= 98
    assert agrees(session)
    rated = select(Issue.rating_count).where(Issue.series_id == series.id, Issue.number == "7")
    assert session.scalar(rated) == 1


def test_a_reading_list_without_a_name_or_with_too_long_a_one_is_refused():
    for name in ("", "x" * 256):
        data = {"format": "comicsdb-library", "version": 1, "reading_lists": [{"name": name, "items": []}]}
        with pytest.raises(InvalidError) as refused:
            read_file(json.dumps(data).encode(), rows=10, megabytes=1)
        assert refused.value.errors == {
            "file": ["A reading list in the file has no name, or one of more than 255 characters."]
        }


def test_reread_of_an_import_under_review_reads_its_file_again_with_a_mapping(session, make, stocked):
    bob = make.user("Bob")
    data = b"Series,Number,Remark\nThe Lamplighter,1,signed\nThe Lamplighter,2,\n"
    limits = {"rows": 9, "megabytes": 1}
    row = upload(session, bob.id, "f.csv", data, currency="USD", **limits)
    rows = select(LibraryImportRow.values).order_by(LibraryImportRow.index)
    assert session.scalars(rows).all() == [{}, {}]
    before = row.payload
    save(session, bob.id, row.id, Choices(rows={}, left_out={0}))
    reread(session, row, {"mapping": {"remark": "notes"}}, **limits)
    assert session.scalars(rows).all() == [{"notes": "signed"}, {}]
    assert (row.state, row.total) == ("review", 2)
    assert {name: row.payload[name] for name in ("name", "currency", "form")} == {
        name: before[name] for name in ("name", "currency", "form")
    }
    review = Choices(series=decisions(row, load_page(session, row).groups))
    stored = confirm(session, identity_of(bob), OFFICIAL, row.id, review, TODAY)
    assert (stored.counted, stored.file) == ({"collection_added": 2}, None)
    reread(session, row, {"mapping": {}}, **limits)  # too late: the import is as it was
    assert session.scalars(rows).all() == [{"notes": "signed"}, {}]
