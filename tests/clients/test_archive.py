"""Writing tags into archives: everything else stays the same, byte for byte, even after a failure."""

import io
import os
import stat
import struct
import tracemalloc
import zipfile
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest

from comicsdb_client import archive
from comicsdb_client.archive import ArchiveError, read_contents, write_tags

TAGS = {"ComicInfo.xml": b"<ComicInfo/>", "MetronInfo.xml": b"<MetronInfo/>"}
PAGE = bytes(range(256)) * 40


def made(path: Path, members=(), *, comment=b"", before=b"") -> Path:
    """An archive with two pages, of which the second is compressed.

    The members stand before the second page, or before the first if their names begin with "0".
    """
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.comment = comment
        for number, method in enumerate((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)):
            for name, text in members:
                if name.startswith("0") == (number == 0):
                    file.writestr(name, text, zipfile.ZIP_DEFLATED)
            page = zipfile.ZipInfo(f"Così/page {number}.JPG", (1999, 12, 31, 23, 59, 58))
            page.external_attr, page.comment, page.extra = (
                0o640 << 16,
                b"note",
                struct.pack("<HH2s", 9, 2, b"xy"),
            )
            file.writestr(page, PAGE, method)
    path.write_bytes(before + data.getvalue())
    return path


def members(path: Path) -> dict:
    """The metadata of each member, except its position, with its local header and compressed data."""
    data, found = path.read_bytes(), {}
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        for info in file.infolist():
            lengths = struct.unpack_from("<2H", data, info.header_offset + 26)
            end = info.header_offset + 30 + sum(lengths) + info.compress_size
            known = (
                info.date_time,
                info.external_attr,
                info.comment,
                info.extra,
                info.compress_type,
                info.CRC,
            )
            assert info.filename not in found
            found[info.filename] = (*known, data[info.header_offset : end])
    return found


def test_hidden_files_are_no_pages(tmp_path):
    hidden = ("__MACOSX/Così/._page 0.JPG", "__MACOSX/Così/._page 1.JPG", ".cover.png")
    path = made(tmp_path / "a.cbz", [(name, b"x") for name in hidden])
    assert read_contents(path, TAGS).pages == 2


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n" * 9])
@pytest.mark.parametrize(
    "old",
    [[], [("comicinfo.XML", b"old")], [("0.txt", b"x"), ("ComicInfo.xml", b"old"), ("MetronInfo.xml", b"")]],
)
def test_all_but_the_tags_stays_byte_for_byte(tmp_path, old, before):
    path = made(tmp_path / "a.cbz", old, comment=b"a comment", before=before)
    had = {
        name: each
        for name, each in members(path).items()
        if name.lower() not in {"comicinfo.xml", "metroninfo.xml"}
    }
    for _ in range(2):
        write_tags(path, TAGS)
        now = members(path)
        assert {name: now.pop(name)[4] for name in TAGS} == dict.fromkeys(TAGS, zipfile.ZIP_DEFLATED)
        assert now == had
        assert path.read_bytes().startswith(before)
        assert zipfile.ZipFile(path).comment == b"a comment"
        assert read_contents(path, TAGS).tags == {name.lower(): text for name, text in TAGS.items()}
    once = path.stat().st_size
    write_tags(path, TAGS)
    assert path.stat().st_size == once  # the replaced tags leave nothing behind
    assert os.listdir(tmp_path) == ["a.cbz"]


def test_members_that_were_written_as_a_stream(tmp_path):
    path = tmp_path / "a.cbz"

    class Stream(io.RawIOBase):
        """A file that is not seekable, so sizes are written after the data."""

        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data)
            return len(data)

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("ComicInfo.xml", "1.jpg", "MetronInfo.xml", "2.jpg"):
            file.writestr(name, PAGE)
    path.write_bytes(stream.data)
    write_tags(path, TAGS)
    with zipfile.ZipFile(path) as file:
        assert file.namelist() == ["1.jpg", "2.jpg", *TAGS]
        assert file.testzip() is None


def test_mode_links_and_an_empty_archive(tmp_path):
    path = tmp_path / "real.cbz"
    zipfile.ZipFile(path, "w").close()
    path.chmod(0o604)
    link = tmp_path / "link.cbz"
    link.symlink_to(path)
    write_tags(link, TAGS)
    assert link.is_symlink()
    assert list(members(path)) == list(TAGS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_what_is_in_an_archive(tmp_path):
    path = made(tmp_path / "a.cbz", [("ComicInfo.xml", b"<a/>"), ("folder/MetronInfo.xml", b"<b/>")])
    tags = {"comicinfo.xml": b"<a/>", "metroninfo.xml": b"<b/>"}
    members = {"comicinfo.xml": "ComicInfo.xml", "metroninfo.xml": "folder/MetronInfo.xml"}
    assert read_contents(path, TAGS) == archive.Contents(tags, members, 2)


@pytest.mark.parametrize(
    ("stored", "content", "member"),
    [
        (["sub/ComicInfo.xml"], b"<a n='0'/>", "sub/ComicInfo.xml"),
        (["ComicInfo.xml", "sub/ComicInfo.xml"], b"<a n='0'/>", "ComicInfo.xml"),
        (["sub/ComicInfo.xml", "comicinfo.xml", "a/b/ComicInfo.xml"], b"<a n='1'/>", "comicinfo.xml"),
        (["__MACOSX/._ComicInfo.xml", "sub/ComicInfo.xml"], b"<a n='1'/>", "sub/ComicInfo.xml"),
    ],
)
def test_tags_in_a_folder_are_read_and_replaced_where_they_are(tmp_path, stored, content, member):
    path = made(tmp_path / "a.cbz", [(name, f"<a n='{number}'/>") for number, name in enumerate(stored)])
    contents = read_contents(path, TAGS)
    assert (contents.tags["comicinfo.xml"], contents.members["comicinfo.xml"]) == (content, member)
    write_tags(path, {member: b"<ComicInfo/>"})
    assert read_contents(path, TAGS).tags["comicinfo.xml"] == b"<ComicInfo/>"
    with zipfile.ZipFile(path) as file:
        assert sorted(name for name in file.namelist() if name.endswith(".xml")) == sorted(stored)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:0],
        lambda data: b"Rar!" + data[4:-300],
        lambda data: data[:-60],
        lambda data: data[: data.rindex(b"PK\5\6") + 9],
        lambda data: data[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 9, 0xFFFFFFFF, 0),
        lambda data: data[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, 9, len(data) * 2, 0),
        lambda data: data.replace(b"PK\1\2", b"PK\7\7"),
        lambda data: data[:-12] + b"\4\0" + data[-10:],  # announces more members than it has
    ],
)
def test_what_is_no_good_archive_stays_as_it_is(tmp_path, damage):
    path = made(tmp_path / "a.cbz")
    data = damage(path.read_bytes())
    path.write_bytes(data)
    with pytest.raises(ArchiveError):
        write_tags(path, TAGS)
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["a.cbz"]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damaged_tags_are_refused(tmp_path, method):
    path = tmp_path / "a.cbz"
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("ComicInfo.xml", PAGE)
    data = bytearray(path.read_bytes())
    begin = 30 + len("ComicInfo.xml") + (9 if method == zipfile.ZIP_LZMA else 0)  # LZMA's own header
    data[begin : begin + 20] = b"\xff" * 20
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match="not a readable archive"):
        read_contents(path, TAGS)


def test_tags_that_are_longer_than_the_directory_says_do_not_fill_the_memory(tmp_path):
    path, size = tmp_path / "a.cbz", 16 * archive.TAG_BYTES
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ComicInfo.xml", bytes(size))
    path.write_bytes(path.read_bytes().replace(struct.pack("<L", size), struct.pack("<L", 9)))
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="not a readable archive"):
            read_contents(path, TAGS)
        assert tracemalloc.get_traced_memory()[1] < 4 * archive.TAG_BYTES
    finally:
        tracemalloc.stop()


def test_members_that_share_their_data_with_tags_stay(tmp_path):
    path = made(tmp_path / "a.cbz", [("0 ComicInfo", b"old")])
    data = path.read_bytes()
    begin = data.index(b"PK\1\2")
    entry = data[begin : begin + 46 + len("0 ComicInfo")].replace(b"\x0b\0\0\0", b"\x0d\0\0\0", 1)
    entry = entry[:28] + b"\x0d\0" + entry[30:46] + b"ComicInfo.xml"
    end = bytearray(data[-22:])
    count, length = (
        struct.unpack_from("<H", end, 10)[0] + 1,
        struct.unpack_from("<L", end, 12)[0] + len(entry),
    )
    end[8:16] = struct.pack("<2HL", count, count, length)
    path.write_bytes(data[:-22] + entry + bytes(end))
    write_tags(path, TAGS)
    with zipfile.ZipFile(path) as file:
        assert file.read("0 ComicInfo") == b"old"
        assert file.namelist().count("ComicInfo.xml") == 1
    assert read_contents(path, TAGS).tags["comicinfo.xml"] == b"<ComicInfo/>"


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.replace", "comicsdb_client.archive._check"])
def test_a_failure_on_the_way_leaves_the_old_archive(tmp_path, monkeypatch, broken):
    path = made(tmp_path / "a.cbz")
    before = path.read_bytes()

    def fail(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(broken, fail)
        with pytest.raises(OSError, match="No space"):
            write_tags(path, TAGS)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.cbz"]


@pytest.mark.parametrize("is_damaged", [False, True])
def test_files_are_closed_before_they_are_renamed_or_deleted(tmp_path, monkeypatch, is_damaged):
    path = made(tmp_path / "a.cbz")
    if is_damaged:
        path.write_bytes(path.read_bytes()[:-60])
    found = []

    def watched(method):
        def called(*arguments):
            found.append([each.path for each in psutil.Process().open_files() if str(tmp_path) in each.path])
            return method(*arguments)

        return called

    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, watched(getattr(Path, name)))
    with pytest.raises(ArchiveError) if is_damaged else nullcontext():
        write_tags(path, TAGS)
    assert found == [[]]


def test_tags_that_would_not_be_read_again_are_not_written(tmp_path):
    path = made(tmp_path / "a.cbz")
    data = path.read_bytes()
    write_tags(path, {"ComicInfo.xml": b"x" * archive.TAG_BYTES})
    assert len(read_contents(path, TAGS).tags["comicinfo.xml"]) == archive.TAG_BYTES
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match="more than 4,194,304 bytes"):
        write_tags(path, {"ComicInfo.xml": b"x" * (archive.TAG_BYTES + 1)})
    assert path.read_bytes() == data


def test_a_file_that_another_program_changes_meanwhile(tmp_path, monkeypatch):
    path = made(tmp_path / "a.cbz")
    check = archive._check

    def change(*arguments):
        check(*arguments)
        path.write_bytes(b"something new")

    monkeypatch.setattr(archive, "_check", change)
    with pytest.raises(ArchiveError, match="another program"):
        write_tags(path, TAGS)
    assert path.read_bytes() == b"something new"


def test_what_a_killed_program_left_is_removed_an_hour_later(tmp_path):
    for name, age in (("old", 4000), ("new", 10)):
        left = tmp_path / f".comicsdb-{name}.tagging"
        left.write_bytes(b"half")
        os.utime(left, (left.stat().st_mtime - age,) * 2)
    made(tmp_path / "a.cbz")
    archive.remove_leftovers(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".comicsdb-new.tagging", "a.cbz"]
