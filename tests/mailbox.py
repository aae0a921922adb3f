"""Mails that the application has written: rows of the outbox, read as a recipient would."""

import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cached_property

from sqlalchemy import select

from comicsdb.models import OutgoingMail


def parse(message: bytes) -> EmailMessage:
    """Parse a message, stored or received."""
    return message_from_bytes(message, policy=policy.SMTP)


@dataclass(frozen=True)
class Mail:
    """One mail, which is parsed when its parts are asked for, as many tests look at its kind alone."""

    message: bytes
    kind: str = ""
    user_id: int | None = None

    @cached_property
    def _parsed(self):
        return parse(self.message)

    @property
    def to(self) -> str:
        """The recipient."""
        return self._parsed["To"]

    @property
    def subject(self) -> str:
        """The subject."""
        return self._parsed["Subject"]

    @cached_property
    def text(self) -> str:
        """The text part."""
        return self._parsed.get_body(("plain",)).get_content().replace("\r\n", "\n")

    @cached_property
    def html(self) -> str:
        """The HTML part."""
        return self._parsed.get_body(("html",)).get_content()

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


def waiting_mails(session) -> list[Mail]:
    """All mails that are waiting to be sent, in the order in which they were written."""
    rows = session.scalars(select(OutgoingMail).where(OutgoingMail.sent.is_(None)).order_by(OutgoingMail.id))
    return [Mail(row.message, row.kind, row.user_id) for row in rows if row.message]
