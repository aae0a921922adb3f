"""Sign-up: from nobody to an active account, without telling which mail addresses have one.

Whoever gives an address that has an account sees the same as everybody else, while its owner gets a mail. The
wanted user name is then taken by a row that nobody can activate: otherwise a second try with the same name
would tell. Such rows, and accounts that nobody activates, go after some days (`cleaning`).
"""

import logging
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from math import ceil, inf

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.bots import refuse_bots, refuse_haste
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import BadLinkError, LinkSpentError, SignUpsClosedError, TooManySignUpsError
from comicsdb.accounts.guard import network
from comicsdb.accounts.links import make_link, open_link
from comicsdb.accounts.mail_domains import REFUSED, check_domain
from comicsdb.accounts.storing import lock_email, only_for, unless_refused
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.mail import queue, queue_to_administrators
from comicsdb.models import AccountLink, DailyCount, SignupSettings, User
from comicsdb.models.account import ACTIVATE

log = logging.getLogger(__name__)

CLOSED = _("No accounts can be made at the moment.")
TAKEN = _("This user name is taken.")
MADE, BLOCKED = "signup", "signup_blocked"  # counters of each day, by address
HELD = "held.invalid"  # the domain of rows that only hold a name; there is none, for ever (RFC 2606)


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
    _refuse_at_the_door(context, username)
    refuse_bots(context.settings, form)
    _judge(context, username, email, password, rules.secret_of(form, "password_again"))
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
        letter = letters.tell_signup(username, clock.now(), context.address)
        queue_to_administrators(context.session, context.settings, letter, kind="admin_signup")


def _refuse_at_the_door(context: AccountContext, username: str) -> None:
    """Raise what needs no look at the form, before anything costs time."""
    with context.apart() as session:
        switch = sign_up_settings(session)
        made = session.scalar(select(DailyCount.count).filter_by(**_today(MADE, context))) or 0
    if not switch.signups_enabled:
        raise SignUpsClosedError(switch.disabled_message or CLOSED)
    if made >= _allowed(context):
        raise _one_too_many(context, username)


def _judge(context: AccountContext, username: str, email: str, password: str, again: str) -> None:
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
        holder.email = nowhere()
        session.flush()
        holder = None
    user = User(
        username=username,
        email=email if holder is None else nowhere(),
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


def nowhere() -> str:
    return f"{secrets.token_hex(16)}@{HELD}"


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
            letter = letters.tell_blocked(name, now, context.address, _allowed(context))
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
        letter = letters.tell_activation(user.username, now, context.address)
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
