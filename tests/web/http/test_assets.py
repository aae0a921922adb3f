"""The style sheet of the site, which is built from several files, and that of the API's documentation."""

import re
from pathlib import Path

import comicsdb_api
from comicsdb_web.http.assets import FOLDER, SHEETS
from tests.web.conftest import soup

RULES = """text => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return [...sheet.cssRules].map(rule => rule.cssText.replace(/\\s+/g, " "));
}"""


def test_a_browser_reads_the_same_rules_as_in_the_files(testapp, browser):
    sheets = soup(testapp.get("/")).find_all("link", rel="stylesheet")
    sent = testapp.get(sheets[0]["href"]).text
    files = "".join((FOLDER / "css" / f"{name}.css").read_text("utf-8") for name in SHEETS)
    assert len(sent) < 0.8 * len(files)
    page = browser.new_page()
    rules = page.evaluate(RULES, sent)
    assert len(rules) > len(SHEETS)
    assert rules == page.evaluate(RULES, files)
    page.close()


def test_the_documentation_of_the_api_has_the_values_of_the_site():
    """The documentation can be served without the site's package, so its sheet repeats the values it uses."""
    sheets = (FOLDER / "css" / "tokens.css", Path(comicsdb_api.__file__).parent / "docs_page/static/docs.css")
    site, docs = (dict(re.findall(r"(--[\w-]+):\s*([^;]+);", each.read_text("utf-8"))) for each in sheets)
    shared = {name: " ".join(docs[name].split()) for name in docs.keys() & site.keys()}
    assert len(shared) > 20
    assert shared == {name: " ".join(site[name].split()) for name in shared}
    assert docs.keys() - site.keys() == {"--top"}  # the height of its own masthead
