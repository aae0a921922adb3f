"""Pictures that other sites show with a link, drawn on first use and cached by their contents."""

import threading
from collections.abc import Callable
from hashlib import blake2b

from pyramid.httpexceptions import HTTPServiceUnavailable
from pyramid.response import Response

from comicsdb.http.streams import released_slot
from comicsdb.media.decoding import THUMBNAILS
from comicsdb.media.storage import StorageDownError
from comicsdb.media.thumbnails import NoThumbnailError, open_thumbnail
from comicsdb.media.waiting import BusyError

WAITING = threading.BoundedSemaphore(4)  # requests that wait for a new picture


def picture_response(request, title: str, lines: list[str], covers: list[str]):
    """The picture with a title, lines and covers (storage keys); 503 if it cannot be drawn now."""
    settings = request.registry.settings
    brand = {"site": settings["comicsdb.title"], "accent": settings["comicsdb.accent"]}
    key = blake2b(repr((title, lines, covers, brand)).encode(), digest_size=16).hexdigest()

    def draw() -> bytes:
        pictures = [each for each in (_thumbnail(request, cover) for cover in covers) if each]
        with THUMBNAILS.acquire() as decoder:
            return decoder.share(title, lines, pictures, **brand)

    try:
        picture = request.cache.figures.get(f"share:{key}") or _create(request, f"share:{key}", draw)
    except StorageDownError as error:
        return HTTPServiceUnavailable(headers=[("Retry-After", str(error.retry_after))])
    return Response(picture, content_type="image/jpeg")


def _create(request, key: str, draw: Callable[[], bytes]) -> bytes:
    """Draw a picture, or wait for another request that does; raises BusyError if too many wait."""
    if not WAITING.acquire(blocking=False):
        raise BusyError("Too many pictures are waiting to be drawn.")
    try:
        with released_slot():
            return request.cache.figures.get_or_create(key, draw)
    finally:
        WAITING.release()


def _thumbnail(request, key: str) -> bytes | None:
    try:
        with open_thumbnail(request.media, "cover", key) as stream:
            return stream.read()
    except NoThumbnailError:
        return None
