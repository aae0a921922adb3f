"""What the mails about accounts say, and the pages of the site that they lead to.

A mail to an address that nobody has proved to read yet quotes nothing that its sender could have typed.
"""

from datetime import date, datetime

from comicsdb.i18n import Text, _, ngettext, written_day
from comicsdb.mail import Facts, Items, Letter, Link, Paragraph
from comicsdb.models import User

# Pages of the site.
ACTIVATE = "/accounts/activate/{uid}/{secret}/"
RESET = "/accounts/reset/{uid}/{secret}/"
FORGOTTEN = "/accounts/password_reset/"
CONFIRM_EMAIL = "/accounts/email/confirm/{secret}/"
NOT_ME = "/accounts/not-me/{uid}/{secret}/"
LOG_IN = "/accounts/login/"
LOG_IN_LINK = "/accounts/login/link/{secret}/"
TOKENS = "/accounts/tokens/"
HELP_BASIC = "/docs/#http-basic"  # the API's reference page
HELP_PASSWORDS = "/help/basic-auth/"  # the same for people, in their language
CONTACT = "/help/contact/"

HOURS = ngettext("${n} hour", "${n} hours", 24)
ONCE = _("The link works once, for ${time}.", mapping={"time": HOURS})
NOT_YOU = _("If this was not you, there is nothing to do: ignore this mail, and nothing happens.")


def activation(user: User, secret: str) -> Letter:
    """To a new account: how to activate it."""
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
    """To an account whose address somebody used to sign up again, or gave as theirs."""
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
    """To an account whose password was forgotten."""
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
    """To an account whose password is being guessed: how to log in from a new place."""
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
    """To the new address of an account: how to confirm it."""
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
    """To the present address of an account that asked for another."""
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
    """To an account that still uses HTTP Basic with the API; `until` is its end, always set in phase 2."""
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
        Paragraph(_final_words(until) if final else _first_words(until)),
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


def _first_words(until: date | None) -> Text:
    if until is None:
        return _("This goes on working for now, but it will end. Please switch to a token in time.")
    return _(
        "This goes on working until ${day}, then it ends. Please switch to a token in time.",
        mapping={"day": written_day(until)},
    )


def _final_words(until: date) -> Text:
    return _(
        "This ends on ${day}, and fewer requests are allowed until then. From that day on the program gets no"
        " answers any more. Act now.",
        mapping={"day": written_day(until)},
    )


def tell_signup(username: str, when: datetime, address: str) -> Letter:
    """To administrators: somebody signed up."""
    return _told(_("Sign-up: ${name}", mapping={"name": username}), username, when, address)


def tell_activation(username: str, when: datetime, address: str) -> Letter:
    """To administrators: somebody activated their account."""
    return _told(_("Activation: ${name}", mapping={"name": username}), username, when, address)


def tell_blocked(username: str, when: datetime, address: str, allowed: int) -> Letter:
    """To administrators: the first sign-up from an address that was one too many today."""
    about = ngettext(
        "An address may make ${n} account a day. Later attempts of this day are only logged.",
        "An address may make ${n} accounts a day. Later attempts of this day are only logged.",
        allowed,
    )
    letter = _told(_("Too many sign-ups from one address"), username, when, address)
    return Letter(letter.subject, (*letter.blocks, Paragraph(about)))


def _told(what: Text, username: str, when: datetime, address: str) -> Letter:
    rows = (
        (_("User name"), username),
        (_("When"), f"{when:%Y-%m-%d %H:%M} UTC"),
        (_("From"), address),
    )
    return Letter(subject=_("comicsdb accounts"), blocks=(Paragraph(what), Facts(rows)))
