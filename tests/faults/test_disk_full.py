"""The disk of pictures is full: uploads get a clear error, nothing is half written, and the rest works."""

import resource
import signal
from contextlib import contextmanager

from tests.api.writing import PICTURE_FILES

ROOM = 16  # maximum bytes of a file


@contextmanager
def full_disk():
    """Limit the size of files to a few bytes, so that writing fails as on a full disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_an_upload_to_a_full_disk(writer, make, media_folder):
    # Start the decoder process before: when it starts it may write bytecode, which would be truncated.
    writer.patch(f"/api/publisher/{make.publisher(name='Other').id}/", files=PICTURE_FILES)
    path = f"/api/publisher/{make.publisher(name='Before').id}/"
    there = sorted(media_folder.rglob("*"))
    with full_disk():
        refused = writer.patch(path, 503, form={"name": "After"}, files=PICTURE_FILES)
        assert "Nothing was changed" in refused["detail"]
        assert writer.json(path)["name"] == "Before"
        assert writer.patch(path, form={"name": "Without a picture"})["name"] == "Without a picture"
    assert [each for each in media_folder.rglob("*") if each.is_file() and each not in there] == []
    assert writer.patch(path, files=PICTURE_FILES)["image"]
