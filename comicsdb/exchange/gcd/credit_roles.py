"""The roles of credits in the Grand Comics Database: its types with their qualifiers, and older free text."""

import re
from dataclasses import dataclass

from comicsdb.exchange.gcd.values import line, parts

SCRIPT, PENCILS, INKS, COLORS, LETTERS, EDITING = "script", "pencils", "inks", "colors", "letters", "editing"
# The jobs of each gcd_credit_type; some types combine several.
JOBS = {
    1: (SCRIPT,),
    2: (PENCILS,),
    3: (INKS,),
    4: (COLORS,),
    5: (LETTERS,),
    6: (EDITING,),
    7: (PENCILS, INKS),
    8: (PENCILS, INKS, COLORS),
    9: (PENCILS, INKS, COLORS),
    10: (SCRIPT, PENCILS, INKS),
    11: (SCRIPT, PENCILS, INKS, COLORS),
    12: (SCRIPT, PENCILS, INKS, LETTERS),
    13: (SCRIPT, PENCILS, INKS, COLORS, LETTERS),
    14: (PENCILS, INKS, LETTERS),
}
PAINTING = 9
COVER = 6  # gcd_story_type

BASE = {
    SCRIPT: "Writer",
    PENCILS: "Penciller",
    INKS: "Inker",
    COLORS: "Colorist",
    LETTERS: "Letterer",
    EDITING: "Editor",
}
# By job, patterns of qualifiers and their roles; outside of scripts, only the first match counts.
QUALIFIERS = {
    SCRIPT: (
        (r"\btrans(l|\b)|\btradu|übersetz|vertaling|översättning", "Translator"),
        (r"\bplot", "Plot"),
        (r"\bscript|\bdialog", "Script"),
        (r"\bstory", "Story"),
    ),
    PENCILS: ((r"\blayout", "Layouts"), (r"\bbreakdown", "Breakdowns")),
    INKS: (
        (r"\bfinish", "Finishes"),
        (r"\bembellish", "Embellisher"),
        (r"\bassist|\bbackground", "Ink Assists"),
    ),
    COLORS: (
        (r"\bseparat", "Color Separations"),
        (r"\bflat", "Color Flats"),
        (r"\bassist", "Color Assists"),
        (r"\bgr[ae]y\s?-?tone", "Gray Tone"),
    ),
    LETTERS: (),
    EDITING: (
        (r"\btrans(l|\b)|\btradu", "Translator"),
        (r"\beditor[- ]in[- ]chief", "Editor In Chief"),
        (r"\bconsulting editor", "Consulting Editor"),
        (r"\bassistant editor", "Assistant Editor"),
        (r"\bassociate editor", "Associate Editor"),
        (r"\bgroup editor", "Group Editor"),
        (r"\bsenior editor", "Senior Editor"),
        (r"\bmanaging editor", "Managing Editor"),
        (r"\bcollections? editor|\beditor,? collect", "Collection Editor"),
        (r"\bsupervising editor", "Supervising Editor"),
        (r"\bexecutive editor", "Executive Editor"),
        (r"\bexecutive producer", "Executive Producer"),
        (r"\bchief creative", "Chief Creative Officer"),
        (r"\bpresident", "President"),
        (r"^publisher$|\bpublisher\b", "Publisher"),
        (r"\blogo", "Logo Design"),
        (r"\bdesign", "Designer"),
        (r"\bproduction", "Production"),
    ),
}
# Qualifiers that do not change the role.
_WITHOUT_EFFECT = re.compile(
    r"(un)?credited|signed|signature|pictured|initials?|adapt(ation|er|ed)?|original"
    r"|editor|editing|story editor|edits"
)


@dataclass(frozen=True)
class Roles:
    """The names of our roles for a credit; `rule` says if its type or qualifier is unknown or left out."""

    names: tuple[str, ...]
    rule: str = ""


def roles(credit_type: int, qualifier: str = "", *, story_type: int | None = None) -> Roles:
    """The roles of a credit; on covers, only the artists have one."""
    jobs = JOBS.get(credit_type)
    if not jobs:
        return Roles((), "credit-type")
    words = line(qualifier).casefold()
    painted = credit_type == PAINTING or re.search(r"\bpaint", words)
    if story_type == COVER:
        drawn = painted or PENCILS in jobs or INKS in jobs
        return Roles(("Cover",)) if drawn else Roles((), "cover-credit")
    if painted:
        rest = [BASE[job] for job in jobs if job not in (PENCILS, INKS, COLORS)]
        return Roles((*rest, "Artist"))
    known = not words or bool(_WITHOUT_EFFECT.fullmatch(words))
    names = []
    for job in jobs:
        listed = [name for pattern, name in QUALIFIERS[job] if re.search(pattern, words)]
        known = known or bool(listed)
        # "plot, script" are two roles of a writer; for other jobs, the first match decides.
        names += (listed if job == SCRIPT else listed[:1]) or [BASE[job]]
    return Roles(tuple(dict.fromkeys(names)), "" if known else "qualifier")


def is_nobody(name: str) -> bool:
    """Whether a credited name stands for nobody: unknown, not applicable, or typeset."""
    return line(name).casefold().strip("[]() ") in ("", "?", "unknown", "none", "typeset", "various", "nn")


# Credits written as text.

_ROUND = re.compile(r"\(([^()]*)\)")
_SQUARE = re.compile(r"\[([^\[\]]*)\]")


def text_credits(text: str) -> list[str]:
    """The names of `Stan Lee [as Stanley Lieber]; Jack Kirby ? (pencils)`, without those of nobody."""
    names = (_SQUARE.sub("", _ROUND.sub("", each)).rstrip("? ").strip() for each in parts(line(text)))
    return [name for name in names if not is_nobody(name)]
