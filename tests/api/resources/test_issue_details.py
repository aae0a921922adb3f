"""The details of series and issues, whole bodies, key by key."""

from datetime import date
from decimal import Decimal

import pytest

from comicsdb import models
from tests.api.bodies import (
    ATTRIBUTION,
    BASE,
    SOURCES,
    api_timestamp,
    assert_same_json,
    named,
    publisher_name,
    refreshed,
    set_rating,
    stamped,
)


def test_a_series_with_everything(api, make, session):
    nimbus = make.publisher(name="Nimbus Comics")
    stratus = make.imprint(name="Stratus", publisher=nimbus)
    collected = make.series(name="Harbor Lights", year_began=2020, series_type=10, publisher=nimbus)
    earlier = make.series(name="Harbor", year_began=1999, publisher=nimbus)
    lights = make.series(
        name="Harbor Lights",
        sort_name="Harbor Lights, The",
        alt_names=["Luci del porto"],
        language="it",
        volume=2,
        status=2,
        publisher=nimbus,
        imprint=stratus,
        year_began=2019,
        year_end=2022,
        desc="Far out.",
        genres=[10, 8],
        associated=[collected, earlier],
        cv_id=41,
        gcd_id=42,
        attributions=SOURCES,
    )
    for number in ("1", "2", "3"):
        make.issue(series=lights, number=number)
    set_rating(session, lights, count=3, total=13)
    assert_same_json(
        api.json(f"/api/series/{lights.id}/"),
        {
            "id": lights.id,
            "name": "Harbor Lights",
            "sort_name": "Harbor Lights, The",
            "alt_names": ["Luci del porto"],
            "language": "it",
            "volume": 2,
            "series_type": {"id": 13, "name": "Single Issue"},
            "status": "Completed",
            "publisher": {"id": nimbus.id, "name": "Nimbus Comics"},
            "imprint": {"id": stratus.id, "name": "Stratus"},
            "year_began": 2019,
            "year_end": 2022,
            "desc": "Far out.",
            "issue_count": 3,
            "average_rating": 4.33,
            "rating_count": 3,
            "genres": [{"id": 8, "name": "Romance"}, {"id": 10, "name": "Super-Hero"}],
            "associated": [
                {"id": earlier.id, "series": "Harbor (1999)"},
                {"id": collected.id, "series": "Harbor Lights TPB (2020)"},
            ],
            "cv_id": 41,
            "gcd_id": 42,
            "resource_url": f"{BASE}/series/harbor-lights-2019/",
            "modified": api_timestamp(refreshed(session, lights).modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_series_with_nothing(api, make):
    bare = make.series(name="Bare", language="")
    assert_same_json(
        api.json(f"/api/series/{bare.id}/"),
        {
            "id": bare.id,
            "name": "Bare",
            "sort_name": "Bare",
            "alt_names": [],
            "language": "",
            "volume": 1,
            "series_type": {"id": 13, "name": "Single Issue"},
            "status": "Ongoing",
            "publisher": {"id": bare.publisher_id, "name": publisher_name(api, bare.publisher_id)},
            "imprint": None,
            "year_began": 2020,
            "year_end": None,
            "desc": "",
            "issue_count": 0,
            "average_rating": None,
            "rating_count": 0,
            "genres": [],
            "associated": [],
            "cv_id": None,
            "gcd_id": None,
            "resource_url": f"{BASE}/series/bare-2020/",
            "modified": api_timestamp(bare.modified),
            "attribution": [],
        },
    )


def test_an_issue_with_everything(api, make, session):
    nimbus = make.publisher(name="Nimbus Comics")
    stratus = make.imprint(name="Stratus", publisher=nimbus)
    lights = make.series(
        name="Harbor Lights",
        sort_name="Harbor Lights, The",
        alt_names=["Luci del porto"],
        year_began=2019,
        publisher=nimbus,
        imprint=stratus,
        genres=[8],
    )
    collected = make.issue(series=make.series(name="Harbor Lights", series_type=10, publisher=nimbus))
    digital = make.issue(
        number="5", series=make.series(name="Anchor", year_began=2021, series_type=12, publisher=nimbus)
    )
    zoe, ada = make.creator(name="Zoe"), make.creator(name="Ada Penwell")
    arc, other_arc = make.arc(name="Zénith"), make.arc(name="Apex")
    gale, team = make.character(name="Gale"), make.team(name="Wardens")
    b, a = (make.universe(name="Sky", designation=each, publisher=nimbus) for each in ("B", "A"))
    issue = make.issue(
        series=lights,
        number="3",
        alt_number="103",
        title="Collected",
        name=["Low Water", "Ebb"],
        cover_date=date(2019, 6, 1),
        store_date=date(2019, 4, 17),
        foc_date=date(2019, 3, 25),
        price=Decimal("3.9"),
        currency="GBP",
        rating=3,
        sku="ABC123",
        isbn="9780306406157",
        upc="75960608936900311",
        page=32,
        desc="Tide.",
        desc_is_solicitation=True,
        image="issue/2026/02/11/hl3.jpg",
        cover_hash="9f1f0f0783c3c1e1",
        arcs=[arc, other_arc],
        characters=[gale],
        teams=[team],
        universes=[b, a],
        reprints=[collected, digital],
        cv_id=51,
        gcd_id=52,
        variants=[
            {"name": "Foil", "price": Decimal("5.99"), "sku": "S", "upc": "1", "image": "variants/f.jpg"},
            {"name": "Blank", "price": None, "image": "variants/b.jpg"},
        ],
        credits=[
            {"creator": zoe.id, "roles": []},
            {"creator": ada.id, "roles": [make.role("Cover").id, make.role("Writer").id]},
        ],
        attributions=SOURCES,
    )
    set_rating(session, issue, count=3, total=13)
    assert_same_json(
        api.json(f"/api/issue/{issue.id}/"),
        {
            "id": issue.id,
            "publisher": named(nimbus),
            "imprint": named(stratus),
            "series": {
                "id": lights.id,
                "name": "Harbor Lights",
                "alt_names": ["Luci del porto"],
                "sort_name": "Harbor Lights, The",
                "volume": 1,
                "year_began": 2019,
                "series_type": {"id": 13, "name": "Single Issue"},
                "genres": [{"id": 8, "name": "Romance"}],
                "language": "en",
            },
            "number": "3",
            "alt_number": "103",
            "title": "Collected",
            "name": ["Low Water", "Ebb"],
            "cover_date": "2019-06-01",
            "cover_date_precision": "day",
            "store_date": "2019-04-17",
            "foc_date": "2019-03-25",
            "price": "3.90",
            "price_currency": "GBP",
            "rating": {"id": 3, "name": "Teen"},
            "sku": "ABC123",
            "isbn": "9780306406157",
            "upc": "75960608936900311",
            "page": 32,
            "desc": "Tide.",
            "desc_is_solicitation": True,
            "image": f"{BASE}/media/issue/2026/02/11/hl3.jpg",
            "cover_hash": "9f1f0f0783c3c1e1",
            "average_rating": 4.33,
            "rating_count": 3,
            "arcs": stamped(other_arc, arc),
            "credits": [
                {
                    "id": ada.id,
                    "creator": "Ada Penwell",
                    "role": [named(make.role("Writer")), named(make.role("Cover"))],
                },
                {"id": zoe.id, "creator": "Zoe", "role": []},
            ],
            "characters": stamped(gale),
            "teams": stamped(team),
            "universes": stamped(a, b),
            "reprints": [
                {"id": digital.id, "issue": "Anchor (2021) Digital Chapter #5"},
                {"id": collected.id, "issue": "Harbor Lights TPB (2020) #1"},
            ],
            "variants": [
                {
                    "name": "Blank",
                    "price": None,
                    "sku": "",
                    "upc": "",
                    "image": f"{BASE}/media/variants/b.jpg",
                },
                {
                    "name": "Foil",
                    "price": "5.99",
                    "sku": "S",
                    "upc": "1",
                    "image": f"{BASE}/media/variants/f.jpg",
                },
            ],
            "cv_id": 51,
            "gcd_id": 52,
            "resource_url": f"{BASE}/issue/harbor-lights-2019-3/",
            "modified": api_timestamp(refreshed(session, issue).modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_an_issue_with_nothing(api, make):
    series = make.series(name="Bare")
    issue = make.issue(series=series, number="½", cover_date=date(2020, 5, 1))
    assert_same_json(
        api.json(f"/api/issue/{issue.id}/"),
        {
            "id": issue.id,
            "publisher": {"id": series.publisher_id, "name": publisher_name(api, series.publisher_id)},
            "imprint": None,
            "series": {
                "id": series.id,
                "name": "Bare",
                "alt_names": [],
                "sort_name": "Bare",
                "volume": 1,
                "year_began": 2020,
                "series_type": {"id": 13, "name": "Single Issue"},
                "genres": [],
                "language": "en",
            },
            "number": "½",
            "alt_number": "",
            "title": "",
            "name": [],
            "cover_date": "2020-05-01",
            "cover_date_precision": "day",
            "store_date": None,
            "foc_date": None,
            "price": None,
            "price_currency": "",
            "rating": {"id": 1, "name": "Unknown"},
            "sku": "",
            "isbn": "",
            "upc": "",
            "page": None,
            "desc": "",
            "desc_is_solicitation": False,
            "image": None,
            "cover_hash": "",
            "average_rating": None,
            "rating_count": 0,
            "arcs": [],
            "credits": [],
            "characters": [],
            "teams": [],
            "universes": [],
            "reprints": [],
            "variants": [],
            "cv_id": None,
            "gcd_id": None,
            "resource_url": f"{BASE}/issue/bare-2020-12/",
            "modified": api_timestamp(issue.modified),
            "attribution": [],
        },
    )


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        (Decimal("1500"), "ITL", ("1500.00", "ITL")),
        (Decimal("0"), "EUR", ("0.00", "")),
        (None, "EUR", (None, "")),
        (Decimal("999999.99"), "USD", ("999999.99", "USD")),
    ],
)
def test_prices_have_two_decimals_and_a_currency_only_with_an_amount(api, make, amount, currency, shown):
    issue = make.issue(price=amount, currency=currency)
    body = api.json(f"/api/issue/{issue.id}/")
    assert (body["price"], body["price_currency"]) == shown


def test_two_creators_of_one_name_are_both_credited(api, make):
    first, second = make.creator(name="Ada"), make.creator(name="Ada")
    issue = make.issue(credits=[{"creator": each.id, "roles": []} for each in (second, first)])
    credits_ = api.json(f"/api/issue/{issue.id}/")["credits"]
    assert [credit["id"] for credit in credits_] == [first.id, second.id]


def test_variants_of_one_name_come_in_order_of_creation(api, make):
    pictures = ["variants/z.jpg", "variants/a.jpg"]
    issue = make.issue(variants=[{"name": "Foil", "image": picture} for picture in pictures])
    images = [variant["image"] for variant in api.json(f"/api/issue/{issue.id}/")["variants"]]
    assert images == [f"{BASE}/media/{picture}" for picture in pictures]


@pytest.mark.parametrize(
    ("code", "label", "issue_label"),
    [
        ("single_issue", "Run (2020)", "Run (2020) #1"),
        ("trade_paperback", "Run TPB (2020)", "Run TPB (2020) #1"),
        ("hardcover", "Run HC (2020)", "Run HC (2020) #1"),
        ("graphic_novel", "Run GN (2020)", "Run GN (2020) #1"),
        ("digital_chapter", "Run (2020) Digital", "Run (2020) Digital Chapter #1"),
        ("omnibus", "Run (2020)", "Run (2020) #1"),
    ],
)
def test_labels_follow_the_type(api, make, code, label, issue_label):
    series = make.series(name="Run", series_type=make.series_type(code))
    make.issue(series=series)
    assert api.json("/api/series/")["results"][0]["series"] == label
    assert api.json("/api/issue/")["results"][0]["issue"] == issue_label


def test_a_type_without_a_code_adds_nothing_to_the_label(api, make, catalog, session):
    magazine = catalog.create(models.SeriesType, {"name": "Magazine"})
    session.commit()
    make.series(name="Run", series_type=magazine)
    assert api.json("/api/series/")["results"][0]["series"] == "Run (2020)"


@pytest.mark.parametrize(
    ("status", "label"), [(1, "Cancelled"), (2, "Completed"), (3, "Hiatus"), (4, "Ongoing")]
)
def test_the_status_of_a_series_is_a_word(api, make, status, label):
    series = make.series(status=status)
    assert api.json(f"/api/series/{series.id}/")["status"] == label


def test_an_association_shows_on_both_sides(api, make):
    first = make.series(name="First")
    second = make.series(name="Second", associated=[first])
    assert api.json(f"/api/series/{first.id}/")["associated"] == [
        {"id": second.id, "series": "Second (2020)"}
    ]
    assert api.json(f"/api/series/{second.id}/")["associated"] == [{"id": first.id, "series": "First (2020)"}]
