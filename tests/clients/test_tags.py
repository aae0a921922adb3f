"""The tags that the client writes and reads: validated by the published schemas, and read from odd files."""

import pytest
from lxml import etree

from comicsdb.models.reference_data import REFERENCE
from comicsdb_client import comicinfo, metroninfo, xml
from tests.tag_schemas import BARE, FULL, credit, external_id, valid_comicinfo, valid_metroninfo

SERVER = "https://comics.example"


def test_comicinfo_of_an_issue_with_everything():
    found = valid_comicinfo(comicinfo.write(FULL, SERVER))
    assert found == {
        "Title": "Low Water; Ebb",
        "Series": "Harbor Lights",
        "Number": "½",
        "Volume": "2019",
        "AlternateNumber": "103",
        "Summary": "Tide & time:\n“no one” waits.",
        "Notes": "Tagged by comicsdb-client as issue 7 of https://comics.example [CVDB51]",
        "Year": "2019",
        "Month": "6",
        "Day": "1",
        "Writer": "Ada Penwell",
        "Penciller": "Sam Reed Jr.",
        "Inker": "Sam Reed Jr.",
        "CoverArtist": "Ada Penwell",
        "Publisher": "Nimbus Comics",
        "Imprint": "Stratus & Sons",
        "Genre": "Manga, Romance",
        "Web": "https://comics.example/issue/harbor-lights-2019-12/"
        " https://comicvine.gamespot.com/issue/4000-51/ https://www.comics.org/issue/52/",
        "PageCount": "32",
        "LanguageISO": "ja",
        "Format": "Single Issue",
        "Manga": "YesAndRightToLeft",
        "Characters": "Gale, Old Salt",
        "Teams": "Wardens",
        "StoryArc": "Apex, Zénith",
        "AgeRating": "MA15+",
        "GTIN": "9780306406157",
    }


def test_metroninfo_of_an_issue_with_everything():
    found = valid_metroninfo(metroninfo.write(FULL, SERVER))
    texts = {each.tag: each.text for each in found if not len(each)}
    assert texts == {
        "CollectionTitle": "Collected <Harbor>",
        "Number": "½",
        "AlternativeNumber": "103",
        "Summary": "Tide & time:\n“no one” waits.",
        "CoverDate": "2019-06-01",
        "StoreDate": "2019-04-17",
        "PageCount": "32",
        "Notes": "Tagged by comicsdb-client as issue 7 of https://comics.example [CVDB51]",
        "AgeRating": "Teen Plus",
        "LastModified": "2026-11-23T13:00:00.123456Z",
    }
    assert [(each.get("source"), each.text) for each in found.find("IDS")] == [
        ("Comic Vine", "51"),
        ("Grand Comics Database", "52"),
    ]
    assert [(each.tag, each.text) for each in found.find("Series") if not len(each)] == [
        ("Name", "Harbor Lights"),
        ("SortName", "Harbor Lights"),
        ("Volume", "1"),
        ("Format", "Single Issue"),
        ("StartYear", "2019"),
    ]
    assert found.find("Series").get("lang") == "ja"
    assert [each.text for each in found.iterfind("Series/AlternativeNames/*")] == ["Luci del porto"]
    assert [each.text for each in found.iterfind("Credits/Credit/Roles/Role")] == [
        "Writer",
        "Cover",
        "Artist",
        "Other",
    ]
    assert [each.text for each in found.iterfind("*/*/Name")] == ["Apex", "Zénith", "Sky"]
    assert (found.find("Prices/Price").get("country"), found.find("Prices/Price").text) == ("GB", "3.90")
    assert [each.get("primary") for each in found.find("URLs")] == ["true", None, None]
    assert {each.tag: each.text for each in found.find("GTIN")} == {
        "ISBN": "9780306406157",
        "UPC": "75960608936900311",
    }


def test_ids_of_all_databases_are_written():
    ids = [
        external_id("metron", "8", "https://metron.cloud/issue/8/"),
        external_id("isbn", "9780306406157", "https://openlibrary.org/isbn/9780306406157"),
        external_id("bedetheque", "9"),
    ]
    issue = FULL | {"external_ids": [*FULL["external_ids"], *ids]}
    pages = valid_comicinfo(comicinfo.write(issue, SERVER))["Web"].split()
    assert pages[1:] == [each["url"] for each in issue["external_ids"][:3]]
    found = valid_metroninfo(metroninfo.write(issue, SERVER))
    written = [(each.get("source"), each.text) for each in found.find("IDS")]
    assert written[2:] == [("Metron", "8")]


def test_an_issue_of_which_little_is_known():
    assert set(valid_comicinfo(comicinfo.write(BARE, SERVER))) == {
        *("Series", "Number", "Volume", "Notes", "Year", "Month", "Day", "Publisher", "Web", "Format"),
    }
    assert {each.tag for each in valid_metroninfo(metroninfo.write(BARE, SERVER))} == {
        *("Publisher", "Series", "Number", "CoverDate", "Notes", "AgeRating", "URLs", "LastModified"),
    }


def test_all_words_of_the_catalog_are_known():
    for name in (row["name"] for row in REFERENCE["role"]):
        issue = BARE | {"credits": [credit("Ada", name)]}
        assert f"<Role>{name}</Role>".encode() in metroninfo.write(issue, SERVER)
        valid_comicinfo(comicinfo.write(issue, SERVER))
    assert {row["name"] for row in REFERENCE["age_rating"]} == {"Unknown", *comicinfo.AGES}
    assert set(comicinfo.AGES) == metroninfo.AGES
    assert {row["name"] for row in REFERENCE["series_type"]} == metroninfo.FORMATS


@pytest.mark.parametrize("odd", ["]]>", "a\0b", "\ud800", "\ufffe<", "\r\n & \x0b"])
def test_no_text_breaks_them(odd):
    issue = FULL | {
        "desc": odd,
        "name": [odd],
        "series": FULL["series"] | {"sort_name": odd, "alt_names": [odd]},
    }
    assert valid_comicinfo(comicinfo.write(issue, SERVER))["Year"] == "2019"
    assert valid_metroninfo(metroninfo.write(issue, SERVER)).find("Number").text == "½"


def test_what_the_catalog_does_not_know_stays():
    before = b"""<?xml version="1.0"?><ComicInfo><Title>Old</Title><Count>6</Count><Imprint>Old</Imprint>
    <Tags>mine</Tags><CommunityRating>4.5</CommunityRating><Unknown/>
    <Pages><Page Image="0" Type="FrontCover"/></Pages><Review>Good.</Review></ComicInfo>"""
    text = comicinfo.write(BARE, SERVER, before)
    found = valid_comicinfo(text)
    kept = {"Count": "6", "Tags": "mine", "CommunityRating": "4.5", "Review": "Good."}
    assert {name: found[name] for name in kept} == kept
    assert not {"Title", "Imprint", "Unknown"} & set(found)
    assert etree.fromstring(text).find("Pages/Page").get("Type") == "FrontCover"
    assert comicinfo.write(BARE, SERVER, text) == text


def test_what_they_say_of_which_issue_it_is():
    found = comicinfo.identifying_values(comicinfo.write(FULL, SERVER))
    assert {found[name] for name in ("Series", "Number", "Year", "Volume")} == {"Harbor Lights", "½", "2019"}
    assert "Summary" not in found
    assert xml.tagged_issue_id(found["Notes"], SERVER) == 7
    assert xml.tagged_issue_id(found["Notes"], "https://comics.example.org") is None
    assert xml.tagged_issue_id(found["Notes"], "https://comics") is None
    flashback = b"<ComicInfo><Number>-1</Number><Count>-1</Count><Volume>-1</Volume><Year/></ComicInfo>"
    assert comicinfo.identifying_values(flashback) == {"Number": "-1"}
    found = metroninfo.identifying_values(metroninfo.write(FULL, SERVER))
    assert found["Series"] == {
        "Name": "Harbor Lights", "SortName": "Harbor Lights", "Volume": "1", "Format": "Single Issue",
        "StartYear": "2019", "@lang": "ja",
    }  # fmt: skip
    assert found["IDS"]["ID"][0] == {"@source": "Comic Vine", "#text": "51"}
    assert found["GTIN"] == {"ISBN": "9780306406157", "UPC": "75960608936900311"}


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf<ComicInfo><Series>Black & White</Series></ComicInfo>",
        b'written by x\n<?xml version="1.0"?><ComicInfo><Series>Black &amp; White</Series></ComicInfo>',
        b"<ComicInfo><Series>Black\x0b &#38; White</Series></ComicInfo>",
    ],
)
def test_document_with_small_faults_is_read(text):
    assert comicinfo.identifying_values(text) == {"Series": "Black & White"}


BILLION = b'<!DOCTYPE a [<!ENTITY a "' + b"x" * 5000 + b'">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 50) for n in range(6)
) + b"]><ComicInfo><Series>&g;</Series></ComicInfo>"  # fmt: skip


@pytest.mark.parametrize(
    "text", [None, b"", b"<ComicInfo>", b"\xff\xfe\0", b'<?xml version="1.0" encoding="x"?><a/>', BILLION]
)
def test_odd_files_say_nothing(text):
    assert comicinfo.identifying_values(text) == metroninfo.identifying_values(text) == {}
    assert comicinfo.write(BARE, SERVER, text) == comicinfo.write(BARE, SERVER)
