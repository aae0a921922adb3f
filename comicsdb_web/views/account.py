"""Logging in and out (web.md 10)."""

import logging

from pyramid.httpexceptions import HTTPFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.security import client_ip
from comicsdb_web.auth import begin_session, end_session
from comicsdb_web.locales import _
from comicsdb_web.routing import safe_path

log = logging.getLogger(__name__)


def login_form(request):
    """The form; who is logged in already goes on."""
    target = safe_path(request.GET.get("next"))
    if request.identity is not None:
        return HTTPFound(target or request.route_path("home"))
    return _form(request, target)


def login(request):
    """Log in with user name and password; the error tells nothing about accounts."""
    target = safe_path(request.POST.get("next"))
    username, password = request.POST.get("username", ""), request.POST.get("password", "")
    user = accounts.verified(request.dbsession, request.passwords, username, password)
    if user is None:
        name = accounts.printable(username)[: accounts.USERNAME_MAX]
        log.warning("Log-in failed (user=%s, ip=%s)", name, client_ip(request))
        request.response.status = 422
        return _form(request, target, username=username, failed=True)
    begin_session(request, user)
    log.info("User logged in (user=%s, ip=%s)", user.username, client_ip(request))
    return HTTPSeeOther(target or request.route_path("home"))


def logout(request):
    """End the browser's session."""
    identity = request.identity
    end_session(request)
    if identity is not None:
        log.info("User logged out (user=%s, ip=%s)", identity.username, client_ip(request))
    request.messages.add("success", request.localizer.translate(_("You are logged out. See you soon!")))
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path("home"))


def _form(request, target, *, username="", failed=False):
    request.response.headers["Cache-Control"] = "no-store"
    return {"target": target or "", "username": username[: accounts.USERNAME_MAX], "failed": failed}


def includeme(config):
    """The form, and both ways through it."""
    config.add_page("login", "/accounts/login/", login_form, renderer="login.jinja2", post=login)
    config.add_page("logout", "/accounts/logout/", logout, methods=("POST",))
