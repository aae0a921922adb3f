"""Computing missing perceptual hashes of the covers of issues and variants.

All hashes of a picture are stored by its file (`picture_hash`); the pHash is also stored in the issue or
variant that shows the picture.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Integer, and_, cast, func, null, or_, select, union_all
from sqlalchemy.orm import Session

from comicsdb.catalog import Catalog, CatalogError
from comicsdb.media.storage import Storage
from comicsdb.media.uploads import hashes_of, log, picture_hash
from comicsdb.models import Issue, PictureHash, Variant

BATCH = 50  # issues per transaction, as it blocks other writers


class Cover(NamedTuple):
    """A cover that lacks hashes, of an issue or, with `variant_id`, of one of its variants."""

    issue_id: int
    variant_id: int | None
    key: str
    is_bare: bool  # whether the row of the issue or variant lacks the pHash, too


def add_missing_hashes(session: Session, storage: Storage) -> Iterator[tuple[int, int]]:
    """Add missing hashes of covers, in one transaction per batch of issues.

    After each batch, yields the number of covers that were hashed, and of those whose files cannot be opened,
    which are logged. Pictures are read while no transaction is open. Raises StorageDownError.
    """
    catalog = Catalog(session)
    last = 0
    while found := _next_batch(session, last):
        session.rollback()
        hashes = {cover: _hashes(storage, cover) for cover in found}
        by_issue = defaultdict(dict)
        for cover, values in hashes.items():
            if values:
                session.merge(picture_hash(cover.key, values))
                if cover.is_bare:
                    by_issue[cover.issue_id][cover.variant_id, cover.key] = values["phash"]
        # A row of hashes refers to no object, so no trigger records which objects changed.
        session.execute(select(func.touch("issue", sorted({each.issue_id for each in hashes}))))
        for issue_id, values in by_issue.items():
            _write(catalog, issue_id, values)
        session.commit()
        last = found[-1].issue_id
        unreadable = sum(1 for values in hashes.values() if not values)
        yield len(hashes) - unreadable, unreadable


def _next_batch(session: Session, last: int) -> list[Cover]:
    """The covers without hashes in the next batch of issues."""
    bare = union_all(
        select(
            Issue.id.label("issue_id"),
            cast(null(), Integer).label("variant_id"),
            Issue.image,
            (Issue.cover_hash == "").label("is_bare"),
        ).where(_lacks_hashes(Issue)),
        select(Variant.issue_id, Variant.id, Variant.image, Variant.cover_hash == "").where(
            _lacks_hashes(Variant)
        ),
    ).subquery()
    issues = select(bare.c.issue_id).where(bare.c.issue_id > last).distinct().order_by(bare.c.issue_id)
    rows = session.execute(
        select(bare).where(bare.c.issue_id.in_(issues.limit(BATCH))).order_by(bare.c.issue_id)
    )
    return [Cover(*row) for row in rows]


def _lacks_hashes(model):
    known = select(PictureHash).where(PictureHash.picture == model.image).exists()
    return and_(model.image != "", or_(model.cover_hash == "", ~known))


def _hashes(storage: Storage, cover: Cover) -> dict[str, str]:
    name = f"of issue {cover.issue_id} ({cover.key})"
    try:
        return hashes_of(storage.read(cover.key), name)
    except FileNotFoundError:
        log.error("The cover %s is missing", name)
        return {}


def _write(catalog: Catalog, issue_id: int, hashes: dict[tuple[int | None, str], str]) -> None:
    """Store the missing pHashes of an issue and its variants, unless their pictures have changed."""
    session = catalog.session
    try:
        issue = catalog.get(Issue, issue_id)
        catalog.lock(issue)
    except CatalogError:  # deleted or merged meanwhile
        return
    values = {}
    if not issue.cover_hash and (own := hashes.get((None, issue.image))):
        values["cover_hash"] = own
    rows = session.execute(
        select(Variant.id, Variant.image, Variant.cover_hash)
        .where(Variant.issue_id == issue_id)
        .order_by(Variant.id)
    ).all()
    fresh = {row.id: hashes.get((row.id, row.image)) for row in rows if not row.cover_hash}
    if any(fresh.values()):
        values["variants"] = [
            {"id": row.id} | ({"cover_hash": fresh[row.id]} if fresh.get(row.id) else {}) for row in rows
        ]
    if values:
        catalog.update(issue, values)
