"""Parsing of credits written as text, such as `W: Ann Lee, Bo Ito; A: Cy Um`, into names and roles.

Roles are recognised by their names, or by the abbreviations and words that publishers and databases use, in
English and Italian. They precede names (`Writer: Ann Lee`, `(W) Ann Lee`, `Art by Cy Um`) or follow them
(`Ann Lee (W, A)`, `Ann Lee - Writer`). Text that cannot be parsed is returned as it was written.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_ROLE_WORDS = {
    "Writer": "w wr wri writing written wrote words texts scritto testi testo soggettista",
    "Script": "sc scr scripted dialogue dialogues sceneggiatura sceneggiatore sceneggiatrice dialoghi",
    "Story": "st soggetto storia",
    "Plot": "pl plotted plotter trama",
    "Artist": "a art ar artwork drawn drawing drawings arte disegni disegno disegnato disegnatore "
    "disegnatrice",
    "Penciller": "p pe pen penc pencil pencils penciler pencilled penciled matite matita",
    "Breakdowns": "bd brk breakdown",
    "Illustrator": "ill illus illustration illustrations illustrated illustrazioni illustratore",
    "Layouts": "lay layout impaginazione",
    "Inker": "i in ink inks inked inking chine china inchiostri inchiostratore inchiostratrice",
    "Embellisher": "emb embellishments",
    "Finishes": "fin finish finisher",
    "Colorist": "c co col clr color colour colors colours colored coloured colorista colori colore coloring "
    "colouring colourist",
    "Color Assists": "assistenza colori|color assistant|colour assists",
    "Color Flats": "flats flatter|color flatter|colour flats",
    "Letterer": "l le let ltr lettering letters lettered letterista",
    "Cover": "ca cv cov covers copertina copertine|cover art|cover artist|variant cover|cover artwork",
    "Editor": "e ed edit edits edited redazione redattore|a cura",
    "Assistant Editor": "ae|asst editor|asst ed|assistant ed",
    "Associate Editor": "assoc editor|assoc ed",
    "Editor In Chief": "eic|editor-in-chief|caporedattore|direttore editoriale",
    "Group Editor": "ge",
    "Designer": "des design designed grafica|book design",
    "Logo Design": "logo",
    "Translator": "tr trans translation translated traduzione traduttore traduttrice tradotto",
    "Production": "prod produzione",
    "Publisher": "pub editore",
}
_ABBREVIATED = re.compile(r"(?<=\S)[.,]?\s+(?=([A-Z]{1,3}(?:/[A-Z]{1,3})*)\s*:)")
_SENTENCE = re.compile(r"\.\s+(?=([^:;,.()\n]{1,40}):)")
_LABEL = re.compile(r"(.+?)(?:\s*:\s*|\s+(?:by|di|da)\s+|\s+[-–—]\s+)(.*)", re.IGNORECASE)
_NAMES_THEN_ROLES = re.compile(r"(.+?)\s+[-–—]\s+(.+)")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
# Commas between names or roles, not those in brackets or before a suffix (`Sam Poe, Jr.`).
_COMMAS = re.compile(r",(?!\s*(?:jr|sr|ii|iii|iv)\.?\s*(?:,|$))(?![^(\[]{0,300}[)\]])", re.IGNORECASE)
_BETWEEN_ROLES = re.compile(r"[,/&+]|\s(?:and|e|ed)\s", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r"\s+(?:(?i:and|with)|ed?|con)\s+|\s*[&+/](?!\w*\.)\s*")
_WITH = re.compile(r"\s+w/\s*", re.IGNORECASE)


@dataclass
class CreditText:
    """The roles by name, in the order of the text, and the pieces that could not be parsed."""

    credits: dict[str, list[str]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)

    def add(self, name: str, roles: Iterable[str]) -> None:
        """Add roles to a name, which is matched case-insensitively with earlier ones."""
        same = next((each for each in self.credits if each.casefold() == name.casefold()), name)
        found = self.credits.setdefault(same, [])
        found += [each for each in roles if each not in found]


def read_credits(text: str, roles: Iterable[str]) -> CreditText:
    """Parse the credits in a text, given the names of the existing roles."""
    return _Reader(roles).read(text)


class _Reader:
    def __init__(self, roles: Iterable[str]):
        self.known = {_normalised(each): each for each in roles}
        for role, words in _ROLE_WORDS.items():
            if _normalised(role) in self.known:
                several = words.split("|")
                for word in (*several[0].split(), *several):
                    self.known.setdefault(_normalised(word), self.known[_normalised(role)])
        self.found = CreditText()

    def read(self, text: str) -> CreditText:
        text = _ABBREVIATED.sub(self._broken, _SENTENCE.sub(self._broken, text))
        for line in re.split(r"[;\n]|\s\|\s", text):
            self._read_line(line.strip())
        return self.found

    def _broken(self, found: re.Match) -> str:
        """A line break, to replace the space before a label in the middle of a line."""
        return "\n" if self._roles(found[1]) else found[0]

    def _read_line(self, line: str) -> None:
        leads = (first := _BRACKETS.match(line)) and self._roles(first[1])
        current, heads = [], []  # roles of the following names; roles at the beginning of a label
        for part in _split_at_commas(line):
            names = part
            label = _LABEL.fullmatch(part)
            if label and (roles := self._roles(label[1])):
                current, heads, names = heads + roles, [], label[2]
            elif not current and (roles := self._roles(part)):
                heads += roles  # `Writer, Artist: Ann Lee`
                continue
            if heads:
                self.found.unplaced += heads
                heads = []
            current = self._read_names(names, current, leads=bool(leads))
        self.found.unplaced += heads

    def _read_names(self, part: str, current: list[str], *, leads: bool) -> list[str]:
        """Add the names of a part; returns the roles of the following part."""
        pieces = _BRACKETS.split(part)
        for place in range(0, len(pieces), 2):
            names, inside = pieces[place].strip(), pieces[place + 1] if place + 1 < len(pieces) else ""
            roles = self._roles(inside)
            if names:
                own = current if leads or not roles else roles
                self._place(names, own)
            if roles and leads:
                current = roles
            elif inside and not roles:
                self.found.unplaced.append(f"({inside.strip()})")
        return current

    def _place(self, names: str, roles: list[str]) -> None:
        """Add roles to the names in a text."""
        followed = _NAMES_THEN_ROLES.fullmatch(names)
        if followed and (own := self._roles(followed[2])):
            names, roles = followed[1], own
        found = [
            _clean_name(each) for piece in _WITH.split(f" {names}") for each in _BETWEEN_NAMES.split(piece)
        ]
        found = [each for each in found if each]
        if not roles or not all(any(letter.isalpha() for letter in each) for each in found):
            self.found.unplaced.append(names.strip())
            return
        for each in found:
            self.found.add(each, roles)

    def _roles(self, text: str) -> list[str]:
        """The roles that a text consists of; empty if it contains anything else."""
        whole = self.known.get(_normalised(text))
        words = [text] if whole else [each for each in _BETWEEN_ROLES.split(text) if each.strip()]
        roles = [self.known.get(_normalised(each)) for each in words]
        return list(dict.fromkeys(roles)) if roles and None not in roles else []


def _split_at_commas(line: str) -> Iterator[str]:
    return (each.strip() for each in _COMMAS.split(line) if each.strip())


def _normalised(text: str) -> str:
    """The text normalised for comparison: `Writers` and `writer.` become `writer`."""
    words = " ".join(text.replace(".", " ").replace("-", " ").casefold().split())
    words = re.sub(r"\s(?:by|di|da)$", "", words)
    return words[:-1] if len(words) > 3 and words.endswith("s") else words


def _clean_name(name: str) -> str:
    """A name on one line, without the full stop of a sentence."""
    name = " ".join(name.replace(",", ", ").split()).strip(" :,-–—")
    last = name.rpartition(" ")[2]
    initial = len(last) <= 3 or "." in last[:-1]
    return name if initial else name.removesuffix(".")
