"""Pictures: their inspection, thumbnails, and the two routes that serve them."""

import io
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from comicsdb.imaging import images
from comicsdb.imaging.picture import BYTES_MAX, SIZES, PictureError, frame, thumbnail_size
from comicsdb.media import storage
from comicsdb.media.thumbnails import open_thumbnail
from tests.dataset import picture
from tests.full_disk import full_disk
from tests.pictures import encoded, inspect, save_picture, serve_pictures


@pytest.fixture(scope="module", params=["folder", "s3"])
def served(request, tmp_path_factory):
    """An application that only serves pictures, and its storage."""
    if request.param == "folder":
        return serve_pictures({"comicsdb.media.folder": tmp_path_factory.mktemp("media")})
    return serve_pictures(request.getfixturevalue("s3_server").settings())


# Inspection.


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
def test_a_picture_is_known_by_what_it_decodes_to(form):
    found = inspect(picture("red", (30, 20), form))
    assert (found.width, found.height, found.format) == (30, 20, form)
    assert found.suffix in {"jpg", "png", "webp", "gif", "avif"}


@pytest.mark.parametrize("form", ["BMP", "TIFF", "ICO", "PPM"])
def test_other_formats_are_refused(form):
    with pytest.raises(PictureError, match="is not a JPEG, PNG, WebP, GIF or AVIF picture"):
        inspect(picture("red", (16, 16), form))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
def test_a_picture_that_was_cut_off_is_refused(form):
    whole = encoded(Image.effect_noise((200, 200), 90).convert("RGB"), form)
    with pytest.raises(PictureError):
        inspect(whole[: len(whole) // 2])


def test_too_many_bytes_or_pixels_are_refused_before_decoding(monkeypatch):
    with pytest.raises(PictureError, match="at most 20,971,520 are allowed"):
        inspect(b"x" * (BYTES_MAX + 1))
    large = encoded(Image.new("1", (20_000, 20_000)))
    monkeypatch.setattr(Image.Image, "load", lambda _self: pytest.fail("was decoded"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PictureError, match="more than 50,000,000 pixels"):
            inspect(large)


def test_a_picture_longer_than_the_column_holds_is_refused():
    with pytest.raises(PictureError, match="32768 by 1 pixels"):
        inspect(picture("red", (32768, 1)))


def test_a_turned_photo_counts_as_it_is_shown():
    exif = Image.Exif()
    exif[images.ORIENTATION] = 6
    found = inspect(picture("red", (60, 40), "JPEG", exif=exif))
    assert (found.width, found.height) == (40, 60)


# Thumbnails.


def _thumbnail(folder, content: bytes, size: str, suffix: str = "png") -> Image.Image:
    made = open_thumbnail(folder, size, save_picture(folder, "issue", content, suffix))
    with made as stream, Image.open(stream) as image:
        assert image.format == "WEBP"
        image.load()
        return image.convert("RGB")


@pytest.mark.parametrize(
    ("size", "given", "made"),
    [
        ("cover", (1000, 1500), (320, 480)),
        ("cover", (1500, 1000), (480, 320)),  # a landscape cover gets a landscape frame
        ("cover", (600, 1500), (192, 480)),
        ("cover_large", (700, 1000), (640, 914)),
        ("cover_large", (100, 150), (100, 150)),  # never enlarged
        ("list_item", (1500, 1000), (96, 64)),
        ("card", (1000, 1000), (320, 480)),
        ("card", (2000, 480), (320, 480)),
        ("card", (100, 100), (67, 100)),  # cropped to the frame's shape, but not enlarged
        ("creator", (300, 900), (256, 256)),
        ("portrait", (640, 480), (64, 64)),
        ("banner", (3200, 3200), (1600, 520)),
        ("avatar_large", (5, 5), (5, 5)),
    ],
)
def test_a_thumbnail_has_the_size_that_was_announced(folder, size, given, made):
    assert thumbnail_size(size, *given) == made
    assert _thumbnail(folder, picture("red", given), size).size == made


def _striped() -> bytes:
    """A picture that is red at the top, green in the middle and blue at the bottom; 100 by 600 pixels."""
    image = Image.new("RGB", (100, 600), "green")
    image.paste("red", (0, 0, 100, 200))
    image.paste("blue", (0, 400, 100, 600))
    return encoded(image)


@pytest.mark.parametrize(("size", "middle"), [("portrait", (255, 0, 0)), ("emblem", (0, 128, 0))])
def test_cropping_keeps_the_top_or_the_centre(folder, size, middle):
    found = _thumbnail(folder, _striped(), size).getpixel((32, 32))
    assert all(abs(one - other) < 12 for one, other in zip(found, middle, strict=True))


def test_a_turned_photo_is_upright_in_its_thumbnail(folder):
    image = Image.new("RGB", (300, 200), "red")
    image.paste("blue", (0, 0, 150, 200))  # the left half; turned by 90 degrees it is on top
    exif = Image.Exif()
    exif[images.ORIENTATION] = 6
    made = _thumbnail(folder, encoded(image, "JPEG", exif=exif, quality=95), "cover", "jpg")
    assert made.size == (200, 300)
    assert made.getpixel((100, 30))[2] > 200
    assert made.getpixel((100, 270))[0] > 200


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
def test_pictures_of_any_mode_have_thumbnails(folder, mode):
    data = encoded(Image.new(mode, (50, 50)), "JPEG" if mode == "CMYK" else "PNG")
    assert _thumbnail(folder, data, "avatar").size == (50, 50)


def test_transparency_is_kept(folder):
    data = encoded(Image.new("RGBA", (50, 50), (255, 0, 0, 0)))
    found = open_thumbnail(folder, "avatar", save_picture(folder, "issue", data, "png"))
    with found as content, Image.open(content) as image:
        assert image.getpixel((25, 25))[3] == 0


def test_every_size_of_the_site_has_a_frame():
    assert frame("cover", 10, 20) == frame("cover", None, None) == (320, 480)
    assert frame("cover", 20, 10) == (480, 320)
    assert frame("card", 20, 10) == (320, 480)
    assert {SIZES[name][:2] for name in ("banner", "banner_card", "read")} == {
        (1600, 520),
        (640, 320),
        (300, 450),
    }


def test_a_thumbnail_is_made_once(folder, monkeypatch):
    keys = [save_picture(folder, "issue", picture("red", (400, 600)), "png") for _ in range(4)]
    stored = []
    real = folder.put
    monkeypatch.setattr(folder, "put", lambda *given: (stored.append(given), real(*given)))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(2):
            for content in pool.map(lambda key: open_thumbnail(folder, "cover", key), keys):
                content.stream.close()
    assert len(stored) == 4
    assert all(entry.key for entry in folder.entries())  # none is unfinished


# Serving.


def test_a_picture_is_served_for_ever(served):
    app, media = served
    key = save_picture(media, "issue", picture(), "png")
    response = app.get(f"/media/{key}")
    assert response.body == picture()
    assert response.content_type == "image/png"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.content_length == len(picture())
    again = app.get(f"/media/{key}", headers={"If-Modified-Since": response.headers["Last-Modified"]})
    assert again.status_int == 304


def test_a_thumbnail_is_served_for_ever(served):
    app, media = served
    key = save_picture(media, "issue", picture("red", (1000, 1500)), "png")
    for _ in range(2):  # generated, then found in the storage
        response = app.get(f"/media/thumb/cover/{key}.webp")
        assert response.content_type == "image/webp"
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.content_length == len(response.body)
        with Image.open(io.BytesIO(response.body)) as image:
            assert image.size == (320, 480)
    head = app.head(f"/media/thumb/cover/{key}.webp")
    assert (head.body, head.content_length) == (b"", response.content_length)


@pytest.fixture
def served_folder(tmp_path):
    """An application that only serves pictures, from a folder of its own, and that storage."""
    return serve_pictures({"comicsdb.media.folder": tmp_path / "media"})


def test_a_thumbnail_that_cannot_be_stored_is_served_all_the_same(served_folder, caplog):
    app, media = served_folder
    first, key = (save_picture(media, "issue", picture("red", (1000, 1500)), "png") for _ in range(2))
    app.get(f"/media/thumb/cover/{first}.webp")  # starts the decoder, which writes bytecode
    storage.STORAGE_OUTAGE.forget()
    with full_disk():
        response = app.get(f"/media/thumb/cover/{key}.webp")
    with Image.open(io.BytesIO(response.body)) as image:
        assert image.size == (320, 480)
    assert "A thumbnail cannot be stored: [Errno 27] File too large" in caplog.text
    stored = [str(path) for path in media.folder.rglob("*") if path.is_file() and key in str(path)]
    assert stored == [str(media.path(key))]


def test_a_picture_that_cannot_be_read_is_503(served_folder, caplog):
    app, media = served_folder
    key = save_picture(media, "issue", picture(), "png")
    path = media.path(key)
    path.unlink()
    path.symlink_to(path)  # root may read everything else
    storage.STORAGE_OUTAGE.forget()
    for address in (f"/media/{key}", f"/media/thumb/cover/{key}.webp"):
        assert app.get(address, status=503).headers["Retry-After"] == "30"
    assert "A picture cannot be read: [Errno 40]" in caplog.text


def test_what_is_not_there_is_404_and_no_error(served):
    app, media = served
    broken = save_picture(media, "issue", b"no picture", "png")
    for path in (
        "/media/README",
        "/media/issue/none.png",
        "/media/thumbs/cover/issue/none.png",
        "/media/thumb/cover/issue/none.png.webp",
        f"/media/thumb/nosuchsize/{broken}.webp",
        f"/media/thumb/cover/{broken}.webp",
        f"/media/thumb/cover/{broken}",
        "/media/%2e%2e/%2e%2e/etc/passwd",
        "/media/a%00.png",
        "/media/" + "a/" * 3000 + "b.png",
    ):
        app.get(path, status=404)
    app.post(f"/media/{broken}", status=404)
    assert [entry.name for entry in media.entries() if entry.key == broken] == [broken]


def test_addresses_are_absolute_and_none_where_there_is_no_picture(served):
    app, media = served
    key = save_picture(media, "issue", picture(), "png")
    urls = app.get(f"/urls/{key}").json
    assert urls == [
        f"http://localhost/media/{key}",
        f"http://localhost/media/thumb/cover/{key}.webp",
    ]
    assert app.get(urls[1]).content_type == "image/webp"
    assert app.get("/urls/").json == [None, None]
