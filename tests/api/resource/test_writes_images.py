"""Pictures sent with a write: error messages, what is stored, and when files are deleted."""

import pytest

from comicsdb.media import decoding, waiting
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Imprint, Issue, Variant
from tests.api.writing import PICTURE_FILES, picture, storage_key
from tests.pictures import interlaced, scans

BAD = {"image": ["Upload a valid image. The file you uploaded was either not an image or a corrupted image."]}
NO_FILE = {"image": ["The submitted data was not a file. Check the encoding type on the form."]}
KINDS = ["arc", "character", "creator", "imprint", "publisher", "team", "universe"]


@pytest.fixture
def stored(media_folder):
    """A function that counts the stored pictures."""
    return lambda: len({entry.key for entry in FolderStorage(media_folder).entries()})


def needed(kind, make):
    """The required fields of a new object."""
    owner = {"publisher": make.publisher().id} if kind in {"imprint", "universe"} else {}
    return {"name": "A", **owner}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_folder(writer, make, media_folder, kind):
    form = needed(kind, make)
    made = writer.post(f"/api/{kind}/", form=form, files=PICTURE_FILES)
    assert made["image"].startswith(f"http://localhost/media/{kind}/")
    assert (media_folder / storage_key(made["image"])).is_file()
    assert writer.json(f"/api/{kind}/{made['id']}/")["image"] == made["image"]
    assert writer.testapp.get(made["image"]).content_type == "image/png"
    kept = writer.put(f"/api/{kind}/{made['id']}/", form=form)
    assert kept["image"] == made["image"]
    blank = writer.patch(f"/api/{kind}/{made['id']}/", form={"image": ""})["image"]
    assert blank == (None if kind == "imprint" else made["image"])
    assert (media_folder / storage_key(made["image"])).is_file() == (kind != "imprint")


def test_the_four_messages(writer, stored):
    before = stored()
    for files, message in (
        ([("image", "x.png", b"")], {"image": ["The submitted file is empty."]}),
        ([("image", "x.png", b"no picture")], BAD),
        ([("image", "x.png", picture()[:60])], BAD),
        ([("image", "x.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")], BAD),
    ):
        assert writer.post("/api/arc/", 400, form={"name": "A"}, files=files) == message
    assert writer.post("/api/arc/", 400, form={"name": "A", "image": "x.png"}) == NO_FILE
    assert stored() == before


def test_a_picture_that_is_much_to_decode_is_refused_with_what_helps(writer, stored, monkeypatch):
    before = stored()
    told = writer.post("/api/arc/", 400, form={"name": "A"}, files=[("image", "x.jpg", scans(65, 64))])
    assert told == {
        "image": ["The file has more than 64 scans: please save it as an ordinary JPEG, not progressive."]
    }
    monkeypatch.setattr(decoding, "CPU_SECONDS", 1)
    heavy = [("image", "x.png", interlaced())]
    (message,) = writer.post("/api/arc/", 400, form={"name": "A"}, files=heavy)["image"]
    assert message.startswith("The file takes too much time or memory to decode: please save it again")
    assert stored() == before
    assert writer.post("/api/arc/", form={"name": "A"}, files=PICTURE_FILES)["image"]  # the decoder goes on


def test_who_sends_too_many_pictures_at_once_is_told_to_wait(writer, stored, monkeypatch):
    monkeypatch.setattr(waiting, "WAIT_SECONDS", 0.01)
    before = stored()
    with decoding.UPLOADS.acquire():
        told = writer.testapp.post(
            "/api/arc/", {"name": "A"}, headers=writer.headers, upload_files=PICTURE_FILES, status=503
        )
    assert told.headers["Retry-After"] == "3"
    assert "Pictures cannot be stored at the moment." in told.json["detail"]
    assert stored() == before


def test_issues_take_no_picture_by_json(writer, make):
    path = f"/api/issue/{make.issue().id}/"
    for value in ("", "x", 5, {}, ["x"]):
        assert writer.patch(path, 400, json={"image": value}) == NO_FILE
    assert writer.patch(path, 400, json={"image": None}) == {"image": ["This field may not be null."]}


def test_size_and_hash_follow_the_picture(writer, session, make):
    issue = make.issue()
    path = f"/api/issue/{issue.id}/"
    writer.patch(path, files=PICTURE_FILES)
    first = writer.json(path)
    session.expire_all()
    assert (issue.image_width, issue.image_height, len(issue.cover_hash)) == (60, 90, 16)
    assert first["cover_hash"] == issue.cover_hash != "0" * 16
    writer.patch(path, form={"sku": "A"})
    assert writer.json(path)["cover_hash"] == first["cover_hash"]
    writer.patch(path, files=[("image", "x.jpg", picture(size=(90, 60), form="JPEG"))])
    session.expire_all()
    assert (issue.image_width, issue.cover_hash == first["cover_hash"]) == (90, False)
    assert issue.image.endswith(".jpg")


def test_a_replaced_picture_goes_and_one_that_is_refused_was_never_there(writer, make, media_folder, stored):
    arc = make.arc()
    path, before = f"/api/arc/{arc.id}/", stored()
    first = writer.patch(path, files=PICTURE_FILES)["image"]
    second = writer.patch(path, files=[("image", "y.png", picture((1, 2, 3)))])["image"]
    assert not (media_folder / storage_key(first)).exists()
    assert (media_folder / storage_key(second)).is_file()
    make.arc(cv_id=5)
    writer.patch(path, 400, form={"cv_id": 5}, files=PICTURE_FILES)  # an error that only the database finds
    writer.write("PATCH", path, 412, files=PICTURE_FILES, headers={"If-Match": '"other"'})
    assert writer.write("PATCH", path, 400, form={"cv_id": "x"}, files=PICTURE_FILES).json.keys() == {"cv_id"}
    assert writer.json(path)["image"] == second
    assert stored() == before + 1


def test_an_imprint_without_logo(writer, session, make):
    imprint = make.imprint()
    writer.patch(f"/api/imprint/{imprint.id}/", files=PICTURE_FILES)
    assert writer.patch(f"/api/imprint/{imprint.id}/", form={"image": ""})["image"] is None
    session.expire_all()
    kept = session.get(Imprint, imprint.id)
    assert (kept.image, kept.image_width) == ("", None)


def test_a_variant_keeps_a_hash_in_a_folder_of_its_own(writer, session, make, media_folder):
    made = writer.post("/api/variant/", form={"issue": make.issue().id}, files=PICTURE_FILES)
    variant = session.get(Variant, made["id"])
    assert made["image"].startswith("http://localhost/media/variants/")
    assert (variant.image_height, len(variant.cover_hash)) == (90, 16)
    writer.patch(f"/api/variant/{variant.id}/", files=[("image", "y.png", picture((1, 2, 3)))])
    session.expire_all()
    assert not (media_folder / storage_key(made["image"])).exists()
    assert (media_folder / variant.image).is_file()
    assert session.query(Issue).one().image == ""
