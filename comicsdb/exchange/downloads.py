"""The dumps that this site offers: their folders, their files over HTTP, and the description for programs.

Only files named by a manifest are served. Every server imports this module, so it imports none of the
libraries that make dumps.
"""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path

import orjson
from pyramid.httpexceptions import HTTPNotFound, HTTPServiceUnavailable
from pyramid.interfaces import IRoutesMapper
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb import clock
from comicsdb.http import OUTAGE_RETRY_SECONDS
from comicsdb.http.request_checks import hosts_of
from comicsdb.log_lines import OutageLog
from comicsdb.ops.dated_folders import CLOCK_ERROR, NAME, TIME_FORMAT, by_age
from comicsdb.ratelimit.api import BURST, PREFIX, SUSTAINED, ApiLimits

log = logging.getLogger(__name__)
DUMPS_OUTAGE = OutageLog(log)

MANIFEST = "manifest.json"
SIGNATURE = f"{MANIFEST}.minisig"
COVERS = "covers.tar"  # the pack of thumbnails, which is optional
BLOCK = 256 * 1024  # bytes
_TYPES = {".json": "application/json", ".minisig": "text/plain", ".tar": "application/x-tar"}
_IMMUTABLE = "public, max-age=31536000, immutable"
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "*"),
)


def dumps(folder: Path | None) -> list[Path]:
    """The dumps in a folder, newest first, without those that cannot be read, which are logged.

    Those of a clock that was ahead come last.
    """
    if folder is None:
        return []
    try:
        found = [path for path in folder.iterdir() if NAME.fullmatch(path.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        DUMPS_OUTAGE.report(error, "The folder of dumps cannot be read: %s", error)
        return []
    return list(filter(_has_manifest, sorted(found, key=by_age, reverse=True)))


def _has_manifest(dump: Path) -> bool:
    try:
        (dump / MANIFEST).open("rb").close()
    except FileNotFoundError:
        return False
    except OSError as error:
        DUMPS_OUTAGE.report(error, "A dump cannot be read: %s", error)
        return False
    return True


def age_of_newest(folder: Path) -> timedelta | None:
    """The age of the newest dump, except those of a clock that was ahead; None if there is none."""
    ages = (
        clock.now() - datetime.strptime(each.name, TIME_FORMAT).replace(tzinfo=UTC) for each in dumps(folder)
    )
    return next((age for age in ages if age > -CLOCK_ERROR), None)


def manifest_of(dump: Path) -> dict:
    """The manifest of a dump."""
    return orjson.loads((dump / MANIFEST).read_bytes())


def available_dumps(request) -> list[tuple[str, dict]]:
    """The names and manifests of the dumps that the site offers, newest first."""
    found = []
    for dump in dumps(request.registry.settings["comicsdb.dumps.folder"]):
        try:
            found.append((dump.name, manifest_of(dump)))
        except (OSError, ValueError):  # removed in the meantime, or not copied here completely yet
            continue
    return found


def file_url(request, dump: str, name: str) -> str:
    """The URL of a file of a dump."""
    return _public(request, request.route_path("data.file", dump=dump, name=name))


def data_url(request) -> str:
    """The URL of the data: the page about it or, without the site, the description for programs."""
    name = "data" if _is_served(request, "data") else "well_known"
    return _public(request, request.route_path(name))


def well_known(request) -> Response:
    """The description of the site for programs that mirror it."""
    settings, found = request.registry.settings, available_dumps(request)
    licence = settings["comicsdb.licence"]
    served = {
        key: _public(request, request.route_path(route)) if _is_served(request, route) else None
        for key, route in (("api", "api.root"), ("feed", "api.change"), ("data", "data"))
    }
    described = {
        "name": settings["comicsdb.title"],
        "url": _public(request, ""),
        "version": version("comicsdb"),
        "licence": {"name": licence.name, "url": licence.url},
        **served,
        "limits": _limits(settings, request.registry["comicsdb.api_limits"]),
        "public_key": found[0][1]["public_key"] if found else None,
        "dumps": [
            {
                "name": name,
                **{key: manifest[key] for key in ("made", "format", "data_set", "schema")},
                "bytes": sum(file["bytes"] for file in manifest["files"]),
                "manifest": file_url(request, name, MANIFEST),
                "signature": file_url(request, name, SIGNATURE),
                "covers": file_url(request, name, COVERS) if "covers" in manifest else None,
            }
            for name, manifest in found
        ],
    }
    body = orjson.dumps(described, option=orjson.OPT_INDENT_2) + b"\n"
    response = Response(body, content_type="application/json", conditional_response=True)
    response.md5_etag()
    response.headers["Cache-Control"] = "public, max-age=60"
    response.headers.extend(_HEADERS)
    return response


def file_view(request) -> Response:
    """Serve a file of a dump, or the requested range of it."""
    folder, name = request.registry.settings["comicsdb.dumps.folder"], request.matchdict["name"]
    try:
        if folder is None:
            raise FileNotFoundError
        dump = folder / request.matchdict["dump"]
        described = {file["name"]: file for file in manifest_of(dump)["files"]}
    except (OSError, ValueError):
        raise HTTPNotFound(
            "There is no such dump: /.well-known/comicsdb.json lists those that are kept."
        ) from None
    if name not in {*described, MANIFEST, SIGNATURE}:
        raise HTTPNotFound("The dump has no such file: its manifest.json lists them.")
    path = dump / name
    try:
        path.open("rb").close()
    except OSError as error:
        DUMPS_OUTAGE.report(error, "A file of a dump cannot be read: %s", error)
        raise HTTPServiceUnavailable(
            "The file cannot be read at the moment: please try again later.",
            headers=[("Retry-After", str(OUTAGE_RETRY_SECONDS))],
        ) from None
    kind = _TYPES.get(Path(name).suffix, "application/zstd")
    response = Response(app_iter=_FileBody(path), content_type=kind, conditional_response=True)
    response.content_length = path.stat().st_size
    response.accept_ranges = "bytes"
    if name in described:
        response.etag = described[name]["sha256"]
    response.headers["Cache-Control"] = _IMMUTABLE
    response.headers.extend(_HEADERS)
    return response


class _FileBody:
    """The content of a file, opened when it is sent, so that responses without a body never open it."""

    def __init__(self, path: Path):
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        return self.app_iter_range(0, None)

    def app_iter_range(self, start: int, stop: int | None) -> Iterator[bytes]:
        """The bytes from `start` to before `stop`; WebOb calls this for a range request."""
        with self._path.open("rb") as stream:
            stream.seek(start)
            left = self._path.stat().st_size - start if stop is None else stop - start
            while left > 0 and (piece := stream.read(min(BLOCK, left))):
                left -= len(piece)
                yield piece


def _limits(settings, limits: ApiLimits) -> dict | None:
    """The requests per minute and day, of an account, and of an address without an account."""
    if not limits.enabled:
        return None
    account = {name: settings[f"{PREFIX}.{name}"] for name in (BURST, SUSTAINED)}
    anonymous = {limit.name: limit.max_events for limit in limits.limits_of(None)}
    return {"account": account, "anonymous": anonymous if settings["comicsdb_api.anonymous"] else None}


def _is_served(request, route: str) -> bool:
    return request.registry.getUtility(IRoutesMapper).get_route(route) is not None


def _public(request, path: str) -> str:
    """A full URL for other machines: with the host of the request if the site accepts any host."""
    settings = request.registry.settings
    return f"{settings['comicsdb.base_url'] if hosts_of(settings) else request.host_url}{path}"


def includeme(config):
    """Add the routes of files and of the description, and tell the metrics the age of the newest dump."""
    if folder := config.get_settings()["comicsdb.dumps.folder"]:
        config.registry["comicsdb.dump_age"] = partial(age_of_newest, folder)
    config.add_route(
        "data.file",
        "/data/{dump:[0-9]{8}T[0-9]{6}Z}/{name:[a-z_.]+}",
        request_method=("GET", "HEAD"),
    )
    config.add_route("well_known", "/.well-known/comicsdb.json", request_method=("GET", "HEAD"))
    config.add_view(file_view, route_name="data.file", permission=NO_PERMISSION_REQUIRED)
    config.add_view(well_known, route_name="well_known", permission=NO_PERMISSION_REQUIRED)
