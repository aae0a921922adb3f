"""Computing missing perceptual hashes of the covers of issues and variants."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Integer, cast, null, select, union_all
from sqlalchemy.orm import Session

from comicsdb.catalog import Catalog, CatalogError
from comicsdb.media.storage import Storage
from comicsdb.media.uploads import hash_of, log
from comicsdb.models import Issue, Variant

BATCH = 50  # issues per transaction, as other writers are blocked meanwhile


class Cover(NamedTuple):
    """A cover without a hash, of an issue or, with `variant_id`, of one of its variants."""

    issue_id: int
    variant_id: int | None
    key: str


def rehash(session: Session, storage: Storage) -> Iterator[tuple[int, int]]:
    """Add missing hashes of covers, in a transaction per batch of issues.

    Yields after each batch the number of new hashes, and of covers whose files cannot be opened, which are
    logged. Pictures are read while no transaction is open. Raises StorageDownError.
    """
    catalog = Catalog(session)
    last = 0
    while found := _without(session, last):
        session.rollback()
        hashes = {cover: _hash(storage, cover) for cover in found}
        by_issue = defaultdict(dict)
        for cover, value in hashes.items():
            if value:
                by_issue[cover.issue_id][cover.variant_id, cover.key] = value
        number = sum(_write(catalog, issue_id, values) for issue_id, values in by_issue.items())
        session.commit()
        last = found[-1].issue_id
        yield number, sum(1 for value in hashes.values() if not value)


def _without(session: Session, last: int) -> list[Cover]:
    """The covers without a hash of the next batch of issues."""
    bare = union_all(
        select(Issue.id.label("issue_id"), cast(null(), Integer).label("variant_id"), Issue.image).where(
            Issue.image != "", Issue.cover_hash == ""
        ),
        select(Variant.issue_id, Variant.id, Variant.image).where(Variant.cover_hash == ""),
    ).subquery()
    issues = select(bare.c.issue_id).where(bare.c.issue_id > last).distinct().order_by(bare.c.issue_id)
    rows = session.execute(
        select(bare).where(bare.c.issue_id.in_(issues.limit(BATCH))).order_by(bare.c.issue_id)
    )
    return [Cover(*row) for row in rows]


def _hash(storage: Storage, cover: Cover) -> str:
    name = f"of issue {cover.issue_id} ({cover.key})"
    try:
        return hash_of(storage.read(cover.key), name)
    except FileNotFoundError:
        log.error("The cover %s is missing", name)
        return ""


def _write(catalog: Catalog, issue_id: int, hashes: dict[tuple[int | None, str], str]) -> int:
    """Store the hashes of an issue and its variants if they still have the pictures; returns how many."""
    session = catalog.session
    try:
        issue = catalog.get(Issue, issue_id)
        catalog.lock(issue)
    except CatalogError:  # deleted or merged meanwhile
        return 0
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
    return ("cover_hash" in values) + sum(1 for value in fresh.values() if value)
