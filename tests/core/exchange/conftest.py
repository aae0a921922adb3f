"""Databases with an imported data set, copied for each test: importing again takes several times as long."""

import os
import shutil
from contextlib import contextmanager

import pytest

from tests.core.exchange.test_export_columns import full_set
from tests.dataset import small_set
from tests.importer import Importer, temporary_importer


class ImportedDatabase:
    """A template to copy: a database with an imported set, including accounts, and its pictures."""

    def __init__(self, cluster, template, name, rows, folder):
        self.cluster, self.name = cluster, name
        cluster.clone_database(template, name)
        importer = Importer(cluster.url(name), folder)
        self.report = importer.run(rows)
        importer.close()
        self.media = importer.storage.folder

    @contextmanager
    def copy(self, name, folder):
        """An importer into a copy, which is dropped afterwards."""
        with temporary_importer(self.cluster, self.name, name, folder) as importer:
            # Hard links keep one file for rows that share a picture; they are safe: no file is rewritten.
            shutil.copytree(self.media, importer.storage.folder, copy_function=os.link, dirs_exist_ok=True)
            yield importer


@pytest.fixture
def importer(database, tmp_path):
    """An importer into an empty catalog, with a folder for pictures."""
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
    with imported_database.copy("small_set_filled", tmp_path) as importer:
        yield importer


@pytest.fixture(scope="module")
def imported(imported_database, tmp_path_factory):
    """A copy of the database with the small set, shared by the tests of a module that only read."""
    with imported_database.copy("small_set_read", tmp_path_factory.mktemp("imported")) as importer:
        yield importer


@pytest.fixture(scope="session")
def full_database(cluster, template, tmp_path_factory):
    """A database with a set in which every field has a value."""
    return ImportedDatabase(cluster, template, "full_set", full_set(), tmp_path_factory.mktemp("full_set"))
