"""The reference at /docs/: complete, safe, the same for everybody; and the functions that make its HTML."""

import json
import re
import threading
from itertools import pairwise
from pathlib import Path
from urllib.parse import urljoin

import pytest
import waitress.server
import webtest
from pyramid.config import Configurator

from comicsdb import config as settings
from comicsdb_api.docs_page import markdown
from comicsdb_api.docs_page.html import Html, element, join, void
from comicsdb_api.openapi.common import DATE_CONDITIONS, TAG_CONDITIONS
from tests.api.bodies import BASE
from tests.api.descriptions import Contract
from tests.conftest import SETTINGS, record_statements
from tests.page import parse

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
LICENCE = "https://creativecommons.org/licenses/by-sa/4.0/"
SCREENS = [(390, 844), (1280, 900)]
BOXES = "all => all.map(each => each.getBoundingClientRect()).map(box => [box.left, box.right])"


@pytest.fixture(scope="module")
def alone(shared_database, media_folder):
    """An application with the API, but without the site."""
    given = SETTINGS | {"sqlalchemy.url": shared_database, "comicsdb.media.folder": str(media_folder)}
    with Configurator(
        settings=settings.parse_settings(given | {"pyramid.includes": "comicsdb_api"})
    ) as config:
        app = config.make_wsgi_app()
    app.registry["comicsdb.engine"].dispose()
    return webtest.TestApp(app)


@pytest.fixture(params=["with the site", "alone"])
def host(request):
    """An application with the site, and one without."""
    return request.getfixturevalue("testapp" if request.param == "with the site" else "alone")


@pytest.fixture
def document(editor):
    """The description as an editor sees it."""
    return editor.json("/api/schema/?format=json")


@pytest.fixture(scope="module")
def page(alone):
    """The overview, parsed."""
    return parse(alone.get("/docs/").text)


@pytest.fixture(scope="module")
def names(page):
    """The names of all pages, from the menu."""
    links = [each["href"] for each in page.select("nav li a")]
    return [each.removesuffix("/") for each in links if each != "./"]


@pytest.fixture(scope="module")
def whole(alone, names):
    """The contents of all pages except the overview, in one document."""
    contents = (re.search("<main.*</main>", alone.get(f"/docs/{name}/").text, re.DOTALL)[0] for name in names)
    return parse(f"<body>{''.join(contents)}</body>")


def labelled(page, tag: str) -> dict:
    """The elements of a page with a tag, by the ids of their labels."""
    found = page.find_all(tag, attrs={"aria-labelledby": True})
    by_label = {each["aria-labelledby"]: each for each in found}
    assert len(by_label) == len(found)
    return by_label


# Responses.


def test_everybody_gets_the_page_with_the_headers_of_the_site(host):
    answer = host.get("/docs/")
    found = answer.headers
    assert found["Content-Type"] == "text/html; charset=utf-8"
    assert found.getall("Content-Security-Policy") == [POLICY]
    assert found["X-Content-Type-Options"] == "nosniff"
    assert found["X-Frame-Options"] == "DENY"
    assert found["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert found["Permissions-Policy"].startswith("browsing-topics=(), camera=()")
    assert found["Content-Language"] == "en"
    assert found["Cache-Control"] == "no-cache"
    assert answer.text.startswith('<!doctype html>\n<html lang="en">')


def test_it_has_one_written_address_and_is_only_read(host):
    for method in ("GET", "HEAD"):
        assert host.request("/docs", method=method, status=301).headers["Location"] == f"{BASE}/docs/"
    got, head = host.get("/docs/"), host.head("/docs/")
    assert dict(head.headers) == dict(got.headers)
    assert head.body == b""
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert host.request("/docs/", method=method, status=405).headers["Allow"] == "GET, HEAD"


def test_a_page_that_is_known_is_not_sent_again(host):
    tag = host.get("/docs/").headers["ETag"]
    assert host.get("/docs/", headers={"If-None-Match": tag}, status=304).body == b""
    assert host.get("/docs/", headers={"If-None-Match": '"other"'}).headers["ETag"] == tag


def test_it_asks_nothing_of_the_database(testapp, connection):
    with record_statements(connection) as statements:
        testapp.get("/docs/")
    assert statements == []


def test_its_files_have_addresses_that_change_with_them(host):
    page = parse(host.get("/docs/").text)
    (sheet,) = [each["href"] for each in page.select("link[rel=stylesheet]")]
    answer = host.get(f"/docs/{sheet}")
    assert answer.headers["Content-Type"].startswith("text/css")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert host.get("/docs/static/0123/docs.css").headers["Cache-Control"] == "no-cache"
    (mark,) = [each["href"] for each in page.select("link[rel=icon]")]
    assert host.get(f"/docs/{mark}").headers["Content-Type"].startswith("image/svg+xml")
    for wrong in ("/docs/static/0123/nothing.css", "/docs/static/0123/../page.py", "/docs/nothing/"):
        host.get(wrong, status=404)


def test_the_examples_have_the_address_that_was_asked(host):
    page = host.get("/docs/resource-arc/", extra_environ={"HTTP_HOST": "read.example:8443"}).text
    assert "Bearer TOKEN&#x27; http://read.example:8443/api/arc/" in page
    assert "https://comics.example" not in page
    host.get("/docs/", extra_environ={"HTTP_HOST": "<b>&"}, status=400)  # it would have to be escaped


def test_the_brand_leads_to_the_site_where_there_is_one(testapp, alone):
    with_site = parse(testapp.get("/docs/").text)
    assert with_site.select_one(".brand")["href"] == "../"
    without = parse(alone.get("/docs/").text)
    assert without.select_one(".brand").name == "span"


# Contents.


def test_every_operation_is_in_it_with_all_that_is_said_of_it(whole, document):
    operations, articles = Contract(document).operations, labelled(whole, "article")
    assert len(whole.find_all("article")) == len(operations)
    for operation in operations:
        article = articles[operation.definition["operationId"]]
        text = article.get_text(" ")
        assert article.select_one("h3 .path").text == operation.path
        assert operation.definition["summary"] in text
        fields = {each.text for each in article.select(".fields dt > code")}
        conditions = {*TAG_CONDITIONS, *DATE_CONDITIONS}
        asked = {each["name"] for each in operation.parameters} - conditions
        assert fields == asked | set(operation.definition.get("requestBody", {}).get("content", ()))
        for parameter in operation.parameters:
            assert parameter["name"] in text
            if parameter["in"] == "query":
                assert parameter["description"].replace("`", "") in article.get_text()
        assert [each.text.split()[0] for each in article.select(".answers dt")] == list(operation.responses)
        assert article.find("pre").text.startswith("curl ")


def test_every_shape_is_in_it_with_its_fields_and_an_example_that_fits(whole, document):
    contract, sections = Contract(document), labelled(whole, "section")
    for name, schema in document["components"]["schemas"].items():
        section = sections[f"shape-{name}"]
        fields = [each.text for each in section.select("dt > code")]
        assert fields == list(schema.get("properties", {}))
        nulls = [bool(each.select(".null")) for each in section.select("dt")]
        assert nulls == ["'null'" in str(each) for each in schema.get("properties", {}).values()]
        contract.check(schema, json.loads(section.pre.text))


def test_the_guide_is_in_it(whole, document):
    _before, guide = markdown.sections(document["info"]["description"])
    assert len(guide) > 5
    assert [each.text for each in whole.select("main > section:not([class]) > h2")] == list(guide)
    assert "session.headers" in whole.text


def test_the_index_has_the_places_that_sections_have(page, whole, names):
    """So links to places of the former single page still lead to their subject."""
    places = {each["id"]: each.a["href"] for each in page.select(".index li[id]")}
    assert {each["aria-labelledby"] for each in whole.select("article, section")} == set(places)
    for place, address in places.items():
        assert address in (f"{place}/", f"{address.partition('/')[0]}/#{place}")
        assert address.partition("/")[0] in names


def test_links_lead_somewhere_and_places_have_one_name_each(page, whole, names, testapp):
    for each in (page, whole):
        places = [one["id"] for one in each.select("[id]") if one["id"] != "content"]
        assert len(places) == len(set(places))
        assert {one["aria-labelledby"] for one in each.select("[aria-labelledby]")} <= set(places)
    targets = {link["href"] for link in whole.select("a[href]")}
    assert targets <= {f"../{name}/" for name in names}
    others = {link["href"] for link in page.select("a[href^='../']")}
    others |= {link["href"] for link in parse(testapp.get("/docs/errors/").text).select("header a[href]")}
    for target in others:
        testapp.get(urljoin("/docs/errors/" if target.startswith("../../") else "/docs/", target))


def test_a_page_says_which_it_is_and_leads_to_the_next(alone, names):
    first, second = (parse(alone.get(f"/docs/{name}/").text) for name in names[:2])
    assert second.select_one(".contents [aria-current]")["href"] == f"../{names[1]}/"
    assert [each["href"] for each in second.select(".around a")] == [f"../{names[0]}/", f"../{names[2]}/"]
    assert [each["rel"] for each in first.select(".around a")] == [["next"]]
    assert second.title.text == f"{second.main.h2.text} · {parse(alone.get('/docs/').text).h1.text}"
    alone.get("/docs/nothing/", status=404)


def test_the_search_finds_sections_by_all_words_titles_first(alone):
    form = alone.get("/docs/errors/").forms[0]
    form["q"] = "Purchase_Price"
    page = parse(form.submit().text)
    assert page.select_one("main input")["value"] == "Purchase_Price"
    assert page.select_one("[role=status]").text == f"{len(page.select('.found > li'))} results."
    assert "../shape-CollectionItem/" in [each["href"] for each in page.select(".found a")]
    assert all("purchase_price" in each.text for each in page.select(".found p"))

    def first(words):
        return parse(alone.get("/docs/search/", {"q": words}).text).select_one(".found a")

    assert first("basic http")["href"] == "../http-basic/"
    assert first("get /api/universe/")["href"].startswith("../resource-universe/#")
    for nothing in ("<b>nowhere</b>", "", "\x00", "x" * 300):
        assert first(nothing) is None


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(page, whole):
    for part in (page, whole):
        assert part.find_all(["script", "style", "iframe"]) == []
        for each in part.find_all(True):
            assert not [name for name in each.attrs if name == "style" or name.startswith("on")]
    loaded = [each.get("src") or each.get("href") for each in page.select("link, img")]
    assert all(address.startswith("static/") for address in loaded)


def test_headings_are_a_tree(page, alone):
    for each in (page, *(parse(alone.get(f"/docs/{name}/").text) for name in ("errors", "resource-issue"))):
        levels = [int(one.name[1]) for one in each.main.find_all(["h1", "h2", "h3", "h4"])]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))


# In a browser.


@pytest.fixture(scope="module")
def served(alone):
    """The API without the site, served to a browser."""
    server = waitress.server.create_server(alone.app, host="127.0.0.1", port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}/docs/"
    server.close()
    thread.join(10)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_phones_and_desks_without_a_script(browser, served, scheme):
    context = browser.new_context(color_scheme=scheme, java_script_enabled=False)
    view = context.new_page()
    trouble = []
    view.on("console", lambda message: trouble.append(message.text))
    view.on("requestfailed", lambda request: trouble.append(request.url))
    view.on("response", lambda answer: trouble.append(answer.url) if answer.status >= 400 else None)
    view.goto(f"{served}resource-issue/")
    view.keyboard.press("Tab")
    for width, height in SCREENS:
        view.set_viewport_size({"width": width, "height": height})
        assert view.locator(".skip:focus").is_visible()
        assert view.locator("nav a", has_text="Universe").first.is_visible() == (width > 1000)
        boxes = view.locator("main, main pre, main dl, .top-bar, footer").evaluate_all(BOXES)
        assert len(boxes) > 20
        assert min(left for left, _ in boxes) >= 0
        assert max(right for _, right in boxes) <= width
    assert trouble == []
    context.close()


ELSEWHERE = """async address => {
    const told = async (path, request) => {
        try {
            const answer = await fetch(new URL(path, address), request)
            return [answer.status, answer.headers.get("ETag") || answer.headers.get("WWW-Authenticate")]
        } catch (error) {
            return error.name
        }
    }
    const token = {Authorization: "Bearer nonsense"}, schema = "../api/schema/"
    const first = await told(schema)
    return {
        first, again: await told(schema, {headers: {"If-None-Match": first[1]}}),
        refused: await told("../api/arc/", {headers: token}),
        written: await told("../api/arc/", {method: "POST", headers: token}),
        deleted: await told("../api/arc/1/", {method: "DELETE", headers: token}),
        cookies: await told(schema, {credentials: "include"}),
    }
}"""


def test_a_script_of_another_site_may_read_and_not_write(browser, served):
    context = browser.new_context()
    found = context.new_page().evaluate(ELSEWHERE, served)
    status, tag = found["first"]
    assert (status, found["again"]) == (200, [304, tag])
    status, challenge = found["refused"]
    assert (status, challenge.partition(",")[0]) == (401, 'Bearer realm="api"')
    assert [found[each] for each in ("written", "deleted", "cookies")] == ["TypeError"] * 3
    context.close()


# The functions that make HTML.


def test_html_escapes_what_is_not_html():
    assert element("p", "a < b & c", None, ["<i>", Html("<i>")]) == "<p>a &lt; b &amp; c&lt;i&gt;<i></p>"
    assert element("a", class_="x", aria_label='"', href=None) == '<a class="x" aria-label="&quot;"></a>'
    assert void("meta", name="a", content="<") == '<meta name="a" content="&lt;">'
    assert join(["a", Html("<b>")], " & ") == "a &amp; <b>"


def test_markdown_becomes_sections_paragraphs_lists_and_code():
    text = """\
Before `a<b`.

## One two

First
line.

- A
  b
- C

    x = 1

    y < 2

## Three

End.
"""
    assert markdown.sections(text) == (
        ["<p>Before <code>a&lt;b</code>.</p>"],
        {
            "One two": '<section aria-labelledby="one-two"><h2 id="one-two">One two</h2><p>First line.</p>'
            "<ul><li>A b</li><li>C</li></ul><pre><code>x = 1\n\ny &lt; 2</code></pre></section>",
            "Three": '<section aria-labelledby="three"><h2 id="three">Three</h2><p>End.</p></section>',
        },
    )


def test_the_document_names_the_versions_that_the_tests_check_compatibility_against():
    root = Path(__file__).parents[3]
    section = (root / "docs/api.md").read_text("utf-8").partition("## What compatibility was")[2]
    named = dict(re.findall(r"^\| ([\w-]+) \| (\d[\d.]*) \|", section, re.MULTILINE))
    del named["metron-tagger"]  # not installed
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (root / "constraints.txt").read_text(), re.MULTILINE))
    assert named == {name: pinned[name] for name in named} != {}
    assert {"mokkari", "openapi-python-client", "standardwebhooks", "comicbox"} <= named.keys()
