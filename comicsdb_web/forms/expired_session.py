"""Forms submitted after their session had expired: they are shown again, filled in, after log-in.

So are forms of an object that has been merged or has a new address, at that address.

`save_form` stores the values, and redirects to the page of the form with `?kept=SECRET`, where
`request.restored_form` has them. A form with a `Draft` (`editing`) reads them like submitted values; other
forms are filled in after their page is rendered. The values are shown only to the account of the form's CSRF
token (`csrf`). Nothing is saved until the form is sent again.
"""

import re
from collections import defaultdict
from html import escape
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit

from pyramid.interfaces import ICSRFStoragePolicy
from webob.multidict import MultiDict

from comicsdb import accounts
from comicsdb.http import READ_METHODS
from comicsdb.http.bodies import BodyError
from comicsdb_web.http.routing import own_page, query_of
from comicsdb_web.rendering.locales import _

PARAMETER = "kept"
# Fields with secrets or credentials.
SECRET_FIELDS = {*accounts.CONFIRM_FIELDS, "csrf_token", "code", "sealed", "answer"}
# Types of inputs that are not filled in.
UNFILLED_TYPES = {"hidden", "password", "file", "submit", "button", "image", "reset"}
FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)

SESSION_EXPIRED = _("Your session has expired. Log in, and the form will come back with what you entered.")
OTHER_SESSION = _("The form was opened in another session, which has ended.")
FORM_RESTORED = _("Nothing has been saved yet. Here is what you entered: check it and save it again.")
CHOOSE_FILES = _("Please choose your files again.")


def is_secret(name: str) -> bool:
    """Whether a field has a password or another credential."""
    return name in SECRET_FIELDS or "password" in name


def save_form(request, *, moved_to: str | None = None) -> str | None:
    """Store the form of a request for its account; returns the path where it is shown again.

    `moved_to` is the path of the form, if that is another one now.
    None if the form is not stored: its page cannot be shown again, or the form is too large, or it was
    rendered for no account or for another one than is logged in.
    """
    if request.method != "POST" or request.is_fragment or "secret" in (request.matchdict or ()):
        return None
    try:
        sent = request.POST
    except BodyError:
        return None
    identity = request.identity
    owner = request.registry.getUtility(ICSRFStoragePolicy).owner(sent.get("csrf_token"))
    if owner is None or (identity is not None and identity.user_id != owner):
        return None
    page = moved_to or own_page(request)
    if page is None:
        return None
    kept = [(name, value) for name, value in sent.items() if not is_secret(name)]
    texts = [(name, value) for name, value in kept if isinstance(value, str)]
    files = {name: value.filename for name, value in kept if hasattr(value, "file")}
    action = moved_to or request.path
    # Committed although the request is rejected.
    with request.account_context.independent_session() as session:
        secret = accounts.save_form_draft(session, owner, accounts.SavedForm(action, texts, files))
        session.commit()
    if secret is None:
        return None
    if moved_to is None:
        request.messages.add("warning", SESSION_EXPIRED if identity is None else OTHER_SESSION)
    parts = urlsplit(page)
    return parts.path + query_of(parse_qsl(parts.query, keep_blank_values=True), **{PARAMETER: secret})


class RestoredForm:
    """A stored form: its `fields` as sent, and the names of chosen `files`, by field."""

    def __init__(self, saved: accounts.SavedForm):
        self.fields = MultiDict(saved.texts)
        self.files = saved.files
        self._action = saved.action
        self._is_consumed = False

    def take(self) -> MultiDict:
        """The fields, for a page that fills in its form itself."""
        self._is_consumed = True
        return self.fields

    def fill_in(self, page: str) -> str:
        """Fill in the form of a page, unless the fields were taken."""
        if self._is_consumed:
            return page
        forms = [(each, _FormFiller(each[0], self.fields)) for each in FORM.finditer(page)]
        ours = [(each, form) for each, form in forms if form.is_to(self._action)]
        if not ours:
            return page
        found, form = max(ours, key=lambda pair: len(pair[1].names.intersection(self.fields)))
        return page[: found.start()] + form.filled() + page[found.end() :]


class _FormFiller(HTMLParser):
    """Parses a form, and collects the replacements in its HTML that fill in its fields."""

    def __init__(self, form: str, values: MultiDict):
        super().__init__()
        self.names: set[str] = set()
        self._form = form
        self._texts = defaultdict(list)
        for name, value in values.items():
            self._texts[name].append(value)
        self._lines = [0, *(found.end() for found in re.finditer("\n", form))]
        self._replacements: list[tuple[int, int, str]] = []  # (start, end, replacement)
        self._action = self._method = ""
        self._select = self._area = None
        self.feed(form)

    def is_to(self, action: str) -> bool:
        """Whether the form is sent to a path."""
        return self._method == "post" and urlsplit(self._action).path == action

    def filled(self) -> str:
        """The HTML of the form with its fields filled in."""
        text = self._form
        for start, end, replacement in reversed(self._replacements):
            text = text[:start] + replacement + text[end:]
        return text

    def _offset(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag, attrs):
        """Collect the replacements that fill in a field."""
        values = dict(attrs)
        name = values.get("name") or ""
        if tag == "form":
            self._action, self._method = values.get("action") or "", (values.get("method") or "").lower()
        elif tag == "input":
            self._input(name, values)
        elif tag == "select":
            self.names.add(name)
            self._select = name
        elif tag == "option" and self._select in self._texts:
            self._write("selected", None if values.get("value") in self._texts[self._select] else False)
        elif tag == "textarea":
            self.names.add(name)
            if name in self._texts:
                self._area = self._offset() + len(self.get_starttag_text()), self._texts[name].pop(0)

    def handle_endtag(self, tag):
        """Collect the replacement that fills in a text area."""
        if tag == "select":
            self._select = None
        elif tag == "textarea" and self._area:
            start, text = self._area
            self._replacements.append((start, self._offset(), "\n" + escape(text)))
            self._area = None

    def _input(self, name: str, values: dict) -> None:
        kind = (values.get("type") or "text").lower()
        if kind in UNFILLED_TYPES or not name:
            return
        self.names.add(name)
        sent = self._texts.get(name, [])
        if kind in {"checkbox", "radio"}:
            self._write("checked", None if values.get("value", "on") in sent else False)
        elif sent:
            self._write("value", sent.pop(0))

    def _write(self, name: str, value: str | bool | None) -> None:
        """Set an attribute of the current tag: None sets it without a value, False removes it."""
        tag, start = self.get_starttag_text(), self._offset()
        bare = re.sub(rf"""\s{name}(=("[^"]*"|'[^']*'|[^\s>]*))?(?=[\s/>])""", "", tag)
        if value is not False:
            attribute = f" {name}" if value is None else f' {name}="{escape(value)}"'
            bare = re.sub(r"\s*/?>$", lambda end: attribute + end[0], bare)
        self._replacements.append((start, start + len(tag), bare))


def _restored_form(request) -> RestoredForm | None:
    """The stored form in the URL, for its account."""
    secret = request.GET.get(PARAMETER) if request.method in READ_METHODS else None
    if not secret or request.identity is None:
        return None
    saved = accounts.find_form_draft(request.dbsession, request.identity.user_id, secret)
    return RestoredForm(saved) if saved else None


def restored_form_view(view, _info):
    """View deriver: fill in the stored form on its page."""

    def answer(context, request):
        if f"{PARAMETER}=" not in request.query_string or request.restored_form is None:
            return view(context, request)
        say = request.localizer.translate
        request.messages.show(
            "warning",
            " ".join(map(say, [FORM_RESTORED] + [CHOOSE_FILES] * bool(request.restored_form.files))),
        )
        response = view(context, request)
        if response.content_type == "text/html" and response.status_int == 200:
            response.text = request.restored_form.fill_in(response.text)
            response.headers["Cache-Control"] = "no-store"
        return response

    return answer


def includeme(config):
    """Add `request.restored_form` and the deriver."""
    config.add_request_method(_restored_form, "restored_form", reify=True)
    config.add_view_deriver(restored_form_view)
