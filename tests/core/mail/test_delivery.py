"""Delivery of mail: after the commit, once each, and retried if a server is down or refuses it for now."""

import smtplib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
import time_machine
from pyramid_mailer.mailer import DummyMailer
from sqlalchemy import select, text

from comicsdb.config import parse_settings
from comicsdb.mail import Letter, Link, queue, queue_to_administrators
from comicsdb.mail.delivery import EXPIRED, Sender, clean, mailer_from_settings, send_due
from comicsdb.models import OutgoingMail
from tests.certificate import CERTIFICATE, KEY
from tests.serving import SECRET, free_port
from tests.smtp_sink import SmtpSink
from tests.waiting import wait_until

LETTER = Letter("News", ("Something happened.", Link("Read on", "/help/api/")))
START = datetime(2026, 11, 21, 12, tzinfo=UTC)


def settings(**given):
    return parse_settings(
        {
            "sqlalchemy.url": "postgresql://x/y",
            "comicsdb.secret": SECRET,
            "comicsdb.base_url": "https://comics.example",
            "comicsdb.mail.from": "comicsdb <mail@comics.example>",
            **given,
        }
    )


@pytest.fixture
def sink():
    with SmtpSink() as sink:
        yield sink


@pytest.fixture
def engine(factory):
    """The engine of the test's own database."""
    return factory.kw["bind"]


def write(factory, *recipients, **more):
    with factory() as session:
        for each in recipients:
            queue(session, settings(), LETTER, to=each, kind="test", **more)
        session.commit()


def rows(factory):
    with factory() as session:
        return list(session.scalars(select(OutgoingMail).order_by(OutgoingMail.id)))


def send(engine, sink_or_settings):
    given = sink_or_settings if isinstance(sink_or_settings, dict) else sink_or_settings.settings
    return send_due(engine, mailer_from_settings(settings(**given)))


def test_a_mail_arrives_whole_and_its_secrets_do_not_stay(factory, engine, sink):
    write(factory, "ann@example.org")
    assert send(engine, sink) == {"sent": 1}
    ((recipient, mail),) = sink.received
    assert (recipient, mail.to, mail.subject) == ("ann@example.org", "ann@example.org", "News")
    assert mail.links == ["https://comics.example/help/api/"]
    assert "Something happened." in mail.html
    (row,) = rows(factory)
    assert row.sent is not None
    assert (row.attempts, row.error, row.message) == (1, "", b"")
    assert send(engine, sink) == {}
    assert len(sink.received) == 1


def test_nothing_leaves_before_the_commit_nor_without_one(factory, engine):
    mailer = DummyMailer()
    with factory() as session:
        queue(session, settings(), LETTER, to="ann@example.org", kind="test")
        session.flush()
        assert send_due(engine, mailer) == {}
        session.rollback()
    assert send_due(engine, mailer) == {}
    assert mailer.outbox == []


def test_a_server_that_is_gone_loses_nothing(factory, engine):
    with time_machine.travel(START, tick=False) as clock, SmtpSink() as sink:
        gone = {"mail.host": "localhost", "mail.port": str(free_port())}
        write(factory, "ann@example.org", "bob@example.org")
        assert send(engine, gone) == {"failed": 1, "unreachable": 1}  # the other mail was not even tried
        first, second = rows(factory)
        assert (first.attempts, second.attempts) == (1, 0)
        assert first.error.startswith("The mail server does not work: ConnectionRefusedError")
        assert first.next_attempt == START + timedelta(minutes=1)
        assert send(engine, gone) == {"failed": 1, "unreachable": 1}
        assert send(engine, sink) == {}  # both wait for their next attempt
        clock.shift(timedelta(minutes=1))
        assert send(engine, sink) == {"sent": 2}
        assert sorted(to for to, _mail in sink.received) == ["ann@example.org", "bob@example.org"]


@pytest.mark.parametrize("days", [1, 3650])
def test_a_mail_that_failed_while_the_clock_was_ahead_is_sent(factory, engine, sink, days):
    gone = {"mail.host": "localhost", "mail.port": str(free_port())}
    with time_machine.travel(START + timedelta(days=days), tick=False) as clock:
        write(factory, "ann@example.org")
        assert send(engine, gone)["failed"] == 1
        clock.move_to(START)
        assert send(engine, sink) == {"sent": 1}


def test_attempts_become_rarer_and_end_after_three_days(factory, engine, caplog):
    gone = {"mail.host": "localhost", "mail.port": str(free_port())}
    with time_machine.travel(START, tick=False) as clock:
        write(factory, "ann@example.org")
        times = []
        while (due := rows(factory)[0].next_attempt) is not None:
            times.append(due)
            clock.move_to(due)
            send(engine, gone)
    waits = [(after - before) // timedelta(minutes=1) for before, after in pairwise(times)]
    assert waits[:6] == [1, 5, 15, 60, 240, 240]
    assert START + timedelta(days=2.5) < times[-1] <= START + timedelta(days=3)
    (row,) = rows(factory)
    assert (row.sent, row.message, row.attempts) == (None, b"", len(times))
    assert "ConnectionRefusedError" in row.error
    assert f"Mail {row.id} (test) is given up after attempt {row.attempts}." in caplog.text
    assert "ann@example.org" not in caplog.text


def test_a_refusal_for_good_is_not_repeated_and_one_for_now_is(factory, engine, sink):
    sink.answers = {"gone@example.org": "550 No such user", "full@example.org": "452 Mailbox full"}
    with time_machine.travel(START, tick=False) as clock:
        write(factory, "gone@example.org", "full@example.org", "ann@example.org")
        assert send(engine, sink) == {"sent": 1, "failed": 1, "given up": 1}
        gone, full, _ann = rows(factory)
        assert (gone.next_attempt, gone.error, gone.message) == (None, "550 No such user", b"")
        assert (full.next_attempt, full.error) == (START + timedelta(minutes=1), "452 Mailbox full")
        sink.answers = {}
        clock.shift(timedelta(minutes=1))
        assert send(engine, sink) == {"sent": 1}
        assert rows(factory)[1].error == ""
        assert [to for to, _mail in sink.received] == ["ann@example.org", "full@example.org"]


@pytest.mark.parametrize(("answer", "counted"), [("554 Spam", "given up"), ("451 Later", "failed")])
def test_a_message_may_be_refused_too(factory, engine, sink, answer, counted):
    sink.data_answer = answer
    write(factory, "ann@example.org")
    assert send(engine, sink) == {counted: 1}
    assert rows(factory)[0].error == answer


def test_accepted_mail_with_failed_end_of_session_is_sent_once(factory, engine, sink):
    sink.is_abrupt = True
    write(factory, "ann@example.org")
    assert send(engine, sink) == {"sent": 1}
    assert len(sink.received) == 1


def test_a_link_that_has_expired_is_not_sent(factory, engine):
    mailer = DummyMailer()
    with time_machine.travel(START, tick=False) as clock:
        write(factory, "ann@example.org", until=START + timedelta(hours=24))
        clock.shift(timedelta(hours=24))
        assert send_due(engine, mailer) == {"given up": 1}
    assert rows(factory)[0].error == EXPIRED
    assert mailer.outbox == []


def test_many_senders_send_each_mail_once(factory, engine, sink):
    recipients = [f"reader{number}@example.org" for number in range(60)]
    write(factory, *recipients)
    barrier = threading.Barrier(6)

    def run(_number):
        barrier.wait()
        return send(engine, sink)["sent"]

    with ThreadPoolExecutor(6) as pool:
        sent = list(pool.map(run, range(6)))
    assert sum(sent) == 60
    assert Counter(to for to, _mail in sink.received) == Counter(recipients)


def test_a_mail_whose_sender_died_is_sent_by_another(factory, engine, sink):
    with time_machine.travel(START, tick=False) as clock:
        write(factory, "ann@example.org")
        with pytest.raises(KeyboardInterrupt):
            send_due(engine, InterruptedMailer())
        assert send(engine, sink) == {}  # it still counts as being sent
        clock.shift(timedelta(minutes=15))
        assert send(engine, sink) == {"sent": 1}
    assert rows(factory)[0].attempts == 2


class InterruptedMailer(DummyMailer):
    """Interrupts the process while it sends a mail."""

    def send_immediately(self, _message):
        raise KeyboardInterrupt


def test_administrators_get_a_mail_each(factory):
    named = settings(**{"comicsdb.mail.administrators": "ann@example.org, bob@example.org"})
    with factory() as session:
        assert queue_to_administrators(session, named, LETTER, kind="report") == 2
        assert queue_to_administrators(session, settings(), LETTER, kind="report") == 0
        session.commit()
    assert [row.recipient for row in rows(factory)] == ["ann@example.org", "bob@example.org"]


def test_old_mails_go_thirty_days_after_they_were_done_with(factory, engine, sink):
    sink.answers = {"gone@example.org": "550 No such user", "full@example.org": "452 Mailbox full"}
    with time_machine.travel(START, tick=False) as clock:
        write(factory, "ann@example.org", "gone@example.org", "full@example.org")
        send(engine, sink)
        clock.shift(timedelta(days=30))
        with engine.begin() as connection:
            assert clean(connection) == 0
        clock.shift(timedelta(seconds=1))
        with engine.begin() as connection:
            assert clean(connection) == 2
    assert [row.recipient for row in rows(factory)] == ["full@example.org"]


# Encryption and authentication.


@pytest.fixture
def certificate(tmp_path):
    """The files of a certificate that is not trusted by default."""
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    for file, content in zip(files, (CERTIFICATE, KEY), strict=True):
        file.write_text(content)
    return tuple(map(str, files))


@pytest.mark.parametrize("tls", ["mail.tls", "mail.ssl"])
def test_mail_goes_only_to_the_server_that_was_meant(factory, engine, certificate, monkeypatch, tls):
    write(factory, "ann@example.org")
    with SmtpSink(certificate=certificate, from_the_start=tls == "mail.ssl") as sink:
        encrypted = {**sink.settings, tls: "true"}
        with time_machine.travel(START, tick=False) as clock:
            clock.move_to(rows(factory)[0].next_attempt)
            assert send(engine, encrypted) == {"failed": 1, "unreachable": 1}
            assert "CERTIFICATE_VERIFY_FAILED" in rows(factory)[0].error
            monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
            clock.shift(timedelta(minutes=1))
            assert send(engine, encrypted) == {"sent": 1}
        assert [to for to, _mail in sink.received] == ["ann@example.org"]


def test_a_server_that_cannot_encrypt_is_not_spoken_to_in_the_open(factory, engine, sink):
    write(factory, "ann@example.org")
    assert send(engine, {**sink.settings, "mail.tls": "true"}) == {"failed": 1, "unreachable": 1}
    assert sink.received == []


def test_the_name_and_password_of_the_settings_are_given(factory, engine, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
    write(factory, "ann@example.org", "bob@example.org")
    with SmtpSink(certificate=certificate, account=("mailer", "right")) as sink:
        names = {"mail.username": "mailer", "mail.password": "wrong"}
        wrong = {**sink.settings, **names, "mail.tls": "true"}
        assert send(engine, wrong) == {"failed": 1, "unreachable": 1}
        assert "SMTPAuthenticationError" in rows(factory)[0].error
        assert "wrong" not in rows(factory)[0].error
        assert send(engine, {**wrong, "mail.password": "right"}) == {"sent": 1}
        assert [to for to, _mail in sink.received] == ["bob@example.org"]


# Without a mail server, and from a thread of the server.


def test_in_development_mails_become_files_and_links_stand_on_the_console(factory, engine, tmp_path, capsys):
    write(factory, "ann@example.org")
    folder = tmp_path / "var" / "mail"
    assert send(engine, {"comicsdb.mail.folder": str(folder)}) == {"sent": 1}
    (file,) = folder.iterdir()
    assert file.suffix == ".eml"
    assert b"To: ann@example.org" in file.read_bytes()
    said = capsys.readouterr().err
    assert said == f"Mail to ann@example.org, in {folder}\n    https://comics.example/help/api/\n"


def test_a_thread_sends_what_comes_and_survives_an_error_of_the_database(
    factory, engine, sink, monkeypatch, caplog
):
    monkeypatch.setattr("comicsdb.mail.delivery.PAUSE", 0.1)
    monkeypatch.setattr("comicsdb.ops.worker.LONG_PAUSE", 0.1)
    sender = Sender(engine, mailer_from_settings(settings(**sink.settings)))
    sender.start()
    try:
        write(factory, "ann@example.org")
        wait_until(lambda: sink.to("ann@example.org"))
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE outgoing_mail RENAME TO away"))
        wait_until(
            lambda: "The database does not answer the worker for mail: ProgrammingError" in caplog.text
        )
        with engine.begin() as connection:
            connection.execute(text("ALTER TABLE away RENAME TO outgoing_mail"))
        write(factory, "bob@example.org")
        wait_until(lambda: sink.to("bob@example.org"))
    finally:
        sender.stop()
    assert [row.attempts for row in rows(factory)] == [1, 1]


def test_a_mail_under_way_has_no_error_so_that_nobody_lets_it_be_sent_twice(factory, engine):
    """Staff may have a mail with an error retried at once, so a mail that is being sent must have none."""
    write(factory, "ann@example.org")
    seen = []

    class Slow(DummyMailer):
        def send_immediately(self, _message):
            seen.append(rows(factory)[0].error)
            raise smtplib.SMTPDataError(451, b"busy")

    for _ in range(2):
        send_due(engine, Slow())
        assert rows(factory)[0].error == "451 busy"
        with factory() as session:
            session.execute(text("UPDATE outgoing_mail SET next_attempt = now()"))
            session.commit()
    assert seen == ["", ""]
