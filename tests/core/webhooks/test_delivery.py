"""Delivery of webhooks: signed, in order, retried after failures, and never lost."""

import json
import os
import re
import signal
import sys
import textwrap
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import Popen

import pytest
import standardwebhooks
import time_machine
from sqlalchemy import func, select, text, update

from comicsdb.catalog import Catalog, InvalidError
from comicsdb.config import parse_settings
from comicsdb.models import Arc, Change, OutgoingMail, Publisher, User, Webhook, WebhookDelivery
from comicsdb.webhooks import delivery, endpoints
from comicsdb.webhooks.delivery import Deliverer
from tests.factories import Factories
from tests.mailbox import Mail
from tests.receiver import Receiver
from tests.serving import SECRET
from tests.waiting import wait_until

START = datetime(2026, 11, 24, 12, tzinfo=UTC)
SETTINGS = {
    "comicsdb.secret": SECRET,
    "comicsdb.base_url": "https://comics.example",
    "comicsdb.webhooks.networks": "127.0.0.0/8",
}


@pytest.fixture
def settings(database):
    return parse_settings({**SETTINGS, "sqlalchemy.url": database})


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def clock():
    with time_machine.travel(START, tick=False) as clock:
        yield clock


@pytest.fixture
def owner(factory):
    with factory() as session:
        user = Factories(Catalog(session)).user("Ann", email_confirmed=True, email="ann@comics.example")
        session.commit()
        return user.id


@pytest.fixture
def hook(factory, settings, owner, receiver):
    """A webhook for all kinds: its id and secret."""
    return make(factory, settings, owner, receiver.url)


@pytest.fixture
def deliverer(factory, settings):
    return Deliverer(factory.kw["bind"], settings)


def make(factory, settings, owner, url, *kinds, key="key"):
    with factory() as session:
        made = endpoints.make(
            session, settings, owner, url=url, kinds=kinds, description="Tagger", form_key=key
        )
        session.commit()
        return made.webhook.id, made.secret


def create(factory, *names, model=Arc):
    """Create objects in one transaction; returns their ids."""
    with factory() as session:
        made = [Catalog(session).create(model, {"name": each}) for each in names]
        session.commit()
        return [each.id for each in made]


def add_lines(factory, number):
    """Add lines to the change feed, of the objects 1 to `number`; creating these would take seconds."""
    lines = f"SELECT 'arc', n, 'create' FROM generate_series(1, {number}) n"
    with factory() as session:
        session.execute(text(f"INSERT INTO change_log (kind, object_id, action) {lines}"))
        session.commit()


def rows(factory, model=WebhookDelivery):
    with factory() as session:
        return list(session.scalars(select(model).order_by(model.id)))


def act(factory, hook, function, *more):
    """Call a function with the webhook, as its owner's pages do, and commit."""
    with factory() as session:
        webhook = session.get_one(Webhook, hook[0])
        done = function(*more, webhook)
        session.commit()
        return done


def data_of(receiver, number=-1):
    return json.loads(receiver.received[number][1])["data"]


def test_changes_are_sent_once_signed_as_published_libraries_check(factory, hook, receiver, deliverer):
    create(factory, "One", "Two")
    assert deliverer.send_due() == {"delivered": 1}
    [(headers, body)] = receiver.received
    checked = standardwebhooks.Webhook(hook[1]).verify(body, headers)
    assert checked["type"] == "catalogue.changed"
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(hook[1]).verify(body.replace(b"create", b"delete"), headers)
    changes = checked["data"]["changes"]
    assert [(each["kind"], each["action"]) for each in changes] == [("arc", "create")] * 2
    assert set(changes[0]) == {"seq", "at", "kind", "object_id", "action", "fields", "survivor_id"}
    assert checked["data"]["after"] == changes[-1]["seq"]
    assert checked["data"]["restart"] is False
    assert deliverer.send_due() == {}
    [row] = rows(factory)
    assert (row.status, row.answer, row.delivered, row.attempts) == (200, "Thank <you>", True, 1)
    assert row.message_id == headers["webhook-id"]


def test_the_receiver_of_the_documentation_checks_signatures(factory, hook, receiver, deliverer):
    described = (Path(__file__).parents[3] / "docs" / "api.md").read_text().partition("## Webhooks")[2]
    code = re.search(r"(?s)    import base64, hashlib.*?\n\n(?=\S)", described)[0]
    names = {}
    exec(textwrap.dedent(code), names)  # noqa: S102
    create(factory, "One")
    deliverer.send_due()
    [(headers, body)] = receiver.received
    assert names["check"](hook[1], headers, body)
    assert not names["check"](hook[1], headers, body + b" ")
    assert not names["check"](hook[1], headers | {"webhook-timestamp": "1"}, body)


def test_what_was_there_before_and_other_kinds_are_not_sent(factory, settings, owner, receiver, deliverer):
    create(factory, "Before")
    make(factory, settings, owner, receiver.url, "publisher")
    create(factory, "Not this one")
    assert deliverer.send_due() == {}
    [made] = create(factory, "House", model=Publisher)
    deliverer.send_due()
    assert [(each["kind"], each["object_id"]) for each in data_of(receiver)["changes"]] == [
        ("publisher", made)
    ]


def test_many_changes_come_in_several_messages_in_the_order_of_the_feed(factory, hook, receiver, deliverer):
    add_lines(factory, 205)
    while deliverer.send_due():
        pass
    sent = [each for number in range(3) for each in data_of(receiver, number)["changes"]]
    assert [each["object_id"] for each in sent] == list(range(1, 206))
    assert [each.changes for each in rows(factory)] == [100, 100, 5]


def test_a_failure_is_tried_again_with_the_same_message_and_later_ones_wait(
    factory, hook, receiver, deliverer, clock
):
    receiver.answers = [500] * 3
    create(factory, "First")
    for delay in delivery.DELAYS[:3]:
        assert deliverer.send_due() == {"failed": 1}
        create(factory, f"After {delay}")
        clock.shift(delay - 1)
        assert deliverer.send_due() == {}
        clock.shift(2 + delay * delivery.JITTER)
    assert deliverer.send_due() == {"delivered": 1}
    assert len({(headers["webhook-id"], body) for headers, body in receiver.received}) == 1
    assert len({headers["webhook-timestamp"] for headers, _body in receiver.received}) == 4
    deliverer.send_due()
    assert [each["fields"] for each in data_of(receiver)["changes"]] == [[], [], []]


def test_after_days_of_failures_it_is_disabled_its_owner_told_and_nothing_lost(
    factory, settings, hook, receiver, deliverer, clock
):
    create(factory, "First")
    receiver.answers = [503] * 11
    begun = datetime.now(UTC)
    while deliverer.send_due() == {"failed": 1}:
        clock.shift(rows(factory)[0].next_attempt - datetime.now(UTC))
    assert timedelta(days=2.9) < datetime.now(UTC) - begun < timedelta(days=3.5)
    assert len(receiver.received) == 11
    assert rows(factory, Webhook)[0].state == "disabled"
    [mail] = rows(factory, OutgoingMail)
    assert mail.recipient == "ann@comics.example"
    assert f"https://comics.example/accounts/webhooks/{hook[0]}/" in Mail(mail.message).text
    create(factory, "Second")
    clock.shift(timedelta(days=9))
    assert deliverer.send_due() == {}
    with factory() as session:
        endpoints.resume(session, session.get_one(Webhook, hook[0]))
        session.commit()
    assert deliverer.send_due() == {"delivered": 1}
    assert deliverer.send_due() == {"delivered": 1}
    numbers = [data_of(receiver, each)["changes"][0]["object_id"] for each in (-2, -1)]
    assert numbers == sorted(numbers)
    assert len(rows(factory, OutgoingMail)) == 1


def test_slow_receiver_of_one_account_delays_no_message_of_another(factory, settings, owner, receiver):
    with factory() as session:
        another = Factories(Catalog(session)).user("Bob").id
        session.commit()
    worker = Deliverer(factory.kw["bind"], settings)
    with Receiver() as slow:
        slow.slowly = True
        for number in range(5):
            make(factory, settings, owner, slow.url, key=f"slow {number}")
        make(factory, settings, another, receiver.url)
        create(factory, "One")
        worker.start()
        for name in ("Two", "Three", "Four"):
            wait_until(lambda: receiver.received)
            assert len(slow.received) == 1  # the others of its account wait
            receiver.received.clear()
            create(factory, name)
        wait_until(lambda: receiver.received)
        slow.slowly = False
        worker.stop()


def test_gone_is_believed_at_once(factory, hook, receiver, deliverer):
    receiver.answers = [410]
    create(factory, "First")
    assert deliverer.send_due() == {"given up": 1}
    assert rows(factory, Webhook)[0].state == "disabled"
    assert "410" in Mail(rows(factory, OutgoingMail)[0].message).text


def test_a_server_says_when_to_come_back(factory, hook, receiver, deliverer, clock):
    receiver.answers, receiver.headers = [429], {"Retry-After": "3600"}
    create(factory, "First")
    deliverer.send_due()
    clock.shift(3599)
    assert deliverer.send_due() == {}
    clock.shift(2)
    assert deliverer.send_due() == {"delivered": 1}


def test_a_redirect_is_a_failure_and_an_address_without_answer_too(
    factory, settings, owner, hook, receiver, deliverer
):
    with Receiver() as target:
        receiver.answers, receiver.headers = [302], {"Location": target.url}
        create(factory, "First")
        assert deliverer.send_due() == {"failed": 1}
        assert target.received == []
    act(factory, hook, lambda webhook: endpoints.change(
        settings, webhook, url=target.url, kinds=(), description=""
    ))  # fmt: skip
    with factory() as session:
        session.execute(update(WebhookDelivery).values(next_attempt=func.now()))
        session.commit()
    assert deliverer.send_due() == {"failed": 1}
    [row] = rows(factory)
    assert (row.status, row.problem, row.answer) == (None, "refused", "")


def test_a_paused_one_gets_afterwards_what_changed_meanwhile(factory, hook, receiver, deliverer):
    act(factory, hook, endpoints.pause)
    [made] = create(factory, "Meanwhile")
    assert deliverer.send_due() == {}
    with factory() as session:
        endpoints.resume(session, session.get_one(Webhook, hook[0]))
        session.commit()
    deliverer.send_due()
    assert [each["object_id"] for each in data_of(receiver)["changes"]] == [made]


def test_nothing_is_sent_for_an_account_that_is_not_active(factory, hook, receiver, deliverer, owner):
    create(factory, "First")
    with factory() as session:
        session.execute(update(User).where(User.id == owner).values(is_active=False))
        session.commit()
    assert deliverer.send_due() == {}
    assert receiver.received == []


def test_a_new_secret_signs_beside_the_old_one_for_a_day(factory, settings, hook, receiver, deliverer, clock):
    new = act(factory, hook, lambda webhook: endpoints.rotate(settings, webhook))
    create(factory, "First")
    deliverer.send_due()
    for secret in (hook[1], new):
        standardwebhooks.Webhook(secret).verify(receiver.received[-1][1], receiver.received[-1][0])
    clock.shift(timedelta(hours=25))
    create(factory, "Second")
    deliverer.send_due()
    standardwebhooks.Webhook(new).verify(receiver.received[-1][1], receiver.received[-1][0])
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(hook[1]).verify(receiver.received[-1][1], receiver.received[-1][0])
    [row] = rows(factory, Webhook)
    for secret in (hook[1], new):
        assert secret.removeprefix("whsec_") not in f"{row.secret} {row.old_secret}"


def test_nothing_is_sent_unsigned_if_the_site_has_another_secret(factory, database, hook, receiver):
    create(factory, "First")
    other = parse_settings({**SETTINGS, "comicsdb.secret": SECRET[::-1], "sqlalchemy.url": database})
    assert Deliverer(factory.kw["bind"], other).send_due() == {"failed": 1}
    assert (receiver.received, rows(factory)[0].problem) == ([], "unsigned")


def test_tests_and_messages_that_are_sent_again_are_tried_once(factory, hook, receiver, deliverer):
    create(factory, "First")
    deliverer.send_due()
    with factory() as session:
        webhook = session.get_one(Webhook, hook[0])
        endpoints.pause(webhook)
        assert endpoints.send_test(session, webhook)
        assert not endpoints.send_test(session, webhook)
        session.commit()
    receiver.answers = [500]
    assert deliverer.send_due() == {"given up": 1}
    assert json.loads(receiver.received[-1][1])["type"] == "webhook.test"
    first = rows(factory)[0]
    with factory() as session:
        webhook = session.get_one(Webhook, hook[0])
        assert endpoints.resend(session, webhook, first.id)
        assert endpoints.resend(session, webhook, first.id) is False
        assert endpoints.resend(session, webhook, 0) is None
        session.commit()
    assert deliverer.send_due() == {"delivered": 1}
    assert receiver.received[-1][0]["webhook-id"] == receiver.received[0][0]["webhook-id"]
    assert deliverer.send_due() == {}


def test_a_new_epoch_or_a_lost_part_of_the_feed_is_told(factory, hook, receiver, deliverer):
    with factory() as session:
        session.execute(update(Webhook).values(epoch="0" * 32, after=10**9))
        session.commit()
    create(factory, "First")
    deliverer.send_due()
    with factory() as session:
        epoch, newest = session.execute(endpoints.FEED_END).one()
    found = data_of(receiver)
    assert found == {"epoch": epoch, "after": newest, "restart": True, "changes": []}
    create(factory, "Second")
    create(factory, "Third")
    with factory() as session:
        session.execute(text("UPDATE feed_horizon SET seq = (SELECT max(seq) FROM change_log)"))
        session.execute(Change.__table__.delete())
        session.commit()
    create(factory, "Fourth")
    deliverer.send_due()
    assert data_of(receiver)["restart"] is True
    create(factory, "Fifth")
    deliverer.send_due()
    assert len(data_of(receiver)["changes"]) == 1


def test_a_message_of_a_process_that_died_is_sent_by_another(factory, hook, receiver, deliverer, clock):
    create(factory, "First")
    with factory() as session:
        delivery.write_messages(session)
        assert delivery.claim(session) is not None
        assert delivery.claim(session) is None
        session.commit()
    assert deliverer.send_due() == {}
    clock.shift(delivery.ATTEMPT_LEASE + timedelta(seconds=1))
    assert deliverer.send_due() == {"delivered": 1}


@pytest.mark.parametrize("days", [3, 3650])
def test_messages_of_a_clock_that_was_ahead_are_sent_and_signed_now(
    factory, hook, receiver, deliverer, clock, days
):
    clock.shift(timedelta(days=days))
    create(factory, "Fails")
    receiver.answers = [500]
    assert deliverer.send_due() == {"failed": 1}
    clock.move_to(START)
    assert deliverer.send_due() == {"delivered": 1}
    clock.shift(timedelta(days=days))
    create(factory, "Its process dies")
    with factory() as session:
        delivery.write_messages(session)
        assert delivery.claim(session) is not None
        session.commit()
    clock.move_to(START)
    assert deliverer.send_due() == {"delivered": 1}
    for headers, body in receiver.received[-2:]:
        standardwebhooks.Webhook(hook[1]).verify(body, headers)


def test_two_processes_send_nothing_twice(factory, settings, hook, receiver):
    add_lines(factory, 950)
    workers = [Deliverer(factory.kw["bind"], settings) for _ in range(2)]
    for each in workers:
        each.start()
    wait_until(lambda: sum(row.delivered for row in rows(factory)) == 10)
    for each in workers:
        each.stop()
    numbers = [each["seq"] for n in range(len(receiver.received)) for each in data_of(receiver, n)["changes"]]
    assert len(numbers) == 950
    assert numbers == sorted(numbers)


KILLED = """
import sys
import textwrap
from sqlalchemy import create_engine
from comicsdb.config import parse_settings
from comicsdb.webhooks.delivery import Deliverer
url, secret = sys.argv[1:]
given = {"comicsdb.secret": secret, "comicsdb.base_url": "https://comics.example", "sqlalchemy.url": url,
         "comicsdb.webhooks.networks": "127.0.0.0/8"}
Deliverer(create_engine(url), parse_settings(given)).send_due()
"""


def test_a_process_that_is_killed_while_it_sends_loses_nothing(
    factory, database, hook, receiver, deliverer, clock
):
    create(factory, "First")
    receiver.slowly = True
    command = [sys.executable, "-c", KILLED, str(database), SECRET]
    with Popen(command, env=os.environ, cwd=Path(__file__).parents[3]) as process:
        wait_until(lambda: receiver.received)
        process.send_signal(signal.SIGKILL)
    receiver.slowly = False
    clock.move_to(rows(factory)[0].next_attempt + timedelta(seconds=1))
    assert deliverer.send_due() == {"delivered": 1}
    assert receiver.received[0][0]["webhook-id"] == receiver.received[1][0]["webhook-id"]


def test_old_messages_go(factory, hook, receiver, deliverer, clock, monkeypatch):
    monkeypatch.setattr(delivery, "RETAINED_MAX", 2)
    for name in ("One", "Two", "Three", "Four"):
        create(factory, name)
        deliverer.send_due()
    assert len(rows(factory)) == 3  # the last one was not delivered yet when the others were counted
    newest = max(row.created_on for row in rows(factory))  # by PostgreSQL's own clock
    with factory() as session:
        clock.move_to(newest + timedelta(days=29))
        assert delivery.clean(session) == 0
        clock.move_to(newest + timedelta(days=31))
        assert delivery.clean(session) == 3
        session.commit()


def test_what_an_owner_types_is_checked(factory, settings, database, owner):
    public = parse_settings({**SETTINGS, "comicsdb.webhooks.networks": "", "sqlalchemy.url": database})
    for given, url, field in [
        (public, "http://comics.example/", "url"),
        (public, "https://comics.example:25/", "url"),
        (public, "https://10.0.0.1/", "url"),
        (public, "https://[::1]/", "url"),
        (public, "https://comics.example/" + "x" * 1000, "url"),
        (settings, "http://10.0.0.1/", "url"),
        (settings, "javascript:alert(1)", "url"),
    ]:
        with pytest.raises(InvalidError) as refused:
            make(factory, given, owner, url)
        assert set(refused.value.errors) == {field}, url
    with pytest.raises(InvalidError) as refused, factory() as session:
        endpoints.make(session, public, owner, url="x", kinds=["x"], description="x" * 101, form_key="k")
    assert set(refused.value.errors) == {"url", "kinds", "description"}
    for number in range(5):
        make(factory, public, owner, "https://comics.example/hook", key=str(number))
    with pytest.raises(InvalidError, match="maximum"):
        make(factory, public, owner, "https://comics.example/hook", key="6")
