"""What other sites and programs get for a page: oEmbed, cards in frames, and links to JSON documents."""

import json
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from comicsdb.catalog.maintenance.merge import merge
from comicsdb.models import CATALOG
from tests.conftest import record_statements
from tests.lists import make_list
from tests.web.conftest import soup

HOST = "http://localhost"


def oembed(testapp, address, status=200, **asked):
    """The oEmbed response for an address."""
    return testapp.get("/oembed/", {"url": address, **asked}, status=status)


def each_kind(world):
    """An object of each kind."""
    kinds = [model.__tablename__ for model in CATALOG]
    return [world.first if kind == "issue" else getattr(world, kind) for kind in kinds]


def test_each_kind_has_a_card_which_its_page_leads_to(testapp, world):
    for entity in each_kind(world):
        kind = entity.__tablename__
        response = testapp.get(f"/{kind}/{entity.slug}/")
        page = soup(response)
        links = {each["type"]: each["href"] for each in page.select("link[rel=alternate][type*=json]")}
        assert links["application/json"] == f"{HOST}/api/{kind}/{entity.id}/"
        for media_type, address in links.items():
            assert f'<{address}>; rel="alternate"; type="{media_type}"' in response.headers["Link"]
        described = testapp.get(links["application/json+oembed"]).json
        assert (described["version"], described["type"]) == ("1.0", "rich")
        frame = soup_of(described["html"])
        assert frame["src"] == f"{HOST}/embed/{kind}/{entity.slug}/"
        card = soup(testapp.get(frame["src"]))
        assert card.h1.a["href"] == f"{HOST}/{kind}/{entity.slug}/"
        assert card.h1.get_text() == described["title"] == frame["title"]
        assert card.find(["script", "form"]) is None


def soup_of(html):
    """The frame in the HTML of an oEmbed response."""
    from bs4 import BeautifulSoup

    return BeautifulSoup(html, "lxml").iframe


def test_the_document_is_the_block_of_the_page(testapp, world):
    for entity in each_kind(world):
        path = f"/{entity.__tablename__}/{entity.slug}/"
        blocks = soup(testapp.get(path)).find_all("script", type="application/ld+json")
        (block,) = [each for each in map(json.loads, (each.string for each in blocks)) if "@id" in each]
        document = testapp.get(f"{path}linked-data.jsonld")
        assert document.json == block
        assert document.content_type == "application/ld+json"
        assert document.headers["Access-Control-Allow-Origin"] == "*"
        tag = {"If-None-Match": document.headers["ETag"]}
        assert testapp.get(f"{path}linked-data.jsonld", headers=tag, status=304).body == b""
    testapp.get("/issue/nothing/linked-data.jsonld", status=404)


def test_a_cached_page_and_a_304_have_the_links_too(testapp, world):
    path = f"/issue/{world.first.slug}/"
    first, second = testapp.get(path), testapp.get(path)
    assert [each.headers["X-Cache"] for each in (first, second)] == ["MISS", "HIT"]
    unchanged = testapp.get(path, headers={"If-None-Match": second.headers["ETag"]}, status=304)
    assert first.headers["Link"] == second.headers["Link"] == unchanged.headers["Link"] != ""
    assert first.body == second.body


def test_the_room_of_the_asking_site_is_kept_to(testapp, world):
    address = f"{HOST}/series/{world.series.slug}/"
    for room, size in (
        ({}, (480, 180)),
        ({"maxwidth": "300"}, (300, 180)),
        ({"maxwidth": "9999", "maxheight": "90"}, (480, 90)),
    ):
        described = oembed(testapp, address, **room).json
        assert (described["width"], described["height"]) == size
        frame = soup_of(described["html"])
        assert (frame["width"], frame["height"]) == tuple(map(str, size))
    for wrong in ("0", "-1", "x", "1.5"):
        assert "maxwidth" in oembed(testapp, address, 400, maxwidth=wrong).text


def test_it_comes_as_xml_too_and_in_no_other_form(testapp, world):
    address = f"{HOST}/issue/{world.first.slug}/"
    told, written = oembed(testapp, address), oembed(testapp, address, format="xml")
    root = ElementTree.fromstring(written.body)  # noqa: S314  (our own)
    assert {each.tag: each.text for each in root} == {name: str(value) for name, value in told.json.items()}
    assert (told.content_type, written.content_type) == ("application/json", "text/xml")
    assert told.headers["Access-Control-Allow-Origin"] == "*"
    oembed(testapp, address, 501, format="yaml")


@pytest.mark.parametrize(
    "address",
    ["", "x", "http://[", f"{HOST}/", f"{HOST}/issue/", f"{HOST}/issue/nothing/", f"{HOST}/issue/%ff/",
     "https://other.example/issue/x/", "ftp://localhost/issue/x/", f"{HOST}/issue/a%00b/",
     f"{HOST}/accounts/login/", f"{HOST}:81/issue/x/"],
)  # fmt: skip
def test_other_addresses_have_none(testapp, address):
    answer = oembed(testapp, address, 404)
    assert answer.content_type == "text/plain"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_lists_have_a_card_if_they_are_public(testapp, session, make):
    owner = make.user()
    public, private = make_list(session, owner), make_list(session, owner, is_private=True)
    session.commit()
    described = oembed(testapp, f"{HOST}/reading-lists/{public.slug}/").json
    assert soup_of(described["html"])["src"] == f"{HOST}/embed/reading-list/{public.slug}/"
    assert soup(testapp.get(f"/embed/reading-list/{public.slug}/")).h1.get_text() == public.name
    assert soup(testapp.get(f"/reading-lists/{public.slug}/")).select_one("link[type*=oembed]")
    oembed(testapp, f"{HOST}/reading-lists/{private.slug}/", 404)
    testapp.get(f"/embed/reading-list/{private.slug}/", status=404)


def test_hostile_names_stay_text(testapp, make):
    arc = make.arc(name='"><script>alert(1)</script>')
    html = oembed(testapp, f"{HOST}/arc/{quote(arc.slug)}/").json["html"]
    assert "<script" not in html
    assert soup_of(html)["title"] == arc.name
    assert soup(testapp.get(f"/embed/arc/{arc.slug}/")).find("script") is None


def test_what_was_merged_is_that_which_is_left(testapp, make, session):
    gone, left = make.arc(name="Dusk"), make.arc(name="Dawn")
    slug = gone.slug
    merge(make.catalog, left, gone)
    session.commit()
    assert oembed(testapp, f"{HOST}/arc/{slug}/").json["title"] == "Dawn"
    assert testapp.get(f"/embed/arc/{slug}/", status=301).location == f"{HOST}/embed/arc/{left.slug}/"


def test_a_card_and_an_answer_cost_one_statement(testapp, world, connection):
    for path in (
        f"/embed/issue/{world.first.slug}/",
        f"/issue/{world.first.slug}/linked-data.jsonld",
        f"/oembed/?url={HOST}/issue/{world.first.slug}/",
    ):
        with record_statements(connection) as statements:
            testapp.get(path)
        assert len(statements) == 1, statements
