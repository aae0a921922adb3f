"""The details of the nine kinds, whole bodies, key by key (api.md 2.2-2.10, 10)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from sqlalchemy import update

from comicsdb import models
from tests.api.bodies import BASE, instant, named, same, stamped

SOURCES = [{"source": "G", "url": "https://example.org/a"}, {"source": "W", "url": "https://example.org/b"}]
ATTRIBUTION = [
    {"source": "Grand Comics Database", "url": "https://example.org/a"},
    {"source": "Wikipedia", "url": "https://example.org/b"},
]


def test_an_arc_with_everything(api, make):
    arc = make.arc(
        name="Salt Tide",
        desc="Voilà – “漫画”",
        cv_id=5,
        gcd_id=8801,
        image="arc/2026/02/11/a.jpg",
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/arc/{arc.id}/"),
        {
            "id": arc.id,
            "name": "Salt Tide",
            "desc": "Voilà – “漫画”",
            "image": f"{BASE}/media/arc/2026/02/11/a.jpg",
            "cv_id": 5,
            "gcd_id": 8801,
            "resource_url": f"{BASE}/arc/salt-tide/",
            "modified": instant(arc.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_an_arc_with_nothing(api, make):
    arc = make.arc(name="Bare")
    same(
        api.json(f"/api/arc/{arc.id}/"),
        {
            "id": arc.id,
            "name": "Bare",
            "desc": "",
            "image": None,
            "cv_id": None,
            "gcd_id": None,
            "resource_url": f"{BASE}/arc/bare/",
            "modified": instant(arc.modified),
            "attribution": [],
        },
    )


def test_a_character_with_everything(api, make):
    late, early = make.creator(name="Zoe Late"), make.creator(name="Ada Penwell")
    team = make.team(name="Rain Wardens")
    publisher = make.publisher()
    second = make.universe(name="Prime Sky", designation="Sky-2", publisher=publisher)
    first = make.universe(name="Prime Sky", designation="Sky-1", publisher=publisher)
    gale = make.character(
        name="Gale Harrow",
        alias=["Windbreaker", "Élan"],
        desc="Blows.",
        image="character/2026/02/11/g.png",
        creators=[late, early],
        teams=[team],
        universes=[second, first],
        cv_id=1,
        gcd_id=2,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/character/{gale.id}/"),
        {
            "id": gale.id,
            "name": "Gale Harrow",
            "alias": ["Windbreaker", "Élan"],
            "desc": "Blows.",
            "image": f"{BASE}/media/character/2026/02/11/g.png",
            "creators": stamped(early, late),
            "teams": stamped(team),
            "universes": stamped(first, second),
            "cv_id": 1,
            "gcd_id": 2,
            "resource_url": f"{BASE}/character/gale-harrow/",
            "modified": instant(gale.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_character_with_nothing(api, make):
    nobody = make.character(name="Nobody")
    same(
        api.json(f"/api/character/{nobody.id}/"),
        {
            "id": nobody.id,
            "name": "Nobody",
            "alias": [],
            "desc": "",
            "image": None,
            "creators": [],
            "teams": [],
            "universes": [],
            "cv_id": None,
            "gcd_id": None,
            "resource_url": f"{BASE}/character/nobody/",
            "modified": instant(nobody.modified),
            "attribution": [],
        },
    )


def test_a_creator(api, make):
    ada = make.creator(
        name="Ada Penwell",
        birth=date(1971, 4, 2),
        death=date(2020, 12, 31),
        desc="Drew.",
        image="creator/2026/02/11/ada.webp",
        alias=["A. P."],
        cv_id=10,
        gcd_id=11,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/creator/{ada.id}/"),
        {
            "id": ada.id,
            "name": "Ada Penwell",
            "birth": "1971-04-02",
            "death": "2020-12-31",
            "desc": "Drew.",
            "image": f"{BASE}/media/creator/2026/02/11/ada.webp",
            "alias": ["A. P."],
            "cv_id": 10,
            "gcd_id": 11,
            "resource_url": f"{BASE}/creator/ada-penwell/",
            "modified": instant(ada.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_creator_with_nothing_has_null_dates(api, make):
    ada = make.creator(name="Ada")
    body = api.json(f"/api/creator/{ada.id}/")
    assert (body["birth"], body["death"], body["alias"]) == (None, None, [])


def test_an_imprint(api, make):
    nimbus = make.publisher(name="Nimbus Comics")
    stratus = make.imprint(
        name="Stratus",
        founded=1993,
        desc="Thin.",
        image="imprint/2026/02/11/s.jpg",
        publisher=nimbus,
        cv_id=3,
        gcd_id=4,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/imprint/{stratus.id}/"),
        {
            "id": stratus.id,
            "name": "Stratus",
            "founded": 1993,
            "desc": "Thin.",
            "image": f"{BASE}/media/imprint/2026/02/11/s.jpg",
            "cv_id": 3,
            "gcd_id": 4,
            "publisher": {"id": nimbus.id, "name": "Nimbus Comics"},
            "resource_url": f"{BASE}/imprint/stratus/",
            "modified": instant(stratus.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_universe_has_no_comic_vine_id(api, make):
    nimbus = make.publisher(name="Nimbus Comics")
    sky = make.universe(
        name="Prime Sky",
        designation="Sky-1",
        desc="Blue.",
        gcd_id=7,
        image="universe/2026/02/11/s.jpg",
        publisher=nimbus,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/universe/{sky.id}/"),
        {
            "id": sky.id,
            "publisher": {"id": nimbus.id, "name": "Nimbus Comics"},
            "name": "Prime Sky",
            "designation": "Sky-1",
            "desc": "Blue.",
            "gcd_id": 7,
            "image": f"{BASE}/media/universe/2026/02/11/s.jpg",
            "resource_url": f"{BASE}/universe/prime-sky/",
            "modified": instant(sky.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_team(api, make):
    ada, sky = make.creator(name="Ada"), make.universe(name="Sky")
    wardens = make.team(
        name="Rain Wardens",
        desc="Wet.",
        image="team/2026/02/11/w.jpg",
        creators=[ada],
        universes=[sky],
        cv_id=21,
        gcd_id=22,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/team/{wardens.id}/"),
        {
            "id": wardens.id,
            "name": "Rain Wardens",
            "desc": "Wet.",
            "image": f"{BASE}/media/team/2026/02/11/w.jpg",
            "creators": stamped(ada),
            "universes": stamped(sky),
            "cv_id": 21,
            "gcd_id": 22,
            "resource_url": f"{BASE}/team/rain-wardens/",
            "modified": instant(wardens.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_publisher(api, make):
    nimbus = make.publisher(
        name="Nimbus Comics",
        alt_names=["Cloud House", "Wolkenhaus"],
        founded=1975,
        country="IT",
        desc="High up.",
        image="publisher/2026/02/11/n.jpg",
        cv_id=31,
        gcd_id=32,
        attributions=SOURCES,
    )
    same(
        api.json(f"/api/publisher/{nimbus.id}/"),
        {
            "id": nimbus.id,
            "name": "Nimbus Comics",
            "alt_names": ["Cloud House", "Wolkenhaus"],
            "founded": 1975,
            "country": "IT",
            "desc": "High up.",
            "image": f"{BASE}/media/publisher/2026/02/11/n.jpg",
            "cv_id": 31,
            "gcd_id": 32,
            "resource_url": f"{BASE}/publisher/nimbus-comics/",
            "modified": instant(nimbus.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_publisher_with_nothing(api, make):
    bare = make.publisher(name="Bare")
    body = api.json(f"/api/publisher/{bare.id}/")
    assert (body["alt_names"], body["founded"], body["country"]) == ([], None, "US")


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
    rate(session, lights, count=3, total=13)
    same(
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
            "modified": instant(reread(session, lights).modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_series_with_nothing(api, make):
    bare = make.series(name="Bare", language="")
    same(
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
            "publisher": {"id": bare.publisher_id, "name": body_name(api, bare.publisher_id)},
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
            "modified": instant(bare.modified),
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
    rate(session, issue, count=3, total=13)
    same(
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
            "modified": instant(reread(session, issue).modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_an_issue_with_nothing(api, make):
    series = make.series(name="Bare")
    issue = make.issue(series=series, number="½", cover_date=date(2020, 5, 1))
    same(
        api.json(f"/api/issue/{issue.id}/"),
        {
            "id": issue.id,
            "publisher": {"id": series.publisher_id, "name": body_name(api, series.publisher_id)},
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
            "modified": instant(issue.modified),
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


def test_relations_are_ordered_without_regard_to_case_and_accents(api, make):
    names = ["éclair", "Zebra", "Eclair", "anchor", "Älter", "Alter"]
    issue = make.issue(characters=[make.character(name=name) for name in names])
    found = [each["name"] for each in api.json(f"/api/issue/{issue.id}/")["characters"]]
    assert found == ["Alter", "Älter", "anchor", "Eclair", "éclair", "Zebra"]


def test_an_embedded_object_shows_when_its_name_changed_and_a_row_when_it_was_modified(
    api, make, catalog, session
):
    gale = make.character(name="Gale")
    issue = make.issue(characters=[gale])
    named_at = gale.name_changed
    catalog.update(gale, {"desc": "More about her."})
    session.commit()
    assert reread(session, gale).modified > named_at
    assert api.json(f"/api/issue/{issue.id}/")["characters"][0]["modified"] == instant(named_at)
    assert api.json("/api/character/")["results"][0]["modified"] == instant(gale.modified)


def test_a_moment_without_microseconds_is_written_without_fraction(api, make, session):
    arc = make.arc()
    moment = datetime(2026, 3, 4, 14, 15, 30, tzinfo=UTC)
    session.execute(update(models.Arc).values(modified=moment))
    session.execute(update(models.Character).values(name_changed=moment))
    session.commit()
    assert api.json(f"/api/arc/{arc.id}/")["modified"] == "2026-03-04T14:15:30Z"


def test_moments_are_utc_whatever_the_zone_of_the_connection(api, make, session, connection):
    arc = make.arc()
    issue = make.issue(arcs=[arc])
    moment = datetime(2026, 3, 4, 23, 15, 30, 204518, tzinfo=UTC)
    session.execute(update(models.Arc).values(modified=moment, name_changed=moment))
    session.commit()
    connection.exec_driver_sql("SET LOCAL TIME ZONE 'Asia/Tokyo'")
    assert api.json(f"/api/arc/{arc.id}/")["modified"] == "2026-03-04T23:15:30.204518Z"
    assert api.json(f"/api/issue/{issue.id}/")["arcs"][0]["modified"] == "2026-03-04T23:15:30.204518Z"


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


def test_addresses_follow_the_scheme_and_host_of_the_request(testapp, api, make):
    arc = make.arc(name="Salt Tide", image="arc/a.jpg")
    answer = testapp.get(
        f"/api/arc/{arc.id}/",
        headers=api.headers | {"Host": "comics.example:8443"},
        extra_environ={"wsgi.url_scheme": "https"},
    )
    assert answer.json["resource_url"] == "https://comics.example:8443/arc/salt-tide/"
    assert answer.json["image"] == "https://comics.example:8443/media/arc/a.jpg"


def rate(session, entity, *, count, total):
    """Give an object stars."""
    model = type(entity)
    session.execute(update(model).where(model.id == entity.id).values(rating_count=count, rating_sum=total))
    session.commit()


def reread(session, entity):
    """An object as it is now."""
    session.refresh(entity)
    return entity


def body_name(api, publisher_id):
    """The name of a publisher, as its own detail gives it."""
    return api.json(f"/api/publisher/{publisher_id}/")["name"]
