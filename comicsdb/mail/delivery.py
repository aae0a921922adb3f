"""Delivery: rows of the outbox that are due are sent, each by one process, and tried again if that fails."""

import logging
from collections import Counter
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, or_, select, update

from comicsdb import clock
from comicsdb.mail.carriers import Carrier, CarrierError
from comicsdb.mail.letter import printable
from comicsdb.models import OutgoingMail
from comicsdb.ops.logs import OutageLog

log = logging.getLogger(__name__)
MAIL_OUTAGE = OutageLog(log, logging.WARNING)

# A row that is being sent is not due for so long. It is longer than any conversation, whose every step has a
# limit of seconds; if the process dies meanwhile, another tries it then.
UNDER_WAY = timedelta(minutes=15)
DELAYS = tuple(timedelta(minutes=each) for each in (1, 5, 15, 60, 240))  # the last again and again
KEPT = timedelta(days=30)
ERROR_LENGTH = 500
EXPIRED = "It could not be sent in time."

_mail = OutgoingMail.__table__


def send_due(engine: Engine, carrier: Carrier) -> Counter:
    """Send what is due; counts "sent", "failed" (to be tried again) and "given up".

    No transaction is open while a server is spoken to. A failure that concerns all mails ends it, and is also
    counted as "unreachable".
    """
    counted = Counter()
    try:
        while (mail := _claim(engine)) is not None:
            try:
                if mail.give_up <= clock.now():
                    raise CarrierError(EXPIRED, permanent=True)
                carrier.send(f"{mail.id:06}-{mail.kind}", mail.recipient, mail.message)
            except CarrierError as error:
                counted[_failed(engine, mail, error)] += 1
                if error.unreachable:
                    counted["unreachable"] += 1
                    break
            else:
                _settle(engine, mail, sent=clock.now(), error="", message=b"")
                counted["sent"] += 1
    finally:
        carrier.close()
    return counted


def _claim(engine: Engine):
    """Take the row that is due for longest, so that no other process does."""
    now = clock.now()
    due = (
        select(_mail.c.id)
        .where(_mail.c.sent.is_(None), _mail.c.next_attempt <= now)
        .order_by(_mail.c.next_attempt, _mail.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    claimed = (
        update(_mail)
        .where(_mail.c.id == due.scalar_subquery())
        # Without an error it counts as under way: nobody lets it be tried at once meanwhile.
        .values(attempts=_mail.c.attempts + 1, next_attempt=now + UNDER_WAY, error="")
        .returning(
            _mail.c.id, _mail.c.kind, _mail.c.recipient, _mail.c.message, _mail.c.attempts, _mail.c.give_up
        )
    )
    with engine.begin() as connection:
        return connection.execute(claimed).one_or_none()


def _failed(engine: Engine, mail, error: CarrierError) -> str:
    then = clock.now() + DELAYS[min(mail.attempts, len(DELAYS)) - 1]
    text = printable(str(error))[:ERROR_LENGTH]
    if error.permanent or then >= mail.give_up:
        log.warning("Mail %s (%s) is given up after attempt %s.", mail.id, mail.kind, mail.attempts)
        _settle(engine, mail, next_attempt=None, error=text, message=b"")
        return "given up"
    MAIL_OUTAGE.report(
        error, "Mail %s (%s) failed at attempt %s: %s", mail.id, mail.kind, mail.attempts, _reason(error)
    )
    _settle(engine, mail, next_attempt=then, error=text)
    return "failed"


def _reason(error: CarrierError) -> str:
    """The kind of failure, without what a server said: addresses do not belong into the log."""
    cause = error.__cause__
    return type(cause).__name__ if cause is not None else type(error).__name__


def _settle(engine: Engine, mail, **values) -> None:
    with engine.begin() as connection:
        connection.execute(update(_mail).where(_mail.c.id == mail.id).values(**values))


def clean(connection: Connection) -> int:
    """Remove mails that were sent or given up, 30 days after they were written; gives how many."""
    done = or_(_mail.c.sent.is_not(None), _mail.c.next_attempt.is_(None))
    return connection.execute(delete(_mail).where(done, _mail.c.queued < clock.now() - KEPT)).rowcount
