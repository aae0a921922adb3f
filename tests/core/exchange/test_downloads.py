"""Dumps over HTTP: their description for programs, and resumable downloads."""

import hashlib
import re

import pytest
from sqlalchemy import create_engine
from webtest import TestApp

from comicsdb import main
from comicsdb.exchange import dump, minisign
from comicsdb.media.storage import FolderStorage
from tests.conftest import SETTINGS
from tests.core.exchange.test_dump import SOURCE

AT = "/.well-known/comicsdb.json"


@pytest.fixture
def folder(tmp_path):
    """The folder of dumps."""
    return tmp_path / "dumps"


@pytest.fixture
def offering(database, folder, tmp_path):
    """A factory of applications with the API and dumps, but no pages; it takes further settings."""

    def make(**more):
        given = {"sqlalchemy.url": database, "comicsdb.media.folder": str(tmp_path / "media")}
        given |= {"pyramid.includes": "comicsdb_api", "comicsdb.dumps.folder": str(folder)}
        return TestApp(main({}, **SETTINGS | given | more))

    return make


@pytest.fixture
def made(database, folder, tmp_path):
    """A dump of an empty catalogue."""
    engine = create_engine(database)
    yield dump.make(engine, folder, minisign.Key.open(tmp_path / "key"), SOURCE, report=lambda _words: None)
    engine.dispose()


def test_programs_are_told_what_they_need_to_mirror_the_site(offering, made, tmp_path):
    app = offering(**{"comicsdb_api.throttle": "on"})
    answer = app.get(AT)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    told = answer.json
    assert (told["name"], told["url"], told["api"]) == (
        "comicsdb",
        "http://localhost",
        "http://localhost/api/",
    )
    assert told["feed"] == "http://localhost/api/change/"
    assert told["licence"]["name"] == "CC BY-SA 4.0"
    assert told["limits"]["account"] == {"burst": 20, "sustained": 5000}
    assert told["data"] is None  # the page belongs to the site, which is not included
    [only] = told["dumps"]
    assert only["name"] == made.name
    content = app.get(only["manifest"]).body
    manifest = dump.verify(content, app.get(only["signature"]).text, told["public_key"])
    assert only["bytes"] == sum(each["bytes"] for each in manifest["files"])
    assert told["public_key"] == minisign.Key.open(tmp_path / "key").public
    for each in manifest["files"]:
        body = app.get(f"/data/{made.name}/{each['name']}").body
        assert hashlib.sha256(body).hexdigest() == each["sha256"]
    app.get(AT, headers={"If-None-Match": answer.headers["ETag"]}, status=304)


def test_a_site_that_listens_everywhere_names_its_dumps_by_the_host_of_the_request(offering, made):
    """Another machine cannot reach it at its own address, which only this machine understands."""
    for own in ("http://0.0.0.0:8000", "http://127.0.0.1:8000"):
        told = offering(**{"comicsdb.base_url": own}).get(AT, headers={"Host": "library.lan:8000"}).json
        assert told["url"] == "http://library.lan:8000"
        assert told["dumps"][0]["manifest"] == f"http://library.lan:8000/data/{made.name}/manifest.json"
    app = offering(**{"comicsdb.base_url": "https://comics.example", "comicsdb.hosts": "inside.example"})
    told = app.get(AT, headers={"Host": "inside.example"}).json
    assert told["dumps"][0]["manifest"] == f"https://comics.example/data/{made.name}/manifest.json"


def test_programs_are_told_where_the_pack_of_covers_is(offering, made, database, folder, tmp_path):
    engine, storage = create_engine(database), FolderStorage(tmp_path / "media")
    key = minisign.Key.open(tmp_path / "key")
    dump.make(engine, folder, key, SOURCE, covers=storage, report=lambda _words: None)
    engine.dispose()
    app = offering()
    packed, bare = app.get(AT).json["dumps"]
    assert bare["covers"] is None
    answer = app.get(packed["covers"], headers={"Range": "bytes=512-"}, status=206)
    assert answer.headers["Content-Type"] == "application/x-tar"
    assert app.get(packed["manifest"]).json["covers"] == {"pictures": 0, "missing": 0}


def test_a_download_resumes_where_it_stopped(offering, made):
    app = offering()
    path, file = f"/data/{made.name}/comicsdb.sqlite.zst", made / "comicsdb.sqlite.zst"
    content = file.read_bytes()
    head = app.head(path)
    assert head.content_length == len(content)
    assert head.headers["Accept-Ranges"] == "bytes"
    assert head.headers["Content-Type"] == "application/zstd"
    assert "immutable" in head.headers["Cache-Control"]
    tag = f'"{hashlib.sha256(content).hexdigest()}"'
    assert head.headers["ETag"] == tag
    part = app.get(path, headers={"Range": "bytes=1000-", "If-Range": tag}, status=206)
    assert part.body == content[1000:]
    assert part.headers["Content-Range"] == f"bytes 1000-{len(content) - 1}/{len(content)}"
    assert app.get(path, headers={"Range": "bytes=10-19"}, status=206).body == content[10:20]
    assert app.get(path, headers={"Range": "bytes=1000-", "If-Range": '"another"'}).body == content
    app.get(path, headers={"Range": f"bytes={len(content)}-"}, status=416)
    app.get(path, headers={"If-None-Match": tag}, status=304)


def test_only_what_a_manifest_names_is_served(offering, made, folder):
    (made / "secret.txt").write_text("not named")
    (folder / "secret.txt").write_text("not named")
    partial = folder / "20260101T000000Z.partial"
    partial.mkdir()
    (partial / "manifest.json").write_text('{"files": []}')
    (folder / "20260102T000000Z").mkdir()
    app = offering()
    for path in (
        f"{made.name}/secret.txt",
        f"{made.name}/../secret.txt",
        f"{made.name}/%2e%2e%2fsecret.txt",
        f"{made.name}/..",
        "20260101T000000Z.partial/manifest.json",
        "20260101T000000Z/manifest.json",
        "20260102T000000Z/manifest.json",
    ):
        app.get(f"/data/{path}", status=404)
    assert len(app.get(AT).json["dumps"]) == 1


def test_a_site_without_a_folder_offers_none(offering, made):
    app = offering(**{"comicsdb.dumps.folder": ""})
    told = app.get(AT).json
    assert (told["dumps"], told["public_key"]) == ([], None)
    app.get(f"/data/{made.name}/manifest.json", status=404)


def test_downloads_cost_none_of_the_requests_of_the_api(offering, made):
    app = offering(**{"comicsdb_api.throttle": "on", "comicsdb_api.throttle.burst": "2"})
    for _ in range(5):
        answer = app.get(f"/data/{made.name}/manifest.json")
        assert not [name for name in answer.headers if re.search("rate-?limit", name, re.IGNORECASE)]
        app.get(AT)
