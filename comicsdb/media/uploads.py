"""Uploaded pictures: cleaned, stored, and gone again if the transaction that names them comes to nothing.

Storing may mean waiting for another server, so it comes first: before the catalogue's `create`, `update` or
`lock`, from which on all other writers wait until the transaction ends. A process that dies between the two
leaves a file that no row names, for `sweeping.py`. A save without a new picture touches no storage.
"""

import logging
from typing import NamedTuple

from sqlalchemy import event
from sqlalchemy.orm import Session

from comicsdb.media.images import DECODER_ERRORS, Picture, PictureError, decoding, opened
from comicsdb.media.metadata import stripped
from comicsdb.media.phash import phash
from comicsdb.media.storage import Storage, StorageDown, new_key

log = logging.getLogger(__name__)


class Upload(NamedTuple):
    """A stored picture: its key, and what it is."""

    key: str
    picture: Picture


def store_upload(session: Session, storage: Storage, kind: str, data: bytes) -> Upload:
    """Store a picture without its metadata, to be named by a row that this session's transaction writes.

    Raises PictureError for what is no picture, StorageDown where it cannot be stored now.
    """
    with decoding():
        cleaned, picture = stripped(data)
    return Upload(_stored(session, storage, kind, cleaned, picture), picture)


def picture_values(session: Session, storage: Storage, kind: str, data: bytes, *, hashed: bool) -> dict:
    """The catalogue's values for an uploaded picture: its key, width and height, and with `hashed` its hash.

    `kind` is the folder: that of the row's kind, `variants` for a variant. Raises PictureError for what is no
    picture, StorageDown where it cannot be stored now.
    """
    with decoding():
        cleaned, picture = stripped(data)
        hashes = {"cover_hash": hash_of(cleaned, "uploaded just now")} if hashed else {}
    key = _stored(session, storage, kind, cleaned, picture)
    return {"image": key, "image_width": picture.width, "image_height": picture.height} | hashes


def no_picture(*, hashed: bool) -> dict:
    """The catalogue's values for a row without a picture."""
    values = {"image": "", "image_width": None, "image_height": None}
    return values | {"cover_hash": ""} if hashed else values


def hash_of(data: bytes, name: str) -> str:
    """The perceptual hash of a picture; empty, with a line in the log, for one that cannot be opened.

    The line calls it "the cover `name`".
    """
    try:
        with opened(data) as image:
            return phash(image)
    except (PictureError, *DECODER_ERRORS) as error:
        log.error("The cover %s cannot be opened and has no hash: %s", name, error)
        return ""


def _stored(session: Session, storage: Storage, kind: str, data: bytes, picture: Picture) -> str:
    key = new_key(kind, picture.suffix)
    _remove_without_commit(session, storage, key)  # first: a server that does not answer may have stored it
    try:
        storage.put(key, data)
    except StorageDown:
        raise
    except OSError as error:
        log.error("A picture cannot be stored: %s", error)
        raise StorageDown("The picture cannot be stored.") from error
    return key


def _remove_without_commit(session: Session, storage: Storage, key: str) -> None:
    waiting = {key}
    session.connection()  # a transaction that has not begun would end without a word

    def committed(session: Session) -> None:
        if not session.in_nested_transaction():  # a released savepoint is no commit
            waiting.clear()

    def ended(_session: Session, transaction) -> None:
        if transaction.parent is None and waiting:
            storage.discard([waiting.pop()])

    event.listen(session, "after_commit", committed)
    event.listen(session, "after_transaction_end", ended)
