"""Logging in and out (web.md 10)."""

import logging

from pyramid.httpexceptions import HTTPFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb_web import forms
from comicsdb_web.auth import begin_session, end_session
from comicsdb_web.locales import _
from comicsdb_web.routing import safe_path

log = logging.getLogger(__name__)


def login_form(request):
    """The form; who is logged in already goes on."""
    target = safe_path(request.GET.get("next"))
    if request.identity is not None:
        return HTTPFound(target or request.route_path("home"))
    return _page(target, forms.Form())


def login(request):
    """Log in with user name and password; the error tells nothing about accounts."""
    fields = forms.texts(request)
    target = safe_path(fields.get("next"))
    typed = {"username": fields.get("username", "")[: accounts.USERNAME_MAX]}
    try:
        user = accounts.log_in(request.visit, fields.get("username", ""), fields.get("password", ""))
    except accounts.LogInFailed as error:
        return _page(target, forms.refused_whole(request, error.text, typed))
    except accounts.TooManyFailures as error:
        return _page(target, forms.too_many(request, error.retry_after, typed))
    begin_session(request, user)
    return HTTPSeeOther(target or request.route_path("home"))


def logout(request):
    """End the browser's session."""
    identity = request.identity
    end_session(request)
    if identity is not None:
        request.visit.log(log, "User logged out", identity.username)
    request.messages.add("success", request.localizer.translate(_("You are logged out. See you soon!")))
    return HTTPSeeOther(safe_path(forms.texts(request).get("next")) or request.route_path("home"))


def _page(target, form):
    return {"target": target or "", "form": form}


def includeme(config):
    """The form, and both ways through it."""
    config.add_account_page(
        "login", "login/", login_form, renderer="account/login.jinja2", post=login, member=False
    )
    config.add_account_page("logout", "logout/", logout, methods=("POST",), member=False)
