"""MetronInfo.xml, version 1.1: a format with structured lists, and ids by source."""

from typing import Any
from xml.etree import ElementTree as ET

from comicsdb_client import xml
from comicsdb_client.answers import Json

NAME = "MetronInfo.xml"
FORMATS = {
    *("Annual", "Digital Chapter", "Graphic Novel", "Hardcover", "Limited Series", "Omnibus", "One-Shot"),
    *("Single Issue", "Trade Paperback"),
}
AGES = {"Everyone", "Teen", "Teen Plus", "Mature", "Explicit", "Adult"}
ROLES = set(
    "Writer|Script|Story|Plot|Interviewer|Artist|Penciller|Breakdowns|Illustrator|Layouts|Inker|Embellisher|"
    "Finishes|Ink Assists|Colorist|Color Separations|Color Assists|Color Flats|Digital Art Technician|"
    "Gray Tone|Letterer|Cover|Editor|Consulting Editor|Assistant Editor|Associate Editor|Group Editor|"
    "Senior Editor|Managing Editor|Collection Editor|Production|Designer|Logo Design|Translator|"
    "Supervising Editor|Executive Editor|Editor In Chief|President|Publisher|Chief Creative Officer|"
    "Executive Producer".split("|")
)
# The names of sources in the schema, by the server's names.
SOURCES = {
    "comicvine": "Comic Vine",
    "gcd": "Grand Comics Database",
    "metron": "Metron",
    "anilist": "AniList",
    "locg": "League of Comic Geeks",
    "mangaupdates": "MangaUpdates",
    "myanimelist": "MyAnimeList",
}
# A price belongs to the country whose code begins the currency's or, for the euro, to that of the language.
# These codes belong to no country, or to one that no longer exists.
NO_COUNTRY = {"AN", "BU", "CS", "DD", "EU", "RH", "SU", "TP", "XA", "XC", "XO", "XP", "YD", "YU", "ZR"}
EURO_LANGUAGES = {"it", "fr", "de", "es", "nl", "pt", "fi"}


def identifying_values(text: bytes | None) -> dict[str, Any]:
    """The values in a document that identify its issue, by element; keys of attributes begin with `@`."""
    root = xml.root_of(text)
    if root is None:
        return {}
    found: dict[str, Any] = {
        name: xml.text_of(root.find(name))
        for name in ("Number", "CollectionTitle", "CoverDate", "StoreDate", "PageCount")
    }
    found["Publisher"] = xml.text_of(root.find("Publisher/Name"))
    series = root.find("Series")
    if series is not None:
        parts = {each.tag: xml.text_of(each) for each in series} | {"@lang": series.get("lang", "")}
        found["Series"] = {name: value[:500] for name, value in parts.items() if value}
    found["GTIN"] = {each.tag: xml.text_of(each) for each in root.findall("GTIN/*") if xml.text_of(each)}
    ids = [(each.get("source", ""), xml.text_of(each)) for each in root.findall("IDS/ID")]
    found["IDS"] = {"ID": [{"@source": source, "#text": number} for source, number in ids]} if ids else None
    return {name: value for name, value in found.items() if value}


def write(issue: Json, server: str) -> bytes:
    """The document of an issue."""
    root = ET.Element("MetronInfo")
    ids = ET.Element("IDS")
    for each in issue["external_ids"]:
        if each["source"] in SOURCES:
            xml.add(ids, "ID", each["external_id"], source=SOURCES[each["source"]])
    xml.add_group(root, ids)
    publisher = ET.SubElement(root, "Publisher")
    xml.add(publisher, "Name", issue["publisher"]["name"])
    xml.add(publisher, "Imprint", issue["imprint"] and issue["imprint"]["name"])
    _add_series(root, issue["series"])
    xml.add(root, "CollectionTitle", issue["title"])
    xml.add(root, "Number", issue["number"])
    xml.add(root, "AlternativeNumber", issue["alt_number"])
    xml.add_all(root, "Stories", "Story", issue["name"])
    xml.add(root, "Summary", issue["desc"])
    _add_price(root, issue)
    xml.add(root, "CoverDate", issue["cover_date"] if xml.cover_date(issue)[0] else "")
    xml.add(root, "StoreDate", issue["store_date"])
    xml.add(root, "PageCount", issue["page"])
    xml.add(root, "Notes", xml.tagging_note(issue, server))
    xml.add_all(root, "Genres", "Genre", xml.names(issue["series"]["genres"]))
    _add_named(root, "Arcs", "Arc", issue["arcs"])
    xml.add_all(root, "Characters", "Character", xml.names(issue["characters"]))
    xml.add_all(root, "Teams", "Team", xml.names(issue["teams"]))
    _add_named(root, "Universes", "Universe", issue["universes"])
    xml.add_all(root, "Reprints", "Reprint", (each["issue"] for each in issue["reprints"]))
    codes = ET.Element("GTIN")
    xml.add(codes, "ISBN", issue["isbn"])
    xml.add(codes, "UPC", issue["upc"])
    xml.add_group(root, codes)
    age = issue["rating"]["name"]
    xml.add(root, "AgeRating", age if age in AGES else "Unknown")
    pages = ET.Element("URLs")
    for number, address in enumerate(xml.addresses(issue)):
        xml.add(pages, "URL", address, **({"primary": "true"} if number == 0 else {}))
    xml.add_group(root, pages)
    credits_ = ET.Element("Credits")
    for each in issue["credits"]:
        credit = ET.SubElement(credits_, "Credit")
        xml.add(credit, "Creator", each["creator"])
        known = (role if role in ROLES else "Other" for role in xml.names(each["role"]))
        xml.add_all(credit, "Roles", "Role", dict.fromkeys(known))
    xml.add_group(root, credits_)
    xml.add(root, "LastModified", issue["modified"])
    return xml.document(root)


def _add_series(root: ET.Element, series: Json) -> None:
    language = series["language"]
    element = ET.SubElement(root, "Series", {"lang": language} if len(language) == 2 else {})
    xml.add(element, "Name", series["name"])
    xml.add(element, "SortName", series["sort_name"])
    xml.add(element, "Volume", series["volume"])
    kind = series["series_type"]["name"]
    xml.add(element, "Format", kind if kind in FORMATS else "")
    xml.add(element, "StartYear", f"{series['year_began']:04}")
    xml.add_all(element, "AlternativeNames", "AlternativeName", series["alt_names"])


def _add_price(root: ET.Element, issue: Json) -> None:
    currency, language = issue["price_currency"], issue["series"]["language"]
    country = currency[:2]
    if currency == "EUR":
        country = language.upper() if language in EURO_LANGUAGES else ""
    if country and country not in NO_COUNTRY:
        xml.add(ET.SubElement(root, "Prices"), "Price", issue["price"], country=country)


def _add_named(root: ET.Element, name: str, item: str, objects: list[Json]) -> None:
    """Add a group of objects, whose name is a child element."""
    group = ET.Element(name)
    for each in objects:
        xml.add(ET.SubElement(group, item), "Name", each["name"])
    xml.add_group(root, group)
