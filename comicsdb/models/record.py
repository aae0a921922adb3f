"""Records of changes to the catalog: history, change log, versions, tombstones and former slugs."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Identity,
    Index,
    Integer,
    SmallInteger,
    String,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, blank_text, choice_check, stamp

CREATED, CHANGED, DELETED = "+", "~", "-"
ACTIONS = ("create", "update", "delete", "merge")


def _actor(*, index: bool = True):
    return mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=index)


class History(Base):
    """The complete state of an object after a transaction, including links and credits.

    `snapshot` maps field names to values: ids for relations, lists of ids for links. For a deletion, it is
    the last state. `user_id` is None for commands.
    """

    __tablename__ = "history"
    __table_args__ = (
        Index("ix_history_object", "kind", "object_id", "id"),
        Index("ix_history_at", "at", "id"),
        choice_check("type", (CREATED, CHANGED, DELETED)),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    kind: Mapped[str] = mapped_column(String(40))
    object_id: Mapped[int] = mapped_column(Integer)
    at: Mapped[datetime] = stamp()
    type: Mapped[str] = mapped_column(String(1))
    user_id: Mapped[int | None] = _actor()
    reason: Mapped[str | None] = mapped_column(String(100))
    snapshot: Mapped[dict] = mapped_column(JSONB)


class Change(Base):
    """A line of the append-only change log; `seq` increases in the order in which changes become visible.

    `survivor_id` is the object that a merged object was merged into.

    Each filter of recent changes has an index in the order of the log, so the cost of a page does not depend
    on the length of the log.
    """

    __tablename__ = "change_log"
    __table_args__ = (
        Index("ix_change_log_object", "kind", "object_id", "seq"),
        Index("ix_change_log_kind", "kind", "seq"),
        Index("ix_change_log_user", "user_id", "seq"),
        Index("ix_change_log_action", "action", "seq"),
        Index("ix_change_log_at", "at", "seq"),
        choice_check("action", ACTIONS),
    )

    seq: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = stamp()
    user_id: Mapped[int | None] = _actor(index=False)
    kind: Mapped[str] = mapped_column(String(40))
    object_id: Mapped[int] = mapped_column(Integer)
    action: Mapped[str] = mapped_column(String(10))
    fields: Mapped[list[str]] = mapped_column(ARRAY(String(40)), server_default="{}", default=list)
    survivor_id: Mapped[int | None] = mapped_column(Integer)


class TouchedObject(Base):
    """Up to 500 objects of a kind whose public rows a transaction changed, with or without a log line.

    Triggers write these rows (`alembic/baseline/touched_objects.sql`), so they also include consequences of
    changes, such as stamps and figures. Transactions that do not hold the writers' lock change objects, too,
    so `id` is not in commit order. `xid` is the number of the transaction; below the oldest running one, rows
    are complete.
    """

    __tablename__ = "touched_object"
    __table_args__ = (Index("ix_touched_object_xid", "xid", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    xid: Mapped[int] = mapped_column(BigInteger, server_default=text("pg_current_xact_id()::text::bigint"))
    at: Mapped[datetime] = stamp()
    kind: Mapped[str] = mapped_column(String(40))
    ids: Mapped[list[int]] = mapped_column(ARRAY(Integer))


class FeedHorizon(Base):
    """How much of the change feed has been removed, in a single row.

    Log lines up to `seq` were removed, the last of which was written at the time `at`, and touched objects of
    transactions before `xid`.
    """

    __tablename__ = "feed_horizon"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    at: Mapped[datetime | None] = stamp(default=False)
    xid: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))


class Version(Base):
    """The version of the lists of a kind, incremented in the writing transaction, and the number of objects.

    Triggers maintain `number` for the nine kinds (`alembic/baseline/figures.sql`); for others it is null.
    """

    __tablename__ = "version"

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[int] = mapped_column(BigInteger, server_default=text("1"), default=1)
    number: Mapped[int | None] = mapped_column(BigInteger)


class Epoch(Base):
    """A few rows, one of which is raised by every commit that changes a stamp, a version or permissions.

    As long as their sum is the same, everything that was read at that sum is valid; sums never repeat.
    Raising a row is the last statement of a transaction, issued by the catalog's unit of work and by
    triggers on accounts, groups and tokens. There are several rows so that commits do not wait for one
    another (`alembic/baseline/epoch.sql`).

    `installation`, of the first row, is generated with the database, and again when a backup is restored; see
    `catalog.history.change_log.EPOCH`.
    """

    __tablename__ = "epoch"
    __table_args__ = ({"postgresql_with": {"fillfactor": 10}},)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    value: Mapped[int] = mapped_column(BigInteger)
    installation: Mapped[UUID] = mapped_column(Uuid, server_default=func.gen_random_uuid())


class UnfinishedAct(Base):
    """An act on many objects that runs in pieces, after the request that asked for it.

    `ids` are the objects still to process, `arguments` those of the act, and `result` is what was done so
    far, for the entry in the audit log (`admin.unfinished`).
    """

    __tablename__ = "unfinished_act"

    id: Mapped[int] = mapped_column(primary_key=True)
    act: Mapped[str] = mapped_column(String(20))
    kind: Mapped[str] = mapped_column(String(40))
    ids: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    at: Mapped[datetime] = stamp()
    user_id: Mapped[int | None] = _actor()
    reason: Mapped[str] = blank_text(100)
    arguments: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)
    result: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)


class LateStamps(Base):
    """Objects of a kind whose `modified` is yet to be moved, as something that they show has changed.

    Until then, the time of the change, `at`, is one of the validators of all objects
    (`readcache.validators.late`).
    """

    __tablename__ = "late_stamps"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(40))
    at: Mapped[datetime] = stamp()
    ids: Mapped[list[int]] = mapped_column(ARRAY(Integer))


class Tombstone(Base):
    """The record of a deleted or merged object, whose id is never reused.

    `survivor_id` is the object that it was merged into, None after a deletion.
    """

    __tablename__ = "tombstone"
    __table_args__ = (Index("ix_tombstone_slug", "kind", "slug"),)

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    object_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    slug: Mapped[str] = mapped_column(String(255))
    label: Mapped[str] = blank_text()
    gone: Mapped[datetime] = stamp()
    user_id: Mapped[int | None] = _actor()
    reason: Mapped[str] = blank_text(100)
    survivor_id: Mapped[int | None] = mapped_column(Integer)


class FormerSlug(Base):
    """A former slug of an object, or of one merged into it; permanently redirects to the object."""

    __tablename__ = "former_slug"
    __table_args__ = (Index("ix_former_slug_object", "kind", "object_id"),)

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    slug: Mapped[str] = mapped_column(String(255), primary_key=True)
    object_id: Mapped[int] = mapped_column(Integer)
    since: Mapped[datetime] = stamp()
