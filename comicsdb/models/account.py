"""Tables about accounts: links, outgoing mail, counts, notices, donations, audit log, drafts and others."""

from datetime import date, datetime
from enum import StrEnum, auto

from sqlalchemy import (
    BigInteger,
    Boolean,
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
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import (
    CASCADE,
    INTEGER_MAX,
    Base,
    PictureMixin,
    blank_text,
    choice_check,
    parent_key,
    range_check,
    stamp,
)

ACTIVATE, RESET, CONFIRM_EMAIL, NOT_ME, LOG_IN = "activate", "reset", "email", "not_me", "login"


class SecurityEventKind(StrEnum):
    """The types of an account's events, which its owner can see."""

    LOGGED_IN = auto()
    NEW_DEVICE = auto()  # logged in with a combination of browser and network not used before
    WRONG_PASSWORDS = auto()
    SESSIONS_ENDED = auto()
    PASSWORD_CHANGED = auto()
    PASSWORD_RESET = auto()
    ADDRESS_CHANGED = auto()
    TOKEN_MADE = auto()
    TOKEN_REVOKED = auto()
    TOKENS_REVOKED = auto()
    FEED_MADE = auto()
    FEEDS_REVOKED = auto()
    PASSKEY_ADDED = auto()
    PASSKEY_REMOVED = auto()
    TOTP_ADDED = auto()
    TOTP_REMOVED = auto()
    RECOVERY_CODES_MADE = auto()
    RECOVERY_CODE_USED = auto()
    SECOND_FACTOR_RESET = auto()
    NOT_ME = auto()


def _somebody():
    """A reference to an account that becomes null when the account is deleted."""
    return parent_key("user_account.id", ondelete="SET NULL", nullable=True)


class AccountLink(Base):
    """A link sent by mail, which works once, until it expires; only the digest of its secret is stored."""

    __tablename__ = "account_link"
    __table_args__ = (choice_check("purpose", (ACTIVATE, RESET, CONFIRM_EMAIL, NOT_ME, LOG_IN)),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    purpose: Mapped[str] = mapped_column(String(20))
    email: Mapped[str] = blank_text(254)  # the address that the link was sent to, and which it confirms
    created: Mapped[datetime] = stamp()
    expires: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)
    used: Mapped[datetime | None] = stamp(default=False)


class SecurityEvent(Base):
    """An event of an account, such as a log-in or a new password; ordered by id."""

    __tablename__ = "security_event"
    __table_args__ = (
        Index("ix_security_event_user_id", "user_id", "id"),
        Index("ix_security_event_at", "at"),
        choice_check("kind", SecurityEventKind),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    at: Mapped[datetime] = stamp()
    kind: Mapped[str] = mapped_column(String(40))
    address: Mapped[str] = blank_text(45)
    browser: Mapped[str] = blank_text(255)
    details: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)


class OutgoingMail(Base):
    """A mail, written in the transaction that causes it and sent after the commit."""

    __tablename__ = "outgoing_mail"
    __table_args__ = (
        Index("ix_outgoing_mail_due", "next_attempt", "id", postgresql_where=text("sent IS NULL")),
        Index("ix_outgoing_mail_sent", "sent"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int | None] = parent_key("user_account.id", nullable=True)
    kind: Mapped[str] = mapped_column(String(40))
    recipient: Mapped[str] = mapped_column(String(254))
    message: Mapped[bytes] = mapped_column(LargeBinary)  # RFC 5322; emptied when done, as links are secrets
    queued: Mapped[datetime] = stamp()
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0", default=0)
    next_attempt: Mapped[datetime | None] = stamp()  # None: given up
    give_up: Mapped[datetime] = mapped_column(DateTime(timezone=True))  # when to stop retrying
    sent: Mapped[datetime | None] = stamp(default=False)
    error: Mapped[str] = blank_text()


class SignupSettings(Base):
    """Whether people may sign up, and the set-up of the site; a single row."""

    __tablename__ = "signup_settings"
    __table_args__ = (CheckConstraint("id = 1", name="single"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False, default=1)
    signups_enabled: Mapped[bool] = mapped_column(server_default="true", default=True)
    disabled_message: Mapped[str] = mapped_column(String(255), server_default="", default="")
    # Of the link with which the first administrator sets up the site (`accounts.first_setup`).
    setup_digest: Mapped[str] = mapped_column(String(64), server_default="", default="")


class DailyCount(Base):
    """Counts per day (UTC): requests by method of authentication, refusals."""

    __tablename__ = "daily_count"
    __table_args__ = (Index("ix_daily_count_counter", "counter", "identity", "day"),)

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    counter: Mapped[str] = mapped_column(String(40), primary_key=True)
    identity: Mapped[str] = mapped_column(String(200), primary_key=True, server_default="", default="")
    count: Mapped[int] = mapped_column(BigInteger)


class RateLimit(Base):
    """A client's events for one limit, if PostgreSQL counts them (`alembic/baseline/rate_limits.sql`).

    `times` and `expires` are microseconds since 1970. `times` is ordered; `sums` has one element more: the
    number of events before the first time, and up to each time. The table is unlogged: a crash of PostgreSQL
    empties it, and backups do not include its rows.
    """

    __tablename__ = "rate_limit"
    # Updates should stay within their page (HOT), and compressing values would dominate the cost.
    __table_args__ = (
        {"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50, "toast_tuple_target": 8160}},
    )

    client: Mapped[str] = mapped_column(String(200), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    times: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    sums: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    expires: Mapped[int] = mapped_column(BigInteger)


class ThrottleNotice(Base):
    """A mail about a client that ignores 429; only refusals after the latest one count for the next."""

    __tablename__ = "throttle_notice"
    __table_args__ = (Index("ix_throttle_notice_order", "sent_at", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    days_throttled: Mapped[int] = mapped_column(SmallInteger)
    total_count: Mapped[int] = mapped_column(Integer)
    worst_day_count: Mapped[int] = mapped_column(Integer)
    sent_at: Mapped[datetime] = stamp()


class Donation(Base):
    """A contribution on the donation platform; each is processed once."""

    __tablename__ = "donation"
    __table_args__ = (
        Index("ix_donation_order", "donated_at", "id"),
        choice_check("frequency", ("", "monthly", "yearly", "onetime")),
        range_check("amount", 0, INTEGER_MAX),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    transaction_id: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = _somebody()
    email: Mapped[str] = blank_text(254)
    amount: Mapped[int] = mapped_column(Integer)  # US cents
    donated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    frequency: Mapped[str] = blank_text(10)
    created_on: Mapped[datetime] = stamp()


class StaffAction(Base):
    """A line of the audit log: an action of a staff member on a target."""

    __tablename__ = "staff_action"
    __table_args__ = (
        Index("ix_staff_action_order", "at", "id"),
        Index("ix_staff_action_target", "kind", "target_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = stamp()
    actor_id: Mapped[int | None] = _somebody()
    actor_name: Mapped[str] = blank_text(150)  # remains when the account is deleted; empty for commands
    action: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(40))
    target_id: Mapped[int | None] = mapped_column(Integer)
    target: Mapped[str] = blank_text(255)
    change: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)


class IdempotencyKey(Base):
    """A stored response for repeated requests with the same key (`comicsdb.http.idempotency`).

    `request` is a digest of the request; `status` is 0 until the response is known.
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


class FormDraft(Base):
    """A form that is not saved yet.

    It is either a form sent after its session had ended, or its object had been merged, which is stored for
    an hour under the digest of a secret; or one that is being filled in, under the key that the page gave
    it. Only the latter has `form`, the route of its page, which is empty once it is saved or discarded, and
    `object_id`, which is 0 for a new object.
    """

    __tablename__ = "form_draft"
    __table_args__ = (Index("ix_form_draft_created", "created"),)

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    form: Mapped[str | None] = mapped_column(String(60))
    object_id: Mapped[int | None] = mapped_column(BigInteger)
    user_id: Mapped[int] = parent_key("user_account.id")
    action: Mapped[str] = mapped_column(Text)
    fields: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = stamp()


class PictureDraft(PictureMixin, Base):
    """A picture sent with a form, stored until the form is saved, or as long as the form's draft."""

    __tablename__ = "picture_draft"
    __table_args__ = (Index("ix_picture_draft_created", "created"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    draft: Mapped[str | None] = mapped_column(
        ForeignKey("form_draft.digest", ondelete="SET NULL"), index=True
    )
    name: Mapped[str] = blank_text(255)  # of the uploaded file
    cover_hash: Mapped[str] = blank_text(16)
    created: Mapped[datetime] = stamp()


class TaggedFile(Base):
    """An issue described by the tags of a comic file, which the account has not entered yet.

    `known` is the data by which it is matched, in the format of `schemas.match.DescriptorSchema`; `fields`
    are pairs of field and text for the form of a new issue. `digest` is the same for all files of the same
    issue.
    """

    __tablename__ = "tagged_file"
    __table_args__ = (UniqueConstraint("user_id", "digest", name="uq_tagged_file_user_id_digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    digest: Mapped[str] = mapped_column(String(64))
    file: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    known: Mapped[dict] = mapped_column(JSONB)
    fields: Mapped[list] = mapped_column(JSONB)
    found_on: Mapped[datetime] = stamp()
    is_dismissed: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
