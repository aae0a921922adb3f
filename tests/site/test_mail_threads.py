"""Server processes send mail themselves: each mail once, with links to the configured address only."""

import re
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from comicsdb.config import parse_settings
from comicsdb.mail import Letter, queue
from tests.conftest import SETTINGS
from tests.serving import add_account, free_port, pserve, write_ini
from tests.smtp_sink import SmtpSink
from tests.waiting import wait_until

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def sink():
    with SmtpSink() as sink:
        yield sink


def environment(sink):
    return {
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "COMICSDB_SMTP_HOST": "localhost",
        "COMICSDB_SMTP_PORT": str(sink.port),
        "COMICSDB_BASE_URL": "https://comics.example",
    }


def test_two_processes_send_each_mail_once(database, factory, tmp_path, sink):
    add_account(database, "ann")
    inis = []
    for name, includes in (("one", "comicsdb_web"), ("two", "")):
        (tmp_path / name).mkdir()
        ini = write_ini(tmp_path / name, database, includes=includes, port=(port := free_port()))
        inis.append((ini, port))
    recipients = [f"reader{number}@example.org" for number in range(40)]
    with pserve(*inis[0], **environment(sink)), pserve(*inis[1], **environment(sink)):
        check_that_a_link_leads_to_the_site_whatever_host_was_forwarded(inis[0][1], sink)
        with factory() as session:
            given = parse_settings({"sqlalchemy.url": database, **SETTINGS})
            for recipient in recipients:
                queue(session, given, Letter("News", ("!",)), to=recipient, kind="test")
            session.commit()
        wait_until(lambda: len(sink.received) >= 1 + len(recipients))
    assert Counter(to for to, _mail in sink.received) == Counter(["ann@example.org", *recipients])


def check_that_a_link_leads_to_the_site_whatever_host_was_forwarded(port, sink):
    path, named = "/accounts/password_reset/", {"Host": "comics.example", "X-Forwarded-Host": "evil.example"}
    with closing(HTTPConnection("127.0.0.1", port)) as browser:
        browser.request("GET", path, headers={"Host": "evil.example"})
        refused = browser.getresponse()
        assert (refused.status, b"csrf_token" in refused.read()) == (421, False)
        browser.request("GET", path, headers=named)
        answer = browser.getresponse()
        token = re.search(rb'name="csrf_token" value="(\w+)"', answer.read()).group(1).decode()
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        typed = urlencode({"csrf_token": token, "email": "ann@example.org"})
        form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        browser.request("POST", path, typed, {**named, **form})
        assert browser.getresponse().status == 303
        wait_until(lambda: sink.to("ann@example.org"))
    (mail,) = sink.to("ann@example.org")
    assert mail.link("/reset/").startswith("https://comics.example/s/reset/2/")
    assert "evil" not in mail.text + mail.html
