"""Webhooks: URLs that are notified of changes to the catalog, and the messages sent to them."""

from datetime import datetime

from sqlalchemy import BigInteger, Boolean, Identity, Index, Integer, SmallInteger, String, Text, text
from sqlalchemy import UniqueConstraint as Unique
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, blank_text, choice_check, parent_key, stamp
from comicsdb.models.choices import WebhookState

URL_MAX, DESCRIPTION_MAX, ANSWER_MAX = 1000, 100, 500  # characters


class Webhook(Base):
    """The URL of a program to notify, and its position in the change feed.

    `kinds` are those whose changes are sent, all kinds if empty. The secrets are encrypted; messages are also
    signed with the old one until `old_secret_until`.
    """

    __tablename__ = "webhook"
    __table_args__ = (Unique("form_key", name="uq_webhook_form_key"), choice_check("state", WebhookState))

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    url: Mapped[str] = mapped_column(String(URL_MAX))
    description: Mapped[str] = blank_text(DESCRIPTION_MAX)
    kinds: Mapped[list[str]] = mapped_column(ARRAY(String(40)), server_default="{}", default=list)
    state: Mapped[str] = mapped_column(String(10))
    secret: Mapped[str] = mapped_column(Text)
    old_secret: Mapped[str] = blank_text()
    old_secret_until: Mapped[datetime | None] = stamp(default=False)
    epoch: Mapped[str] = mapped_column(String(32))
    after: Mapped[int] = mapped_column(BigInteger)
    created_on: Mapped[datetime] = stamp()
    # The key of the form that created it, so that sending the form again creates no second webhook.
    form_key: Mapped[str] = mapped_column(String(64))


class WebhookDelivery(Base):
    """A message to a webhook; it is waiting as long as there is a next attempt.

    A message that `retries` is retried for days and holds up later ones; tests, and messages that somebody
    asked to send again, are tried once.
    """

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_webhook_id", "webhook_id", "id"),
        Index(
            "ix_webhook_delivery_due", "next_attempt", "id", postgresql_where=text("next_attempt IS NOT NULL")
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    webhook_id: Mapped[int] = parent_key("webhook.id", index=False)
    message_id: Mapped[str] = mapped_column(String(40))
    body: Mapped[str] = mapped_column(Text)
    changes: Mapped[int] = mapped_column(Integer)
    retries: Mapped[bool] = mapped_column(Boolean)
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0", default=0)
    created_on: Mapped[datetime] = stamp()
    next_attempt: Mapped[datetime | None] = stamp(default=False)
    # The last attempt: when, how long it took, the response's status, why there was none, the response's
    # beginning.
    sent: Mapped[datetime | None] = stamp(default=False)
    milliseconds: Mapped[int | None] = mapped_column(Integer)
    status: Mapped[int | None] = mapped_column(SmallInteger)
    problem: Mapped[str] = blank_text(20)
    answer: Mapped[str] = blank_text(ANSWER_MAX)
    delivered: Mapped[bool] = mapped_column(Boolean, server_default=text("false"), default=False)
