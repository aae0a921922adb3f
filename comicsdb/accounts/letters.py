"""The mails about accounts, and the pages of the site that they link to.

Mails to unconfirmed addresses quote nothing that a sender could have typed.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from translationstring import TranslationString

from comicsdb.accounts.browsers import browser_name
from comicsdb.i18n import Text, _, ngettext, written_day
from comicsdb.mail import Facts, Items, Letter, Link, Paragraph
from comicsdb.models import SecurityEvent, SecurityEventKind, User

# Pages of the site.
ACTIVATE = "/accounts/activate/{uid}/{secret}/"
RESET = "/accounts/reset/{uid}/{secret}/"
FORGOTTEN = "/accounts/password_reset/"
CONFIRM_EMAIL = "/accounts/email/confirm/{secret}/"
NOT_ME = "/accounts/not-me/{uid}/{secret}/"
LOG_IN = "/accounts/login/"
LOG_IN_LINK = "/accounts/login/link/{secret}/"
TOKENS = "/accounts/tokens/"
HELP_BASIC = "/docs/#http-basic"  # the reference of the API
HELP_PASSWORDS = "/help/basic-auth/"  # the same, as a help page
CONTACT = "/help/contact/"

HOURS = ngettext("${n} hour", "${n} hours", 24)
ONCE = _("The link works once, for ${time}.", mapping={"time": HOURS})
NOT_YOU = _("If this was not you, there is nothing to do: ignore this mail, and nothing happens.")

K = SecurityEventKind
DAYS = ngettext("${n} day", "${n} days", 7)

HELP_LIMITS = "/help/rate-limits/"


def activation(user: User, secret: str) -> Letter:
    """To a new account: the link that activates it."""
    return Letter(
        subject=_("Activate your account"),
        blocks=(
            Paragraph(_("Welcome! Somebody, we hope you, made an account at comicsdb with this address.")),
            Link(_("Activate the account"), ACTIVATE.format(uid=user.id, secret=secret)),
            Paragraph(ONCE),
            Paragraph(_("With an account you can:")),
            Items(
                (
                    _("add to the catalogue and correct it,"),
                    _("keep your collection, your pull list, your wish list and reading lists,"),
                    _("rate issues, and use the API with your programs."),
                )
            ),
            Paragraph(NOT_YOU),
        ),
    )


def known_address(user: User) -> Letter:
    """To an account whose address was used in another sign-up or profile."""
    return Letter(
        subject=_("You already have an account"),
        blocks=(
            Paragraph(
                _(
                    "Somebody, perhaps you, gave this address for an account at comicsdb. It belongs to the"
                    " account ${name} already, so nothing was made or changed.",
                    mapping={"name": user.username},
                )
            ),
            Link(_("Log in"), LOG_IN),
            Link(_("Choose a new password, if you forgot yours"), FORGOTTEN),
            Paragraph(NOT_YOU),
        ),
    )


def reset(user: User, secret: str) -> Letter:
    """To an account for which a password reset was requested."""
    return Letter(
        subject=_("Choose a new password"),
        blocks=(
            Paragraph(
                _(
                    "Somebody, we hope you, asked for a new password for your account ${name} at comicsdb.",
                    mapping={"name": user.username},
                )
            ),
            Link(_("Choose a new password"), RESET.format(uid=user.id, secret=secret)),
            Paragraph(ONCE),
            Paragraph(_("If this was not you, ignore this mail: your password stays as it is.")),
        ),
    )


def log_in_link(user: User, secret: str) -> Letter:
    """To an account whose password is being guessed: a link to log in from a new network."""
    hour = ngettext("${n} hour", "${n} hours", 1)
    return Letter(
        subject=_("Log in with this link"),
        blocks=(
            Paragraph(
                _(
                    "Many wrong passwords were tried for your account ${name} at comicsdb, and then somebody"
                    " tried to log in from a place where it was not used before. For a while we accept no"
                    " password from such places, not even the right one.",
                    mapping={"name": user.username},
                )
            ),
            Paragraph(_("If it is you who wants to log in, do it with this link:")),
            Link(_("Log in"), LOG_IN_LINK.format(secret=secret)),
            Paragraph(_("The link works once, for ${time}.", mapping={"time": hour})),
            Paragraph(
                _(
                    "If it is not you, there is nothing to do: nobody has come in, and where you logged in"
                    " before your password works as always. Forward this mail to nobody: the link opens your"
                    " account."
                )
            ),
        ),
    )


def confirm_email(secret: str) -> Letter:
    """To the new address of an account: the link that confirms it."""
    return Letter(
        subject=_("Confirm your e-mail address"),
        blocks=(
            Paragraph(_("Somebody, we hope you, wants to use this address for an account at comicsdb.")),
            Link(_("Confirm the address"), CONFIRM_EMAIL.format(secret=secret)),
            Paragraph(ONCE),
            Paragraph(NOT_YOU),
        ),
    )


def email_changing(user: User, new: str) -> Letter:
    """To the current address of an account that requested another."""
    return Letter(
        subject=_("Your e-mail address is about to change"),
        blocks=(
            Paragraph(
                _(
                    "The account ${name} at comicsdb asked to use another address. It changes when the link"
                    " that we sent to the new one is opened; until then everything stays as it is.",
                    mapping={"name": user.username},
                )
            ),
            Facts(((_("New address"), new),)),
            Paragraph(_("If this was not you, choose a new password now, and write to us.")),
            Link(_("Choose a new password"), FORGOTTEN),
            Link(_("Write to us"), CONTACT),
        ),
    )


def basic_reminder(user: User, phase: int, last_used: date, until: date | None) -> Letter:
    """To an account that uses HTTP Basic with the API; `until` is when that ends, always set in phase 2."""
    final = phase >= 2
    name = {"name": user.username}
    facts = [(_("Password last sent on"), written_day(last_used))]
    if until is not None:
        facts.append((_("Works until"), written_day(until)))
    blocks = [
        Paragraph(
            _(
                "A program still signs in to the comicsdb API with the user name and the password of your"
                " account ${name} (HTTP Basic).",
                mapping=name,
            )
        ),
        Facts(tuple(facts)),
        Paragraph(_final_reminder(until) if final else _first_reminder(until)),
        Paragraph(
            _(
                "Make an API token on your account's page, one for each program, and give it to the program"
                " instead of your password; it may need an update first."
            )
        ),
        Link(_("Make a token"), TOKENS),
        Link(_("What changes, and when"), HELP_PASSWORDS),
    ]
    subject = (
        _("Final notice: your API password stops working") if final else _("Use a token with the API, please")
    )
    return Letter(subject, tuple(blocks))


def _first_reminder(until: date | None) -> Text:
    if until is None:
        return _("This goes on working for now, but it will end. Please switch to a token in time.")
    return _(
        "This goes on working until ${day}, then it ends. Please switch to a token in time.",
        mapping={"day": written_day(until)},
    )


def _final_reminder(until: date) -> Text:
    return _(
        "This ends on ${day}, and fewer requests are allowed until then. From that day on the program gets no"
        " answers any more. Act now.",
        mapping={"day": written_day(until)},
    )


def signup_notice(username: str, when: datetime, address: str) -> Letter:
    """To administrators: somebody signed up."""
    return _staff_letter(_("Sign-up: ${name}", mapping={"name": username}), username, when, address)


def activation_notice(username: str, when: datetime, address: str) -> Letter:
    """To administrators: somebody activated their account."""
    return _staff_letter(_("Activation: ${name}", mapping={"name": username}), username, when, address)


def blocked_notice(username: str, when: datetime, address: str, allowed: int) -> Letter:
    """To administrators: the first sign-up today that was above the limit of its address."""
    about = ngettext(
        "An address may make ${n} account a day. Later attempts of this day are only logged.",
        "An address may make ${n} accounts a day. Later attempts of this day are only logged.",
        allowed,
    )
    letter = _staff_letter(_("Too many sign-ups from one address"), username, when, address)
    return Letter(letter.subject, (*letter.blocks, Paragraph(about)))


def _staff_letter(what: Text, username: str, when: datetime, address: str) -> Letter:
    rows = (
        (_("User name"), username),
        (_("When"), f"{when:%Y-%m-%d %H:%M} UTC"),
        (_("From"), address),
    )
    return Letter(subject=_("comicsdb accounts"), blocks=(Paragraph(what), Facts(rows)))


class SecurityText(NamedTuple):
    """Title of an event, and the sentence of its mail: after an act of the owner, or of the staff."""

    title: Text
    mailed: TranslationString | None = None  # with ${name} of the account
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
    """The details of an event as pairs of label and value."""
    facts = [(label, str(event.details[key])) for key, label in _DETAILS.items() if event.details.get(key)]
    if event.details.get("staff"):
        facts.append((_("By"), _("the administrators")))
    return tuple(facts)


def security_letter(user: User, event: SecurityEvent, secret: str) -> Letter:
    """To the owner of an account: what happened; with a secret also the link that takes the account back."""
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


class Figures(NamedTuple):
    """Refused requests since the last notice: bad days, the total, and the number on the worst day."""

    days: int
    total: int
    worst: int


def _responses(number: int) -> Text:
    return ngettext("${n} response", "${n} responses", number)


def throttle_sentence(figures: Figures) -> Text:
    """The figures as a sentence without repeated numbers."""
    if figures.days > 1:
        days = ngettext("${n} day", "${n} days", figures.days)
        return _(
            "It got ${responses} with the status 429 across ${days}, including ${worst} on the worst day.",
            mapping={"responses": _responses(figures.total), "days": days, "worst": str(figures.worst)},
        )
    if figures.total > figures.worst:
        return _(
            "It got ${responses} with the status 429 over the recent period, ${worst} of them on one single"
            " day.",
            mapping={"responses": _responses(figures.total), "worst": str(figures.worst)},
        )
    return _(
        "It got ${responses} with the status 429 on one single day.",
        mapping={"responses": _responses(figures.worst)},
    )


def throttle_warning(username: str, figures: Figures) -> Letter:
    """To an account whose API client ignores 429."""
    if figures.days > 1:
        introduction = _(
            "A program that uses your account ${name} has been asking our API for more than its limits allow,"
            " and went on asking after it was refused, over the past several days.",
            mapping={"name": username},
        )
    else:
        introduction = _(
            "A program that uses your account ${name} asked our API for more than its limits allow, and went"
            " on asking after it was refused.",
            mapping={"name": username},
        )
    return Letter(
        subject=_("Your API client is being rate-limited"),
        blocks=(
            Paragraph(introduction),
            Paragraph(throttle_sentence(figures)),
            Paragraph(
                _(
                    "Every answer of the API says in its X-RateLimit headers how many requests are left, and"
                    " a refusal says in Retry-After how many seconds to wait. Please let the program heed"
                    " them."
                )
            ),
            Link(_("How to slow down"), HELP_LIMITS),
            Paragraph(_("If this goes on, we may have to revoke the access of your account to the API.")),
            Paragraph(
                _("Is this a mistake, or do you need help? Reply to this mail, and we will look at it.")
            ),
            Link(_("Write to us"), CONTACT),
        ),
    )


def throttle_restriction(username: str, figures: Figures, *, tokens: bool) -> Letter:
    """To an account that was warned before: its tokens were revoked, or it was disabled."""
    if tokens:
        done = _(
            "We have therefore revoked all API tokens of your account. The account itself stays as it is:"
            " you can log in, and make a new token."
        )
    else:
        done = _("We have therefore disabled your account, until an administrator restores it.")
    return Letter(
        subject=_("Your API access has been restricted"),
        blocks=(
            Paragraph(
                _(
                    "We wrote to you before about a program that uses your account ${name} and goes on asking"
                    " our API after it was refused. It still does.",
                    mapping={"name": username},
                )
            ),
            Paragraph(throttle_sentence(figures)),
            Paragraph(done),
            Paragraph(_("Please repair the program first, so that it waits for as long as it is told to.")),
            Link(_("How to slow down"), HELP_LIMITS),
            *((Link(_("Make a new token"), TOKENS),) if tokens else ()),
            Paragraph(
                _("Is this a mistake, or do you need help? Reply to this mail, and we will look at it.")
            ),
            Link(_("Write to us"), CONTACT),
        ),
    )


def throttle_report(names: Sequence[str], lines: Sequence[str], *, sent: bool) -> Letter:
    """The report of accounts whose clients ignore 429; `sent` is whether they were notified."""
    number, listed = len(names), ", ".join(names)
    if sent:
        subject = _("Repeat throttled accounts: ${n} e-mailed", mapping={"n": str(number)})
        text = ngettext(
            "E-mailed ${n} account whose client goes on after 429: ${names}.",
            "E-mailed ${n} accounts whose clients go on after 429: ${names}.",
            number,
            names=listed,
        )
    else:
        subject = _("Repeat throttled accounts: ${n} found", mapping={"n": str(number)})
        text = ngettext(
            "Found ${n} account whose client goes on after 429: ${names}.",
            "Found ${n} accounts whose clients go on after 429: ${names}.",
            number,
            names=listed,
        )
    return Letter(subject=subject, blocks=(Paragraph(text), Items(tuple(lines))))
