"""What words about a comic mean: a series' name with year and volume in it, a number, a publisher's name."""

import re
import unicodedata

PLAIN_MAX = 255  # characters
EARLIEST = 1900  # a "volume" from here on is the year in which the series began

_YEAR = re.compile(
    r"\s*[(\[](\d{4})(?:\s*[-–]\s*(?:\d{4}|present|ongoing)?)?(?:\s+series)?[)\]]\s*$", re.I | re.A
)
_VOLUME = re.compile(r",?\s*[(\[]?\b(?:vol(?:ume)?\.?\s*|v\.?)(\d{1,4})[)\]]?\s*$", re.I | re.A)
_KIND = re.compile(r"\s+(?:TPB|HC|GN)$")  # as our own labels have it, in front of the year
_TITLE_NUMBER = re.compile(r"^(?P<series>.+?)\s+(?:chapter\s+)?#\s*(?P<number>\S{1,25})", re.I)
_TITLE_VOLUME = re.compile(
    r"^(?P<series>.+?),?\s+(?:vol(?:ume)?\.?|book)\s*(?P<number>\d{1,4})\b", re.I | re.A
)
_NUMBER_MARK = re.compile(r"^(?:#|no\.?\s*(?=\d)|n[°º]\s*)\s*", re.I)
_NOT_WORDS = re.compile(r"[\W_]+")
# What publishers add to their names or leave out.
_HOUSE = re.compile(
    r"\b(?:comics?|publishing|publications|press|entertainment|group|books|media|inc|llc|ltd|co|company)\b"
)


def split_name(text: str) -> tuple[str, int | None, int | None]:
    """The name of a series, the year in which it began and its volume, out of what people call it.

    Known are `Name (2018)`, `Name (2018 - 2022)`, `Name (2018 series)`, `Name, Vol. 5`, `Name TPB (2018)`.
    """
    name, year, volume = text.strip(), None, None
    found = _YEAR.search(name)
    if found and found.start():
        name, year = name[: found.start()], int(found[1])
        name = _KIND.sub("", name)
    found = _VOLUME.search(name)
    if found and found.start():
        name, number = name[: found.start()], int(found[1])
        year, volume = (year or number, volume) if number >= EARLIEST else (year, number)
    return name.strip(), year, volume


def split_title(text: str) -> tuple[str, str]:
    """The series and the number out of a title such as `Name #5 Variant` or `Name, Vol. 2`; blank without."""
    found = _TITLE_NUMBER.match(text) or _TITLE_VOLUME.match(text)
    return (found["series"].strip(), clean_number(found["number"])) if found else ("", "")


def clean_number(text: str) -> str:
    """A number without the mark before it."""
    return _NUMBER_MARK.sub("", text.strip()).strip()


def plain(text: str) -> str:
    """A text of one line without case, accents and anything but letters and digits."""
    # Combining marks out of order take time by the square of their number.
    decomposed = unicodedata.normalize("NFKD", text[:PLAIN_MAX]).casefold()
    return _NOT_WORDS.sub("", "".join(each for each in decomposed if not unicodedata.combining(each)))


def house(text: str) -> str:
    """A publisher's name without the words that say only that it is one; all of it where no other is left."""
    text = text[:PLAIN_MAX]
    return plain(_HOUSE.sub("", text.casefold())) or plain(text)


def same_house(one: str, other: str) -> bool:
    """Whether two names may be those of one publisher: `DC` and `DC Comics`."""
    return house(one) == house(other)
