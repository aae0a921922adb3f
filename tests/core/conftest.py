"""The two storages of pictures, empty: a folder, and a bucket of a real server."""

import pytest

from comicsdb.media.storage import FolderStorage
from tests.s3_server import S3Server


@pytest.fixture(scope="session")
def s3_server():
    """A server that speaks S3, for tests that leave it running."""
    server = S3Server()
    server.start()
    yield server
    server.kill()


@pytest.fixture
def folder(tmp_path):
    """An empty folder of pictures."""
    return FolderStorage(tmp_path / "media")


@pytest.fixture(params=["folder", "s3"])
def storage(request):
    """An empty storage, once of each type."""
    if request.param == "folder":
        return request.getfixturevalue("folder")
    return request.getfixturevalue("s3_server").storage()
