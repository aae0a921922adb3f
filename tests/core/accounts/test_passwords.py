"""Passwords: verification, the cache of verified ones, and equal times for known and unknown accounts."""

import pytest

from comicsdb.accounts import demo_accounts
from comicsdb.accounts.passwords import COSTS, UNUSABLE, Passwords, digest, from_settings, secrets_equal
from comicsdb.config.declarations import DEVELOPMENT_SECRET
from tests.cpu import cpu_seconds
from tests.serving import SECRET


@pytest.fixture(scope="module")
def passwords():
    """Hashing at the real cost, so that the time shows whether a password was cached."""
    return Passwords("default")


def test_a_hash_is_argon2id_with_the_recommended_cost(passwords):
    assert passwords.hash("x").startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_only_the_right_password_is_good(passwords):
    stored = passwords.hash("Città nuova 1")
    assert passwords.verify(stored, "Città nuova 1")
    assert not passwords.verify(stored, "citta nuova 1")
    assert not passwords.verify(stored, "")


@pytest.mark.parametrize("stored", [None, "", UNUSABLE, "not a hash", "$argon2id$v=19$broken"])
def test_what_is_no_hash_lets_nobody_in(passwords, stored):
    assert not passwords.verify(stored, "!")


def test_a_verified_pair_is_remembered_and_a_wrong_one_is_not(passwords):
    stored = passwords.hash("right")
    passwords.verify(stored, "right")
    again = cpu_seconds(lambda: passwords.verify(stored, "right"))
    wrong = cpu_seconds(lambda: passwords.verify(stored, "wrong"))
    assert wrong > again * 10


def test_a_changed_password_ends_what_was_remembered(passwords):
    stored = passwords.hash("old")
    assert passwords.verify(stored, "old")
    assert not passwords.verify(passwords.hash("new"), "old")


def test_an_unknown_account_takes_as_long_as_a_wrong_password(passwords):
    stored = passwords.hash("right")
    known = cpu_seconds(lambda: passwords.verify(stored, "wrong"))
    unknown = cpu_seconds(lambda: passwords.verify(None, "wrong"))
    assert known / 3 < unknown < known * 3


def test_weaker_hashes_are_known_as_such(passwords):
    assert passwords.needs_rehash(Passwords("fast").hash("x"))
    assert not passwords.needs_rehash(passwords.hash("x"))


@pytest.mark.parametrize("secret", [demo_accounts.password("admin"), demo_accounts.token("admin")])
def test_public_passwords_open_nothing_where_the_secret_is_one(secret):
    settings = {"comicsdb.password_cost": "fast", "comicsdb.secret": SECRET}
    passwords = from_settings(settings)
    assert not passwords.verify(passwords.hash(secret), secret)
    at_home = from_settings(settings | {"comicsdb.secret": DEVELOPMENT_SECRET})
    assert at_home.verify(at_home.hash(secret), secret)


def test_an_unknown_cost_says_which_there_are():
    with pytest.raises(ValueError, match=r"comicsdb\.password_cost") as caught:
        Passwords("none")
    assert all(cost in str(caught.value) for cost in COSTS)


def test_secrets_are_kept_as_digests_and_compared_whole():
    assert digest("demo") == "2a97516c354b68848cdbd8f54a226a0a55b21ed138e207ad6c5cbb9c00aa5aea"
    assert secrets_equal("abc", "abc")
    assert not secrets_equal("abc", "abd")
