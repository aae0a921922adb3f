"""What can be wrong with a wish of somebody about an account, in terms that know no HTTP.

Texts are for people and may be translated. None tells whether a mail address has an account.
"""

from comicsdb.i18n import Text, _


class AccountError(Exception):
    """Base of the errors here; its text is fit to be shown."""

    def __init__(self, text: Text):
        super().__init__(text)
        self.text = text


class SignUpsClosedError(AccountError):
    """No accounts are made at the moment; the text is the administrators', or ours."""


class TooManySignUpsError(AccountError):
    """As many accounts as are allowed were made today (UTC) from this address."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many accounts were made from your address today. Try again tomorrow."))
        self.retry_after = retry_after


class BadLinkError(AccountError):
    """A link that was never sent, has expired, was replaced, or was cut short."""

    def __init__(self):
        super().__init__(_("This link does not work: it is incomplete, or older than 24 hours."))


class LinkSpentError(AccountError):
    """A link that has done its work already, within its time."""

    def __init__(self):
        super().__init__(_("This link was used already."))


class LogInFailedError(AccountError):
    """The name, the password, or both are wrong, or the account is not active: which, is not said."""

    def __init__(self):
        super().__init__(_("The password does not belong to this user name or address."))


class NotActivatedError(AccountError):
    """The name and password are right, of an account that was never activated."""

    def __init__(self):
        super().__init__(
            _("Your account waits to be activated: open the link that we sent, or ask for another.")
        )


class TooFastError(AccountError):
    """A sign-up was sent faster than people type; nothing else is wrong with it.

    `sealed` is the form, encrypted: sent again, it is as old as the first one.
    """

    def __init__(self, sealed: str):
        super().__init__(_("One more click, and your account is made."))
        self.sealed = sealed


class CodeRefusedError(AccountError):
    """A code of an app or a recovery code that is wrong, or was used before."""

    def __init__(self):
        super().__init__(_("This code is not right, or was used already."))


class PasskeyRefusedError(AccountError):
    """The answer of a passkey that proves nothing: not ours, too late, used before, or altered."""

    def __init__(self):
        super().__init__(_("This passkey could not be used. Try again."))


class TooManyFailuresError(AccountError):
    """Too many passwords were wrong lately; `retry_after` seconds must pass."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many attempts failed. Wait a while, then try again."))
        self.retry_after = retry_after


class NewPlaceError(TooManyFailuresError):
    """The password of a name is being guessed, and here it was never used: a link was mailed, if to any."""

    def __init__(self, retry_after: int):
        super().__init__(retry_after)
        self.text = _(
            "Many wrong passwords were tried for this name, so none is accepted now from places where it was"
            " not used before. If it is the name of an account, we have mailed its owner a link to log in"
            " with."
        )


class TooManyMailsError(AccountError):
    """Too many mails were asked for from one address lately; `retry_after` seconds must pass."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many mails were asked for. Wait a while, then try again."))
        self.retry_after = retry_after


class FormSpentError(AccountError):
    """A form that was sent a second time; nothing was made."""

    def __init__(self):
        super().__init__(_("This form was sent already."))
