"""Perceptual hashes: `phash` gives the same values as ImageHash, which computed those below."""

from random import Random

import pytest
from PIL import Image, ImageDraw

from comicsdb.imaging.hashes import hashes

# Seed, mode and size of a picture, and str(imagehash.phash(picture)) of ImageHash 4.3.2.
KNOWN = [
    ("picture 0", "RGB", (640, 984), "9a2d5833a1533f33"),
    ("picture 1", "L", (640, 984), "f1c758594c4e7839"),
    ("picture 2", "RGBA", (512, 512), "c464a64fa5387d2d"),
    ("picture 3", "RGB", (512, 512), "ec1a7258ad5ca953"),
    ("picture 4", "RGB", (33, 47), "cc11f5cd8e0d336a"),
    ("picture 5", "L", (33, 47), "c06d7dd785d03551"),
    ("picture 6", "RGBA", (1600, 520), "e8545752565aaaad"),
    ("picture 7", "RGB", (1600, 520), "bf113e31a0172f53"),
    ("picture 8", "RGB", (640, 984), "b24932703f1b1f0f"),
    ("picture 9", "L", (640, 984), "db60364979f6582c"),
    ("picture 10", "RGBA", (512, 512), "b7109e715f6037c8"),
    ("picture 11", "RGB", (512, 512), "fa5ab113e135612d"),
    ("picture 12", "RGB", (33, 47), "e54cc6679a669263"),
    ("picture 13", "L", (33, 47), "f6c1b6599145347c"),
    ("picture 14", "RGBA", (1600, 520), "cc18ca333333593f"),
    ("picture 15", "RGB", (1600, 520), "f215931ccb1ccd1e"),
]


def phash(image):
    return hashes(image)["phash"]


def picture(seed, mode, size):
    """Discs and boxes on a gradient, the same for the same seed."""
    dice = Random(seed)
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    pen = ImageDraw.Draw(image)
    for _ in range(dice.randint(3, 14)):
        x, y, r = dice.uniform(0, size[0]), dice.uniform(0, size[1]), dice.uniform(4, max(size) / 3)
        ink = tuple(dice.randint(0, 255) for _ in "rgb")
        shape = pen.ellipse if dice.random() < 0.6 else pen.rectangle
        shape((x - r, y - r, x + r * dice.uniform(0.3, 1), y + r), fill=ink)
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


def test_the_average_hash_is_whether_pixels_are_above_the_mean():
    image = Image.new("L", (8, 8), 10)
    for place in ((0, 0), (7, 0), (3, 5)):
        image.putpixel(place, 200)
    assert hashes(image)["ahash"] == f"{1 << 63 | 1 << 56 | 1 << 20:016x}"
    assert hashes(Image.new("L", (64, 96), 128))["ahash"] == "0" * 16


def test_the_difference_hash_is_whether_pixels_are_darker_than_the_next():
    image = Image.new("L", (9, 8), 50)
    image.putpixel((1, 1), 20)
    assert hashes(image)["dhash"] == f"{1 << 63 - 8 - 1:016x}"
    early = [
        x + 8 + y == 10 for y in range(8) for x in range(8)
    ]  # the pixel is number 10 when read row by row
    assert hashes(image)["early_dhash"] == f"{int(''.join(str(int(bit)) for bit in early), 2):016x}"
