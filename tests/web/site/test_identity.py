"""A site with a name, a color and a mark of its own: pages, mails and descriptions for programs show them."""

import re

import pytest
from PIL import Image

from tests.mailbox import waiting_mails
from tests.pictures import encoded
from tests.web.conftest import soup, submit

NAME, ACCENT = "Panels & <Gutters>", "#8fd3ff"
# What is called after the software: its commands, files and formats.
SOFTWARE = re.compile(
    r"comicsdb (mirror|import)|comicsdb\[mirror\]|comicsdb\.sqlite|comicsdb-client|/comicsdb\b"
)


@pytest.fixture
def named(site_with, tmp_path):
    """A client of a site with a name, a color and a mark, and the bytes of the mark."""
    mark = tmp_path / "mark.png"
    mark.write_bytes(encoded(Image.new("RGB", (200, 200), "teal")))
    settings = {"comicsdb.title": NAME, "comicsdb.accent": ACCENT, "comicsdb_web.logo": str(mark)}
    return site_with(**settings, **{"comicsdb_web.contact": "us@example.org"}), mark.read_bytes()


def test_site_settings_change_every_page_and_description(named, world, session):
    site, mark = named
    for path in (
        "/",
        "/series/",
        world.series_path if hasattr(world, "series_path") else "/issue/",
        "/accounts/login/",
        "/accounts/signup/",
        "/statistics/",
        "/timeline/",
        "/polls/",
        "/nobody/",
    ):
        page = site.get(path, expect_errors=True)
        assert "comicsdb" not in SOFTWARE.sub("", page.text), path
    page = soup(site.get("/series/"))
    assert page.title.get_text().endswith(f" · {NAME}")
    assert [each.get_text() for each in page.select(".brand-name")] == [NAME, NAME]
    picture = site.get(page.select_one(".brand img")["src"])
    assert (picture.content_type, picture.body) == ("image/png", mark)
    assert "default-src 'none'" in picture.headers["Content-Security-Policy"]
    sheet = site.get(page.find("link", attrs={"rel": "stylesheet"})["href"]).text
    assert f"--yellow: {ACCENT}" in sheet
    manifest = site.get("/manifest.webmanifest").json
    assert (manifest["name"], manifest["short_name"]) == (NAME, NAME)
    assert [(each["sizes"], each["type"]) for each in manifest["icons"]] == [("200x200", "image/png")]
    assert site.get(manifest["icons"][0]["src"]).body == mark
    assert "<ShortName>Panels &amp; &lt;Gutters&gt;</ShortName>" in site.get("/opensearch.xml").text
    assert "<name>Panels &amp; &lt;Gutters&gt;</name>" in site.get("/feeds/releases.atom").text
    about = site.get("/api/schema/?format=json").json["info"]
    assert about["title"] == f"{NAME} API"
    assert about["contact"] == {"name": f"The contributors of {NAME}", "email": "us@example.org"}


def test_site_settings_change_mails(named, session):
    site, _mark = named
    fields = {"username": "Nora", "email": "nora@example.org"}
    submit(site, "/accounts/signup/", password="seven horses", password_again="seven horses", **fields)
    mail = waiting_mails(session)[-1]
    assert f"created a {NAME} account" in " ".join(mail.text.split())
    assert "Panels &amp; &lt;Gutters&gt;" in mail.html
    assert f"background-color:{ACCENT}" in mail.html
    assert "comicsdb" not in mail.text.replace("comicsdb.sqlite", "")
