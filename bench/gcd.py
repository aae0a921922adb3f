"""Generates a dump of the Grand Comics Database of any size, and measures time and memory of its import.

python bench/gcd.py make FILE ISSUES   write an SQLite file whose tables have realistic proportions
python bench/gcd.py import FILE        import it twice, into a PostgreSQL of its own
"""

import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import create_engine, text

from comicsdb.cli.database import upgrade
from comicsdb.db import dev_cluster, session_factory
from comicsdb.exchange.gcd import schema
from comicsdb.exchange.gcd.importing import import_dump
from comicsdb.exchange.gcd.plan import Choices

# Rows per row of gcd_issue.
SERIES, STORIES, CREDITS, ISSUE_CREDITS = 0.089, 1.74, 4.57, 0.51
CHARACTERS_IN, REPRINTS, VARIANTS = 0.77, 0.6, 0.12
CREATORS, CHARACTERS, GROUPS = 0.043, 0.028, 0.0012
PUBLISHERS, BRANDS, ARCS = 0.0068, 0.0033, 0.0002
WORDS = (
    "Amazing Strange Secret Weird Golden Silver Star Night Iron Captain Ghost River Mountain Paper Tiger Wolf"
    " Moon Shadow Thunder Ocean Clock Garden Winter Summer Red Blue Green Black White Last First Lost"
).split()
GENRES = (
    "superhero",
    "humor; children",
    "western-frontier",
    "horror-suspense",
    "science fiction; adventure",
    "",
)
FORMATS = ("was ongoing series", "limited series", "one-shot", "collected edition", "")
PRICES = ("0.10 USD", "3.99 USD; 5.25 CAD", "2/6 [0-2-6 GBP]", "3,99 EUR DE; 4,10 EUR AT", "0.00 FREE", "")
TYPES = (19, 19, 19, 20, 2, 12)


def name(random_: random.Random, length: int = 2) -> str:
    """A name of random words."""
    return " ".join(random_.choices(WORDS, k=length))


class Generator:
    """Makes the rows of a dump."""

    def __init__(self, path: Path, issues: int):
        path.unlink(missing_ok=True)
        self._random = random.Random(20)
        self._issues = issues
        self._connection = sqlite3.connect(path)
        for pragma in ("journal_mode = OFF", "synchronous = OFF"):
            self._connection.execute(f"PRAGMA {pragma}")
        for table in schema.TABLES:
            schema.create(self._connection, table)

    def number(self, share: float) -> int:
        """The number of rows of a table."""
        return max(1, int(self._issues * share))

    def any_of(self, share: float) -> int:
        """A random id of a table; small ones are more frequent, as few creators have most credits."""
        return 1 + int(self.number(share) * self._random.random() ** 3)

    def fill(self, table: str, rows: Iterator[dict]) -> None:
        """Store rows, with empty values for missing columns."""
        empty = {column.name: column.empty for column in schema.TABLES[table]}
        names = ("id", *empty)
        marks = ", ".join("?" * len(names))
        listed = (
            tuple({**empty, "id": place, **row}[each] for each in names) for place, row in enumerate(rows, 1)
        )
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", listed)

    def make(self) -> None:
        """Write all tables."""
        fill, chance, number = self.fill, self._random, self.number
        fill(
            "stddata_country",
            iter([{"id": 225, "code": "us"}, {"id": 106, "code": "it"}, {"id": 5, "code": "de"}]),
        )
        fill("stddata_language", iter([{"id": 25, "code": "en"}, {"id": 51, "code": "it"}]))
        fill(
            "gcd_publisher",
            (
                {
                    "name": f"{name(chance)} {n}",
                    "country_id": chance.choice((225, 225, 106, 5)),
                    "year_began": 1950,
                }
                for n in range(number(PUBLISHERS))
            ),
        )
        fill(
            "gcd_brand_group",
            (
                {"name": f"{name(chance)} {n}", "parent_id": self.any_of(PUBLISHERS)}
                for n in range(number(BRANDS))
            ),
        )
        fill(
            "gcd_brand_emblem_group",
            ({"brand_id": n, "brandgroup_id": n} for n in range(1, number(BRANDS) + 1)),
        )
        fill("gcd_series", (self._a_series() for _ in range(number(SERIES))))
        self._fill_issues()
        fill("gcd_creator", ({"gcd_official_name": f"{name(chance)} {n}"} for n in range(number(CREATORS))))
        fill("gcd_character", ({"name": f"{name(chance)} {n}"} for n in range(number(CHARACTERS))))
        fill("gcd_group", ({"name": f"{name(chance)} {n}"} for n in range(number(GROUPS))))
        for table, column, share in (
            ("creator", "creator_id", CREATORS),
            ("character", "character_id", CHARACTERS),
            ("group", "group_id", GROUPS),
        ):
            rows = (
                {"name": name(chance), column: n, "is_official_name": 1} for n in range(1, number(share) + 1)
            )
            fill(f"gcd_{table}_name_detail", rows)
        fill("gcd_story_arc", ({"name": f"{name(chance)} {n}"} for n in range(number(ARCS))))
        stories = self.number(STORIES)
        fill("gcd_story", self._stories(stories))
        fill(
            "gcd_story_credit",
            (
                {
                    "creator_id": self.any_of(CREATORS),
                    "credit_type_id": chance.choice((1, 2, 3, 4, 5, 6)),
                    "story_id": 1 + n * stories // number(CREDITS),
                    "uncertain": n % 100 == 0,
                }
                for n in range(number(CREDITS))
            ),
        )
        fill(
            "gcd_issue_credit",
            (
                {"creator_id": self.any_of(CREATORS), "credit_type_id": 6, "issue_id": 1 + 2 * n}
                for n in range(number(ISSUE_CREDITS))
            ),
        )
        fill(
            "gcd_story_character",
            (
                {
                    "character_id": self.any_of(CHARACTERS),
                    "story_id": 1 + n * stories // number(CHARACTERS_IN),
                }
                for n in range(number(CHARACTERS_IN))
            ),
        )
        fill(
            "gcd_group_character",
            (
                {"group_name_id": self.any_of(GROUPS), "story_id": chance.randint(1, stories)}
                for _ in range(number(CHARACTERS_IN / 20))
            ),
        )
        fill(
            "gcd_reprint",
            (
                {
                    "origin_issue_id": chance.randint(1, self._issues),
                    "target_issue_id": chance.randint(1, self._issues),
                }
                for _ in range(number(REPRINTS))
            ),
        )
        schema.create_indexes(self._connection)
        self._connection.commit()
        self._connection.close()

    def _a_series(self) -> dict:
        words = name(self._random)
        current = self._random.random() < 0.1
        return {
            "name": words,
            "sort_name": words,
            "year_began": self._random.randint(1930, 2026),
            "publisher_id": self.any_of(PUBLISHERS),
            "country_id": 225,
            "language_id": self._random.choice((25, 25, 51)),
            "publishing_format": self._random.choice(FORMATS),
            "is_comics_publication": 1,
            "is_current": int(current),
        }

    def _fill_issues(self) -> None:
        chance, issues, series = self._random, self._issues, self.number(SERIES)
        bases: list[int] = []  # issues of the series that are not variants
        at = 0

        def rows():
            nonlocal at
            for n in range(1, issues + 1):
                home = 1 + (n - 1) * series // issues
                if home != at:
                    at = home
                    bases.clear()
                variant = bool(bases) and chance.random() < VARIANTS
                number = str(len(bases)) if variant else str(len(bases) + 1)
                year = 1960 + n % 60
                yield {
                    "number": number,
                    "series_id": home,
                    "sort_code": n,
                    "key_date": f"{year}-{1 + n % 12:02}-00",
                    "on_sale_date": f"{year}-{1 + n % 12:02}-{1 + n % 28:02}" if n % 3 else "",
                    "price": chance.choice(PRICES),
                    "page_count": 36,
                    "barcode": f"{76194120000000000 + n}" if n % 2 else "",
                    "variant_of_id": bases[-1] if variant else None,
                    "variant_name": f"Cover {name(chance, 1)}" if variant else "",
                }
                if not variant:
                    bases.append(n)

        self.fill("gcd_issue", rows())

    def _stories(self, number: int) -> Iterator[dict]:
        for n in range(number):
            cover = n % 7 < 4 and n % 7 % 2 == 0
            yield {
                "issue_id": 1 + n * self._issues // number,
                "type_id": 6 if cover else self._random.choice(TYPES),
                "title": "" if cover else name(self._random, 3),
                "sequence_number": n % 7,
                "page_count": 1 if cover else 20,
                "genre": self._random.choice(GENRES),
            }


def measure(path: Path) -> None:
    """Import a dump and print the figures."""
    with tempfile.TemporaryDirectory(prefix="comicsdb-bench-gcd-") as scratch:
        cluster = dev_cluster.start(Path(scratch) / "postgres")
        cluster.ensure_database("gcd")
        engine = create_engine(cluster.url("gcd"))
        upgrade(engine)
        for title in ("into an empty catalog", "once more"):
            begun, processor = time.monotonic(), time.process_time()
            with session_factory(engine)() as session:
                report = Path(scratch) / "report.csv"
                outcome = import_dump(session, path, Choices(), working=Path(scratch), report=report)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            seconds, processor = time.monotonic() - begun, time.process_time() - processor
            print(f"{title}: {seconds:.0f} s, {processor:.0f} s of them in Python; peak {peak:.0f} MB so far")
            print("\n".join(outcome.lines()), flush=True)
        with engine.connect() as connection:
            size = connection.scalar(text("SELECT pg_database_size(current_database())"))
        print(f"database: {size / 2**30:.1f} GiB")
        engine.dispose()
        cluster.discard()


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        Generator(Path(sys.argv[2]), int(sys.argv[3])).make()
    else:
        measure(Path(sys.argv[2]))
