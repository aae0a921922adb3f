"""Sign-up and activation, without revealing which mail addresses have an account.

Whoever gives an address that has an account sees the same as everybody else, and its owner gets a mail. The
wanted user name is then held by a row that cannot be activated: otherwise a second try with the same name
would reveal the difference. Such rows, and accounts that are never activated, are removed after some days
(`deletion.clean`).
"""

import base64
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

from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import (
    BadLinkError,
    LinkSpentError,
    SignUpsClosedError,
    TooFastError,
    TooManySignUpsError,
)
from comicsdb.accounts.guard import network
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.lookup import lock_email, only_for, unless_refused
from comicsdb.accounts.passwords import same
from comicsdb.accounts.rules import listed, text_of
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.mail import queue, queue_to_administrators
from comicsdb.models import AccountLink, DailyCount, SignupSettings, User
from comicsdb.models.account import ACTIVATE
from comicsdb.ops.logs import OutageLog

log = logging.getLogger(__name__)

CLOSED = _("No accounts can be made at the moment.")
TAKEN = _("This user name is taken.")
MADE, BLOCKED = "signup", "signup_blocked"  # counters of each day, by address
PLACEHOLDER_DOMAIN = (
    "held.invalid"  # the domain of rows that only hold a name; there is none, for ever (RFC 2606)
)

HONEYPOT = "homepage"  # a field that people do not see, and programs like to fill in
FORM_AGE_MAX = 24 * 3600  # seconds for which a form can be sent

OUTAGE = OutageLog(log, logging.WARNING)

TIMEOUT = 3  # seconds; somebody is waiting
ANSWER_MAX = 65536  # bytes

REFUSED = _("Accounts cannot be made with addresses of this domain.")


def sign_up_settings(session: Session) -> SignupSettings:
    """Whether accounts may be made, and what to say if not."""
    return session.get_one(SignupSettings, 1)


def sign_up(context: AccountContext, form: Mapping) -> None:
    """Make an account that its owner activates by a mail; the same for an address that has an account.

    The form has `username`, `email`, `password`, `password_again`, and what `bots` asks for. Nothing must
    have been asked of the database before in this transaction: a mail-domain service may be asked first, and
    the password is hashed. Raises InvalidError by field, TooFastError, SignUpsClosedError and
    TooManySignUpsError.
    """
    username = rules.normal_name(rules.text_of(form, "username"))
    email = rules.normal_email(rules.text_of(form, "email"))
    password = rules.secret_of(form, "password")
    _check_limits(context, username)
    refuse_bots(context.settings, form)
    _check_form(context, username, email, password, rules.secret_of(form, "password_again"))
    refuse_haste(context.settings, form)
    check_domain(context.settings, email)
    hashed = context.passwords.hash(password)

    with unless_refused({"uq_user_account_username": InvalidError({"username": [TAKEN]})}):
        made = _make(context, username, email, hashed)
    if _add_one(context.session, MADE, context) > _allowed(
        context
    ):  # exact, also for those who came together
        raise _one_too_many(context, username)
    context.log(log, "User signed up" if made else "Sign-up with the address of an account", username)
    if "signup" in context.settings["comicsdb.mail.tell"]:
        letter = letters.signup_notice(username, clock.now(), context.address)
        queue_to_administrators(context.session, context.settings, letter, kind="admin_signup")


def _check_limits(context: AccountContext, username: str) -> None:
    """Raise what needs no look at the form, before anything costs time."""
    with context.apart() as session:
        switch = sign_up_settings(session)
        made = session.scalar(select(DailyCount.count).filter_by(**_today(MADE, context))) or 0
    if not switch.signups_enabled:
        raise SignUpsClosedError(switch.disabled_message or CLOSED)
    if made >= _allowed(context):
        raise _one_too_many(context, username)


def _check_form(context: AccountContext, username: str, email: str, password: str, again: str) -> None:
    """Raise InvalidError for all that can be said without looking at other accounts."""
    errors = {
        "username": rules.username_problems(username, official=context.settings["comicsdb.official_account"]),
        "email": rules.email_problems(email),
    }
    if not errors["email"] and rules.is_throw_away(
        email, context.settings["comicsdb.signup.blocked_domains"]
    ):
        errors["email"] = [REFUSED]
    name, address = (
        username[: rules.USERNAME_MAX],
        email[: rules.EMAIL_MAX],
    )  # what is longer is refused anyway
    about = (name, address.rpartition("@")[0], address)
    for part, problems in rules.password_problems(password, again, about).items():
        errors[f"password_{part}" if part else "password"] = problems
    errors = {field: problems for field, problems in errors.items() if problems}
    if errors:
        raise InvalidError(errors)


def _make(context: AccountContext, username: str, email: str, hashed: str) -> bool:
    """Store the account, or the row that holds its name; whether it was the account."""
    lock_email(context.session, email)
    try:
        with context.session.begin_nested():
            return _store(context, username, email, hashed)
    except IntegrityError as error:
        if error.orig.diag.constraint_name != "uq_user_account_email":
            raise
    with context.session.begin_nested():  # the staff was faster with the same address: now it is known
        return _store(context, username, email, hashed)


def _store(context: AccountContext, username: str, email: str, hashed: str) -> bool:
    session = context.session
    holder = session.scalar(select(User).where(func.lower(User.email) == email.lower()).with_for_update())
    if holder is not None and is_pending(session, holder):
        # Whoever it was did not prove to read these mails: the newest sign-up counts, and no link before it.
        holder.email = placeholder_email()
        session.flush()
        holder = None
    user = User(
        username=username,
        email=email if holder is None else placeholder_email(),
        password=hashed,  # of a row that only holds a name too: log-in would tell otherwise
        is_active=False,
        language=context.language,
        date_joined=clock.now(),
    )
    session.add(user)
    session.flush()
    link = make_link(session, user, ACTIVATE, user.email)
    letter = letters.activation(user, link.secret) if holder is None else letters.known_address(holder)
    kind = "activation" if holder is None else "known_address"
    if context.guard.may_reach(email):
        queue(session, context.settings, letter, user=holder or user, kind=kind, until=link.row.expires)
    session.flush()
    return holder is None


def placeholder_email() -> str:
    return f"{secrets.token_hex(16)}@{PLACEHOLDER_DOMAIN}"


def is_pending(session: Session, user: User) -> bool:
    """Whether an account was never activated; asks the database for none that was."""
    if user.is_active or user.email_confirmed:
        return False
    return session.scalar(select(User.id).where(User.id == user.id, _pending())) is not None


def _pending():
    """The condition that an account was never activated: one that was switched off has no links any more."""
    waiting = exists().where(
        AccountLink.user_id == User.id, AccountLink.purpose == ACTIVATE, AccountLink.used.is_(None)
    )
    return and_(~User.is_active, ~User.email_confirmed, waiting)


def _allowed(context: AccountContext) -> float:
    """How many accounts an address may make on one day (UTC)."""
    return context.settings["comicsdb.signup.per_address"] or inf


def _today(counter: str, context: AccountContext) -> dict:
    identity = f"ip:{network(context.address)}"
    return {"day": clock.now().date(), "counter": counter, "identity": identity}


def _add_one(session: Session, counter: str, context: AccountContext) -> int:
    """Count one more of today, and wait for whoever is counting the same; gives the number."""
    statement = insert(DailyCount).values(**_today(counter, context), count=1)
    statement = statement.on_conflict_do_update(
        index_elements=[DailyCount.day, DailyCount.counter, DailyCount.identity],
        set_={"count": DailyCount.count + 1},
    )
    return session.scalar(statement.returning(DailyCount.count))


def _one_too_many(context: AccountContext, username: str) -> TooManySignUpsError:
    """Count the refusal, and tell of the first of a day; for good, though the request comes to nothing."""
    now = clock.now()
    with context.apart() as session:
        first = _add_one(session, BLOCKED, context) == 1
        if first and "blocked" in context.settings["comicsdb.mail.tell"]:
            name = username[: rules.USERNAME_MAX]  # nobody has judged it yet
            letter = letters.blocked_notice(name, now, context.address, _allowed(context))
            queue_to_administrators(session, context.settings, letter, kind="admin_blocked")
        session.commit()
    if first:
        what = f"Sign-ups from one address are limited to {_allowed(context)} a day"
        context.log(log, what, username, logging.WARNING)
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    return TooManySignUpsError(ceil((midnight - now).total_seconds()))


def activate(context: AccountContext, uid: str, secret: str) -> User:
    """Activate the account that a link belongs to; its address is confirmed by that.

    Raises LinkSpentError where that was done already, and BadLinkError.
    """
    link, user = open_link(context.session, ACTIVATE, secret, uid)
    if user.is_active:
        raise LinkSpentError  # by another link
    if user.email_confirmed or link.email != user.email:
        raise BadLinkError  # switched off since, or replaced by a newer sign-up with this address
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
    """Send another link to an account that waits for it; the same for any other address.

    Raises InvalidError for what is no address, and TooManyMailsError.
    """
    email = rules.normal_email(email)
    problems = rules.email_problems(email)
    if problems:
        raise InvalidError({"email": problems})
    context.guard.mail_asked(context.address)
    with only_for(context, email, or_(User.is_active, _pending())) as user:
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
    """When a form was made, signed: the value of its hidden field `form_time`."""
    moment = str(int(clock.now().timestamp()))
    return f"{moment}.{_signature(settings, moment)}"


def question(settings: Mapping) -> str:
    """A question that only people answer, if the settings have one; the field is `answer`."""
    return settings["comicsdb.signup.question"] if settings["comicsdb.signup.answer"] else ""


def refuse_bots(settings: Mapping, form: Mapping) -> None:
    """Raise InvalidError if a program has filled in the form, with a text that helps people out."""
    if text_of(form, HONEYPOT):
        raise InvalidError({"__all__": [_("Leave the field “Homepage” empty, it is a trap for programs.")]})
    moment, _dot, signature = text_of(form, "form_time").partition(".")
    if not moment.isascii() or not same(signature, _signature(settings, moment)):
        raise InvalidError({"__all__": [_("The form was not complete. Please send it again.")]})
    age = clock.now().timestamp() - int(moment)
    if age > FORM_AGE_MAX:
        raise InvalidError({"__all__": [_("The form was too old. Please send it again.")]})
    if question(settings) and not _answered(settings, text_of(form, "answer")):
        raise InvalidError({"answer": [_("This is not the answer.")]})


def refuse_haste(settings: Mapping, form: Mapping) -> None:
    """Raise TooFastError for a form that was sent faster than people type: they send it once more."""
    age = clock.now().timestamp() - int(text_of(form, "form_time").partition(".")[0])
    if age < settings["comicsdb.signup.fastest"]:
        texts = {name: value for name, value in form.items() if isinstance(value, str)}
        raise TooFastError(_fernet(settings).encrypt(json.dumps(texts).encode()).decode())


def open_sign_up(settings: Mapping, sealed: str) -> dict[str, str]:
    """The form of a TooFastError; empty where it is none of ours, or too old."""
    try:
        return json.loads(_fernet(settings).decrypt(sealed.encode(), ttl=FORM_AGE_MAX))
    except (InvalidToken, ValueError):
        return {}


def _fernet(settings: Mapping) -> Fernet:
    key = hashlib.sha256(b"sign-up:" + settings["comicsdb.secret"].encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def _answered(settings: Mapping, answer: str) -> bool:
    return answer.casefold() == settings["comicsdb.signup.answer"].strip().casefold()


def _signature(settings: Mapping, moment: str) -> str:
    key = hashlib.sha256(b"form_time:" + settings["comicsdb.secret"].encode()).digest()
    return hmac.new(key, moment.encode(), hashlib.sha256).hexdigest()


def check_domain(settings: Mapping, email: str) -> None:
    """Raise InvalidError for the address of a domain that the service refuses, or if it fails and must not.

    To be called while no transaction is open.
    """
    domain = email.rpartition("@")[2]
    address = settings["comicsdb.signup.mail_check"]
    if not address or domain in listed("mail_providers"):
        return
    try:
        with urllib.request.urlopen(address.format(domain=domain), timeout=TIMEOUT) as answer:  # noqa: S310
            said = json.loads(answer.read(ANSWER_MAX))
        refused = said.get("block") is True or said.get("disposable") is True
    except (OSError, HTTPException, ValueError, LookupError, AttributeError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        OUTAGE.report(error, "The mail-domain service failed: %s", type(error).__name__)
        if settings["comicsdb.signup.mail_check_failure"] == "refuse":
            text = _("Your address cannot be checked at the moment. Please contact the administrators.")
            raise InvalidError({"email": [text]}) from error
        return
    if refused:
        raise InvalidError({"email": [REFUSED]})
