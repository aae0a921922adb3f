"""Numbers of issues: as they are printed and stored, what makes two of them the same, and their order.

`number_key` and `number_order` equal the functions of the same names in the database, which fill
`issue.number_key` and `issue.series_order`. A series takes each key once. Lists sort by `series_order`.
"""

import re

NUMBER_LENGTH = 25
_DASHES = "‐‑‒–—−"
_SPACES = "\t\n\r\u00a0\u2007\u2009\u202f\u3000"
_WIDE = {0xFF01 + at: chr(0x21 + at) for at in range(94)}
_PLAIN = _WIDE | dict.fromkeys(map(ord, _DASHES), "-") | dict.fromkeys(map(ord, _SPACES), " ") | {0x2044: "/"}
_FRACTIONS = str.maketrans(
    {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅛": " 1/8", "⅜": " 3/8"}
    | {"⅝": " 5/8", "⅞": " 7/8"}
)
_MARK = re.compile(r"^(?:[# ]+|(?:no|nr|num|n)(?:[.°º] ?| )(?=[0-9])|№ ?)+", re.I)
_THOUSANDS = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+")
# Letters, in lower case, and other characters beyond ASCII.
_LETTER = "[^ -`{-\x7f]"
_KEY_STEPS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^[ #]+| +$", ""),
        (r" +", " "),
        (r"^(-?)[.](?=[0-9])", r"\g<1>0."),
        (r" (?![0-9])|(?<![0-9]) ", ""),
        (rf"([0-9])[.-](?={_LETTER})", r"\1"),  # 6.AU, 3-D
        (rf"({_LETTER})[.-](?=[0-9])", r"\1"),
        (r"(?<![0-9.])0+(?=[0-9])", ""),
        (r"^(-?[0-9]+)[.]0+(?![0-9.])", r"\1"),
        # 1.50 is 1.5, but 7.10 is the tenth after 7.
        (r"^(-?[0-9]+[.](?!10(?![0-9]))[0-9]*[1-9])0+(?![0-9.])", r"\1"),
        (r"^(-?)(?=(?:1/2|1/4|3/4)(?![0-9/]))", r"\g<1>0 "),
        (r"^(-?[0-9]+) 1/2(?![0-9/])", r"\1.5"),
        (r"^(-?[0-9]+) 1/4(?![0-9/])", r"\1.25"),
        (r"^(-?[0-9]+) 3/4(?![0-9/])", r"\1.75"),
    )
]
_ORDERED = re.compile(r"(-?)([0-9]+)([.][0-9]+)?(.*)", re.DOTALL)
_CONTINUED = re.compile(r"\[([0-9]+)\]$")
_DIGITS = re.compile(r"[0-9]+")
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_TENTH = re.compile(r"([0-9]+)[.]1(0?)")


def clean_number(text: str) -> str:
    """The number as it is stored: without `#`, `No.` and leading zeros, its digits not in full width."""
    text = _MARK.sub("", text.translate(_PLAIN).strip()) if text else ""
    return re.sub(r"^(-?)0+(?=[0-9])", r"\1", text.strip())


def number_key(text: str) -> str:
    """What makes two numbers the same: `1`, `01`, `#1` and `1.0`; `½`, `1/2` and `0.5`; `6AU` and `6.AU`."""
    if text.isascii() and text.isdigit() and text[0] != "0":
        return text
    plain = "".join(map(_lower, text.translate(_PLAIN)))
    key = plain.translate(_FRACTIONS)
    if _THOUSANDS.fullmatch(key.strip(" #")):
        key = key.replace(",", "")
    for pattern, replacement in _KEY_STEPS:
        key = pattern.sub(replacement, key)
    return key or plain


def number_keys(text: str) -> tuple[str, ...]:
    """The keys to look up for a number, best first: 7.10 stands for 7.1 in a series without a 7.10."""
    key = number_key(clean_number(text))
    tenth = _TENTH.fullmatch(key)
    return (key, f"{tenth[1]}.1" if tenth[2] else f"{tenth[1]}.10") if tenth else (key,)


def number_order(text: str) -> str:
    """A text by which numbers sort as people count: -1, 0, ½, 1, 1a, 1.1, 2, 10; words come last."""
    key = number_key(text)
    parts = _ORDERED.fullmatch(key)
    if parts is None:
        return f"6{_padded(key)}"
    sign, whole, fraction, rest = parts[1], parts[2], parts[3] or "", parts[4]
    continued = _CONTINUED.search(rest)
    if continued and not sign and (len(continued[1]), continued[1]) > (len(whole), whole):
        whole = continued[1]  # 1 [24] is the 24th of all
    if fraction == ".10":
        fraction = ".9~"
    if sign:
        digits = f"{len(whole):02}{whole}{fraction}".translate(_COMPLEMENT)
        return f"4{digits}~{_padded(rest)}"
    return f"5{len(whole):02}{whole}{fraction} {_padded(rest)}"


def _padded(text: str) -> str:
    return _DIGITS.sub(lambda digits: digits[0].rjust(NUMBER_LENGTH, "0")[-NUMBER_LENGTH:], text)


def _lower(character: str) -> str:
    return character.lower()[0]  # PostgreSQL maps each character to one
