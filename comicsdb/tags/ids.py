"""The ids of an issue in this and other databases, as used in tags."""

from collections.abc import Iterable

from comicsdb.models.choices import EXTERNAL_SOURCES

Ids = Iterable[tuple[str, str]]


def ids_of(issue: dict) -> list[tuple[str, str]]:
    """The distinct ids of an issue as pairs: the code of the source, and the id there."""
    main = (("comicsdb", issue["id"]), ("comicvine", issue["cv_id"]), ("gcd", issue["gcd_id"]))
    others = ((each["source"], each["external_id"]) for each in issue.get("external_ids", ()))
    return list(dict.fromkeys((source, str(each)) for source, each in (*main, *others) if each))


def format_ids(ids: Ids) -> str:
    """All ids on one line, for formats without elements for them.

    Programs find the Comic Vine id by the mark `[CVDB…]`, a convention of early taggers.
    """
    words = [f"{_name(source)} {number}" for source, number in ids]
    marks = [f" [CVDB{number}]" for source, number in ids if source == "comicvine"]
    return f"Ids: {', '.join(words)}.{''.join(marks)}"


def urls(issue: dict, ids: Ids) -> list[str]:
    """The URLs of an issue's pages, here and in other databases."""
    known = ((EXTERNAL_SOURCES[source], number) for source, number in ids if source in EXTERNAL_SOURCES)
    others = (rules.page("issue", number) for rules, number in known)
    return [issue["resource_url"], *filter(None, others)]


def _name(source: str) -> str:
    return EXTERNAL_SOURCES[source].label if source in EXTERNAL_SOURCES else source
