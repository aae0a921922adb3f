"""Writes Atom feeds (RFC 4287)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

CONTENT_TYPE = "application/atom+xml"
NAMESPACE = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class Entry:
    """An entry of a feed; `changed` is the time of its last change."""

    id: str
    title: str
    text: str
    address: str
    changed: datetime


@dataclass(frozen=True)
class Feed:
    """A feed: its permanent id, author, its own URL (empty if it is secret) and the URL of its page."""

    id: str
    author: str
    title: str
    self_url: str
    page_url: str
    changed: datetime
    language: str


def feed(about: Feed, entries: Iterable[Entry]) -> bytes:
    """Return a feed as XML."""
    root = Xml.Element("feed", {"xmlns": NAMESPACE, "xml:lang": about.language})
    _text(root, "id", about.id)
    _text(root, "title", about.title)
    _text(root, "updated", _moment(about.changed))
    _text(Xml.SubElement(root, "author"), "name", about.author)
    if about.self_url:
        Xml.SubElement(root, "link", {"rel": "self", "type": CONTENT_TYPE, "href": about.self_url})
    Xml.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": about.page_url})
    for entry in entries:
        element = Xml.SubElement(root, "entry")
        _text(element, "id", entry.id)
        _text(element, "title", entry.title)
        _text(element, "updated", _moment(entry.changed))
        Xml.SubElement(element, "link", {"rel": "alternate", "type": "text/html", "href": entry.address})
        _text(element, "summary", entry.text)
    return Xml.tostring(root, encoding="utf-8", xml_declaration=True)


def _text(parent: Xml.Element, name: str, text: str) -> None:
    Xml.SubElement(parent, name).text = "".join(each for each in text if _is_allowed(each))


def _is_allowed(character: str) -> bool:
    """Whether a character is allowed in XML."""
    return character in "\t\n" or " " <= character < "\ud800" or "\ue000" <= character not in "\ufffe\uffff"


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
