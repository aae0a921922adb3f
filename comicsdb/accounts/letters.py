"""The mails about accounts, and the pages of the site that they link to.

Mails to unconfirmed addresses never quote text that somebody could have typed.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from translationstring import TranslationString

from comicsdb.accounts.browsers import browser_name
from comicsdb.http.secret_paths import SECRET_PATHS
from comicsdb.i18n import Text, _, long_date, ngettext
from comicsdb.mail import Facts, Items, Letter, Link
from comicsdb.models import SecurityEvent, SecurityEventKind, User, Webhook

# Pages of the site.
ACTIVATE = f"{SECRET_PATHS}activate/{{uid}}/{{secret}}/"
RESET = f"{SECRET_PATHS}reset/{{uid}}/{{secret}}/"
FORGOTTEN = "/accounts/password_reset/"
CONFIRM_EMAIL = f"{SECRET_PATHS}email/{{secret}}/"
NOT_ME = f"{SECRET_PATHS}not-me/{{uid}}/{{secret}}/"
LOG_IN = "/accounts/login/"
LOG_IN_LINK = f"{SECRET_PATHS}login/{{secret}}/"
SET_UP = f"{SECRET_PATHS}set-up/{{secret}}/"
TOKENS = "/accounts/tokens/"
WEBHOOK = "/accounts/webhooks/{id}/"
HELP_BASIC = "/docs/http-basic/"  # the reference of the API
HELP_PASSWORDS = "/help/basic-auth/"  # the same text as a help page
CONTACT = "/help/contact/"

HOURS = ngettext("${n} hour", "${n} hours", 24)
ONCE = _("The link works once and expires in ${time}.", mapping={"time": HOURS})
NOT_YOU = _("If this was not you, you can ignore this e-mail.")

K = SecurityEventKind
DAYS = ngettext("${n} day", "${n} days", 7)

HELP_LIMITS = "/help/rate-limits/"


def activation(user: User, secret: str) -> Letter:
    """To a new account: the link that activates it."""
    return Letter(
        subject=_("Activate your account"),
        blocks=(
            _("Welcome! Somebody, hopefully you, created a ${site} account with this address."),
            Link(_("Activate the account"), ACTIVATE.format(uid=user.id, secret=secret)),
            ONCE,
            _("With an account you can:"),
            Items(
                (
                    _("add to the catalog and correct it,"),
                    _("keep your collection, pull list, wish list and reading lists,"),
                    _("rate issues, and use the API with your programs."),
                )
            ),
            NOT_YOU,
        ),
    )


def set_up_test() -> Letter:
    """To the first administrator: the mail that shows that mails arrive."""
    return Letter(
        subject=_("Your site sends e-mails"),
        blocks=(
            _("This is the test e-mail of the set-up of ${site}: its members will get theirs, too."),
            Link(_("Administration"), "/admin/"),
        ),
    )


def known_address(user: User) -> Letter:
    """To an account whose address was used in another sign-up or profile."""
    return Letter(
        subject=_("You already have an account"),
        blocks=(
            _(
                "Somebody, perhaps you, tried to create a ${site} account with this address. It"
                " already belongs to the account ${name}, so nothing was changed.",
                mapping={"name": user.username},
            ),
            Link(_("Log in"), LOG_IN),
            Link(_("Choose a new password if you forgot yours"), FORGOTTEN),
            NOT_YOU,
        ),
    )


def reset(user: User, secret: str) -> Letter:
    """To an account for which a password reset was requested."""
    return Letter(
        subject=_("Choose a new password"),
        blocks=(
            _(
                "Somebody, hopefully you, asked to reset the password of your ${site} account ${name}.",
                mapping={"name": user.username},
            ),
            Link(_("Choose a new password"), RESET.format(uid=user.id, secret=secret)),
            ONCE,
            _("If this was not you, ignore this e-mail: your password will not change."),
        ),
    )


def log_in_link(user: User, secret: str) -> Letter:
    """To an account whose password is being guessed: a link to log in from a new network."""
    hour = ngettext("${n} hour", "${n} hours", 1)
    return Letter(
        subject=_("Log in with this link"),
        blocks=(
            _(
                "Too many wrong passwords were entered for your ${site} account ${name}, and then"
                " somebody tried to log in from a place where it had not been used before. For a"
                " while we do not accept any password from such places, not even the right one.",
                mapping={"name": user.username},
            ),
            _("If you want to log in, use this link:"),
            Link(_("Log in"), LOG_IN_LINK.format(secret=secret)),
            _("The link works once and expires in ${time}.", mapping={"time": hour}),
            _(
                "If this was not you, no action is needed: nobody has logged in, and your password"
                " keeps working in places where you have logged in before. Do not forward this"
                " e-mail: the link logs in to your account."
            ),
        ),
    )


def confirm_email(secret: str) -> Letter:
    """To the new address of an account: the link that confirms it."""
    return Letter(
        subject=_("Confirm your e-mail address"),
        blocks=(
            _("Somebody, hopefully you, wants to use this address for a ${site} account."),
            Link(_("Confirm the address"), CONFIRM_EMAIL.format(secret=secret)),
            ONCE,
            NOT_YOU,
        ),
    )


def email_changing(user: User, new: str) -> Letter:
    """To the current address of an account that requested another."""
    return Letter(
        subject=_("Your e-mail address is about to change"),
        blocks=(
            _(
                "Somebody, hopefully you, asked to change the e-mail address of your ${site} account"
                " ${name}. It will change when the link sent to the new address is opened; until then"
                " nothing changes.",
                mapping={"name": user.username},
            ),
            Facts(((_("New address"), new),)),
            _("If this was not you, choose a new password now and contact us."),
            Link(_("Choose a new password"), FORGOTTEN),
            Link(_("Contact us"), CONTACT),
        ),
    )


def basic_reminder(user: User, phase: int, last_used: date, until: date | None) -> Letter:
    """To an account that uses HTTP Basic with the API; `until` is when that ends, always set in phase 2."""
    final = phase >= 2
    name = {"name": user.username}
    facts = [(_("Password last used on"), long_date(last_used))]
    if until is not None:
        facts.append((_("Valid until"), long_date(until)))
    blocks = [
        _(
            "A program still uses the user name and password of your account ${name} to access the"
            " ${site} API (HTTP Basic authentication).",
            mapping=name,
        ),
        Facts(tuple(facts)),
        _final_reminder(until) if final else _first_reminder(until),
        _(
            "Create an API token for each program on your account page and use it instead of your"
            " password; the program may need an update first."
        ),
        Link(_("Create a token"), TOKENS),
        Link(_("What changes and when"), HELP_PASSWORDS),
    ]
    subject = (
        _("Final notice: your password will stop working with the API")
        if final
        else _("Please use a token with the API")
    )
    return Letter(subject, tuple(blocks))


def _first_reminder(until: date | None) -> Text:
    if until is None:
        return _("This still works for now but will be switched off. Please switch to a token in time.")
    return _(
        "This will keep working until ${day}. Please switch to a token before then.",
        mapping={"day": long_date(until)},
    )


def _final_reminder(until: date) -> Text:
    return _(
        "This will stop working on ${day}; until then, fewer requests are allowed. Please act now.",
        mapping={"day": long_date(until)},
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
        "Only ${n} account a day may be created from one address. Further attempts today are only logged.",
        "Only ${n} accounts a day may be created from one address. Further attempts today are only logged.",
        allowed,
    )
    letter = _staff_letter(_("Too many sign-ups from one address"), username, when, address)
    return Letter(letter.subject, (*letter.blocks, about))


def _staff_letter(what: Text, username: str, when: datetime, address: str) -> Letter:
    rows = (
        (_("User name"), username),
        (_("When"), f"{when:%Y-%m-%d %H:%M} UTC"),
        (_("From"), address),
    )
    return Letter(subject=_("${site} accounts"), blocks=(what, Facts(rows)))


class SecurityText(NamedTuple):
    """The title of an event, and the sentence of its mail after an action of the owner or of staff."""

    title: Text
    mailed: TranslationString | None = None  # with ${name}, the account's name
    by_staff: TranslationString | None = None  # likewise


SECURITY_TEXTS = {
    K.LOGGED_IN: SecurityText(_("Logged in")),
    K.NEW_DEVICE: SecurityText(
        _("New device logged in"),
        _("Your ${site} account ${name} was used with a new browser or from a new place."),
    ),
    K.WRONG_PASSWORDS: SecurityText(
        _("Too many wrong passwords"),
        _("Somebody entered many wrong passwords for your ${site} account ${name}. None of them worked."),
    ),
    K.SESSIONS_ENDED: SecurityText(
        _("Logged out everywhere"),
        _("All browsers were logged out of your ${site} account ${name}."),
        _("The administrators logged all browsers out of your ${site} account ${name}."),
    ),
    K.PASSWORD_CHANGED: SecurityText(
        _("Password changed"),
        _("The password of your ${site} account ${name} was changed."),
        _("The administrators set a new password for your ${site} account ${name}."),
    ),
    K.PASSWORD_RESET: SecurityText(
        _("Password reset"),
        _("A new password was set for your ${site} account ${name}, using a link we had sent by e-mail."),
    ),
    K.ADDRESS_CHANGED: SecurityText(
        _("E-mail address changed"),
        _("The e-mail address of your ${site} account ${name} was changed."),
        _("The administrators changed the e-mail address of your ${site} account ${name}."),
    ),
    K.TOKEN_MADE: SecurityText(
        _("API token created"),
        _(
            "An API token was created for your ${site} account ${name}."
            " Anyone who has it can act on your behalf."
        ),
    ),
    K.TOKEN_REVOKED: SecurityText(
        _("API token revoked"),
        by_staff=_("The administrators revoked an API token of your ${site} account ${name}."),
    ),
    K.TOKENS_REVOKED: SecurityText(
        _("All API tokens revoked"),
        _("All API tokens of your ${site} account ${name} were revoked."),
        _("The administrators revoked all API tokens of your ${site} account ${name}."),
    ),
    K.FEED_MADE: SecurityText(_("Feed address created")),
    K.FEEDS_REVOKED: SecurityText(_("All feed addresses revoked")),
    K.PASSKEY_ADDED: SecurityText(
        _("Passkey added"), _("A passkey was added to your ${site} account ${name}.")
    ),
    K.PASSKEY_REMOVED: SecurityText(
        _("Passkey removed"), _("A passkey was removed from your ${site} account ${name}.")
    ),
    K.TOTP_ADDED: SecurityText(
        _("Authenticator app added"),
        _("Logging in to your ${site} account ${name} now requires a code from an authenticator app."),
    ),
    K.TOTP_REMOVED: SecurityText(
        _("Authenticator app removed"),
        _("Logging in to your ${site} account ${name} no longer requires a code from an authenticator app."),
    ),
    K.RECOVERY_CODES_MADE: SecurityText(
        _("Recovery codes generated"),
        _("New recovery codes were generated for your ${site} account ${name}. The old ones no longer work."),
    ),
    K.RECOVERY_CODE_USED: SecurityText(
        _("Recovery code used"), _("A recovery code of your ${site} account ${name} was used.")
    ),
    K.SECOND_FACTOR_RESET: SecurityText(
        _("Two-step log-in switched off"),
        _("The administrators switched off two-step log-in for your ${site} account ${name}."),
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
    """To the owner of an account: what happened; with a secret also the link that reclaims the account."""
    rows = [*security_facts(event), (_("When"), f"{event.at:%Y-%m-%d %H:%M} UTC")]
    if event.details.get("staff"):
        fine = _("If you asked for this, no action is needed.")
    else:
        fine = _("If this was you, no action is needed.")
        browser = ", ".join(filter(None, browser_name(event.browser))) or _("unknown")
        rows += [(_("Browser"), browser), (_("From"), event.address or _("unknown"))]
    blocks = [mailed_text(event) % {"name": user.username}, Facts(tuple(rows)), fine]
    if secret:
        blocks += [
            _(
                "If this was not you, secure your account: on the next page you can log out all"
                " browsers, revoke all API tokens and feed addresses, and get a link to set a new"
                " password."
            ),
            Link(_("This was not me"), NOT_ME.format(uid=user.id, secret=secret)),
            _("The link works once and expires in ${time}.", mapping={"time": DAYS}),
        ]
    else:
        blocks += [_("If this was not you, contact us."), Link(_("Contact us"), CONTACT)]
    return Letter(SECURITY_TEXTS[event.kind].title, tuple(blocks))


class ThrottleFigures(NamedTuple):
    """Refused requests since the last notice: bad days, the total, and the maximum of a day."""

    days: int
    total: int
    worst: int


def _responses(number: int) -> Text:
    return ngettext("${n} response", "${n} responses", number)


def throttle_sentence(figures: ThrottleFigures) -> Text:
    """The figures as a sentence without repeated numbers."""
    if figures.days > 1:
        days = ngettext("${n} day", "${n} days", figures.days)
        return _(
            "It received ${responses} with status 429; there were many on ${days}, ${worst} of them on"
            " the worst day.",
            mapping={"responses": _responses(figures.total), "days": days, "worst": str(figures.worst)},
        )
    if figures.total > figures.worst:
        return _(
            "It recently received ${responses} with status 429, ${worst} of them on a single day.",
            mapping={"responses": _responses(figures.total), "worst": str(figures.worst)},
        )
    return _(
        "It received ${responses} with status 429 on a single day.",
        mapping={"responses": _responses(figures.worst)},
    )


def throttle_warning(username: str, figures: ThrottleFigures) -> Letter:
    """To an account whose API client ignores 429."""
    if figures.days > 1:
        introduction = _(
            "Over the past several days, a program using your account ${name} has exceeded the limits of"
            " our API and kept sending requests after being refused.",
            mapping={"name": username},
        )
    else:
        introduction = _(
            "A program using your account ${name} exceeded the limits of our API and kept sending requests"
            " after being refused.",
            mapping={"name": username},
        )
    return Letter(
        subject=_("Your API client is being rate-limited"),
        blocks=(
            introduction,
            throttle_sentence(figures),
            _(
                "The X-RateLimit headers of every response say how many requests are left, and"
                " Retry-After in a refusal says how many seconds to wait. Please make sure that the"
                " program respects them."
            ),
            Link(_("How to slow down"), HELP_LIMITS),
            _("If this continues, we may have to revoke your account's access to the API."),
            _("Is this a mistake, or do you need help? Reply to this e-mail and we will look into it."),
            Link(_("Contact us"), CONTACT),
        ),
    )


def throttle_restriction(username: str, figures: ThrottleFigures, *, tokens: bool) -> Letter:
    """To an account that was warned before: its tokens were revoked, or it was disabled."""
    if tokens:
        done = _(
            "We have therefore revoked all API tokens of your account. The account itself is unchanged: you"
            " can log in and create a new token."
        )
    else:
        done = _("We have therefore disabled your account until an administrator restores it.")
    return Letter(
        subject=_("Your API access has been restricted"),
        blocks=(
            _(
                "We wrote to you before about a program that uses your account ${name} and keeps"
                " sending requests to our API after being refused. It still does.",
                mapping={"name": username},
            ),
            throttle_sentence(figures),
            done,
            _("Please fix the program first, so that it waits for as long as it is told to."),
            Link(_("How to slow down"), HELP_LIMITS),
            *((Link(_("Create a new token"), TOKENS),) if tokens else ()),
            _("Is this a mistake, or do you need help? Reply to this e-mail and we will look into it."),
            Link(_("Contact us"), CONTACT),
        ),
    )


def throttle_report(names: Sequence[str], lines: Sequence[str], *, sent: bool) -> Letter:
    """The report on accounts whose clients ignore 429; `sent` is whether they were notified."""
    number, listed = len(names), ", ".join(names)
    if sent:
        subject = _("Repeatedly throttled accounts: ${n} e-mailed", mapping={"n": str(number)})
        text = ngettext(
            "E-mailed ${n} account whose client ignores 429 responses: ${names}.",
            "E-mailed ${n} accounts whose clients ignore 429 responses: ${names}.",
            number,
            names=listed,
        )
    else:
        subject = _("Repeatedly throttled accounts: ${n} found", mapping={"n": str(number)})
        text = ngettext(
            "Found ${n} account whose client ignores 429 responses: ${names}.",
            "Found ${n} accounts whose clients ignore 429 responses: ${names}.",
            number,
            names=listed,
        )
    return Letter(subject=subject, blocks=(text, Items(tuple(lines))))


def webhook_disabled(user: User, webhook: Webhook, *, is_gone: bool) -> Letter:
    """To the owner of a webhook that was disabled; `is_gone` means that its URL responded with 410."""
    if is_gone:
        reason = _("The address answered 410 (Gone), which tells us to stop sending.")
    else:
        reason = _("For three days, every attempt to deliver a message has failed.")
    return Letter(
        subject=_("Your webhook was disabled"),
        blocks=(
            _(
                "We have stopped sending to this webhook of your ${site} account ${name}: ${url}",
                mapping={"name": user.username, "url": webhook.url},
            ),
            reason,
            _("Resume it once it works again; nothing is lost until then."),
            Link(_("See its last deliveries"), WEBHOOK.format(id=webhook.id)),
        ),
    )
