"""A real SMTP server for single tests, which stores messages and can be told to refuse some."""

import ssl

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.mailbox import Mail
from tests.serving import free_port


class SmtpSink:
    """An SMTP server on its own port; `answers` maps a recipient to a response, such as `550 No`.

    With the files of a certificate and its key, it encrypts, on request or from the start; with an account
    (name, password) as well, it accepts only that account.
    """

    def __init__(self, *, certificate=None, from_the_start: bool = False, account=None):
        self.port = free_port()
        self.received: list[tuple[str, Mail]] = []
        self.answers: dict[str, str] = {}
        self.data_answer = ""
        self.is_abrupt = False  # end sessions without an answer to QUIT
        self._account = account
        options = {}
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            options["ssl_context" if from_the_start else "tls_context"] = context
        if account is not None:
            options |= {"authenticator": self._authenticate, "auth_required": True}
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)

    def __enter__(self) -> "SmtpSink":
        self._controller.start()
        return self

    def __exit__(self, *_failure) -> None:
        self._controller.stop()

    @property
    def settings(self) -> dict:
        """The settings of an application that sends through it."""
        return {"mail.host": "localhost", "mail.port": str(self.port)}

    def to(self, recipient: str) -> list[Mail]:
        """The mails sent to a recipient."""
        return [mail for to, mail in self.received if to == recipient]

    async def handle_RCPT(self, _server, _session, envelope, address, _options):  # noqa: N802  (aiosmtpd calls it)
        """Accept or refuse a recipient."""
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope):  # noqa: N802
        """Accept or refuse a message."""
        if self.data_answer:
            return self.data_answer
        self.received += [(to, Mail(envelope.content)) for to in envelope.rcpt_tos]
        return "250 OK"

    async def handle_QUIT(self, server, _session, _envelope):  # noqa: N802
        """End the session."""
        if self.is_abrupt:
            server.transport.abort()
        return "221 Bye"

    def _authenticate(self, _server, _session, _envelope, _mechanism, data):
        name, password = self._account
        good = isinstance(data, LoginPassword) and data == LoginPassword(name.encode(), password.encode())
        return AuthResult(success=good, handled=False)
