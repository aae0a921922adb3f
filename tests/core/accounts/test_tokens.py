"""Tokens: shown once, stored as digests, created once per form, revoked only by their owner."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.tokens import checksum
from comicsdb.models import ApiToken
from tests.cases import for_each
from tests.refused import refused


def made(context, user, label="", key=None):
    return accounts.generate_token(context, user.id, label, key or accounts.new_form_key())


def test_a_token_is_known_by_its_digest_alone(context, session, ann):
    raw, token = made(context, ann, " Tagger ")
    session.commit()
    session.refresh(token)
    assert re.fullmatch(r"cdb_[0-9A-Za-z]{42}", raw)
    assert (token.digest, token.name, token.expiry, token.scope) == (digest(raw), "Tagger", None, "edit")
    assert token.token_key == raw[4:12] == accounts.shown_key(token)
    assert raw[12:] not in str(vars(token))


def test_every_token_is_another(context, ann):
    assert len({made(context, ann).raw for _ in range(20)}) == 20


@for_each("label", ["x" * 65, "a\nb", "a\0b"])
def test_a_label_that_does_not_fit_is_said(context, session, ann, label):
    assert refused(made, context, ann, label) == {"name"}
    assert session.scalar(select(func.count()).select_from(ApiToken)) == 0


def test_a_form_that_is_sent_again_makes_nothing(context, session, ann, make):
    key = accounts.new_form_key()
    made(context, ann, key=key)
    with pytest.raises(accounts.FormAlreadySubmittedError):
        made(context, ann, key=key)
    assert len(accounts.tokens_of(session, ann.id)) == 1
    assert made(context, make.user("bob"), key=key).raw  # form keys are per account
    assert made(context, ann).raw


def test_tokens_are_listed_newest_first_and_only_ones_own(context, session, ann, make):
    first, second = made(context, ann).token, made(context, ann).token
    made(context, make.user("bob"))
    assert accounts.tokens_of(session, ann.id) == [second, first]


def test_an_imported_token_is_told_by_the_same_number_of_characters(session, ann):
    token = ApiToken(digest="d" * 64, token_key="0123456789abcde", user_id=ann.id)
    session.add(token)
    session.commit()
    assert accounts.shown_key(token) == "01234567"
    assert token.token_key == "0123456789abcde"


def test_one_or_all_are_revoked_by_their_owner_alone(context, session, ann, make, caplog):
    caplog.set_level("INFO")
    tokens = [made(context, ann) for _ in range(3)]
    bob = make.user("bob")
    made(context, bob)
    assert accounts.revoke_token(context, bob.id, tokens[0].token.id) is False
    assert accounts.revoke_token(context, ann.id, tokens[0].token.id) is True
    assert accounts.revoke_token(context, ann.id, tokens[0].token.id) is False
    assert accounts.revoke_all_tokens(context, ann.id) == 2
    assert accounts.tokens_of(session, ann.id) == []
    assert len(accounts.tokens_of(session, bob.id)) == 1
    assert not any(token.raw in caplog.text or token.raw[4:] in caplog.text for token in tokens)
    assert caplog.messages[-1] == "API tokens revoked, 2 of them (user=Ann, ip=192.0.2.7)"


# The checksum.


def test_the_checksum_is_that_which_is_documented():
    assert checksum("") == "000000"
    assert checksum("123456789") == "3jZRME"  # CRC-32 0xcbf43926, in base 62


def test_what_cannot_be_a_token_is_seen_without_the_database(context, ann):
    raw = made(context, ann).raw
    assert not accounts.is_malformed(raw)
    for at in range(4, len(raw)):
        other = "A" if raw[at] != "A" else "B"
        assert accounts.is_malformed(raw[:at] + other + raw[at + 1 :]), at
    for wrong in (raw[:-1], f"{raw}0", "cdb_", "cdb_" + "0f" * 31, "cdb_" + "0F" * 32, f"cdb_{'é' * 42}"):
        assert accounts.is_malformed(wrong), wrong
    for older in ("cdb_" + "0f" * 32, "0f" * 32, "imported", ""):
        assert not accounts.is_malformed(older), older


# Scope and lifetime.


@for_each("scope", ["read", "library", "edit"])
def test_a_token_has_the_scope_that_was_chosen(context, session, ann, scope):
    token = accounts.generate_token(context, ann.id, "", accounts.new_form_key(), scope=scope).token
    session.commit()
    assert session.get_one(ApiToken, token.id, populate_existing=True).scope == scope


@for_each("lifetime,days", [("30", 30), ("90", 90), ("365", 365)])
def test_a_token_lives_for_the_days_that_were_chosen(context, ann, lifetime, days):
    moment = datetime(2027, 3, 1, 12, tzinfo=UTC)
    with time_machine.travel(moment, tick=False) as clock:
        token = accounts.generate_token(context, ann.id, "", accounts.new_form_key(), lifetime=lifetime).token
        assert token.expiry == moment + timedelta(days=days)
        clock.shift(days * 86_400 - 1)
        assert not accounts.is_expired(token)
        clock.shift(1)
        assert accounts.is_expired(token)


def test_a_token_lives_to_the_end_of_the_day_that_was_chosen(context, ann):
    with time_machine.travel(datetime(2027, 3, 1, 12, tzinfo=UTC), tick=False):
        key = accounts.new_form_key()
        token = accounts.generate_token(context, ann.id, "", key, lifetime="until", until="2027-03-01").token
    zone = context.settings["comicsdb.timezone"]
    assert token.expiry.astimezone(zone) == datetime(2027, 3, 1, 23, 59, 59, tzinfo=zone)


@for_each(
    "chosen,field",
    [
        ({"scope": ""}, "scope"),
        ({"scope": "admin"}, "scope"),
        ({"lifetime": ""}, "lifetime"),
        ({"lifetime": "31"}, "lifetime"),
        ({"lifetime": "until"}, "until"),
        ({"lifetime": "until", "until": "2027-02-29"}, "until"),
        ({"lifetime": "until", "until": "2027-02-27"}, "until"),
        ({"lifetime": "until", "until": "2039-01-01"}, "until"),
        ({"lifetime": "until", "until": "9999-12-31"}, "until"),
    ],
)
def test_what_cannot_be_chosen_is_said_by_field(context, session, ann, chosen, field):
    with time_machine.travel(datetime(2027, 3, 1, 12, tzinfo=UTC)):
        assert refused(accounts.generate_token, context, ann.id, "", "k", **chosen) == {field}
    assert session.scalar(select(func.count()).select_from(ApiToken)) == 0


def test_all_that_is_wrong_is_said_at_once(context, ann):
    assert refused(accounts.generate_token, context, ann.id, "x" * 65, "k", scope="", lifetime="until") == {
        "name",
        "scope",
        "until",
    }
