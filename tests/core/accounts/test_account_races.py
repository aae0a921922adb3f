"""Concurrent requests for one account, on separate connections: each link, form and token works once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from urllib.parse import urlsplit

import pyotp
import pytest
from sqlalchemy import func, select

from comicsdb import accounts, clock
from comicsdb.accounts.second_factor import RECOVERY_CODES, accepts_recovery_code
from comicsdb.models import ApiToken, LoginSession, User
from tests.core.accounts.conftest import PASSWORD
from tests.mailbox import waiting_mails
from tests.passkey_device import Device
from tests.waiting import await_lock

TIMES = 6
BROWSER = "a secret of the browser"
NEW = "another horse battery"
NEW_TWICE = {"new_password": NEW, "new_password_again": NEW}


@pytest.fixture
def bea(factory, passwords):
    """The id of an account that is really committed."""
    with factory() as session:
        user = User(username="Bea", email="bea@example.org", password=passwords.hash(PASSWORD))
        session.add(user)
        session.commit()
        return user.id


def at_once(factory, real, job, *, refused=()):
    """Run a job several times concurrently; returns the results, or the classes of `refused` exceptions."""
    barrier = Barrier(TIMES)

    def run(_number):
        with factory() as session:
            barrier.wait()
            try:
                got = job(real(session))
            except refused as error:
                return type(error)
            session.commit()
            return got

    with ThreadPoolExecutor(TIMES) as pool:
        return list(pool.map(run, range(TIMES)))


def secret_of_the_last_mail(factory) -> str:
    with factory() as session:
        return waiting_mails(session)[-1].links[0].rstrip("/").rpartition("/")[2]


def test_a_link_activates_once(factory, real, form):
    with factory() as session:
        accounts.sign_up(real(session), form())
        session.commit()
        uid = str(session.scalar(select(User.id).where(User.username == "bob")))
    secret = secret_of_the_last_mail(factory)

    def open_it(context):
        return accounts.begin_session(context, accounts.activate(context, uid, secret))

    ended = at_once(factory, real, open_it, refused=accounts.LinkUsedError)
    assert ended.count(accounts.LinkUsedError) == TIMES - 1
    with factory() as session:
        assert session.scalar(select(func.count(LoginSession.id))) == 1


def test_a_link_sets_one_password(factory, real, bea):
    with factory() as session:
        accounts.request_reset(real(session), "bea@example.org")
        session.commit()
    secret = secret_of_the_last_mail(factory)

    def reset(context):
        return accounts.reset_password(context, str(bea), secret, NEW_TWICE).id

    ended = at_once(factory, real, reset, refused=accounts.BadLinkError)
    assert sorted(map(str, ended)) == sorted(map(str, [bea] + [accounts.BadLinkError] * (TIMES - 1)))


def test_a_form_makes_one_token_and_a_token_is_revoked_once(factory, real, bea):
    def make(context):
        return accounts.generate_token(context, bea, "reader", "one key").token.id

    made = at_once(factory, real, make, refused=accounts.FormAlreadySubmittedError)
    assert made.count(accounts.FormAlreadySubmittedError) == TIMES - 1
    (token,) = set(made) - {accounts.FormAlreadySubmittedError}
    revoked = at_once(factory, real, lambda context: accounts.revoke_token(context, bea, token))
    assert sorted(revoked) == [False] * (TIMES - 1) + [True]
    with factory() as session:
        assert session.scalar(select(func.count(ApiToken.id))) == 0


def test_an_app_that_is_confirmed_twice_at_once_shows_recovery_codes_that_work(factory, real, bea):
    with factory() as session:
        new = accounts.new_totp(real(session).settings, session.get_one(User, bea))

    def confirm(context):
        user = context.session.get_one(User, bea)
        accounts.add_totp(context, user, new, pyotp.TOTP(new.secret).at(clock.now()))
        if accounts.recovery_codes_left(context.session, bea):
            return []
        return accounts.make_recovery_codes(context, user)

    shown = at_once(factory, real, confirm)
    assert [len(codes) for codes in shown] == [RECOVERY_CODES] * TIMES
    with factory() as session:
        context, user = real(session), session.get_one(User, bea)
        assert user.second_factor
        works = [accepts_recovery_code(context, user, codes[0]) for codes in shown]
    assert works.count(True) == 1  # those of the last response


def test_answer_of_a_passkey_that_is_sent_many_times_at_once_logs_in_once(factory, real, bea):
    device = Device()
    with factory() as session:
        context, user = real(session), session.get_one(User, bea)
        device.origin, device.host = origin_and_host(context.settings)
        asked = accounts.registration_options(context, user, BROWSER)
        accounts.add_passkey(context, user, device.make(asked), "Phone", BROWSER)
        session.commit()
        answer = device.prove(accounts.proof_options(context.settings, BROWSER))

    def log_in(context):
        return accounts.passkey_user(context, answer, BROWSER).id

    results = at_once(factory, real, log_in, refused=accounts.PasskeyRefusedError)
    assert sorted(map(str, results)) == sorted(map(str, [bea, *[accounts.PasskeyRefusedError] * (TIMES - 1)]))


def origin_and_host(settings) -> tuple[str, str]:
    """Where the browser of a passkey believes to be."""
    url = urlsplit(settings["comicsdb.base_url"])
    return f"{url.scheme}://{url.netloc}", url.hostname


def test_who_logs_in_with_the_old_password_while_it_changes_is_too_late(factory, real, bea):
    def log_in():
        with factory() as session:
            context = real(session)
            accounts.begin_session(context, accounts.log_in(context, "Bea", PASSWORD))
            session.commit()

    with factory() as session, ThreadPoolExecutor(1) as pool:
        mine = accounts.begin_session(real(session), session.get_one(User, bea))
        session.commit()
        accounts.change_password(real(session), bea, mine, {"password": PASSWORD, **NEW_TWICE})
        late = pool.submit(log_in)
        await_lock(factory)
        session.commit()
        with pytest.raises(accounts.LogInFailedError):
            late.result()
    with factory() as session:
        assert session.scalar(select(func.count(LoginSession.id))) == 1
