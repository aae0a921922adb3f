"""The demo catalogue as a folder: complete, the same wherever it is written, and taken by the import."""

import hashlib
import json
from collections import Counter

import pytest
from PIL import Image

from comicsdb import demo
from comicsdb.demo.writer import FILES, orders, picture, rows
from comicsdb.media.phash import phash
from tests.importer import Importer

EVERY = 23  # of the pictures, one in so many is drawn a second time


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The whole catalogue, written once."""
    told = []
    target = demo.write(tmp_path_factory.mktemp("demo") / "new" / "folder", lambda *each: told.append(each))
    total = len(orders())
    assert told == [(number, total) for number in range(1, total + 1)]
    return target


def test_the_folder_holds_what_meta_says(folder):
    made = rows()
    meta = json.loads((folder / "meta.json").read_text())
    assert meta["format"] == 1
    assert meta["today"] == "2026-11-21"
    assert list(meta["counts"]) == list(FILES)
    for name in FILES:
        content = (folder / f"{name}.jsonl").read_bytes()
        assert meta["sha256"][name] == hashlib.sha256(content).hexdigest()
        lines = [json.loads(line) for line in content.splitlines()]
        assert meta["counts"][name] == len(lines)
        if name != "issues":
            assert lines == made[name]


def test_every_picture_is_there_decodes_and_has_its_size(folder):
    made = rows()
    for order in orders():
        with Image.open(folder / "images" / order.path) as image:
            assert (image.format, image.mode, image.size) == ("JPEG", "RGB", order.size)
            image.load()
    named = [row["image"] for kind in made.values() for row in kind if "image" in row]
    assert sorted(filter(None, named)) == sorted(order.path for order in orders())
    assert all(row["image"] for row in made["issues"] + made["variants"])
    present = [path for path in (folder / "images").rglob("*") if path.is_file()]
    assert len(present) == len(orders())
    assert sum(path.stat().st_size for path in present) < 64_000 * len(present)


def test_the_same_order_gives_the_same_bytes_in_every_process(folder):
    for order in orders()[::EVERY]:
        path, content, _ = picture(order)
        assert (folder / "images" / path).read_bytes() == content, path


def test_covers_have_the_hash_of_their_files_and_differ(folder):
    issues = [json.loads(line) for line in (folder / "issues.jsonl").read_bytes().splitlines()]
    for issue in issues[::EVERY]:
        with Image.open(folder / "images" / issue["image"]) as image:
            assert issue["cover_hash"] == phash(image)
    covers = Counter(
        hashlib.sha256((folder / "images" / issue["image"]).read_bytes()).hexdigest() for issue in issues
    )
    assert max(covers.values()) == 1


def test_an_import_takes_it_without_one_remark(folder, database, tmp_path):
    importer = Importer(database, tmp_path)
    report = importer.run(folder)
    importer.engine.dispose()
    assert dict(report.advice) == {}
    assert report.notes == []
    assert report.left == []
    assert report.pictures == len(orders())
