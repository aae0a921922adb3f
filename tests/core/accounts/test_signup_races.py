"""Concurrent sign-ups on separate connections: one account per name and address, no errors, exact limits."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.accounts.signup import BLOCKED_COUNTER, PLACEHOLDER_DOMAIN
from comicsdb.catalog import InvalidError
from comicsdb.models import DailyCount, OutgoingMail, User


def at_once(factory, real, forms, **settings):
    """Submit forms concurrently; returns the class of each exception, None for a success."""
    barrier = Barrier(len(forms))

    def run(typed):
        barrier.wait()
        with factory() as session:
            try:
                accounts.sign_up(real(session, **settings), typed)
            except (InvalidError, accounts.TooManySignUpsError) as error:
                session.rollback()
                return type(error)
            session.commit()
            return None

    with ThreadPoolExecutor(len(forms)) as pool:
        return list(pool.map(run, forms))


def test_one_name_is_given_once(factory, real, form):
    forms = [form(email=f"reader{number}@example.org") for number in range(6)]
    ended = at_once(factory, real, forms)
    assert sorted(map(str, ended)) == sorted(map(str, [None] + [InvalidError] * 5))
    with factory() as session:
        assert session.scalar(select(func.count()).where(User.username == "bob")) == 1


def test_one_address_has_one_account(factory, real, form):
    forms = [form(username=f"bob{number}") for number in range(6)]
    assert at_once(factory, real, forms) == [None] * 6
    with factory() as session:
        emails = list(session.scalars(select(User.email).where(User.username.like("bob%"))))
        assert emails.count("bob@example.org") == 1
        assert sum(email.endswith(PLACEHOLDER_DOMAIN) for email in emails) == 5


def test_the_limit_holds_and_a_refusal_is_remembered(factory, real, form):
    forms = [form(username=f"bob{number}", email=f"bob{number}@example.org") for number in range(6)]
    more = {
        "comicsdb.signup.per_address": 2,
        "comicsdb.mail.tell": ("blocked",),
        "comicsdb.mail.administrators": ("admin@example.org",),
    }
    ended = at_once(factory, real, forms, **more)
    assert ended.count(None) == 2
    assert ended.count(accounts.TooManySignUpsError) == 4
    with factory() as session:
        assert session.scalar(select(func.count()).where(User.username.like("bob%"))) == 2
        assert session.scalar(select(DailyCount.count).filter_by(counter=BLOCKED_COUNTER)) == 4
        kinds = list(session.scalars(select(OutgoingMail.kind)))
        assert kinds.count("admin_blocked") == 1
        assert kinds.count("activation") == 2
