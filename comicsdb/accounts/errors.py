"""What can be wrong with a wish of somebody about an account, in terms that know no HTTP.

Texts are for people and may be translated. None tells whether a mail address has an account.
"""

from comicsdb.i18n import Text, _


class AccountError(Exception):
    """Base of the errors here; its text is fit to be shown."""

    def __init__(self, text: Text):
        super().__init__(text)
        self.text = text


class SignUpsClosed(AccountError):  # noqa: N818  (facts, named as their readers think of them)
    """No accounts are made at the moment; the text is the administrators', or ours."""


class TooManySignUps(AccountError):  # noqa: N818
    """As many accounts as are allowed were made today (UTC) from this address."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many accounts were made from your address today. Try again tomorrow."))
        self.retry_after = retry_after


class BadLink(AccountError):  # noqa: N818
    """A link that was never sent, has expired, was replaced, or was cut short."""

    def __init__(self):
        super().__init__(_("This link does not work: it is incomplete, or older than 24 hours."))


class LinkSpent(AccountError):  # noqa: N818
    """A link that has done its work already, within its time."""

    def __init__(self):
        super().__init__(_("This link was used already."))


class LogInFailed(AccountError):  # noqa: N818
    """The name, the password, or both are wrong, or the account is not active: which, is not said."""

    def __init__(self):
        super().__init__(_("User name and password do not belong together."))


class TooManyFailures(AccountError):  # noqa: N818
    """Too many passwords were wrong lately; `retry_after` seconds must pass."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many attempts failed. Wait a while, then try again."))
        self.retry_after = retry_after


class TooManyMails(AccountError):  # noqa: N818
    """Too many mails were asked for from one address lately; `retry_after` seconds must pass."""

    def __init__(self, retry_after: int):
        super().__init__(_("Too many mails were asked for. Wait a while, then try again."))
        self.retry_after = retry_after


class FormSpent(AccountError):  # noqa: N818
    """A form that was sent a second time; nothing was made."""

    def __init__(self):
        super().__init__(_("This form was sent already."))
