"""Redirects from ids, former slugs, merged objects, and addresses with a missing or superfluous slash."""

import pytest
from sqlalchemy import insert

from comicsdb.models import CATALOG, FormerSlug, Publisher, Series, Tombstone
from tests.web.conftest import soup

KINDS = [model.__tablename__ for model in CATALOG]


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_leads_to_the_slug(testapp, world, kind):
    entity = getattr(world, "first" if kind == "issue" else kind)
    response = testapp.get(f"/{kind}/{entity.id}/?x=1", status=302)
    assert response.location == f"http://localhost/{kind}/{entity.slug}/?x=1"


@pytest.mark.parametrize("number", ["0", "999999", "99999999999999999999999999"])
def test_an_id_that_was_never_used_is_not_found(testapp, world, number):
    testapp.get(f"/publisher/{number}/", status=404)


def test_a_deleted_object_is_gone_by_id_and_by_slug(testapp, make, catalog, session):
    arc = make.arc(name="Lost <b>Tale</b>")
    catalog.delete(arc)
    session.commit()
    for address in (f"/arc/{arc.id}/", f"/arc/{arc.slug}/", f"/arc/{arc.slug}/issue_list/"):
        response = testapp.get(address, status=410)
        assert soup(response).select_one(".error-label").get_text() == "Lost <b>Tale</b>"


def test_a_merged_object_leads_to_its_survivor_for_good(testapp, make, session):
    kept = make.publisher(name="Kept")
    tombstone = {"kind": "publisher", "object_id": 900001, "slug": "merged", "survivor_id": kept.id}
    session.execute(insert(Tombstone), [tombstone])
    session.commit()
    for address in ("/publisher/900001/", "/publisher/merged/"):
        assert testapp.get(address, status=301).location == "http://localhost/publisher/kept/"


def test_a_former_slug_leads_to_the_same_page_under_the_new_one(testapp, world, session):
    former = [
        {"kind": "publisher", "slug": "old-house", "object_id": world.publisher.id},
        {"kind": "series", "slug": "old-light", "object_id": world.series.id},
    ]
    session.execute(insert(FormerSlug), former)
    session.commit()
    for old, new in (
        ("/publisher/old-house/", f"/publisher/{world.publisher.slug}/"),
        (
            "/publisher/old-house/series_list/?page=1",
            f"/publisher/{world.publisher.slug}/series_list/?page=1",
        ),
        (
            "/publisher/old-house/imprints/load-more/?offset=0",
            f"/publisher/{world.publisher.slug}/imprints/load-more/?offset=0",
        ),
        ("/series/old-light/issue_list/", f"/series/{world.series.slug}/issue_list/"),
        (
            f"/character/{world.character.slug}/old-light/",
            f"/character/{world.character.slug}/{world.series.slug}/",
        ),
    ):
        assert testapp.get(old, status=301).location == f"http://localhost{new}"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("/publisher", "/publisher/"),
        ("/publisher?page=1", "/publisher/?page=1"),
        ("/publisher/harbor-house", "/publisher/harbor-house/"),
        ("/publisher/harbor-house/series_list", "/publisher/harbor-house/series_list/"),
        ("/search?q=a", "/search/?q=a"),
        ("/accounts/login", "/accounts/login/"),
        ("/publisher/search/", "/publisher/search"),
        ("/health", "/health/"),
    ],
)
def test_the_other_slash_form_leads_to_the_written_one(testapp, world, given, written):
    assert testapp.get(given, status=301).location == f"http://localhost{written}"
    assert testapp.head(given, status=301).location == f"http://localhost{written}"


@pytest.mark.parametrize("address", ["//evil.example/publisher", "/\\evil.example", "//evil.example/search/"])
def test_no_redirect_leaves_the_site(testapp, address):
    response = testapp.get(address, expect_errors=True)
    location = response.headers.get("Location", "http://localhost/")
    assert location.startswith("http://localhost/")
    assert not location.startswith("http://localhost//")


def test_the_icon_is_found_where_browsers_look(testapp):
    response = testapp.get("/favicon.ico", status=301)
    icon = response.follow()
    assert icon.content_type == "image/svg+xml"


def test_slugs_that_look_like_sublists_belong_to_the_detail_route(testapp, make):
    make.publisher(name="Search")
    assert soup(testapp.get("/publisher/search-1/")).h1.get_text(strip=True) == "Search"


def test_every_kind_of_the_catalog_has_its_pages(wsgi):
    methods = wsgi.registry["comicsdb_web.methods"]
    for model in (Publisher, Series, *CATALOG):
        kind = model.__tablename__
        assert {f"{kind}.list", f"{kind}.search", f"{kind}.detail", f"{kind}.by_id"} <= set(methods)
