"""Pictures that other sites show with a link, drawn on first use and cached by their contents."""

from hashlib import blake2b

from pyramid.httpexceptions import HTTPServiceUnavailable
from pyramid.response import Response

from comicsdb.media import decoding
from comicsdb.media.storage import StorageDownError
from comicsdb.media.thumbnails import NoThumbnailError, open_thumbnail

DECODER_TIMEOUT = 1.0  # seconds that a request waits for a free decoder


def picture_response(request, title: str, lines: list[str], covers: list[str]):
    """The picture with a title, lines and covers (storage keys); 503 if it cannot be drawn now."""
    key = blake2b(repr((title, lines, covers)).encode(), digest_size=16).hexdigest()

    def draw() -> bytes:
        pictures = [each for each in (_thumbnail(request, cover) for cover in covers) if each]
        with decoding.acquire_decoder(DECODER_TIMEOUT) as decoder:
            return decoder.share(title, lines, pictures)

    try:
        picture, _hit = request.cache.figures.get_or_create(f"share:{key}", draw)
    except StorageDownError as error:
        return HTTPServiceUnavailable(headers=[("Retry-After", str(error.retry_after))])
    return Response(picture, content_type="image/jpeg")


def _thumbnail(request, key: str) -> bytes | None:
    try:
        with open_thumbnail(request.media, "cover", key) as stream:
            return stream.read()
    except NoThumbnailError:
        return None
