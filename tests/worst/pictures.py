"""Pictures that take decoders long; they are built by hand, as no image software writes such files."""

import struct
import zlib
from collections.abc import Callable
from functools import cache

from PIL import Image

from tests.pictures import encoded

SIDE = 7000  # pixels; 49 million in all, about the accepted maximum
LARGE = 20_000_000  # bytes


def flat(side: int = SIDE, mode: str = "L") -> Image.Image:
    """A picture of one colour."""
    return Image.new(mode, (side, side))


def jpeg_of_many_scans(scans: int = 300) -> bytes:
    """A progressive JPEG whose last scan is repeated: each repetition goes over all pixels."""
    data = encoded(flat(), "JPEG", progressive=True)
    last, end = data.rindex(b"\xff\xda"), data.rindex(b"\xff\xd9")
    return data[:end] + data[last:end] * scans + data[end:]


def jpeg_of_many_segments(marker: int, content: bytes = b"") -> bytes:
    """A JPEG with many segments of one kind, as large as an upload may be."""
    data = encoded(flat(8), "JPEG")
    segment = b"\xff" + bytes([marker]) + struct.pack(">H", len(content) + 2) + content
    return data[:2] + segment * (LARGE // len(segment)) + data[2:]


def jpeg_of_filling() -> bytes:
    """A JPEG with many fill bytes before its first segment."""
    data = encoded(flat(8), "JPEG")
    return data[:2] + b"\xff" * LARGE + data[2:]


def chunk(name: bytes, content: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(side: int, pieces: list[bytes], more: bytes = b"", *, interlaced: bool = False) -> bytes:
    """A grey PNG whose compressed pixels come in these pieces."""
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, interlaced)
    pixels = b"".join(chunk(b"IDAT", piece) for piece in pieces)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + pixels + chunk(b"IEND", b"")


@cache
def compressed(side: int) -> bytes:
    """The compressed pixels of a PNG of one colour."""
    return zlib.compress(bytes((side + 1) * side), 9)


def pixels(side: int, size: int = 0) -> list[bytes]:
    """The compressed pixels of a PNG of one colour, in pieces of `size` bytes, or in one."""
    data = compressed(side)
    return [data[at : at + size] for at in range(0, len(data), size)] if size else [data]


def png_of_texts(name: bytes) -> bytes:
    """A PNG with compressed texts that are long when decompressed."""
    content = b"a\0\0" + (b"\0\0\0" if name == b"iTXt" else b"") + zlib.compress(b"a" * 1_000_000, 9)
    return png(8, pixels(8), chunk(name, content) * 2000)


def frames(form: str, count: int, side: int) -> bytes:
    """An animation."""
    first, *others = [Image.new("P", (side, side), number % 2) for number in range(count)]
    return encoded(first, form, save_all=True, append_images=others)


def gif_of_frames(count: int = 100_000) -> bytes:
    """A GIF that repeats one frame many times."""
    data = encoded(Image.new("P", (64, 64)), "GIF")
    start = data.index(b",", 13 + (3 << ((data[10] & 7) + 1)))  # after the colour table
    return data[:start] + data[start:-1] * count + b";"


PICTURES: dict[str, Callable[[], bytes]] = {
    "a JPEG of many scans": jpeg_of_many_scans,
    "a large JPEG": lambda: encoded(flat(), "JPEG"),
    "a JPEG of many comments": lambda: jpeg_of_many_segments(0xFE),
    "a JPEG of many profiles": lambda: jpeg_of_many_segments(0xE2, b"ICC_PROFILE\0\1\1"),
    "a JPEG of many Exif blocks": lambda: jpeg_of_many_segments(0xE1, b"Exif\0\0II*\0\x08\0\0\0\0\0"),
    "a JPEG of many tables": lambda: jpeg_of_many_segments(0xDB, bytes([0] + [1] * 64)),
    "a JPEG of filling": jpeg_of_filling,
    "a large PNG": lambda: png(SIDE, pixels(SIDE)),
    "a large interlaced PNG": lambda: png(SIDE, pixels(SIDE), interlaced=True),
    "a PNG of small chunks": lambda: png(SIDE, pixels(SIDE, 1)),
    "a PNG of empty chunks": lambda: png(8, pixels(8), chunk(b"tEXt", b"a\0") * (LARGE // 14)),
    "a PNG of compressed texts": lambda: png_of_texts(b"zTXt"),
    "a PNG of compressed texts in languages": lambda: png_of_texts(b"iTXt"),
    "a GIF of many frames": gif_of_frames,
    "a WebP of many frames": lambda: frames("WEBP", 300, 64),
    "a large WebP": lambda: encoded(flat(), "WEBP", method=0),
    "an AVIF of many frames": lambda: frames("AVIF", 100, 64),
}
