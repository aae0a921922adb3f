"""Differences within a text, word by word."""

import re
from difflib import SequenceMatcher
from itertools import takewhile

SAME, REMOVED, ADDED, GAP = "same", "removed", "added", "gap"
CONTEXT = 24  # unchanged pieces shown before and after a change; each word or space is one piece
COMPARED_MAX = 4000  # pieces that are compared; texts with more differences are shown as replaced
SHOWN_MAX = 20_000  # characters shown of each removed or added text
PIECE = re.compile(r"\s+|\w+|[^\w\s]")


def diff_words(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """The differences between two texts: (SAME, REMOVED or ADDED, text), or (GAP, "") for omitted text."""
    before, after = PIECE.findall(old), PIECE.findall(new)
    start = _common_prefix_length(before, after)
    end = _common_prefix_length(before[start:][::-1], after[start:][::-1])
    middle = (before[start : len(before) - end], after[start : len(after) - end])
    found = [(SAME, before[:start]), *_compare(*middle), (SAME, before[len(before) - end :])]
    found = [(how, pieces) for how, pieces in found if pieces]
    shown = []
    for place, (how, pieces) in enumerate(found):
        if how == SAME:
            shown += _shorten(pieces, first=place == 0, last=place == len(found) - 1)
        else:
            text = "".join(pieces)
            shown.append((how, text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]} …"))
    return tuple(shown)


def _common_prefix_length(before: list[str], after: list[str]) -> int:
    """The number of equal pieces at the beginning of both lists."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _compare(before: list[str], after: list[str]):
    if len(before) + len(after) > COMPARED_MAX:
        yield from ((REMOVED, before), (ADDED, after))
        return
    for how, a, b, c, d in SequenceMatcher(None, before, after).get_opcodes():
        if how == "equal":
            yield SAME, before[a:b]
        else:
            yield REMOVED, before[a:b]
            yield ADDED, after[c:d]


def _shorten(pieces: list[str], *, first: bool, last: bool) -> list[tuple[str, str]]:
    """Unchanged pieces; for a long run, only those next to a change."""
    sides = (0 if first else CONTEXT, 0 if last else CONTEXT)
    if len(pieces) <= sum(sides) + CONTEXT:
        return [(SAME, "".join(pieces))]
    head, tail = pieces[: sides[0]], pieces[len(pieces) - sides[1] :]
    shown = [(SAME, "".join(head)), (GAP, ""), (SAME, "".join(tail))]
    return [(how, text) for how, text in shown if text or how == GAP]
