"""Databases with an imported data set, copied for each test: importing again takes several times as long."""

import os
import shutil

import pytest

from tests.conftest import close_sessions
from tests.dataset import small_set
from tests.importer import Importer


class ImportedDatabase:
    """A database into which a set was imported, accounts included, and its pictures, to copy from."""

    def __init__(self, cluster, template, name, rows, folder):
        self.cluster, self.name = cluster, name
        cluster.clone_database(template, name)
        importer = Importer(cluster.url(name), folder)
        importer.run(rows)
        importer.close()
        self.media = importer.storage.folder

    def copy(self, name, folder):
        """Yield an importer for a copy."""
        self.cluster.clone_database(self.name, name)
        importer = Importer(self.cluster.url(name), folder)
        # By links, since rows that share a picture share its file. Files are replaced and never rewritten.
        shutil.copytree(self.media, importer.storage.folder, copy_function=os.link, dirs_exist_ok=True)
        yield importer
        importer.close()
        close_sessions()
        self.cluster.drop_database(name)


@pytest.fixture(scope="session")
def imported_database(cluster, template, tmp_path_factory):
    """A database with the small set."""
    return ImportedDatabase(cluster, template, "small_set", small_set(), tmp_path_factory.mktemp("small_set"))


@pytest.fixture
def filled(imported_database, tmp_path):
    """A copy of the small set for this test only."""
    yield from imported_database.copy("small_set_filled", tmp_path)


@pytest.fixture(scope="module")
def imported(imported_database, tmp_path_factory):
    """A copy of the small set for the tests of a file that only read."""
    yield from imported_database.copy("small_set_read", tmp_path_factory.mktemp("imported"))
