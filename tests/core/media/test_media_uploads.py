"""Uploaded pictures: removed with a rolled-back transaction, measured, hashed, and refused if invalid."""

import io

import pytest
from PIL import Image

from comicsdb import models
from comicsdb.db import session_factory
from comicsdb.imaging import decoder, metadata
from comicsdb.imaging.hashes import hashes
from comicsdb.imaging.images import ORIENTATION, render, thumbnail
from comicsdb.imaging.picture import SIZES, PictureError
from comicsdb.media.storage import STORAGE_OUTAGE, THUMBNAILS, FolderStorage, StorageDownError
from comicsdb.media.uploads import hashes_of, no_picture, picture_values
from tests.core.media.test_media_storage import names
from tests.dataset import picture
from tests.pictures import encoded


def drawn(mode: str, form: str, **options) -> bytes:
    """A picture with some content, in a mode of Pillow."""
    image = Image.radial_gradient("L").resize((60, 90)).convert("RGB")
    image.paste("red", (0, 0, 30, 20))
    if mode == "P":
        image = image.quantize(16)
        options["transparency"] = 3
    image = Image.new("I;16", (60, 90), 40_000) if mode == "I;16" else image.convert(mode)
    return encoded(image, form, **options)


def distance(one: str, other: str) -> int:
    """The number of bits in which two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def test_a_rollback_leaves_no_file_even_before_the_first_statement(storage, engine):
    with session_factory(engine)() as session:
        picture_values(session, storage, "arc", picture(), hashed=False)
        assert len(set(names(storage))) == 1
        session.rollback()
        assert names(storage) == []
        picture_values(session, storage, "arc", picture(), hashed=False)
    assert names(storage) == []  # closing the session without a commit does the same


def test_a_savepoint_is_no_commit_and_no_end(folder, session):
    session.begin_nested()
    values = picture_values(session, folder, "user", picture(), hashed=False)
    session.get_nested_transaction().rollback()
    assert set(names(folder)) == {values["image"]}  # the request may still use it
    session.rollback()
    assert names(folder) == []


def test_several_pictures_of_one_transaction_share_its_end(storage, session):
    kept = [picture_values(session, storage, "arc", picture(), hashed=False)["image"] for _ in range(2)]
    session.commit()
    picture_values(session, storage, "arc", picture(), hashed=False)
    session.rollback()
    assert set(names(storage)) == set(kept)


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("RGB", "JPEG"),
        ("CMYK", "JPEG"),
        ("L", "JPEG"),
        ("1", "PNG"),
        ("P", "PNG"),
        ("P", "GIF"),
        ("RGBA", "PNG"),
        ("LA", "PNG"),
        ("I;16", "PNG"),
        ("RGBA", "WEBP"),
        ("RGBA", "AVIF"),
    ],
)
def test_a_cover_of_any_mode_is_stored_measured_and_hashed(folder, session, mode, form):
    values = picture_values(session, folder, "issue", drawn(mode, form), hashed=True)
    assert (values["image_width"], values["image_height"]) == (60, 90)
    with Image.open(io.BytesIO(folder.read(values["image"]))) as image:
        assert values["cover_hash"] == hashes(image)["phash"]
    assert len(values["cover_hash"]) == 16


def test_a_turned_cover_is_measured_as_it_is_shown(folder, session):
    values = picture_values(session, folder, "issue", drawn("RGB", "JPEG", exif=_turned()), hashed=True)
    assert (values["image_width"], values["image_height"]) == (90, 60)
    with Image.open(io.BytesIO(drawn("RGB", "JPEG"))) as upright:
        turned = upright.transpose(Image.Transpose.ROTATE_270)
        assert distance(values["cover_hash"], hashes(turned)["phash"]) <= 4  # JPEG loses a little
        assert distance(values["cover_hash"], hashes(upright)["phash"]) > 10


def test_a_cover_of_sixteen_bits_is_seen_as_one_of_eight(folder, session):
    grey = Image.radial_gradient("L").resize((60, 90))
    stored = {}
    for mode, picture_of in (("L", grey), ("I;16", grey.convert("I").point(lambda value: value * 257))):
        data = encoded(picture_of.convert(mode))
        stored[mode] = picture_values(session, folder, "issue", data, hashed=True)
    assert stored["I;16"]["cover_hash"] == stored["L"]["cover_hash"]
    shown = [folder.read(stored[mode]["image"]) for mode in stored]
    one, other = (render(each, "card").convert("L").tobytes() for each in shown)
    assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1


@pytest.mark.parametrize(
    ("kind", "sizes"), [("issue", ["cover", "cover_large", "list_item"]), ("shop", ["card", "portrait"])]
)
def test_picture_values_of_an_upload_stores_the_thumbnails_that_are_shown_first(folder, session, kind, sizes):
    data = drawn("RGBA", "PNG", exif=_turned())
    key = picture_values(session, folder, kind, data, hashed=False)["image"]
    assert [size for size in SIZES if folder.exists(key, size)] == sorted(sizes, key=list(SIZES).index)
    for size in sizes:
        with folder.open(key, size) as stored:
            assert stored.read() == thumbnail(folder.read(key), size)
    session.rollback()
    assert not any(folder.exists(key, size) for size in SIZES)


def test_picture_values_if_thumbnails_cannot_be_stored_stores_the_picture(folder, session):
    folder.folder.mkdir(exist_ok=True)
    (folder.folder / THUMBNAILS).write_bytes(b"not a folder")
    key = picture_values(session, folder, "issue", picture(), hashed=True)["image"]
    assert folder.exists(key)


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    return exif


def test_only_covers_are_hashed(folder, session):
    assert "cover_hash" not in picture_values(session, folder, "arc", picture(), hashed=False)
    assert "cover_hash" not in no_picture(hashed=False)
    assert no_picture(hashed=True)["cover_hash"] == ""


def test_a_cover_that_cannot_be_hashed_is_cleaned_all_the_same(monkeypatch):
    def fail(_image):
        raise OSError("image file is truncated")

    monkeypatch.setattr(decoder, "hashes", fail)
    answer, result = decoder.clean(picture(), hashed=True)
    assert answer == {"width": 20, "height": 30, "format": "PNG", "lengths": [len(picture())]}
    assert result == picture()


def test_what_is_no_picture_has_no_hash_and_a_line_in_the_log(caplog):
    assert hashes_of(b"no picture", "of issue 7") == {}
    assert "The cover of issue 7 cannot be opened" in caplog.text


def test_a_disk_that_takes_nothing_is_told_as_such(session, tmp_path, caplog):
    STORAGE_OUTAGE.forget()
    (tmp_path / "full").write_bytes(b"")
    with pytest.raises(StorageDownError):
        picture_values(session, FolderStorage(tmp_path / "full" / "media"), "user", picture(), hashed=False)
    assert "cannot be stored" in caplog.text
    session.rollback()


def test_nothing_is_stored_of_what_is_no_picture(folder, session):
    for data in (b"", b"<svg onload=alert(1)>", b"%PDF-1.7", picture()[:40], picture(form="BMP")):
        with pytest.raises(PictureError):
            picture_values(session, folder, "issue", data, hashed=True)
    assert list(folder.entries()) == []


def test_what_would_take_too_long_to_code_anew_is_refused(monkeypatch):
    frames = [Image.new("RGB", (40, 40), color) for color in ("red", "green", "blue")]
    moving = encoded(frames[0], "AVIF", save_all=True, append_images=frames[1:], xmp=b"<x/>")
    assert decoder.clean(moving, hashed=False)[0]["width"] == 40
    monkeypatch.setattr(metadata, "AVIF_PIXELS", 3 * 40 * 40 - 1)
    with pytest.raises(PictureError, match="has metadata, which"):
        decoder.clean(moving, hashed=False)
    plain = picture(size=(90, 90), form="AVIF")  # it has no metadata to remove
    assert decoder.clean(plain, hashed=False)[0]["width"] == 90


def test_a_row_may_name_what_was_stored_before_it(storage, session, catalog):
    """The order that `uploads` needs: first the picture, then the catalog, whose lock others wait for."""
    values = picture_values(session, storage, "arc", picture(), hashed=False)
    arc = catalog.create(models.Arc, {"name": "Salt Tide"} | values)
    session.commit()
    assert (arc.image, arc.image_width, storage.exists(arc.image)) == (values["image"], 20, True)
