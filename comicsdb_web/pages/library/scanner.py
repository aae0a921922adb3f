"""The scanner: barcodes from a camera, a USB scanner or the keyboard, and the issues that have them.

The page works with its form alone. Its script (`js/scan.js`) reads the camera, looks codes up as they are
scanned, and stores those scanned offline in the browser. Offline, the service worker serves a page without
personal data, and the files that it needs.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response
from sqlalchemy import select

from comicsdb.catalog import barcodes
from comicsdb.catalog.trade_numbers import parse_gtin
from comicsdb.i18n import translate
from comicsdb.library import collection
from comicsdb.models import CollectionItem, Issue, Variant
from comicsdb.values import compact_code
from comicsdb_web.http import assets
from comicsdb_web.http.csp import PERMISSIONS, policy
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists import cards
from comicsdb_web.rendering.locales import _, ngettext
from comicsdb_web.rendering.row_views import RowView, row_view

WORKER = Path(__file__).parent.parent.parent / "data" / "scan_worker.js"
SKIP = "none"  # the choice to add nothing for a code
CODE_MAX = 20  # most characters of a barcode
DECODER = ("zxing/share.js", "zxing/reader/index.js", "zxing/zxing_reader.wasm")
FILES = (*DECODER, "css/site.css", "css/collection.css", "css/scan.css", "icon.svg")
SEPARATORS = re.compile(r"[\n\r,;\t]+")

TOO_MANY = _("Enter at most ${n} barcodes at a time.", mapping={"n": barcodes.CODES_MAX})
NOTHING_CHOSEN = _("Choose at least one issue to add.")
UNDECIDED = _("Nothing has been added yet: choose an issue for each barcode that several issues share.")
NOT_LOOKED_UP = _("Check what was found, then add it.")


@dataclass(frozen=True)
class Candidate:
    """An issue or variant that a scanned code may identify; `value` identifies it in forms."""

    issue: RowView
    variant: RowView | None
    is_exact: bool
    is_owned: bool

    @property
    def value(self) -> str:
        """The ids of issue and variant."""
        return f"{self.issue.id}-{self.variant.id}" if self.variant else f"{self.issue.id}"


@dataclass(frozen=True)
class ScannedCode:
    """A scanned code, the issues and variants it may identify, and the value of the selected one."""

    code: str
    is_code: bool
    choices: Sequence[Candidate]
    chosen: str

    @property
    def needs_supplement(self) -> bool:
        """Whether the code lacks the supplement that would distinguish these issues."""
        code = parse_gtin(self.code)
        return code is not None and not code.supplement and len(self.choices) > 1

    @property
    def is_undecided(self) -> bool:
        """Whether several issues have the code, and none is chosen."""
        return len(self.choices) > 1 and not self.chosen


def page(request):
    """The page, with the issues found for the submitted codes."""
    if request.method != "POST":
        return _page(request, [])
    codes, _new = _codes(request)
    if len(codes) > barcodes.CODES_MAX:
        return _error_page(request, [], TOO_MANY)
    rows = _look_up(request, codes)
    if request.is_fragment:
        return fragment(request, "scanned", {"rows": rows})
    return _page(request, rows)


def add(request):
    """Add the chosen issues to the collection; none while a choice is open."""
    codes, new = _codes(request)
    if len(codes) > barcodes.CODES_MAX:
        return _error_page(request, [], TOO_MANY)
    rows = _look_up(request, codes)
    if new:
        return _error_page(request, rows, NOT_LOOKED_UP)
    if any(row.is_undecided for row in rows):
        return _error_page(request, rows, UNDECIDED)
    chosen = [each for row in rows for each in row.choices if each.value == row.chosen]
    copies = [(each.issue.id, {"variant_id": each.variant.id if each.variant else None}) for each in chosen]
    if not copies:
        return _error_page(request, rows, NOTHING_CHOSEN)
    added = collection.add_copies(request.dbsession, request.identity.user_id, copies)
    text = ngettext(
        "${n} copy was added to your collection.", "${n} copies were added to your collection.", added
    )
    request.messages.add(
        "success", text, label=_("My collection"), path=request.route_path("collection.list")
    )
    unknown = [row.code for row in rows if not row.choices]
    if unknown:
        text = _("Nothing was found for: ${codes}", mapping={"codes": ", ".join(unknown)})
        request.messages.add("info", text)
    # When the script sees this URL, it deletes its stored list with that name, and no other.
    sent = request.POST.get("list", "")
    query = {"added": sent} if isinstance(sent, str) and sent.isalnum() else {}
    return HTTPSeeOther(request.route_path("collection.scan", _query=query))


def _page(request, rows: list[ScannedCode], error=None) -> dict:
    origin = request.registry.settings["comicsdb_web.media_origin"]
    _allow_camera(request.response, origin)
    return {"rows": rows, "error": error, "bare": False, "codes_max": barcodes.CODES_MAX}


def _error_page(request, rows: list[ScannedCode], text) -> dict:
    request.response.status_int = 422
    return _page(request, rows, translate(request.localizer, text))


def _allow_camera(response, media_origin: str) -> None:
    """Allow the page to use the camera and to compile the decoder, which is WebAssembly."""
    response.headers["Content-Security-Policy"] = policy(media_origin, wasm=True)
    response.headers["Permissions-Policy"] = PERMISSIONS.replace("camera=()", "camera=(self)")


def _codes(request) -> tuple[dict[str, str | None], bool]:
    """The submitted codes, each once, and whether some of them are new to the page.

    The value of a code is the choice that was made for it, None for a new code.
    """
    sent = request.POST
    known: dict[str, str | None] = {}
    new = False
    for code in _texts(sent.getall("barcode")):
        choice, added = sent.get(f"pick-{code}", ""), sent.get(f"supplement-{code}", "")
        digits = compact_code(added) if isinstance(added, str) else ""
        if digits:
            known.setdefault(code + digits, None)
            new = True
        else:
            known[code] = choice if isinstance(choice, str) else ""
    for text in _texts(sent.getall("codes")):
        for each in SEPARATORS.split(text):
            code = compact_code(each).upper()[: CODE_MAX + 1]
            if code and code not in known:
                known[code] = None
                new = True
    return known, new


def _texts(sent: list) -> list[str]:
    return [each for each in sent if isinstance(each, str)]


def _look_up(request, codes: dict[str, str | None]) -> list[ScannedCode]:
    """Look up the codes; up to four statements."""
    parts = {code: parse_gtin(code) for code in codes}
    read = [each for each in parts.values() if each]
    looked_up = barcodes.look_up(request.dbsession, read) if read else []
    found = dict(zip([code for code, each in parts.items() if each], looked_up, strict=True))
    issues, variants, owned = _load(request, [each for matches in looked_up for each in matches])
    rows = []
    for code, sent in codes.items():
        choices = [
            Candidate(
                issues[each.issue_id],
                variants.get(each.variant_id),
                each.is_exact,
                (each.issue_id, each.variant_id) in owned,
            )
            for each in found.get(code, ())
            if each.issue_id in issues
        ]
        rows.append(ScannedCode(code, parts[code] is not None, choices, _selected_value(choices, sent)))
    return rows


def _selected_value(choices: Sequence[Candidate], sent: str | None) -> str:
    """The value of the chosen match; for a new code, its only match if exact and not owned yet."""
    if sent is not None:
        return sent if sent == SKIP or sent in {each.value for each in choices} else ""
    (only,) = choices if len(choices) == 1 else (None,)
    return only.value if only and only.is_exact and not only.is_owned else ""


def _load(request, matches: list[barcodes.BarcodeMatch]) -> tuple[dict, dict, set]:
    """The issues and variants of matches by id, and those of which the reader has a copy."""
    if not matches:
        return {}, {}, set()
    session, ids = request.dbsession, {each.issue_id for each in matches}
    issues = select(*cards.issue_columns()).join(Issue.series).where(Issue.id.in_(ids))
    variant_ids = {each.variant_id for each in matches if each.variant_id}
    of_variant = Variant.id, Variant.name, Variant.image, Variant.image_width, Variant.image_height
    variants = select(*of_variant).where(Variant.id.in_(variant_ids))
    item = CollectionItem
    owned = select(item.issue_id, item.variant_id).where(
        item.user_id == request.identity.user_id, item.issue_id.in_(ids)
    )
    return (
        {row.id: row_view("issue", row._mapping) for row in session.execute(issues)},
        {row.id: row_view("variant", row._mapping) for row in session.execute(variants)}
        if variant_ids
        else {},
        {tuple(row) for row in session.execute(owned)},
    )


def shell(request):
    """The offline page, without personal data."""
    return _page(request, []) | {"bare": True}


def worker(request):
    """The service worker; its text, and so its cache, changes with the build, language and theme."""
    files = [request.asset(name) for name in (*FILES, *_scripts())]
    version = request.registry["comicsdb_web.build_fingerprint"]()
    values = {
        "version": f"{version}-{request.locale_name}-{request.theme}",
        "page": request.route_path("collection.scan"),
        "shell": request.route_path("scan_shell"),
        "files": files,
    }
    head = "".join(f"const {name.upper()} = {json.dumps(value)};\n" for name, value in values.items())
    body = head + WORKER.read_text("utf-8")
    response = Response(body, content_type="text/javascript", charset="utf-8", cache_control="no-cache")
    response.vary = ("Cookie", "Accept-Language")
    return response


def _scripts() -> list[str]:
    """The modules of every page."""
    return sorted(f"js/{each.name}" for each in (assets.FOLDER / "js").glob("*.js"))


def includeme(config):
    """Add the pages, and the worker in the same folder, as it may serve only pages below its own folder."""
    config.add_collection_page(
        "scan",
        "scan/",
        page,
        methods=("GET", "HEAD", "POST"),
        renderer="collection/scan.jinja2",
        parameters=("added",),
    )
    config.add_collection_page(
        "scan_add", "scan/add/", add, methods=("POST",), renderer="collection/scan.jinja2"
    )
    config.add_page("scan_shell", "/collection/scan/shell/", shell, renderer="collection/scan.jinja2")
    config.add_page("scan_worker", "/collection/scan/worker.js", worker)
