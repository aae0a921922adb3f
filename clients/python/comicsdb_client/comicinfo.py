"""ComicInfo.xml, version 2.1: the format that most comic readers support."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb_client import xml
from comicsdb_client.answers import Json

NAME = "ComicInfo.xml"
# The elements in the order of the schema.
ELEMENTS = (
    "Title Series Number Count Volume AlternateSeries AlternateNumber AlternateCount Summary Notes Year "
    "Month Day Writer Penciller Inker Colorist Letterer CoverArtist Editor Translator Publisher Imprint "
    "Genre Tags Web PageCount LanguageISO Format BlackAndWhite Manga Characters Teams Locations "
    "ScanInformation StoryArc StoryArcNumber SeriesGroup AgeRating Pages CommunityRating "
    "MainCharacterOrTeam Review GTIN"
).split()
# Elements for which the issues that the client reads have no data; they are kept unchanged.
PRESERVED = {
    *("Count", "Tags", "BlackAndWhite", "Locations", "ScanInformation", "SeriesGroup", "Pages"),
    *("CommunityRating", "MainCharacterOrTeam", "Review"),
}
# Elements that identify the issue.
IDENTIFYING = (
    "Series AlternateSeries Number Volume Count Title Year Month Day Publisher LanguageISO Format GTIN Web "
    "Notes"
).split()
CREDITS = {
    "Writer": {"Writer", "Script", "Story", "Plot"},
    "Penciller": {"Penciller", "Artist", "Illustrator", "Breakdowns", "Layouts"},
    "Inker": {"Inker", "Artist", "Illustrator", "Embellisher", "Finishes", "Ink Assists"},
    "Colorist": {
        *("Colorist", "Color Separations", "Color Assists", "Color Flats", "Gray Tone"),
        "Digital Art Technician",
    },
    "Letterer": {"Letterer"},
    "CoverArtist": {"Cover"},
    "Translator": {"Translator"},
}
AGES = {
    "Everyone": "Everyone",
    "Teen": "Teen",
    "Teen Plus": "MA15+",
    "Mature": "Mature 17+",
    "Explicit": "R18+",
    "Adult": "X18+",
}


def identifying_values(text: bytes | None) -> dict[str, str]:
    """The values in a document that identify its issue, by element."""
    root = xml.root_of(text)
    if root is None:
        return {}
    found = {name: xml.text_of(root.find(name)) for name in IDENTIFYING}
    # Programs write -1 for an unknown year, volume or count; but issues may have the number -1.
    return {
        name: value[:1000] for name, value in found.items() if value and (value != "-1" or name == "Number")
    }


def write(issue: Json, server: str, before: bytes | None = None) -> bytes:
    """The document of an issue; from the previous document (`before`), the preserved elements are kept."""
    series, imprint = issue["series"], issue["imprint"]
    year, month, day = xml.cover_date(issue)
    values = {
        "Title": "; ".join(issue["name"]) or issue["title"],
        "Series": series["name"],
        "Number": issue["number"],
        "Volume": series["year_began"],  # as in other programs and in reading lists (CBL)
        "AlternateNumber": issue["alt_number"],
        "Summary": issue["desc"],
        "Notes": xml.tagging_note(issue, server),
        "Year": year,
        "Month": month,
        "Day": day,
        **{element: _creators(issue, roles) for element, roles in CREDITS.items()},
        "Editor": _join(each["creator"] for each in issue["credits"] if _is_editor(each)),
        "Publisher": issue["publisher"]["name"],
        "Imprint": imprint and imprint["name"],
        "Genre": _join(xml.names(series["genres"])),
        "Web": " ".join(xml.addresses(issue)),
        "PageCount": issue["page"],
        "LanguageISO": series["language"],
        "Format": series["series_type"]["name"],
        "Manga": _manga(series),
        "Characters": _join(xml.names(issue["characters"])),
        "Teams": _join(xml.names(issue["teams"])),
        "StoryArc": _join(xml.names(issue["arcs"])),
        "AgeRating": AGES.get(issue["rating"]["name"]),
        "GTIN": issue["isbn"] or issue["upc"],
    }
    old = xml.root_of(before)
    kept = {each.tag: each for each in old if each.tag in PRESERVED} if old is not None else {}
    root = ET.Element("ComicInfo")
    for name in ELEMENTS:
        if name in kept:
            root.append(kept[name])
        else:
            xml.add(root, name, values.get(name))
    return xml.document(root)


def _creators(issue: Json, roles: set[str]) -> str:
    found = (each for each in issue["credits"] if roles.intersection(xml.names(each["role"])))
    return _join(each["creator"] for each in found)


def _is_editor(credit: Json) -> bool:
    return any("Editor" in role for role in xml.names(credit["role"]))


def _join(names: Iterable[str]) -> str:
    """Names as one text, separated by commas; commas inside names are removed."""
    return ", ".join(name.replace(",", "") for name in names)


def _manga(series: Json) -> str:
    if "Manga" not in xml.names(series["genres"]):
        return ""
    return "YesAndRightToLeft" if series["language"] == "ja" else "Yes"
