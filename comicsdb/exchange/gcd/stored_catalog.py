"""The catalog's side of an import: finds objects by their ids at GCD or by identifying columns."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import compress

from sqlalchemy import text
from sqlalchemy.orm import Session

KINDS = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series", "issue")


class StoredCatalog:
    """The catalog as an import sees it; values read once are kept for the whole import."""

    def __init__(self, session: Session):
        self.session = session
        self.roles = self._by("SELECT name, id FROM role")
        self.genres = self._by("SELECT name, id FROM genre")
        self.age_ratings = self._by("SELECT name, id FROM age_rating")
        self.series_types = self._by("SELECT code, id FROM series_type WHERE code IS NOT NULL")
        # Kinds that have objects without an id at GCD: these may be the same as objects of the dump.
        exist = ", ".join(f"EXISTS (SELECT FROM {kind} WHERE gcd_id IS NULL)" for kind in KINDS)
        self.unidentified = set(compress(KINDS, session.execute(text(f"SELECT {exist}")).one()))
        self._deleted: dict[str, set[int]] = {}

    def _by(self, statement: str) -> dict:
        return dict(map(tuple, self.session.execute(text(statement))))

    def find(self, kind: str, gcd_ids: Iterable[int]) -> dict[int, int]:
        """The objects with these ids at GCD, or into which those were merged."""
        ids = list(gcd_ids)
        return self.survivors(kind, ids) | self.own(kind, ids)

    def own(self, kind: str, gcd_ids: list[int]) -> dict[int, int]:
        """The objects with these ids at GCD."""
        if not gcd_ids:
            return {}
        found = text(f"SELECT gcd_id, id FROM {kind} WHERE gcd_id = ANY(:ids)")
        return dict(map(tuple, self.session.execute(found, {"ids": gcd_ids})))

    def survivors(self, kind: str, gcd_ids: list[int]) -> dict[int, int]:
        """The objects into which those with these ids were merged: they keep these as external ids."""
        if not gcd_ids:
            return {}
        rows = self.session.execute(
            text(
                f"SELECT CAST(external_id AS integer), {kind}_id FROM external_id WHERE source = 'gcd'"
                f" AND {kind}_id IS NOT NULL AND external_id = ANY(:ids)"
                f" AND NOT EXISTS (SELECT FROM {kind} t WHERE t.gcd_id = CAST(external_id AS integer))"
            ),
            {"ids": [str(each) for each in gcd_ids]},
        )
        return dict(map(tuple, rows))

    def deleted(self, kind: str) -> set[int]:
        """The ids at GCD of the objects of a kind that were deleted here."""
        if kind not in self._deleted:
            rows = self.session.scalars(
                text(
                    "SELECT CAST(h.snapshot ->> 'gcd_id' AS integer) FROM tombstone t JOIN history h"
                    " ON h.kind = t.kind AND h.object_id = t.object_id AND h.type = '-'"
                    " WHERE t.kind = :kind AND h.snapshot ->> 'gcd_id' IS NOT NULL"
                ),
                {"kind": kind},
            )
            self._deleted[kind] = set(rows)
        return self._deleted[kind]

    def find_only(self, kind: str, **columns) -> int | None:
        """The only object of a kind without a GCD id that has these values; None unless exactly one has."""
        if kind not in self.unidentified:
            return None
        same = " AND ".join(f"{name} IS NOT DISTINCT FROM :{name}" for name in columns)
        found = self.session.scalars(
            text(f"SELECT id FROM {kind} WHERE gcd_id IS NULL AND {same} ORDER BY id LIMIT 2"), columns
        ).all()
        return found[0] if len(found) == 1 else None

    def take_ids(self, kind: str, number: int) -> list[int]:
        """New ids of a kind."""
        return list(
            self.session.scalars(
                text(
                    f"SELECT nextval(pg_get_serial_sequence('{kind}', 'id')) FROM generate_series(1, :number)"
                ),
                {"number": number},
            )
        )

    def volumes(self, publishers: Iterable[int], names: Iterable[str]) -> dict[tuple, set[int]]:
        """The used volume numbers by publisher, name and type of series."""
        found = defaultdict(set)
        for publisher, name, kind, volume in self.session.execute(
            text(
                "SELECT publisher_id, name, series_type_id, volume FROM series"
                " WHERE publisher_id = ANY(:publishers) AND name = ANY(:names)"
            ),
            {"publishers": list(publishers), "names": list(names)},
        ):
            found[publisher, name, kind].add(volume)
        return found

    def numbers(self, series: Iterable[int]) -> dict[tuple[int, str], tuple[int, int | None]]:
        """The issues of these series: id and id at GCD, by series and key of the number."""
        rows = self.session.execute(
            text("SELECT series_id, number_key, id, gcd_id FROM issue WHERE series_id = ANY(:series)"),
            {"series": list(series)},
        )
        return {(series_id, key): (issue, gcd_id) for series_id, key, issue, gcd_id in rows}

    def universes(self) -> set[tuple[int | None, str, str]]:
        """The publisher, name and designation of all universes; the combination is unique."""
        return {
            tuple(row)
            for row in self.session.execute(text("SELECT publisher_id, name, designation FROM universe"))
        }
