"""The disk of pictures is full: uploads get a clear error, nothing is half written, and the rest works."""

from tests.api.writing import PICTURE_FILES
from tests.full_disk import full_disk


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
