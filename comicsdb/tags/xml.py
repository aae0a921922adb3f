"""Writing XML: elements in order, those without a value left out, and text that every parser accepts."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb.values import without_bad_characters


def add(parent: ET.Element, name: str, value="", **attributes) -> ET.Element | None:
    """Add an element with text, unless that is empty or None; attributes without a value are left out."""
    text = "" if value is None else without_bad_characters(str(value)).strip()
    return add_group(parent, name, text, **attributes) if text else None


def add_group(parent: ET.Element, name: str, text: str | None = None, **attributes) -> ET.Element:
    """Add an element, whatever is in it."""
    kept = {key: without_bad_characters(str(each)) for key, each in attributes.items() if each}
    element = ET.SubElement(parent, name, kept)
    element.text = text
    return element


def add_list(parent: ET.Element, name: str, item: str, values: Iterable) -> None:
    """Add an element with one element for each value; nothing if there are none."""
    found = [each for each in values if each]
    if found:
        group = add_group(parent, name)
        for each in found:
            add(group, item, each)


def document(root: ET.Element) -> bytes:
    """The document, indented, in UTF-8 with an XML declaration."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
