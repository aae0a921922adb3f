"""Hashes for covers of issues and variants that have none: they came without, or could not be opened."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Integer, cast, null, select, union_all
from sqlalchemy.orm import Session

from comicsdb.catalog import Catalog, CatalogError
from comicsdb.media.storage import Storage
from comicsdb.media.uploads import hash_of, log
from comicsdb.models import Issue, Variant

BATCH = 50  # issues a transaction; other writers wait meanwhile


class Cover(NamedTuple):
    """A cover without a hash, of an issue or (`variant_id`) of one of its variants."""

    issue_id: int
    variant_id: int | None
    key: str


def rehash(session: Session, storage: Storage) -> Iterator[tuple[int, int]]:
    """Give covers their hashes, some issues at a time, each time in a transaction of its own.

    Tells after each how many covers got one, and of how many the file cannot be opened: these stay without,
    and the log says which. Pictures are read while no transaction is open. Raises StorageDownError.
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
    """The covers without a hash of the next issues that have any."""
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
    """Give an issue and its variants hashes, if they still have these pictures; gives how many did."""
    session = catalog.session
    try:
        issue = catalog.get(Issue, issue_id)
        catalog.lock(issue)
    except CatalogError:  # it was deleted or merged meanwhile
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
