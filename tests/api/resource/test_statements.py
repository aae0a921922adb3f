"""How many SQL statements a response takes: the same few, however much it shows."""

import pytest
from pyramid.interfaces import IRoutesMapper

from comicsdb.library import collection, pull_list, wish_list
from comicsdb.models import CATALOG
from comicsdb.tags import FORMATS
from comicsdb_api.errors import UNKNOWN_PATTERN
from tests.api.conftest import SCHEMA
from tests.conftest import record_statements
from tests.lists import make_list

# Statements for the account (usually with the stamps), for stamps alone, and for a body with its count.
ACCOUNT, STAMPS, ALL = 1, 1, 1
MERGED = 1  # whether a missing object was merged into another
MISS, HIT = ACCOUNT + ALL, ACCOUNT
# Once the account and the stamps are remembered, the statement for a body tells whether they are up to date.
AGAIN = ALL
# Not answered by the policy for cached reads: the stamps take a separate statement.
PLAIN = ACCOUNT + STAMPS + ALL
COLLECTION = ("", "stats/", "missing_series/", "missing_issues/{series_id}/")
# An account's own list: it is looked up first, as the first request creates it.
OWN = ACCOUNT + 1 + STAMPS + ALL
KINDS = [model.__tablename__ for model in CATALOG]
ARCHIVES = [f"/api/series/{{series}}/{each.name}/" for each in FORMATS]  # not cached
COSTS = {
    "/api/": ACCOUNT,
    "/api/arc/": MISS,
    **{f"/api/{kind}/{{{kind}}}/history/": MISS for kind in KINDS},
    "/api/change/": ACCOUNT + ALL,
    "/api/arc/{arc}/": MISS,
    "/api/arc/{arc}/issue_list/": MISS,
    "/api/character/": MISS,
    "/api/character/{character}/": MISS,
    "/api/character/{character}/issue_list/": MISS,
    **{f"/api/collection/{each}": ACCOUNT + ALL for each in COLLECTION},
    "/api/collection/{collection}/": PLAIN,
    "/api/cover/": ACCOUNT,  # with a hash one more: see `test_covers.py`
    "/api/creator/": MISS,
    "/api/creator/{creator}/": MISS,
    "/api/crosswalk/": ACCOUNT,
    "/api/gtin/": ACCOUNT,  # with codes one more: see `test_gtin.py`
    "/api/imprint/": MISS,
    "/api/imprint/{imprint}/": MISS,
    "/api/issue/": MISS,
    "/api/issue/{issue}/": MISS,
    "/api/pull_list/": MISS,
    "/api/pull_list/{pull_list}/": OWN,
    "/api/pull_list/series/": MISS,
    "/api/pull_list/issues/": MISS,
    "/api/publisher/": MISS,
    "/api/publisher/{publisher}/": MISS,
    "/api/publisher/{publisher}/series_list/": MISS,
    "/api/reading_list/": ACCOUNT + ALL,
    "/api/reading_list/{reading_list}/": PLAIN,
    "/api/reading_list/{reading_list}/items/": MISS,
    "/api/role/": MISS,
    SCHEMA: ACCOUNT,
    "/api/search/?q=harbor": MISS,
    "/api/series/": MISS,
    "/api/series/{series}/": MISS,
    "/api/series/{series}/issue_list/": MISS,
    **dict.fromkeys(ARCHIVES, PLAIN),
    "/api/series_type/": MISS,
    "/api/team/": MISS,
    "/api/team/{team}/": MISS,
    "/api/team/{team}/issue_list/": MISS,
    "/api/universe/": MISS,
    "/api/universe/{universe}/": MISS,
    "/api/wish_list/": MISS,
    "/api/wish_list/{wish_list}/": OWN,
    "/api/wish_list/items/": MISS,
    "/api/read/": MISS,
}
# Endpoints that only write, or read by POST: see `test_writes_statements.py`.
WRITTEN = {"/api/credit/", "/api/variant/", "/api/variant/{id}/"}
WRITTEN |= {"/api/collection/add/", "/api/collection/scrobble/", "/api/match/"}
WRITTEN |= {"/api/read/add/", "/api/read/{id}/remove/"}
WRITTEN |= {"/api/pull_list/series/add/", "/api/pull_list/series/{series_id}/remove/"}
WRITTEN |= {f"/api/wish_list/items/{each}/" for each in ("add", "{item_id}/acquire", "{item_id}/remove")}


@pytest.fixture
def api(api):
    """A client whose password has just been verified, so that it is not hashed again."""
    api.get("/api/")
    return api


def world(make, size):
    """Make `size` rows of each kind, all linked to each other; returns the id of one object of each kind."""
    many = range(size)
    cited = {"attributions": [{"source": "W", "url": f"https://example.org/{each}"} for each in many]}
    cited["external_ids"] = [{"source": "wikidata", "external_id": f"Q{each + 1}"} for each in many]
    with make.single_commit():
        publisher = make.publisher(**cited)
        imprint = make.imprint(publisher=publisher, **cited)
        publishers = [make.publisher() for _ in many]
        imprints = [make.imprint(publisher=publisher) for _ in many]
        universes = [make.universe(publisher=publisher, **cited) for _ in many]
        creators = [make.creator(**cited) for _ in many]
        roles = [make.role(name).id for name in ("Writer", "Cover", "Editor")]
        team = make.team(creators=creators, universes=universes, **cited)
        teams = [team, *(make.team() for _ in many)]
        character = make.character(creators=creators, teams=teams, universes=universes, **cited)
        characters = [character, *(make.character() for _ in many)]
        arcs = [make.arc(**cited) for _ in many]
        others = [make.series(publisher=publisher) for _ in many]
        series = make.series(
            publisher=publisher, imprint=imprint, genres=list(range(1, 13)), associated=others, **cited
        )
        links = {"arcs": arcs, "characters": characters, "teams": teams, "universes": universes}
        issues = [make.issue(series=series, number=str(each), **links) for each in many]
        issue = make.issue(
            series=series,
            number="-1",
            reprints=issues,
            credits=[{"creator": each.id, "roles": roles} for each in creators],
            variants=[{"name": f"V{each}", "image": f"variants/{each}.jpg"} for each in many],
            **links,
            **cited,
        )
    shown = (publisher, imprint, universes[0], creators[0], team, character, arcs[0], series, issue)
    assert len(publishers) == len(imprints) == size
    return {each.__tablename__: each.id for each in shown}


def own_lists(make, reader, size):
    """Make the account's lists, with `size` entries; returns their ids, and that of an owned item."""
    session = make.session
    with make.single_commit():
        issues = [make.issue() for _ in range(size)]
    for issue in issues:
        owned, _ = collection.add(session, reader.id, issue.id, {"is_read": True})
        pull_list.add(session, reader.id, issue.series_id)
        wish_list.add(session, reader.id, issue.id, {})
    ids = pull_list.pull_list(session, reader.id).id, wish_list.wish_list(session, reader.id).id
    session.commit()
    reading = make_list(session, reader, issues, previous=make_list(session, reader).id)
    kept = {"reading_list": reading.id, "collection": owned.id, "series_id": issue.series_id}
    return dict(zip(("pull_list", "wish_list"), ids, strict=True)) | kept


def everything(make, reader, size):
    """Make the world, and the account's lists; returns all their ids."""
    return world(make, size) | own_lists(make, reader, size)


@pytest.mark.parametrize("size", [2, 12])
def test_the_cost_of_an_answer_does_not_depend_on_how_much_it_shows(api, make, connection, reader, size):
    ids = everything(make, reader, size)
    found = {}
    for path in COSTS:
        with record_statements(connection) as statements:
            api.get(path.format(**ids))
        found[path] = len(statements)
    assert found == COSTS


def test_what_is_in_the_cache_costs_one_statement(api, make, connection):
    ids = world(make, 3)
    cached = [path for path in COSTS if path.split("/")[2] in KINDS and "history" not in path]
    cached = [path for path in cached if path not in ARCHIVES]
    for path in (each.format(**ids) for each in cached):
        api.get(path)
        with record_statements(connection) as statements:
            assert api.get(path).headers["X-Cache"] == "HIT"
        assert len(statements) == HIT, statements


def test_head_costs_what_get_costs(api, make, connection):
    arc = make.arc()
    for path in ("/api/arc/", f"/api/arc/{arc.id}/"):
        for cost in (MISS, HIT):
            with record_statements(connection) as statements:
                api.call("HEAD", path)
            assert len(statements) == cost, statements


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ("/api/arc/999/", ACCOUNT + ACCOUNT + STAMPS + MERGED),
        ("/api/arc/0/", ACCOUNT + ACCOUNT),
        ("/api/arc/x/", ACCOUNT),
        ("/api/arc/?page=2", ACCOUNT + ALL),
        ("/api/arc/999/issue_list/", ACCOUNT + ACCOUNT + STAMPS + MERGED),
        ("/api/nothing/", 0),
    ],
)
def test_what_is_not_there_costs_no_more(api, connection, path, cost):
    with record_statements(connection) as statements:
        api.get(path, 404)
    assert len(statements) == cost, statements


def test_every_address_has_its_cost(wsgi):
    routes = wsgi.registry.getUtility(IRoutesMapper).get_routes()
    served = {route.pattern for route in routes if route.name.startswith("api.")} - {UNKNOWN_PATTERN}
    listed = {path.partition("?")[0] for path in COSTS}
    listed = {
        path.replace("{" + path.split("/")[2] + "}", "{id}") if "{" in path else path for path in listed
    }
    assert served == listed | WRITTEN
