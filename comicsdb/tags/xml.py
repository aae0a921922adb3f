"""Writes XML: ordered elements, omitting those without a value, with text that every parser accepts."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb.values import without_bad_characters


def add(parent: ET.Element, name: str, value="", **attributes) -> ET.Element | None:
    """Add an element with text, unless the text is empty or None; omits attributes without a value."""
    text = "" if value is None else without_bad_characters(str(value)).strip()
    return add_group(parent, name, text, **attributes) if text else None


def add_group(parent: ET.Element, name: str, text: str | None = None, **attributes) -> ET.Element:
    """Add an element, even if it is empty."""
    kept = {key: without_bad_characters(str(each)) for key, each in attributes.items() if each}
    element = ET.SubElement(parent, name, kept)
    element.text = text
    return element


def add_list(parent: ET.Element, name: str, item: str, values: Iterable) -> None:
    """Add an element that contains one element per value; nothing without values."""
    found = [each for each in values if each]
    if found:
        group = add_group(parent, name)
        for each in found:
            add(group, item, each)


def document(root: ET.Element) -> bytes:
    """The document, indented, in UTF-8 with an XML declaration."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
