"""Links to more rows: they lead to a page, or return a fragment to the site's script."""

import pytest
from lxml import html

from tests.web.conftest import labels, soup

FRAGMENT = {"X-Fragment": "1"}


def templates(response):
    """The templates of a fragment by target, after checking that it contains nothing else."""
    assert {each.tag for each in html.fragments_fromstring(response.text)} == {"template"}
    page = soup(response)
    assert page.find(["script", "style"]) is None
    return {each["data-target"]: each for each in page.find_all("template")}


@pytest.fixture
def crowd(make):
    """A publisher with 65 imprints."""
    publisher = make.publisher(name="Crowd")
    with make.single_commit():
        for number in range(65):
            make.imprint(name=f"Imprint {number:02}", publisher=publisher)
    return publisher


def test_a_block_shows_thirty_and_the_way_to_more(testapp, crowd):
    page = soup(testapp.get("/publisher/crowd/"))
    assert len(page.select("#imprints .card")) == 30
    assert page.select_one("#imprints-title .block-count").get_text() == "65"
    assert page.select_one("#imprints-more a")["href"] == "/publisher/crowd/imprints/load-more/?offset=30"


def test_a_fragment_holds_the_next_rows_and_the_next_link(testapp, crowd):
    response = testapp.get("/publisher/crowd/imprints/load-more/?offset=30", headers=FRAGMENT)
    parts = templates(response)
    assert list(parts) == ["imprints", "imprints-more"]
    assert parts["imprints"]["data-mode"] == "append"
    assert [each.string for each in parts["imprints"].select(".card-label")] == [
        f"Imprint {number}" for number in range(30, 60)
    ]
    assert parts["imprints-more"]["data-mode"] == "replace"
    assert parts["imprints-more"].a["href"].endswith("?offset=60")
    assert response.headers["Cache-Control"] == "no-store"
    assert "X-Fragment" in response.headers["Vary"]


def test_the_last_fragment_takes_the_link_away(testapp, crowd):
    parts = templates(testapp.get("/publisher/crowd/imprints/load-more/?offset=60", headers=FRAGMENT))
    assert len(parts["imprints"].select(".card")) == 5
    assert parts["imprints-more"].a is None


def test_without_scripts_the_link_leads_to_a_page(testapp, crowd):
    response = testapp.get("/publisher/crowd/").click(href="imprints/load-more")
    assert labels(response) == [f"Imprint {number}" for number in range(30, 60)]
    page = soup(response)
    assert page.select_one("header.top") is not None
    assert page.select_one('.pagination a[rel="prev"]')["href"].endswith("?offset=0")
    assert page.select_one('.pagination a[rel="next"]')["href"].endswith("?offset=60")
    assert "X-Fragment" in response.headers["Vary"]


@pytest.mark.parametrize("offset", ["-1", "x", "1.5", "", " 1", "²", "1e3", "+1"])
@pytest.mark.parametrize("headers", [{}, FRAGMENT])
def test_an_offset_that_is_none_is_refused(testapp, make, offset, headers):
    make.publisher(name="Crowd")
    response = testapp.get(
        "/publisher/crowd/imprints/load-more/", {"offset": offset}, headers=headers, status=400
    )
    assert "The offset must be a whole number" in response.text
    if headers:
        assert list(templates(response)) == ["messages"]


@pytest.mark.parametrize("offset", ["65", "2147483648", "9" * 60])
def test_beyond_the_end_there_is_nothing_more(testapp, crowd, offset):
    assert labels(testapp.get(f"/publisher/crowd/imprints/load-more/?offset={offset}")) == []
    parts = templates(testapp.get(f"/publisher/crowd/imprints/load-more/?offset={offset}", headers=FRAGMENT))
    assert parts["imprints"].select(".card") == []
    assert parts["imprints-more"].a is None


def test_every_row_is_shown_exactly_once(testapp, make, session):
    """Even if names are equal: the order is total."""
    series = make.series()
    with make.single_commit():
        creators = [make.creator(name="Same Name") for _ in range(64)]
    role = make.role("Writer").id
    issue = make.issue(series=series, credits=[{"creator": each.id, "roles": [role]} for each in creators])
    page = soup(testapp.get(f"/issue/{issue.slug}/"))
    seen = [each["href"] for each in page.select("#credits .credit-text > a")]
    link = page.select_one("#credits-more a")
    while link is not None:
        parts = templates(testapp.get(link["href"], headers=FRAGMENT))
        seen += [each["href"] for each in parts["credits"].select(".credit-text > a")]
        link = parts["credits-more"].a
    assert len(seen) == 64
    assert len(set(seen)) == 64


def test_every_block_of_every_kind_answers(testapp, world):
    """Page and fragment have the same rows."""
    rows = "li.card, li.credit, li.appearance"
    kinds = testapp.app.registry["comicsdb_web.kind_views"].items()
    blocks = [(kind, block.name) for kind, views in kinds for block in views.blocks]
    assert len(blocks) >= 13
    for kind, block in blocks:
        entity = world.first if kind == "issue" else getattr(world, kind)
        address = f"/{kind}/{entity.slug}/{block}/load-more/"
        page = soup(testapp.get(address)).main
        part = templates(testapp.get(address, headers=FRAGMENT))[block]
        assert page.select(rows), address
        assert [str(each) for each in part.select(rows)] == [str(each) for each in page.select(rows)], address
    testapp.get(f"/arc/{world.arc.slug}/members/load-more/", status=404)


def test_what_is_not_there_is_a_short_fragment_too(testapp):
    response = testapp.get("/publisher/nobody/imprints/load-more/?offset=0", headers=FRAGMENT, status=404)
    assert templates(response)["messages"].p["role"] == "alert"
