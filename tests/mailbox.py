"""Mails that the application has written: rows of the outbox, read as a recipient would."""

import re
from dataclasses import dataclass

from sqlalchemy import select

from comicsdb.mail.outbox import parse
from comicsdb.models import OutgoingMail


@dataclass(frozen=True)
class Mail:
    """One mail: both parts, and the addresses in the text."""

    kind: str
    to: str
    subject: str
    text: str
    html: str
    user_id: int | None = None

    @property
    def words(self) -> str:
        """The text without its line breaks."""
        return " ".join(self.text.split())

    @property
    def links(self) -> list[str]:
        """The addresses in the text, in order."""
        return re.findall(r"^https?://\S+", self.text, re.MULTILINE)

    def link(self, part: str) -> str:
        """The only address that contains `part`."""
        (found,) = [link for link in self.links if part in link]
        return found


def read(message: bytes, kind: str = "", user_id: int | None = None) -> Mail:
    """Parse a mail from the bytes of its message."""
    parsed = parse(message)
    return Mail(
        kind=kind,
        to=parsed["To"],
        subject=parsed["Subject"],
        text=parsed.get_body(("plain",)).get_content().replace("\r\n", "\n"),
        html=parsed.get_body(("html",)).get_content(),
        user_id=user_id,
    )


def waiting_mails(session) -> list[Mail]:
    """All mails that are waiting to be sent, in the order in which they were written."""
    rows = session.scalars(select(OutgoingMail).where(OutgoingMail.sent.is_(None)).order_by(OutgoingMail.id))
    return [read(row.message, row.kind, row.user_id) for row in rows if row.message]
