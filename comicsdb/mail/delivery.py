"""Delivery: due rows of the outbox are sent by SMTP or written to a folder, and retried if that fails."""

import logging
import re
import smtplib
import ssl
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from copy import copy
from datetime import timedelta
from functools import partial

from pyramid_mailer.mailer import DebugMailer, Mailer
from pyramid_mailer.message import Message
from repoze.sendmail.mailer import SMTPMailer
from sqlalchemy import Connection, Engine, delete, or_, select, update

from comicsdb import clock
from comicsdb.log_lines import OutageLog, printable
from comicsdb.mail.outbox import load
from comicsdb.models import OutgoingMail
from comicsdb.ops.worker import Worker

TIMEOUT = 10  # seconds for each step of an SMTP session

log = logging.getLogger(__name__)
MAIL_OUTAGE = OutageLog(log, logging.WARNING)

# A row being sent is not due again for this long, which is longer than any SMTP session can take. If the
# process dies in the meantime, another one retries it then.
ATTEMPT_LEASE = timedelta(minutes=15)
DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))  # the last one repeats
RETENTION = timedelta(days=30)
ERROR_LENGTH = 500
EXPIRED = "It could not be sent in time."

_mail = OutgoingMail.__table__

PAUSE = 3.0  # seconds between polls of the outbox
LONG_PAUSE = 60.0  # seconds after a failure that affects all mails


class CarefulMailer(SMTPMailer):
    """The SMTP mailer that pyramid_mailer uses, where it has no arguments for what we need.

    It ends lines with LF, which servers refuse, accepts any certificate, leaves the connection open when the
    server refuses a mail, and reports an accepted mail as failed if only the end of the session fails.
    """

    def smtp_factory(self):
        """Connect, so that certificates are verified."""
        context = ssl.create_default_context()
        if self.ssl:
            return smtplib.SMTP_SSL(self.hostname, self.port, timeout=TIMEOUT, context=context)
        connection = smtplib.SMTP(self.hostname, self.port, timeout=TIMEOUT)
        connection.starttls = partial(connection.starttls, context=context)
        return connection

    def send(self, fromaddr, toaddrs, message):
        """Send one message through a connection that is closed in any case."""
        message.policy = message.policy.clone(linesep="\r\n")
        with closing(self.smtp_factory()) as connection:
            connection.quit = partial(_end, connection)
            mailer = copy(self)  # several threads may send
            mailer.smtp_factory = lambda: connection
            SMTPMailer.send(mailer, fromaddr, toaddrs, message)


def _end(connection: smtplib.SMTP) -> None:
    with suppress(smtplib.SMTPException, OSError), connection:  # the context sends QUIT and closes
        pass


class FolderMailer(DebugMailer):
    """Writes each mail into a folder and prints its links, for development without a mail server."""

    def send_immediately(self, message: Message, fail_silently: bool = False) -> None:
        """Write one message."""
        super().send_immediately(message, fail_silently)
        links = re.findall(r"^https?://\S+", message.body.data, re.MULTILINE)
        [recipient] = message.recipients
        sys.stderr.write("\n    ".join([f"Mail to {recipient}, in {self.tld}", *links]) + "\n")
        sys.stderr.flush()


def mailer_from_settings(settings: Mapping) -> Mailer | FolderMailer:
    """The mailer of the settings; does not connect yet."""
    if folder := settings["comicsdb.mail.folder"]:
        return FolderMailer(folder)
    encrypts = settings["mail.tls"]
    return Mailer(
        smtp_mailer=CarefulMailer(
            settings["mail.host"],
            settings["mail.port"],
            settings["mail.username"] or None,
            settings["mail.password"],
            no_tls=not encrypts,
            force_tls=encrypts,
            ssl=settings["mail.ssl"],
        )
    )


def send_due(engine: Engine, mailer: Mailer) -> Counter:
    """Send due mails; counts "sent", "failed" (to be retried) and "given up".

    No transaction is open during SMTP sessions. A failure that affects all mails ends the run, and is also
    counted as "unreachable".
    """
    counted = Counter()
    while (mail := _claim(engine)) is not None:
        if mail.give_up <= clock.now():
            counted[_fail(engine, mail, EXPIRED, is_permanent=True)] += 1
            continue
        try:
            mailer.send_immediately(load(mail.message))
        except smtplib.SMTPRecipientsRefused as error:
            [(code, reply)] = error.recipients.values()
            counted[_fail(engine, mail, _reply_text(code, reply), error, is_permanent=code >= 500)] += 1
        except smtplib.SMTPDataError as error:
            code, reply = error.smtp_code, error.smtp_error
            counted[_fail(engine, mail, _reply_text(code, reply), error, is_permanent=code >= 500)] += 1
        except (OSError, RuntimeError) as error:  # among them all of smtplib and of repoze.sendmail
            text = f"The mail server does not work: {type(error).__name__}: {error}"
            counted[_fail(engine, mail, text, error)] += 1
            counted["unreachable"] += 1
            break
        else:
            _store_result(engine, mail, sent=clock.now(), error="", message=b"")
            counted["sent"] += 1
    return counted


def _reply_text(code: int, reply: bytes) -> str:
    return f"{code} {reply.decode('utf-8', 'replace')}"


def _claim(engine: Engine):
    """Claim the row that has been due longest, so that no other process sends it."""
    now = clock.now()
    due = (
        select(_mail.c.id)
        .where(_mail.c.sent.is_(None), clock.is_due(_mail.c.next_attempt, DELAYS[-1]))
        .order_by(_mail.c.next_attempt, _mail.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    claimed = (
        update(_mail)
        .where(_mail.c.id == due.scalar_subquery())
        # Without an error it counts as being sent, so staff cannot retry it in the meantime.
        .values(attempts=_mail.c.attempts + 1, next_attempt=now + ATTEMPT_LEASE, error="")
        .returning(
            _mail.c.id, _mail.c.kind, _mail.c.recipient, _mail.c.message, _mail.c.attempts, _mail.c.give_up
        )
    )
    with engine.begin() as connection:
        return connection.execute(claimed).one_or_none()


def _fail(
    engine: Engine, mail, text: str, error: Exception | None = None, *, is_permanent: bool = False
) -> str:
    """Store why a mail was not sent; the log has no more than the kind of error, as texts name addresses."""
    then = clock.now() + DELAYS[min(mail.attempts, len(DELAYS)) - 1]
    text = printable(text)[:ERROR_LENGTH]
    if is_permanent or then >= mail.give_up:
        log.warning("Mail %s (%s) is given up after attempt %s.", mail.id, mail.kind, mail.attempts)
        _store_result(engine, mail, next_attempt=None, error=text, message=b"")
        return "given up"
    reason = type(error).__name__
    MAIL_OUTAGE.report(
        error, "Mail %s (%s) failed at attempt %s: %s", mail.id, mail.kind, mail.attempts, reason
    )
    _store_result(engine, mail, next_attempt=then, error=text)
    return "failed"


def _store_result(engine: Engine, mail, **values) -> None:
    with engine.begin() as connection:
        connection.execute(update(_mail).where(_mail.c.id == mail.id).values(**values))


def clean(connection: Connection) -> int:
    """Delete mails that were sent or given up 30 days after they were queued; returns how many."""
    done = or_(_mail.c.sent.is_not(None), _mail.c.next_attempt.is_(None))
    return connection.execute(delete(_mail).where(done, _mail.c.queued < clock.now() - RETENTION)).rowcount


class Sender(Worker):
    """Polls the outbox; each process has one, and a row is sent by the one that claims it first."""

    def __init__(self, engine: Engine, mailer: Mailer):
        super().__init__("mail")
        self._engine = engine
        self._mailer = mailer

    def work(self) -> float:
        """Send the mails that are due."""
        return LONG_PAUSE if send_due(self._engine, self._mailer)["unreachable"] else PAUSE
