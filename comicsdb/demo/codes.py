"""Slugs, stamps and the numbers of the trade that the rows of the demo carry."""

from datetime import UTC, date, datetime, time, timedelta

from comicsdb.catalog.slugs import RESERVED, base_slug
from comicsdb.demo.chance import Dice, digest

TODAY = date(2026, 11, 21)
FIRST_ENTRY = datetime(2019, 2, 1, 9, tzinfo=UTC)
LAST_EDIT = datetime(2026, 11, 19, 18, tzinfo=UTC)
STAMP = "%Y-%m-%dT%H:%M:%S.%fZ"


class Slugs:
    """The slugs of one kind, given in the order in which the rows are written (model.md 1.2)."""

    def __init__(self, kind: str):
        self._kind = kind
        self._taken = RESERVED["*"] | RESERVED.get(kind, set())

    def give(self, words: str, row_id: int) -> str:
        """A slug that no row of the kind has yet."""
        base = slug = base_slug(self._kind, words, row_id)
        number = 0
        while slug in self._taken:
            number += 1
            slug = f"{base}-{number}"
        self._taken.add(slug)
        return slug


def stamps(path: str, known_since: date | None = None) -> tuple[str, str]:
    """When a row was entered and last edited: not long before `known_since` where that is given."""
    dice = Dice("stamps", path)
    if known_since is None:
        created = FIRST_ENTRY + timedelta(days=dice.real(0, 90))
    else:
        told = datetime.combine(known_since, time(8), UTC) - timedelta(days=dice.real(45, 75))
        earliest = FIRST_ENTRY + timedelta(days=dice.real(90, 600))
        created = min(max(told, earliest), LAST_EDIT - timedelta(days=dice.real(1, 20)))
    modified = created + (LAST_EDIT - created) * dice.real() ** 3
    return created.strftime(STAMP), modified.strftime(STAMP)


def _check_digit(digits: str) -> str:
    """The check digit of EAN-13 and UPC-A: every second digit from the right weighs three."""
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits)))
    return str(-total % 10)


def isbn(slug: str) -> str:
    """A valid ISBN-13 in a range (979-99) that no agency gives out."""
    digits = f"97999{digest('isbn', slug) % 10**7:07d}"
    return digits + _check_digit(digits)


def barcode(series_slug: str, country: str, sequence: int, cover: int) -> str:
    """A bar code for use inside shops, so no other product's, with the five digits of issue and cover."""
    if country in {"US", "GB"}:
        digits = f"4{digest('upc', series_slug) % 10**10:010d}"
    else:
        digits = f"20{digest('ean', series_slug) % 10**10:010d}"
    return f"{digits}{_check_digit(digits)}{sequence % 1000:03d}{cover % 10}1"


def sku(prefix: str, cover_date: date, row_id: int) -> str:
    """A distributor's order code: house, month, number."""
    return f"{prefix}{cover_date:%y%m}{row_id:04d}"
