"""Pictures for a storage, an application that serves them, and small files that are expensive to decode."""

import io
import struct
import zlib
from functools import cache
from pathlib import Path

import webtest
from PIL import Image
from pyramid.config import Configurator

from comicsdb.imaging.images import load, open_image
from comicsdb.imaging.picture import Picture
from comicsdb.media.storage import Storage, new_key

PAETH = b"\4"  # the slowest filter of a row of a PNG
SCAN = b"\xff\xda"
# The passes of an interlaced PNG: its first column and row, and the steps to the next.
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def encoded(image: Image.Image, form: str = "PNG", **options) -> bytes:
    """The bytes of an image in a format."""
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def inspect(data: bytes) -> Picture:
    """Decode a picture in this process; returns its size and format."""
    with open_image(data) as image:
        return load(image)


def save_picture(storage: Storage, kind: str, source: bytes | Path, suffix: str) -> str:
    """Store bytes, or a copy of a file; returns the new key."""
    with storage.batch() as batch:
        return batch.put(new_key(kind, suffix), source)


def link_picture(storage: Storage, kind: str, source_key: str) -> str:
    """Store the bytes of another key under a new key; returns it."""
    with storage.batch() as batch:
        return batch.put_link(new_key(kind, source_key.rpartition(".")[2]), source_key)


def serve_pictures(settings: dict) -> tuple[webtest.TestApp, Storage]:
    """An application with only the media routes (no session, no database, no log-in), and its storage.

    At `/urls/KEY` are the addresses of a picture and of its thumbnail.
    """
    with Configurator(settings=settings) as config:
        config.include("comicsdb.media")
        config.add_route("urls", "/urls/{key:.*}")
        config.add_view(
            lambda request: [
                request.media_url(request.matchdict["key"]),
                request.thumbnail_url(request.matchdict["key"], "cover"),
            ],
            route_name="urls",
            renderer="json",
        )
        return webtest.TestApp(config.make_wsgi_app()), config.registry["comicsdb.media"]


def interlaced(side: int = 7000, depth: int = 8) -> bytes:
    """An interlaced PNG with transparency: one of 7000 by 7000 pixels has less than 1 MB."""
    packing = zlib.compressobj(1)
    pixels = b""
    for left, top, across, down in PASSES:
        row = PAETH + bytes(len(range(left, side, across)) * depth // 2)  # four channels
        for _row in range(top, side, down):
            pixels += packing.compress(row)
    header = struct.pack(">IIBBBBB", side, side, depth, 6, 0, 0, 1)
    chunks = ((b"IHDR", header), (b"IDAT", pixels + packing.flush()), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )


def scans(number: int, side: int = 7000) -> bytes:
    """A progressive JPEG of `side` by `side` pixels with `number` scans, most of which refine nothing."""
    data = _progressive("L", side)
    last = data.rindex(SCAN)
    return data[:last] + data[last:-2] * (number - data.count(SCAN) + 1) + data[-2:]


def heavy_scans(number: int, side: int = 7000) -> bytes:
    """Like `scans`, with scans of all colours: 10 of 7000 by 7000 pixels take a second."""
    data = _progressive("RGB", side)
    first = data.index(SCAN)
    second = data.index(SCAN, first + 2)
    return data[:first] + data[first:second] * (number - data.count(SCAN) + 1) + data[second:]


@cache
def _progressive(mode: str, side: int) -> bytes:
    grey = Image.new(mode, (side, side), "grey")
    return encoded(grey, "JPEG", progressive=True, subsampling=0, quality=100)
