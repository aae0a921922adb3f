"""The report of an import: what somebody should review, row by row in a CSV file, and counted by rule."""

import csv
import io
import os
from collections import Counter
from pathlib import Path

from comicsdb.models.choices import EXTERNAL_SOURCES

COLUMNS = ("rule", "kind", "gcd_id", "address", "name", "field", "here", "at GCD")
# The rules and their meanings; each row of the report names its rule.
RULES = {
    "barcode-too-long": "the first barcode has more digits than the catalog takes: left out",
    "binding": "a collected edition whose binding is not known: taken as a trade paperback",
    "cancelled": "an ongoing series that ended: completed here, it may have been cancelled",
    "changed-here": "changed here since the import, and at GCD too: kept as it is here",
    "country": "a country without an ISO code of today: left out",
    "cover-credit": "a credit of a cover that is no drawing, such as colors: left out",
    "credit-type": "a credit of an unknown type: left out",
    "date-impossible": "a date that no calendar has: left out",
    "date-too-early": "a date before the catalog's first year: left out",
    "date-unclear": "a date that cannot be read: left out",
    "deleted-here": "imported before, and deleted here: not created again",
    "failed": "the catalog refuses the change: kept as it is here",
    "imprint": "several or other publishers' imprints on the issues: the series has none",
    "isbn-invalid": "no valid ISBN is printed: left out",
    "language": "a language that could be several of ours: left blank",
    "matched": "it was here before and has the same name and place: it got its GCD id, nothing else",
    "missing-name": "a credit or an appearance refers to a name that the dump lacks: left out",
    "number-clash": "another issue of the series has the number: left out",
    "number-too-long": "a number of more characters than the catalog takes: left out",
    "number-words": "words behind the number: left out",
    "price-left-out": "prices, but none without a note that a known currency has: left out",
    "price-rounded": "a price of parts of a penny: rounded",
    "qualifier": "a credit with an unknown qualifier: the role without it",
    "series-type": "a series whose type is not told: taken as a periodical",
    "text-credits": "credits that are written as text, but not linked: left out",
    "title-too-long": "a story title of more characters than the catalog takes: left out",
    "uncertain-credit": "a credit that is in doubt: left out",
    "universe-clash": "another universe of the publisher has the same name and designation: left out",
    "universe-publisher": "a universe of which no publisher is known: it has none",
    "unnumbered": "one of several issues without a number: left out",
    "variant-base": "a variant of an issue that is not in its series, or deleted: left out",
    "variant-kept": "GCD no longer has a variant with a picture, a SKU or readers' copies here: kept",
    "volume": "the printed volume differs from the place among series of that name",
}


class Review:
    """Collects the rows of the report; they are written when the piece that they are about is committed.

    The stored progress has the file's length: rows of a piece that was not committed are cut off.
    """

    def __init__(self, path: Path, length: int, counts: dict[str, int]):
        self.path = path
        self.counts = Counter(counts)
        self.length = length
        self._rows: list[tuple] = []
        self._counted: Counter = Counter()

    def add(
        self, rule: str, kind: str, gcd_id: int, name: str = "", field: str = "", here="", there=""
    ) -> None:
        """Add a row; `here` and `there` are our value and that of GCD."""
        address = EXTERNAL_SOURCES["gcd"].page(kind, str(gcd_id))
        self._rows.append((rule, kind, gcd_id, address, name, field, here, there))
        self._counted[rule] += 1

    def write(self) -> None:
        """Write the collected rows durably, so that they survive a crash."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self.length:
            writer.writerow(COLUMNS)
        writer.writerows(self._rows)
        with self.path.open("ab") as file:
            file.truncate(self.length)
            file.write(text.getvalue().encode("utf-8", errors="replace"))
            file.flush()
            os.fsync(file.fileno())
            self.length = file.tell()
        self.counts += self._counted
        self._rows.clear()
        self._counted.clear()

    def lines(self) -> list[str]:
        """The counts as text."""
        if not self.counts:
            return []
        found = [f"{number:>10,}  {rule}: {RULES[rule]}" for rule, number in sorted(self.counts.items())]
        return ["To be looked at:", *found, f"Row by row in {self.path}"]
