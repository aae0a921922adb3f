"""The outbox: messages stored as rows in the transaction that causes them."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.errors import MessageError
from email.headerregistry import Address
from email.utils import format_datetime, make_msgid

from pyramid_mailer.message import Attachment, Message
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.mail.letter import Letter, LetterContext, as_html, as_text
from comicsdb.models import OutgoingMail, User
from comicsdb.models.choices import DEFAULT_LANGUAGE

log = logging.getLogger(__name__)

EXTRA_HEADERS = ("Date", "Message-ID", "Auto-Submitted", "Content-Language")
LINE_LENGTH = 998  # octets, at most (RFC 5322)
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
            message=message.to_message().as_bytes(),
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


def compose(letter: Letter, settings: Mapping, recipient: str, language: str) -> Message:
    """The message of a letter; raises ValueError for an invalid address, including one with line breaks."""
    sender = settings["comicsdb.mail.from"]
    context = LetterContext(
        language, settings["comicsdb.base_url"], settings["comicsdb.title"], settings["comicsdb.accent"]
    )
    return Message(
        context.translate(letter.subject),
        [str(_address(recipient))],
        _part(as_text(letter, context)),
        _part(as_html(letter, context)),
        str(sender),
        extra_headers={
            "Date": format_datetime(clock.now()),
            "Message-ID": make_msgid(domain=sender.domain),
            "Auto-Submitted": "auto-generated",  # suppresses automatic replies (RFC 3834)
            "Content-Language": context.language,
        },
    )


def _part(text: str) -> Attachment:
    """A part in ASCII, which every server accepts.

    The library's quoted-printable encodes each space, and makes lines that are longer than RFC 2045 allows.
    """
    is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= LINE_LENGTH
    return Attachment(data=text, disposition="inline", transfer_encoding="7bit" if is_plain else "base64")


def _address(text: str) -> Address:
    if not (text.isascii() and text.isprintable()):
        raise ValueError("takes an address of printable ASCII characters")
    try:
        return Address(addr_spec=text)
    except (IndexError, MessageError) as error:
        raise ValueError("takes an address such as name@host") from error


def load(stored: bytes) -> Message:
    """The message of a row, which is stored as RFC 5322: the processes before an update send it, too."""
    parsed = message_from_bytes(stored, policy=policy.default)
    text, html = (_part(parsed.get_body((kind,)).get_content()) for kind in ("plain", "html"))
    headers = {name: parsed[name] for name in EXTRA_HEADERS if name in parsed}
    return Message(parsed["Subject"], [parsed["To"]], text, html, parsed["From"], extra_headers=headers)
