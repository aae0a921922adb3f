"""Logging in and out."""

import logging

from pyramid.csrf import get_csrf_token
from pyramid.httpexceptions import HTTPFound, HTTPSeeOther
from pyramid.response import Response

from comicsdb import accounts
from comicsdb.accounts import letters
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import safe_path
from comicsdb_web.http.session_auth import begin_session, end_session
from comicsdb_web.pages.account import notice
from comicsdb_web.rendering.locales import _

log = logging.getLogger(__name__)


def login_form(request):
    """The log-in form; members are redirected."""
    target = safe_path(request.GET.get("next"))
    if request.identity is not None:
        return HTTPFound(target or request.route_path("home"))
    return _page(target, form_state.Form())


def login(request):
    """Log in with user name or address, and password."""
    fields = form_state.text_fields(request)
    target = safe_path(fields.get("next"))
    typed = {"username": fields.get("username", "")[: accounts.EMAIL_MAX]}
    try:
        user = accounts.log_in(
            request.account_context, fields.get("username", ""), fields.get("password", "")
        )
    except accounts.LogInFailedError as error:
        return _page(target, form_state.with_form_error(request, error.text, typed))
    except accounts.NotActivatedError as error:
        return _page(target, form_state.with_form_error(request, error.text, typed)) | {"waits": True}
    except accounts.NewNetworkError as error:
        request.response.retry_after = error.retry_after
        return _page(target, form_state.with_form_error(request, error.text, typed, status=429))
    except accounts.TooManyFailuresError as error:
        return _page(target, form_state.rate_limited(request, error.retry_after, typed))
    if user.second_factor:
        request.second_step.begin(user)
        query = {"next": target} if target else {}
        return HTTPSeeOther(request.route_path("login.second", _query=query))
    begin_session(request, user)
    return HTTPSeeOther(request.pending_action.redirect_target(target or request.route_path("home")))


def login_by_passkey(request):
    """Log in by a passkey alone, which identifies the account and verifies the user."""
    fields = form_state.text_fields(request)
    target = safe_path(fields.get("next"))
    try:
        user = accounts.passkey_user(
            request.account_context, fields.get("confirm_passkey", ""), get_csrf_token(request)
        )
    except accounts.PasskeyRefusedError as error:
        return _page(target, form_state.with_form_error(request, error.text, {}))
    request.account_context.log(log, "User logged in by passkey", user.username)
    begin_session(request, user)
    return HTTPSeeOther(request.pending_action.redirect_target(target or request.route_path("home")))


def second_form(request):
    """The form of the second step, after the right password."""
    user = request.second_step.user()
    if user is None:
        return HTTPSeeOther(request.route_path("login"))
    return _second(request, user, form_state.Form())


def second(request):
    """Log in with a code, a recovery code or a passkey, after the password."""
    user = request.second_step.user(lock=True)
    if user is None:
        request.messages.add("info", _("That took too long. Please log in again."))
        return HTTPSeeOther(request.route_path("login"))
    fields = form_state.text_fields(request)
    try:
        accounts.check_second_step(request.account_context, user, fields, get_csrf_token(request))
    except accounts.TooManyFailuresError as error:
        return _second(request, user, form_state.rate_limited(request, error.retry_after, {}))
    except accounts.AccountError as error:
        return _second(request, user, form_state.with_form_error(request, error.text, {}))
    request.second_step.end()
    begin_session(request, user)
    return HTTPSeeOther(
        request.pending_action.redirect_target(safe_path(fields.get("next")) or request.route_path("home"))
    )


def passkey_options(request):
    """The WebAuthn options for log-in, second step and confirmation."""
    return json_text(accounts.proof_options(request.registry.settings, get_csrf_token(request)))


def json_text(text: str) -> Response:
    """A response with serialised JSON."""
    return Response(text, content_type="application/json", charset="utf-8")


def _second(request, user, form):
    target = safe_path(request.params.get("next")) or ""
    return {
        "form": form,
        "target": target,
        "has_app": accounts.has_totp(request.dbsession, user.id),
        "has_passkeys": bool(accounts.passkeys_of(request.dbsession, user.id)),
    }


def link_form(request):
    """The page of a mailed link; opening it does not log in, because mail scanners open links."""
    try:
        return {"user": accounts.check_log_in_link(request.account_context, request.matchdict["secret"])}
    except accounts.AccountError:
        return _bad_link(request)


def link(request):
    """Log in by a mailed link."""
    try:
        user = accounts.log_in_by_link(request.account_context, request.matchdict["secret"])
    except accounts.AccountError:
        return _bad_link(request)
    if user.second_factor:
        request.second_step.begin(user)
        return HTTPSeeOther(request.route_path("login.second"))
    begin_session(request, user, confirmed=False)
    return HTTPSeeOther(request.pending_action.redirect_target(request.route_path("home")))


def _bad_link(request):
    return notice(
        request,
        _("This link does not work"),
        _("It may be incomplete, more than an hour old, or already used."),
        links=[(_("Log in"), request.route_path("login"))],
        icon="warning",
        status=404,
    )


def logout(request):
    """End the browser's session."""
    identity = request.identity
    end_session(request)
    if identity is not None:
        request.account_context.log(log, "User logged out", identity.username)
    request.messages.add("success", _("You have been logged out. See you soon!"))
    target = safe_path(form_state.text_fields(request).get("next")) or request.route_path("home")
    # Clears the browser's cache, so that the Back button shows no pages of the session.
    return HTTPSeeOther(target, headers={"Clear-Site-Data": '"cache"'})


def _page(target, form):
    return {"target": target or "", "form": form, "waits": False}


def includeme(config):
    """Add the pages of logging in and out."""
    config.add_account_page(
        "login", "login/", login_form, renderer="account/login.jinja2", post=login, member=False
    )
    config.add_account_page(
        "login.second",
        "login/second/",
        second_form,
        renderer="account/login_second.jinja2",
        post=second,
        member=False,
    )
    config.add_account_page(
        "login.passkey",
        "login/passkey/",
        login_by_passkey,
        renderer="account/login.jinja2",
        methods=("POST",),
        member=False,
    )
    config.add_account_page("login.options", "login/passkey/options/", passkey_options, member=False)
    config.add_mailed_page(
        "login.link",
        letters.LOG_IN_LINK,
        "/accounts/login/link/{secret}/",
        link_form,
        renderer="account/login_link.jinja2",
        post=link,
    )
    config.add_account_page("logout", "logout/", logout, methods=("POST",), member=False)
