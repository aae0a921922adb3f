"""Authenticator apps, recovery codes and passkeys: what is accepted, only once, and what is rejected."""

import json
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
import time_machine
from sqlalchemy import func, select, text

from comicsdb import accounts, admin
from comicsdb.accounts.deletion import clean
from comicsdb.catalog import InvalidError
from comicsdb.models import Passkey, RecoveryCode, SpentChallenge, StaffAction, Totp
from tests.cases import for_each
from tests.core.accounts.conftest import PASSWORD
from tests.passkey_device import PRESENT, Device

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BROWSER = "the token of a browser's forms"


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=False) as travelled:
        yield travelled


@pytest.fixture
def app(context, ann, clock):
    """The authenticator app of an account: `app(steps)` is the code it shows that many steps from now."""
    new = accounts.new_totp(context.settings, ann)
    totp = pyotp.TOTP(new.secret)

    def code(steps=0):
        return totp.at(datetime.now(UTC) + timedelta(seconds=30 * steps))

    accounts.add_totp(context, ann, new, code())
    clock.shift(timedelta(seconds=30))
    return code


@pytest.fixture
def device(context, ann, clock):
    made = Device()
    options = accounts.registration_options(context, ann, BROWSER)
    accounts.add_passkey(context, ann, made.make(options), "Phone", BROWSER)
    return made


def takes(context, user, **form):
    """Whether a form passes the second step."""
    form = {f"confirm_{name}": value for name, value in form.items()}
    try:
        accounts.check_second_step(context, user, form, BROWSER)
    except (accounts.CodeRefusedError, accounts.PasskeyRefusedError):
        return False
    return True


def options(context):
    return accounts.proof_options(context.settings, BROWSER)


# Apps.


def test_a_code_works_once_and_so_does_none_before_it(context, ann, app, clock):
    assert ann.second_factor
    now, later = app(), app(1)
    assert takes(context, ann, code=now)
    assert not takes(context, ann, code=now)
    assert takes(context, ann, code=f" {later[:3]} {later[3:]} ")  # the phone's clock is ahead
    assert not takes(context, ann, code=app())
    clock.shift(timedelta(seconds=60))
    assert takes(context, ann, code=app())


def test_what_was_accepted_by_a_clock_ahead_keeps_nobody_out_and_lets_nobody_in(
    context, ann, app, device, clock
):
    clock.shift(timedelta(days=3650))
    assert takes(context, ann, code=app())
    asked = options(context)
    clock.move_to(NOON + timedelta(minutes=1))
    assert not takes(context, ann, passkey=device.prove(asked))
    code = app()
    assert takes(context, ann, code=code)
    assert not takes(context, ann, code=code)


@pytest.mark.parametrize("steps", [-2, 2, 1000])
def test_a_code_of_another_time_does_not_work(context, ann, app, clock, steps):
    clock.shift(timedelta(seconds=300))
    assert not takes(context, ann, code=app(steps))


def test_the_code_that_switched_the_app_on_is_spent(context, ann, clock):
    new = accounts.new_totp(context.settings, ann)
    code = pyotp.TOTP(new.secret).at(NOON)
    with pytest.raises(InvalidError):
        accounts.add_totp(context, ann, new, "000000" if code != "000000" else "000001")
    assert not ann.second_factor
    accounts.add_totp(context, ann, new, code)
    assert not takes(context, ann, code=code)


def test_tries_are_few_wherever_they_come_from(context, context_with, ann, app, clock):
    for number in range(10):
        assert not takes(context_with(address=f"198.51.100.{number}"), ann, code="000000")
    with pytest.raises(accounts.TooManyFailuresError) as caught:
        takes(context, ann, code=app())  # even the right code is refused
    assert 0 < caught.value.retry_after <= 3600
    clock.shift(timedelta(hours=1))
    assert takes(context, ann, code=app())


def test_secrets_are_stored_encrypted(context, session, ann, app):
    stored = session.scalar(select(Totp.secret))
    new = accounts.open_totp(context.settings, ann, accounts.new_totp(context.settings, ann).sealed)
    assert new.secret not in stored
    assert len(stored) > 100


def test_a_secret_in_a_form_is_for_one_account_and_an_hour(context, ann, make, clock):
    new = accounts.new_totp(context.settings, ann)
    assert new.secret not in new.sealed
    assert accounts.open_totp(context.settings, ann, new.sealed).secret == new.secret
    assert accounts.open_totp(context.settings, make.user("bob"), new.sealed) is None
    assert accounts.open_totp(context.settings, ann, "nonsense") is None
    clock.shift(timedelta(seconds=3601))
    assert accounts.open_totp(context.settings, ann, new.sealed) is None


def test_codes_cannot_be_checked_with_another_secret_of_the_site(context, context_with, ann, app):
    elsewhere = context_with(comicsdb__secret="x" * 40)
    assert not takes(elsewhere, ann, code=app())
    assert takes(context, ann, code=app())


# Recovery codes.


def test_a_recovery_code_works_once_however_it_is_written(context, session, ann, app, mailbox):
    codes = accounts.make_recovery_codes(context, ann)
    assert len(set(codes)) == 10
    assert takes(context, ann, code=codes[0])
    assert not takes(context, ann, code=codes[0])
    assert takes(context, ann, code=codes[1].replace("-", " ").upper())
    assert accounts.recovery_codes_left(session, ann.id) == 8
    assert [mail.kind for mail in mailbox()][-2:] == ["security_recovery_code_used"] * 2
    rows = session.execute(text("SELECT recovery_code::text FROM recovery_code")).scalars()
    assert not any(code in row or code.replace("-", "") in row for row in rows for code in codes)


def test_new_recovery_codes_replace_the_old(context, ann, make, app):
    old = accounts.make_recovery_codes(context, ann)
    new = accounts.make_recovery_codes(context, ann)
    assert not takes(context, ann, code=old[0])
    assert not takes(context, make.user("bob"), code=new[0])
    assert takes(context, ann, code=new[0])


def test_recovery_codes_go_with_the_last_second_factor(context, session, ann, app, device):
    accounts.make_recovery_codes(context, ann)
    assert accounts.remove_totp(context, ann)
    assert not accounts.remove_totp(context, ann)
    assert (ann.second_factor, accounts.recovery_codes_left(session, ann.id)) == (True, 10)
    (passkey,) = accounts.passkeys_of(session, ann.id)
    assert accounts.remove_passkey(context, ann, passkey.id)
    assert (ann.second_factor, session.scalar(select(func.count()).select_from(RecoveryCode))) == (False, 0)


# Passkeys.


def test_a_passkey_says_whose_it_is(context, session, ann, device):
    assert ann.second_factor
    assert accounts.passkey_user(context, device.prove(options(context)), BROWSER) is ann
    (passkey,) = accounts.passkeys_of(session, ann.id)
    assert (passkey.name, passkey.sign_count, passkey.last_used) == ("Phone", 1, NOON)
    assert takes(context, ann, passkey=device.prove(options(context)))


def test_an_answer_counts_once(context, ann, device):
    answer = device.prove(options(context))
    assert takes(context, ann, passkey=answer)
    assert not takes(context, ann, passkey=answer)
    device.count = 0  # a copy of the device has an old counter
    assert not takes(context, ann, passkey=device.prove(options(context)))


def test_the_passkey_of_another_account_is_no_second_step(context, make, device):
    assert not takes(context, make.user("bob"), passkey=device.prove(options(context)))


def test_a_challenge_is_for_one_browser_and_some_minutes(context, ann, device, clock):
    asked = accounts.proof_options(context.settings, "another browser")
    assert not takes(context, ann, passkey=device.prove(asked))
    asked = options(context)
    clock.shift(timedelta(minutes=10))
    assert not takes(context, ann, passkey=device.prove(asked))
    own = json.dumps({"challenge": "AAAA" * 19})
    assert not takes(context, ann, passkey=device.prove(own))
    registering = accounts.registration_options(context, ann, BROWSER)
    assert not takes(context, ann, passkey=device.prove(registering))


@pytest.mark.parametrize("wrong", ["origin", "host", "flags", "key", "off"])
def test_what_is_not_right_proves_nothing(context, session, ann, device, wrong):
    if wrong == "origin":
        device.origin = "http://localhost.evil.example"
    elif wrong == "host":
        device.host = "evil.example"
    elif wrong == "flags":
        device.flags = PRESENT  # the user was present, but gave no PIN
    elif wrong == "key":
        stranger = Device()
        stranger.id = device.id
        device = stranger
    else:
        ann.is_active = False
        session.flush()
    assert not takes(context, ann, passkey=device.prove(options(context)))


@for_each(
    "answer",
    [
        "",
        "[]",
        "{",
        "null",
        "{}",
        '{"rawId": 1}',
        '{"rawId": "é"}',
        '{"rawId": "AA", "response": 1}',
        "x" * 30000,
    ],
)
def test_nonsense_is_refused(context, answer):
    with pytest.raises(accounts.PasskeyRefusedError):
        accounts.passkey_user(context, answer, BROWSER)


def test_a_passkey_is_registered_once_and_with_a_challenge_of_its_own(context, session, ann, make, device):
    bob = make.user("bob")
    asked = accounts.registration_options(context, bob, BROWSER)
    with pytest.raises(accounts.PasskeyRefusedError):  # the device is already registered
        accounts.add_passkey(context, bob, device.make(asked), "Theirs", BROWSER)
    another = Device()
    with pytest.raises(accounts.PasskeyRefusedError):
        accounts.add_passkey(context, bob, another.make(options(context)), "Theirs", BROWSER)
    with pytest.raises(InvalidError):
        accounts.add_passkey(context, bob, another.make(asked), "x" * 65, BROWSER)
    assert session.scalar(select(func.count()).select_from(Passkey)) == 1
    assert not accounts.remove_passkey(context, bob, session.scalar(select(Passkey.id)))


@pytest.mark.parametrize("wrong", ["origin", "host", "flags", "late"])
def test_what_is_not_right_is_not_registered(context, session, ann, clock, wrong):
    made, asked = Device(), accounts.registration_options(context, ann, BROWSER)
    if wrong == "origin":
        made.origin = "http://localhost.evil.example"
    elif wrong == "host":
        made.host = "evil.example"
    elif wrong == "flags":
        made.flags = PRESENT  # the user was present, but gave no PIN
    else:
        clock.shift(timedelta(minutes=10))
    with pytest.raises(accounts.PasskeyRefusedError):
        accounts.add_passkey(context, ann, made.make(asked), "Phone", BROWSER)
    assert accounts.passkeys_of(session, ann.id) == []


def test_two_tabs_use_their_own_challenges_once_and_in_any_order(context, session, ann, device):
    first, second = options(context), options(context)
    assert takes(context, ann, passkey=device.prove(second))
    assert takes(context, ann, passkey=device.prove(first))
    for asked in (first, second):
        assert not takes(context, ann, passkey=device.prove(asked))
    one, other = (accounts.registration_options(context, ann, BROWSER) for _ in range(2))
    made = Device()
    accounts.add_passkey(context, ann, made.make(one), "Key", BROWSER)
    for asked in (one, other):  # of the same device; and of another one, with a spent challenge
        with pytest.raises(accounts.PasskeyRefusedError):
            accounts.add_passkey(context, ann, made.make(asked), "Again", BROWSER)
    with pytest.raises(accounts.PasskeyRefusedError):
        accounts.add_passkey(context, ann, Device().make(one), "Again", BROWSER)
    assert [passkey.name for passkey in accounts.passkeys_of(session, ann.id)] == ["Key", "Phone"]


def test_spent_challenges_are_kept_as_long_as_they_could_be_used(context, session, ann, device, clock):
    kept = select(func.count()).select_from(SpentChallenge)
    takes(context, ann, passkey=device.prove(options(context)))
    clean(session)
    assert session.scalar(kept) == 2
    clock.shift(timedelta(minutes=10))
    clean(session)
    assert session.scalar(kept) == 0


# Reset by administrators, and recovery by the owner.


def test_administrators_switch_it_off_with_a_line_in_the_log_and_a_mail(
    context, session, ann, app, device, mailbox
):
    accounts.make_recovery_codes(context, ann)
    assert admin.reset_second_factor(context, None, ann)
    assert not admin.reset_second_factor(context, None, ann)
    for model in (Totp, Passkey, RecoveryCode):
        assert session.scalar(select(func.count()).select_from(model)) == 0
    assert not ann.second_factor
    assert session.scalars(select(StaffAction.action)).all() == ["reset second factor"]
    assert mailbox()[-1].kind == "security_second_factor_reset"


def test_the_owner_gets_rid_of_what_an_intruder_added(context, session, ann, app, clock, mailbox):
    clock.shift(timedelta(hours=1))
    theirs = Device()
    asked = accounts.registration_options(context, ann, BROWSER)
    accounts.add_passkey(context, ann, theirs.make(asked), "Theirs", BROWSER)
    mail = mailbox()[-1]
    assert mail.kind == "security_passkey_added"
    accounts.reclaim_account(context, *mail.link("/not-me/").split("/")[-3:-1])
    assert accounts.passkeys_of(session, ann.id) == []
    assert ann.second_factor  # the owner's app remains
    assert takes(context, ann, code=app())


# Confirmation of sessions.


def test_a_session_of_a_clock_that_was_ahead_is_not_confirmed(context, session, ann, clock):
    clock.shift(timedelta(days=365))
    here = accounts.begin_session(context, ann)
    assert accounts.is_confirmed(session, here)
    clock.shift(timedelta(days=-365))
    assert not accounts.is_confirmed(session, here)


def test_a_session_is_confirmed_for_a_quarter_of_an_hour(context, session, ann, app, device, clock):
    here, elsewhere = (
        accounts.begin_session(context, ann),
        accounts.begin_session(context, ann, confirmed=False),
    )
    assert accounts.is_confirmed(session, here)
    assert not accounts.is_confirmed(session, elsewhere)
    clock.shift(timedelta(minutes=15))
    assert not accounts.is_confirmed(session, here)
    for field, value in (
        ("password", lambda: PASSWORD),
        ("code", app),
        ("passkey", lambda: device.prove(options(context))),
    ):
        accounts.confirm(context, ann, here, {f"confirm_{field}": value()}, BROWSER)
        assert accounts.is_confirmed(session, here)
        clock.shift(timedelta(minutes=15))
        assert not accounts.is_confirmed(session, here)
    recovery = accounts.make_recovery_codes(context, ann)[0]
    for form, error in (
        ({"confirm_password": "wrong"}, InvalidError),
        ({}, InvalidError),
        ({"confirm_code": recovery}, accounts.CodeRefusedError),
        ({"confirm_passkey": "{}"}, accounts.PasskeyRefusedError),
    ):
        with pytest.raises(error):
            accounts.confirm(context, ann, here, form, BROWSER)
    assert not accounts.is_confirmed(session, here)
