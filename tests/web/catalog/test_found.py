"""What search engines and previews read: structured data, titles, keywords, the sitemap and robots.txt."""

import json
import re
from datetime import date
from xml.etree import ElementTree

import pytest

from comicsdb.models import CATALOG
from tests.conftest import record_statements
from tests.web.conftest import details, soup

NAMESPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def data_of(page) -> dict[str, dict]:
    """The structured data (JSON-LD) of a page, by type."""
    blocks = page.find_all("script", type="application/ld+json")
    return {each["@type"]: each for each in (json.loads(block.string) for block in blocks)}


def locations(response) -> list[str]:
    """The addresses in a sitemap, without the host."""
    root = ElementTree.fromstring(response.body)  # noqa: S314  (our own)
    return [each.text.removeprefix("http://localhost") for each in root.iterfind(".//s:loc", NAMESPACE)]


def test_an_issue_is_described(testapp, world):
    found = data_of(soup(testapp.get(f"/issue/{world.first.slug}/")))
    issue = found["ComicIssue"]
    assert issue["name"] == "Lamplight (2019) #1"
    assert issue["issueNumber"] == "1"
    assert issue["datePublished"] == "2019-04-03"
    assert issue["inLanguage"] == "it"
    assert issue["isPartOf"]["url"] == f"http://localhost/series/{world.series.slug}/"
    assert issue["publisher"]["name"] == "Harbor House"
    assert issue["image"].startswith("http://localhost/")
    assert issue["aggregateRating"] == {
        "@type": "AggregateRating",
        "ratingValue": "3.5",
        "ratingCount": 2,
        "worstRating": 1,
        "bestRating": 5,
    }
    steps = found["BreadcrumbList"]["itemListElement"]
    assert [(each["position"], each["name"]) for each in steps] == [
        (1, "Harbor House"),
        (2, "Lamplight (2019)"),
        (3, "#1"),
    ]
    assert steps[-1]["item"] == f"http://localhost/issue/{world.first.slug}/"


def test_pages_have_keywords_and_those_of_an_issue_are_its_own(testapp, world):
    def keywords(path):
        return soup(testapp.get(path)).select_one("meta[name=keywords]")["content"]

    assert keywords("/") == keywords(f"/series/{world.series.slug}/")
    assert keywords("/").startswith("comics, comic books, ")
    own = "Harbor House, Lamplight (2019), May 2019, Lamplighter"
    assert keywords(f"/issue/{world.first.slug}/") == own


def test_a_series_and_a_creator_are_described(testapp, world):
    series = data_of(soup(testapp.get(f"/series/{world.series.slug}/")))["ComicSeries"]
    assert (series["name"], series["startDate"], series["endDate"]) == ("Lamplight", "2019", "2021")
    assert series["alternateName"] == ["Luce"]
    creator = data_of(soup(testapp.get(f"/creator/{world.creator.slug}/")))["Person"]
    assert (creator["alternateName"], creator["birthDate"]) == (["The Line"], "1950-03-02")
    assert "deathDate" not in creator  # unknown values are left out


def test_a_date_of_death_is_described_as_far_as_it_is_known(testapp, make, session):
    ada = make.creator(name="Ada", birth=date(1950, 1, 1), birth_precision="year", death=date(2001, 9, 1))
    make.catalog.update(ada, {"death_precision": "month"})
    session.commit()
    page = testapp.get(f"/creator/{ada.slug}/")
    creator = data_of(soup(page))["Person"]
    assert (creator["birthDate"], creator["deathDate"]) == ("1950", "2001-09")
    assert details(page) == {"Issues": "0 issues", "Born": "1950", "Died": "September 2001"}
    page = testapp.get(f"/creator/{ada.slug}/", headers={"Accept-Language": "it"})
    assert details(page)["Morte"] == "settembre 2001"


def test_every_kind_is_described(testapp, world):
    for model in CATALOG:
        kind = model.__tablename__
        entity = world.first if kind == "issue" else getattr(world, kind)
        page = soup(testapp.get(f"/{kind}/{entity.slug}/"))
        described = [each for name, each in data_of(page).items() if name != "BreadcrumbList"]
        names = {"issue": "Lamplight (2019) #1", "series": "Lamplight"}
        name = names.get(kind) or entity.label
        assert [each["name"] for each in described] == [name], kind


def test_no_text_ends_the_block_early(testapp, make):
    name = "</script><script>alert(1)</script>\u2028&"
    arc = make.arc(name=name)
    response = testapp.get(f"/arc/{arc.slug}/")
    assert data_of(soup(response))["CreativeWorkSeries"]["name"] == name
    assert "<script>alert" not in response.text


def test_pages_of_lists_have_titles_and_addresses_of_their_own(testapp, make):
    publisher = make.publisher()
    for _number in range(30):
        make.series(publisher=publisher)
    first, second = soup(testapp.get("/series/")), soup(testapp.get("/series/?page=2"))
    assert first.title.string != second.title.string
    assert second.find("link", rel="canonical")["href"].endswith("/series/?page=2")


def test_the_map_names_every_object_once_and_only_pages_that_answer(testapp, world, connection):
    with record_statements(connection) as statements:
        index = testapp.get("/sitemap.xml")
    assert len(statements) == 1
    assert index.content_type == "application/xml"
    parts = locations(index)
    assert parts[0] == "/sitemap/pages.xml"
    with record_statements(connection) as statements:
        found = [address for part in parts for address in locations(testapp.get(part))]
    assert len(statements) == len(parts) - 1
    assert len(found) == len(set(found))
    for model in CATALOG:
        kind = model.__tablename__
        assert f"/{kind}/" in found
        entity = world.first if kind == "issue" else getattr(world, kind)
        assert f"/{kind}/{entity.slug}/" in found
    for address in found:
        page = testapp.get(address, status=200)
        assert page.headers.get("X-Robots-Tag") is None
        assert soup(page).find("meta", attrs={"name": "robots"}) is None, address


def test_a_part_says_when_its_pages_changed(testapp, world):
    part = ElementTree.fromstring(testapp.get(f"/sitemap/issue-{(world.first.id - 1) // 10_000}.xml").body)  # noqa: S314  (our own)
    stamps = {
        each.find("s:loc", NAMESPACE).text: each.find("s:lastmod", NAMESPACE).text
        for each in part.iterfind("s:url", NAMESPACE)
    }
    expected = world.first.modified.isoformat(timespec="seconds")
    assert stamps[f"http://localhost/issue/{world.first.slug}/"] == expected


@pytest.mark.parametrize("part", ["issue-99999", "issue-x", "user-0", "pages-0"])
def test_parts_that_are_not_there(testapp, part):
    testapp.get(f"/sitemap/{part}.xml", status=404)


def test_robots_find_the_map_and_leave_out_what_is_personal(testapp):
    rules = testapp.get("/robots.txt").text
    assert "Sitemap: http://localhost/sitemap.xml" in rules
    for path in ("/accounts/", "/pull-list/", "/search/", "/feeds/private/"):
        assert f"Disallow: {path}\n" in rules


def test_robots_are_told_where_all_of_it_is_as_files(testapp):
    told = testapp.get("/robots.txt").text
    assert "Sitemap: http://localhost/sitemap.xml" in told
    (address,) = re.findall("with less work for both of us: http://localhost(.*)", told)
    assert testapp.get(address).status_int == 200
