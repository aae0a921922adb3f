"""A site with a name, a color and a mark of its own: pages, mails and descriptions for programs show them."""

import re

import pytest
from PIL import Image

from comicsdb.community import reviews
from tests.mailbox import waiting_mails
from tests.pictures import encoded
from tests.web.addresses import addresses_of, keep_library, publish
from tests.web.conftest import soup, start_session, submit

NAME, ACCENT = "Panels & <Gutters>", "#8fd3ff"
# What is called after the software: its commands, files, formats and the source of ids.
SOFTWARE = re.compile(
    r"comicsdb (mirror|import)|comicsdb\[mirror\]|comicsdb\.sqlite|comicsdb-client|well-known/comicsdb"
    r"|A comicsdb library|Una biblioteca di comicsdb|comicsdb's own format|formato proprio di comicsdb"
    r'|Database Name="comicsdb"|`comicsdb` for our own|- comicsdb$',
    re.MULTILINE,
)


@pytest.fixture
def named(site_with, tmp_path):
    """A client of a site with a name, a color and a mark, and the bytes of the mark."""
    mark = tmp_path / "mark.png"
    mark.write_bytes(encoded(Image.new("RGB", (200, 200), "teal")))
    settings = {"comicsdb.title": NAME, "comicsdb.accent": ACCENT, "comicsdb_web.logo": str(mark)}
    return site_with(**settings, **{"comicsdb_web.contact": "us@example.org"}), mark.read_bytes()


@pytest.fixture
def addresses(wsgi, world, session, member):
    """An address of every page of the site, of the API and of its reference; Nora may see all of them."""
    kept = keep_library(session, member, world)
    publish(session, member)
    kept.review_id = reviews.write(session, member.id, world.first.id, "Good.", spoils=True).id
    member.is_staff = member.is_superuser = True
    session.commit()
    site = addresses_of(wsgi, session, world, kept, kept.list)
    return [*site, "/nobody/", "/s/set-up/x/", "/api/", "/api/schema/", "/docs/", "/docs/objects/"]


def test_no_page_of_a_renamed_site_has_the_name_of_the_software(named, addresses, member):
    site, _mark = named
    wrong = []
    for language, is_member in (("en", False), ("en", True), ("it", False), ("it", True)):
        for address in addresses:
            site.reset()  # WebTest's cookie jar cannot parse some of the addresses
            site.set_cookie("language", language)
            if is_member:
                start_session(site, member)
            response = site.get(address, expect_errors=True)
            if response.charset:
                text = SOFTWARE.sub("", response.text)
                wrong += [(address, language, each) for each in re.findall(".{0,60}comicsdb.{0,40}", text)]
    assert not wrong, wrong


def test_site_settings_change_every_page_and_description(named, world, session):
    site, mark = named
    page = soup(site.get("/series/"))
    assert page.title.get_text().endswith(f" · {NAME}")
    assert [each.get_text() for each in page.select(".brand-name")] == [NAME, NAME]
    picture = site.get(page.select_one(".brand img")["src"])
    assert (picture.content_type, picture.body) == ("image/png", mark)
    assert "default-src 'none'" in picture.headers["Content-Security-Policy"]
    sheet = site.get(page.find("link", attrs={"rel": "stylesheet"})["href"]).text
    assert f"--yellow: {ACCENT}" in sheet
    assert page.find("meta", property="og:image")["content"].endswith(
        f"/{picture.request.path.split('/')[-1]}"
    )
    reference = soup(site.get("/docs/"))
    sheet = site.get("/docs/" + reference.find("link", rel="stylesheet")["href"]).text
    assert f"--yellow: {ACCENT}" in sheet
    assert "#ffd23f" not in sheet
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


def test_renamed_site_without_a_mark_shows_no_picture_with_our_name(site_with, world):
    site = site_with(**{"comicsdb.title": NAME})
    for path in ("/", f"/issue/{world.first.slug}/"):
        assert "share.png" not in site.get(path).text
