"""The page about the data dumps."""

from comicsdb.exchange import dump, minisign
from comicsdb.exchange.downloads import manifest_of
from tests.core.exchange.test_dump import SOURCE
from tests.web.conftest import soup


def make_dump(connection, folder, key):
    """Make a dump on the connection of the test, with the data of its transaction."""
    return dump.make(connection.engine, folder, minisign.Key.open(key), SOURCE, report=lambda _words: None)


def test_a_site_without_dumps_says_so_and_names_the_feed(testapp, world):
    page = soup(testapp.get("/data/"))
    assert "This site currently offers no dumps." in page.main.get_text()
    assert page.select_one('main a[href="/api/change/"]')
    assert page.select_one('main a[href="/.well-known/comicsdb.json"]')
    assert page.select_one('footer a[href="/data/"]').get_text() == "Data as files"


def test_the_page_has_files_digests_licence_key_and_how_to_check(site_with, connection, tmp_path):
    folder = tmp_path / "dumps"
    older = make_dump(connection, folder, tmp_path / "key")
    newest = make_dump(connection, folder, tmp_path / "key")
    app = site_with(**{"comicsdb.dumps.folder": str(folder)})
    page = soup(app.get("/data/"))
    manifest = manifest_of(newest)
    files = {each.a.get_text(): each for each in page.select(".data-files li")}
    assert set(files) == {"manifest.json", "manifest.json.minisig"} | {
        each["name"] for each in manifest["files"]
    }
    for each in manifest["files"]:
        assert files[each["name"]].code.get_text() == each["sha256"]
        assert files[each["name"]].a["href"] == f"http://localhost/data/{newest.name}/{each['name']}"
    assert f"minisign -V -P {manifest['public_key']} -m manifest.json" in page.main.get_text()
    assert page.select_one('main a[rel~="license"]').get_text() == "CC BY-SA 4.0"
    assert page.select_one(f'main a[href$="/data/{older.name}/manifest.json"]')
    assert "comicsdb mirror http://localhost" in page.main.get_text()
    app.get(f"/data/{newest.name}/manifest.json")
    italian = soup(app.get("/data/", headers={"Accept-Language": "it"}))
    assert italian.h1.get_text() == "Dati come file"
    refused = site_with(**{"comicsdb_api.throttle": "on", "comicsdb_api.throttle.burst": "1"})
    refused.get("/api/", expect_errors=True)
    answer = refused.get("/api/", status=429)
    assert answer.headers["Link"] == '<http://localhost/data/>; rel="alternate"'
    assert answer.json["data"] == "http://localhost/data/"
