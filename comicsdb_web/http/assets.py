"""Style sheets, scripts and icons, served below a path with a digest of all of them.

Modules and style sheets reference each other by relative URLs, so the digest is in the path: all assets of a
page are of the same version. The style sheets that every page needs are served as one file, `css/site.css`,
as they block rendering.
"""

import hashlib
import re
from pathlib import Path

from pyramid.response import Response
from pyramid.settings import asbool
from pyramid.static import static_view

FOLDER = Path(__file__).parent.parent / "static"
CURRENT = "public, max-age=31536000, immutable"
OTHER = "public, max-age=3600"  # for URLs of another version, or without one
ACCENT = "#ffd23f"  # of tokens.css, replaced by that of the site
SITE_SHEET = ("css", "site.css")
SHEETS = (
    "tokens",
    "base",
    "shared",
    "menus",
    "layout",
    "controls",
    "rating",
    "reviews",
    "cards",
    "track",
    "lists",
    "detail",
    "pages",
    "forms",
    "account",
)


def digest_of(folder: Path, beginning: bytes = b"") -> str:
    """Twelve hex digits of a digest over all files of the folder, and over what else they depend on."""
    digest = hashlib.sha256(beginning)
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def site_sheet(accent: str) -> str:
    """The concatenated style sheets of every page, minified, with the site's accent."""
    text = "".join((FOLDER / "css" / f"{name}.css").read_text("utf-8") for name in SHEETS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = text.replace(ACCENT, accent)
    return re.sub(r" ?([{};]) ?", r"\1", re.sub(r"\s+", " ", text)).strip()


def asset_base(request) -> str:
    """The prefix of the paths of static files."""
    return request.route_path("static", digest=request.registry["comicsdb_web.digest"], subpath="")


def asset(request, name: str) -> str:
    """The path of a static file, such as `css/base.css`."""
    return f"{request.asset_base}{name}"


def includeme(config):
    """Serve the folder; `request.asset(name)` returns paths. Needs neither session nor database."""
    settings = config.get_settings()
    accent, logo = settings["comicsdb.accent"], settings["comicsdb_web.logo"]
    digest = digest_of(FOLDER, accent.encode() + (logo.content if logo else b""))
    config.registry["comicsdb_web.digest"] = digest
    changing = asbool(settings.get("pyramid.reload_templates"))
    serve = static_view("comicsdb_web:static", use_subpath=True, cache_max_age=None)
    sheet = site_sheet(accent)

    def view(context, request):
        if request.subpath == SITE_SHEET:
            response = Response(site_sheet(accent) if changing else sheet, content_type="text/css")
        elif logo and request.subpath == (logo.name,):
            response = Response(logo.content, content_type=logo.media_type)
        else:
            response = serve(context, request)
        current = request.matchdict["digest"] == digest and not changing
        response.headers["Cache-Control"] = "no-cache" if changing else CURRENT if current else OTHER
        return response

    config.add_route("static", "/static/{digest}/*subpath", request_method=("GET", "HEAD"))
    config.add_view(view, route_name="static")
    config.add_request_method(asset_base, reify=True)
    config.add_request_method(asset, "asset")
