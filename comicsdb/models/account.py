"""What accounts leave behind: links, outgoing mail, counts per day, notices, donations, staff actions."""

from datetime import date, datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Date,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import CASCADE, Base, blank, one_of, parent, stamp, within

ACTIVATE, RESET, CONFIRM_EMAIL = "activate", "reset", "email"


def _somebody():
    """A reference to an account that may go: what names it stays, without it."""
    return parent("user_account.id", ondelete="SET NULL", nullable=True)


class AccountLink(Base):
    """A link sent by mail: works once, until it expires; only its secret's digest is kept (web.md 10)."""

    __tablename__ = "account_link"
    __table_args__ = (one_of("purpose", (ACTIVATE, RESET, CONFIRM_EMAIL)),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = parent("user_account.id")
    purpose: Mapped[str] = mapped_column(String(20))
    email: Mapped[str] = blank(254)  # the address it was sent to, and proves
    created: Mapped[datetime] = stamp()
    expires: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
    used: Mapped[datetime | None] = stamp(default=False)


class OutgoingMail(Base):
    """A mail, written with the transaction it tells of and sent after its commit (web.md 15)."""

    __tablename__ = "outgoing_mail"
    __table_args__ = (
        Index("ix_outgoing_mail_due", "next_attempt", "id", postgresql_where=text("sent IS NULL")),
        Index("ix_outgoing_mail_sent", "sent"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int | None] = parent("user_account.id", nullable=True)
    kind: Mapped[str] = mapped_column(String(40))
    recipient: Mapped[str] = mapped_column(String(254))
    message: Mapped[bytes] = mapped_column(LargeBinary)  # RFC 5322; emptied at the end: links are secrets
    queued: Mapped[datetime] = stamp()
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0", default=0)
    next_attempt: Mapped[datetime | None] = stamp()  # None: given up
    give_up: Mapped[datetime] = mapped_column(DateTime(timezone=True))  # when it is no use any more
    sent: Mapped[datetime | None] = stamp(default=False)
    error: Mapped[str] = blank()


class SignupSettings(Base):
    """Whether accounts may be made now: one row (model.md 4.2)."""

    __tablename__ = "signup_settings"
    __table_args__ = (CheckConstraint("id = 1", name="single"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False, default=1)
    signups_enabled: Mapped[bool] = mapped_column(server_default="true", default=True)
    disabled_message: Mapped[str] = mapped_column(String(255), server_default="", default="")


class DailyCount(Base):
    """How often something happened on a day (UTC): requests by method of authentication, refusals."""

    __tablename__ = "daily_count"
    __table_args__ = (Index("ix_daily_count_counter", "counter", "identity", "day"),)

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    counter: Mapped[str] = mapped_column(String(40), primary_key=True)
    identity: Mapped[str] = mapped_column(String(200), primary_key=True, server_default="", default="")
    count: Mapped[int] = mapped_column(BigInteger)


class ThrottleNotice(Base):
    """A mail about a client that goes on after 429; the latest is the mark counted from (model.md 4.5)."""

    __tablename__ = "throttle_notice"
    __table_args__ = (Index("ix_throttle_notice_order", "sent_at", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent("user_account.id")
    days_throttled: Mapped[int] = mapped_column(SmallInteger)
    total_count: Mapped[int] = mapped_column(Integer)
    worst_day_count: Mapped[int] = mapped_column(Integer)
    sent_at: Mapped[datetime] = stamp()


class Donation(Base):
    """A contribution on the donation platform, processed once (model.md 4.4)."""

    __tablename__ = "donation"
    __table_args__ = (
        Index("ix_donation_order", "donated_at", "id"),
        one_of("frequency", ("", "monthly", "yearly", "onetime")),
        within("amount", 0, 2**31 - 1),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    transaction_id: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = _somebody()
    email: Mapped[str] = blank(254)
    amount: Mapped[int] = mapped_column(Integer)  # US cents
    donated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    frequency: Mapped[str] = blank(10)
    created_on: Mapped[datetime] = stamp()


class StaffAction(Base):
    """One line of the audit log: who of the staff did what to whom (web.md 11)."""

    __tablename__ = "staff_action"
    __table_args__ = (
        Index("ix_staff_action_order", "at", "id"),
        Index("ix_staff_action_target", "kind", "target_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = stamp()
    actor_id: Mapped[int | None] = _somebody()
    actor_name: Mapped[str] = blank(150)  # stays when the account goes; empty for commands
    action: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(40))
    target_id: Mapped[int | None] = mapped_column(Integer)
    target: Mapped[str] = blank(255)
    change: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)


class IdempotencyKey(Base):
    """An answer that is given again to whoever repeats the request with its key (`comicsdb.idempotency`).

    `request` is a digest of what was asked; `status` is 0 until the answer is known.
    """

    __tablename__ = "idempotency_key"
    __table_args__ = (Index("ix_idempotency_key_created", "created"),)

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user_account.id", ondelete=CASCADE), primary_key=True, autoincrement=False
    )
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request: Mapped[str] = mapped_column(String(64))
    status: Mapped[int] = mapped_column(SmallInteger)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[datetime] = stamp()
