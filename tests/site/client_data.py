"""Helpers for comparing what clients return with the rows of the data set."""

from datetime import datetime
from urllib.parse import quote_plus

KINDS = ["arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"]
WITH_ISSUES = ["arc", "character", "series", "team"]
# Fields of details with the same names as in the data set, and lists of linked objects.
TEXTS = ("name", "desc", "gcd_id")
SHOWN = {
    "arc": (*TEXTS, "cv_id"),
    "character": (*TEXTS, "cv_id", "alias"),
    "creator": (*TEXTS, "cv_id", "alias"),
    "imprint": (*TEXTS, "cv_id", "founded"),
    "issue": ("number", "alt_number", "story_titles", "desc", "sku", "isbn", "upc", "page_count", "cv_id"),
    "publisher": (*TEXTS, "cv_id", "alt_names", "founded", "country"),
    "series": (*TEXTS, "cv_id", "sort_name", "alt_names", "language", "volume", "year_began", "year_end"),
    "team": (*TEXTS, "cv_id"),
    "universe": (*TEXTS, "designation"),
}
LINKED = {
    "character": ("creators", "teams", "universes"),
    "issue": ("arcs", "characters", "teams", "universes"),
    "series": ("genres",),
    "team": ("creators", "universes"),
}


def plural(kind):
    """The name of a kind's file, and of its list in mokkari."""
    return kind if kind == "series" else f"{kind}s"


def by_id(lines):
    """Rows by their ids."""
    return {line["id"]: line for line in lines}


def instant(text):
    """Parse a timestamp of the data set."""
    return datetime.fromisoformat(text)


def parts(lines, issue):
    """The rows of a file that belong to an issue."""
    return [line for line in lines if line["issue_id"] == issue["id"]]


def words_of(series):
    """The names of a series, normalized as searches do."""
    return " ".join([series["name"], *series["alt_names"]]).lower().replace("é", "e")


def tagged(number):
    """An issue number as metron-tagger sends it."""
    stripped = number.lstrip("0") or "0"
    return "½" if stripped == ".5" else quote_plus(stripped.encode())
