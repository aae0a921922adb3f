"""ComicInfo 2.1, ComicRack's format as described by the Anansi project."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb.tags import xml
from comicsdb.tags.ids import Ids, format_ids, ids_of, urls

# Roles by the element for their creators; illustrators and artists are in two elements.
ROLES = {
    "Writer": {"Writer", "Script", "Story", "Plot"},
    "Penciller": {"Penciller", "Artist", "Illustrator", "Breakdowns", "Layouts"},
    "Inker": {"Inker", "Artist", "Illustrator", "Embellisher", "Finishes", "Ink Assists"},
    "Colorist": {
        *("Colorist", "Color Separations", "Color Assists", "Color Flats"),
        *("Digital Art Technician", "Gray Tone"),
    },
    "Letterer": {"Letterer"},
    "CoverArtist": {"Cover"},
    "Editor": {
        *("Editor", "Consulting Editor", "Assistant Editor", "Associate Editor", "Group Editor"),
        *("Senior Editor", "Managing Editor", "Collection Editor", "Supervising Editor", "Executive Editor"),
        "Editor In Chief",
    },
    "Translator": {"Translator"},
}
AGE_RATINGS = {
    "Everyone": "Everyone",
    "Teen": "Teen",
    "Teen Plus": "MA15+",
    "Mature": "Mature 17+",
    "Explicit": "R18+",
    "Adult": "X18+",
}
MANGA = "Manga"


def cover_date_parts(issue: dict) -> list[int | None]:
    """Year, month and day of the cover date; None for unknown parts."""
    known = {"day": 3, "month": 2, "year": 1, "none": 0}[issue["cover_date_precision"]]
    parts = [int(each) for each in issue["cover_date"].split("-")]
    return [*parts[:known], *[None] * (3 - known)]


def write(issue: dict, ids: Ids | None = None) -> bytes:
    """An issue as ComicInfo; by default, `ids` are those of `ids_of`."""
    ids = ids_of(issue) if ids is None else list(ids)
    series, imprint = issue["series"], issue["imprint"]
    year, month, day = cover_date_parts(issue)
    root = ET.Element("ComicInfo")
    for name, value in (
        ("Title", "; ".join(issue["name"]) or issue["title"]),
        ("Series", series["name"]),
        ("Number", issue["number"]),
        ("Volume", series["year_began"]),  # as in reading lists (CBL), by which programs find a file
        ("AlternateNumber", issue["alt_number"]),
        ("Summary", issue["desc"]),
        ("Notes", format_ids(ids)),
        ("Year", year),
        ("Month", month),
        ("Day", day),
        *((element, _names(_creators(issue, roles))) for element, roles in ROLES.items()),
        ("Publisher", issue["publisher"]["name"]),
        ("Imprint", imprint and imprint["name"]),
        ("Genre", _names_of(series["genres"])),
        ("Web", " ".join(urls(issue, ids))),
        ("PageCount", issue["page"]),
        ("LanguageISO", series["language"]),
        ("Format", series["series_type"]["name"]),
        ("Manga", _manga(series)),
        ("Characters", _names_of(issue["characters"])),
        ("Teams", _names_of(issue["teams"])),
        ("StoryArc", _names_of(issue["arcs"])),
        ("AgeRating", AGE_RATINGS.get(issue["rating"]["name"])),
        ("CommunityRating", _stars(issue["average_rating"])),
        ("GTIN", issue["isbn"] or issue["upc"]),
    ):
        xml.add(root, name, value)
    return xml.document(root)


def _creators(issue: dict, roles: set[str]) -> list[str]:
    return [
        credit["creator"] for credit in issue["credits"] if roles & {each["name"] for each in credit["role"]}
    ]


def _names_of(objects: Iterable[dict]) -> str:
    return _names(each["name"] for each in objects)


def _names(names: Iterable[str]) -> str:
    """Names joined by commas, so commas within a name are removed."""
    return ", ".join(" ".join(name.replace(",", " ").split()) for name in names)


def _manga(series: dict) -> str:
    """The manga flag of a series; editions in Japanese are read from right to left."""
    if MANGA not in {genre["name"] for genre in series["genres"]}:
        return ""
    return "YesAndRightToLeft" if series["language"] == "ja" else "Yes"


def _stars(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"
