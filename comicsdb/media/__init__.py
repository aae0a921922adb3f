"""Pictures: `request.media` stores them, two routes serve them and their thumbnails (web.md 2.7)."""

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import FileResponse
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb.media.storage import BadKey, Storage
from comicsdb.media.thumbnails import SIZES, NoThumbnail, Thumbnails

# A key is never given again and its bytes never change.
CACHE_CONTROL = "public, max-age=31536000, immutable"
CONTENT_TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "avif": "image/avif",
}


def media_url(request, key: str | None) -> str | None:
    """The absolute address of a picture, or None where a row has none."""
    return request.route_url("media", key=key) if key else None


def thumbnail_url(request, key: str | None, size_name: str) -> str | None:
    """The absolute address of a picture in one of the sizes of `thumbnails.SIZES`, or None."""
    if size_name not in SIZES:
        raise ValueError(f"There is no size {size_name!r}; there are: {', '.join(SIZES)}.")
    return request.route_url("media.thumbnail", size=size_name, key=key) if key else None


def picture_view(request):
    """A picture as it was stored; needs neither session nor database."""
    try:
        path = request.media.path(request.matchdict["key"])
    except BadKey:
        return HTTPNotFound()
    content_type = CONTENT_TYPES.get(path.suffix[1:])
    if content_type is None or not path.is_file():
        return HTTPNotFound()
    return _file(request, path, content_type)


def thumbnail_view(request):
    """A picture in one of the site's sizes, made when first asked for."""
    thumbnails = request.registry["comicsdb.thumbnails"]
    try:
        path = thumbnails.path(request.matchdict["size"], request.matchdict["key"])
    except NoThumbnail:
        return HTTPNotFound()
    return _file(request, path, "image/webp")


def _file(request, path, content_type):
    try:
        response = FileResponse(str(path), request=request, content_type=content_type)
    except FileNotFoundError:  # removed since we looked
        return HTTPNotFound()
    response.headers["Cache-Control"] = CACHE_CONTROL
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def includeme(config):
    """Open the folder of pictures; add `request.media`, `.media_url`, `.thumbnail_url` and both routes."""
    storage = Storage(config.get_settings()["comicsdb.media.folder"])
    config.registry["comicsdb.media"] = storage
    config.registry["comicsdb.thumbnails"] = Thumbnails(storage)
    config.add_request_method(lambda _request: storage, "media", reify=True)
    config.add_request_method(media_url, "media_url")
    config.add_request_method(thumbnail_url, "thumbnail_url")
    config.add_route("media.thumbnail", "/media/thumb/{size}/{key:.+}.webp", request_method=("GET", "HEAD"))
    config.add_route("media", "/media/{key:.+}", request_method=("GET", "HEAD"))
    for route, view in (("media.thumbnail", thumbnail_view), ("media", picture_view)):
        config.add_view(view, route_name=route, permission=NO_PERMISSION_REQUIRED)
