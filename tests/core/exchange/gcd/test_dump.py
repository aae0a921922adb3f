"""Opening dumps: SQLite files, the output of mysqldump, zip files, and files that are not dumps."""

import sqlite3
import zipfile

import pytest

from comicsdb.exchange.gcd import dump
from comicsdb.exchange.gcd.dump import DumpError, open_dump
from tests.full_disk import full_disk
from tests.gcd_dump import GcdDump

HARD = "O'Neil \\ \"quoted\", (in) brackets; two\nlines, ½ 漫画 ''"


@pytest.fixture(scope="module")
def rows():
    """A dump with one issue, whose story has a title that is hard to parse, and deleted rows."""
    made = GcdDump()
    made.add("gcd_publisher", name="Marvel")
    made.add("gcd_publisher", name="Gone", deleted=1)
    series = made.add("gcd_series", name="X-Men", year_began=1963, publisher_id=1, is_comics_publication=1)
    issue = made.add("gcd_issue", number="1", series_id=series, page_count=36.5)
    made.add("gcd_issue", number="2", series_id=series, deleted=1)
    made.add("gcd_story", title=HARD, issue_id=issue, type_id=19)
    return made


def zipped(path, *files):
    """A zip file with these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    return path


def test_every_form_of_a_dump_has_the_same_rows(rows, tmp_path):
    plain = rows.sqlite(tmp_path / "2026-07-01.db")
    text = rows.mysql(tmp_path / "2026-08-15.sql")
    bare = rows.sqlite(tmp_path / "bare.db", indexed=False)
    found, steps = {}, {}
    for path in (plain, text, bare, zipped(tmp_path / "a.zip", plain), zipped(tmp_path / "b.zip", text)):
        steps[path.name] = []
        with open_dump(path, tmp_path / "working", steps[path.name].append) as source:
            found[path.name] = (
                source.rows("SELECT id, name, year_began FROM gcd_publisher"),
                source.rows("SELECT id, number, CAST(page_count AS REAL), variant_of_id FROM gcd_issue"),
                source.rows("SELECT title FROM gcd_story"),
            )
            with pytest.raises(sqlite3.OperationalError):
                source.connection.execute("DELETE FROM main.gcd_story")
    assert found.pop(plain.name) == (
        [(1, "Marvel", None)],
        [(1, "1", 36.5, None)],
        [(HARD,)],
    )
    assert set(found) == {"2026-08-15.sql", "bare.db", "a.zip", "b.zip"}
    for each in found.values():
        assert each == ([(1, "Marvel", None)], [(1, "1", 36.5, None)], [(HARD,)])
    assert steps["2026-07-01.db"] == []
    assert steps["bare.db"] == ["copying the dump", "indexing the dump"]
    assert steps["b.zip"] == ["reading the dump of MySQL"]


def test_what_was_made_of_a_dump_is_found_again_until_it_is_discarded(rows, tmp_path):
    text, working = rows.mysql(tmp_path / "dump.sql"), tmp_path / "working"
    with open_dump(text, working):
        pass
    steps = []
    with open_dump(text, working, steps.append):
        pass
    assert (steps, len(list(working.iterdir()))) == ([], 1)
    dump.remove_copy(text, working)
    assert list(working.iterdir()) == []


def test_tables_and_columns_that_a_dump_lacks_are_empty(tmp_path):
    path = tmp_path / "small.db"
    connection = sqlite3.connect(path)
    for table in ("gcd_publisher", "gcd_series", "gcd_issue", "gcd_story"):
        connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT)")
    connection.execute("INSERT INTO gcd_publisher VALUES (7, 'Marvel')")
    connection.commit()
    connection.close()
    with open_dump(path, tmp_path) as source:
        assert source.rows("SELECT id, name, notes, country_id FROM gcd_publisher") == [
            (7, "Marvel", "", None)
        ]
        assert source.rows("SELECT * FROM gcd_reprint") == []


ONE_COLUMN = b"-- MySQL dump\nCREATE TABLE `gcd_story` (\n  `id` int,\n) x;\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "is neither an SQLite file nor a dump of MySQL"),
        (b"", "is neither an SQLite file nor a dump of MySQL"),
        (b"-- MySQL dump\n", "The dump has no table gcd_publisher"),
        (
            ONE_COLUMN + b"INSERT INTO `gcd_story` VALUES (1,2);\n",
            "Line 5 of the dump: gcd_story has 1 columns, but a row has 2 values",
        ),
        (
            ONE_COLUMN + b"INSERT INTO `gcd_story` VALUES (1);(;\nINSERT INTO `gcd_story` VALUES (x);\n",
            "Line 6 of the dump: no value at character",
        ),
        (
            ONE_COLUMN + b"INSERT INTO `gcd_story` VALUES (1",
            "Line 5 of the dump is cut off: download it again",
        ),
        (
            ONE_COLUMN + b"INSERT INTO `gcd_story` VALUES (1)",
            "Line 5 of the dump is cut off: download it again",
        ),
        (b"SQLite format 3\0 and rubbish", "cannot be read"),
    ],
)
def test_other_files_are_refused(content, message, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DumpError, match=message), open_dump(path, tmp_path / "working"):
        pass
    assert not list((tmp_path / "working").glob("*"))


def test_a_zip_file_with_several_files_and_a_missing_file_are_refused(rows, tmp_path):
    text = rows.mysql(tmp_path / "dump.sql")
    other = rows.sqlite(tmp_path / "dump.db")
    with (
        pytest.raises(DumpError, match=r"two.zip contains 2 files; a dump is one\."),
        open_dump(zipped(tmp_path / "two.zip", text, other), tmp_path),
    ):
        pass
    with pytest.raises(DumpError, match="There is no file"), open_dump(tmp_path / "none.zip", tmp_path):
        pass


def test_a_damaged_download_is_to_be_repeated(rows, tmp_path):
    whole = rows.sqlite(tmp_path / "dump.db").read_bytes()
    packed = zipped(tmp_path / "whole.zip", tmp_path / "dump.db").read_bytes()
    at = packed.index(b"dump.db") + 40
    for name, content in (
        ("cut.zip", packed[:-30]),
        ("cut.db", whole[:8192]),
        ("spoilt.zip", packed[:at] + b"\xff" * 40 + packed[at + 40 :]),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with (
            pytest.raises(DumpError, match=rf"{name} cannot be read \(download it again\)"),
            open_dump(path, tmp_path / "working"),
        ):
            pass
    assert not list((tmp_path / "working").glob("*"))


def test_a_full_disk_is_named_and_keeps_no_part_of_the_copy(rows, tmp_path):
    path = zipped(tmp_path / "dump.zip", rows.sqlite(tmp_path / "dump.db"))
    working = tmp_path / "working"
    with full_disk(), pytest.raises(DumpError, match="--working"), open_dump(path, working):
        pass
    assert not list(working.glob("*"))


def test_bombs_are_refused_before_they_are_unpacked(tmp_path):
    (tmp_path / "bomb.db").write_bytes(b"SQLite format 3\0" + bytes(200 << 20))
    (tmp_path / "line.sql").write_bytes(b"-- " + b"x" * (65 << 20))
    for path, words in (
        (zipped(tmp_path / "bomb.zip", tmp_path / "bomb.db"), r"bomb.zip is more than 100 times as large"),
        (tmp_path / "line.sql", r"Line 1 of the dump has more than 67,108,864 bytes"),
    ):
        working = tmp_path / path.stem
        working.mkdir()
        with pytest.raises(DumpError, match=words), open_dump(path, working):
            pass
        assert sum(each.stat().st_size for each in working.iterdir()) < 1 << 20
