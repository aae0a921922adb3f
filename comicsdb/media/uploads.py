"""Uploaded pictures: cleaned, stored, and removed again if the transaction that uses them is rolled back.

Storing may wait for another server, so it is done before the catalog's `create`, `update` or `lock`, which
make other writers wait until the transaction ends. If the process dies in between, it leaves a file that no
row refers to, which the sweep removes.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from comicsdb.imaging.picture import DEFAULT_UPLOAD_SIZES, UPLOAD_SIZES, PictureError
from comicsdb.media.decoding import UPLOADS, CleanedPicture, Decoder
from comicsdb.media.storage import STORAGE_OUTAGE, Storage, StorageDownError, new_key
from comicsdb.media.thumbnails import store_thumbnail
from comicsdb.media.waiting import BusyError
from comicsdb.models.picture_hash import PictureHash, signed

log = logging.getLogger(__name__)

# First key of the advisory locks of members whose picture is being decoded; the second is the account's id.
UPLOAD_LOCK = 0x70696374
UPLOAD_LOCK_SECONDS = 1.0


def picture_values(
    session: Session, storage: Storage, kind: str, data: bytes, *, hashed: bool, member: int | None = None
) -> dict:
    """Store an uploaded picture without its metadata, with its thumbnails.

    Returns key, size and, with `hashed`, its pHash.

    With `hashed`, all its hashes are stored in this session's transaction, which must also write a row that
    refers to the picture. `kind` is the folder: the row's kind, or `variants` for a variant. `member` is the
    account of the uploader, None for commands. Raises PictureError, and StorageDownError (BusyError
    while another picture of the member is being decoded).
    """
    sizes = UPLOAD_SIZES.get(kind, DEFAULT_UPLOAD_SIZES)
    with _decoder_for(session, member) as decoder:
        cleaned = decoder.clean(data, hashed=hashed, sizes=sizes)
    if hashed and not cleaned.hashes:
        log.error("The cover uploaded just now cannot be hashed.")
    picture = cleaned.picture
    values = {"image_width": picture.width, "image_height": picture.height}
    values["image"] = _store(session, storage, kind, cleaned)
    if cleaned.hashes:
        session.add(picture_hash(values["image"], cleaned.hashes))
    return values | {"cover_hash": cleaned.hashes.get("phash", "")} if hashed else values


def picture_hash(picture: str, found: dict[str, str]) -> PictureHash:
    """The row for the hashes of a stored picture."""
    return PictureHash(picture=picture, **{kind: signed(digits) for kind, digits in found.items()})


def check_upload(session: Session, data: bytes, member: int | None) -> None:
    """Raise the exceptions that `picture_values` would raise, without storing the picture."""
    with _decoder_for(session, member) as decoder:
        decoder.inspect(data)


@contextmanager
def _decoder_for(session: Session, member: int | None) -> Iterator[Decoder]:
    """Wait for the decoder, having locked the member's pictures, across processes, for this transaction.

    Raises BusyError if the lock is not free within UPLOAD_LOCK_SECONDS, or the decoder is busy.
    """
    lock = select(func.pg_try_advisory_xact_lock(UPLOAD_LOCK, member))
    with UPLOADS.queue(member):
        until = time.monotonic() + UPLOAD_LOCK_SECONDS
        while member is not None and not session.scalar(lock):
            if time.monotonic() > until:
                raise BusyError("Another picture of this member is being decoded.")
            time.sleep(0.1)
        with UPLOADS.turn() as decoder:
            yield decoder


def no_picture(*, hashed: bool) -> dict:
    """The values of a row without a picture."""
    values = {"image": "", "image_width": None, "image_height": None}
    return values | {"cover_hash": ""} if hashed else values


def hashes_of(data: bytes, name: str) -> dict[str, str]:
    """The perceptual hashes of a picture; none if it cannot be opened, which is logged with `name`."""
    try:
        with UPLOADS.acquire() as decoder:
            return decoder.hashes(data)
    except PictureError as error:
        log.error("The cover %s cannot be opened and has no hash: %s", name, error)
        return {}


def hashes_of_upload(session: Session, data: bytes, member: int | None) -> dict[str, str]:
    """The perceptual hashes of a picture that is not stored; raises the same as `check_upload`."""
    with _decoder_for(session, member) as decoder:
        return decoder.hashes(data)


def _store(session: Session, storage: Storage, kind: str, cleaned: CleanedPicture) -> str:
    key = new_key(kind, cleaned.picture.suffix)
    _remove_on_rollback(session, storage, key)  # before storing, as a storage that fails may have stored it
    try:
        storage.put(key, cleaned.data)
    except StorageDownError:
        raise
    except OSError as error:
        STORAGE_OUTAGE.report(error, "A picture cannot be stored: %s", error)
        raise StorageDownError("The picture cannot be stored.") from error
    for size, thumbnail in cleaned.thumbnails.items():
        store_thumbnail(storage, key, size, thumbnail)
    return key


def _remove_on_rollback(session: Session, storage: Storage, key: str) -> None:
    waiting = {key}
    session.connection()  # a transaction that has not begun would not call the hooks

    def committed(session: Session) -> None:
        if not session.in_nested_transaction():  # releasing a savepoint is not a commit
            waiting.clear()

    def ended(_session: Session, transaction) -> None:
        if transaction.parent is None and waiting:
            storage.discard([waiting.pop()])

    event.listen(session, "after_commit", committed)
    event.listen(session, "after_transaction_end", ended)
