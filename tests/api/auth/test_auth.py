"""Authentication by HTTP Basic and tokens: the exact messages of refusals, and the log."""

import base64
import logging
from datetime import UTC, datetime, timedelta

import pytest
from argon2 import PasswordHasher
from sqlalchemy import update

from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, User
from tests.api.conftest import PASSWORD, basic_auth
from tests.conftest import record_statements

PATH = "/api/arc/"
NOT_GIVEN = {"detail": "Authentication credentials were not provided."}
WRONG = "Invalid username/password."
LOGGER = "comicsdb_api.auth"


def refusal(client, authorization):
    """The message of the 401 response to an Authorization header."""
    answer = client.get(PATH, 401, {"Authorization": authorization})
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="api"'
    assert answer.headers["Content-Type"] == "application/json"
    assert list(answer.json) == ["detail"]
    return answer.json["detail"]


def encoded(text):
    """Base64 of a text."""
    return base64.b64encode(text.encode()).decode()


@pytest.fixture
def token(session):
    """`token(user, text=..., expiry=None)`: make a token; returns its text."""

    def make_token(user, text="cdb_" + "0f" * 32, expiry=None):
        session.add(ApiToken(digest=digest(text), token_key=text[:8], user_id=user.id, expiry=expiry))
        session.commit()
        return text

    return make_token


# Basic.


def test_name_and_password_open_the_door(anonymous, reader):
    anonymous.get(PATH, 200, basic_auth("reader", PASSWORD))


@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC", "bAsIc"])
def test_the_word_basic_in_any_case(anonymous, reader, scheme):
    anonymous.get(PATH, 200, {"Authorization": f"{scheme} {encoded(f'reader:{PASSWORD}')}"})


def test_a_name_in_any_case(anonymous, reader):
    anonymous.get(PATH, 200, basic_auth("READER", PASSWORD))


@pytest.mark.parametrize("password", ["pass:word: colon", "пароль", "ünïcode"])
def test_any_password_can_be_sent(anonymous, make, passwords, password):
    make.user("other", password=password, passwords=passwords)
    anonymous.get(PATH, 200, basic_auth("other", password))


def test_a_password_in_latin_1_as_older_clients_send_it(anonymous, make, passwords):
    make.user("other", password="été", passwords=passwords)
    sent = base64.b64encode("other:été".encode("latin-1")).decode()
    anonymous.get(PATH, 200, {"Authorization": f"Basic {sent}"})


@pytest.mark.parametrize(
    ("credentials", "message"),
    [
        ("", "Invalid basic header. No credentials provided."),
        (" ", "Invalid basic header. No credentials provided."),
        (" a b", "Invalid basic header. Credentials string should not contain spaces."),
        (" !!!", "Invalid basic header. Credentials not correctly base64 encoded."),
        (" abc", "Invalid basic header. Credentials not correctly base64 encoded."),
        (" é", "Invalid basic header. Credentials not correctly base64 encoded."),
        (" " + encoded("reader:wrong"), WRONG),
        (" " + encoded("reader:"), WRONG),
        (" " + encoded("reader"), WRONG),
        (" " + encoded("nobody:" + PASSWORD), WRONG),
        (" " + encoded(":" + PASSWORD), WRONG),
        (" " + encoded("rea\0der:" + PASSWORD), WRONG),
        (" " + encoded("reader:" + PASSWORD + "\0"), WRONG),
        (" " + encoded("x" * 1500 + ":" + "y" * 1500), WRONG),
        (" " + encoded("system:!"), WRONG),
    ],
)
def test_what_is_wrong_with_basic_credentials(anonymous, reader, credentials, message):
    assert refusal(anonymous, "Basic" + credentials) == message


def test_an_inactive_account_is_like_an_unknown_one(anonymous, reader, session):
    session.execute(update(User).where(User.id == reader.id).values(is_active=False))
    session.commit()
    assert refusal(anonymous, basic_auth("reader", PASSWORD)["Authorization"]) == WRONG


def test_a_changed_password_counts_at_once(anonymous, reader, session, passwords):
    anonymous.get(PATH, 200, basic_auth("reader", PASSWORD))
    session.execute(update(User).where(User.id == reader.id).values(password=passwords.hash("new one")))
    session.commit()
    assert refusal(anonymous, basic_auth("reader", PASSWORD)["Authorization"]) == WRONG
    anonymous.get(PATH, 200, basic_auth("reader", "new one"))


def test_the_unknown_and_the_inactive_cost_a_hash_as_the_wrong_password_does(
    anonymous, reader, make, passwords, monkeypatch
):
    make.user("sleeper", password=PASSWORD, passwords=passwords, is_active=False)
    hashed = []
    verify = PasswordHasher.verify

    def counted(hasher, stored, password):
        hashed.append(stored)
        return verify(hasher, stored, password)

    monkeypatch.setattr(PasswordHasher, "verify", counted)
    for name, password in [
        ("reader", "wrong"),
        ("nobody", "wrong"),
        ("sleeper", PASSWORD),
        ("sleeper", PASSWORD),
    ]:
        hashed.clear()
        assert refusal(anonymous, basic_auth(name, password)["Authorization"]) == WRONG
        assert len(hashed) == 1


# Tokens.


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_token_opens_the_door(anonymous, reader, token, scheme):
    anonymous.get(PATH, 200, {"Authorization": f"{scheme} {token(reader)}"})


@pytest.mark.parametrize("text", ["0f" * 32, "x", "any-text.at:all", "é"])
def test_any_text_is_a_token_when_its_digest_is_known(anonymous, reader, token, text):
    sent = token(reader, text)
    anonymous.get(PATH, 200, {"Authorization": f"Bearer {sent}"})


@pytest.mark.parametrize(
    ("credentials", "message"),
    [
        ("", "Invalid token header. No credentials provided."),
        (" a b", "Invalid token header. Token string should not contain spaces."),
        (" unknown", "Invalid token."),
        (" CDB_" + "0f" * 32, "Invalid token."),
        (" " + digest("cdb_" + "0f" * 32), "Invalid token."),
        (" \xff", "Invalid token."),
    ],
)
def test_what_is_wrong_with_a_token(anonymous, reader, token, credentials, message):
    token(reader)
    assert refusal(anonymous, "Bearer" + credentials) == message


def test_a_token_expires(anonymous, reader, token):
    now = datetime.now(UTC)
    old = token(reader, "old", now - timedelta(seconds=1))
    young = token(reader, "young", now + timedelta(hours=1))
    assert refusal(anonymous, f"Bearer {old}").startswith("The token expired on ")
    anonymous.get(PATH, 200, {"Authorization": f"Bearer {young}"})


def test_a_token_of_an_inactive_account(anonymous, reader, token, session):
    sent = token(reader)
    session.execute(update(User).where(User.id == reader.id).values(is_active=False))
    session.commit()
    assert refusal(anonymous, f"Bearer {sent}") == "User inactive or deleted."


def test_a_revoked_token_leaves_the_others_alone(anonymous, reader, token, session):
    first, second = token(reader, "first"), token(reader, "second")
    session.query(ApiToken).filter_by(digest=digest(first)).delete()
    session.commit()
    assert refusal(anonymous, f"Bearer {first}") == "Invalid token."
    anonymous.get(PATH, 200, {"Authorization": f"Bearer {second}"})


# Neither Basic nor a token.


@pytest.mark.parametrize(
    "authorization", [None, "", " ", "Token abc", "Digest x=y", "Basic64 abc", "Bearertoken"]
)
def test_another_scheme_is_nobody(anonymous, authorization):
    """Requests without the header may read the catalog; an unknown scheme is an attempt to log in."""
    sent = {} if authorization is None else {"Authorization": authorization}
    is_empty = not (authorization or "").strip()
    for path, status in ((PATH, 200 if is_empty else 401), ("/api/collection/", 401)):
        for method in ("GET", "HEAD"):
            answer = anonymous.call(method, path, status, sent)
            if status == 401:
                assert method == "HEAD" or answer.json == NOT_GIVEN
                assert answer.headers["WWW-Authenticate"] == 'Basic realm="api"'


def test_the_refused_see_no_difference_between_what_exists_and_what_does_not(anonymous, make):
    arc = make.arc()
    paths = [f"/api/arc/{number}/history/" for number in (arc.id, arc.id + 1)]
    answers = [anonymous.get(path, 401) for path in paths]
    assert answers[0].body == answers[1].body


def test_wrong_credentials_are_refused_for_any_method(anonymous, reader):
    for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
        answer = anonymous.call(method, PATH, 401, basic_auth("reader", "wrong"))
        assert method == "HEAD" or answer.json == {"detail": WRONG}


# Cost.


def test_reading_credentials_and_account_costs_one_statement(anonymous, make, passwords, token, connection):
    groups = ("editor", "reading list editor")
    user = make.user("grouped", password=PASSWORD, passwords=passwords, groups=groups)
    for sent in (basic_auth("grouped", PASSWORD)["Authorization"], f"Bearer {token(user)}"):
        with record_statements(connection) as statements:
            anonymous.call("OPTIONS", PATH, 200, {"Authorization": sent})
        assert len(statements) == 1, statements


def test_credentials_that_cannot_be_right_cost_no_statement(anonymous, connection):
    with record_statements(connection) as statements:
        refusal(anonymous, "Basic !!!")
        anonymous.get("/api/collection/", 401)
        anonymous.get("/api/nothing/", 404, basic_auth("reader", PASSWORD))
    assert statements == []


# The log.


def test_a_request_that_was_let_in_is_logged(anonymous, reader, token, caplog):
    caplog.set_level(logging.INFO, LOGGER)
    for method, sent in [
        ("basic", basic_auth("reader", PASSWORD)["Authorization"]),
        ("token", f"Bearer {token(reader)}"),
    ]:
        caplog.clear()
        answer = anonymous.testapp.get(
            PATH, headers={"Authorization": sent}, extra_environ={"REMOTE_ADDR": "192.0.2.7"}
        )
        assert answer.status_int == 200
        (record,) = caplog.records
        assert (record.name, record.levelname) == (LOGGER, "INFO")
        assert method in record.getMessage()
        assert record.getMessage().endswith("(user=reader, ip=192.0.2.7)")
        assert (record.username, record.auth_method, record.ip) == ("reader", method, "192.0.2.7")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/arc/9/", 404), ("POST", "/api/", 405)])
def test_so_is_one_that_came_to_nothing_later(api, caplog, method, path, status):
    caplog.set_level(logging.INFO, LOGGER)
    api.call(method, path, status)
    assert [record.username for record in caplog.records] == ["reader"]


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        (basic_auth("reader", "wrong")["Authorization"], "reader"),
        (basic_auth("nobody", "x")["Authorization"], "nobody"),
        (basic_auth("evil\r\nuser=admin\x1b[2J\u2028", "x")["Authorization"], "evil  user=admin [2J "),
        (basic_auth("x" * 500, "x")["Authorization"], "x" * 150),
        ("Basic !!!", "-"),
        ("Basic", "-"),
        ("Bearer unknown", "-"),
        ("Bearer a b", "-"),
    ],
)
def test_a_failed_attempt_is_logged_in_the_same_form(anonymous, reader, caplog, sent, name):
    caplog.set_level(logging.INFO, LOGGER)
    refusal(anonymous, sent)
    (record,) = caplog.records
    method = "basic" if sent.startswith("Basic") else "token"
    assert record.levelname == "WARNING"
    assert record.getMessage().endswith(f"by {method} (user={name}, ip=unknown)")
    assert (record.username, record.auth_method, record.ip) == (name, method, "unknown")
    assert len(record.getMessage().splitlines()) == 1


def test_a_switched_off_account_is_named_when_its_token_is_tried(anonymous, reader, token, session, caplog):
    sent = token(reader)
    session.execute(update(User).where(User.id == reader.id).values(is_active=False))
    session.commit()
    refusal(anonymous, f"Bearer {sent}")
    assert [record.username for record in caplog.records] == ["reader"]


def test_neither_password_nor_token_is_logged(anonymous, reader, token, caplog):
    caplog.set_level(logging.DEBUG, "comicsdb_api")
    anonymous.get(PATH, 401, basic_auth("reader", "secret-one"))
    anonymous.get(PATH, 401, {"Authorization": "Bearer secret-two"})
    anonymous.get(PATH, 200, {"Authorization": f"Bearer {token(reader, 'secret-three')}"})
    assert len(caplog.records) == 3
    assert "secret" not in caplog.text


def test_nobody_is_not_logged(anonymous, caplog):
    caplog.set_level(logging.INFO, LOGGER)
    anonymous.get(PATH, 200)
    anonymous.get("/api/collection/", 401)
    anonymous.get("/api/nothing/", 404)
    assert caplog.records == []


def test_credentials_of_the_api_mean_nothing_elsewhere(anonymous, reader, connection):
    with record_statements(connection) as statements:
        anonymous.get("/media/nothing.jpg", 404, basic_auth("reader", "wrong"))
    assert statements == []
