"""Fixtures for both kinds of picture storage: a folder, and a bucket of a real server."""

import pytest

from comicsdb.media.storage import FolderStorage
from tests.s3_server import S3Server


@pytest.fixture(scope="session")
def s3_server():
    """An S3 server, for tests that do not stop it."""
    server = S3Server()
    server.start()
    yield server
    server.kill()


@pytest.fixture
def folder(tmp_path):
    """An empty storage in a folder."""
    return FolderStorage(tmp_path / "media")


@pytest.fixture(params=["folder", "s3"])
def storage(request):
    """An empty storage, parametrized by type."""
    if request.param == "folder":
        return request.getfixturevalue("folder")
    return request.getfixturevalue("s3_server").storage()
