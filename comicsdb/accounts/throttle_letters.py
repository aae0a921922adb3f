"""What is written to those whose programs go on after 429, and to the administrators."""

from collections.abc import Sequence
from typing import NamedTuple

from comicsdb.accounts.letters import CONTACT, TOKENS
from comicsdb.i18n import Text, _, ngettext
from comicsdb.mail import Items, Letter, Link, Paragraph

HELP_LIMITS = "/help/rate-limits/"


class Figures(NamedTuple):
    """How often somebody was refused since the last notice: bad days, refusals of all days, of the worst."""

    days: int
    total: int
    worst: int


def _responses(number: int) -> Text:
    return ngettext("${n} response", "${n} responses", number)


def sentence(figures: Figures) -> Text:
    """The figures in words; a single day is called so, and no number is said twice."""
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


def warning(username: str, figures: Figures) -> Letter:
    """To an account whose program does not wait when it is told to."""
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
            Paragraph(sentence(figures)),
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


def restriction(username: str, figures: Figures, *, tokens: bool) -> Letter:
    """To an account that was warned before: its tokens are revoked, or it is disabled."""
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
            Paragraph(sentence(figures)),
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


def to_administrators(names: Sequence[str], lines: Sequence[str], *, sent: bool) -> Letter:
    """Who goes on after 429: found, or written to as well."""
    number, listed = len(names), ", ".join(names)
    if sent:
        subject = _("Repeat throttled accounts: ${n} e-mailed", mapping={"n": str(number)})
        told = ngettext(
            "E-mailed ${n} account whose client goes on after 429: ${names}.",
            "E-mailed ${n} accounts whose clients go on after 429: ${names}.",
            number,
            names=listed,
        )
    else:
        subject = _("Repeat throttled accounts: ${n} found", mapping={"n": str(number)})
        told = ngettext(
            "Found ${n} account whose client goes on after 429: ${names}.",
            "Found ${n} accounts whose clients go on after 429: ${names}.",
            number,
            names=listed,
        )
    return Letter(subject=subject, blocks=(Paragraph(told), Items(tuple(lines))))
