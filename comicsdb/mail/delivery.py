"""Delivery: due rows of the outbox are sent by SMTP or written to a folder, and retried if that fails."""

import logging
import re
import smtplib
import ssl
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from pyramid_mailer.mailer import Mailer
from sqlalchemy import Connection, Engine, delete, or_, select, update

from comicsdb import clock
from comicsdb.log_lines import OutageLog, printable
from comicsdb.mail.outbox import parse
from comicsdb.models import OutgoingMail
from comicsdb.ops.worker import Worker

TIMEOUT = 10  # seconds for each step of an SMTP session

log = logging.getLogger(__name__)
MAIL_OUTAGE = OutageLog(log, logging.WARNING)

# A row being sent is not due again for this long, which is longer than any SMTP session can take. If the
# process dies in the meantime, another one retries it then.
ATTEMPT_LEASE = timedelta(minutes=15)
DELAYS = tuple(timedelta(minutes=each) for each in (1, 5, 15, 60, 240))  # the last one repeats
RETENTION = timedelta(days=30)
ERROR_LENGTH = 500
EXPIRED = "It could not be sent in time."

_mail = OutgoingMail.__table__

PAUSE = 3.0  # seconds between polls of the outbox
LONG_PAUSE = 60.0  # seconds after a failure that affects all mails


class TransportError(Exception):
    """A mail was not accepted. `permanent`: retrying is useless; `unreachable`: all mails fail."""

    def __init__(self, text: str, *, permanent: bool = False, unreachable: bool = False):
        super().__init__(text)
        self.permanent = permanent
        self.unreachable = unreachable


class _Connection(smtplib.SMTP):
    """An SMTP connection that may use STARTTLS."""

    def starttls(self):
        """Start TLS and verify the server's certificate, which smtplib does not by default."""
        return super().starttls(context=ssl.create_default_context())


class _EncryptedConnection(smtplib.SMTP_SSL):
    """An SMTP connection over TLS."""

    def __init__(self, host: str, port: str, **_files):
        super().__init__(host, int(port), timeout=TIMEOUT, context=ssl.create_default_context())


class SmtpTransport:
    """Sends mails through the SMTP server of the settings `mail.*`, keeping the connection until an error.

    pyramid_mailer reads the settings and opens connections. Its `send` is not used, as it would encode the
    stored messages a second time, and leave rejected connections open.
    """

    def __init__(self, settings: Mapping):
        self._opener = Mailer.from_settings(settings).smtp_mailer
        self._opener.smtp = _EncryptedConnection if settings["mail.ssl"] else _Connection
        self._tls = settings["mail.tls"]
        self._from = settings["comicsdb.mail.from"].addr_spec
        self._connection: smtplib.SMTP | None = None

    def send(self, name: str, recipient: str, message: bytes) -> None:  # noqa: ARG002
        """Send one message; raises TransportError."""
        if self._connection is None:
            self._open()
        try:
            self._connection.sendmail(self._from, [recipient], message)
        except smtplib.SMTPRecipientsRefused as refused:
            code, answer = refused.recipients[recipient]
            self.close()
            raise TransportError(_reply_text(code, answer), permanent=code >= 500) from refused
        except smtplib.SMTPDataError as refused:
            self.close()
            said = _reply_text(refused.smtp_code, refused.smtp_error)
            raise TransportError(said, permanent=refused.smtp_code >= 500) from refused
        except (smtplib.SMTPException, OSError) as failure:
            self.close()
            raise TransportError(f"{type(failure).__name__}: {failure}") from failure

    def _open(self) -> None:
        try:
            self._connection = self._opener.smtp_factory()
            self._connection.ehlo_or_helo_if_needed()
            if self._tls:
                self._connection.starttls()
            if self._opener.username:
                self._connection.login(self._opener.username, self._opener.password)
        except (smtplib.SMTPException, OSError) as failure:
            self.close()
            said = f"The SMTP server does not work: {type(failure).__name__}: {failure}"
            raise TransportError(said, unreachable=True) from failure

    def close(self) -> None:
        """Quit and close the connection, ignoring errors."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError), connection:  # the context sends QUIT and closes
                pass


def _reply_text(code: int, answer: bytes) -> str:
    return f"{code} {answer.decode('utf-8', 'replace')}"


class FolderTransport:
    """Writes each mail into a folder and prints its links, for development without a mail server."""

    def __init__(self, folder: Path):
        self._folder = folder

    def send(self, name: str, recipient: str, message: bytes) -> None:
        """Write one message; raises TransportError. `name` identifies it for people."""
        path = self._folder / f"{name}.eml"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(message)
        except OSError as failure:
            raise TransportError(str(failure), unreachable=True) from failure
        text = parse(message).get_body(("plain",)).get_content()
        links = "".join(f"\n    {link}" for link in re.findall(r"^https?://\S+", text, re.MULTILINE))
        sys.stderr.write(f"Mail to {recipient}: {path}{links}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Do nothing: no connection is open."""


Transport = SmtpTransport | FolderTransport


def transport_from_settings(settings: Mapping) -> Transport:
    """The configured transport; does not connect yet."""
    folder = settings["comicsdb.mail.folder"]
    return FolderTransport(folder) if folder else SmtpTransport(settings)


def send_due(engine: Engine, transport: Transport) -> Counter:
    """Send due mails; counts "sent", "failed" (to be retried) and "given up".

    No transaction is open during SMTP sessions. A failure that affects all mails ends the run, and is also
    counted as "unreachable".
    """
    counted = Counter()
    try:
        while (mail := _claim(engine)) is not None:
            try:
                if mail.give_up <= clock.now():
                    raise TransportError(EXPIRED, permanent=True)
                transport.send(f"{mail.id:06}-{mail.kind}", mail.recipient, mail.message)
            except TransportError as error:
                counted[_failed(engine, mail, error)] += 1
                if error.unreachable:
                    counted["unreachable"] += 1
                    break
            else:
                _store_result(engine, mail, sent=clock.now(), error="", message=b"")
                counted["sent"] += 1
    finally:
        transport.close()
    return counted


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


def _failed(engine: Engine, mail, error: TransportError) -> str:
    then = clock.now() + DELAYS[min(mail.attempts, len(DELAYS)) - 1]
    text = printable(str(error))[:ERROR_LENGTH]
    if error.permanent or then >= mail.give_up:
        log.warning("Mail %s (%s) is given up after attempt %s.", mail.id, mail.kind, mail.attempts)
        _store_result(engine, mail, next_attempt=None, error=text, message=b"")
        return "given up"
    MAIL_OUTAGE.report(
        error, "Mail %s (%s) failed at attempt %s: %s", mail.id, mail.kind, mail.attempts, _reason(error)
    )
    _store_result(engine, mail, next_attempt=then, error=text)
    return "failed"


def _reason(error: TransportError) -> str:
    """The kind of failure without the server's text, which may contain addresses."""
    cause = error.__cause__
    return type(cause).__name__ if cause is not None else type(error).__name__


def _store_result(engine: Engine, mail, **values) -> None:
    with engine.begin() as connection:
        connection.execute(update(_mail).where(_mail.c.id == mail.id).values(**values))


def clean(connection: Connection) -> int:
    """Delete mails that were sent or given up 30 days after they were queued; returns how many."""
    done = or_(_mail.c.sent.is_not(None), _mail.c.next_attempt.is_(None))
    return connection.execute(delete(_mail).where(done, _mail.c.queued < clock.now() - RETENTION)).rowcount


class Sender(Worker):
    """Polls the outbox; each process has one, and a row is sent by the one that claims it first."""

    def __init__(self, engine: Engine, settings: Mapping):
        super().__init__("mail")
        self._engine = engine
        self._transport = transport_from_settings(settings)

    def work(self) -> float:
        """Send the mails that are due."""
        return LONG_PAUSE if send_due(self._engine, self._transport)["unreachable"] else PAUSE
