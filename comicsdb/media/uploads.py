"""Uploaded pictures: cleaned, stored, and gone again if the transaction that names them comes to nothing."""

from typing import NamedTuple

from sqlalchemy import event
from sqlalchemy.orm import Session

from comicsdb.media.images import Picture, opened
from comicsdb.media.metadata import stripped
from comicsdb.media.phash import phash
from comicsdb.media.storage import Storage


class Upload(NamedTuple):
    """A stored picture: its key, and what it is."""

    key: str
    picture: Picture


def store_upload(session: Session, storage: Storage, kind: str, data: bytes) -> Upload:
    """Store a picture without its metadata, to be named by a row that this session's transaction writes.

    Raises PictureError for what is no picture.
    """
    cleaned, picture = stripped(data)
    key = storage.save(kind, cleaned, picture.suffix)
    _remove_without_commit(session, storage, key)
    return Upload(key, picture)


def picture_values(session: Session, storage: Storage, kind: str, data: bytes, *, hashed: bool) -> dict:
    """The catalogue's values for an uploaded picture: its key, width and height, and with `hashed` its hash.

    `kind` is the folder: that of the row's kind, `variants` for a variant. Raises PictureError for what is no
    picture.
    """
    upload = store_upload(session, storage, kind, data)
    key, picture = upload
    values = {"image": key, "image_width": picture.width, "image_height": picture.height}
    if hashed:
        with storage.open(key) as stored, opened(stored.read()) as image:
            values["cover_hash"] = phash(image)
    return values


def no_picture(*, hashed: bool) -> dict:
    """The catalogue's values for a row without a picture."""
    values = {"image": "", "image_width": None, "image_height": None}
    return values | {"cover_hash": ""} if hashed else values


def _remove_without_commit(session: Session, storage: Storage, key: str) -> None:
    waiting = {key}

    def committed(session: Session) -> None:
        if not session.in_nested_transaction():  # a released savepoint is no commit
            waiting.clear()

    def ended(_session: Session, transaction) -> None:
        if transaction.parent is None and waiting:
            storage.delete(waiting.pop())

    event.listen(session, "after_commit", committed)
    event.listen(session, "after_transaction_end", ended)
