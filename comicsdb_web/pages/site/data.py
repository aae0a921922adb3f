"""The page about data dumps: their files, how to verify them, and the feed of later changes."""

from datetime import datetime

from babel import units

from comicsdb.exchange import downloads
from comicsdb_web.rendering.locales import locale_of

UNITS = (("gigabyte", 1_000_000_000), ("megabyte", 1_000_000), ("kilobyte", 1000))


def page(request):
    """The newest dump with all its files, and the older ones."""
    found = [_dump_values(request, name, manifest) for name, manifest in downloads.available_dumps(request)]
    return {
        "newest": found[0] if found else None,
        "older": found[1:],
        "manifest_names": (downloads.MANIFEST, downloads.SIGNATURE),
        "feed": request.path_if_served("api.change"),
        "site": request.public_url(""),
    }


def _dump_values(request, name: str, manifest: dict) -> dict:
    files = [
        {**each, "size": size(request, each["bytes"]), "url": downloads.file_url(request, name, each["name"])}
        for each in manifest["files"]
    ]
    return {
        "name": name,
        "made": datetime.fromisoformat(manifest["made"]),
        "size": size(request, sum(each["bytes"] for each in files)),
        "files": files,
        "counts": {
            kind: manifest["counts"].get(kind, 0) for kind in request.registry["comicsdb_web.kind_views"]
        },
        "has_covers": "covers" in manifest,
        "public_key": manifest["public_key"],
        "urls": {
            each: downloads.file_url(request, name, each)
            for each in (downloads.MANIFEST, downloads.SIGNATURE, *(file["name"] for file in files))
        },
    }


def size(request, count: int) -> str:
    """A number of bytes in the reader's language: 1.2 MB."""
    unit, factor = next((each for each in UNITS if count >= each[1]), UNITS[-1])
    value = round(count / factor, 1)
    return units.format_unit(value, unit, length="short", locale=locale_of(request))


def includeme(config):
    """Add the page."""
    config.add_page("data", "/data/", page, renderer="data.jinja2")
