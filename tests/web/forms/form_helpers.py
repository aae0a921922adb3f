"""Helpers that open, fill in and submit forms of the catalog."""

import io
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from sqlalchemy import delete
from webtest import Upload

from comicsdb.accounts.passwords import Passwords
from comicsdb.models import LoginSession
from tests.web.conftest import PASSWORD, field_errors, soup, start_session


def picture(name="cover.png", size=(40, 60), colour="teal") -> Upload:
    """A PNG file to upload."""
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return Upload(name, file.getvalue(), "image/png")


def log_in_as(testapp, make, username="Nora", **values):
    """Log in as a new account; returns the account."""
    user = make.user(username, password=PASSWORD, passwords=Passwords("fast"), **values)
    start_session(testapp, user)
    return user


def end_sessions(session):
    """End all sessions, like "log out everywhere" on another device."""
    session.execute(delete(LoginSession))
    session.commit()


def back(testapp, answer, user):
    """Log in again; returns the page with the restored form."""
    assert answer.status_int == 303, answer.request.url
    target = parse_qs(urlsplit(answer.location).query)["next"][0]
    start_session(testapp, user)
    return testapp.get(target)


class Form:
    """The edit form of a page; WebTest's own class would also parse the other forms of the page."""

    def __init__(self, page):
        self.page = page
        self.element = soup(page).select_one("form#edit")
        self.action = self.element["action"]

    def submit_fields(self) -> list[tuple[str, str]]:
        """The fields that a browser sends when nothing is changed, in the order of the page."""
        sent = []
        for each in self.element.select("input[name], select[name], textarea[name]"):
            kind = each.get("type", each.name)
            if each.has_attr("disabled") or kind == "file":
                continue
            if kind in {"checkbox", "radio"} and not each.has_attr("checked"):
                continue
            sent.append((each["name"], _content(each)))
        return sent

    @property
    def fields(self) -> set[str]:
        """The names of the fields."""
        return {each["name"] for each in self.element.select("[name]")}

    @property
    def hidden(self) -> dict[str, str]:
        """The hidden fields: the CSRF token, and the state of the object when the form was opened."""
        sent = dict(self.submit_fields())
        return {name: sent[name] for name in ("csrf_token", "modified", "seen")}


def _content(element) -> str:
    if element.name == "select":
        return (element.find("option", selected=True) or element.find("option"))["value"]
    if element.name == "textarea":
        return element.get_text().removeprefix("\n")
    return element.get("value", "")


def open_form(testapp, address) -> Form:
    """The edit form of the page at an address."""
    return Form(testapp.get(address))


def submit_form(form, fields=None, *, status=303, press=None):
    """Fill in some fields of a form, or of the form of a page, and submit it as a browser does.

    A list contains the ticked values of a field with several values. `press` is the pressed button, as (name,
    value); by default, it is the first one.
    """
    form = form if isinstance(form, Form) else Form(form)
    fields = {name: value if isinstance(value, list) else [value] for name, value in (fields or {}).items()}
    sent = [(name, value) for name, value in form.submit_fields() if name not in fields]
    for name, values in fields.items():
        sent += [(name, each if isinstance(each, Upload) else str(each)) for each in values]
    if press:
        sent.append(press)
    app = form.page.test_app
    answer = app.post(form.action, sent, expect_errors=True, content_type="multipart/form-data")
    assert answer.status_int == status, (answer.status_int, field_errors(answer))
    return answer


def kept_files(page) -> dict[str, str]:
    """The names of the files that the form of a page has kept, by input."""
    found = soup(page).select('input[name$="_kept"]')
    words = (each.find_next(class_="picture-kept").get_text(strip=True) for each in found)
    names = (each["name"].removesuffix("_kept") for each in found)
    return {name: text.split(" ")[0] for name, text in zip(names, words, strict=True)}


def value(page, name) -> str:
    """The value of a field on a page, or its selected option."""
    return _content(soup(page).main.find(attrs={"name": name}))


def checkbox_labels(page, name, *, ticked=None) -> list[str]:
    """The labels of the checkboxes of a field: all, or only those that are ticked or not ticked."""
    found = [
        each for each in soup(page).find_all("input", attrs={"name": name}) if each.parent.name == "label"
    ]
    return [
        each.parent.span.get_text(" ", strip=True)
        for each in found
        if ticked is None or each.has_attr("checked") is ticked
    ]
