"""Sign-up and activation, without revealing which mail addresses have an account.

A sign-up with the address of an account gets the same response as any other, and the account's owner gets a
mail. The wanted user name is then reserved by a row that cannot be activated: otherwise, a second attempt
with the same name would reveal the difference. Such rows, and accounts that are never activated, are removed
after some days (`deletion.clean`).
"""

import hashlib
import hmac
import json
import logging
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from http.client import HTTPException
from math import ceil, inf

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.constraints import constraint_errors
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.encryption import decrypt, derived_key, encrypt
from comicsdb.accounts.errors import (
    BadLinkError,
    LinkUsedError,
    SignUpsClosedError,
    TooFastError,
    TooManySignUpsError,
)
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.lookup import lock_email, run_for_address
from comicsdb.accounts.passwords import secrets_equal
from comicsdb.accounts.rules import read_list, text_of
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.http.client_address import network
from comicsdb.i18n import _
from comicsdb.log_lines import OutageLog
from comicsdb.mail import queue, queue_to_administrators
from comicsdb.models import AccountLink, DailyCount, SignupSettings, User
from comicsdb.models.account import ACTIVATE

log = logging.getLogger(__name__)

CLOSED = _("Sign-ups are currently closed.")
TAKEN = _("This user name is already taken.")
CREATED_COUNTER, BLOCKED_COUNTER = "signup", "signup_blocked"  # daily counters by IP address
# Domain of rows that only reserve a name; `invalid` never exists (RFC 2606).
PLACEHOLDER_DOMAIN = "held.invalid"

HONEYPOT = "homepage"  # a hidden field that only bots fill in
KEY_PURPOSE = "sign-up"
FORM_AGE_MAX = 24 * 3600  # seconds after which a form can no longer be submitted

OUTAGE = OutageLog(log, logging.WARNING)

TIMEOUT = 3  # seconds
ANSWER_MAX = 65536  # bytes

REFUSED = _("Addresses of this domain cannot be used for accounts.")


def sign_up_settings(session: Session) -> SignupSettings:
    """Whether sign-ups are enabled, and the message if not."""
    return session.get_one(SignupSettings, 1)


def sign_up(context: AccountContext, form: Mapping) -> None:
    """Create an account that its owner activates by a mailed link; same result for an address in use.

    The form has `username`, `email`, `password`, `password_again`, and the fields of `refuse_bots`. No
    transaction may be open, as the function may query a mail-domain service, and hashes the password. Raises
    InvalidError by field, TooFastError, SignUpsClosedError and TooManySignUpsError.
    """
    username = rules.normal_name(rules.text_of(form, "username"))
    email = rules.normal_email(rules.text_of(form, "email"))
    password = rules.secret_of(form, "password")
    _check_limits(context, username)
    refuse_bots(context.settings, form)
    _check_form(context, username, email, password, rules.secret_of(form, "password_again"))
    refuse_fast_form(context.settings, form)
    check_domain(context.settings, email)
    hashed = context.passwords.hash(password)

    with constraint_errors({"uq_user_account_username": InvalidError({"username": [TAKEN]})}):
        made = _create_account(context, username, email, hashed)
    # Exact under concurrency.
    if _increment(context.session, CREATED_COUNTER, context) > _daily_limit(context):
        raise _too_many_sign_ups(context, username)
    context.log(log, "User signed up" if made else "Sign-up with the address of an account", username)
    if "signup" in context.settings["comicsdb.mail.tell"]:
        letter = letters.signup_notice(username, clock.now(), context.address)
        queue_to_administrators(context.session, context.settings, letter, kind="admin_signup")


def _check_limits(context: AccountContext, username: str) -> None:
    """Check whether sign-ups are open, and the limit of the IP address, before anything expensive."""
    with context.independent_session() as session:
        switch = sign_up_settings(session)
        made = session.scalar(select(DailyCount.count).filter_by(**_today(CREATED_COUNTER, context))) or 0
    if not switch.signups_enabled:
        raise SignUpsClosedError(switch.disabled_message or CLOSED)
    if made >= _daily_limit(context):
        raise _too_many_sign_ups(context, username)


def _check_form(context: AccountContext, username: str, email: str, password: str, again: str) -> None:
    """Raise InvalidError for all problems that do not depend on other accounts."""
    errors = {
        "username": rules.username_problems(username, official=context.settings["comicsdb.official_account"]),
        "email": new_email_problems(context.settings, email),
    }
    about = username[: rules.USERNAME_MAX], email[: rules.EMAIL_MAX]  # longer texts are rejected anyway
    for part, problems in rules.password_problems(password, again, about).items():
        errors[f"password_{part}" if part else "password"] = problems
    raise_errors(errors)


def new_email_problems(settings: Mapping, email: str) -> list:
    """Problems of the address of an account, including those of its domain as far as we know them."""
    problems = rules.email_problems(email)
    if not problems and rules.is_throw_away(email, settings["comicsdb.signup.blocked_domains"]):
        return [REFUSED]
    return problems


def _create_account(context: AccountContext, username: str, email: str, hashed: str) -> bool:
    """Store the account, or a row that reserves its name; returns True for an account."""
    lock_email(context.session, email)
    try:
        with context.session.begin_nested():
            return _store(context, username, email, hashed)
    except IntegrityError as error:
        if error.orig.diag.constraint_name != "uq_user_account_email":
            raise
    with context.session.begin_nested():  # staff gave an account this address meanwhile
        return _store(context, username, email, hashed)


def _store(context: AccountContext, username: str, email: str, hashed: str) -> bool:
    session = context.session
    holder = session.scalar(select(User).where(func.lower(User.email) == email.lower()).with_for_update())
    if holder is not None and is_pending(session, holder):
        # The address is unconfirmed: the newest sign-up gets it, and earlier links become void.
        holder.email = placeholder_email()
        session.flush()
        holder = None
    user = User(
        username=username,
        email=email if holder is None else placeholder_email(),
        password=hashed,  # even if the row only reserves a name: otherwise, log-in would reveal it
        is_active=False,
        language=context.language,
        date_joined=clock.now(),
    )
    session.add(user)
    session.flush()
    link = make_link(session, user, ACTIVATE, user.email)
    letter = letters.activation(user, link.secret) if holder is None else letters.known_address(holder)
    kind = "activation" if holder is None else "known_address"
    if context.guard.count_mail(email):
        queue(session, context.settings, letter, user=holder or user, kind=kind, until=link.row.expires)
    session.flush()
    return holder is None


def placeholder_email() -> str:
    return f"{secrets.token_hex(16)}@{PLACEHOLDER_DOMAIN}"


def is_pending(session: Session, user: User) -> bool:
    """Whether an account was never activated; makes no query for active accounts."""
    if user.is_active or user.email_confirmed:
        return False
    return session.scalar(select(User.id).where(User.id == user.id, _pending())) is not None


def _pending():
    """The condition that an account was never activated; accounts deactivated later have no links."""
    waiting = exists().where(
        AccountLink.user_id == User.id, AccountLink.purpose == ACTIVATE, AccountLink.used.is_(None)
    )
    return and_(~User.is_active, ~User.email_confirmed, waiting)


def _daily_limit(context: AccountContext) -> float:
    """The number of sign-ups allowed from an address on one day (UTC)."""
    return context.settings["comicsdb.signup.per_address"] or inf


def _today(counter: str, context: AccountContext) -> dict:
    identity = f"ip:{network(context.address)}"
    return {"day": clock.now().date(), "counter": counter, "identity": identity}


def _increment(session: Session, counter: str, context: AccountContext) -> int:
    """Increment today's counter, serialised by its row lock; returns the new value."""
    statement = insert(DailyCount).values(**_today(counter, context), count=1)
    statement = statement.on_conflict_do_update(
        index_elements=[DailyCount.day, DailyCount.counter, DailyCount.identity],
        set_={"count": DailyCount.count + 1},
    )
    return session.scalar(statement.returning(DailyCount.count))


def _too_many_sign_ups(context: AccountContext, username: str) -> TooManySignUpsError:
    """Count and commit a refusal; report the first of each day."""
    now = clock.now()
    with context.independent_session() as session:
        first = _increment(session, BLOCKED_COUNTER, context) == 1
        if first and "blocked" in context.settings["comicsdb.mail.tell"]:
            name = username[: rules.USERNAME_MAX]  # not validated yet
            letter = letters.blocked_notice(name, now, context.address, _daily_limit(context))
            queue_to_administrators(session, context.settings, letter, kind="admin_blocked")
        session.commit()
    if first:
        what = f"Sign-ups from one address are limited to {_daily_limit(context)} a day"
        context.log(log, what, username, logging.WARNING)
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return TooManySignUpsError(ceil((midnight - now).total_seconds()))


def check_activation(context: AccountContext, uid: str, secret: str) -> User:
    """The account that a mailed link activates; does not use up the link.

    Raises LinkUsedError and BadLinkError.
    """
    return _open_activation(context, uid, secret)[1]


def _open_activation(context: AccountContext, uid: str, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, ACTIVATE, secret, uid)
    if user.is_active:
        raise LinkUsedError  # another link was used
    if user.email_confirmed or link.email != user.email:
        raise BadLinkError  # deactivated since, or replaced by a newer sign-up with this address
    return link, user


def activate(context: AccountContext, uid: str, secret: str) -> User:
    """Activate a link's account and confirm its address. Raises LinkUsedError and BadLinkError."""
    link, user = _open_activation(context, uid, secret)
    now = clock.now()
    link.used = now
    user.is_active = user.email_confirmed = True
    context.session.flush()
    context.log(log, "User activated the account", user.username)
    if "activation" in context.settings["comicsdb.mail.tell"]:
        letter = letters.activation_notice(user.username, now, context.address)
        queue_to_administrators(context.session, context.settings, letter, kind="admin_activation")
    return user


def resend_activation(context: AccountContext, email: str) -> None:
    """Send another activation link; for any other address, do the same work.

    Raises InvalidError for an invalid address, and TooManyMailsError.
    """
    with run_for_address(context, email, or_(User.is_active, _pending())) as user:
        link = make_link(context.session, user, ACTIVATE, user.email)
        letter = letters.known_address(user) if user.is_active else letters.activation(user, link.secret)
        queue(
            context.session,
            context.settings,
            letter,
            user=user,
            kind="known_address" if user.is_active else "activation",
            until=link.row.expires,
        )


def form_time(settings: Mapping) -> str:
    """The signed current time: the value of the hidden field `form_time`."""
    moment = str(int(clock.now().timestamp()))
    return f"{moment}.{_signature(settings, moment)}"


def bot_question(settings: Mapping) -> str:
    """The question against bots, if the settings have one; the form's field is `answer`."""
    return settings["comicsdb.signup.question"] if settings["comicsdb.signup.answer"] else ""


def refuse_bots(settings: Mapping, form: Mapping) -> None:
    """Raise InvalidError, with a text that helps people, if a bot seems to have filled in the form."""
    if text_of(form, HONEYPOT):
        raise InvalidError(
            {"__all__": [_("Leave the field “Homepage” blank: it is there to detect spam programs.")]}
        )
    moment, _dot, signature = text_of(form, "form_time").partition(".")
    if not moment.isascii() or not secrets_equal(signature, _signature(settings, moment)):
        raise InvalidError({"__all__": [_("The form was incomplete. Please submit it again.")]})
    age = clock.now().timestamp() - int(moment)
    if not -clock.SKEW.total_seconds() <= age <= FORM_AGE_MAX:
        raise InvalidError({"__all__": [_("The form has expired. Please submit it again.")]})
    if bot_question(settings) and not _is_right_answer(settings, text_of(form, "answer")):
        raise InvalidError({"answer": [_("This answer is incorrect.")]})


def refuse_fast_form(settings: Mapping, form: Mapping) -> None:
    """Raise TooFastError for a form sent faster than people type; people can then confirm it."""
    age = clock.now().timestamp() - int(text_of(form, "form_time").partition(".")[0])
    if age < settings["comicsdb.signup.fastest"]:
        texts = {name: value for name, value in form.items() if isinstance(value, str)}
        raise TooFastError(encrypt(settings, KEY_PURPOSE, json.dumps(texts)))


def decrypt_sign_up_form(settings: Mapping, sealed: str) -> dict[str, str]:
    """The decrypted form of a TooFastError; empty if it is invalid or too old."""
    text = decrypt(settings, KEY_PURPOSE, sealed, FORM_AGE_MAX)
    return json.loads(text) if text is not None else {}


def _is_right_answer(settings: Mapping, answer: str) -> bool:
    return answer.casefold() == settings["comicsdb.signup.answer"].strip().casefold()


def _signature(settings: Mapping, moment: str) -> str:
    return hmac.new(derived_key(settings, "form_time"), moment.encode(), hashlib.sha256).hexdigest()


def check_domain(settings: Mapping, email: str) -> None:
    """Query the mail-domain service, if the settings name one; raise InvalidError for a refused domain.

    The service responds to `GET` with a JSON object in which `block` or `disposable` is true for domains to
    refuse. The setting is its URL, which contains `{domain}`; another setting defines whether sign-ups are
    refused during an outage. Must be called while no transaction is open.
    """
    domain = email.rpartition("@")[2]
    address = settings["comicsdb.signup.mail_check"]
    if not address or domain in read_list("mail_providers"):
        return
    try:
        with urllib.request.urlopen(address.format(domain=domain), timeout=TIMEOUT) as answer:  # noqa: S310
            said = json.loads(answer.read(ANSWER_MAX))
        refused = said.get("block") is True or said.get("disposable") is True
    except (OSError, HTTPException, ValueError, LookupError, AttributeError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        OUTAGE.report(error, "The mail-domain service failed: %s", type(error).__name__)
        text = _("Your address cannot be checked at the moment. Please contact the administrators.")
        raise InvalidError({"email": [text]}) from error
    if refused:
        raise InvalidError({"email": [REFUSED]})
