"""Tokens: shown once, kept as digests, made once per form, revoked by their owner alone."""

import re

import pytest
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.catalog import Invalid
from comicsdb.models import ApiToken
from comicsdb.passwords import digest


def made(visit, user, label="", key=None):
    return accounts.generate_token(visit, user.id, label, key or accounts.new_form_key())


def test_a_token_is_known_by_its_digest_alone(visit, session, ann):
    raw, token = made(visit, ann, " Tagger ")
    session.commit()
    session.refresh(token)
    assert re.fullmatch(r"cdb_[0-9a-f]{64}", raw)
    assert (token.digest, token.name, token.expiry) == (digest(raw), "Tagger", None)
    assert token.token_key == raw[4:12] == accounts.shown_key(token)
    assert raw[12:] not in str(vars(token))


def test_every_token_is_another(visit, ann):
    assert len({made(visit, ann).raw for _ in range(20)}) == 20


@pytest.mark.parametrize("label", ["x" * 65, "a\nb", "a\0b"])
def test_a_label_that_does_not_fit_is_said(visit, session, ann, label):
    with pytest.raises(Invalid) as caught:
        made(visit, ann, label)
    assert set(caught.value.errors) == {"name"}
    assert session.scalar(select(func.count()).select_from(ApiToken)) == 0


def test_a_form_that_is_sent_again_makes_nothing(visit, session, ann, make):
    key = accounts.new_form_key()
    made(visit, ann, key=key)
    with pytest.raises(accounts.FormSpent):
        made(visit, ann, key=key)
    assert len(accounts.tokens_of(session, ann.id)) == 1
    assert made(visit, make.user("bob"), key=key).raw  # keys of one say nothing to another
    assert made(visit, ann).raw


def test_tokens_are_listed_newest_first_and_only_ones_own(visit, session, ann, make):
    first, second = made(visit, ann).token, made(visit, ann).token
    made(visit, make.user("bob"))
    assert accounts.tokens_of(session, ann.id) == [second, first]


def test_an_imported_token_is_told_by_the_same_number_of_characters(session, ann):
    token = ApiToken(digest="d" * 64, token_key="0123456789abcde", user_id=ann.id)
    session.add(token)
    session.commit()
    assert accounts.shown_key(token) == "01234567"
    assert token.token_key == "0123456789abcde"


def test_one_or_all_are_revoked_by_their_owner_alone(visit, session, ann, make, caplog):
    caplog.set_level("INFO")
    tokens = [made(visit, ann) for _ in range(3)]
    bob = make.user("bob")
    made(visit, bob)
    assert accounts.revoke_token(visit, bob.id, tokens[0].token.id) is False
    assert accounts.revoke_token(visit, ann.id, tokens[0].token.id) is True
    assert accounts.revoke_token(visit, ann.id, tokens[0].token.id) is False
    assert accounts.revoke_all_tokens(visit, ann.id) == 2
    assert accounts.tokens_of(session, ann.id) == []
    assert len(accounts.tokens_of(session, bob.id)) == 1
    assert not any(token.raw in caplog.text or token.raw[4:] in caplog.text for token in tokens)
    assert caplog.messages[-1] == "API tokens revoked, 2 of them (user=Ann, ip=192.0.2.7)"
