"""Sets that are imported once: to import one again for each test takes several times as long as a copy."""

import os
import shutil

import pytest

from tests.conftest import close_sessions
from tests.dataset import small_set
from tests.importer import Importer


class Imported:
    """A database into which a set was imported, accounts included, and its pictures: both to be copied."""

    def __init__(self, cluster, template, name, rows, folder):
        self.cluster, self.name = cluster, name
        cluster.clone_database(template, name)
        importer = Importer(cluster.url(name), folder)
        importer.run(rows)
        importer.close()
        self.media = importer.storage.folder

    def copied(self, name, folder):
        """Generator of a copy for tests to import into, or to look at."""
        self.cluster.clone_database(self.name, name)
        importer = Importer(self.cluster.url(name), folder)
        # By links, since rows that share a picture share its file. Files are replaced and never rewritten.
        shutil.copytree(self.media, importer.storage.folder, copy_function=os.link, dirs_exist_ok=True)
        yield importer
        importer.close()
        close_sessions()
        self.cluster.drop_database(name)


@pytest.fixture(scope="session")
def small(cluster, template, tmp_path_factory):
    """The small set."""
    return Imported(cluster, template, "small_set", small_set(), tmp_path_factory.mktemp("small_set"))


@pytest.fixture
def filled(small, tmp_path):
    """A catalogue of the test's own that holds the small set."""
    yield from small.copied("small_set_filled", tmp_path)


@pytest.fixture(scope="module")
def imported(small, tmp_path_factory):
    """A catalogue with the small set for tests that only read."""
    yield from small.copied("small_set_read", tmp_path_factory.mktemp("imported"))
