"""Dumps: a consistent copy of the public tables with a signed manifest, and importing them."""

import csv
import io
import re
import shutil
import sqlite3
import subprocess
from collections import defaultdict
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from PIL import Image

from comicsdb import clock
from comicsdb.catalog import public_tables
from comicsdb.exchange import compression, dump, dump_covers, dump_sqlite, minisign
from comicsdb.exchange.format import FILES, OF_ACCOUNTS, PICTURE_FACTS
from comicsdb.media.storage import StorageDownError
from comicsdb.models import metadata
from tests.dataset import picture, read_set
from tests.full_disk import full_disk
from tests.importer import temporary_importer
from tests.needs import program
from tests.pictures import save_picture

DOCUMENT = Path(__file__).parents[3] / "docs" / "data.md"
SOURCE = dump.SiteInfo(
    "comicsdb", "https://comics.example", "0.1.0", {"name": "CC0", "url": "https://cc0.example"}
)


@pytest.fixture
def site(full_database, tmp_path):
    """An importer into a catalog in which every field has a value."""
    with full_database.copy("full_set_site", tmp_path) as importer:
        yield importer


@pytest.fixture(scope="module")
def dumped(full_database, tmp_path_factory):
    """Such an importer, the key of the site, and a dump, for tests that only read them."""
    with full_database.copy("full_set_dumped", tmp_path_factory.mktemp("dumped")) as importer:
        key = minisign.Key.open(importer.folder / "keys" / "dumps.key")
        yield importer, key, make(importer, key)


@pytest.fixture
def key(tmp_path):
    """The key of the site."""
    return minisign.Key.open(tmp_path / "keys" / "dumps.key")


def make(site, key, tell=lambda _words: None):
    """Make a dump."""
    return dump.make(site.engine, site.folder / "dumps", key, SOURCE, report=tell)


def sqlite(made):
    """Open the SQLite file of a dump."""
    path = made.parent.with_name("opened.sqlite")
    with compression.open_plain(made / "comicsdb.sqlite.zst") as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return closing(sqlite3.connect(path))


def rows(importer, table: str) -> list:
    """The public rows of a table."""
    return importer.query(f"SELECT {public_tables.json_columns(table)} {public_tables.public_rows(table)}")


def test_the_sqlite_file_has_every_public_row_which_insert_rows_takes_back(
    dumped, cluster, template, tmp_path
):
    site, _key, made = dumped
    with temporary_importer(cluster, template, "other", tmp_path / "other") as other:
        with sqlite(made) as file, other.engine.begin() as target:
            target.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table in public_tables.PUBLIC_COLUMNS:
                target.exec_driver_sql(f'DELETE FROM "{table}"')
                public_tables.insert_rows(target, table, dump_sqlite.read_rows(file, table))
        for table in public_tables.PUBLIC_COLUMNS:
            assert rows(other, table) == rows(site, table), table
        assert rows(other, "issue")


def test_the_sqlite_file_is_consistent_and_finds_names(dumped):
    site, _key, made = dumped
    manifest = orjson.loads((made / "manifest.json").read_bytes())
    with sqlite(made) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert file.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        tables = {name for name in tables if not name.startswith(("search", "sqlite_"))}
        assert tables == {*public_tables.PUBLIC_COLUMNS, "meta"}
        for table, columns in public_tables.PUBLIC_COLUMNS.items():
            assert [row[1] for row in file.execute(f'PRAGMA table_info("{table}")')] == list(columns)
            [(count,)] = file.execute(f'SELECT count(*) FROM "{table}"').fetchall()
            assert count == manifest["counts"][table]
        name, number = site.query("SELECT name, id FROM publisher ORDER BY id LIMIT 1")[0]
        found = file.execute(
            "SELECT kind, id FROM search WHERE search MATCH ?", (f'"{name.lower()}"',)
        ).fetchall()
        assert ("publisher", number) in found
        meta = dict(file.execute("SELECT key, value FROM meta").fetchall())
        assert orjson.loads(meta["feed"]) == manifest["feed"]
        assert meta["made"] == manifest["made"]


def test_every_reference_is_indexed_in_the_sqlite_file(dumped):
    with sqlite(dumped[2]) as file:
        for table, columns in public_tables.PUBLIC_COLUMNS.items():
            leading = {
                file.execute(f'PRAGMA index_info("{row[1]}")').fetchone()[2]
                for row in file.execute(f'PRAGMA index_list("{table}")').fetchall()
            }
            keys = {name for name in columns if metadata.tables[table].columns[name].foreign_keys}
            assert keys <= leading, table


def test_the_manifest_names_all_files_with_what_identifies_them(dumped, tmp_path):
    site, key, made = dumped
    content = (made / "manifest.json").read_bytes()
    manifest = dump.verify(content, (made / "manifest.json.minisig").read_text(), key.public)
    sets = {f"{file.file_name}.zst" for file in FILES if not file.owner and file not in OF_ACCOUNTS}
    expected = {"comicsdb.sqlite.zst", "crosswalk.csv.zst", *sets}
    assert {each["name"] for each in manifest["files"]} == expected
    assert {path.name for path in made.iterdir()} == {*expected, "manifest.json", "manifest.json.minisig"}
    for each in manifest["files"]:
        dump.check_file(made / each["name"], each)
    assert manifest["schema"] == site.one("SELECT version_num FROM alembic_version")
    assert manifest["feed"]["after"] == site.one("SELECT max(seq) FROM change_log")
    assert int(manifest["feed"]["touched"]) > 0
    assert (manifest["url"], manifest["licence"]) == (SOURCE.url, SOURCE.licence)
    damaged = tmp_path / "issues.jsonl.zst"
    damaged.write_bytes((made / damaged.name).read_bytes()[:-1] + b"?")
    described = next(each for each in manifest["files"] if each["name"] == damaged.name)
    with pytest.raises(dump.DumpError, match="damaged"):
        dump.check_file(damaged, described)


def test_the_crosswalk_has_all_ids_of_other_databases(dumped):
    site, _key, made = dumped
    with compression.open_plain(made / "crosswalk.csv.zst") as stream:
        lines = list(csv.reader(io.TextIOWrapper(stream, "utf-8")))
    assert lines[0] == ["kind", "id", "slug", "source", "external_id", "scope"]
    number, slug, cv, gcd = site.query("SELECT id, slug, cv_id, gcd_id FROM series ORDER BY id LIMIT 1")[0]
    assert ["series", str(number), slug, "comicvine", str(cv), ""] in lines
    assert ["series", str(number), slug, "gcd", str(gcd), ""] in lines
    further = site.query("SELECT source, external_id, scope FROM external_id")
    assert further
    assert all(any(line[3:] == list(each) for line in lines) for each in further)


def test_a_dump_is_of_one_moment(site, key):
    before = {table: rows(site, table) for table in public_tables.PUBLIC_COLUMNS}

    def write(_words):
        site.query("UPDATE publisher SET name = name || '!'")
        site.query("DELETE FROM external_id")

    made = make(site, key, write)
    with sqlite(made) as file:
        for table in ("publisher", "external_id"):
            [(count,)] = file.execute(f'SELECT count(*) FROM "{table}"').fetchall()
            assert count == len(before[table]) > 0
        names = {name for (name,) in file.execute("SELECT name FROM publisher")}
    with compression.open_plain(made / "publishers.jsonl.zst") as stream:
        assert {orjson.loads(line)["name"] for line in stream} == names
    assert not any(name.endswith("!") for name in names)


def test_a_dump_that_fails_leaves_nothing_and_what_was_killed_is_removed(site, key):
    folder = site.folder / "dumps"
    (folder / "20260101T000000Z.partial").mkdir(parents=True)
    (folder / "download.partial").touch()  # not ours

    def fail(_words):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        make(site, key, fail)
    assert [each.name for each in folder.iterdir()] == ["download.partial"]


def test_a_dump_on_a_full_disk_names_the_folder_and_leaves_nothing(site, key):
    folder = site.folder / "dumps"
    with full_disk(), pytest.raises(dump.DumpError, match=f"cannot be written to {folder}: "):
        make(site, key)
    assert list(folder.iterdir()) == []


def test_a_storage_of_covers_that_is_down_is_not_taken_for_the_folder(site, key, monkeypatch):
    def refuse(*_arguments):
        raise StorageDownError("The object storage does not answer.")

    for name in ("open", "read", "exists", "identity"):
        monkeypatch.setattr(site.storage, name, refuse)
    with pytest.raises(StorageDownError, match="object storage"):
        dump.make(site.engine, site.folder / "dumps", key, SOURCE, covers=site.storage, report=lambda _: None)
    assert list((site.folder / "dumps").iterdir()) == []


def test_old_dumps_are_removed_but_not_the_newest(site, key):
    folder = site.folder / "dumps"
    old = folder / (clock.now() - timedelta(days=9)).strftime(dump.TIME_FORMAT)
    made = make(site, key)
    shutil.copytree(made, old)
    assert dump.dumps(folder) == [made, old]
    assert dump.delete_older(folder, 10) == []
    assert dump.delete_older(folder, 8) == [old]
    shutil.move(made, old)
    assert dump.delete_older(folder, 8) == []


def test_dumps_of_a_clock_that_was_ahead_are_no_newest(site, key):
    folder = site.folder / "dumps"
    future = folder / (clock.now() + timedelta(days=3650)).strftime(dump.TIME_FORMAT)
    shutil.move(make(site, key), future)
    assert dump.dumps(folder) == [future]
    assert dump.delete_older(folder, 8) == []
    made = make(site, key)
    assert dump.dumps(folder) == [made, future]
    assert dump.delete_older(folder, 8) == [future]
    assert dump.dumps(folder) == [made]


def test_a_dump_whose_removal_is_interrupted_is_not_offered(site, key, monkeypatch):
    folder = site.folder / "dumps"
    made = make(site, key)
    old = folder / (clock.now() - timedelta(days=9)).strftime(dump.TIME_FORMAT)
    shutil.copytree(made, old)

    def remove_some(path, **_options):
        (path / dump.CROSSWALK).with_suffix(".csv.zst").unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", remove_some)
        with pytest.raises(KeyboardInterrupt):
            dump.delete_older(folder, 8)
    assert dump.dumps(folder) == [made]
    newest = make(site, key)  # removes the rest
    assert sorted(folder.iterdir()) == [made, newest]


def test_minisign_verifies_what_is_signed_and_its_keys_are_taken(tmp_path):
    command, path = program("minisign"), tmp_path / "manifest.json"
    path.write_bytes(b"{}\n")
    ours = minisign.Key.open(tmp_path / "ours.key")
    assert (tmp_path / "ours.key").stat().st_mode & 0o777 == 0o600
    assert minisign.Key.open(tmp_path / "ours.key").public == ours.public
    subprocess.run(
        [command, "-G", "-W", "-p", tmp_path / "theirs.pub", "-s", tmp_path / "theirs.key"], check=True
    )
    theirs = minisign.Key.open(tmp_path / "theirs.key")
    assert theirs.public == (tmp_path / "theirs.pub").read_text().splitlines()[1]
    for key in (ours, theirs):
        (tmp_path / "manifest.json.minisig").write_text(key.sign(path.read_bytes(), "a comment"))
        done = subprocess.run(
            [command, "-V", "-P", key.public, "-m", path], check=True, capture_output=True, text=True
        )
        assert "a comment" in done.stdout
    # The other way round: minisign signs with our key, and we verify.
    subprocess.run([command, "-S", "-s", tmp_path / "ours.key", "-m", path, "-t", "its comment"], check=True)
    signature = (tmp_path / "manifest.json.minisig").read_text()
    assert minisign.verify(path.read_bytes(), signature, ours.public) == "its comment"


def test_a_changed_content_comment_or_key_is_told(key, tmp_path):
    signature = key.sign(b"content", "comment")
    assert minisign.verify(b"content", signature, key.public) == "comment"
    other = minisign.Key.open(tmp_path / "other.key")
    for content, signed, public in (
        (b"Content", signature, key.public),
        (b"content", signature.replace("comment: comment", "comment: another"), key.public),
        (b"content", signature, other.public),
        (b"content", signature, "nonsense"),
        (b"content", "nonsense", key.public),
    ):
        with pytest.raises(minisign.VerificationError):
            minisign.verify(content, signed, public)


def test_a_file_that_is_no_key_is_told(tmp_path):
    path = tmp_path / "some.key"
    path.write_text("untrusted comment: nothing\nbm90aGluZw==\n")
    with pytest.raises(minisign.KeyFileError, match="minisign -G -W"):
        minisign.Key.open(path)


def test_a_key_that_cannot_be_written_is_told_and_leaves_no_file_in_its_place(tmp_path):
    path = tmp_path / "keys" / "some.key"
    with full_disk(), pytest.raises(minisign.KeyFileError, match=f"key {path} cannot be created: "):
        minisign.Key.open(path)
    assert minisign.Key.open(path).public == minisign.Key.open(path).public


def test_a_dump_imports_into_an_empty_site_with_the_same_data(site, key, cluster, template, tmp_path):
    made = make(site, key)
    with temporary_importer(cluster, template, "reimported", tmp_path / "again") as again:
        again.run(made, accounts=False)
        assert again.problems(damage(made), accounts=False) == [
            f"issues.jsonl.zst: {made / 'issues.jsonl.zst'} is damaged: it is not what the manifest says."
        ]
        expected, found = read_set(site.export("given")), read_set(again.export("again"))
        for name, each in expected.items():
            for row in each:
                if "image" in row:
                    row["image"] = ""
                for fact in PICTURE_FACTS:  # a dump without covers has no files to describe
                    row.pop(fact, None)
            assert found[name] == each, name
        assert any(row["cover_hash"] for row in found["issues"])
        # A dump changes nothing in the site that it was made from.
        before = site.query("SELECT id, image FROM issue ORDER BY id")
        assert not site.run(make(site, key), accounts=False).changed_anything
        assert site.query("SELECT id, image FROM issue ORDER BY id") == before


def test_a_pack_of_covers_is_reproducible_and_taken_by_an_import(site, key, cluster, template, tmp_path):
    covers = [key for (key,) in site.query("SELECT image FROM issue UNION SELECT image FROM variant")]
    keys = sorted(key for key in covers if key)
    lost = keys.pop()
    site.storage.path(lost).unlink()
    first, second = (
        dump.make(site.engine, site.folder / "dumps", key, SOURCE, covers=site.storage, report=lambda _: None)
        for _ in range(2)
    )
    assert (first / "covers.tar").read_bytes() == (second / "covers.tar").read_bytes()
    manifest = orjson.loads((first / "manifest.json").read_bytes())
    assert manifest["covers"] == {"pictures": len(keys), "missing": 1}
    [described] = [each for each in manifest["files"] if each["name"] == "covers.tar"]
    dump.check_file(first / "covers.tar", described)
    found = dict(dump_covers.read(first / "covers.tar"))
    assert list(found) == keys
    assert all(Image.open(io.BytesIO(each)).format == "WEBP" for each in found.values())
    subprocess.run(["tar", "-xf", "covers.tar"], cwd=first, check=True)
    with temporary_importer(cluster, template, "with_covers", tmp_path / "again") as again:
        again.run(first, accounts=False)
        taken = [each for each in again.query("SELECT image FROM issue") if each[0]]
        assert taken
        assert all(again.storage.read(image) in found.values() for (image,) in taken)


def test_covers_of_a_dump_replace_no_larger_pictures(site, key):
    issues = [each for (each,) in site.query("SELECT id FROM issue WHERE image <> '' ORDER BY id")]
    variant = site.one("SELECT min(id) FROM variant WHERE image <> ''")

    def give(kind: str, row_id: int, color: str, width: int) -> str:
        """Give a row another cover, without a pHash; returns its key."""
        cover = save_picture(site.storage, kind, picture(color, (width, width * 3 // 2)), "png")
        site.query(
            f"UPDATE {kind} SET image = :cover, image_width = :width, image_height = :width * 3 / 2,"
            " cover_hash = '' WHERE id = :id",
            cover=cover,
            width=width,
            id=row_id,
        )
        return cover

    def covers() -> list[tuple]:
        return [
            row
            for kind in ("issue", "variant")
            for row in site.query(f"SELECT id, image, image_width, image_height FROM {kind} ORDER BY id")
        ]

    give("issue", issues[0], "red", 800)
    give("variant", variant, "blue", 800)
    made = dump.make(
        site.engine, site.folder / "dumps", key, SOURCE, covers=site.storage, report=lambda _: None
    )
    subprocess.run(["tar", "-xf", "covers.tar"], cwd=made, check=True)
    before, hashes = covers(), site.query("SELECT picture FROM picture_hash ORDER BY picture")
    assert not site.run(made, accounts=False).changed_anything
    assert covers() == before
    assert all(site.storage.exists(image) for _, image, *_ in before if image)
    assert site.query("SELECT picture FROM picture_hash ORDER BY picture") == hashes
    # Another picture is replaced only by one that is as large.
    larger, smaller = give("issue", issues[0], "green", 700), give("variant", variant, "green", 100)
    report = site.run(made, accounts=False)
    assert (report.counts["issues"]["changed"], report.counts["variants"]["changed"]) == (0, 1)
    assert site.one("SELECT image FROM issue WHERE id = :id", id=issues[0]) == larger
    assert site.query("SELECT image_width, image_height FROM variant WHERE id = :id", id=variant) == [
        (320, 480)
    ]
    assert (site.storage.exists(larger), site.storage.exists(smaller)) == (True, False)


def damage(made):
    """Truncate a file of the dump; returns the dump."""
    path = made / "issues.jsonl.zst"
    path.write_bytes(path.read_bytes()[:-1])
    return made


def test_the_document_has_every_table_column_and_index():
    sections = dict(section.split("\n", 1) for section in DOCUMENT.read_text("utf-8").split("\n### ")[1:])
    meanings = re.findall(r"^\| (`.*?) \|", sections.pop("What the columns mean"), re.MULTILINE)
    described = {name for each in meanings for name in re.findall(r"`(\w+)`", each)}
    indexes = defaultdict(list)
    for statement in dump_sqlite.indexes():
        table, columns = re.search(r'ON "(\w+)" \((.*)\)', statement).groups()
        indexes[table].append(f"`{columns.replace(chr(34), '')}`")
    assert list(sections) == list(public_tables.PUBLIC_COLUMNS)
    for table, columns in public_tables.PUBLIC_COLUMNS.items():
        words = " ".join(sections[table].split())
        assert f"Columns: {', '.join(f'`{name}`' for name in columns)}" in words, table
        key = [f"`{column.name}`" for column in metadata.tables[table].primary_key]
        assert f"Primary key: {', '.join(key)}" in words, table
        assert f"Indexes: {'; '.join(indexes[table])}" in words if indexes[table] else "Indexes" not in words
        assert described >= set(columns)
