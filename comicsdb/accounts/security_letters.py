"""What the mails about security events say, and what the events are called on the page that lists them."""

from typing import NamedTuple

from translationstring import TranslationString

from comicsdb.accounts.browsers import browser_name
from comicsdb.accounts.letters import CONTACT, NOT_ME
from comicsdb.i18n import Text, _, ngettext
from comicsdb.mail import Facts, Letter, Link, Paragraph
from comicsdb.models import SecurityEvent, SecurityEventKind, User

K = SecurityEventKind
DAYS = ngettext("${n} day", "${n} days", 7)


class SecurityText(NamedTuple):
    """A title, and the sentence of the mail, if there is one; another where the administrators did it."""

    title: Text
    mailed: TranslationString | None = None  # with ${name} for the account's
    by_staff: TranslationString | None = None  # likewise


SECURITY_TEXTS = {
    K.LOGGED_IN: SecurityText(_("Logged in")),
    K.NEW_DEVICE: SecurityText(
        _("New device logged in"),
        _("Your account ${name} at comicsdb was used with a browser or from a place that is new to us."),
    ),
    K.WRONG_PASSWORDS: SecurityText(
        _("Many wrong passwords"),
        _("Somebody tried many wrong passwords for your account ${name} at comicsdb. None of them worked."),
    ),
    K.SESSIONS_ENDED: SecurityText(
        _("Logged out everywhere"),
        _("All browsers were logged out of your account ${name} at comicsdb."),
        _("The administrators logged all browsers out of your account ${name} at comicsdb."),
    ),
    K.PASSWORD_CHANGED: SecurityText(
        _("Password changed"),
        _("The password of your account ${name} at comicsdb was changed."),
        _("The administrators gave your account ${name} at comicsdb a new password."),
    ),
    K.PASSWORD_RESET: SecurityText(
        _("Password reset"),
        _("A new password was chosen for your account ${name} at comicsdb, with a link that we had mailed."),
    ),
    K.ADDRESS_CHANGED: SecurityText(
        _("E-mail address changed"),
        _("Your account ${name} at comicsdb has another e-mail address now."),
        _("The administrators gave your account ${name} at comicsdb another e-mail address."),
    ),
    K.TOKEN_MADE: SecurityText(
        _("API token made"),
        _("An API token was made for your account ${name} at comicsdb. Who has it acts in your name."),
    ),
    K.TOKEN_REVOKED: SecurityText(
        _("API token revoked"),
        by_staff=_("The administrators revoked an API token of your account ${name} at comicsdb."),
    ),
    K.TOKENS_REVOKED: SecurityText(
        _("All API tokens revoked"),
        _("All API tokens of your account ${name} at comicsdb were revoked."),
        _("The administrators revoked all API tokens of your account ${name} at comicsdb."),
    ),
    K.FEED_MADE: SecurityText(_("Feed address made")),
    K.FEEDS_REVOKED: SecurityText(_("All feed addresses revoked")),
    K.PASSKEY_ADDED: SecurityText(
        _("Passkey added"), _("A passkey can be used from now on for your account ${name} at comicsdb.")
    ),
    K.PASSKEY_REMOVED: SecurityText(
        _("Passkey removed"), _("A passkey of your account ${name} at comicsdb was removed.")
    ),
    K.TOTP_ADDED: SecurityText(
        _("Authenticator app added"),
        _("Logging in to your account ${name} at comicsdb takes a code of an authenticator app from now on."),
    ),
    K.TOTP_REMOVED: SecurityText(
        _("Authenticator app removed"),
        _("Logging in to your account ${name} at comicsdb takes no code of an authenticator app any more."),
    ),
    K.RECOVERY_CODES_MADE: SecurityText(
        _("Recovery codes made"),
        _("New recovery codes were made for your account ${name} at comicsdb. Older ones do not work now."),
    ),
    K.RECOVERY_CODE_USED: SecurityText(
        _("Recovery code used"), _("A recovery code of your account ${name} at comicsdb was used.")
    ),
    K.SECOND_FACTOR_RESET: SecurityText(
        _("Two-step log-in switched off"),
        _("The administrators switched two-step log-in off for your account ${name} at comicsdb."),
    ),
    K.NOT_ME: SecurityText(_("Account secured by “This was not me”")),
}
_DETAILS = {"name": _("Name"), "number": _("Number"), "old": _("Old address"), "new": _("New address")}


def mailed_text(event: SecurityEvent) -> TranslationString | None:
    """The sentence of the mail about an event, if there is one."""
    text = SECURITY_TEXTS[event.kind]
    return (text.by_staff if event.details.get("staff") else None) or text.mailed


def security_facts(event: SecurityEvent) -> tuple[tuple[Text, Text], ...]:
    """The details of an event as rows of label and value."""
    facts = [(label, str(event.details[key])) for key, label in _DETAILS.items() if event.details.get(key)]
    if event.details.get("staff"):
        facts.append((_("By"), _("the administrators")))
    return tuple(facts)


def security_letter(user: User, event: SecurityEvent, secret: str) -> Letter:
    """To the owner of an account: what happened to it; with a secret also how to take the account back."""
    rows = [*security_facts(event), (_("When"), f"{event.at:%Y-%m-%d %H:%M} UTC")]
    if event.details.get("staff"):
        fine = _("If you asked for this, there is nothing to do.")
    else:
        fine = _("If this was you, there is nothing to do.")
        browser = ", ".join(filter(None, browser_name(event.browser))) or _("unknown")
        rows += [(_("Browser"), browser), (_("From"), event.address or _("unknown"))]
    blocks = [Paragraph(mailed_text(event) % {"name": user.username}), Facts(tuple(rows)), Paragraph(fine)]
    if secret:
        blocks += [
            Paragraph(
                _(
                    "If it was not you, secure your account: on the next page you can log out everybody,"
                    " revoke all API tokens and feed addresses, and get a link for a new password."
                )
            ),
            Link(_("This was not me"), NOT_ME.format(uid=user.id, secret=secret)),
            Paragraph(_("The link works once, for ${time}.", mapping={"time": DAYS})),
        ]
    else:
        blocks += [Paragraph(_("If it was not you, write to us.")), Link(_("Write to us"), CONTACT)]
    return Letter(SECURITY_TEXTS[event.kind].title, tuple(blocks))
