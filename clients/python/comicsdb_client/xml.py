"""The XML of tags: reading untrusted files, and writing what every program can read."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb_client.answers import Json

# The fields of an issue that tags are written from.
FIELDS = (
    *("id", "number", "alt_number", "title", "name", "cover_date", "store_date", "price", "price_currency"),
    "cover_date_precision",
    *("isbn", "upc", "page", "desc", "cv_id", "resource_url", "modified", "external_ids"),
    *("publisher.name", "imprint.name", "rating.name", "arcs.name", "characters.name", "teams.name"),
    *("universes.name", "reprints.issue", "credits.creator", "credits.role.name", "series.name"),
    *("series.alt_names", "series.sort_name", "series.volume", "series.year_began", "series.language"),
    *("series.series_type.name", "series.genres.name"),
)
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")
_INVALID_BYTES = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f]")
# Characters that XML 1.0 does not allow.
_INVALID_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def cover_date(issue: Json) -> list[int | None]:
    """Year, month and day of the cover date, None if unknown; for older servers, the day is always known."""
    known = {"day": 3, "month": 2, "year": 1, "none": 0}[issue.get("cover_date_precision", "day")]
    parts = [int(each) for each in issue["cover_date"].split("-")]
    return [*parts[:known], *[None] * (3 - known)]


def root_of(text: bytes | None) -> ET.Element | None:
    """The root of a document; None if there is no document or it is not XML.

    What precedes the first element is ignored, and a bare `&` is text.
    """
    for document in (text, _repaired(text)) if text else ():
        try:
            return ET.fromstring(document)  # noqa: S314 - Expat limits the expansion of entities
        except (ET.ParseError, LookupError, ValueError):
            continue
    return None


def _repaired(text: bytes) -> bytes:
    if b"<!DOCTYPE" in text:  # its entities must not become text
        return b""
    text = _INVALID_BYTES.sub(b"", text[max(0, text.find(b"<")) :])
    return _BARE_AMPERSAND.sub(b"&amp;", text)


def text_of(element: ET.Element | None) -> str:
    """The text of an element, "" if there is none."""
    return (element.text or "").strip() if element is not None else ""


def add(parent: ET.Element, name: str, value: object = "", **attributes: str) -> None:
    """Add an element with text, unless the text is empty."""
    text = "" if value is None else _INVALID_CHARACTERS.sub("", str(value)).strip()
    if text:
        ET.SubElement(parent, name, attributes).text = text


def add_all(parent: ET.Element, name: str, item: str, values: Iterable[object]) -> None:
    """Add an element with a child for each value, unless there are none."""
    group = ET.Element(name)
    for each in values:
        add(group, item, each)
    add_group(parent, group)


def add_group(parent: ET.Element, group: ET.Element) -> None:
    """Add an element with its children, unless it has none."""
    if len(group):
        parent.append(group)


def document(root: ET.Element) -> bytes:
    """The document, in UTF-8."""
    ET.indent(root)
    text: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"


def names(objects: Iterable[Json]) -> list[str]:
    """The names of objects of the catalog."""
    return [each["name"] for each in objects]


def tagging_note(issue: Json, server: str) -> str:
    """The note in tags with the issue's id on this server, and its Comic Vine id in the usual notation."""
    comic_vine = f" [CVDB{issue['cv_id']}]" if issue["cv_id"] else ""
    return f"Tagged by comicsdb-client as issue {issue['id']} of {server}{comic_vine}"


def tagged_issue_id(notes: str, server: str) -> int | None:
    """The issue id in a tagging note, if it is from this server."""
    found = re.search(rf"as issue ([0-9]{{1,9}}) of {re.escape(server)}(?=\s|$)", notes)
    return int(found[1]) if found else None


def addresses(issue: Json) -> list[str]:
    """The pages of an issue: the server's, and those in other databases."""
    others = (each["url"] for each in issue["external_ids"] if each["source"] != "isbn")
    return [issue["resource_url"], *filter(None, others)]
