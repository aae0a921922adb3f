"""Pictures in a bucket: what is specific to it, and servers that are slow, refuse requests or are down."""

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError

from comicsdb import models
from comicsdb.config import SettingsError, parse_settings
from comicsdb.media import from_settings, s3
from comicsdb.media.s3 import BACKOFF_SECONDS, S3Storage
from comicsdb.media.storage import STORAGE_OUTAGE, StorageDownError
from comicsdb.media.uploads import picture_values
from comicsdb.media.waiting import READ_PLACES, WRITE_PLACES
from tests.core.config.test_config import GIVEN
from tests.core.media.test_media_storage import names
from tests.dataset import picture, pictures, small_set
from tests.importer import Importer
from tests.pictures import save_picture, serve_pictures
from tests.s3_server import KEYS
from tests.serving import clean_environment, free_port


@pytest.fixture
def bucket(s3_server):
    """An empty bucket."""
    return s3_server.storage()


@pytest.fixture
def dead():
    """A storage whose server is down."""
    return S3Storage("none", endpoint=f"http://127.0.0.1:{free_port()}", region="x", **KEYS)


# Objects and connections.


def test_an_object_says_what_it_is_and_may_be_kept_for_ever(bucket, s3_server):
    key = save_picture(bucket, "issue", picture(form="JPEG"), "jpg")
    bucket.put(key, picture(form="WEBP"), "cover")
    for name, kind in ((key, "image/jpeg"), (f"thumbs/{key}/cover.webp", "image/webp")):
        found = s3_server.client.head_object(Bucket=bucket.bucket, Key=f"media/{name}")
        assert found["ContentType"] == kind
        assert found["CacheControl"] == "public, max-age=31536000, immutable"


def test_other_things_in_the_bucket_are_not_ours(bucket, s3_server):
    key = save_picture(bucket, "issue", b"x", "jpg")
    for name in ("backups/media/a.png", "media/README", "mediaeval/issue/a.png"):
        s3_server.client.put_object(Bucket=bucket.bucket, Key=name, Body=b"?")
    assert names(bucket) == [key]


def test_a_long_list_is_read_page_by_page(bucket, monkeypatch):
    keys = sorted(save_picture(bucket, "user", b"x", "png") for _ in range(5))
    ask = bucket._client.list_objects_v2
    asked = []

    def few(**given):
        asked.append(given)
        return ask(**given, MaxKeys=2)

    monkeypatch.setattr(bucket._client, "list_objects_v2", few)
    assert names(bucket) == keys
    assert len(asked) == 3


def test_threads_share_one_storage(bucket):
    with ThreadPoolExecutor(WRITE_PLACES) as pool:
        keys = list(pool.map(lambda number: save_picture(bucket, "user", bytes([number]), "png"), range(24)))
    with ThreadPoolExecutor(READ_PLACES) as pool:
        assert list(pool.map(bucket.read, keys)) == [bytes([number]) for number in range(24)]


def test_waiting_is_bounded_as_the_site_wants_it():
    config = S3Storage("none", endpoint="http://127.0.0.1:1", region="x", **KEYS)._client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 10)
    assert config.retries["total_max_attempts"] == 3
    assert config.tcp_keepalive


def test_a_site_with_a_folder_does_not_load_the_library():
    code = "import comicsdb.media, comicsdb.cli, sys; print('boto3' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=clean_environment(), capture_output=True, check=True
    )
    assert done.stdout == b"False\n"


# Settings.


def test_a_bucket_is_named_when_it_is_needed():
    with pytest.raises(
        SettingsError, match=r"comicsdb\.media\.bucket is missing, which comicsdb\.media\.storage"
    ):
        parse_settings(GIVEN | {"comicsdb.media.storage": "s3"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("comicsdb.media.storage", "ftp"),
        ("comicsdb.media.endpoint", "s3.example.org"),
        ("comicsdb.media.prefix", "/media/"),
        ("comicsdb.media.url", "cdn.example.org"),
    ],
)
def test_a_wrong_setting_of_the_storage_stops_the_start(key, value):
    with pytest.raises(SettingsError, match=f"{key} .* is wrong"):
        parse_settings(GIVEN | {key: value})


def test_without_the_library_the_start_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "comicsdb.media.s3", None)
    with pytest.raises(SettingsError, match=r"pip install 'comicsdb\[s3\]'"):
        from_settings(parse_settings(GIVEN | {"comicsdb.media.storage": "s3", "comicsdb.media.bucket": "x"}))


# Serving.


def test_pictures_have_the_address_of_the_network_that_serves_them(s3_server):
    settings = s3_server.settings() | {"comicsdb.media.url": "https://cdn.example.org/media"}
    app, _ = serve_pictures(settings)
    assert app.get("/urls/issue/a.png").json == [
        "https://cdn.example.org/media/issue/a.png",
        "http://localhost/media/thumb/cover/issue/a.png.webp",  # generated on request, by the application
    ]
    assert app.get("/urls/").json == [None, None]


def test_a_set_goes_into_the_bucket_and_comes_out(database, tmp_path, bucket):
    importer = Importer(database, tmp_path)
    importer.storage = bucket
    images = pictures()
    report = importer.run(small_set(), images=images)
    assert len(names(bucket)) == report.pictures > len(images)  # a file for each row
    assert importer.run(small_set(), images=images).pictures == 0
    out = importer.export("out")
    assert importer.exported.missing == []
    written = [path.read_bytes() for path in (out / "images").rglob("*") if path.is_file()]
    assert sorted(written) == sorted(images.values())  # one file for all rows with the same picture
    importer.close()


# A storage that fails.


def test_a_server_that_is_not_there_is_told_and_then_left_alone(dead, monkeypatch):
    with pytest.raises(StorageDownError, match="does not answer"):
        save_picture(dead, "issue", b"x", "png")
    for ask in (dead.read, dead.exists, dead.identity, dead.delete):
        with pytest.raises(StorageDownError, match="a moment ago"):
            ask("issue/a.png")
    monkeypatch.setattr(dead, "_down_until", dead._down_until - BACKOFF_SECONDS)
    with pytest.raises(StorageDownError, match="does not answer"):
        dead.read("issue/a.png")


def test_a_server_that_is_slow_is_waited_for_only_so_long(monkeypatch):
    monkeypatch.setattr(s3, "ATTEMPTS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts connections and never responds
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        storage = S3Storage("none", endpoint=address, region="x", timeouts=(0.2, 0.2), **KEYS)
        with pytest.raises(StorageDownError, match="does not answer"):
            save_picture(storage, "issue", b"x", "png")


def test_a_server_that_refuses_is_told_apart_from_a_missing_picture(s3_server):
    storage = S3Storage("nobody-made-it", endpoint=s3_server.url, region="us-east-1", **KEYS)
    with pytest.raises(StorageDownError, match="NoSuchBucket"):
        save_picture(storage, "issue", b"x", "png")
    with pytest.raises(StorageDownError, match="NoSuchBucket"):
        storage.read("issue/a.png")
    with pytest.raises(StorageDownError, match="NoSuchBucket"):
        names(storage)


def test_visitors_are_asked_to_come_back(s3_server):
    dead = {"comicsdb.media.endpoint": f"http://127.0.0.1:{free_port()}"}
    app, _ = serve_pictures(s3_server.settings() | dead)
    for path in ("/media/issue/a.png", "/media/thumb/cover/issue/a.png.webp"):
        response = app.get(path, status=503)
        assert "Cache-Control" not in response.headers


def test_what_cannot_be_removed_after_the_commit_does_not_undo_it(dead, session, make, caplog):
    STORAGE_OUTAGE.forget()
    session.info["media"] = dead
    arc = make.arc(image="arc/2026/01/01/a.png")
    make.catalog.update(arc, {"image": "", "image_width": None, "image_height": None})
    session.commit()
    assert session.get(models.Arc, arc.id).image == ""
    assert "The object storage does not answer" in caplog.text


def test_a_save_without_a_new_picture_asks_the_storage_nothing(dead, session, make):
    session.info["media"] = dead
    issue = make.issue(image="issue/2026/01/01/a.png", cover_hash="f" * 16)
    make.catalog.update(issue, {"number": "2", "image": issue.image})
    session.commit()
    assert dead._down_until == 0.0  # the failure was not noticed


# Uploads.


def test_an_object_that_came_although_the_answer_did_not_goes_with_the_transaction(
    session, bucket, monkeypatch
):
    put = bucket._client.put_object

    def lost(**given):
        put(**given)
        raise ClientError({"Error": {"Code": "SlowDown"}}, "PutObject")

    monkeypatch.setattr(bucket._client, "put_object", lost)
    with pytest.raises(StorageDownError, match="SlowDown"):
        picture_values(session, bucket, "arc", picture(), hashed=False)
    assert len(names(bucket)) == 1
    session.rollback()
    assert names(bucket) == []
