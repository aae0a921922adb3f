"""Search results: which object was found, and why."""

from collections.abc import Sequence
from typing import NamedTuple

from comicsdb.catalog.kinds import KINDS

# The reasons for finding an object, the best first; statements refer to a reason by its index. `series`
# stands for an issue found by its series, without a number in the search text.
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
CODE_EQUAL, NAME_EQUAL, ID_EQUAL, NUMBER_EQUAL, NAME_BEGINS, WORDS, ALIAS, _SERIES, SIMILAR = range(
    len(REASONS)
)
# Among equally good results, these kinds come first, then the others in the order of their declaration.
FIRST_KINDS = ("series", "issue", "character", "creator", "publisher", "team", "arc", "universe", "imprint")


class Hit(NamedTuple):
    """An object found by a search, the reason's index in REASONS, and the distance from the search text."""

    kind: str
    id: int
    reason: int
    distance: float = 0.0


def searched_kinds() -> tuple[str, ...]:
    """The searched kinds, in the order of equally good results."""
    known = [name for name, kind in KINDS.items() if not kind.is_reference]
    return tuple(dict.fromkeys((*FIRST_KINDS, *known)))


def unambiguous_hit(hits: Sequence[Hit]) -> Hit | None:
    """The best hit if a code, id or number shows that only this object is meant."""
    best = hits[0] if hits else None
    if best is None or best.reason not in (CODE_EQUAL, ID_EQUAL, NUMBER_EQUAL):
        return None
    return None if any(hit[2:] == best[2:] for hit in hits[1:]) else best
