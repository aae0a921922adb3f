"""Rules for user names, mail addresses, passwords and other texts of accounts."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

from comicsdb.accounts.common_passwords import common_passwords
from comicsdb.i18n import Text, _, ngettext
from comicsdb.log_lines import printable
from comicsdb.values import text_problem

DATA = Path(__file__).parent / "data"
USERNAME_MAX = 150
EMAIL_MAX = 254
NAME_MAX = 150
BIO_MAX = 5000
LABEL_MAX = 64
PASSWORD_MIN = 8
PASSWORD_MAX = 1024  # limits the time of hashing
SIMILARITY_MAX = 0.7  # similarity ratio from which a password is too similar to a text

# Path segments of the account pages, and names that suggest an official account.
RESERVED = frozenset(
    "account_activation_sent activate admin administrator api comic-files delete email export feeds login"
    " logout not-me password password_change password_change_done password_reset password_reset_complete"
    " password_reset_confirm password_reset_done register resend reset root search security sessions"
    " signup system timezone tokens update users webhooks . ..".split()
)

_USERNAME = re.compile(r"[\w.@+-]+")
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])")


def text_of(form: Mapping, field: str) -> str:
    """The stripped text of a field; "" if it is missing."""
    value = form.get(field)
    return value.strip() if isinstance(value, str) else ""


def secret_of(form: Mapping, field: str) -> str:
    """The exact text of a password field; "" if it is missing."""
    value = form.get(field)
    return value if isinstance(value, str) else ""


def normal_name(username: str) -> str:
    """A user name in Unicode NFKC.

    Names that are too long are not normalised, as the time would grow with the square of their combining
    characters.
    """
    return unicodedata.normalize("NFKC", username) if len(username) <= USERNAME_MAX else username


def too_long(longest: int) -> Text:
    """The message for a text of more than `longest` characters."""
    return ngettext("Enter at most ${n} character.", "Enter at most ${n} characters.", longest)


def username_problems(username: str, *, official: str = "") -> list[Text]:
    """Problems of a user name; `official` is the name of the site's own account, which is reserved."""
    if not username:
        return [_("Choose a user name.")]
    if len(username) > USERNAME_MAX:
        return [too_long(USERNAME_MAX)]
    if not _USERNAME.fullmatch(username):
        return [_("Only letters, digits and the characters @ . + - _ are allowed.")]
    if username.isnumeric():
        return [_("The user name must not consist only of digits.")]
    if username.lower() in RESERVED or username.lower() == official.lower():
        return [_("This user name is reserved.")]
    return []


def normal_email(email: str) -> str:
    """A mail address with its domain in lower-case ASCII; unchanged without a domain or if too long."""
    local, at, domain = email.strip().rpartition("@")
    if not at or len(email) > EMAIL_MAX:
        return email.strip()
    with suppress(UnicodeError):  # an invalid domain, which `email_problems` reports
        domain = domain.encode("idna").decode()
    return f"{local}@{domain.lower()}"


def email_problems(email: str) -> list[Text]:
    """Problems of the syntax of a normalised mail address."""
    if not email:
        return [_("Enter your e-mail address.")]
    local, _at, domain = email.rpartition("@")
    fits = len(email) <= EMAIL_MAX and len(local) <= 64
    if not fits or not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain):
        return [_("Enter a valid e-mail address.")]
    return []


def is_throw_away(email: str, blocked: Iterable[str] = ()) -> bool:
    """Whether an address has a listed throw-away or `blocked` domain, or a subdomain of one."""
    labels = email.rpartition("@")[2].split(".")
    domains = {".".join(labels[at:]) for at in range(len(labels) - 1)}
    return not domains.isdisjoint(read_list("throw_away_domains")) or not domains.isdisjoint(
        each.lower() for each in blocked
    )


def password_problems(password: str, again: str, attributes: Iterable[str]) -> dict[str, list[Text]]:
    """Problems of a new password, under "" and "again"; it must not resemble names and addresses."""
    problems = []
    if len(password) < PASSWORD_MIN:
        problems.append(
            ngettext("Enter at least ${n} character.", "Enter at least ${n} characters.", PASSWORD_MIN)
        )
    elif len(password) > PASSWORD_MAX:
        problems.append(too_long(PASSWORD_MAX))
    else:
        if password.isnumeric():
            problems.append(_("The password must not consist only of digits."))
        if password in common_passwords():
            problems.append(_("This password is too common."))
        if _is_similar(password.lower(), attributes):
            problems.append(_("This password is too similar to your name or address."))
    found = {"": problems} if problems else {}
    if password != again:
        found["again"] = [_("The two passwords do not match.")]
    return found


def _is_similar(password: str, attributes: Iterable[str]) -> bool:
    for attribute in attributes:
        text = attribute.lower()
        for part in {text, text.rpartition("@")[0], *re.split(r"\W+", text)}:
            # Texts of very different lengths cannot be similar.
            if len(part) >= 3 and len(password) <= 3 * len(part):
                matcher = SequenceMatcher(a=password, b=part, autojunk=False)
                if matcher.quick_ratio() >= SIMILARITY_MAX and matcher.ratio() >= SIMILARITY_MAX:
                    return True
    return False


def label_problems(label: str) -> list[Text]:
    """Problems of the label of a token."""
    return one_line_problems(label, LABEL_MAX)


def one_line_problems(text: str, longest: int = NAME_MAX) -> list[Text]:
    """Problems of a single-line text."""
    if len(text) > longest:
        return [too_long(longest)]
    if printable(text) != text:
        return [_("Line breaks and control characters are not allowed.")]
    return []


def text_problems(text: str, longest: int) -> list[Text]:
    """Problems of a text of several lines."""
    if len(text) > longest:
        return [too_long(longest)]
    wrong = text_problem(text)
    return [wrong] if wrong else []


def bio_problems(bio: str) -> list[Text]:
    """Problems of a biography."""
    if len(bio) > BIO_MAX:
        return [too_long(BIO_MAX)]
    if any(not (each.isprintable() or each in "\n\r\t\u200d") for each in bio):
        return [_("Control characters are not allowed.")]
    return []


@lru_cache
def read_list(name: str) -> frozenset[str]:
    """The lines of a data file without comments."""
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))
