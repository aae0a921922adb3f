"""XML of tags: reading what files of strangers have, and writing what every program can read."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb_client.answers import Json

# Characters that XML 1.0 does not allow.
_BAD = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def root_of(text: bytes | None) -> ET.Element | None:
    """The root of a document; None without one, or if it is not XML."""
    try:
        return ET.fromstring(text) if text else None  # noqa: S314 - Expat limits what entities become
    except (ET.ParseError, LookupError, ValueError):
        return None


def text_of(element: ET.Element | None) -> str:
    """The text of an element, "" if there is none."""
    return (element.text or "").strip() if element is not None else ""


def add(parent: ET.Element, name: str, value: object = "", **attributes: str) -> None:
    """Add an element with text, unless that is empty."""
    text = "" if value is None else _BAD.sub("", str(value)).strip()
    if text:
        ET.SubElement(parent, name, attributes).text = text


def add_all(parent: ET.Element, name: str, item: str, values: Iterable[object]) -> None:
    """Add an element with an element for each value, unless there are none."""
    group = ET.Element(name)
    for each in values:
        add(group, item, each)
    add_group(parent, group)


def add_group(parent: ET.Element, group: ET.Element) -> None:
    """Add an element with what is in it, unless that is nothing."""
    if len(group):
        parent.append(group)


def document(root: ET.Element) -> bytes:
    """The document, in UTF-8."""
    ET.indent(root)
    text: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"


def names(objects: Iterable[Json]) -> list[str]:
    """The names of objects of the catalogue."""
    return [each["name"] for each in objects]


def mark(issue: Json, server: str) -> str:
    """The note in tags that has the id of an issue here, and Comic Vine's as programs look for it."""
    comic_vine = f" [CVDB{issue['cv_id']}]" if issue["cv_id"] else ""
    return f"Tagged by comicsdb-client as issue {issue['id']} of {server}{comic_vine}"


def marked(notes: str, server: str) -> int | None:
    """The id of an issue in such a note, if it is of this server."""
    found = re.search(rf"as issue ([0-9]{{1,9}}) of {re.escape(server)}(?=\s|$)", notes)
    return int(found[1]) if found else None


def addresses(issue: Json) -> list[str]:
    """The pages of an issue: the server's, and those at Comic Vine and the Grand Comics Database."""
    found = [issue["resource_url"]]
    if issue["cv_id"]:
        found.append(f"https://comicvine.gamespot.com/issue/4000-{issue['cv_id']}/")
    if issue["gcd_id"]:
        found.append(f"https://www.comics.org/issue/{issue['gcd_id']}/")
    return found
