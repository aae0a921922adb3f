"""ComicInfo: every element, against the published schema, and text that could break XML."""

from hypothesis import given, settings
from hypothesis import strategies as st

from comicsdb.models.reference_data import REFERENCE
from comicsdb.tags import comicinfo
from tests.tag_schemas import BARE, FULL, credit, valid_comicinfo


def test_an_issue_with_everything():
    assert valid_comicinfo(comicinfo.write(FULL)) == {
        "Title": "Low Water; Ebb",
        "Series": "Harbor Lights",
        "Number": "½",
        "Volume": "2019",
        "AlternateNumber": "103",
        "Summary": "Tide & time:\n“no one” waits.",
        "Notes": "Ids: comicsdb 7, Comic Vine 51, Grand Comics Database 52. [CVDB51]",
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
        "CommunityRating": "4.3",
        "GTIN": "9780306406157",
    }


def test_an_issue_with_nothing_has_no_empty_elements():
    found = valid_comicinfo(comicinfo.write(BARE))
    assert found == {
        "Series": "Harbor Lights",
        "Number": "½",
        "Volume": "2019",
        "Notes": "Ids: comicsdb 7.",
        "Year": "2019",
        "Month": "6",
        "Day": "1",
        "Publisher": "Nimbus Comics",
        "Web": "https://comics.example/issue/harbor-lights-2019-12/",
        "Format": "Single Issue",
    }


def test_without_stories_the_title_is_that_of_the_collection():
    assert valid_comicinfo(comicinfo.write(FULL | {"name": []}))["Title"] == "Collected <Harbor>"


def test_other_ids_are_written_whatever_their_source():
    ids = [("comicsdb", "7"), ("metron", "8"), ("asin", "B00X"), ("bedetheque", "9")]
    notes = valid_comicinfo(comicinfo.write(FULL, ids))["Notes"]
    assert notes == "Ids: comicsdb 7, Metron 8, Amazon B00X, Bedetheque 9."


def test_every_age_rating_has_one_of_its_words():
    names = {row["name"] for row in REFERENCE["age_rating"]}
    assert names == {"Unknown", *comicinfo.AGE_RATINGS}
    for name in names:
        found = valid_comicinfo(comicinfo.write(BARE | {"rating": {"id": 1, "name": name}}))
        assert ("AgeRating" in found) == (name != "Unknown")


def test_roles_without_an_element_are_left_out_and_all_others_are_not():
    names = {row["name"] for row in REFERENCE["role"]}
    assert {role for roles in comicinfo.ROLES.values() for role in roles} <= names
    left_out = {
        name
        for name in names
        if valid_comicinfo(comicinfo.write(BARE | {"credits": [credit("Ada", name)]})).keys()
        == valid_comicinfo(comicinfo.write(BARE)).keys()
    }
    assert left_out == {
        *("Interviewer", "Production", "Designer", "Logo Design", "President", "Publisher", "Other"),
        *("Chief Creative Officer", "Executive Producer"),
    }


@settings(max_examples=40, deadline=None)
@given(
    st.text(st.characters(), max_size=20),
    st.sampled_from(["]]>", "&", "<", "\0", "\ud800", "\ufffe", "\r\n"]),
)
def test_no_text_breaks_it(text, bad):
    odd = f"{text}{bad}{text}"
    series = FULL["series"] | {"name": odd}
    credits_ = [credit(odd, "Writer")]
    named = FULL | {"series": series, "desc": odd, "name": [odd], "credits": credits_, "number": odd}
    assert valid_comicinfo(comicinfo.write(named))["Year"] == "2019"
