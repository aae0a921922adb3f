"""Errors of account functions, independent of HTTP.

The texts are translatable and shown to people. None reveals whether a mail address has an account.
"""

from comicsdb.i18n import Text, _
from comicsdb.security import CredentialsError


class AccountError(Exception):
    """Base class; `text` may be shown to people."""

    text: Text = ""

    def __init__(self):
        super().__init__(self.text)


class TryLaterError(AccountError):
    """A limit is reached; the client may retry after `retry_after` seconds."""

    def __init__(self, retry_after: int):
        super().__init__()
        self.retry_after = retry_after


class SignUpsClosedError(AccountError):
    """Sign-ups are closed; the text is the administrators' own or the default."""

    def __init__(self, text: Text):
        self.text = text
        super().__init__()


class TooManySignUpsError(TryLaterError):
    """The daily limit (UTC) of sign-ups from this address is reached."""

    text = _("Too many accounts were created from your address today. Try again tomorrow.")


class BadLinkError(AccountError):
    """A link that was never sent, has expired, was replaced, or is incomplete."""

    text = _("This link does not work: it is incomplete or more than 24 hours old.")


class LinkUsedError(AccountError):
    """A link that was used already and has not expired."""

    text = _("This link has already been used.")


class LogInFailedError(AccountError):
    """The name or password is wrong, or the account is inactive; which one is not revealed."""

    text = _("Incorrect user name, e-mail address or password.")


class NotActivatedError(AccountError):
    """Name and password are right, but the account was never activated."""

    text = _("Your account is waiting for activation: open the link we sent, or request another.")


class TooFastError(AccountError):
    """A valid sign-up that was sent faster than people type.

    `sealed` is the encrypted form: submitting it again keeps the time of the first submission.
    """

    text = _("One more click and your account is ready.")

    def __init__(self, sealed: str):
        super().__init__()
        self.sealed = sealed


class CodeRefusedError(AccountError):
    """An authenticator code or recovery code that is wrong or was used before."""

    text = _("This code is incorrect or has already been used.")


class PasskeyRefusedError(AccountError):
    """An invalid passkey response: unknown, expired, used before, or altered."""

    text = _("This passkey could not be used. Try again.")


class TooManyFailuresError(TryLaterError, CredentialsError):
    """Too many wrong passwords."""

    text = _("Too many failed attempts. Please wait a while and try again.")


class NewNetworkError(TooManyFailuresError):
    """The password is being guessed and this network is new: a link was mailed to the owner, if any."""

    text = _(
        "Too many wrong passwords were entered for this name, so passwords are not accepted at the"
        " moment from places where it has not been used before. If the account exists, we have"
        " e-mailed its owner a link to log in."
    )


class TooManyMailsError(TryLaterError):
    """Too many mails were requested from one address."""

    text = _("Too many e-mails were requested. Please wait a while and try again.")


class FormAlreadySubmittedError(AccountError):
    """A form that was submitted a second time; nothing was created."""

    text = _("This form was already submitted.")
