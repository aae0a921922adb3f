"""Delivery: lines of the change feed become messages, which are sent, and retried if that fails.

The messages of a webhook are sent one after the other, in the order of the feed, at least once: they are
stored before they are sent, and no transaction is open while they are sent. Threads claim them one by one, of
each account only one at a time, so that a slow receiver delays nobody else's messages.
"""

import base64
import hashlib
import hmac
import logging
import random
import threading
from collections import Counter
from collections.abc import Mapping
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from time import perf_counter

from sqlalchemy import Engine, Row, delete, not_, or_, select, update
from sqlalchemy.orm import Session, aliased

from comicsdb import clock
from comicsdb.accounts import letters
from comicsdb.http import outgoing
from comicsdb.log_lines import printable
from comicsdb.mail import queue
from comicsdb.models import Change, FeedHorizon, User, Webhook, WebhookDelivery
from comicsdb.models.choices import WebhookState
from comicsdb.models.webhook import ANSWER_MAX
from comicsdb.ops.worker import Worker
from comicsdb.webhooks.endpoints import FEED_END, message, signing_keys

log = logging.getLogger(__name__)

UNSIGNED = "unsigned"  # value of `problem` if no secret can be read
CHANGED = "catalogue.changed"
LINES_MAX = 100  # lines per message
# Seconds until the next attempt; about three days in total.
DELAYS = (5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
JITTER = 0.1  # share of a delay added at most, so that messages to a restarted server are spread
RETRY_MAX = 86400  # seconds; the longest accepted `Retry-After`
LONGEST = timedelta(seconds=max(*DELAYS, RETRY_MAX) * (1 + JITTER))  # between two attempts
ATTEMPT_LEASE = timedelta(minutes=2)  # longer than any attempt; if the process dies, another one retries then
RETENTION, RETAINED_MAX = timedelta(days=30), 200  # of a webhook's finished messages
CONCURRENT_MESSAGES = 8  # messages that a process sends at the same time
PAUSE, PAUSE_WHILE_SENDING = 2.0, 0.2  # seconds between polls for changes
WEBHOOKS_AT_ONCE = 100

_columns = {
    name: getattr(Change, name)
    for name in ("seq", "at", "kind", "object_id", "action", "fields", "survivor_id")
}


def write_messages(session: Session) -> int:
    """Store messages about changes that webhooks have not been notified of; returns how many."""
    epoch, newest = session.execute(FEED_END).one()
    horizon = session.scalar(select(FeedHorizon.seq)) or 0
    waits = select(WebhookDelivery.id).where(
        WebhookDelivery.webhook_id == Webhook.id,
        WebhookDelivery.next_attempt.is_not(None),
        WebhookDelivery.retries,
    )
    behind = (
        select(Webhook)
        .join(User, User.id == Webhook.user_id)
        .where(
            Webhook.state == WebhookState.ACTIVE,
            User.is_active,
            or_(Webhook.after < newest, Webhook.epoch != epoch),
            not_(waits.exists()),
        )
        .order_by(Webhook.id)
        .limit(WEBHOOKS_AT_ONCE)
        .with_for_update(of=Webhook, skip_locked=True)
    )
    written = 0
    for webhook in session.scalars(behind).all():
        written += _write(session, webhook, epoch, newest, horizon)
    return written


def _write(session: Session, webhook: Webhook, epoch: str, newest: int, horizon: int) -> bool:
    """Store the next message for a webhook, if any change concerns it; its position advances in any case."""
    is_restart = webhook.epoch != epoch or webhook.after < horizon
    before, lines = webhook.after, []
    if not is_restart:
        chosen = [Change.kind.in_(webhook.kinds)] if webhook.kinds else []
        found = select(*_columns.values()).where(Change.seq > before, Change.seq <= newest, *chosen)
        rows = session.execute(found.order_by(Change.seq).limit(LINES_MAX)).all()
        lines = [dict(zip(_columns, row, strict=True)) for row in rows]
    webhook.epoch = epoch
    webhook.after = lines[-1]["seq"] if len(lines) == LINES_MAX else newest
    if not (lines or is_restart):
        return False
    data = {"epoch": epoch, "after": webhook.after, "restart": is_restart, "changes": lines}
    body = {"type": CHANGED, "timestamp": clock.now(), "data": data}
    session.add(message(webhook.id, body, retries=True, changes=len(lines)))
    _forget(session, webhook.id)
    return True


def _forget(session: Session, webhook_id: int) -> None:
    """Keep only the last RETAINED_MAX finished messages of a webhook."""
    done = (WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.next_attempt.is_(None))
    newest = select(WebhookDelivery.id).where(*done).order_by(WebhookDelivery.id.desc())
    last = newest.offset(RETAINED_MAX - 1).limit(1).scalar_subquery()
    session.execute(
        delete(WebhookDelivery).where(*done, WebhookDelivery.id < last),
        execution_options={"synchronize_session": False},
    )


def clean(session: Session) -> int:
    """Remove finished messages that are older than 30 days; returns how many."""
    old = (WebhookDelivery.next_attempt.is_(None), WebhookDelivery.created_on < clock.now() - RETENTION)
    return session.execute(delete(WebhookDelivery).where(*old)).rowcount


def claim(session: Session) -> Row | None:
    """Claim the message that is due first, so that nobody else sends it; the row has all columns for sending.

    Messages of accounts that are sent one have to wait. A message is being sent if it was claimed, which
    removes the time of its last attempt, and its lease has not expired.
    """
    now, claimed, other = clock.now(), aliased(WebhookDelivery), aliased(Webhook)
    is_sent_one = (
        select(claimed.id)
        .join(other, other.id == claimed.webhook_id)
        .where(
            other.user_id == Webhook.user_id,
            claimed.attempts > 0,
            claimed.sent.is_(None),
            claimed.next_attempt.between(now, now + ATTEMPT_LEASE),
        )
    )
    due = (
        select(WebhookDelivery.id)
        .join(Webhook, Webhook.id == WebhookDelivery.webhook_id)
        .join(User, User.id == Webhook.user_id)
        .where(
            clock.is_due(WebhookDelivery.next_attempt, LONGEST),
            User.is_active,
            or_(not_(WebhookDelivery.retries), Webhook.state == WebhookState.ACTIVE),
            not_(is_sent_one.exists()),
        )
        .order_by(WebhookDelivery.next_attempt, WebhookDelivery.id)
        .limit(1)
        .with_for_update(of=WebhookDelivery, skip_locked=True)
    )
    taken = (
        update(WebhookDelivery)
        .where(WebhookDelivery.id.in_(due.scalar_subquery()), WebhookDelivery.webhook_id == Webhook.id)
        .values(attempts=WebhookDelivery.attempts + 1, next_attempt=now + ATTEMPT_LEASE, sent=None)
        .returning(
            WebhookDelivery.id,
            WebhookDelivery.webhook_id,
            WebhookDelivery.message_id,
            WebhookDelivery.body,
            WebhookDelivery.retries,
            WebhookDelivery.attempts,
            Webhook.url,
            Webhook.secret,
            Webhook.old_secret,
            Webhook.old_secret_until,
        )
    )
    return session.execute(taken, execution_options={"synchronize_session": False}).one_or_none()


def signed_headers(settings: Mapping, row, body: bytes) -> dict[str, str]:
    """The headers of a message: its id, the time of sending, and a signature for each of the secrets.

    Raises OutgoingError if no secret can be read.
    """
    keys = signing_keys(settings, row)
    if not keys:
        raise outgoing.OutgoingError(UNSIGNED)
    moment = str(int(clock.now().timestamp()))
    content = b".".join((row.message_id.encode(), moment.encode(), body))
    signatures = (hmac.digest(key, content, hashlib.sha256) for key in keys)
    return {
        "Content-Type": "application/json",
        "User-Agent": "comicsdb-webhooks",
        "webhook-id": row.message_id,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(each).decode()}" for each in signatures),
    }


def send(settings: Mapping, row) -> dict:
    """Send a message; returns the columns with the outcome, and `retry_after` in seconds."""
    body, begun = row.body.encode(), perf_counter()
    outcome = {"sent": clock.now(), "status": None, "problem": "", "answer": "", "retry_after": 0}
    try:
        answer = outgoing.post(
            row.url, body, signed_headers(settings, row, body), settings["comicsdb.webhooks.networks"]
        )
    except outgoing.OutgoingError as error:
        outcome["problem"] = error.problem
    else:
        text = printable(answer.body.decode("utf-8", "replace"))[:ANSWER_MAX]
        outcome |= {"status": answer.status, "answer": text, "retry_after": answer.retry_after}
    return outcome | {"milliseconds": round((perf_counter() - begun) * 1000)}


def store(session: Session, settings: Mapping, row, outcome: dict) -> str:
    """Store the outcome of an attempt; returns "delivered", "failed" (to be retried), or "given up"."""
    retry_after = outcome.pop("retry_after")
    is_gone, result = outcome["status"] == 410, "failed"
    if outcome["status"] is not None and 200 <= outcome["status"] < 300:
        outcome |= {"delivered": True, "next_attempt": None}
        result = "delivered"
    elif not row.retries:
        outcome["next_attempt"] = None
        result = "given up"
    elif is_gone or row.attempts > len(DELAYS):
        # The message keeps its place: when the webhook is resumed, it is sent first.
        _disable(session, settings, row.webhook_id, is_gone=is_gone)
        result = "given up"
    else:
        delay = DELAYS[row.attempts - 1] * random.uniform(1, 1 + JITTER)  # noqa: S311
        delay = max(delay, min(retry_after, RETRY_MAX))
        outcome["next_attempt"] = clock.now() + timedelta(seconds=delay)
    session.execute(update(WebhookDelivery).where(WebhookDelivery.id == row.id).values(**outcome))
    return result


def _disable(session: Session, settings: Mapping, webhook_id: int, *, is_gone: bool) -> None:
    active = (Webhook.id == webhook_id, Webhook.state == WebhookState.ACTIVE)
    webhook = session.scalar(select(Webhook).where(*active).with_for_update())
    if webhook is None:  # paused or deleted in the meantime
        return
    webhook.state = WebhookState.DISABLED
    user = session.get_one(User, webhook.user_id)
    log.info("Webhook %s is disabled (user=%s, ip=-)", webhook.id, user.username)
    letter = letters.webhook_disabled(user, webhook, is_gone=is_gone)
    queue(session, settings, letter, user=user, kind="webhook_disabled")


class Deliverer(Worker):
    """Polls for changes and sends messages; each process has one, and sends the messages that it claims."""

    def __init__(self, engine: Engine, settings: Mapping):
        super().__init__("webhooks")
        self._engine = engine
        self._settings = settings
        self._pool = ThreadPoolExecutor(CONCURRENT_MESSAGES, thread_name_prefix="webhooks")
        self._lock = threading.Lock()
        self._senders: set[Future] = set()
        self._results = Counter()

    def work(self) -> float:
        """Write new messages, and begin to send those that are due."""
        with Session(self._engine) as session, session.begin():
            write_messages(session)
        self._begin_sending()
        return PAUSE_WHILE_SENDING if self._sending() else PAUSE

    def stop(self) -> None:
        """Stop after the messages that are being sent."""
        super().stop()
        self._pool.shutdown()

    def send_due(self) -> Counter:
        """Write new messages, and send until none is due; counts "delivered", "failed" and "given up"."""
        before = Counter(self._results)
        self.work()
        while senders := self._sending():
            futures.wait(senders)
        return self._results - before

    def _sending(self) -> set[Future]:
        with self._lock:
            self._senders = {sender for sender in self._senders if not sender.done()}
            return set(self._senders)

    def _begin_sending(self) -> None:
        """Send messages in another thread, if one is free."""
        if len(self._sending()) < CONCURRENT_MESSAGES and not self._stopped.is_set():
            with self._lock:
                self._senders.add(self._pool.submit(self._send_while_due))

    def _send_while_due(self) -> None:
        """Send one message after the other; for what else is due, there is another thread."""
        try:
            while not self._stopped.is_set() and (row := self._claim()) is not None:
                self._begin_sending()
                result = self._send(row)
                with self._lock:
                    self._results[result] += 1
        except Exception as error:
            self.report(error)

    def _claim(self) -> Row | None:
        with Session(self._engine) as session, session.begin():
            return claim(session)

    def _send(self, row) -> str:
        outcome = send(self._settings, row)
        with Session(self._engine) as session, session.begin():
            return store(session, self._settings, row, outcome)
