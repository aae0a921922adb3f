"""Help pages and the timeline: Markdown files in both languages, loaded at the start."""

import re
import shutil

import pytest
from pyramid.config import Configurator

from comicsdb.config import SettingsError
from comicsdb_web.pages.site import help as help_pages
from comicsdb_web.pages.site.help import ORDER
from comicsdb_web.rendering import markdown
from tests.conftest import record_statements
from tests.web.conftest import soup

ITALIAN = {"Accept-Language": "it"}
FACTS = ("title",)
BUILT = re.compile(r"<(?:h\d|tr|li|pre)|href=\S+")  # must be in the same order in both languages


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """`folder(name=text)`: write Markdown files into the folder "texts"; `__` in a name stands for a dot."""
    monkeypatch.setattr(markdown, "FOLDER", tmp_path)
    (tmp_path / "texts").mkdir()

    def written(**files):
        for name, text in files.items():
            (tmp_path / "texts" / f"{name.replace('__', '.')}.md").write_text(text, "utf-8")

    return written


def test_all_help_pages_are_there_in_both_languages(testapp, connection):
    testapp.get("/health/")  # the first request of a day also counts ratings that are due
    with record_statements(connection) as statements:
        links = [each["href"] for each in soup(testapp.get("/help/")).select(".help-list a")]
        assert links == [f"/help/{name}/" for name in ORDER]
        for link in links:
            english, italian = (soup(testapp.get(link, headers=each)) for each in ({}, ITALIAN))
            assert english.select_one(".lead").get_text() != italian.select_one(".lead").get_text()
            assert (english.html["lang"], italian.html["lang"]) == ("en", "it")
            assert english.article.get("lang") is italian.article.get("lang") is None
            for page in (english, italian):
                assert "${" not in page.article.get_text()
                assert page.select_one(".help-pages [aria-current=page]")["href"] == link
    assert list(statements) == []


def test_forms_of_the_catalog_lead_to_the_guidelines(testapp, reader):
    link = soup(testapp.get("/arc/create/")).select_one('main a[href="/help/editing/"]')
    assert (link["target"], link["rel"]) == ("_blank", ["noopener"])  # so that the form keeps what was typed


def test_pages_of_both_languages_are_built_alike():
    for folder in ("help", "timeline"):
        values = {language: _Anything() for language in ("en", "it")}
        for languages in markdown.pages(folder, ("title",), values).values():
            english, italian = (BUILT.findall(languages[each].html) for each in ("en", "it"))
            assert english == italian, languages["en"].name


class _Anything(dict):
    """A value for every name that the texts refer to."""

    def __missing__(self, key):
        return "1"


def test_unknown_pages_are_not_found(testapp):
    for name in ("nothing", "editing.it", "..", "EDITING"):
        assert testapp.get(f"/help/{name}/", expect_errors=True).status_int == 404, name


def test_the_limits_are_those_of_the_settings(other_site):
    text = soup(other_site.get("/help/rate-limits/")).article.get_text(" ")
    assert "7 times in any minute" in text
    assert "12,345 times in any 24 hours" in text
    assert "does not count towards your daily limit" not in text
    italian = soup(other_site.get("/help/rate-limits/", headers=ITALIAN)).article.get_text(" ")
    assert "12.345 volte in 24 ore" in italian
    contact = soup(other_site.get("/help/contact/")).article
    assert contact.select_one("a[href='mailto:us@example.org']") is not None


def test_a_contact_that_is_no_mail_address_stops_the_start(site_with):
    with pytest.raises(SettingsError, match=r"comicsdb_web\.contact"):
        site_with(**{"comicsdb_web.contact": "Us <us@example.org>"})


def test_the_timeline_shows_all_entries_newest_first(testapp, connection, wsgi):
    with record_statements(connection) as statements:
        page = soup(testapp.get("/timeline/"))
    assert list(statements) == []
    files = {path.name.partition(".")[0] for path in (markdown.FOLDER / "timeline").glob("*.md")}
    names = [each["en"].name for each in wsgi.registry["comicsdb_web.timeline"]]
    assert names == sorted(files, reverse=True)
    titles = [each.get_text() for each in page.select(".event h2")]
    assert titles == [each["en"].metadata["title"] for each in wsgi.registry["comicsdb_web.timeline"]]
    for link in page.select(".event .prose a"):
        assert (link["target"], link["rel"]) == ("_blank", ["noopener"])
    assert "Una biblioteca per ogni lettore" in testapp.get("/timeline/", headers=ITALIAN).text


def test_a_text_is_shown_in_english_where_it_was_not_translated(folder):
    folder(a="---\ntitle: A\n---\nHi **you**\n", b="---\ntitle: B\n---\n", b__it="---\ntitle: C\n---\n")
    found = markdown.pages("texts", FACTS)
    assert list(found) == ["a", "b"]
    shown = [markdown.in_language(found[name], "it") for name in "ab"]
    assert [(each.language, each.metadata["title"]) for each in shown] == [("en", "A"), ("it", "C")]
    assert found["a"]["en"].html == "<p>Hi <strong>you</strong></p>\n"


def test_texts_are_harmless(folder):
    text = "<script>x</script>\n\n[a](javascript:b) [c](https://d.example/) ![e](f.png) `<g>`\n"
    folder(a=f"---\ntitle: A\n---\n{text}")
    html = markdown.pages("texts", FACTS, new_tab=True)["a"]["en"].html
    assert "<script" not in html
    assert "javascript" not in re.sub(r">[^<]*<", "><", html)
    assert "<img" not in html
    assert '<a href="https://d.example/" target="_blank" rel="noopener">c</a>' in html
    assert "<code>&lt;g&gt;</code>" in html


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a": "no front"}, "must begin with lines between"),
        ({"a": "---\ntitle: A\n"}, "must begin with lines between"),
        ({"a": "---\ntitle\n---\n"}, "not of the form"),
        ({"a": "---\nicon: x\n---\n"}, "title must stand in front"),
        ({"a": "---\ntitle: A\n---\n${nothing}"}, "nothing"),
        ({"a": "---\ntitle: A\n---\nfor $ 5"}, "dollar sign is written twice"),
        ({"a__xx": "---\ntitle: A\n---\n"}, "no language 'xx'"),
        ({"a__it": "---\ntitle: A\n---\n"}, r"a\.md is missing"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(folder, files, why):
    folder(**files)
    with pytest.raises(markdown.TextError, match=why):
        markdown.pages("texts", FACTS)


def test_a_help_page_without_a_place_in_the_order_is_named(tmp_path, monkeypatch, wsgi):
    shutil.copytree(markdown.FOLDER / "help", tmp_path / "help")
    shutil.copy(tmp_path / "help" / "search.md", tmp_path / "help" / "binding.md")
    (tmp_path / "help" / "privacy.md").unlink()
    (tmp_path / "help" / "privacy.it.md").unlink()
    monkeypatch.setattr(markdown, "FOLDER", tmp_path)
    config = Configurator(registry=wsgi.registry)
    with pytest.raises(markdown.TextError, match=r"ORDER .*help\.py.*: binding, privacy\."):
        help_pages.includeme(config)
