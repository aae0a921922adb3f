"""Slugs: the readable, permanent part of an object's URL."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, count, islice

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb.i18n import _

LENGTH = 255
WORDS_MAX = 4 * LENGTH  # characters of a text that are used; the rest is ignored
SUFFIX_ROOM = 10  # for "-" and a number
FIRST_BATCH = 10  # slugs looked up by the first statement; each further statement looks up ten times as many

# Path segments of routes other than the detail pages.
RESERVED = {
    "*": {"create", "search"},
    "issue": {"thisweek", "nextweek", "future", "formset", "week", "calendar"},
    "series": {"update", "delete", "history", "issue_list", "series_list"},
    "reading_list": {"my-lists", "import"},
}

NOT_BLANK = _("Enter a slug.")
MALFORMED = _("Use only unaccented lower-case letters, digits, underscores and single hyphens.")
ONLY_DIGITS = _("A slug of digits only would be taken for an ID: add a word.")
ANOTHER_PAGE = _("This slug is reserved: choose another.")
TAKEN = _("This slug belongs or belonged to another entry: choose another.")


def slugify(words: str) -> str:
    """The slug of a text: ASCII letters, digits, underscores and single hyphens; "" if nothing is left."""
    # Only the beginning, as normalising takes time quadratic in the number of combining marks.
    ascii_only = (
        unicodedata.normalize("NFKD", words[:WORDS_MAX]).encode("ascii", "ignore").decode("ascii").lower()
    )
    kept = re.sub(r"[^a-z0-9_\s-]", "", ascii_only)
    return re.sub(r"[\s-]+", "-", kept).strip("-_")


def base_slug(kind: str, words: str, object_id: int) -> str:
    """The slug for words, or a slug of kind and id if nothing readable is left."""
    slug = slugify(words)
    if slug[: LENGTH - SUFFIX_ROOM].isdigit():  # could be mistaken for an id
        slug = slugify(f"{words[: LENGTH // 2]}-slug")
    return slug[: LENGTH - SUFFIX_ROOM].rstrip("-_") or f"{kind}-{object_id}"


def candidates(session: Session, kind: str, base: str, released: str = "false") -> Iterator[str]:
    """Slugs to try in order, except those in use: the base, then the base with a number.

    Former slugs, which redirect permanently, count as in use, except those that meet `released`, an SQL
    condition on former_slug. Callers hold the writers' lock, so that no slug is taken meanwhile.
    """
    names, number = free_candidates(kind, base), FIRST_BATCH
    while True:
        tried = list(islice(names, number))
        rows = session.scalars(
            text(
                f"SELECT slug FROM {kind} WHERE slug = ANY(:tried)"
                " UNION ALL SELECT slug FROM former_slug"
                f" WHERE kind = :kind AND slug = ANY(:tried) AND NOT {released}"
            ),
            {"kind": kind, "tried": tried},
        )
        taken = set(rows)
        yield from (each for each in tried if each not in taken)
        number *= 10


def free_candidates(kind: str, base: str) -> Iterator[str]:
    """The base, then the base with a number; skips path segments of other routes."""
    names = chain([base], (f"{base}-{number}" for number in count(1)))
    reserved = reserved_words(kind)
    return (each for each in names if each not in reserved)


def reserved_words(kind: str) -> set[str]:
    """The words that cannot be slugs of a kind."""
    return RESERVED["*"] | RESERVED.get(kind, set())


def slug_problem(session: Session, kind: str, slug: str, object_id: int | None = None) -> str | None:
    """The error message for a slug chosen for a new object, or for the object with an id; None if valid.

    An object may get back its own former slug.
    """
    if not slug:
        return NOT_BLANK
    if slugify(slug) != slug or len(slug) > LENGTH:
        return MALFORMED
    if slug.isdigit():
        return ONLY_DIGITS
    if slug in reserved_words(kind):
        return ANOTHER_PAGE
    return None if owners(session, kind, [slug]).get(slug, object_id) == object_id else TAKEN


def owners(session: Session, kind: str, wanted: Iterable[str]) -> dict[str, int]:
    """The ids of the objects that have slugs or, if none has a slug now, had it before."""
    rows = session.execute(
        text(
            "SELECT slug, object_id, 1 AS place FROM former_slug WHERE kind = :kind AND slug = ANY(:wanted)"
            f" UNION ALL SELECT slug, id, 2 FROM {kind} WHERE slug = ANY(:wanted) ORDER BY place"
        ),
        {"kind": kind, "wanted": sorted(wanted)},
    )
    return {row.slug: row.object_id for row in rows}


def redirect_former(session: Session, kind: str, moves: dict[int, tuple[str, str]]) -> None:
    """Redirect the old slugs of objects to these objects; their new slugs no longer redirect.

    `moves` maps ids to (old slug, new slug).
    """
    values = {
        "kind": kind,
        "ids": list(moves),
        "old": [old for old, _new in moves.values()],
        "new": [new for _old, new in moves.values()],
    }
    session.execute(text("DELETE FROM former_slug WHERE kind = :kind AND slug = ANY(:new)"), values)
    session.execute(
        text(
            "INSERT INTO former_slug (kind, slug, object_id) SELECT :kind, slug, id"
            " FROM unnest(CAST(:ids AS integer[]), CAST(:old AS varchar[])) AS made (id, slug)"
            " ON CONFLICT (kind, slug) DO UPDATE SET object_id = excluded.object_id"
        ),
        values,
    )
