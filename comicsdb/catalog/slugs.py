"""Slugs: the readable, permanent part of an object's address (model.md 1.2)."""

import re
import unicodedata
from collections.abc import Iterator

from sqlalchemy import text
from sqlalchemy.orm import Session

LENGTH = 255
SUFFIX_ROOM = 10  # for "-" and a number

# Words that are routes beside the detail pages.
RESERVED = {
    "*": {"create", "search"},
    "issue": {"thisweek", "nextweek", "future", "formset", "week"},
    "series": {"update", "delete", "history", "issue_list", "series_list"},
    "reading_list": {"my-lists", "import"},
}


def slugify(words: str) -> str:
    """The slug of a text: ASCII letters, digits, underscores and single hyphens; "" if nothing is left."""
    ascii_only = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode("ascii").lower()
    kept = re.sub(r"[^a-z0-9_\s-]", "", ascii_only)
    return re.sub(r"[\s-]+", "-", kept).strip("-_")


def base_slug(kind: str, words: str, object_id: int) -> str:
    """The slug an object should have; its kind and id where the words leave nothing to read."""
    slug = slugify(words)
    if slug[: LENGTH - SUFFIX_ROOM].isdigit():  # it would read as an id
        slug = slugify(f"{words[: LENGTH // 2]}-slug")
    return slug[: LENGTH - SUFFIX_ROOM].rstrip("-_") or f"{kind}-{object_id}"


def candidates(session: Session, kind: str, base: str) -> Iterator[str]:
    """Slugs to try in turn: the base, then the base with a number, without those known to be taken.

    Slugs that lead to an object for ever (former ones) are taken as well. Another writer may take one in the
    meantime: the unique index decides, and the caller asks for the next.
    """
    rows = session.scalars(
        text(
            f"SELECT slug FROM {kind} WHERE slug = :base OR slug LIKE :pattern"
            " UNION SELECT slug FROM former_slug WHERE kind = :kind AND (slug = :base OR slug LIKE :pattern)"
        ),
        {"kind": kind, "base": base, "pattern": base.replace("_", "\\_") + "-%"},
    )
    taken = {*rows, *RESERVED["*"], *RESERVED.get(kind, ())}
    if base not in taken:
        yield base
    number = 0
    while True:
        number += 1
        candidate = f"{base}-{number}"
        if candidate not in taken:
            yield candidate
