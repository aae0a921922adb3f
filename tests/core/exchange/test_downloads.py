"""Dumps over HTTP: their description for programs, and resumable downloads."""

import hashlib
import re
import shutil
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import create_engine
from webtest import TestApp

from comicsdb import clock, main
from comicsdb.exchange import downloads, dump, minisign
from comicsdb.media.storage import FolderStorage
from comicsdb.ops.dated_folders import TIME_FORMAT
from tests.conftest import API_ONLY, SETTINGS, database_copy
from tests.core.exchange.test_dump import SOURCE

AT = "/.well-known/comicsdb.json"
BURST = 2  # requests of the API per minute


@pytest.fixture(scope="module")
def offered(cluster, template, tmp_path_factory):
    """A database, a folder, and in it a dump of the empty catalog (`made`) and the `key` that signed it."""
    folder = tmp_path_factory.mktemp("offered")
    with contextmanager(database_copy)(cluster, template) as url:
        found = SimpleNamespace(engine=create_engine(url), folder=folder)
        found.key = minisign.Key.open(folder / "key")
        found.made = make_dump(found)
        yield found
        found.engine.dispose()


def make_dump(offered, **more):
    return dump.make(
        offered.engine, offered.folder / "dumps", offered.key, SOURCE, report=lambda _words: None, **more
    )


@pytest.fixture(scope="module")
def serve(offered):
    """A function that returns an application with the API and dumps, but no pages."""
    served = []

    def serve(**more) -> TestApp:
        given = {
            "sqlalchemy.url": offered.engine.url.render_as_string(hide_password=False),
            "comicsdb.media.folder": str(offered.folder / "media"),
            "comicsdb.dumps.folder": str(offered.folder / "dumps"),
            "comicsdb_api.throttle": "on",
            "comicsdb_api.throttle.burst": str(BURST),
        }
        served.append(main({}, **SETTINGS | API_ONLY | given | more))
        return TestApp(served[-1])

    yield serve
    for each in served:
        each.registry["comicsdb.read_pool"].close()
        each.registry["comicsdb.engine"].dispose()


@pytest.fixture(scope="module")
def app(serve):
    return serve()


def test_programs_are_told_what_they_need_to_mirror_the_site(app, offered):
    made = offered.made
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
    assert told["limits"]["account"] == {"burst": BURST, "sustained": 5000}
    assert told["data"] is None  # the page belongs to the site, which is not included
    [only] = told["dumps"]
    assert only["name"] == made.name
    content = app.get(only["manifest"]).body
    manifest = dump.verify(content, app.get(only["signature"]).text, told["public_key"])
    assert only["bytes"] == sum(each["bytes"] for each in manifest["files"])
    assert told["public_key"] == offered.key.public
    for each in manifest["files"]:
        body = app.get(f"/data/{made.name}/{each['name']}").body
        assert hashlib.sha256(body).hexdigest() == each["sha256"]
    app.get(AT, headers={"If-None-Match": answer.headers["ETag"]}, status=304)


def test_a_site_that_listens_everywhere_names_its_dumps_by_the_host_of_the_request(serve, offered):
    """Another machine cannot reach it at its own address, which only this machine understands."""
    for own in ("http://0.0.0.0:8000", "http://127.0.0.1:8000"):
        told = serve(**{"comicsdb.base_url": own}).get(AT, headers={"Host": "library.lan:8000"}).json
        assert told["url"] == "http://library.lan:8000"
        assert (
            told["dumps"][0]["manifest"] == f"http://library.lan:8000/data/{offered.made.name}/manifest.json"
        )
    app = serve(**{"comicsdb.base_url": "https://comics.example", "comicsdb.hosts": "inside.example"})
    told = app.get(AT, headers={"Host": "inside.example"}).json
    assert told["dumps"][0]["manifest"] == f"https://comics.example/data/{offered.made.name}/manifest.json"


def test_programs_are_told_where_the_pack_of_covers_is(app, offered, request):
    another = make_dump(offered, covers=FolderStorage(offered.folder / "media"))
    request.addfinalizer(lambda: shutil.rmtree(another))
    packed, bare = app.get(AT).json["dumps"]
    assert bare["covers"] is None
    answer = app.get(packed["covers"], headers={"Range": "bytes=512-"}, status=206)
    assert answer.headers["Content-Type"] == "application/x-tar"
    assert app.get(packed["manifest"]).json["covers"] == {"pictures": 0, "missing": 0}


def test_a_download_resumes_where_it_stopped(app, offered):
    made = offered.made
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


def test_only_what_a_manifest_names_is_served(app, offered):
    made, folder = offered.made, offered.folder / "dumps"
    (made / "secret.txt").write_text("not named")
    (folder / "secret.txt").write_text("not named")
    partial = folder / "20260101T000000Z.partial"
    partial.mkdir()
    (partial / "manifest.json").write_text('{"files": []}')
    (folder / "20260102T000000Z").mkdir()
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


def test_a_dump_that_cannot_be_read_is_left_out_and_logged(serve, offered, tmp_path, caplog):
    folder = tmp_path / "dumps"
    shutil.copytree(offered.folder / "dumps", folder)
    name = offered.made.name
    (folder / "20200101T000000Z").mkdir()
    unreadable = folder / "20200101T000000Z" / "manifest.json"
    unreadable.symlink_to(unreadable)  # root may read everything else
    (folder / "20200102T000000Z").mkdir()
    (folder / "20200102T000000Z" / "manifest.json").write_text('{"files": [')  # it is being copied here
    downloads.DUMPS_OUTAGE.forget()
    app = serve(**{"comicsdb.dumps.folder": str(folder)})
    assert [each["name"] for each in app.get(AT).json["dumps"]] == [name]
    assert f"cannot be read: [Errno 40] Too many levels of symbolic links: '{unreadable}'" in caplog.text
    assert downloads.age_of_newest(folder) > timedelta()
    for other in ("20200101T000000Z", "20200102T000000Z"):
        app.get(f"/data/{other}/manifest.json", status=404)
    (folder / name / "issues.jsonl.zst").unlink()
    downloads.DUMPS_OUTAGE.forget()
    app.get(f"/data/{name}/issues.jsonl.zst", status=503)
    assert "issues.jsonl.zst" in caplog.text


def test_a_dump_of_a_clock_that_was_wrong_is_not_taken_for_a_new_one(offered, tmp_path):
    folder = tmp_path / "dumps"
    shutil.copytree(offered.made, folder / offered.made.name)
    assert downloads.age_of_newest(folder) < timedelta(minutes=5)
    later = (clock.now() + timedelta(days=300)).strftime(TIME_FORMAT)
    (folder / offered.made.name).rename(folder / later)
    assert downloads.age_of_newest(folder) is None
    (folder / "20200101T000000Z").mkdir()
    (folder / "20200101T000000Z" / "manifest.json").touch()
    assert downloads.age_of_newest(folder) > timedelta(days=300)


def test_a_folder_of_dumps_that_cannot_be_read_offers_none(serve, offered, tmp_path, caplog):
    folder = tmp_path / "loop"
    folder.symlink_to(folder)
    downloads.DUMPS_OUTAGE.forget()
    app = serve(**{"comicsdb.dumps.folder": str(folder)})
    assert app.get(AT).json["dumps"] == []
    assert "The folder of dumps cannot be read: [Errno 40]" in caplog.text
    app.get(f"/data/{offered.made.name}/manifest.json", status=404)


def test_a_site_without_a_folder_offers_none(serve, offered):
    app = serve(**{"comicsdb.dumps.folder": ""})
    told = app.get(AT).json
    assert (told["dumps"], told["public_key"]) == ([], None)
    app.get(f"/data/{offered.made.name}/manifest.json", status=404)


def test_downloads_cost_none_of_the_requests_of_the_api(app, offered):
    for _ in range(BURST + 3):
        answer = app.get(f"/data/{offered.made.name}/manifest.json")
        assert not [name for name in answer.headers if re.search("rate-?limit", name, re.IGNORECASE)]
        app.get(AT)
