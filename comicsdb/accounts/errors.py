"""Errors of account functions, independent of HTTP.

Their texts are translatable and shown to people. None reveals whether a mail address has an account.
"""

from comicsdb.i18n import Text, _


class AccountError(Exception):
    """Base class; `text` may be shown to people."""

    def __init__(self, text: Text):
        super().__init__(text)
        self.text = text


class SignUpsClosedError(AccountError):
    """Sign-ups are switched off; the text is the administrators' or the default."""


class TooManySignUpsError(AccountError):
    """The daily limit (UTC) of sign-ups from this address is reached."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many accounts were made from your address today. Try again tomorrow."))
        self.retry_after = retry_after


class BadLinkError(AccountError):
    """A link that was never sent, has expired, was replaced, or is incomplete."""

    def __init__(self):
        super().__init__(_("This link does not work: it is incomplete, or older than 24 hours."))


class LinkSpentError(AccountError):
    """A link that was used already and has not expired."""

    def __init__(self):
        super().__init__(_("This link was used already."))


class LogInFailedError(AccountError):
    """The name or password is wrong, or the account is inactive; which one is not revealed."""

    def __init__(self):
        super().__init__(_("The password does not belong to this user name or address."))


class NotActivatedError(AccountError):
    """Name and password are right, but the account was never activated."""

    def __init__(self):
        super().__init__(
            _("Your account waits to be activated: open the link that we sent, or ask for another.")
        )


class TooFastError(AccountError):
    """A valid sign-up that was sent faster than people type.

    `sealed` is the encrypted form: when sent again it has the age of the first submission.
    """

    def __init__(self, sealed: str):
        super().__init__(_("One more click, and your account is made."))
        self.sealed = sealed


class CodeRefusedError(AccountError):
    """An authenticator code or recovery code that is wrong or was used before."""

    def __init__(self):
        super().__init__(_("This code is not right, or was used already."))


class PasskeyRefusedError(AccountError):
    """An invalid passkey response: unknown, expired, used before, or altered."""

    def __init__(self):
        super().__init__(_("This passkey could not be used. Try again."))


class TooManyFailuresError(AccountError):
    """Too many wrong passwords; retry after `retry_after` seconds."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many attempts failed. Wait a while, then try again."))
        self.retry_after = retry_after


class NewPlaceError(TooManyFailuresError):
    """The password is being guessed and this network is new: a link was mailed to the owner, if any."""

    def __init__(self, retry_after: int):
        super().__init__(retry_after)
        self.text = _(
            "Many wrong passwords were tried for this name, so none is accepted now from places where it was"
            " not used before. If it is the name of an account, we have mailed its owner a link to log in"
            " with."
        )


class TooManyMailsError(AccountError):
    """Too many mails were requested from one address; retry after `retry_after` seconds."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many mails were asked for. Wait a while, then try again."))
        self.retry_after = retry_after


class FormSpentError(AccountError):
    """A form that was submitted a second time; nothing was created."""

    def __init__(self):
        super().__init__(_("This form was sent already."))
