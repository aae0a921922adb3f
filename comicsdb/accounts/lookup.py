"""Finding accounts by name and address, doing the same work whether or not they exist."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.rules import email_problems, normal_email, normal_name
from comicsdb.catalog.errors import raise_errors
from comicsdb.models import User
from comicsdb.models.base import SYSTEM_USER_ID


def matches_login(name: str):
    """The condition that an account has this user name or mail address, case-insensitive.

    An address finds only active accounts, and none if it is another account's user name: for a pending
    account, the response would reveal whether another account has that address.
    """
    lower, other = func.lower, aliased(User)
    wanted = lower(normal_name(name))
    is_name = exists().where(lower(other.username) == wanted)
    by_address = and_(lower(User.email) == lower(normal_email(name)), User.is_active, ~is_name)
    return or_(lower(User.username) == wanted, by_address)


@contextmanager
def run_for_address(context: AccountContext, email: str, *conditions) -> Iterator[User]:
    """Count the request for a mail, and run a block for the account that has an address and meets conditions.

    If there is none, the block runs with a stand-in account and is rolled back, so that neither the response
    nor its time reveals whether there is such an account. The same happens for a mailbox that was already
    sent enough mails. Raises InvalidError for an invalid address, and TooManyMailsError.
    """
    email = normal_email(email)
    raise_errors({"email": email_problems(email)})
    context.guard.count_mail_request(context.address)
    reachable = context.guard.count_mail(email)
    wanted = (func.lower(User.email) == email.lower(), *conditions)
    with run_for(context.session, *wanted, really=reachable) as user:
        yield user


@contextmanager
def run_for(session: Session, *conditions, really: bool = True) -> Iterator[User]:
    """Run a block for the account that meets conditions, else roll it back (see `run_for_address`)."""
    wanted = and_(*conditions)
    stand_in = User.id == SYSTEM_USER_ID
    query = select(User, wanted.label("meant")).where(or_(wanted, stand_in)).order_by(wanted.desc()).limit(1)
    user, meant = session.execute(query).one()
    with session.begin_nested() as savepoint:
        yield user
        session.flush()
        if not (meant and really):
            savepoint.rollback()


def lock_email(session: Session, email: str) -> None:
    """Lock a mail address until the transaction ends, whether or not an account uses it."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(email.lower(), 0))))
