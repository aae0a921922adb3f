"""The set-up of a new site by its first administrator, at the link that the log of its start names."""

import shlex
import sys
from pathlib import Path

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb import admin
from comicsdb.accounts import BadLinkError, first_setup, letters, sign_up_settings
from comicsdb.accounts.rules import password_problems, secret_of
from comicsdb.catalog import InvalidError
from comicsdb.catalog.errors import raise_errors
from comicsdb.mail import queue
from comicsdb_web.forms import form_state
from comicsdb_web.http.session_auth import begin_session
from comicsdb_web.pages.account import notice, restrict_referrer
from comicsdb_web.rendering.locales import _

FIELDS = ("username", "email", "signups_enabled")
RIGHTS = {"is_staff": True, "is_superuser": True}


def setup_form(request):
    """The form of the set-up."""
    try:
        first_setup.check_setup_link(request.dbsession, request.matchdict["secret"])
    except BadLinkError:
        return _bad_link(request)
    is_open = sign_up_settings(request.dbsession).signups_enabled
    return _page(request, form_state.Form({"signups_enabled": "1" if is_open else ""}))


def set_up(request):
    """Create the first administrator, set whether people may sign up, and send a test mail."""
    fields, session = form_state.text_fields(request), request.dbsession
    try:
        first_setup.check_setup_link(session, request.matchdict["secret"])
        with session.begin_nested():
            user = _create_administrator(request, fields)
    except BadLinkError:
        return _bad_link(request)
    except InvalidError as error:
        values = {name: fields.get(name, "") for name in FIELDS}
        return _page(request, form_state.with_errors(request, error, values))
    admin.set_sign_ups(session, None, bool(fields.get("signups_enabled")), "")
    first_setup.end_setup(session)
    queue(session, request.registry.settings, letters.set_up_test(), user=user, kind="set_up_test")
    begin_session(request, user, confirmed=True)
    text = _(
        "Your site is set up. A test e-mail is on its way to ${address}.", mapping={"address": user.email}
    )
    request.messages.add("success", text, label=_("E-mails"), path=request.route_path("admin.mail.list"))
    return HTTPSeeOther(request.route_path("admin"))


def _create_administrator(request, fields):
    """Create the account; raises InvalidError by field."""
    values = {name: fields.get(name, "") for name in ("username", "email")}
    password = secret_of(fields, "password")
    problems = password_problems(password, secret_of(fields, "password_again"), tuple(values.values()))
    raise_errors({"password_again": problems.get("again", [])})
    user = admin.create_account(request.dbsession, None, request.passwords, **values, password=password)
    admin.change_account(request.account_context, None, user, RIGHTS)
    return user


def _page(request, form):
    """The values of the page: its form, and the command line of this site, to which commands are appended."""
    ini = request.registry.get("comicsdb.ini")
    program = Path(sys.executable).with_name("comicsdb")
    return {"form": form, "command": shlex.join([str(program), *(["-c", ini] if ini else [])])}


def _bad_link(request):
    return notice(
        request,
        _("This link does not work"),
        _("The site has an administrator already, or was started again: the newest link is in its log."),
        links=[(_("Log in"), request.route_path("login"))],
        icon="warning",
        status=404,
    )


def includeme(config):
    """Add the page."""
    config.add_page(
        first_setup.ROUTE,
        letters.SET_UP,
        setup_form,
        renderer="account/set_up.jinja2",
        post=set_up,
        permission=NO_PERMISSION_REQUIRED,
        decorator=restrict_referrer,
    )
