"""Export: import can read the files, and they do not contain what must stay private."""

import hashlib
import io
import json

import pytest
from PIL import Image

from comicsdb.accounts.passwords import UNUSABLE
from comicsdb.exchange.exporting import ExportFailedError
from comicsdb.exchange.format import LIBRARY, PICTURE_FACTS, REFERENCE
from comicsdb.imaging.hashes import hashes
from tests.dataset import pictures, read_set, small_set
from tests.importer import temporary_importer


def _without_pictures(rows: dict) -> dict:
    return {name: [_without_picture(row) for row in each] for name, each in rows.items()}


def _without_picture(row: dict) -> dict:
    left = {key: value for key, value in row.items() if key not in PICTURE_FACTS}
    return left | {"image": ""} if "image" in row else left


def test_an_export_with_accounts_gives_back_every_fact_but_secrets(imported):
    exported = read_set(imported.export("facts", accounts=True))
    assert {name for name, rows in exported.items() if not rows} == {
        file.name for file in LIBRARY if not file.owner
    }
    exported = {name: rows for name, rows in exported.items() if rows}
    expected = small_set()
    for file in REFERENCE:  # the other columns are those of the seeded rows
        exported[file.name] = [
            {key: row[key] for key in given}
            for row, given in zip(exported[file.name], expected[file.name], strict=True)
        ]
    expected["issues"][2]["cover_hash"] = "8000000000000000"  # computed from the picture
    for row in expected["users"]:
        row |= {"password": "", "api_token": ""}
    assert _without_pictures(exported) == _without_pictures(expected)
    assert [list(_without_picture(row)) for row in exported["issues"]] == [
        list(row) for row in expected["issues"]
    ]  # the keys are in the same order


def test_pictures_are_written_as_they_are(imported):
    folder = imported.export("pictures")
    exported, given = read_set(folder), small_set()
    for name, rows in given.items():
        for number, row in enumerate(rows):
            if row.get("image"):
                written, content = exported[name][number], pictures()[row["image"]]
                assert (folder / "images" / written["image"]).read_bytes() == content, written["image"]
                assert written["image_sha256"] == hashlib.sha256(content).hexdigest()
                if name in ("issues", "variants"):
                    with Image.open(io.BytesIO(content)) as image:
                        assert written["image_hashes"] == hashes(image)
    # Pictures that share a file on disk are written once.
    assert len([path for path in (folder / "images").rglob("*") if path.is_file()]) == 3


def test_without_accounts_no_person_is_named(imported):
    folder = imported.export("nobody")
    exported = read_set(folder)
    assert "users" not in exported
    assert "issue_ratings" not in exported
    assert {(row["created_by_id"], row["edited_by_id"]) for row in exported["issues"]} == {(1, 1)}
    assert "Editor" not in "".join(path.read_text() for path in folder.glob("*.json*"))


def test_an_export_imports_into_an_empty_catalog_with_the_same_facts(imported, cluster, template, tmp_path):
    folder = imported.export("out", accounts=True)
    with temporary_importer(cluster, template, "reimported", tmp_path / "again") as again:
        again.run(folder)
        exported = read_set(again.export("out", accounts=True))
        assert _without_pictures(exported) == _without_pictures(read_set(folder))
        assert again.query("SELECT DISTINCT password FROM user_account") == [(UNUSABLE,)]
        assert again.one("SELECT count(*) FROM api_token") == 0
        kept = "SELECT id, slug, modified, issues_modified, rating_sum, rated FROM series ORDER BY id"
        assert again.query(kept) == imported.query(kept)


def test_an_export_imported_where_it_came_from_changes_nothing(filled):
    before = filled.everything()
    assert not filled.run(filled.export("out", accounts=True)).changed_anything
    assert filled.everything() == before


def test_the_summary_has_the_counts_and_digests_of_the_files(imported):
    folder = imported.export("summary")
    meta = json.loads((folder / "meta.json").read_text())
    files = {path.stem: path.read_bytes() for path in folder.glob("*.jsonl")}
    assert meta == {
        "format": 1,
        "counts": {name: content.count(b"\n") for name, content in files.items()},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    assert meta["counts"]["issues"] == 3


def test_two_exports_of_the_same_state_are_the_same(imported):
    one, other = imported.export("one"), imported.export("other")
    assert {path.name: path.read_bytes() for path in one.glob("*.json*")} == {
        path.name: path.read_bytes() for path in other.glob("*.json*")
    }


def test_a_folder_that_holds_anything_is_left_alone(filled, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(ExportFailedError, match="is not an empty folder"):
        filled.export("out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_picture_whose_file_is_lost_is_reported(filled, tmp_path):
    key = filled.one("SELECT image FROM arc")
    filled.storage.delete(key)
    folder = filled.export("out")
    assert read_set(folder)["arcs"][0]["image"] == ""
    assert filled.exported.missing == [key]
    assert f"The picture {key} has no file: its row is written without it." in filled.exported.lines()


def test_an_export_that_fails_leaves_no_folder(filled, tmp_path):
    filled.query("ALTER TABLE variant RENAME COLUMN sku TO gone")
    with pytest.raises(Exception, match="sku"):
        filled.export("out")
    assert not [path for path in tmp_path.iterdir() if "out" in path.name]
