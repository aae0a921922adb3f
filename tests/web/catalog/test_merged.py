"""Addresses of merged objects on the site: pages redirect to those of the survivor, forms change nothing."""

import pytest
from pyramid.interfaces import IRoutesMapper

from comicsdb.catalog.maintenance.merge import merge
from comicsdb.models import CATALOG
from tests.web.admin.helpers import log_in_as
from tests.web.conftest import form_to, notice, soup, start_session
from tests.web.forms.form_helpers import open_form, submit_form, value

KINDS = [model.__tablename__ for model in CATALOG]


def pages(wsgi, kind) -> list[str]:
    """The patterns of all pages of a kind with {slug} as their only parameter."""
    methods = wsgi.registry["comicsdb_web.methods"]
    routes = wsgi.registry.getUtility(IRoutesMapper).get_routes()
    patterns = [
        route.pattern
        for route in routes
        if route.name.startswith(f"{kind}.")
        and "GET" in methods.get(route.name, ())
        and "{slug}" in route.pattern
    ]
    return [pattern for pattern in patterns if "{" not in pattern.replace("{slug}", "")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_of_a_merged_object_leads_to_that_of_the_survivor(
    testapp, wsgi, make, catalog, session, kind
):
    needed = {"publisher": make.publisher()} if kind in {"imprint", "universe"} else {}
    kept, other = (getattr(make, kind)(**needed) for _ in range(2))
    gone, slug = other.id, other.slug
    merge(catalog, kept, other)
    session.commit()
    log_in_as(testapp, make, is_staff=True, is_superuser=True)
    found = pages(wsgi, kind)
    assert f"/{kind}/{{slug}}/" in found
    for pattern in found:
        if pattern.endswith("/history/"):  # also shows the history of objects that are gone
            continue
        answer = testapp.get(pattern.format(slug=slug) + "?page=2", status=301)
        path, _, query = answer.location.partition("?")
        assert path == "http://localhost" + pattern.format(slug=kept.slug)
        assert query == ("" if pattern == f"/{kind}/{{slug}}/" else "page=2")  # if the page reads it
    answer = testapp.get(f"/{kind}/{gone}/", status=301)
    assert answer.location == f"http://localhost/{kind}/{kept.slug}/"


def test_a_form_for_a_merged_object_comes_back_as_that_of_the_survivor(testapp, make, catalog, session):
    log_in_as(testapp, make, is_staff=True, is_superuser=True)
    kept, other = make.arc(name="Dusk"), make.arc(name="Dusk II")
    form = open_form(testapp, f"/arc/{other.slug}/update/")
    merge(catalog, kept, other)
    session.commit()
    page = submit_form(form, {"desc": "Long typed."}).follow()
    assert page.request.path == f"/arc/{kept.slug}/update/"
    assert [each.get_text(" ", strip=True) for each in soup(page).select(".message")] == [
        "It was merged with another entry or has a new address. Nothing was changed.",
        "Nothing has been saved yet. Here is what you entered: check it and save it again.",
    ]
    session.refresh(kept)
    assert (kept.name, kept.desc) == ("Dusk", "")
    assert (value(page, "name"), value(page, "desc")) == ("Dusk", "Long typed.")
    submit_form(page)
    session.refresh(kept)
    assert (kept.name, kept.desc) == ("Dusk", "Long typed.")


def test_so_does_a_review_and_a_button_leads_to_the_page(testapp, make, catalog, session, member):
    start_session(testapp, member)
    kept, other = make.issue(), make.issue()
    path = f"/issue/{other.slug}/review/"
    form = form_to(testapp.get(path), path)
    form["text"] = "Worth reading twice."
    token = form["csrf_token"].value
    merge(catalog, kept, other)
    session.commit()
    page = form.submit(status=303).follow()
    again = form_to(page, f"/issue/{kept.slug}/review/")
    assert again["text"].value == "Worth reading twice."
    answer = testapp.post(f"/wish-list/toggle/{other.slug}/", {"csrf_token": token}, status=303)
    assert answer.location == f"http://localhost/issue/{kept.slug}/"
    assert "Nothing was changed." in notice(answer.follow())


def test_who_confirmed_something_about_a_merged_object_is_not_asked_about_the_survivor(
    testapp, make, catalog, session
):
    log_in_as(testapp, make, is_staff=True, is_superuser=True)
    kept, other = make.arc(), make.arc()
    catalog.update(other, {"desc": "Changed."})
    session.commit()
    history = soup(testapp.get(f"/arc/{other.slug}/history/"))
    paths = [history.select_one("a[href*=revert]")["href"], f"/arc/{other.slug}/delete/"]
    forms = [form_to(testapp.get(path), path) for path in paths]
    merge(catalog, kept, other)
    session.commit()
    for form in forms:
        answer = form.submit(status=303)
        assert answer.location == f"http://localhost/arc/{kept.slug}/"
        assert "Nothing was changed." in notice(answer.follow())


def test_the_page_of_a_deleted_object_says_when_and_why(testapp, make, catalog, session):
    arc = make.arc(name="Lost")
    catalog.delete(arc, "Never <b>published</b>")
    session.commit()
    facts = soup(testapp.get(f"/arc/{arc.slug}/", status=410)).select_one(".error-facts")
    assert facts.select_one("time")["datetime"]
    assert facts.get_text(" ", strip=True).endswith("Reason Never <b>published</b>")
