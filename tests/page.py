"""Parsed pages with the interface of Beautiful Soup, but on lxml, which takes a twentieth of the time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from cssselect import HTMLTranslator
from lxml import etree, html

PARSER = etree.HTMLParser()  # that of lxml.html looks up a class, in Python, for each element
NAMES = html.defs.tags | {"bdi", "main", "template"}  # elements that are newer than that list
LISTS = {"class", "rel"}  # attributes that are lists of words
SEPARATE_TEXT = {"script", "style", "template"}  # their text does not belong to the surrounding element


def parse(text: str) -> "Tag":
    """Parse a page; returns the document, the parent of `html`."""
    document = etree.Element("document")
    document.append(etree.fromstring(text, PARSER))
    return Tag(document)


@cache
def _path(selector: str) -> etree.XPath:
    return etree.XPath(HTMLTranslator().css_to_xpath(selector, prefix="descendant::"))


@dataclass(frozen=True, slots=True)
class Tag:
    """An element of a page. `tag.h1` is the first `h1` in it, or None; `tag["href"]` an attribute."""

    element: etree._Element

    def __getattr__(self, name: str) -> "Tag | None":
        if name not in NAMES:
            raise AttributeError(name)
        return self.find(name)

    def __getitem__(self, name: str) -> str | list[str]:
        value = self.element.attrib[name]
        return value.split() if name in LISTS else value

    def __str__(self) -> str:
        return etree.tostring(self.element, encoding="unicode", method="html", with_tail=False)

    def get(self, name: str, default=None) -> str | list[str] | None:
        """An attribute, or the default."""
        return self[name] if self.has_attr(name) else default

    def has_attr(self, name: str) -> bool:
        """Whether the element has an attribute of that name."""
        return name in self.element.attrib

    @property
    def name(self) -> str:
        """The name of the element."""
        return self.element.tag

    @property
    def attrs(self) -> dict[str, str]:
        """The attributes by name."""
        return dict(self.element.attrib)

    @property
    def parent(self) -> "Tag":
        """The parent element."""
        return Tag(self.element.getparent())

    @property
    def string(self) -> str | None:
        """The text of an element that contains only text, or of its only child; otherwise None."""
        if len(self.element) == 0:
            return self.element.text
        (only, *others) = self.element
        return None if others or self.element.text or only.tail else Tag(only).string

    @property
    def strings(self) -> Iterator[str]:
        """The pieces of text in the element, in order."""
        return _strings(self.element)

    @property
    def stripped_strings(self) -> Iterator[str]:
        """The non-empty pieces of text, without surrounding white space."""
        return filter(None, map(str.strip, self.strings))

    @property
    def text(self) -> str:
        """The whole text of the element."""
        return "".join(self.strings)

    def get_text(self, separator: str = "", strip: bool = False) -> str:
        """The pieces of text, joined."""
        return separator.join(self.stripped_strings if strip else self.strings)

    def decode_contents(self) -> str:
        """The markup inside the element."""
        return (self.element.text or "") + "".join(
            etree.tostring(each, encoding="unicode", method="html") for each in self.element
        )

    def select(self, selector: str) -> list["Tag"]:
        """The descendants that match a CSS selector, in the order of the page."""
        return [Tag(each) for each in _path(selector)(self.element)]

    def select_one(self, selector: str) -> "Tag | None":
        """The first descendant that matches a CSS selector."""
        return next(iter(self.select(selector)), None)

    def find_all(self, name: str | list[str] | bool = True, **conditions) -> list["Tag"]:
        """The descendants with that name, or one of these names, that meet the conditions of `find`."""
        return list(_found(self.element.iterdescendants(*_names(name)), **conditions))

    def find(self, name: str | list[str] | bool = True, **conditions) -> "Tag | None":
        """The first descendant with that name, these attributes, and, with `string`, that text.

        An attribute given as True may have any value. Attributes whose names are not valid in Python are
        passed in `attrs`; `class` can also be passed as `class_`.
        """
        return next(_found(self.element.iterdescendants(*_names(name)), **conditions), None)

    def find_next(self, name: str | bool = True, **conditions) -> "Tag | None":
        """The first match, as with `find`, inside the element or after it in the page."""
        after = self.element.iterdescendants(*_names(name))
        later = (each for each in self.element.xpath("following::*") if name in (True, each.tag))
        return next(_found(chain(after, later), **conditions), None)

    def find_parent(self, name: str | bool = True, **conditions) -> "Tag | None":
        """The nearest ancestor that matches, as with `find`."""
        return next(_found(self.element.iterancestors(*_names(name)), **conditions), None)


def _names(name: str | list[str] | bool) -> tuple:
    if name is True:
        return (etree.Element,)  # which excludes comments
    return (name,) if isinstance(name, str) else tuple(name)


def _found(elements, attrs=None, string=None, class_=None, **more) -> Iterator[Tag]:
    wanted = (attrs or {}) | more | ({"class": class_} if class_ else {})
    for each in elements:
        met = all(_has(each, name, value) for name, value in wanted.items())
        if met and (string is None or Tag(each).string == string):
            yield Tag(each)


def _has(element, name: str, wanted: str | bool) -> bool:
    value = element.get(name)
    if wanted is True:
        return value is not None
    return wanted in value.split() if name in LISTS and value else value == wanted


def _strings(element) -> Iterator[str]:
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str) and child.tag not in SEPARATE_TEXT:
            yield from _strings(child)
        if child.tail:
            yield child.tail
