"""What the catalogue remembers of its changes: history, change log, versions and former addresses."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
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

from comicsdb.models.base import Base, blank, one_of, stamp

CREATED, CHANGED, DELETED = "+", "~", "-"
ACTIONS = ("create", "update", "delete", "merge")


def _actor(*, index: bool = True):
    return mapped_column(ForeignKey("user_account.id", ondelete="SET NULL"), index=index)


class History(Base):
    """The whole state of an object after one transaction, links and credits included.

    `snapshot` maps field names to values: ids for relations, lists of ids for links. A deletion keeps the
    last state. `user_id` is None for commands.
    """

    __tablename__ = "history"
    __table_args__ = (
        Index("ix_history_object", "kind", "object_id", "id"),
        Index("ix_history_at", "at", "id"),
        one_of("type", (CREATED, CHANGED, DELETED)),
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
    """One line of the append-only change log; `seq` grows in the order in which changes became visible.

    `survivor_id` is the object that a merged one was merged into; later lines tell what became of that.

    Each filter of recent changes has an index in the order of the log, so that a page costs the same however
    long the log is.
    """

    __tablename__ = "change_log"
    __table_args__ = (
        Index("ix_change_log_object", "kind", "object_id", "seq"),
        Index("ix_change_log_kind", "kind", "seq"),
        Index("ix_change_log_user", "user_id", "seq"),
        Index("ix_change_log_action", "action", "seq"),
        Index("ix_change_log_at", "at", "seq"),
        one_of("action", ACTIONS),
    )

    seq: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = stamp()
    user_id: Mapped[int | None] = _actor(index=False)
    kind: Mapped[str] = mapped_column(String(40))
    object_id: Mapped[int] = mapped_column(Integer)
    action: Mapped[str] = mapped_column(String(10))
    fields: Mapped[list[str]] = mapped_column(ARRAY(String(40)), server_default="{}", default=list)
    survivor_id: Mapped[int | None] = mapped_column(Integer)


class Version(Base):
    """How often lists of a kind went out of date; advanced in the writing transaction."""

    __tablename__ = "version"

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[int] = mapped_column(BigInteger, server_default=text("1"), default=1)


class Epoch(Base):
    """One row, which every commit changes that moves a stamp or a version, or what an account may do.

    While it is as it was, everything that was read with it still holds; its value never comes again. It is
    written last of all, by the catalogue's unit of work and by triggers on accounts, groups and tokens.

    `installation` is made with the database, and anew when a backup is restored: see `catalog.changes.EPOCH`.
    """

    __tablename__ = "epoch"
    __table_args__ = (CheckConstraint("id = 1", name="single"), {"postgresql_with": {"fillfactor": 10}})

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    value: Mapped[int] = mapped_column(BigInteger)
    installation: Mapped[UUID] = mapped_column(Uuid, server_default=func.gen_random_uuid())


class Tombstone(Base):
    """What stays of an object that was deleted or merged: its id is never given again.

    `survivor_id` names the object that a merged one lives on in, None after a deletion.
    """

    __tablename__ = "tombstone"
    __table_args__ = (Index("ix_tombstone_slug", "kind", "slug"),)

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    object_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    slug: Mapped[str] = mapped_column(String(255))
    label: Mapped[str] = blank()
    gone: Mapped[datetime] = stamp()
    user_id: Mapped[int | None] = _actor()
    reason: Mapped[str] = blank(100)
    survivor_id: Mapped[int | None] = mapped_column(Integer)


class FormerSlug(Base):
    """A slug that an object had before, or that a merged one had: it leads there for ever."""

    __tablename__ = "former_slug"
    __table_args__ = (Index("ix_former_slug_object", "kind", "object_id"),)

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    slug: Mapped[str] = mapped_column(String(255), primary_key=True)
    object_id: Mapped[int] = mapped_column(Integer)
    since: Mapped[datetime] = stamp()
