"""A form that is submitted after its session has ended is restored after log-in, with all that was typed."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from sqlalchemy import select
from webtest.forms import Text, Textarea

from comicsdb import clock
from comicsdb.accounts import drafts
from comicsdb.accounts.passwords import Passwords
from comicsdb.http import bodies
from comicsdb.models import Creator, FormDraft
from tests.web.addresses import addresses_of, keep_library
from tests.web.conftest import ATTRIBUTE, FORM, PASSWORD, form_of, form_to, notice, soup, start_session
from tests.web.forms.form_helpers import (
    back,
    checkbox_labels,
    end_sessions,
    open_form,
    picture,
    submit_form,
    value,
)

ENDED = "Your session has expired. Log in, and the form will come back with what you entered."
# Forms that begin or end a session, or need no account.
OTHERS = ("/accounts/log", "/theme/", "/i18n/")


@pytest.fixture
def boss(make, testapp):
    user = make.user("Boss", is_superuser=True, is_staff=True, password=PASSWORD, passwords=Passwords("fast"))
    start_session(testapp, user)
    return user


NAME = re.compile(' name="([^"]*)"')


def typed_forms(page, seen):
    """Yield each form of a page with text fields, and these fields, unless a similar form is in `seen`."""
    for text in FORM.findall(page.text):
        # Parsing a form is slow, and those of header and footer are on every page.
        has = {name: unescape(value) for name, value in ATTRIBUTE.findall(text[: text.index(">")])}
        if has.get("method", "").upper() == "POST" and not has.get("action", "").startswith(OTHERS):
            known = re.sub(r"\d+", "0", has.get("action", "")), frozenset(NAME.findall(text))
            if known in seen:
                continue
            seen.add(known)
            form = form_of(page, text, has.get("id"))
            typed = [
                (name, field)
                for name, fields in form.fields.items()
                for field in fields
                if name
                and type(field) in {Text, Textarea}
                and "password" not in name
                and not name.endswith("-q")  # search words of pickers are no values of the form
                and name not in {"confirm_code", "code", "homepage"}
            ]
            if typed:
                yield form, typed


def test_every_form_of_the_site_comes_back_with_what_was_typed(testapp, wsgi, world, session, boss):
    kept = keep_library(session, boss, world)
    seen, sent = set(), 0
    for address in addresses_of(wsgi, session, world, kept, kept.list):
        page = testapp.get(address, expect_errors=True)
        if page.status_int != 200 or page.content_type != "text/html":
            continue
        for form, typed in typed_forms(page, seen):
            sent += 1
            for number, (_name, field) in enumerate(typed):
                lines = "\nAnd more" if type(field) is Textarea else ""
                field.value = f'Typed & <kept> "{number}" è{lines}'
            end_sessions(session)
            again = unescape(back(testapp, form.submit(expect_errors=True), boss).text)
            for name, field in typed:
                assert field.value in again, (address, form.action, name)
    assert sent > 50


def test_the_log_in_page_says_so_and_the_way_leads_back_with_nothing_saved(testapp, world, session, reader):
    path = f"/creator/{world.creator.slug}/update/"
    form = open_form(testapp, path)
    end_sessions(session)
    answer = submit_form(form, {"name": "Ada Brush", "desc": "Two\nlines", "image": picture("ada.png")})
    page = answer.follow()
    assert notice(page) == ENDED
    log_in_form = form_to(page, "/accounts/login/")
    log_in_form["username"], log_in_form["password"] = "Nora", PASSWORD
    again = log_in_form.submit(status=303).follow()
    assert urlsplit(again.request.url).path == path
    assert notice(again) == (
        "Nothing has been saved yet. Here is what you entered: check it and save it again."
        " Please choose your files again."
    )
    assert again.headers["Cache-Control"] == "no-store"
    assert "ada.png" in again.text
    assert value(again, "name") == "Ada Brush"
    session.expire_all()
    assert session.get(Creator, world.creator.id).name == "Ada Pencil"
    submit_form(again)
    session.expire_all()
    saved = session.get(Creator, world.creator.id)
    assert (saved.name, saved.desc) == ("Ada Brush", "Two\nlines")


def test_boxes_choices_and_rows_come_back(testapp, world, session, reader):
    form = open_form(testapp, f"/issue/{world.first.slug}/update/")
    end_sessions(session)
    typed = {
        "characters": [],
        "rating": "4",
        "credits-0-roles": [],
        "credits-7-creator": str(world.inker.id),
        "credits-7-roles": ["1"],
        "variants-0-name": "Chrome",
    }
    again = back(testapp, submit_form(form, typed), reader)
    assert checkbox_labels(again, "characters", ticked=True) == []
    assert value(again, "rating") == "4"
    assert checkbox_labels(again, "credits-0-roles", ticked=True) == []
    assert checkbox_labels(again, "credits-7-creator", ticked=True) == ["Bo Brush"]
    assert checkbox_labels(again, "credits-7-roles", ticked=True) == ["Writer"]
    assert value(again, "variants-0-name") == "Chrome"


def test_boxes_and_choices_of_a_simple_form_come_back(testapp, session, boss, member):
    form = form_to(testapp.get(f"/admin/user/{member.id}/"), f"/admin/user/{member.id}/")
    form["is_staff"], form["supporter_tier"] = True, form["supporter_tier"].options[-1][0]
    form["is_active"] = False
    end_sessions(session)
    again = form_to(back(testapp, form.submit(), boss), f"/admin/user/{member.id}/")
    assert again["is_staff"].checked
    assert not again["is_active"].checked
    assert again["supporter_tier"].value == form["supporter_tier"].value
    assert again["csrf_token"].value != form["csrf_token"].value


def test_what_others_saved_meanwhile_is_shown_beside_it(testapp, world, session, reader, catalog):
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    catalog.update(session.get(Creator, world.creator.id), {"desc": "Theirs"})
    session.commit()
    end_sessions(session)
    again = back(testapp, submit_form(form, {"name": "Ada Brush"}), reader)
    assert soup(again).select_one("#conflict-title")
    assert value(again, "name") == "Ada Brush"
    assert value(again, "desc") == "Theirs"


def test_a_form_of_a_session_before_comes_back_at_once(testapp, world, session, reader):
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    start_session(testapp, reader)  # in another tab
    again = submit_form(form, {"name": "Ada Brush"}).follow()
    assert value(again, "name") == "Ada Brush"
    submit_form(again)


def test_nobody_else_sees_it_and_nobody_after_an_hour(testapp, world, session, reader, make):
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    end_sessions(session)
    target = parse_qs(urlsplit(submit_form(form, {"name": "Ada Brush"}).location).query)["next"][0]
    for user in (make.user("Bob"), make.user("Root", is_superuser=True)):
        start_session(testapp, user)
        page = testapp.get(target)
        assert value(page, "name") == "Ada Pencil"
        assert "Ada Brush" not in page.text
    with time_machine.travel(clock.now() + timedelta(minutes=59)):
        start_session(testapp, reader)
        assert value(testapp.get(target), "name") == "Ada Brush"
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        start_session(testapp, reader)
        assert value(testapp.get(target), "name") == "Ada Pencil"
        assert drafts.remove_old_form_drafts(session) == 1


def test_a_form_that_was_made_for_another_is_refused_and_not_kept(testapp, world, session, reader, make):
    """Otherwise attackers could fill in the forms of other people."""
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    start_session(testapp, make.user("Bob"))
    submit_form(form, {"name": "Of Nora"}, status=400)
    end_sessions(session)
    forged = form.hidden["csrf_token"][:-1] + "."
    for token in ("", "x", forged, forged.replace(f".{reader.id}.", ".1.")):
        answer = submit_form(form, {"name": "Of nobody", "csrf_token": token})
        assert "kept" not in answer.location
    assert session.scalars(select(FormDraft)).all() == []


def test_no_password_is_kept(testapp, session, reader):
    form = form_to(testapp.get("/accounts/update/"), "/accounts/update/")
    form["bio"], form["password"] = "About me", "correct horse"
    end_sessions(session)
    again = back(testapp, form.submit(), reader)
    assert form_to(again, "/accounts/update/")["bio"].value == "About me"
    kept = session.scalars(select(FormDraft)).one()
    assert "correct horse" not in kept.fields
    assert form["csrf_token"].value not in kept.fields


def test_what_is_kept_is_bounded(testapp, world, session, reader, monkeypatch):
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    end_sessions(session)
    monkeypatch.setattr(drafts, "SIZE_MAX", 3000)
    answer = submit_form(form, {"desc": "x" * 3000})
    assert "kept" not in answer.location
    for number in range(drafts.DRAFTS_MAX + 2):
        last = submit_form(form, {"name": f"Ada {number}"})
    assert len(session.scalars(select(FormDraft)).all()) == drafts.DRAFTS_MAX
    assert value(back(testapp, last, reader), "name") == f"Ada {number}"


def test_an_account_that_is_switched_off_keeps_nothing(testapp, world, session, reader):
    form = open_form(testapp, f"/creator/{world.creator.slug}/update/")
    reader.is_active = False
    session.commit()
    assert "kept" not in submit_form(form, {"name": "Ada Brush"}).location


def test_the_cookie_of_a_session_outlives_it_so_that_a_large_form_is_read(
    testapp, world, session, member, monkeypatch
):
    start_session(testapp, member)
    monkeypatch.setattr(bodies, "ANONYMOUS_FIELDS_MAX", 20)
    form = open_form(testapp, f"/issue/{world.first.slug}/update/")
    with time_machine.travel(clock.now() + timedelta(days=14, hours=1)):
        again = back(testapp, submit_form(form, {"number": "1000"}), member)
        assert value(again, "number") == "1000"


def test_a_form_that_has_no_page_of_its_own_comes_back_where_it_stands(testapp, world, session, reader):
    kept = keep_library(session, reader, world)
    path = f"/collection/{kept.item.id}/"
    form = form_to(testapp.get(path), f"{path}read-date/add/")
    form["read_date"] = "2026-11-20T10:00"
    end_sessions(session)
    again = back(testapp, form.submit(headers={"Referer": f"http://localhost{path}"}), reader)
    assert form_to(again, f"{path}read-date/add/")["read_date"].value == "2026-11-20T10:00"
