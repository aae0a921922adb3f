"""The set-up of a new site, from the link of its log to an administrator who is logged in."""

import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from sqlalchemy import select
from sqlalchemy.orm import sessionmaker

from comicsdb.accounts import first_setup
from comicsdb.cli import main
from comicsdb.models import SignupSettings, User
from tests.mailbox import waiting_mails
from tests.web.conftest import field_errors, form_to, log_in, notice, soup

FIELDS = {
    "username": "Nora",
    "email": "nora@example.org",
    "password": "seven horses",
    "password_again": "seven horses",
}


def new_path(session, settings) -> str | None:
    """The path of a new link, as the start of a server makes it; None if there is none."""
    link = first_setup.make_setup_link(session, settings)
    session.commit()
    return link and link.removeprefix(settings["comicsdb.base_url"])


@pytest.fixture
def settings(wsgi):
    return wsgi.registry.settings


def send(testapp, path, status=303, **fields):
    form = form_to(testapp.get(path), path)
    for name, value in (FIELDS | fields).items():
        form[name] = value
    return form.submit(status=status)


def test_setup_link_creates_the_administrator_once(testapp, session, settings):
    path = new_path(session, settings)
    assert path.startswith("/s/set-up/")
    secret = path.split("/")[3]
    assert secret not in session.scalar(select(SignupSettings.setup_digest))
    page = send(testapp, path, signups_enabled=False).follow()
    assert notice(page).startswith("Your site is set up. A test e-mail is on its way to nora@example.org.")
    session.expire_all()
    user = session.scalars(select(User).where(User.username == "Nora")).one()
    assert (user.is_active, user.is_staff, user.is_superuser) == (True, True, True)
    switch = session.get_one(SignupSettings, 1)
    assert (switch.signups_enabled, switch.setup_digest) == (False, "")
    mail = waiting_mails(session)[-1]
    assert (mail.to, mail.subject) == ("nora@example.org", "Your site sends e-mails")
    testapp.reset()
    assert log_in(testapp, "Nora", "seven horses").status_int == 303
    testapp.reset()
    assert soup(testapp.get(path, status=404)).h1.get_text() == "This link does not work"
    assert new_path(session, settings) is None


def test_setup_link_is_replaced_by_the_next_start_and_void_with_an_administrator(
    testapp, session, settings, make
):
    first, path = new_path(session, settings), new_path(session, settings)
    testapp.get(first, status=404)
    testapp.get("/s/set-up//", status=404)
    form = form_to(testapp.get(path, status=200), path)
    make.user("Boss", is_superuser=True)
    session.commit()
    for name, value in FIELDS.items():
        form[name] = value
    form.submit(status=404)
    testapp.get(path, status=404)
    assert session.scalar(select(User.id).where(User.username == "Nora")) is None


def test_setup_form_with_errors_creates_nobody_and_keeps_the_link(testapp, session, settings):
    path = new_path(session, settings)
    for fields, wrong in (
        ({"username": "two words", "email": "nora"}, {"username", "email"}),
        ({"password": "short", "password_again": "short"}, {"password"}),
        ({"password_again": "eight horses"}, {"password_again"}),
    ):
        assert set(field_errors(send(testapp, path, status=422, **fields))) == wrong
    assert session.scalar(select(User.id).where(User.username == "Nora")) is None
    send(testapp, path)


def test_start_logs_a_link_only_without_administrator_and_not_on_mirrors(
    wsgi, session, settings, make, caplog, monkeypatch
):
    mirror = settings | {"comicsdb.mirror.origin": SimpleNamespace(url="https://comics.example")}
    assert first_setup.make_setup_link(session, mirror) is None
    # A session of the test's transaction, as other tests share the database.
    sessions = sessionmaker(session.connection(), join_transaction_mode="create_savepoint")
    monkeypatch.setitem(wsgi.registry, "comicsdb.session_factory", sessions)
    first_setup.log_setup_link(wsgi.registry)
    (line,) = [each for each in caplog.messages if "/s/set-up/" in each]
    assert line.startswith("The site has no administrator yet.")
    make.user("Boss", is_superuser=True)
    session.commit()
    first_setup.log_setup_link(wsgi.registry)
    assert caplog.messages[-1] == line or "/s/set-up/" not in caplog.messages[-1]


def test_setup_page_lists_commands_with_the_program_and_ini_of_the_site(
    wsgi, testapp, session, settings, monkeypatch
):
    monkeypatch.setitem(wsgi.registry, "comicsdb.ini", "/srv/my comics/production.ini")
    commands = [each.get_text() for each in soup(testapp.get(new_path(session, settings))).select("dd code")]
    program = f"{Path(sys.executable).parent}/comicsdb -c '/srv/my comics/production.ini' "
    assert all(each.startswith(program) for each in commands)
    for each in commands:
        words = each.removeprefix(program).split()
        context = click.Context(main, info_name="comicsdb")
        command = main.get_command(context, words[0])
        command.make_context(words[0], words[1:], parent=context)  # an unknown word or option is an error
    names = [each.removeprefix(program).split()[0] for each in commands]
    assert names == ["demo", "import", "import-gcd", "import", "mirror"]
