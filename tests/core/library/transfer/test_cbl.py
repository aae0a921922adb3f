"""CBL: reading lists survive export and import, and hostile XML does no harm."""

from datetime import date
from xml.etree import ElementTree as ET

import pytest
from sqlalchemy import select

from comicsdb.catalog import InvalidError
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import items
from comicsdb.library.transfer.cbl import write_cbl
from comicsdb.library.transfer.format import ITEMS
from comicsdb.library.transfer.imports import upload
from comicsdb.library.transfer.reading import read_file
from comicsdb.models import ExternalId, LibraryImportRow, ReadingList
from tests.conftest import record_statements
from tests.core.library.library_files import (
    create_catalog,
    exported_library,
    fill_library,
    import_file,
)
from tests.lists import OFFICIAL, identity_of

# In the form that ComicRack writes.
SAMPLE = """\
<?xml version="1.0" encoding="utf-16"?>
<ReadingList xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Name>The Long &amp; Dark Night</Name>
  <Books>
    <Book Series="Lamplighter, The" Number="002" Volume="2018" Year="2018" Format="">
      <Id>5b5f3b1e-0000-4000-8000-000000000001</Id>
    </Book>
    <Book Series="Somewhere Else" Number="1" Volume="1" Year="1999">
      <Database Name="cv" Series="900" Issue="800" />
    </Book>
    <Book Series="Nobody Knows" Number="7" />
    <Book Series="The Lamplighter" Number="1" Volume="2" Year="2018" />
  </Books>
  <Matchers />
</ReadingList>
"""


@pytest.fixture
def stock(make):
    return create_catalog(make)


def review_rows(session, row):
    """The rows of an import in the order of the file."""
    rows = select(LibraryImportRow).where(LibraryImportRow.import_id == row.id)
    return session.scalars(rows.order_by(LibraryImportRow.index)).all()


def test_a_list_comes_in_with_its_order_and_what_is_unknown_is_told(session, make, stock):
    user = make.user()
    made = upload(session, user.id, "a.cbl", SAMPLE.encode(), currency="USD", rows=9, megabytes=1)
    assert made.payload["lists"] == [{"name": "The Long & Dark Night"}]
    rows = review_rows(session, made)
    assert [(row.part, row.says, row.state) for row in rows] == [
        (ITEMS, "Lamplighter, The (2018) #2", "matched"),
        (ITEMS, "Somewhere Else #1", "ambiguous"),
        (ITEMS, "Nobody Knows #7", "unknown"),
        (ITEMS, "The Lamplighter #1", "matched"),
    ]
    assert rows[1].candidates == [stock.others[0].id]
    counted = import_file(session, user, SAMPLE.encode(), choices={1: stock.others[0].id})
    assert counted == {
        "reading_lists_added": 1,
        "reading_list_items_added": 3,
        "reading_list_items_pending": 1,
    }
    assert [each["number"] for each in exported_library(session, user)["reading_list_items"]] == [
        "2",
        "-1",
        "7",
        "1",
    ]


def test_what_goes_out_comes_back(session, connection, make, stock):
    ann, bob = make.user("Ann"), make.user("Bob")
    fill_library(session, ann, stock)
    mine = select(ReadingList).where(ReadingList.user_id == ann.id, ReadingList.name == "Second half")
    with record_statements(connection) as statements:
        data = write_cbl(session, session.scalar(mine))
    assert len(statements) == 3, statements
    root = ET.fromstring(data)  # noqa: S314  (our own)
    assert root.findtext("Name") == "Second half"
    first, *_rest = root.iter("Book")
    assert first.attrib == {
        "Series": "The Lamplighter",
        "Number": "7",
        "Volume": "2018",
        "Year": "2018",
        "Publisher": "Harbor House",
    }
    assert [each.attrib["Name"] for each in first] == ["gcd", "comicsdb"]
    import_file(session, bob, data)
    assert [each["number"] for each in exported_library(session, bob)["reading_list_items"]] == [
        "7",
        "6",
        "½",
    ]
    assert import_file(session, bob, data) == {}


def test_the_year_of_a_book_is_left_out_where_it_is_unknown(session, make):
    user, series = make.user(), make.series(name="Tex Rider", year_began=1958)
    with make.single_commit():
        dates = {"1": None, "2": date(1994, 2, 5)}
        issues = [
            make.issue(series=series, number=number, cover_date=None, store_date=day)
            for number, day in dates.items()
        ]
    mine = reading_lists.create(session, identity_of(user), OFFICIAL, {"name": "Westerns"})
    held = reading_lists.lock_list(session, identity_of(user), OFFICIAL, mine)
    items.add_issues(held, [each.id for each in issues])
    root = ET.fromstring(write_cbl(session, mine))  # noqa: S314  (our own)
    assert [each.get("Year") for each in root.iter("Book")] == [None, "1994"]


def test_write_cbl_books_have_the_ids_of_all_sources(session, make):
    user = make.user()
    ids = [{"source": source, "external_id": number} for source, number in (("metron", "17"), ("locg", "9"))]
    issue = make.issue(cv_id=4, external_ids=ids)
    mine = reading_lists.create(session, identity_of(user), OFFICIAL, {"name": "Westerns"})
    items.add_issues(reading_lists.lock_list(session, identity_of(user), OFFICIAL, mine), [issue.id])
    [book] = ET.fromstring(write_cbl(session, mine)).iter("Book")  # noqa: S314  (our own)
    written = {each.get("Name"): each.get("Issue") for each in book}
    assert written == {"cv": "4", "comicsdb": str(issue.id), "locg": "9", "metron": "17"}


SOURCED = """<ReadingList>
  <Name>Harbor Nights</Name><NumIssues>3</NumIssues>
  <Summary>All of it.</Summary><Source>https://orders.example/harbor</Source><StartYear>1991</StartYear>
  <Books>
    <Book Series="Lamplighter" Number="1" Volume="0" Year="0">
      <Database Name="Metron" Issue="17"/><Database Name="Grand Comics Database" Issue="5"/>
    </Book>
    <Book Series="Lamplighter" Number="2" Volume="-1" Year="-1">
      <Databases><Database Name="locg" Issue="44"/><Database Name="cv" Issue="4000-9"/></Databases>
    </Book>
    <Book Series="Lamplighter" Number="3">
      <Database Name="comic vine" Issue="0"/><Database Name="locg" Issue="none"/>
      <Database Name="another" Issue="1"/>
    </Book>
  </Books>
</ReadingList>"""


def test_read_cbl_with_unknown_years_and_ids_of_many_sources_reads_them(session, make):
    upload_ = read_file(SOURCED.encode(), rows=9, megabytes=1)
    queries = [row.wanted for row in upload_.rows]
    assert [(query.year, query.volume, query.published) for query in queries] == [(None, None, None)] * 3
    assert [(query.ids, query.gcd_id, query.cv_id) for query in queries] == [
        ("metron 17", 5, None),
        ("locg 44", None, 9),
        ("", None, None),
    ]
    assert [row.unclear for row in upload_.rows] == [[], [], [("locg", "none")]]


def test_import_of_cbl_keeps_source_summary_and_year_and_export_has_them(session, make, stock):
    user = make.user()
    issue = stock.others[0]
    book = f'<Book Series="A" Number="1"><Database Name="comicsdb" Issue="{issue.id}"/></Book>'
    data = SOURCED[: SOURCED.index("    <Book ")] + book * 2 + "</Books></ReadingList>"
    counted = import_file(session, user, data.encode(), choices={0: issue.id, 1: issue.id})
    assert counted == {
        "reading_lists_added": 1,
        "reading_list_items_added": 1,
        "reading_list_items_repeated": 1,
    }
    stored = session.scalar(select(ReadingList).where(ReadingList.user_id == user.id))
    values = (stored.desc, stored.file_source, stored.start_year, stored.attribution_url)
    assert values == ("All of it.", "https://orders.example/harbor", 1991, "")  # only staff set addresses
    root = ET.fromstring(write_cbl(session, stored))  # noqa: S314  (our own)
    facts = {name: root.findtext(name) for name in ("Summary", "Source", "StartYear")}
    assert facts == {
        "Summary": "All of it.",
        "Source": "https://orders.example/harbor",
        "StartYear": "1991",
    }
    [exported] = exported_library(session, user)["reading_lists"]
    assert (exported["file_source"], exported["start_year"]) == ("https://orders.example/harbor", 1991)


def test_entry_with_the_id_of_another_source_is_matched_by_it(session, make, stock):
    issue, _other = (
        make.issue(series=make.series(name="Gaslight", year_began=year), number="1") for year in (1993, 2003)
    )
    session.add(ExternalId(issue_id=issue.id, source="metron", external_id="17", scope=""))
    session.commit()
    book = '<Book Series="Gaslight" Number="1"><Database Name="metron" Issue="17"/></Book>'
    data = f"<ReadingList><Name>Night</Name><Books>{book}</Books></ReadingList>"
    made = upload(session, make.user().id, "a.cbl", data.encode(), currency="USD", rows=9, megabytes=1)
    assert [row.match_id for row in review_rows(session, made)] == [issue.id]


BOMB = '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">{}]><ReadingList><Name>&z;</Name></ReadingList>'
ENTITIES = "".join(
    f'<!ENTITY {two} "{f"&{one};" * 10}">' for one, two in zip("abcdefghij", "bcdefghijz", strict=True)
)
BAD = {
    "bomb": BOMB.format(ENTITIES),
    "external": '<!DOCTYPE r SYSTEM "file:///etc/passwd"><ReadingList/>',
    "file": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><ReadingList><Name>&x;</Name></ReadingList>',
    "undefined": "<ReadingList><Name>&x;</Name></ReadingList>",
    "another": "<html><body/></html>",
    "broken": "<ReadingList><Books>",
    "deep": "<ReadingList>" + "<a>" * 100_000,
    "many": "<ReadingList><Books>" + "<Book/>" * 5001 + "</Books></ReadingList>",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_xml_is_refused_with_a_reason(name):
    with pytest.raises(InvalidError) as refused:
        read_file(BAD[name].encode(), rows=5000, megabytes=5)
    assert list(refused.value.errors) == ["file"]


def test_odd_xml_is_read_as_far_as_it_says_something(session, make):
    odd = (
        f"<ReadingList><Name>{'n' * 5000}</Name><Books><Book/>"
        f"<Book Series='{'s' * 5000}' Number='x' Volume='y'/>"
        "<Book Series='A' Number='1'><Database Name='cv' Issue='99999999999999999999'/></Book>"
        "</Books></ReadingList>"
    )
    upload_ = read_file(odd.encode(), rows=9, megabytes=1)
    assert len(upload_.lists[0]["name"]) == 255
    assert [row.wanted.series for row in upload_.rows] == ["", "", "A"]
    assert [name for row in upload_.rows for name, _shown in row.unclear] == ["Series", "Volume", "comicvine"]
    counted = {"reading_lists_added": 1, "reading_list_items_pending": 1}
    assert import_file(session, make.user(), odd.encode()) == counted


@pytest.mark.parametrize(
    "inner",
    [
        " ".join(f'a{number}="1"' for number in range(40_000)).join(("<a ", "/>")),
        "<a" + " " * 400_000 + "/>",
        "<!--" + "-" * 400_000,
        "<a/>" * 2000,
    ],
)
def test_long_tags_and_many_elements_are_refused(inner):
    whole = f'<ReadingList><Books><Book Series="a"/></Books>{inner}</ReadingList>'
    with pytest.raises(InvalidError) as refused:
        read_file(whole.encode(), rows=9, megabytes=10)
    assert set(refused.value.errors) == {"file"}


def test_elements_of_other_programs_do_no_harm():
    book = '<Book Series="a" Number="1"><Id>b</Id>' + "<Other/>" * 15 + "</Book>"
    whole = f"<ReadingList><Name>{'long ' * 50_000}</Name><Books>{book * 9}</Books></ReadingList>"
    assert len(read_file(whole.encode(), rows=9, megabytes=10).rows) == 9
