"""Databases with an imported data set, copied for each test: importing again takes several times as long."""

import os
import shutil

import pytest

from tests.conftest import close_sessions
from tests.dataset import small_set
from tests.importer import Importer


class ImportedDatabase:
    """A template to copy: a database with an imported set, including accounts, and its pictures."""

    def __init__(self, cluster, template, name, rows, folder):
        self.cluster, self.name = cluster, name
        cluster.clone_database(template, name)
        importer = Importer(cluster.url(name), folder)
        importer.run(rows)
        importer.close()
        self.media = importer.storage.folder

    def copy(self, name, folder):
        """Yield an importer into a copy, which is dropped afterwards."""
        self.cluster.clone_database(self.name, name)
        importer = Importer(self.cluster.url(name), folder)
        # Hard links keep one file for rows that share a picture; they are safe, as files are never rewritten.
        shutil.copytree(self.media, importer.storage.folder, copy_function=os.link, dirs_exist_ok=True)
        yield importer
        importer.close()
        close_sessions()
        self.cluster.drop_database(name)


@pytest.fixture
def importer(database, tmp_path):
    """An importer into an empty catalogue, with a folder for pictures."""
    importer = Importer(database, tmp_path)
    yield importer
    importer.close()


@pytest.fixture(scope="session")
def imported_database(cluster, template, tmp_path_factory):
    """A database with the small set."""
    return ImportedDatabase(cluster, template, "small_set", small_set(), tmp_path_factory.mktemp("small_set"))


@pytest.fixture
def filled(imported_database, tmp_path):
    """A copy of the database with the small set, for one test."""
    yield from imported_database.copy("small_set_filled", tmp_path)


@pytest.fixture(scope="module")
def imported(imported_database, tmp_path_factory):
    """A copy of the database with the small set, shared by the tests of a module that only read."""
    yield from imported_database.copy("small_set_read", tmp_path_factory.mktemp("imported"))
