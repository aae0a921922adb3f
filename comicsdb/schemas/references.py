"""Ids of other databases in texts: in the addresses of their pages, and in the notes of taggers."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from comicsdb.models.choices import COMIC_VINE_NUMBERS, EXTERNAL_SOURCES

COMIC_VINE_ID = re.compile(r"(40\d\d)-([1-9]\d{0,9})", re.ASCII)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ADDRESSES_MAX = 20  # addresses read in one text
_TEXT_MAX = 5000  # characters read in one text
# The notations of taggers for ids of issues: the source is Comic Vine, or named before the mark.
_COMIC_VINE_MARK = re.compile(r"\[CV(?:DB|I)[ _-]?([1-9][0-9]{0,9})\]", re.IGNORECASE)
_ISSUE_MARK = re.compile(r"\[issue[ _]id:? ?([0-9]{1,10})\]", re.IGNORECASE)
_NAMED_SOURCE = re.compile(
    "|".join(
        rf"(?P<{source}>\b(?:{'|'.join(map(re.escape, names))})\b)"
        for source, names in {
            "comicvine": ("Comic Vine", "ComicVine"),
            "metron": ("Metron", "metron.cloud"),
            "gcd": ("Grand Comics Database", "GCD", "comics.org"),
            "locg": ("League of Comic Geeks", "LoCG"),
        }.items()
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Address:
    """The address of a page: its host without `www.`, and the parts of its path."""

    host: str
    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Address | None":
        """Parse a text; returns None if it is not an address."""
        if not _ADDRESS.fullmatch(text):
            return None
        try:
            split = urlsplit(text if "://" in text else f"//{text}")
            host = (split.hostname or "").removeprefix("www.")
        except ValueError:
            return None
        path = "".join(char for char in unquote(split.path) if char.isprintable())
        return cls(host, tuple(filter(None, path.split("/"))))

    @property
    def words(self) -> str:
        """The longest part of the path, as words."""
        return max((part.replace("-", " ").replace("_", " ") for part in self.parts), key=len, default="")

    def references(self, kinds: Container[str]) -> Iterator[tuple[str, str | None, str]]:
        """Source, kind and id of what the page shows; the kind is None if the address does not contain it."""
        for source, rules in EXTERNAL_SOURCES.items():
            for kind, page in rules.pages.items():
                split = urlsplit(page)
                if split.netloc.removeprefix("www.") != self.host:
                    continue
                if source == "comicvine":  # a different word precedes the id than in our links
                    match = COMIC_VINE_ID.fullmatch(self.parts[-1]) if self.parts else None
                    if match and int(match[1]) == COMIC_VINE_NUMBERS[kind]:
                        yield source, kind, match[2]
                    continue
                *before, last = filter(None, split.path.split("/"))
                position = len(before)
                named = kind or (self.parts[0] if self.parts[:1] and self.parts[0] in kinds else "")
                expected = tuple(part.format(kind=named) for part in before)
                if last == "{id}" and self.parts[:position] == expected and len(self.parts) > position:
                    yield source, named or None, self.parts[position]


def ids_in_addresses(text: str) -> dict[tuple[str, str], str]:
    """The ids of issues and series in a text with addresses, by kind and source, the first of each."""
    ids: dict[tuple[str, str], str] = {}
    for word in re.split(r"[\s,;]+", text[:_TEXT_MAX])[:_ADDRESSES_MAX]:
        address = Address.parse(word)
        for source, kind, number in address.references(("issue", "series")) if address else ():
            external_id = EXTERNAL_SOURCES[source].read(number)
            if external_id and kind in (None, "issue", "series"):
                ids.setdefault((kind or "issue", source), external_id)
    return ids


def issue_ids_in_notes(notes: str) -> dict[str, str]:
    """The ids of an issue, by source, in the marks of taggers; an id whose source is not named is no id."""
    notes, ids = notes[:_TEXT_MAX], {}
    if mark := _COMIC_VINE_MARK.search(notes):
        ids["comicvine"] = mark[1]
    if mark := _ISSUE_MARK.search(notes):
        sources = [match.lastgroup for match in _NAMED_SOURCE.finditer(notes, 0, mark.start())]
        if sources:
            ids.setdefault(sources[-1], mark[1].lstrip("0"))
    return {source: number for source, number in ids.items() if number}
