"""The outbox: complete messages stored as rows in the transaction that causes them."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid

from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.mail.letter import Letter, LetterContext, as_html, as_text
from comicsdb.models import OutgoingMail, User
from comicsdb.models.choices import DEFAULT_LANGUAGE

log = logging.getLogger(__name__)

PATIENCE = timedelta(days=3)  # how long sending is retried


def queue(
    session: Session,
    settings: Mapping,
    letter: Letter,
    *,
    kind: str,
    user: User | None = None,
    to: str = "",
    until: datetime | None = None,
) -> bool:
    """Store a letter, to be sent after the commit; returns False for an invalid address, which is logged.

    It is sent in the language of the account `user`, to its address unless `to` is given. `kind` is a word
    for the log. It is not sent after `until`, by default three days from now.
    """
    language = (user.language if user is not None else "") or DEFAULT_LANGUAGE
    recipient = to or user.email
    try:
        message = compose(letter, settings, recipient, language)
    except ValueError:
        log.warning("No mail can be sent to the address of account %s.", user.id if user else "-")
        return False
    now = clock.now()
    session.add(
        OutgoingMail(
            user_id=user.id if user is not None else None,
            kind=kind,
            recipient=recipient,
            message=message,
            queued=now,
            next_attempt=now,
            give_up=until or now + PATIENCE,
        )
    )
    return True


def queue_to_administrators(session: Session, settings: Mapping, letter: Letter, *, kind: str) -> int:
    """Store a letter for each administrator in the settings; returns how many."""
    administrators = settings["comicsdb.mail.administrators"]
    for address in administrators:
        queue(session, settings, letter, kind=kind, to=address)
    return len(administrators)


def compose(letter: Letter, settings: Mapping, recipient: str, language: str) -> bytes:
    """The complete message (RFC 5322), ASCII only, which every server accepts.

    Raises ValueError for an invalid address, including one with line breaks.
    """
    sender = settings["comicsdb.mail.from"]
    context = LetterContext(
        language, settings["comicsdb.base_url"], settings["comicsdb.title"], settings["comicsdb.accent"]
    )
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = sender
    message["To"] = _address(recipient)
    message["Subject"] = context.translate(letter.subject)
    message["Date"] = clock.now()
    message["Message-ID"] = make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"  # suppresses automatic replies (RFC 3834)
    message.set_content(as_text(letter, context), cte="quoted-printable")
    message.add_alternative(as_html(letter, context), subtype="html", cte="quoted-printable")
    message["Content-Language"] = context.language
    return message.as_bytes()


def _address(text: str) -> Address:
    if not (text.isascii() and text.isprintable()):
        raise ValueError("takes an address of printable ASCII characters")
    try:
        return Address(addr_spec=text)
    except (IndexError, MessageError) as error:
        raise ValueError("takes an address such as name@host") from error


def parse(message: bytes) -> EmailMessage:
    """Parse a stored message."""
    return message_from_bytes(message, policy=policy.SMTP)
