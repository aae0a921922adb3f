"""The details of all kinds except series and issues: whole bodies, key by key."""

from datetime import UTC, date, datetime

from sqlalchemy import update

from comicsdb import models
from tests.api.bodies import ATTRIBUTION, BASE, SOURCES, api_timestamp, assert_same_json, refreshed, stamped


def test_an_arc_with_everything(api, make):
    arc = make.arc(
        name="Salt Tide",
        desc="Voilà – “漫画”",
        cv_id=5,
        gcd_id=8801,
        image="arc/2026/02/11/a.jpg",
        attributions=SOURCES,
    )
    assert_same_json(
        api.json(f"/api/arc/{arc.id}/"),
        {
            "id": arc.id,
            "name": "Salt Tide",
            "desc": "Voilà – “漫画”",
            "image": f"{BASE}/media/arc/2026/02/11/a.jpg",
            "cv_id": 5,
            "gcd_id": 8801,
            "resource_url": f"{BASE}/arc/salt-tide/",
            "modified": api_timestamp(arc.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_an_arc_with_nothing(api, make):
    arc = make.arc(name="Bare")
    assert_same_json(
        api.json(f"/api/arc/{arc.id}/"),
        {
            "id": arc.id,
            "name": "Bare",
            "desc": "",
            "image": None,
            "cv_id": None,
            "gcd_id": None,
            "resource_url": f"{BASE}/arc/bare/",
            "modified": api_timestamp(arc.modified),
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
    assert_same_json(
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
            "modified": api_timestamp(gale.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_character_with_nothing(api, make):
    nobody = make.character(name="Nobody")
    assert_same_json(
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
            "modified": api_timestamp(nobody.modified),
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
    assert_same_json(
        api.json(f"/api/creator/{ada.id}/"),
        {
            "id": ada.id,
            "name": "Ada Penwell",
            "birth": "1971-04-02",
            "birth_precision": "day",
            "death": "2020-12-31",
            "death_precision": "day",
            "desc": "Drew.",
            "image": f"{BASE}/media/creator/2026/02/11/ada.webp",
            "alias": ["A. P."],
            "cv_id": 10,
            "gcd_id": 11,
            "resource_url": f"{BASE}/creator/ada-penwell/",
            "modified": api_timestamp(ada.modified),
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
    assert_same_json(
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
            "modified": api_timestamp(stratus.modified),
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
    assert_same_json(
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
            "modified": api_timestamp(sky.modified),
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
    assert_same_json(
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
            "modified": api_timestamp(wardens.modified),
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
    assert_same_json(
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
            "modified": api_timestamp(nimbus.modified),
            "attribution": ATTRIBUTION,
        },
    )


def test_a_publisher_with_nothing(api, make):
    bare = make.publisher(name="Bare")
    body = api.json(f"/api/publisher/{bare.id}/")
    assert (body["alt_names"], body["founded"], body["country"]) == ([], None, "US")


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
    assert refreshed(session, gale).modified > named_at
    assert api.json(f"/api/issue/{issue.id}/")["characters"][0]["modified"] == api_timestamp(named_at)
    assert api.json("/api/character/")["results"][0]["modified"] == api_timestamp(gale.modified)


def test_a_moment_without_microseconds_is_written_without_fraction(api, make, session):
    arc = make.arc()
    issue = make.issue(arcs=[arc])
    moment = datetime(2026, 3, 4, 14, 15, 30, tzinfo=UTC)
    session.execute(update(models.Arc).values(modified=moment, name_changed=moment))
    session.commit()
    assert api.json(f"/api/arc/{arc.id}/")["modified"] == "2026-03-04T14:15:30Z"
    assert api.json(f"/api/issue/{issue.id}/")["arcs"][0]["modified"] == "2026-03-04T14:15:30Z"


def test_moments_are_utc_whatever_the_zone_of_the_connection(api, make, session, connection):
    arc = make.arc()
    issue = make.issue(arcs=[arc])
    moment = datetime(2026, 3, 4, 23, 15, 30, 204518, tzinfo=UTC)
    session.execute(update(models.Arc).values(modified=moment, name_changed=moment))
    session.commit()
    connection.exec_driver_sql("SET LOCAL TIME ZONE 'Asia/Tokyo'")
    assert api.json(f"/api/arc/{arc.id}/")["modified"] == "2026-03-04T23:15:30.204518Z"
    assert api.json(f"/api/issue/{issue.id}/")["arcs"][0]["modified"] == "2026-03-04T23:15:30.204518Z"


def test_addresses_follow_the_scheme_and_host_of_the_request(testapp, api, make):
    arc = make.arc(name="Salt Tide", image="arc/a.jpg")
    answer = testapp.get(
        f"/api/arc/{arc.id}/",
        headers=api.headers | {"Host": "comics.example:8443"},
        extra_environ={"wsgi.url_scheme": "https"},
    )
    assert answer.json["resource_url"] == "https://comics.example:8443/arc/salt-tide/"
    assert answer.json["image"] == "https://comics.example:8443/media/arc/a.jpg"
