"""JSON from clients, which is checked before it is parsed: some shapes take long and much memory."""

import json
import re

# Containers, members and elements of a document. A body of 2 MB could otherwise have a million.
PARTS_MAX = 100_000
_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


class TooManyPartsError(ValueError):
    """A document has more containers, members and elements than are accepted."""

    def __init__(self, most: int):
        super().__init__(f"more than {most:,} members and elements")


def parse_json(text: str, parts_max: int = PARTS_MAX):
    """The value of a JSON document; raises ValueError, and RecursionError for one that is nested too deeply.

    Like RFC 8259, it knows neither NaN nor infinity, and like I-JSON no lone surrogates. Integers are exact.
    """
    if has_more_parts(text, parts_max):
        raise TooManyPartsError(parts_max)
    value = json.loads(text, parse_constant=_refuse_number, parse_float=_finite)
    if "\\u" in text:
        _check_surrogates(value)
    return value


def has_more_parts(text: str, most: int) -> bool:
    """Whether JSON has more containers, members and elements than `most`, without parsing it."""
    if _parts(text) <= most:
        return False
    return _parts(_TEXTS.sub("", text)) > most  # texts may contain the same characters


def _parts(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")


def _refuse_number(name: str):
    raise ValueError(f"{name} is not a number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("a number is too large")
    return number


def _check_surrogates(value) -> None:
    json.dumps(value, ensure_ascii=False).encode()
