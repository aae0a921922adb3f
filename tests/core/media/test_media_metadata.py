"""Uploaded pictures lose their metadata, but nothing of the image itself."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, PngImagePlugin

from comicsdb.imaging.images import ORIENTATION
from comicsdb.imaging.metadata import strip_metadata
from comicsdb.imaging.picture import PictureError
from comicsdb.media import decoding
from tests.dataset import picture
from tests.pictures import encoded, inspect
from tests.soak import SOAK

SECRET = b"Somebody's name and home"
FORMS = ["JPEG", "PNG", "WEBP", "GIF", "AVIF"]


def _telling(form: str, turned: int = 1) -> bytes:
    """A picture of noise with a secret in every kind of metadata that its format has."""
    exif = Image.Exif()
    exif[0x013B] = SECRET.decode()
    exif[ORIENTATION] = turned
    options = {"exif": exif}
    if form in {"JPEG", "WEBP", "AVIF"}:
        options["xmp"] = b"<x>" + SECRET + b"</x>"
    if form in {"JPEG", "GIF"}:
        options["comment"] = SECRET
    if form == "PNG":
        options["pnginfo"] = PngImagePlugin.PngInfo()
        options["pnginfo"].add_text("Author", SECRET.decode())
        options["pnginfo"].add_itxt("Place", SECRET.decode())
    if form == "GIF":
        del options["exif"]
    return encoded(Image.effect_noise((60, 40), 90).convert("RGB"), form, **options)


def _pixels(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGBA")


@pytest.mark.parametrize("form", FORMS)
def test_what_a_picture_tells_is_gone_and_the_picture_is_not(form):
    telling = _telling(form)
    assert SECRET in telling
    result, found = strip_metadata(telling)
    assert SECRET not in result
    assert found == inspect(telling) == inspect(result)
    difference = ImageChops.difference(_pixels(telling), _pixels(result)).getextrema()
    assert max(high for _, high in difference) <= (60 if form == "AVIF" else 0)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("turned", [3, 6])
def test_a_turned_picture_stays_turned(form, turned):
    result, found = strip_metadata(_telling(form, turned))
    assert SECRET not in result
    with Image.open(io.BytesIO(result)) as image:
        assert dict(image.getexif()) == {ORIENTATION: turned}
    assert (found.width, found.height) == ((40, 60) if turned == 6 else (60, 40))


@pytest.mark.parametrize("form", FORMS)
def test_a_picture_that_tells_nothing_stays_as_it_is(form):
    plain = picture("red", (30, 20), form)
    result, _ = strip_metadata(plain)
    assert _pixels(result).tobytes() == _pixels(plain).tobytes()
    assert strip_metadata(result)[0] == result


def test_what_follows_the_end_of_a_picture_is_gone():
    for form in ("JPEG", "PNG", "WEBP", "GIF"):
        assert SECRET not in strip_metadata(picture("red", (30, 20), form) + SECRET)[0]


def test_a_progressive_photo_keeps_every_pass():
    photo = encoded(Image.effect_noise((300, 200), 90), "JPEG", progressive=True, comment=SECRET)
    result, _ = strip_metadata(photo)
    assert SECRET not in result
    assert _pixels(result).tobytes() == _pixels(photo).tobytes()


def test_a_colour_profile_and_transparency_stay():
    image = Image.new("RGBA", (30, 20), (255, 0, 0, 100))
    result, _ = strip_metadata(encoded(image, icc_profile=b"a profile"))
    with Image.open(io.BytesIO(result)) as image:
        assert image.info["icc_profile"] == b"a profile"
        assert image.getpixel((0, 0)) == (255, 0, 0, 100)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_an_animation_keeps_its_frames_and_its_loop(form):
    frames = [Image.new("RGB", (30, 20), color) for color in ("red", "green", "blue")]
    more = {"comment": SECRET} if form == "GIF" else {}
    moving = encoded(frames[0], form, save_all=True, append_images=frames[1:], loop=3, duration=90, **more)
    result, _ = strip_metadata(moving)
    assert SECRET not in result
    with Image.open(io.BytesIO(result)) as image:
        assert (image.n_frames, image.info["loop"]) == (3, 3)


@settings(deadline=None, max_examples=SOAK or 60)
@given(
    form=st.sampled_from(["JPEG", "PNG", "WEBP", "GIF"]), at=st.integers(0, 10_000), byte=st.integers(0, 255)
)
def test_a_damaged_picture_is_refused_or_taken_and_never_an_error(form, at, byte):
    damaged = bytearray(_telling(form))
    damaged[at % len(damaged)] = byte
    try:
        with decoding.UPLOADS.acquire() as decoder:
            cleaned = decoder.clean(bytes(damaged))
    except PictureError:
        return
    assert inspect(cleaned.data) == cleaned.picture
