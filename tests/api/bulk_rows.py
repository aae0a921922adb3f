"""Lists of several pages: rows in bulk, many with equal names, and their documented orders as SQL."""

from sqlalchemy import text

PAGE_SIZE = 100
DEEP_PAGE = 6  # the first page that is not found by skipping rows
ROW_COUNT = 703  # rows: eight pages
NAMES = ["anchor", "Anchor", "Élan", "Elan", "élan", "Zebra", "Ärger", "Ÿ", "Œuvre", "10", "漫画"]

# The documented orders, written by hand; `{}` is replaced by more joins and conditions.
ARCS = 'SELECT id FROM arc {} ORDER BY fold(name) COLLATE "C", name COLLATE "C", id'
UNIVERSES = """SELECT id FROM universe ORDER BY fold(name) COLLATE "C", name COLLATE "C",
    fold(designation) COLLATE "C", designation COLLATE "C", id"""
_SORTED = 'fold(s.sort_name) COLLATE "C", s.sort_name COLLATE "C"'
SERIES = f"SELECT s.id FROM series s {{}} ORDER BY {_SORTED}, s.year_began, s.id"
ISSUES = f"""SELECT i.id FROM issue i JOIN series s ON s.id = i.series_id {{}}
    ORDER BY {_SORTED}, i.cover_date, i.store_date NULLS LAST, i.number COLLATE "C", i.id"""
ISSUES_IN_ARC = f"""SELECT i.id FROM issue i JOIN series s ON s.id = i.series_id
    JOIN issue_arc a ON a.issue_id = i.id
    ORDER BY i.cover_date, {_SORTED}, s.year_began, i.number COLLATE "C", i.id"""

# The column values of the n-th row of each kind.
NAME = "(CAST(:names AS text[]))[1 + n * 7 % 11]"
ROWS = {
    "arc": {"name": NAME},
    "universe": {"name": NAME, "designation": "(n % 7) || '.' || n", "publisher_id": ":publisher"},
    "series": {
        "name": f"{NAME} || n",
        "sort_name": "(CAST(:names AS text[]))[1 + n * 3 % 11]",
        "volume": "n",
        "year_began": "2000 + n % 3",
        "publisher_id": ":publisher",
        "series_type_id": "13",
    },
    "issue": {
        "number": "CAST(n AS text)",
        "series_id": "(CAST(:series AS int[]))[1 + n % 11]",
        "cover_date": "DATE '2020-01-01' + 31 * (n % 2)",
        "store_date": "CASE WHEN n % 3 = 0 THEN DATE '2020-01-01' + n % 2 END",
    },
}
# The series of the issues, one for each name.
SERIES_OF_ISSUES = """INSERT INTO series
    (slug, name, sort_name, volume, year_began, publisher_id, series_type_id)
    SELECT 'of-issues-' || n, name, name, 1, 2020, :publisher, 13
    FROM unnest(CAST(:names AS text[])) WITH ORDINALITY named (name, n) ORDER BY n RETURNING id"""


class BulkRows:
    """Adds and removes rows in bulk, moving the versions of lists as the catalog service does.

    All series belong to `publisher`, all issues are in `arc`, which sorts last among arcs.
    """

    def __init__(self, make):
        self.session = make.session
        with make.single_commit():
            self.publisher, self.arc = make.publisher(), make.arc(name="漫画 z")
        self._values = {"names": NAMES, "publisher": self.publisher.id, "arc": self.arc.id}
        self._values["series"] = self.session.scalars(text(SERIES_OF_ISSUES), self._values).all()
        self.bump_versions()
        self._last = 0

    def add(self, kind, number):
        """Add a number of rows of a kind."""
        numbers = f"generate_series({self._last + 1}, {self._last + number}) n"
        columns, values = zip(*ROWS[kind].items(), strict=True)
        made = (
            f"INSERT INTO {kind} (slug, {', '.join(columns)})"
            f" SELECT 'row-' || n, {', '.join(values)} FROM {numbers} RETURNING id"
        )
        if kind == "issue":
            made = f"WITH made AS ({made}) INSERT INTO issue_arc (issue_id, arc_id) SELECT id, :arc FROM made"
        self._execute(made)
        self._last += number
        self.bump_versions()

    def _execute(self, statement):
        self.session.execute(text(statement), self._values)

    def remove(self, kind, condition="true"):
        """Remove the rows of a kind that were added and meet a condition."""
        self._execute(f"DELETE FROM {kind} WHERE slug LIKE 'row%' AND {condition}")
        self.bump_versions()

    def reorder(self, kind):
        """Change the position of every row of a kind in its list."""
        change = {
            "arc": "name = md5(id::text) || name",
            "issue": "cover_date = cover_date - id % 300",
        }[kind]
        self._execute(f"UPDATE {kind} SET {change}")
        self.bump_versions()

    def bump_versions(self):
        """Raise the versions, so that every cached list is out of date."""
        self._execute("UPDATE version SET value = value + 1")
        self._execute("SELECT begin_epoch()")
        self._execute("UPDATE arc SET issues_modified = clock_timestamp() WHERE id = :arc")
        self.session.commit()

    def ids(self, statement):
        """The ids that a statement gives, in its order."""
        return self.session.scalars(text(statement)).all()


def page_count(rows):
    """The number of pages of a list with so many rows."""
    return max(1, -(-rows // PAGE_SIZE))


def with_page(path, page):
    """The path of a page."""
    return f"{path}{'&' if '?' in path else '?'}page={page}"


def page_summary(body):
    """What a page contains: count, ids, whether it is the last and the first."""
    return (
        body["count"],
        [row["id"] for row in body["results"]],
        body["next"] is None,
        body["previous"] is None,
    )


def expected_summary(ids, page):
    """The expected `page_summary` of a page of a list of `ids`."""
    number = page_count(len(ids)) if page == "last" else page
    return (
        len(ids),
        ids[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        number == page_count(len(ids)),
        number == 1,
    )
