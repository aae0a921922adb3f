"""Pictures: `request.media` stores them; two routes serve them and their thumbnails."""

from collections.abc import Callable
from urllib.parse import quote

from pyramid.httpexceptions import HTTPNotFound, HTTPServiceUnavailable
from pyramid.response import FileIter, Response
from pyramid.security import NO_PERMISSION_REQUIRED
from pyramid.traversal import PATH_SAFE

from comicsdb.config import SettingsError
from comicsdb.imaging.picture import SIZES
from comicsdb.media.storage import (
    CACHE_CONTROL,
    STORAGE_OUTAGE,
    BadKeyError,
    Content,
    FolderStorage,
    Storage,
    StorageDownError,
    content_type,
)
from comicsdb.media.thumbnails import NoThumbnailError, open_thumbnail

BLOCK = 256 * 1024  # bytes


def from_settings(settings: dict) -> Storage:
    """The configured storage; raises SettingsError if its library is missing."""
    if settings.get("comicsdb.mirror.origin"):
        from comicsdb.mirror.covers import from_settings as covers_of  # noqa: PLC0415  (an extra)

        return covers_of(settings)
    if settings.get("comicsdb.media.storage", "folder") == "folder":
        return FolderStorage(settings["comicsdb.media.folder"])
    try:
        from comicsdb.media.s3 import S3Storage  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise SettingsError(
            "The setting comicsdb.media.storage (s3) needs a library: pip install 'comicsdb[s3]'."
        ) from error
    names = ("endpoint", "region", "prefix", "access_key", "secret_key")
    given = {name: settings[f"comicsdb.media.{name}"] for name in names}
    return S3Storage(settings["comicsdb.media.bucket"], **given)


def media_base(request) -> str:
    """The prefix of picture URLs: the public URL of the storage, or our own route."""
    public = request.registry.settings.get("comicsdb.media.url")
    return f"{public}/" if public else request.route_url("media", key="-")[:-1]


def thumbnail_base(request) -> str:
    """The prefix of thumbnail URLs, cached for the request."""
    return request.route_url("media.thumbnail", size="-", key="-").removesuffix("-/-.webp")


def media_url(request, key: str | None) -> str | None:
    """The absolute URL of a picture, or None for an empty key."""
    return request.media_base + key if key else None


def thumbnail_url(request, key: str | None, size_name: str) -> str | None:
    """The absolute URL of a thumbnail of one of the sizes `imaging.picture.SIZES`, or None.

    Thumbnails are always served by us, as they are made on demand.
    """
    if size_name not in SIZES:
        raise ValueError(f"There is no size {size_name!r}; there are: {', '.join(SIZES)}.")
    return f"{request.thumbnail_base}{size_name}/{quote(key, PATH_SAFE)}.webp" if key else None


def picture_view(request):
    """Serve a picture; needs neither session nor database."""
    key = request.matchdict["key"]
    known = content_type(key)
    if known is None:
        return HTTPNotFound()
    return _serve(request, lambda: request.media.open(key), known)


def thumbnail_view(request):
    """Serve a thumbnail, made on demand."""
    found = request.matchdict
    return _serve(request, lambda: open_thumbnail(request.media, found["size"], found["key"]), "image/webp")


def _serve(request, find: Callable[[], Content], known: str):
    """The picture that `find` opens, as a response with a known content type."""
    try:
        content = find()
    except (BadKeyError, FileNotFoundError, NoThumbnailError):
        return HTTPNotFound()
    except OSError as error:
        return _unavailable(error)
    pieces = request.environ.get("wsgi.file_wrapper", FileIter)
    response = Response(app_iter=pieces(content.stream, BLOCK), content_type=known, conditional_response=True)
    response.content_length = content.size
    response.last_modified = content.modified
    response.headers["Cache-Control"] = CACHE_CONTROL
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def _unavailable(error: OSError) -> HTTPServiceUnavailable:
    """The response if the storage is down, or a picture cannot be read: its file may be another user's."""
    if not isinstance(error, StorageDownError):
        STORAGE_OUTAGE.report(error, "A picture cannot be read: %s", error)
        error = StorageDownError()
    return HTTPServiceUnavailable(headers=[("Retry-After", str(error.retry_after))])


def includeme(config):
    """Open the storage; add `request.media`, `media_base`, `media_url`, `thumbnail_url` and both routes."""
    config.registry["comicsdb.media"] = from_settings(config.get_settings())
    config.add_request_method(lambda request: request.registry["comicsdb.media"], "media", reify=True)
    config.add_request_method(media_base, "media_base", reify=True)
    config.add_request_method(media_url, "media_url")
    config.add_request_method(thumbnail_base, "thumbnail_base", reify=True)
    config.add_request_method(thumbnail_url, "thumbnail_url")
    config.add_route("media.thumbnail", "/media/thumb/{size}/{key:.+}.webp", request_method=("GET", "HEAD"))
    config.add_route("media", "/media/{key:.+}", request_method=("GET", "HEAD"))
    for route, view in (("media.thumbnail", thumbnail_view), ("media", picture_view)):
        config.add_view(view, route_name=route, permission=NO_PERMISSION_REQUIRED)
