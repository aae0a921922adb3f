"""Results of searches: what a text finds, and why."""

from collections.abc import Sequence
from typing import NamedTuple

from comicsdb.catalog.kinds import KINDS

# Why an object is found, the best reason first; the statements name a reason by its place. `series`: an
# issue, without a number in the text.
REASONS = (
    "code equal",
    "name equal",
    "id equal",
    "number equal",
    "name begins",
    "words",
    "alias",
    "series",
    "similar",
)
CODE_EQUAL, NAME_EQUAL, ID_EQUAL, NUMBER_EQUAL, NAME_BEGINS, *_, SIMILAR = range(len(REASONS))
# Among equally good results these kinds come first, the others in the order of their declaration.
FIRST_KINDS = ("series", "issue", "character", "creator", "publisher", "team", "arc", "universe", "imprint")


class Hit(NamedTuple):
    """An object that a text finds, the number of the reason in REASONS, and how far it is from the text."""

    kind: str
    id: int
    reason: int
    distance: float = 0.0


def searched_kinds() -> tuple[str, ...]:
    """The kinds that are searched, in the order of equally good results."""
    known = [name for name, kind in KINDS.items() if not kind.is_reference]
    return tuple(dict.fromkeys((*FIRST_KINDS, *known)))


def unambiguous_hit(hits: Sequence[Hit]) -> Hit | None:
    """The best of some results if a code, an id or a number tells that it alone is asked for."""
    best = hits[0] if hits else None
    if best is None or best.reason not in (CODE_EQUAL, ID_EQUAL, NUMBER_EQUAL):
        return None
    return None if any(hit[2:] == best[2:] for hit in hits[1:]) else best
