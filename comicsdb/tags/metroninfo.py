"""MetronInfo 1.1, the format of the Metron project, whose schema defines the values for some elements."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from comicsdb.models.choices import COUNTRIES, SERIES_TYPE_OLDER_NAMES
from comicsdb.models.reference_data import REFERENCE
from comicsdb.tags import xml
from comicsdb.tags.ids import Ids, format_ids, ids_of, urls

# Our initial reference data, whose names are those of the schema.
ROLES = frozenset(row["name"] for row in REFERENCE["role"])
AGE_RATINGS = frozenset(row["name"] for row in REFERENCE["age_rating"])
TYPES = {row["name"]: row["name"] for row in REFERENCE["series_type"]}
TYPES |= {
    older: row["name"]
    for older, code in SERIES_TYPE_OLDER_NAMES.items()
    for row in REFERENCE["series_type"]
    if row["code"] == code
}
# A price has a country: the one whose code begins the currency's or, for the euro, one by language.
EURO_COUNTRIES = {"it": "IT", "fr": "FR", "de": "DE", "es": "ES", "nl": "NL", "pt": "PT"}
OTHER = "Other"
# The names of sources in the schema, by our codes.
SOURCES = {
    "comicvine": "Comic Vine",
    "gcd": "Grand Comics Database",
    "metron": "Metron",
    "anilist": "AniList",
    "locg": "League of Comic Geeks",
    "mangaupdates": "MangaUpdates",
    "myanimelist": "MyAnimeList",
}


def write(issue: dict, ids: Ids | None = None) -> bytes:
    """An issue as MetronInfo; by default, `ids` are those of `ids_of`.

    Elements have no `id` attributes, as our ids are not of a source in the schema.
    """
    ids = ids_of(issue) if ids is None else list(ids)
    root = ET.Element("MetronInfo")
    _add_ids(root, ids)
    _add_publisher(root, issue)
    _add_series(root, issue["series"])
    xml.add(root, "CollectionTitle", issue["title"])
    xml.add(root, "Number", issue["number"])
    xml.add(root, "AlternativeNumber", issue["alt_number"])
    xml.add_list(root, "Stories", "Story", issue["name"])
    xml.add(root, "Summary", issue["desc"])
    _add_price(root, issue)
    xml.add(root, "CoverDate", issue["cover_date"] if issue["cover_date_precision"] != "none" else "")
    xml.add(root, "StoreDate", issue["store_date"])
    xml.add(root, "PageCount", issue["page"])
    xml.add(root, "Notes", format_ids(ids))
    xml.add_list(root, "Genres", "Genre", _names(issue["series"]["genres"]))
    _add_named(root, "Arcs", "Arc", issue["arcs"])
    xml.add_list(root, "Characters", "Character", _names(issue["characters"]))
    xml.add_list(root, "Teams", "Team", _names(issue["teams"]))
    _add_named(root, "Universes", "Universe", issue["universes"])
    xml.add_list(root, "Reprints", "Reprint", (each["issue"] for each in issue["reprints"]))
    if issue["isbn"] or issue["upc"]:
        codes = xml.add_group(root, "GTIN")
        xml.add(codes, "ISBN", issue["isbn"])
        xml.add(codes, "UPC", issue["upc"])
    rating = issue["rating"]["name"]
    xml.add(root, "AgeRating", rating if rating in AGE_RATINGS else "")
    if issue["rating_count"]:
        stars = xml.add_group(root, "CommunityRating")
        xml.add(stars, "AverageRating", f"{issue['average_rating']:.2f}")
        xml.add(stars, "RatingCount", issue["rating_count"])
    _add_urls(root, issue, ids)
    _add_credits(root, issue["credits"])
    xml.add(root, "LastModified", issue["modified"])
    return xml.document(root)


def _add_ids(root: ET.Element, ids: Ids) -> None:
    """Add the ids of the sources in the schema."""
    known = [(SOURCES[source], number) for source, number in ids if source in SOURCES]
    if known:
        group = xml.add_group(root, "IDS")
        for source, number in known:
            xml.add(group, "ID", number, source=source)


def _add_publisher(root: ET.Element, issue: dict) -> None:
    publisher = xml.add_group(root, "Publisher")
    xml.add(publisher, "Name", issue["publisher"]["name"])
    xml.add(publisher, "Imprint", issue["imprint"] and issue["imprint"]["name"])


def _add_series(root: ET.Element, series: dict) -> None:
    element = xml.add_group(root, "Series", lang=_language(series))
    xml.add(element, "Name", series["name"])
    xml.add(element, "SortName", series["sort_name"])
    xml.add(element, "Volume", series["volume"])
    xml.add(element, "Format", TYPES.get(series["series_type"]["name"]))
    xml.add(element, "StartYear", f"{series['year_began']:04}")
    xml.add_list(element, "AlternativeNames", "AlternativeName", series["alt_names"])


def _language(series: dict) -> str:
    """The language as the schema requires it, with two letters; "" for other codes."""
    return series["language"] if len(series["language"]) == 2 else ""


def _add_price(root: ET.Element, issue: dict) -> None:
    currency = issue["price_currency"]
    country = currency[:2]
    if currency == "EUR":
        country = EURO_COUNTRIES.get(issue["series"]["language"])
    if country in COUNTRIES:
        xml.add(xml.add_group(root, "Prices"), "Price", issue["price"], country=country)


def _names(objects: Iterable[dict]) -> Iterable[str]:
    return (each["name"] for each in objects)


def _add_named(root: ET.Element, name: str, item: str, objects: list[dict]) -> None:
    """Add objects, each as an element with a `Name` element."""
    if objects:
        group = xml.add_group(root, name)
        for each in objects:
            xml.add(xml.add_group(group, item), "Name", each["name"])


def _add_urls(root: ET.Element, issue: dict, ids: Ids) -> None:
    group = xml.add_group(root, "URLs")
    own, *others = urls(issue, ids)
    xml.add(group, "URL", own, primary="true")
    for each in others:
        xml.add(group, "URL", each)


def _add_credits(root: ET.Element, credits_: list[dict]) -> None:
    if credits_:
        group = xml.add_group(root, "Credits")
        for each in credits_:
            credit = xml.add_group(group, "Credit")
            xml.add(credit, "Creator", each["creator"])
            roles = dict.fromkeys(name if name in ROLES else OTHER for name in _names(each["role"]))
            xml.add_list(credit, "Roles", "Role", roles)
