"""Storages of pictures: the behaviour of folder and bucket, and what is specific to a folder."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from comicsdb.media import storage
from comicsdb.media.storage import BadKeyError, FolderStorage, new_key
from comicsdb.media.thumbnails import NoThumbnailError, open_thumbnail
from tests.cases import for_each
from tests.dataset import picture
from tests.pictures import link_picture, save_picture


def names(media) -> list[str]:
    """The keys of all files in a storage, sorted."""
    return sorted(entry.key for entry in media.entries())


def test_a_key_names_kind_and_day_and_cannot_be_guessed(storage):
    keys = {save_picture(storage, "issue", b"same", "jpg") for _ in range(3)}
    assert len(keys) == 3
    for key in keys:
        kind, year, month, day, name = key.split("/")
        sizes = (kind, len(year), len(month), len(day), len(name))
        assert sizes == ("issue", 4, 2, 2, len("0" * 32 + ".jpg"))
        assert len(key) <= 100
    assert save_picture(storage, "user", b"x", "png").count("/") == 1


def test_bytes_and_files_come_back_as_they_were(storage, tmp_path):
    (tmp_path / "given").write_bytes(b"from a file")
    key = save_picture(storage, "arc", b"bytes", "png")
    assert storage.read(key) == b"bytes"
    content = storage.open(key)
    with content as stream:
        assert (stream.read(), content.size) == (b"bytes", 5)
    assert abs(datetime.now(UTC) - content.modified) < timedelta(minutes=5)
    key = save_picture(storage, "arc", tmp_path / "given", "png")
    (tmp_path / "given").write_bytes(b"changed since")
    assert storage.read(key) == b"from a file"


def test_what_is_not_there_is_said_to_be_missing(storage):
    assert not storage.exists("issue/none.png")
    for ask in (storage.open, storage.read, storage.identity):
        with pytest.raises(FileNotFoundError):
            ask("issue/none.png")
    storage.delete("issue/none.png")
    storage.remove("issue/none.png")
    assert names(storage) == []


def test_a_link_has_the_same_bytes_and_is_removed_alone(storage):
    first = save_picture(storage, "issue", b"cover", "jpg")
    second = link_picture(storage, "variants", first)
    assert second.startswith("variants/")
    assert storage.identity(first) == storage.identity(second)
    storage.delete(first)
    assert (storage.exists(first), storage.read(second)) == (False, b"cover")


def test_a_batch_that_fails_is_taken_back_whole(storage, monkeypatch):
    monkeypatch.setattr(type(storage), "discard_limit", 1)
    kept = save_picture(storage, "issue", b"kept", "jpg")

    def fail():
        with storage.batch() as batch:
            first = batch.put(new_key("issue", "jpg"), b"new")
            batch.put_link(new_key("issue", "jpg"), first)
            assert len(names(storage)) == 3
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        fail()
    assert names(storage) == [kept]


def test_a_file_that_cannot_be_read_leaves_nothing(storage, tmp_path):
    with pytest.raises(FileNotFoundError):
        save_picture(storage, "issue", tmp_path / "missing", "jpg")
    assert names(storage) == []


def test_deleting_a_picture_removes_its_thumbnails(storage):
    key, other = (save_picture(storage, "issue", picture(), "png") for _ in range(2))
    for size, of in (("cover", key), ("card", key), ("cover", other)):
        with open_thumbnail(storage, size, of) as stream:
            assert stream.read(4) == b"RIFF"
    assert names(storage) == sorted([key] * 3 + [other] * 2)
    storage.delete(key)
    assert names(storage) == [other] * 2
    assert (storage.exists(key, "cover"), storage.exists(other, "cover")) == (False, True)
    storage.delete(key)  # deleting it again is no error


def test_a_thumbnail_of_a_picture_that_goes_meanwhile_is_not_kept(storage, monkeypatch):
    key = save_picture(storage, "issue", picture(), "png")
    put = storage.put

    def put_late(*given):
        storage.delete(key)
        put(*given)

    monkeypatch.setattr(storage, "put", put_late)
    with pytest.raises(NoThumbnailError):
        open_thumbnail(storage, "cover", key)
    assert names(storage) == []


def test_discarding_never_fails_and_goes_on(storage, caplog):
    key = save_picture(storage, "issue", b"x", "jpg")
    storage.discard(["../no", key])
    assert "../no cannot be removed" in caplog.text
    assert names(storage) == []


def test_of_very_many_pictures_some_are_left_to_the_sweep(storage, monkeypatch):
    monkeypatch.setattr(type(storage), "discard_limit", 2)
    keys = [save_picture(storage, "issue", b"x", "jpg") for _ in range(3)]
    storage.discard(keys)
    assert names(storage) == keys[2:]


@for_each(
    "key",
    [
        "",
        "/etc/passwd",
        "../outside.png",
        "issue/../../outside.png",
        "issue/./a.png",
        "issue//a.png",
        ".hidden.png",
        "issue/.hidden.png",
        "issue/a\0.png",
        "issue/a.png\n",
        "issue\\a.png",
        "thumbs/cover/issue/a.png",
        "issue/noending",
        "issue/é.png",
        "issue/" + "a" * 100 + ".png",
    ],
)
def test_a_key_that_no_picture_can_have_is_refused(storage, key):
    for ask in (storage.open, storage.identity, storage.delete, lambda key: storage.put(key, b"x")):
        with pytest.raises(BadKeyError):
            ask(key)
    assert not storage.exists(key)
    with pytest.raises(BadKeyError):
        storage.open(key, "cover")


@pytest.mark.parametrize(
    ("kind", "suffix"), [("thumbs", "png"), ("Issue", "png"), ("a/b", "png"), ("arc", "")]
)
def test_no_key_is_made_of_other_words(kind, suffix):
    with pytest.raises(BadKeyError):
        storage.new_key(kind, suffix)


# A folder.


def test_a_link_is_one_file_on_disk(folder):
    first = save_picture(folder, "issue", b"cover", "jpg")
    second = link_picture(folder, "issue", first)
    assert folder.path(first).samefile(folder.path(second))


def test_a_link_is_a_copy_where_the_file_system_has_no_more_links(folder, monkeypatch):
    first = save_picture(folder, "issue", b"cover", "jpg")

    def refuse(*_paths):
        raise OSError(31, "Too many links")

    monkeypatch.setattr(os, "link", refuse)
    second = link_picture(folder, "issue", first)
    assert folder.read(second) == b"cover"
    assert not folder.path(first).samefile(folder.path(second))


def test_a_symbolic_link_does_not_lead_out_of_the_folder(folder, tmp_path):
    (tmp_path / "secret.png").write_bytes(picture())
    folder.folder.mkdir()
    (folder.folder / "issue").symlink_to(tmp_path)
    for ask in (folder.path, folder.open):
        with pytest.raises(BadKeyError, match="leads out"):
            ask("issue/secret.png")
    assert names(folder) == []


def test_a_picture_is_on_disk_before_its_key_is_known(folder, monkeypatch):
    """The order of the calls of fsync: first the file, then the folders that contain its name."""
    asked = []
    real = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda handle: (asked.append(os.readlink(f"/proc/self/fd/{handle}")), real(handle))
    )
    key = save_picture(folder, "user", b"x", "png")
    assert asked[0].endswith(".new")
    assert set(asked[1:]) == {str(path) for path in folder.path(key).parents[:3]}
    asked.clear()
    with folder.batch() as batch:
        keys = [batch.put(new_key("user", "png"), b"x") for _ in range(3)]
    assert len([path for path in asked if path.endswith(".new")]) == len(keys)
    assert asked.count(str(folder.path(key).parent)) == 1  # once for all of them


def test_entries_are_what_is_ours(folder):
    key = save_picture(folder, "issue", picture(), "png")
    open_thumbnail(folder, "cover", key).stream.close()
    unfinished = folder.path(key).with_name(f".{key.rpartition('/')[2]}.1234.new")
    unfinished.write_bytes(b"half")
    for foreign in ("README", ".keep", "issue/notes.txt.bak"):
        (folder.folder / foreign).write_text("not ours")
    with pytest.raises(FileNotFoundError):
        folder.open("README/a.png")
    found = {entry.name: entry.key for entry in folder.entries()}
    assert found == {
        key: key,
        f"thumbs/cover/{key}.webp": key,
        str(unfinished.relative_to(folder.folder)): "",
    }


def test_a_link_is_as_young_as_its_name_not_as_its_bytes(folder):
    old = save_picture(folder, "issue", b"x", "png")
    os.utime(folder.path(old), (0, 0))
    new = link_picture(folder, "issue", old)
    ages = {entry.key: entry.modified for entry in folder.entries()}
    assert abs(datetime.now(UTC) - ages[new]) < timedelta(minutes=5)


def test_two_storages_of_one_folder_are_one(folder):
    key = save_picture(folder, "issue", b"x", "png")
    assert FolderStorage(str(folder.folder)).read(key) == b"x"
