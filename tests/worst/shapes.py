"""Texts that are hard for parsers: each shape can be made as long as a place accepts.

What takes a parser disproportionate time is mostly one of these: one long token that almost matches,
separators without anything between them, delimiters that are opened and never closed, characters that Unicode
normalization must sort or expand, and repetitions of a prefix.
"""

from collections.abc import Callable

from tests.soak import SOAK

Shape = Callable[[int], str]


def repeated(unit: str, *, start: str = "", end: str = "") -> Shape:
    """A shape that repeats a text, between a start and an end."""

    def made(size: int) -> str:
        return start + unit * max(1, (size - len(start) - len(end)) // len(unit)) + end

    return made


def nested(opening: str, closing: str, *, inner: str = "") -> Shape:
    """A shape of nested delimiters, as deep as its length allows."""

    def made(size: int) -> str:
        depth = max(1, (size - len(inner)) // (len(opening) + len(closing)))
        return opening * depth + inner + closing * depth

    return made


def counted(pattern: str, *, separator: str) -> Shape:
    """A shape of elements that all differ: `pattern` has a placeholder for their number."""

    def made(size: int) -> str:
        number = max(1, size // (len(pattern) + 4 + len(separator)))
        return separator.join(pattern.format(each) for each in range(number))[:size]

    return made


# For texts in any place.
TEXTS: dict[str, Shape] = {
    "one token": repeated("a", end="!"),
    "digits": repeated("9"),
    "a number of two parts": repeated("9", start="1.", end="e999999999"),
    "blanks within": repeated(" ", start="a", end="b"),
    "line ends within": repeated("\r\n", start="a", end="b"),
    "tabs and blanks": repeated("\t ", start="a", end="b"),
    "words": counted("w{}", separator=" "),
    "short words": repeated("a "),
    "dots": repeated("a."),
    "hyphens": repeated("-", start="a", end="b"),
    "commas": repeated(",", start="a", end="b"),
    "semicolons": repeated(";a=", start="a", end='"'),
    "combining marks": repeated(
        "\u0315\u0300\u05ae\u0323", start="a", end="b"
    ),  # of several classes, unsorted
    "a jamo sequence": repeated("\u1100\u1161", start="a"),
    "letters that expand": repeated("\ufdfa"),
    "letters whose case expands": repeated("\u0130\ufb03"),
    "emoji that join": repeated("\U0001f468\u200d", start="a"),
    "quotes": repeated('"', start="a", end="b"),
    "escaped quotes": repeated('\\"', start='"'),
    "backslashes": repeated("\\", start="a", end='"'),
    "percent signs": repeated("%", start="a", end="b"),
    "escapes of escapes": repeated("%25", start="a"),
    "wildcards": repeated("_%", start="a", end="b"),
    "open tags": repeated("<b>"),
    "open angles": repeated("<", start="a"),
    "open attributes": repeated("<a href=", end="b"),
    "attributes": counted("a{}=x", separator=" "),
    "one tag of many attributes": repeated(' a="', start="<a", end=">b"),
    "end tags": repeated("</b>", start="<p>" * 2000),
    "tags within tags": nested("<ul><li>", "</li></ul>", inner="a"),
    "comments": repeated("<!--", end="b"),
    "declarations": repeated("<![CDATA[", end="b"),
    "references": repeated("&#", end="b"),
    "long references": repeated("9", start="&#", end=";"),
    "ampersands": repeated("&a", end="b"),
    "stars": repeated("*a_", end="b"),
    "brackets": repeated("[", start="a", end="b"),
    "links": repeated("[a](", end="b"),
    "quoted lines": repeated("> ", end="b"),
    "lists in lists": repeated("- ", end="b"),
    "grave accents": repeated("`a``", end="b"),
    "addresses": repeated("http://a.", end="b"),
    "one long address": repeated("a.", start="http://"),
    "mail addresses": repeated("a@", end="b"),
    "slashes": repeated("/", start="a", end="b"),
    "dots and slashes": repeated("../", start="/"),
    "arrays": nested("[", "]"),
    "objects": nested('{"a":', "}", inner="1"),
    "open objects": repeated('{"a":'),
    "repeated prefixes": repeated("aaaaaaab"),
    "parentheses": nested("(", ")"),
}

SHAPES_TRIED = len(TEXTS) if SOAK else 1  # for each place: elsewhere, the shapes take turns

# For headers, which are mostly lists of values with parameters.
HEADERS: dict[str, Shape] = {
    name: TEXTS[name]
    for name in (
        "one token",
        "digits",
        "blanks within",
        "tabs and blanks",
        "short words",
        "dots",
        "hyphens",
        "commas",
        "semicolons",
        "quotes",
        "escaped quotes",
        "backslashes",
        "percent signs",
        "slashes",
        "addresses",
        "parentheses",
        "brackets",
        "combining marks",
    )
} | {
    "media types": counted("a/b{};q=0.5", separator=","),
    "media types with parameters": repeated(';a="b"', start="a/b", end=";q=x"),
    "qualities": repeated(";q=0.1", start="text/html"),
    "languages": counted("en-{}", separator=","),
    "subtags": repeated("-aaaaaaaa", start="en"),
    "tags": counted('"{}"', separator=", "),
    "weak tags": repeated('W/"', end='"'),
    "ranges": counted("{0}-{0}", separator=","),
    "ranges of bytes": repeated("0-,", start="bytes="),
    "cookies": counted("a{}=b", separator="; "),
    "a cookie of quotes": repeated('\\"', start='session="', end=";"),
    "a cookie of octets": repeated("\\377", start='session="', end='"'),
    "a cookie without an end": repeated("a", start="session=", end="\x7f"),
    "names of cookies": repeated("a", end=" ="),
    "bearer of a token": repeated("a", start="Bearer "),
    "token of the scheme": repeated("a", start="Token "),
    "basic": repeated("YTph", start="Basic "),
    "digest": repeated('a="b",', start="Digest "),
    "addresses of clients": counted("10.0.0.1:{}", separator=", "),
    "forwarded": repeated('for="[::1]";', end="by=x"),
    "a date": repeated(" ", start="Sat,", end="21 Nov 2026 02:36:05 GMT"),
    "a number in a date": repeated("9", start="Sat, 21 Nov ", end=" 02:36:05 GMT"),
    "an address": repeated("a", start="http://[", end="]"),
    "a host of many parts": repeated("a.", start="http://"),
    "a boundary": repeated("a", start="multipart/form-data; boundary="),
    "parameters of a form": repeated(';a="', start="multipart/form-data", end=";boundary=x"),
    "a charset": repeated("a", start="application/x-www-form-urlencoded; charset="),
}
