"""Pictures for a storage, an application that serves them, and small files that are expensive to decode."""

import io
from functools import cache
from pathlib import Path

import webtest
from PIL import Image
from pyramid.config import Configurator

from comicsdb.imaging.images import load, open_image
from comicsdb.imaging.picture import Picture
from comicsdb.media.storage import Storage, new_key

SCAN = b"\xff\xda"


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


def scans(number: int, side: int = 7000) -> bytes:
    """A progressive JPEG of `side` by `side` pixels with `number` scans, most of which refine nothing."""
    data = _progressive("L", side)
    last = data.rindex(SCAN)
    return data[:last] + data[last:-2] * (number - data.count(SCAN) + 1) + data[-2:]


def heavy_scans(number: int, side: int = 7000) -> bytes:
    """Like `scans`, with scans of all colours: 64 of 7000 by 7000 pixels take three seconds and 16 MB."""
    data = _progressive("RGB", side)
    first = data.index(SCAN)
    second = data.index(SCAN, first + 2)
    return data[:first] + data[first:second] * (number - data.count(SCAN) + 1) + data[second:]


@cache
def _progressive(mode: str, side: int) -> bytes:
    grey = Image.new(mode, (side, side), "grey")
    return encoded(grey, "JPEG", progressive=True, subsampling=0, quality=100)
