"""Identification of comics by what is known about them: `POST /api/match/`."""

from datetime import date

import pytest

from comicsdb.models import ExternalId, PictureHash
from comicsdb.models.picture_hash import HASHES, signed
from tests.api.conftest import PASSWORD, basic_auth
from tests.api.writing import WritingClient
from tests.conftest import record_statements

HASH = "8f1f0f0783c3c1e1"
STATEMENTS_MAX = 6  # codes, covers, series, series by ids, issues, rows


@pytest.fixture
def client(testapp, reader):
    """A client of an ordinary account."""
    return WritingClient(testapp, basic_auth("reader", PASSWORD))


@pytest.fixture
def shelf(make):
    """Series of the same name in two years, a collection, an annual, and others; issues by short names."""
    marvel = make.publisher(name="Marvel")
    old = make.series(name="Night Ferry", year_began=1990, publisher=marvel, cv_id=901)
    metron = [{"source": "metron", "external_id": "77"}]
    new = make.series(name="Night Ferry", year_began=2015, volume=2, publisher=marvel, external_ids=metron)
    book = make.series(name="Night Ferry", year_began=2016, series_type=10, publisher=marvel)
    annual = make.series(name="Night Ferry Annual", year_began=1991, series_type=6, publisher=marvel)
    italian = make.series(
        name="Il Traghetto", alt_names=["Ferry Boat Tales"], language="it", year_began=1970, gcd_id=900
    )
    return {
        "old": make.issue(series=old, number="1", cover_date=date(1990, 3, 1), cv_id=41, gcd_id=42),
        "old 2": make.issue(series=old, number="2", cover_date=date(1990, 4, 1), page=24),
        "flashback": make.issue(series=old, number="-1", cover_date=date(1990, 7, 1)),
        "new": make.issue(
            series=new, number="1", cover_date=date(2015, 3, 1), sku="FEB150001", upc="76194134182700111",
            image="issue/new.png",
        ),
        "new 3": make.issue(
            series=new, number="3", cover_date=date(2015, 5, 1), upc="76194134182700311",
            variants=[{"image": "variants/3.png", "upc": "76194134182700321", "sku": "MAR150009"}],
        ),
        "half": make.issue(series=new, number="½", cover_date=date(2015, 6, 1)),
        "book": make.issue(
            series=book, number="1", cover_date=date(2016, 1, 1), isbn="9783161484100", title="First Crossing"
        ),
        "annual": make.issue(series=annual, number="1", cover_date=date(1991, 8, 1)),
        "italian": make.issue(series=italian, number="7", cover_date=date(1970, 9, 1)),
    }  # fmt: skip


def matched(client, *descriptors, **more):
    """The results for descriptors."""
    return client.post("/api/match/", 200, json={"descriptors": list(descriptors), **more})["results"]


def test_a_candidate_has_the_row_of_lists_a_score_and_reasons(client, shelf):
    (found,) = matched(client, {"file_name": "Night Ferry v2 003 (of 6) (2015) (c2c) (Empire).cbz"})
    best = found["candidates"][0]
    (row,) = client.json("/api/issue/?upc=76194134182700311")["results"]
    assert (best["issue"], row["id"]) == (row, shelf["new 3"].id)
    assert 0.99 < best["score"] <= 1
    assert found["certain"] is True
    assert found["errors"] is None
    assert found["ties"] == []
    assert {each["field"]: each["text"] for each in best["reasons"]} == {
        "series": "series equal",
        "number": "number equal",
        "year": "year equal",
        "volume": "volume equal",
    }


# What is known about a comic, and the key of the issue to be found.
KNOWN = [
    ({"ids": {"metron": 7001}}, "old 2"),
    ({"ids": {"comicvine": "4000-41", "metron": "9"}}, "old"),
    ({"file_name": "anything [metron-7001].cbz"}, "old 2"),
    ({"IDS": [{"@source": "Metron", "#text": "7001"}, {"@source": "Odd", "#text": "1"}]}, "old 2"),
    ({"file_name": "Night Ferry 001 (1990).cbz"}, "old"),
    ({"file_name": "Night_Ferry_#2_(1990)_(noads).cbr"}, "old 2"),
    ({"file_name": "Nigth Ferry 02 (1990).cbz"}, "old 2"),
    ({"file_name": "Night Ferry (2015)/Night Ferry ½.cbz"}, "half"),
    ({"file_name": "Night Ferry 0.5 (2015).cbz"}, "half"),
    ({"file_name": "Night Ferry v01 - First Crossing (2016) (TPB).cbz"}, "book"),
    ({"file_name": "Night Ferry Annual 1991.cbz"}, "annual"),
    ({"file_name": "Traghetto, Il 007 (1970) (ITA).cbz"}, "italian"),
    ({"series": "Night Ferry", "number": "#001", "year": 2015}, "new"),
    ({"series": "Night Ferry", "number": 1, "year_began": 1990}, "old"),
    ({"series": "Night Ferry", "number": 1, "volume": 1990}, "old"),
    ({"series": "Night Ferry", "number": "1", "volume": 2, "language": "English"}, "new"),
    ({"series": "Night Ferry", "number": "1", "format": "Trade Paperback"}, "book"),
    ({"series": "Unknown", "alt_series": "Ferry Boat Tales", "number": "7"}, "italian"),
    ({"series": "Unknown", "alt_series": ["X", "Il Traghetto"], "number": "7"}, "italian"),
    ({"series": "night ferry", "number": "2", "cover_date": "1990-04-01", "page_count": 24}, "old 2"),
    ({"series": "Night Ferry", "number": "1", "store_date": "2015-01-02", "year": 2015}, "new"),
    ({"gtin": "76194134182700311"}, "new 3"),
    ({"gtin": "7 61941 34182 7 00321"}, "new 3"),
    ({"gtin": "761941341827", "number": "3", "series": "Night Ferry"}, "new 3"),
    ({"gtin": "9783161484100"}, "book"),
    ({"isbn": "3-16-148410-X"}, "book"),
    ({"sku": "feb150001"}, "new"),
    ({"sku": "mar15 0009"}, "new 3"),
    ({"series_gcd_id": 900, "number": "7"}, "italian"),
    ({"series_cv_id": "901", "file_name": "001.cbz"}, "old"),
    ({"series_ids": {"metron": 77, "gcd": 1}, "number": "1", "title": "X"}, "new"),
    ({"series_ids": {"metron": 77}, "number": "3", "series": "Odd"}, "new 3"),
    ({"cv_id": 41}, "old"),
    ({"gcd_id": "42"}, "old"),
    ({"file_name": "anything [cv-41].cbz"}, "old"),
    ({"phash": HASH}, "new"),
    ({"dhash": f"{int(HASH, 16) ^ 3:x}"}, "new"),
    ({"ahash": HASH, "file_name": "scan.cbz"}, "new"),
    ({"Series": "Night Ferry", "Number": "2", "Year": "1990", "Month": 4, "Volume": -1}, "old 2"),
    ({"Series": "Night Ferry", "Number": "1", "Volume": 2015, "Publisher": "Marvel"}, "new"),
    ({"Series": "Night Ferry", "Number": "-1", "Year": 1990, "Count": "-1", "Volume": -1}, "flashback"),
    ({"series": "Night Ferry", "number": -1, "year_began": 1990}, "flashback"),
    ({"Series": "X", "Web": "https://comicvine.gamespot.com/x/4000-41/"}, "old"),
    ({"Series": "X", "Notes": "Tagged with ComicTagger [CVDB41]"}, "old"),
    ({"Series": "X", "Notes": "Tagged using info from Comic Vine on 2024-01-02.  [Issue ID 41]"}, "old"),
    ({"Series": "X", "Notes": "Tagged with metrontagger-9 from Metron on 2024 [issue_id:7001]"}, "old 2"),
    ({"Series": "X", "Notes": "From Comic Vine, then from the GCD [Issue ID 42]"}, "old"),
    ({"file_name": "anything [CVDB41].cbz"}, "old"),
    ({"file_name": "anything [CVI41].cbz"}, "old"),
    ({"Series": "X", "Web": "https://www.comics.org/issue/42/ https://example.org/4000-99/"}, "old"),
    ({"Series": "X", "Web": "https://metron.cloud/issue/7001/"}, "old 2"),
    ({"Number": "7", "Web": "https://www.comics.org/series/900/"}, "italian"),
    ({"Series": {"Name": "Night Ferry", "StartYear": 2015}, "Number": "3"}, "new 3"),
    ({"Series": {"Name": "Night Ferry", "Volume": {"#text": "2"}}, "Number": "3"}, "new 3"),
    ({"IDS": {"ID": [{"@source": "M"}, {"@source": "Comic Vine", "#text": 41}]}}, "old"),
    ({"IDS": [{"source": "Grand Comics Database", "id": 42}]}, "old"),
    ({"GTIN": {"ISBN": "9783161484100"}, "Series": "Night Ferry"}, "book"),
    ({"GTIN": "76194134182700111"}, "new"),
    ({"Publisher": {"Name": "Marvel"}, "Series": "Night Ferry", "Number": "2"}, "old 2"),
]


def test_invalid_field_of_comic_info_is_named_and_left_out(client, shelf):
    tags = {"Series": "Night Ferry", "Number": "2", "Year": 1990, "Month": 13, "Volume": "67-1"}
    (result,) = matched(client, tags)
    assert set(result["errors"]) == {"Month", "Volume"}
    assert result["candidates"][0]["issue"]["id"] == shelf["old 2"].id
    (result,) = matched(client, {**tags, "page_count": "many"})
    assert (set(result["errors"]), result["candidates"]) == ({"Month", "Volume", "page_count"}, [])


def test_each_field_finds_the_issue(client, make, shelf):
    make.catalog.session.add(PictureHash(picture="issue/new.png", **dict.fromkeys(HASHES, signed(HASH))))
    make.catalog.session.add(ExternalId(source="metron", external_id="7001", issue_id=shelf["old 2"].id))
    make.catalog.session.flush()
    found = matched(client, *(known for known, _ in KNOWN))
    ids = [[each["issue"]["id"] for each in result["candidates"]][:1] for result in found]
    wrong = [
        (known, wanted)
        for (known, wanted), best in zip(KNOWN, ids, strict=True)
        if best != [shelf[wanted].id]
    ]
    assert wrong == []
    assert not any(result["errors"] for result in found)


def test_the_id_here_finds_the_issue_whatever_else_is_told(client, shelf):
    (found,) = matched(client, {"id": shelf["old 2"].id, "series": "Night Ferry", "number": "1"})
    assert found["candidates"][0]["issue"]["id"] == shelf["old 2"].id


def test_of_a_cover_it_is_told_how_far_it_is(client, make, shelf):
    make.catalog.session.add(PictureHash(picture="issue/new.png", **dict.fromkeys(HASHES, signed(HASH))))
    make.catalog.session.flush()
    (found,) = matched(client, {"phash": f"{int(HASH, 16) ^ 0b111:x}"})
    (best,) = found["candidates"]
    assert best["reasons"][0] == {"field": "phash", "text": "cover 3 bits away"}
    assert best["issue"]["id"] == shelf["new"].id


def test_codes_and_covers_of_variants_are_told(client, make, shelf):
    session = make.catalog.session
    session.add(PictureHash(picture="variants/3.png", **dict.fromkeys(HASHES, signed(HASH))))
    session.add(PictureHash(picture="issue/new.png", **dict.fromkeys(HASHES, signed("fF00"))))
    session.flush()
    known = [{"sku": "MAR150009"}, {"gtin": "76194134182700321"}, {"phash": HASH}, {"dhash": f"{HASH[:-1]}0"}]
    found = matched(client, *known)
    assert [each["candidates"][0]["issue"]["id"] for each in found] == [shelf["new 3"].id] * 4
    assert [each["candidates"][0]["reasons"] for each in found] == [
        [{"field": "sku", "text": "SKU of a variant equal"}],
        [{"field": "gtin", "text": "barcode of a variant equal"}],
        [{"field": "phash", "text": "cover of a variant equal"}],
        [{"field": "dhash", "text": "cover of a variant 1 bit away"}],
    ]


def test_ids_of_the_series_narrow_it(client, shelf):
    (plain, told, alone, wrong, coded) = matched(
        client,
        {"series": "Night Ferry", "number": "1"},
        {"series": "Night Ferry", "number": "1", "series_cv_id": 901},
        {"series_id": shelf["new"].series_id, "number": "1"},
        {"series_gcd_id": 900, "series": "Night Ferry", "number": "1"},
        {"series_gcd_id": 900, "cv_id": 41},
    )
    assert len(plain["candidates"]) == 3
    for found, wanted in ((told, "old"), (alone, "new")):
        (best,) = found["candidates"]
        assert (found["certain"], best["issue"]["id"]) == (True, shelf[wanted].id)
        assert {"field": "series_id", "text": "id of the series equal"} in best["reasons"]
    for found in (wrong, coded):
        assert found["certain"] is False
        texts = {reason["text"] for each in found["candidates"] for reason in each["reasons"]}
        assert "id of the series different" in texts


def test_ties_say_what_would_tell_candidates_apart(client, shelf):
    (found,) = matched(client, {"series": "Night Ferry", "number": "1"})
    assert found["certain"] is False
    assert {each["issue"]["id"] for each in found["candidates"][:2]} == {shelf["old"].id, shelf["new"].id}
    ties = {each["field"]: each["values"] for each in found["ties"]}
    assert {"year", "year_began", "volume", "format"} <= ties.keys()
    assert {each["issue"]: each["value"] for each in ties["year_began"]} == {
        shelf["old"].id: "1990",
        shelf["new"].id: "2015",
        shelf["book"].id: "2016",
    }


def test_what_is_not_in_the_catalog_is_not_certain(client, shelf):
    unknown = ("Night Ferry 044 (1990).cbz", "Nowhere Else 001 (2015).cbz", "Night Ferry 001 (2003).cbz", "")
    for found in matched(client, *({"file_name": name} for name in unknown)):
        assert found["certain"] is False
        assert all(each["score"] < 0.5 for each in found["candidates"])
    assert shelf


def test_bad_descriptors_are_told_one_by_one_and_the_others_are_answered(client, shelf):
    long, bad = "x" * 1001, [[], "text", 7, None]
    found = matched(
        client,
        {"year": "soon", "Month": 13, "phash": "xyz", "file_name": long},
        {"cv_id": 41},
        {"ids": {"metron": "x"}},
        {"Year": "x", "Series": ["a"], "alt_series": ["a"] * 5, "language": "\0"},
        *bad,
    )
    assert list(found[0]["errors"]) == ["file_name", "year", "Month", "phash"]
    assert found[1]["candidates"][0]["issue"]["id"] == shelf["old"].id
    assert list(found[2]["errors"]) == ["ids"]
    assert set(found[3]["errors"]) == {"Series", "alt_series", "Year", "language"}
    for each in found[4:]:
        assert each["errors"]["non_field_errors"][0].startswith("Invalid data. Expected a dictionary")
    assert not any(each["candidates"] or each["certain"] for each in (found[0], *found[2:]))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "descriptors"),
        ({"descriptors": {}}, "descriptors"),
        ({"descriptors": [{}] * 101}, "descriptors"),
        ({"descriptors": [], "candidates": 0}, "candidates"),
        ({"descriptors": [], "candidates": 21}, "candidates"),
        ([], "non_field_errors"),
    ],
)
def test_a_bad_body_is_told_by_field(client, body, field):
    assert list(client.post("/api/match/", 400, json=body)) == [field]


def test_the_number_of_candidates_can_be_chosen(client, shelf):
    counts = [
        len(matched(client, {"series": "Night Ferry", "number": "1"}, **more)[0]["candidates"])
        for more in ({"candidates": 1}, {"candidates": 2}, {})
    ]
    assert counts == [1, 2, 3]
    assert matched(client) == []


def test_it_needs_an_account_and_only_json(client, testapp):
    testapp.post_json("/api/match/", {"descriptors": []}, status=401)
    client.raw("POST", "/api/match/", 415, b"descriptors=1", "application/x-www-form-urlencoded")
    client.raw("POST", "/api/match/", 413, b" " * (2 * 1024 * 1024 + 1), "application/json")


def test_the_number_of_statements_does_not_grow_with_that_of_descriptors(client, connection, shelf):
    full = {
        "file_name": "Night Ferry 001 [gcd-900].cbz",
        "number": "1",
        "gtin": "76194134182700111",
        "isbn": "9783161484100",
        "sku": "A1",
        "cv_id": 41,
        "gcd_id": 42,
        "id": 1,
        "series_id": 1,
        "series_cv_id": 901,
        "series_ids": {"metron": 77},
        "phash": HASH,
        "dhash": HASH,
        "ahash": HASH,
    }
    counts = []
    for number in (1, 100):
        with record_statements(connection) as statements:
            found = matched(client, *({**full, "title": str(place)} for place in range(number)))
        assert all(each["candidates"] for each in found)
        counts.append(len([each for each in statements if "unnest" in each or "ANY" in each]))
    assert counts[0] == counts[1] <= STATEMENTS_MAX
    assert shelf


def test_long_names_with_many_words_numbers_and_signs_are_answered(client, shelf):
    odd = [
        "a " * 499,
        "1 " * 499,
        "(" * 1000,
        "% _ \\ ' \" ; --",
        "Night Ferry " * 80,
        "-1-1-1" * 160,
        "ナ" * 1000,
        "½" * 900,
    ]
    found = matched(client, *({"file_name": f"{name}"[:1000], "series": name[:255]} for name in odd))
    assert [each["errors"] for each in found] == [None] * len(odd)
    assert shelf
