"""The ids of an issue in this and other databases, as tags name them."""

from collections.abc import Iterable
from typing import NamedTuple


class Source(NamedTuple):
    """A database: its name, that in MetronInfo if it has one there, and the address of an issue, if known."""

    name: str
    metroninfo: str = ""
    address: str = ""


SOURCES = {
    "comicsdb": Source("comicsdb"),
    "comicvine": Source("Comic Vine", "Comic Vine", "https://comicvine.gamespot.com/issue/4000-{}/"),
    "gcd": Source("Grand Comics Database", "Grand Comics Database", "https://www.comics.org/issue/{}/"),
    "metron": Source("Metron", "Metron"),
    "anilist": Source("AniList", "AniList"),
    "kitsu": Source("Kitsu", "Kitsu"),
    "locg": Source("League of Comic Geeks", "League of Comic Geeks"),
    "mangadex": Source("MangaDex", "MangaDex"),
    "mangaupdates": Source("MangaUpdates", "MangaUpdates"),
    "marvel": Source("Marvel", "Marvel"),
    "myanimelist": Source("MyAnimeList", "MyAnimeList"),
}
Ids = Iterable[tuple[str, str]]


def ids_of(issue: dict) -> list[tuple[str, str]]:
    """The ids of an issue as pairs: the code of the source, and the id there."""
    found = (("comicsdb", issue["id"]), ("comicvine", issue["cv_id"]), ("gcd", issue["gcd_id"]))
    return [(source, str(each)) for source, each in found if each]


def source_of(code: str) -> Source:
    """A source by its code; one that is not known is called by that."""
    return SOURCES.get(code) or Source(code)


def in_words(ids: Ids) -> str:
    """All ids in one line, for formats without elements for them.

    Programs find that of Comic Vine by the mark `[CVDB…]`, which the first of them began to write.
    """
    words = [f"{source_of(code).name} {number}" for code, number in ids]
    marks = [f" [CVDB{number}]" for code, number in ids if code == "comicvine"]
    return f"Ids: {', '.join(words)}.{''.join(marks)}"


def addresses(issue: dict, ids: Ids) -> list[str]:
    """The page of an issue here, and those in other databases."""
    patterns = ((source_of(code).address, number) for code, number in ids)
    return [issue["resource_url"], *(address.format(number) for address, number in patterns if address)]
