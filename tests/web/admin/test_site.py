"""Announcements, the switch for sign-ups, and outgoing mail in the administration."""

from datetime import date, timedelta

import pytest
import webtest
from sqlalchemy import select

from comicsdb import admin, clock
from comicsdb.clock import business_day
from comicsdb.models import Announcement, OutgoingMail
from tests.web.admin.helpers import cells, column, submit_button
from tests.web.conftest import field_errors, form_to, notice, soup, submit

LIST, ADD = "/admin/announcement/", "/admin/announcement/add/"


def acts(session):
    session.expire_all()
    return [
        (each.actor_name, each.action, each.kind, each.target) for each in session.scalars(admin.actions())
    ]


def at_home(testapp):
    """The titles of the announcements on the home page, for anonymous readers."""
    return [
        each.get_text() for each in soup(webtest.TestApp(testapp.app).get("/")).select(".announcement h2")
    ]


def test_an_announcement_is_made_seen_changed_and_deleted(testapp, boss, session):
    text = "<p>Come in</p><script>alert(1)</script>\r\n<a href='javascript:x'>there</a>"
    submit(testapp, ADD, title=" Open <b> ", text=text, display_type="success", start_date="2026-01-02")
    (made,) = session.scalars(select(Announcement))
    assert (made.title, made.content, made.display_type) == (
        "Open <b>",
        text.replace("\r\n", "\n"),
        "success",
    )
    assert (made.start_date, made.end_date, made.active) == (date(2026, 1, 2), None, True)
    assert at_home(testapp) == ["Open <b>"]
    path = f"/admin/announcement/{made.id}/"
    form = form_to(testapp.get(path), path)
    assert (form["title"].value, form["start_date"].value, form["end_date"].value) == (
        "Open <b>",
        "2026-01-02",
        "",
    )
    submit(testapp, path, title_it="Aperto", text_it="<p>Venite</p>")
    italian = soup(webtest.TestApp(testapp.app).get("/", headers={"Accept-Language": "it"}))
    assert italian.select_one(".announcement").get_text(" ", strip=True).startswith("Aperto Venite")
    assert at_home(testapp) == ["Open <b>"]
    form = form_to(testapp.get(path), path)
    assert (form["title_it"].value, form["text_it"].value) == ("Aperto", "<p>Venite</p>")
    preview = soup(testapp.get(path)).select_one(".announcement")
    assert preview.h3.get_text() == "Open <b>"
    expected = '<p>Come in</p>\n<a rel="noopener">there</a>'
    assert preview.div.decode_contents().strip() == expected
    assert notice(form.submit(status=303).follow()) == "Nothing to change."
    form["active"] = False
    form.submit(status=303)
    assert at_home(testapp) == []
    assert soup(testapp.get(f"{path}delete/")).find("form", action=f"{path}delete/") is not None
    submit_button(testapp, f"{path}delete/", f"{path}delete/")
    assert session.scalars(select(Announcement)).all() == []
    assert acts(session) == [
        ("Boss", act, "announcement", "Open <b>") for act in ("delete", "change", "change", "create")
    ]
    testapp.get(path, status=404)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"title": " "}, {"title"}),
        ({"start_date": "tomorrow"}, {"start_date"}),
        ({"start_date": "2026-02-30", "end_date": "x"}, {"start_date", "end_date"}),
        ({"start_date": "2026-02-02", "end_date": "2026-02-01"}, {"end_date"}),
        ({"text": "x" * 10_001}, {"text"}),
        ({"title_it": "x" * 256}, {"title_it"}),
        ({"display_type": "rainbow", "title": ""}, {"display_type", "title"}),
    ],
)
def test_what_is_wrong_with_an_announcement_stands_beside_its_field(testapp, boss, session, fields, wrong):
    form = form_to(testapp.get(ADD), ADD)
    given = {"title": "Hello", "text": "Hi", "active": False} | fields
    for name, value in given.items():
        form[name].force_value(value) if name == "display_type" else form.set(name, value)
    answer = form.submit(status=422)
    assert set(field_errors(answer)) == wrong
    again = form_to(answer, ADD)
    assert {name: again[name].value for name in ("title", "start_date", "end_date")} == {
        name: given.get(name, "") for name in ("title", "start_date", "end_date")
    }
    assert not again["active"].checked
    assert session.scalars(select(Announcement)).all() == []
    assert acts(session) == []


def test_announcements_are_listed_with_their_state(testapp, boss, session):
    today = business_day(testapp.app.registry.settings["comicsdb.timezone"])
    day = timedelta(days=1)
    session.add_all(
        [
            Announcement(title="always"),
            Announcement(title="over", start_date=today - 2 * day, end_date=today - day),
            Announcement(title="last day", start_date=today - day, end_date=today, content="word"),
            Announcement(title="upcoming", start_date=today + day),
            Announcement(title="off", start_date=today, active=False),
        ]
    )
    session.commit()
    assert [(row[0], row[4]) for row in cells(testapp.get(LIST))] == [
        ("upcoming", "upcoming"),
        ("off", "switched off"),
        ("last day", "shown"),
        ("over", "over"),
        ("always", "shown"),
    ]
    for query, titles in (
        ("when=now", ["off", "last day", "always"]),
        ("when=later", ["upcoming"]),
        ("when=over", ["over"]),
        ("active=no", ["off"]),
        ("q=word", ["last day"]),
    ):
        assert column(testapp.get(f"{LIST}?{query}")) == titles, query


def test_the_switch_of_sign_ups(testapp, boss, session):
    path = "/admin/sign-ups/"
    submit(testapp, path, signups_enabled=False, disabled_message="Back on Monday.")
    stranger = webtest.TestApp(testapp.app)
    assert "Back on Monday." in soup(stranger.get("/accounts/signup/")).main.get_text()
    assert soup(testapp.get("/admin/")).main.find("a", string="Sign-ups are closed.") is not None
    wrong = submit(testapp, path, signups_enabled=True, disabled_message="x" * 256, status=422)
    assert set(field_errors(wrong)) == {"disabled_message"}
    assert form_to(wrong, path)["signups_enabled"].checked
    submit(testapp, path, signups_enabled=True)
    assert stranger.get("/accounts/signup/").forms
    assert acts(session) == [("Boss", "change", "signup_settings", "sign-ups")] * 2


@pytest.fixture
def mails(session, make):
    """A mail in each state, by the word that the list shows for it."""
    now = clock.now()
    ada = make.user("ada")
    states = {
        "waiting": {"next_attempt": now},
        "under way": {"next_attempt": now, "attempts": 1},
        "failed": {"next_attempt": now + timedelta(hours=4), "attempts": 3, "error": "451 <busy>"},
        "abandoned": {"attempts": 9, "error": "550 no"},
        "sent": {"sent": now, "attempts": 1},
    }
    made = {}
    for state, values in states.items():
        made[state] = OutgoingMail(
            user_id=ada.id, kind=state.replace(" ", "_"), recipient="ada@example.org", message=b"secret",
            give_up=now + timedelta(days=3), **values,
        )  # fmt: skip
        session.add(made[state])
        session.flush()
    made["abandoned"].next_attempt = None
    session.commit()
    return made


def test_mails_show_how_they_are_doing_and_not_what_they_say(testapp, boss, mails):
    rows = {row[1].replace("_", " "): row[3] for row in cells(testapp.get("/admin/mail/"))}
    assert {state: text.startswith(state) for state, text in rows.items()} == dict.fromkeys(mails, True)
    assert rows["failed"].endswith("451 <busy>")
    assert rows["abandoned"].endswith("550 no")
    assert "secret" not in testapp.get("/admin/mail/").text
    for query, states in (
        ("state=waiting", {"waiting", "under_way", "failed"}),
        ("state=failed", {"failed"}),
        ("state=given-up", {"abandoned"}),
        ("state=sent", {"sent"}),
        ("q=under", {"under_way"}),
    ):
        assert set(column(testapp.get(f"/admin/mail/?{query}"), 1)) == states, query


def test_a_mail_that_failed_is_tried_again(testapp, boss, mails, session):
    page = soup(testapp.get("/admin/mail/"))
    actions = [each["action"] for each in page.main.select("form[method=post]")]
    assert actions == [f"/admin/mail/{mails['failed'].id}/again/"]
    answer = submit_button(testapp, "/admin/mail/", actions[0])
    assert notice(answer.follow()) == "The e-mail will be sent again with the next batch."
    session.expire_all()
    assert mails["failed"].next_attempt <= clock.now()
    assert acts(session) == [("Boss", "send again", "mail", "failed")]
    token = page.find("input", attrs={"name": "csrf_token"})["value"]
    for state in set(mails) - {"failed"}:
        testapp.post(f"/admin/mail/{mails[state].id}/again/", {"csrf_token": token}, status=404)
    assert len(acts(session)) == 1
