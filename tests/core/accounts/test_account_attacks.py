"""Attacks on accounts: bypassing a ban, a change of password or the guard; excessively long texts."""

import pytest

from comicsdb import accounts, admin
from comicsdb.accounts import Guard, rules
from tests.core.accounts.conftest import PASSWORD
from tests.refused import refused

NEW = "another horse battery"


def asked_for_another_address(context, ann, mailbox) -> str:
    """Somebody who knows the password requests another address; returns the secret of the link."""
    accounts.update_profile(context, ann.id, {"email": "evil@example.org", "password": PASSWORD})
    return mailbox()[0].link("/s/email/").rstrip("/").rpartition("/")[2]


# Bypassing a ban or a change of password.


@pytest.mark.parametrize("confirmed", [True, False])
def test_who_was_switched_off_cannot_ask_for_another_activation(context, session, make, mailbox, confirmed):
    bad = make.user("Bad", email="bad@example.org", email_confirmed=confirmed)
    admin.change_account(context, None, bad, {"is_active": False})
    accounts.resend_activation(context, "bad@example.org")
    assert mailbox() == []


@pytest.mark.parametrize("changes", [{"bio": "x"}, {"email": "right@example.org"}])
def test_but_who_waits_for_activation_can_though_the_staff_changed_something(
    context, session, form, mailbox, changes
):
    accounts.sign_up(context, form())
    bob = accounts.find_user(session, "bob")
    admin.change_account(context, None, bob, changes)
    accounts.resend_activation(context, bob.email)
    first, second = ([*mail.link("/activate/").rstrip("/").split("/")[-2:]] for mail in mailbox())
    if "email" in changes:
        with pytest.raises(accounts.BadLinkError):
            accounts.activate(context, *first)
    assert accounts.activate(context, *second).email == bob.email


def test_a_new_password_ends_the_wish_for_another_address(context, session, ann, mailbox):
    """The mail to the current address tells an owner who did not ask for this to choose a new password."""
    secret = asked_for_another_address(context, ann, mailbox)
    identifier = accounts.begin_session(context, ann)
    session.flush()
    form = {"password": PASSWORD, "new_password": NEW, "new_password_again": NEW}
    accounts.change_password(context, ann.id, identifier, form)
    with pytest.raises(accounts.BadLinkError):
        accounts.confirm_email(context, secret)
    assert ann.email == "Ann@example.org"


def test_so_does_one_that_is_set_by_mail(context, ann, mailbox):
    secret = asked_for_another_address(context, ann, mailbox)
    accounts.request_reset(context, "ann@example.org")
    link = next(mail for mail in mailbox() if mail.kind == "reset").link("/reset/")
    uid, reset = link.rstrip("/").split("/")[-2:]
    accounts.reset_password(context, uid, reset, {"new_password": NEW, "new_password_again": NEW})
    with pytest.raises(accounts.BadLinkError):
        accounts.confirm_email(context, secret)


# Bypassing the guard.


@pytest.mark.parametrize(
    "names",
    [
        ("Ann", "Ａnn", "Aｎn", "Anｎ", "ＡＮＮ"),
        # The domain of an address is also compared without some characters, and each kind of dot is one.
        (
            "ann@exa\ufe00mple.org",
            "ann@exam\u034fple.org",
            "ann@example。org",
            "ann@ｅxample.org",
            "ann@example.org",
        ),
    ],
)
def test_another_way_to_write_a_name_has_no_attempts_of_its_own(context, ann, names):
    for name in names:
        with pytest.raises(accounts.LogInFailedError):
            accounts.log_in(context, name, "wrong")
    with pytest.raises(accounts.TooManyFailuresError):
        accounts.log_in(context, names[0].lower(), PASSWORD)


@pytest.mark.parametrize(("username", "names"), [("ian", ("İan", "IAN")), ("ΑΣ", ("ασ", "ΑΣ"))])
def test_nor_has_a_name_in_other_letters_that_postgresql_finds(context, session, make, username, names):
    """PostgreSQL changes each letter to lower case by itself; Python by rules of its own for İ and Σ."""
    make.user(username)
    for name in names * 3:
        assert accounts.find_user(session, name).username == username
        context.guard.record_failure(name, context.address)
    for name in names:
        with pytest.raises(accounts.TooManyFailuresError):
            context.guard.check(name, context.address)


def test_nor_mails_of_its_own(context):
    assert context.guard.count_warning_mails("ann@example.org") == (True, True)
    assert context.guard.count_warning_mails("ann@exa\ufe00mple.org") == (False, False)


def test_nobody_fills_the_memory_of_who_may_try_with_long_names(limiter):
    address = "192.0.2.7"
    guard, other = Guard(limiter), Guard(limiter)
    for name in ("ann", "a" * 151):
        guard.check(name, address)
        for _ in range(5):
            other.record_failure(name, address)
    guard.check("ann", address)  # still cached as allowed
    with pytest.raises(accounts.TooManyFailuresError):
        guard.check("a" * 151, address)


# Texts that would take much processor time, or fill a mail.


def test_what_is_far_too_long_is_not_turned_over():
    """Normalising takes time: quadratic in the number of accents, and growing with the length of a domain."""
    name = "\u0301\u0323" * 1000
    assert rules.normal_name(name) == name
    address = "ann@" + "é." * 1000 + "org"
    assert rules.normal_email(address) == address


def test_nor_is_a_password_compared_with_all_of_it(context, form):
    wrong = form(username="x" * rules.USERNAME_MAX + " horseradish", password="horseradish")
    assert refused(accounts.sign_up, context, wrong) == {"username"}


def test_administrators_get_no_name_that_nobody_could_have(context_with, form, mailbox):
    settings = {
        "comicsdb__signup__per_address": 1,
        "comicsdb__mail__tell": ("blocked",),
        "comicsdb__mail__administrators": ("admin@example.org",),
    }
    here = context_with(**settings)
    accounts.sign_up(here, form())
    with pytest.raises(accounts.TooManySignUpsError):
        accounts.sign_up(here, form(username="y" * 100_000))
    (told,) = [mail for mail in mailbox() if mail.to == "admin@example.org"]
    assert told.text.count("y") < 2 * rules.USERNAME_MAX + 50
