"""The perceptual hash: the same as ImageHash's `phash`, which was asked once for the values below."""

import pytest
from PIL import Image, ImageDraw

from comicsdb.demo.chance import Dice
from comicsdb.media.phash import phash

# Seed, mode and size of a picture, and str(imagehash.phash(picture)) of ImageHash 4.3.2.
KNOWN = [
    ("picture 0", "RGB", (640, 984), "e206487d3b37cc9c"),
    ("picture 1", "L", (640, 984), "83878707bb462e6d"),
    ("picture 2", "RGBA", (512, 512), "b947123dc319e63c"),
    ("picture 3", "RGB", (512, 512), "f94f4be9d42b5102"),
    ("picture 4", "RGB", (33, 47), "e7180627f1702f1f"),
    ("picture 5", "L", (33, 47), "dd14b44cb21d954f"),
    ("picture 6", "RGBA", (1600, 520), "cf43165c6c342c6f"),
    ("picture 7", "RGB", (1600, 520), "f04bf84dccc9cc8c"),
    ("picture 8", "RGB", (640, 984), "f03f6896f1698474"),
    ("picture 9", "L", (640, 984), "e61b1918d3dce2e4"),
    ("picture 10", "RGBA", (512, 512), "ca350316f52dbe91"),
    ("picture 11", "RGB", (512, 512), "fa4db4304b34943f"),
    ("picture 12", "RGB", (33, 47), "c96c3dc46a06627f"),
    ("picture 13", "L", (33, 47), "ad27a9184f17f4b0"),
    ("picture 14", "RGBA", (1600, 520), "927e26a66f6c046d"),
    ("picture 15", "RGB", (1600, 520), "9c73fe78f470c060"),
]


def picture(seed, mode, size):
    """Discs, boxes and a blend, the same for the same seed."""
    dice = Dice(seed)
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    pen = ImageDraw.Draw(image)
    for _ in range(dice.whole(3, 14)):
        x, y, r = dice.real(0, size[0]), dice.real(0, size[1]), dice.real(4, max(size) / 3)
        ink = tuple(dice.whole(0, 255) for _ in "rgb")
        shape = pen.ellipse if dice.happens(0.6) else pen.rectangle
        shape((x - r, y - r, x + r * dice.real(0.3, 1), y + r), fill=ink)
    if mode == "RGBA":
        image.putalpha(90)
    return image.convert(mode)


@pytest.mark.parametrize(("seed", "mode", "size", "expected"), KNOWN)
def test_the_hash_is_the_one_that_imagehash_gives(seed, mode, size, expected):
    assert phash(picture(seed, mode, size)) == expected


@pytest.mark.parametrize(("tone", "expected"), [(0, "0" * 16), (128, "8" + "0" * 15), (255, "8" + "0" * 15)])
def test_an_empty_picture_has_the_hash_that_imagehash_gives_it(tone, expected):
    assert phash(Image.new("L", (64, 96), tone)) == expected


def test_another_size_and_fewer_colours_leave_most_bits_as_they_are():
    image = picture("a cover", "RGB", (640, 984))
    small = image.resize((160, 246), Image.Resampling.BICUBIC).quantize(32).convert("RGB")
    assert (int(phash(image), 16) ^ int(phash(small), 16)).bit_count() <= 6


def test_different_pictures_differ_in_many_bits():
    one, other = (int(phash(picture(seed, "RGB", (640, 984))), 16) for seed in ("a cover", "another cover"))
    assert (one ^ other).bit_count() >= 16
