"""Who carries mail away: an SMTP server, or a folder on a developer's machine."""

import re
import smtplib
import ssl
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from pyramid_mailer.mailer import Mailer

from comicsdb.mail.outbox import parse

TIMEOUT = 10  # seconds for each step of the conversation


class CarrierError(Exception):
    """A mail was not taken. `permanent`: it never will be; `unreachable`: no other would be either."""

    def __init__(self, text: str, *, permanent: bool = False, unreachable: bool = False):
        super().__init__(text)
        self.permanent = permanent
        self.unreachable = unreachable


class Carrier(Protocol):
    """What sends; used by one thread."""

    def send(self, name: str, recipient: str, message: bytes) -> None:
        """Hand over one message; raises CarrierError. `name` is for those who look at it."""

    def close(self) -> None:
        """End the conversation, if one is under way."""


def carrier(settings: Mapping) -> Carrier:
    """The carrier that the settings ask for; nothing is opened yet."""
    folder = settings["comicsdb.mail.folder"]
    return Folder(folder) if folder else Smtp(settings)


class _Connection(smtplib.SMTP):
    """A conversation that begins in the open."""

    def starttls(self):
        """Encrypt, and check the server's certificate, which the library by itself does not."""
        return super().starttls(context=ssl.create_default_context())


class _EncryptedConnection(smtplib.SMTP_SSL):
    """A conversation that is encrypted from the start."""

    def __init__(self, host: str, port: str, **_files):
        super().__init__(host, int(port), timeout=TIMEOUT, context=ssl.create_default_context())


class Smtp:
    """Sends by the SMTP server of the settings `mail.*`, in one conversation as long as all goes well.

    pyramid_mailer reads the settings and opens connections. Stored messages are whole: its own way to send
    would encode them a second time, and leave connections open that a server refused.
    """

    def __init__(self, settings: Mapping):
        self._opener = Mailer.from_settings(settings).smtp_mailer
        self._opener.smtp = _EncryptedConnection if settings["mail.ssl"] else _Connection
        self._tls = settings["mail.tls"]
        self._from = settings["comicsdb.mail.from"].addr_spec
        self._connection: smtplib.SMTP | None = None

    def send(self, name: str, recipient: str, message: bytes) -> None:  # noqa: ARG002
        """Hand over one message."""
        if self._connection is None:
            self._open()
        try:
            self._connection.sendmail(self._from, [recipient], message)
        except smtplib.SMTPRecipientsRefused as refused:
            code, answer = refused.recipients[recipient]
            self.close()
            raise CarrierError(_said(code, answer), permanent=code >= 500) from refused
        except smtplib.SMTPDataError as refused:
            self.close()
            said = _said(refused.smtp_code, refused.smtp_error)
            raise CarrierError(said, permanent=refused.smtp_code >= 500) from refused
        except (smtplib.SMTPException, OSError) as failure:
            self.close()
            raise CarrierError(f"{type(failure).__name__}: {failure}") from failure

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
            raise CarrierError(said, unreachable=True) from failure

    def close(self) -> None:
        """Say goodbye, and close the connection whatever the server has to say to that."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(smtplib.SMTPException, OSError), connection:  # whose end is QUIT and close
                pass


def _said(code: int, answer: bytes) -> str:
    return f"{code} {answer.decode('utf-8', 'replace')}"


class Folder:
    """Puts each mail as a file into a folder, and its addresses on the console: no mail server is needed."""

    def __init__(self, folder: Path):
        self._folder = folder

    def send(self, name: str, recipient: str, message: bytes) -> None:
        """Write one message."""
        path = self._folder / f"{name}.eml"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(message)
        except OSError as failure:
            raise CarrierError(str(failure), unreachable=True) from failure
        text = parse(message).get_body(("plain",)).get_content()
        links = "".join(f"\n    {link}" for link in re.findall(r"^https?://\S+", text, re.MULTILINE))
        sys.stderr.write(f"Mail to {recipient}: {path}{links}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Nothing is open."""
