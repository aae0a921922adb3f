"""Filters of the lists: what each finds, and what it leaves out."""

from datetime import date

import pytest
from sqlalchemy import text

from comicsdb.models import Genre
from comicsdb_api.resources import WITH_HISTORY
from comicsdb_api.resources.reference import RoleResource, SeriesTypeResource
from tests.api.api_client import serve_catalog

RESOURCES = (*WITH_HISTORY, RoleResource, SeriesTypeResource)
FILTERS = {each.model.__tablename__: each.filters for each in RESOURCES}
OLD, NEW = "2024-01-01 12:00+00", "2025-01-01 12:00+00"


def fill(make, session) -> dict[str, dict[str, int]]:
    """Make two or three objects of each kind that differ in every field; returns ids by kind and a key."""
    eclair = make.publisher(name="Éclair Comics", alt_names=["Cloud House", "Été"], cv_id=11, gcd_id=21)
    press = make.publisher(name="100% Press_Co", alt_names=["Harbor Co"])
    known, alias = {"name": "Élan Vital", "cv_id": 12, "gcd_id": 22}, {"name": "Elan 50%", "alias": ["Vital"]}
    two = {
        "arc": [make.arc(**known), make.arc(name="Elan 50%")],
        "character": [make.character(**known), make.character(**alias)],
        "creator": [make.creator(**known), make.creator(**alias)],
        "imprint": [make.imprint(publisher=eclair, **known), make.imprint(name="Elan 50%", publisher=press)],
        "team": [make.team(**known), make.team(name="Elan 50%")],
    }
    two["universe"] = [
        make.universe(name="Élan Vital", designation="Terre-É 616", publisher=eclair, cv_id=12),
        make.universe(name="Elan 50%", designation="", publisher=press),
    ]
    series = {
        "harbor": make.series(
            name="Harbor Lights",
            alt_names=["Luci del", "porto Été"],
            language="en",
            volume=1,
            year_began=2019,
            year_end=2021,
            status=2,
            series_type=10,
            publisher=eclair,
            imprint=two["imprint"][0],
            cv_id=31,
            gcd_id=41,
        ),
        "light": make.series(
            name="Éclair of Light",
            alt_names=["The Harbor"],
            language="it",
            volume=2,
            year_began=2020,
            status=4,
            publisher=press,
            imprint=two["imprint"][1],
        ),
        "empty": make.series(name="Nothing yet", language="", volume=3, year_began=2021, publisher=press),
    }
    genre = make.catalog.create(Genre, {"name": "Noir Élégant"})
    make.catalog.update(series["harbor"], {"genres": [genre.id]})
    roles = {name: make.role(name).id for name in ("Writer", "Cover", "Editor")}
    creators = two["creator"]
    issues = {
        "h1": make.issue(
            series=series["harbor"],
            number="1",
            alt_number="700A",
            cover_date=date(2019, 6, 1),
            store_date=date(2019, 4, 17),
            foc_date=date(2019, 3, 25),
            rating=3,
            sku="SKU1a",
            upc="7612ab-34",
            isbn="9780306406157",
            variants=[{"name": "B", "sku": "FOIL9", "upc": "76120000 99 00121", "image": "variants/b.png"}],
            cover_hash="9f1f0f0783c3c1e1",
            cv_id=51,
            gcd_id=61,
            credits=[
                {"creator": creators[0].id, "roles": [roles["Writer"], roles["Cover"]]},
                {"creator": creators[1].id, "roles": [roles["Editor"], roles["Writer"]]},
            ],
            characters=two["character"],
            teams=two["team"],
            universes=two["universe"],
        ),
        "h2": make.issue(
            series=series["harbor"],
            number="1B",
            cover_date=date(2019, 12, 31),
            store_date=date(2019, 11, 1),
            credits=[{"creator": creators[1].id, "roles": [roles["Cover"]]}],
            characters=two["character"][:1],
            teams=two["team"][:1],
            universes=two["universe"][:1],
        ),
        "l1": make.issue(
            series=series["light"],
            number="½É",
            alt_number="1",
            cover_date=date(2020, 6, 30),
            foc_date=date(2020, 3, 1),
            upc="7612AB-35",
            isbn="0-19-853453-1",
            gcd_id=62,
            credits=[{"creator": creators[1].id, "roles": [roles["Editor"]]}],
            characters=two["character"][1:],
        ),
    }
    made = {kind: dict(zip(("first", "second"), rows, strict=True)) for kind, rows in two.items()}
    made |= {"publisher": {"eclair": eclair, "press": press}, "series": series, "issue": issues}
    ids = {kind: {key: row.id for key, row in rows.items()} for kind, rows in made.items()}
    ids["role"], ids["genre"] = roles, {"noir": genre.id}
    session.commit()
    for kind, rows in ids.items():
        session.execute(text(f"UPDATE {kind} SET modified = '{OLD}'"))
        newest = {"id": max(rows.values())}
        session.execute(text(f"UPDATE {kind} SET modified = '{NEW}' WHERE id = :id"), newest)
    session.execute(
        text(
            f"UPDATE series_type SET modified = CASE code WHEN 'annual' THEN '{NEW}' ELSE '{OLD}'"
            " END::timestamptz"
        )
    )
    session.commit()
    return ids


@pytest.fixture(scope="module")
def world(cluster, template, media_folder):
    """A served catalog, and the ids in it."""
    with serve_catalog(cluster, template, "filters", media_folder) as site:
        ids = fill(site.make, site.session)
        ids["series_type"] = {"annual": 6, "one": 5, "single": 13, "trade": 10}
        yield site, ids


NAMED_CASES = [
    ("name=elan vital", "first"),
    ("name=ÉLAN", "first second"),
    ("name=Vital", "first"),  # a phrase within the name: no aliases, no separate words
    ("name=vital elan", ""),
    ("name=50%", "second"),
    ("name=5%", ""),
    ("name=_", ""),
    ("cv_id=12", "first"),
    ("cv_id=13", ""),
    ("gcd_id=22", "first"),
    ("gcd_id=12", ""),
    ("modified_gt=2024-06-01", "second"),
]
CASES = {
    "universe": [
        ("name=elan v", "first"),
        ("name=elan", "first second"),
        ("designation=terre-é", "first"),
        ("designation=terre-e", ""),  # accents count
        ("designation=616", "first"),
        ("modified_gt=2024-06-01", "second"),
        ("cv_id=99", "first second"),  # not a filter of this list
    ],
    "publisher": [
        ("name=eclair", "eclair"),
        ("name=cloud", ""),
        ("name=comics", "eclair"),
        ("alt_names=CLOUD house", "eclair"),
        ("alt_names=house ete", "eclair"),  # a phrase across two alternative names
        ("alt_names=house cloud", ""),
        ("alt_names=comics", ""),
        ("q=comics cloud", "eclair"),
        ("q=ete eclair house", "eclair"),
        ("q=harbor", "press"),
        ("q=harbor cloud", ""),
        ("cv_id=11", "eclair"),
        ("gcd_id=21", "eclair"),
        ("gcd_id=11", ""),
        ("modified_gt=2024-06-01", "press"),
    ],
    "series": [
        ("name=lights HARBOR", "harbor"),
        ("name=light", "harbor light"),
        ("name=light eclair", "light"),
        ("name=the", ""),
        ("alt_names=del porto", "harbor"),
        ("alt_names=porto luci", ""),
        ("alt_names=PORTO ete", "harbor"),
        ("q=harbor", "harbor light"),
        ("q=harbor eclair", "light"),
        ("q=porto lights", "harbor"),
        ("q=porto eclair", ""),
        ("language=it", "light"),
        ("language=en", "harbor"),
        ("volume=2", "light"),
        ("year_began=2019", "harbor"),
        ("year_end=2021", "harbor"),
        ("year_end=2019", ""),
        ("publisher_id={publisher.press}", "light empty"),
        ("imprint_id={imprint.first}", "harbor"),
        ("series_type_id=10", "harbor"),
        ("publisher_name=éclair", "harbor"),
        ("publisher_name=eclair", ""),  # accents count
        ("publisher_name=PRESS_", "light empty"),
        ("publisher_name=s_c p", ""),
        ("imprint_name=élan", "harbor"),
        ("imprint_name=elan", "light"),
        ("series_type=trade", "harbor"),
        ("genre_id={genre.noir}", "harbor"),
        ("genre_id=999,{genre.noir}", "harbor"),
        ("genre=noir", "harbor"),
        ("genre=elegant noir", ""),
        ("series_type=paper trade", ""),
        ("status=2", "harbor"),
        ("status=4", "light empty"),
        ("cv_id=31", "harbor"),
        ("gcd_id=41", "harbor"),
        ("missing_cv_id=true", "light empty"),
        ("missing_cv_id=0", "harbor"),
        ("missing_gcd_id=1", "light empty"),
        ("missing_gcd_id=FALSE", "harbor"),
        ("creator_id={creator.first}", "harbor"),
        ("creator_id={creator.second}", "harbor light"),
        ("role_id={role.Editor}", "harbor light"),
        ("role_id={role.Cover}", "harbor"),
        ("character_id={character.first}", "harbor"),
        ("character_id={character.second}", "harbor light"),
        ("team_id={team.first}", "harbor"),
        ("team_id={publisher.eclair}000", ""),
        ("universe_id={universe.second}", "harbor"),
        ("modified_gt=2024-06-01", "empty"),
        # Each condition may be met by a different issue of the series.
        ("character_id={character.second}&creator_id={creator.first}", "harbor"),
        ("name=light&status=4&missing_cv_id=true", "light"),
        ("name=light&status=4&volume=1", ""),
    ],
    "issue": [
        ("number=1", "h1"),
        ("number=001", "h1"),
        ("number=#1.0", "h1"),
        ("number=1.b", "h2"),
        ("number=0.5é", "l1"),
        ("number=½é", "l1"),
        ("number=½E", ""),
        ("alt_number=700a", "h1"),
        ("alt_number=1", "l1"),
        ("cover_year=2019", "h1 h2"),
        ("cover_month=6", "h1 l1"),
        ("cover_month=6&cover_year=2020", "l1"),
        ("cover_month=13", ""),
        ("cover_date_range_after=2019-12-31", "h2 l1"),
        ("cover_date_range_before=2019-12-31", "h1 h2"),
        ("store_date=2019-04-17", "h1"),
        ("foc_date=2020-03-01", "l1"),
        ("store_date_range_after=2019-04-17", "h1 h2"),
        ("store_date_range_after=2019-04-18", "h2"),
        ("store_date_range_before=2019-11-01", "h1 h2"),
        ("store_date_range_after=2019-04-18&store_date_range_before=2019-10-31", ""),
        ("foc_date_range_before=2019-03-25", "h1"),
        ("foc_date_range_after=2000-01-01", "h1 l1"),
        ("series_id={series.light}", "l1"),
        ("series_name=lights harbor", "h1 h2"),
        ("series_name=eclair", "l1"),
        ("series_alt_names=del porto", "h1 h2"),
        ("series_alt_names=lights", ""),
        ("series_q=harbor", "h1 h2 l1"),
        ("series_q=eclair harbor", "l1"),
        ("series_volume=2", "l1"),
        ("series_year_began=2019", "h1 h2"),
        ("publisher_id={publisher.eclair}", "h1 h2"),
        ("publisher_name=ÉCLAIR c", "h1 h2"),
        ("publisher_name=eclair", ""),
        ("imprint_id={imprint.second}", "l1"),
        ("imprint_name=ÉLAN", "h1 h2"),
        ("imprint_name=%", "l1"),
        ("rating=teen", "h1"),
        ("rating=unknown", "h2 l1"),
        ("rating=3", ""),
        ("sku=sku1A", "h1"),
        ("sku=sku1", ""),
        ("sku=foil9", "h1"),  # of a variant
        ("upc=7612AB-34", "h1"),
        ("upc=7612ab", ""),
        ("upc= 7612–AB 3 4", "h1"),
        ("upc=76120000990 0121", "h1"),  # of a variant
        ("upc=-", ""),
        ("upc_starts_with=7612-0000-9", "h1"),
        ("gtin=7 612000 099001", "h1"),  # of a variant, with any supplement
        ("gtin=7612000-099001-21", "h1"),
        ("gtin=761200009900122", ""),
        ("gtin=9780198534532", "l1"),
        ("gtin=978019853453251999", "l1"),
        ("gtin=0198534531", "l1"),
        ("gtin=7612", ""),
        ("gtin=x", ""),
        ("upc_starts_with=7612%", ""),
        ("upc_starts_with=- ", ""),
        ("isbn=978-0-306-40615-7", "h1"),
        ("isbn=0 306 40615 2", "h1"),
        ("isbn=9780198534532", "l1"),
        ("isbn=0198534531", "l1"),
        ("isbn=9780306406158", ""),
        ("isbn=-", ""),
        ("genre_id={genre.noir}", "h1 h2"),
        ("genre=ELEGANT", "h1 h2"),
        ("genre=horror", ""),
        ("cv_id=9,51", "h1"),
        ("gcd_id=61,62", "h1 l1"),
        ("upc_starts_with=7612ab", "h1"),
        ("upc_starts_with=7612", "h1 l1"),
        ("upc_starts_with=612", ""),
        ("upc_starts_with=7_12", ""),
        ("cv_id=51", "h1"),
        ("gcd_id=62", "l1"),
        ("missing_cv_id=true", "h2 l1"),
        ("missing_cv_id=false", "h1"),
        ("missing_gcd_id=True", "h2"),
        ("missing_gcd_id=0", "h1 l1"),
        ("cover_hash=9F1F0F0783C3C1E1", "h1"),
        ("creator_id={creator.first}", "h1"),
        ("creator_id={creator.second}", "h1 h2 l1"),
        ("role_id={role.Writer}", "h1"),  # two writers, one row
        ("role_id={role.Writer},{role.Editor}", "h1 l1"),
        ("role_id={role.Cover}", "h1 h2"),
        # Met by two different credits of one issue.
        ("role_id={role.Cover}&creator_id={creator.second}", "h1 h2"),
        ("character_id={character.first}", "h1 h2"),
        ("character_id={character.second}", "h1 l1"),
        ("team_id={team.second}", "h1"),
        ("universe_id={universe.first}", "h1 h2"),
        ("modified_gt=2024-06-01", "l1"),
        ("series_name=harbor&number=1", "h1"),
        ("series_q=harbor&cover_month=6&missing_cv_id=1", "l1"),
    ],
    "role": [
        ("name=WRIT", "Writer"),
        ("name=cover", "Cover"),
        ("modified_gt=2024-06-01", "Editor"),
    ],
    "series_type": [
        ("name=ánnual", "annual"),
        ("name=one-s", "one"),
        ("modified_gt=2024-06-01", "annual"),
    ],
} | dict.fromkeys(("arc", "character", "creator", "imprint", "team"), NAMED_CASES)


def expanded(query: str, ids: dict) -> list[tuple[str, str]]:
    """The parameters of a query in which ids are written as {kind.key}."""
    for kind, rows in ids.items():
        for key, each in rows.items():
            query = query.replace(f"{{{kind}.{key}}}", str(each))
    return [tuple(pair.split("=", 1)) for pair in query.split("&")]


@pytest.mark.parametrize(
    ("kind", "query", "found"),
    [(kind, *case) for kind, cases in CASES.items() for case in cases],
)
def test_a_filter_finds_what_it_must_and_nothing_else(world, kind, query, found):
    site, ids = world
    keys = {each: key for key, each in ids[kind].items()}
    rows = [keys.get(each, each) for each in site.ids(kind, *expanded(query, ids))]
    assert sorted(rows) == sorted(found.split())


def test_every_filter_of_every_list_has_a_case():
    for kind, declared in FILTERS.items():
        tried = {pair.split("=")[0] for query, _ in CASES[kind] for pair in query.split("&")}
        assert {name for each in declared for name in each.parameters} <= tried, kind


def test_a_filter_by_genre_knows_its_new_name(api, make, session):
    genre = make.catalog.create(Genre, {"name": "Clockpunk"})
    issue = make.issue(series=make.series(genres=[genre.id]))
    for kind, found in (("series", issue.series_id), ("issue", issue.id)):
        assert [row["id"] for row in api.json(f"/api/{kind}/?genre=clockpunk")["results"]] == [found]
        assert api.json(f"/api/{kind}/?genre=solarpunk")["results"] == []
    make.catalog.update(genre, {"name": "Solarpunk"})
    session.commit()
    for kind, found in (("series", issue.series_id), ("issue", issue.id)):
        assert api.json(f"/api/{kind}/?genre=clockpunk")["results"] == []
        assert [row["id"] for row in api.json(f"/api/{kind}/?genre=solarpunk")["results"]] == [found]


def test_links_to_other_pages_keep_the_filters(api, make):
    with make.single_commit():
        series = make.series(name="Many pages", volume=9)
        for number in range(101):
            make.issue(series=series, number=str(number))
    first = api.json("/api/issue/?series_name=pages%20many&series_volume=9")
    assert (first["count"], len(first["results"])) == (101, 100)
    second = api.json(first["next"].removeprefix("http://localhost"))
    assert (second["count"], len(second["results"]), second["next"]) == (101, 1, None)
    assert {row["id"] for row in first["results"]}.isdisjoint(row["id"] for row in second["results"])
    api.json(first["next"].removeprefix("http://localhost").replace("page=2", "page=3"), 404)
