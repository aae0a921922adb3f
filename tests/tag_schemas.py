"""The published schemas of tags, from the wheel of `comicbox`, and the details of two issues.

`make develop` downloads the wheel, which is not installed: it would bring thirty other packages.
"""

import copy
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest
import xmlschema
from lxml import etree

BARE = {
    "id": 7,
    "publisher": {"id": 1, "name": "Nimbus Comics"},
    "imprint": None,
    "series": {
        "id": 3,
        "name": "Harbor Lights",
        "alt_names": [],
        "sort_name": "Harbor Lights",
        "volume": 1,
        "year_began": 2019,
        "series_type": {"id": 13, "name": "Single Issue"},
        "genres": [],
        "language": "",
    },
    "number": "½",
    "alt_number": "",
    "title": "",
    "name": [],
    "cover_date": "2019-06-01",
    "cover_date_precision": "day",
    "store_date": None,
    "price": None,
    "price_currency": "",
    "rating": {"id": 1, "name": "Unknown"},
    "isbn": "",
    "upc": "",
    "page": None,
    "desc": "",
    "average_rating": None,
    "rating_count": 0,
    "arcs": [],
    "credits": [],
    "characters": [],
    "teams": [],
    "universes": [],
    "reprints": [],
    "cv_id": None,
    "gcd_id": None,
    "external_ids": [],
    "resource_url": "https://comics.example/issue/harbor-lights-2019-12/",
    "modified": "2026-11-23T13:00:00.123456Z",
}


def named(*names):
    """Objects in the form in which details embed them."""
    return [{"id": number, "name": name} for number, name in enumerate(names, 1)]


def external_id(source, number, url=None):
    """An id in another database."""
    return {"source": source, "external_id": number, "scope": "", "url": url}


def credit(creator, *roles):
    """A creator with roles."""
    return {"id": 1, "creator": creator, "role": named(*roles)}


FULL = copy.deepcopy(BARE) | {
    "imprint": {"id": 2, "name": "Stratus & Sons"},
    "alt_number": "103",
    "title": "Collected <Harbor>",
    "name": ["Low Water", "Ebb"],
    "store_date": "2019-04-17",
    "price": "3.90",
    "price_currency": "GBP",
    "rating": {"id": 4, "name": "Teen Plus"},
    "isbn": "9780306406157",
    "upc": "75960608936900311",
    "page": 32,
    "desc": "Tide & time:\n“no one” waits.",
    "average_rating": 4.33,
    "rating_count": 3,
    "arcs": named("Apex", "Zénith"),
    "credits": [
        credit("Ada Penwell", "Writer", "Cover"),
        credit("Sam Reed, Jr.", "Artist"),
        credit("Zoe"),
        credit("Lin", "Ghost"),
    ],
    "characters": named("Gale", "Old Salt"),
    "teams": named("Wardens"),
    "universes": named("Sky"),
    "reprints": [{"id": 9, "issue": "Anchor (2021) #5"}],
    "cv_id": 51,
    "gcd_id": 52,
    "external_ids": [
        external_id("comicvine", "51", "https://comicvine.gamespot.com/issue/4000-51/"),
        external_id("gcd", "52", "https://www.comics.org/issue/52/"),
    ],
}
FULL["series"] |= {"alt_names": ["Luci del porto"], "genres": named("Manga", "Romance"), "language": "ja"}


@cache
def comicinfo():
    """The schema of the draft of ComicInfo 2.1."""
    return etree.XMLSchema(etree.fromstring(_schema("ComicInfo-v2.1-Draft.xsd")))


@cache
def metroninfo():
    """The schema of MetronInfo 1.1, whose assertions need XML Schema 1.1."""
    return xmlschema.XMLSchema11(_schema("MetronInfo-v1.1.xsd").decode())


def valid_comicinfo(data):
    """The texts of a ComicInfo by element, after validation."""
    root = etree.fromstring(data)
    comicinfo().assertValid(root)
    return {each.tag: each.text for each in root}


def valid_metroninfo(data):
    """The root of a MetronInfo, after validation."""
    root = etree.fromstring(data)
    metroninfo().validate(root)
    return root


def _schema(name: str) -> bytes:
    wheels = list((Path(sys.prefix) / "schemas").glob("comicbox-*.whl"))
    if len(wheels) != 1:
        pytest.fail("No schemas of tags: run `make develop`.", pytrace=False)
    with zipfile.ZipFile(wheels[0]) as wheel:
        return wheel.read(f"comicbox/schemas/{name}")
