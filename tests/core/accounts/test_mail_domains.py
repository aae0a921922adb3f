"""The mail-domain service: queried over HTTP if the settings name one, outside of any transaction."""

from contextlib import contextmanager

import pytest

from comicsdb import accounts
from comicsdb.accounts.signup import OUTAGE
from comicsdb.catalog import InvalidError
from tests.http_service import http_service
from tests.serving import free_port


@contextmanager
def service(status: int = 200, body: bytes = b"{}"):
    """Run a service with a fixed response; yields its address for the settings, and the requested paths."""
    with http_service(lambda _path: (status, {}, body)) as (url, asked):
        yield f"{url}/check/{{domain}}?key=1", asked


def outcome(context, typed):
    try:
        accounts.sign_up(context, typed)
    except InvalidError as error:
        return {field: [str(text) for text in texts] for field, texts in error.errors.items()}
    return None


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (b'{"block": false, "disposable": false}', False),
        (b'{"block": true}', True),
        (b'{"disposable": true, "block": false}', True),
        (b'{"disposable": "no"}', False),
    ],
)
def test_what_the_service_says_counts(context_with, form, body, refused):
    with service(body=body) as (address, asked):
        found = outcome(context_with(comicsdb__signup__mail_check=address), form(email="bob@Unheard.example"))
    assert asked == ["/check/unheard.example?key=1"]
    expected = {"email": ["Addresses of this domain cannot be used for accounts."]}
    assert found == (expected if refused else None)


def test_well_known_providers_are_not_asked_about_nor_is_a_bad_form(context_with, form):
    with service(body=b'{"block": true}') as (address, asked):
        here = context_with(comicsdb__signup__mail_check=address)
        assert outcome(here, form(email="bob@gmail.com")) is None
        assert "username" in outcome(here, form(username="a b"))
    assert asked == []


@pytest.mark.parametrize("failure", ["500", "no JSON", "a list", "gone"])
def test_failed_check_of_a_domain_refuses_the_address(context_with, form, failure, caplog):
    status, body = {"500": (500, b"{}"), "no JSON": (200, b"<html>"), "a list": (200, b"[1]")}.get(
        failure, (200, b"")
    )
    OUTAGE.forget()
    nowhere = f"http://127.0.0.1:{free_port()}/{{domain}}"
    with service(status, body) as (address, _asked):
        here = context_with(comicsdb__signup__mail_check=nowhere if failure == "gone" else address)
        found = outcome(here, form(email="bob@unheard.example"))
    assert "contact the administrators" in found["email"][0]
    assert "The mail-domain service failed" in caplog.text
    assert "unheard.example" not in caplog.text


def test_no_transaction_is_open_while_the_service_is_asked(context_with, form, session, monkeypatch):
    open_then = []
    with service() as (address, _asked):
        here = context_with(comicsdb__signup__mail_check=address)

        def watched(settings, email):
            open_then.append(session.in_transaction())

        monkeypatch.setattr("comicsdb.accounts.signup.check_domain", watched)
        assert outcome(here, form(email="bob@unheard.example")) is None
    assert open_then == [False]
