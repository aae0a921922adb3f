"""What the data set says, in the words in which clients are asked for it."""

from datetime import datetime
from urllib.parse import quote_plus

KINDS = ["arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"]
WITH_ISSUES = ["arc", "character", "series", "team"]
# Fields of details that are called as those of the data set are, and lists of what is linked.
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
    """The name of the file of a kind, and of its list in mokkari."""
    return kind if kind == "series" else f"{kind}s"


def by_id(lines):
    """Rows by their ids."""
    return {line["id"]: line for line in lines}


def instant(text):
    """A moment of the data set."""
    return datetime.fromisoformat(text)


def parts(lines, issue):
    """The rows of a file that belong to an issue."""
    return [line for line in lines if line["issue_id"] == issue["id"]]


def words_of(series):
    """The names of a series as searches see them."""
    return " ".join([series["name"], *series["alt_names"]]).lower().replace("é", "e")


def tagged(number):
    """A number as metron-tagger sends it."""
    stripped = number.lstrip("0") or "0"
    return "½" if stripped == ".5" else quote_plus(stripped.encode())
