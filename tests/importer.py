"""A separate database to import into and to inspect, for the tests of import and export."""

from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from comicsdb.accounts.passwords import Passwords
from comicsdb.db import session_factory
from comicsdb.exchange.exporting import export_set
from comicsdb.exchange.importing import import_set
from comicsdb.media.storage import FolderStorage
from comicsdb.problems import ImportFailedError
from tests import engines
from tests.conftest import close_sessions
from tests.dataset import write_set
from tests.orders import misplaced_issues


class Importer:
    """Imports sets, given as rows or as folders, and reads tables."""

    def __init__(self, url: str, folder: Path):
        self.folder = folder
        self.engine = engines.acquire(url)
        self.factory = session_factory(self.engine)
        self.storage = FolderStorage(folder / "media")
        self.passwords = Passwords("fast")
        self.exported = None  # the result of the last export
        self._sets = 0

    def close(self) -> None:
        """Close all connections. Whatever was imported, issues are in order."""
        with self.engine.connect() as connection:
            assert misplaced_issues(connection) == set()
        engines.release(self.engine)

    def run(self, rows, *, accounts: bool = True, images=None):
        """Import rows (or a folder) and return the report."""
        if isinstance(rows, dict):
            self._sets += 1
            rows = write_set(self.folder / f"set{self._sets}", rows, images)
        with self.factory() as session:
            return import_set(session, rows, self.storage, self.passwords if accounts else None)

    def problems(self, rows, **more) -> list[str]:
        """Import a set, which must fail; returns the problems that the import reports."""
        try:
            self.run(rows, **more)
        except ImportFailedError as failure:
            return [str(problem) for problem in failure.problems]
        raise AssertionError("the set was taken")

    def export(self, name: str, *, accounts: bool = False) -> Path:
        """Export into a new folder."""
        with self.factory() as session:
            self.exported = export_set(session, self.folder / name, self.storage, accounts=accounts)
        return self.folder / name

    def query(self, statement: str, **parameters) -> list[tuple]:
        """The rows of a statement."""
        with self.engine.begin() as connection:
            result = connection.execute(text(statement), parameters)
            return [tuple(row) for row in result] if result.returns_rows else []

    def one(self, statement: str, **parameters):
        """The only value of a statement."""
        [(value,)] = self.query(statement, **parameters)
        return value

    def files(self) -> list[Path]:
        """All files in the folder of pictures."""
        return sorted(path for path in self.storage.folder.rglob("*") if path.is_file())

    def everything(self) -> dict[str, list[tuple]]:
        """The rows of every table that an import may change, including versions and log."""
        tables = self.query(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
        )
        return {name: sorted(self.query(f'SELECT t::text FROM "{name}" t')) for (name,) in tables}


@contextmanager
def temporary_importer(cluster, template: str, name: str, folder: Path):
    """An importer into a copy of a database, which is dropped afterwards."""
    cluster.clone_database(template, name)
    importer = Importer(cluster.url(name), folder)
    try:
        yield importer
    finally:
        importer.close()
        close_sessions()
        cluster.drop_database(name)
