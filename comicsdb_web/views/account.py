"""Logging in and out (web.md 10)."""

import logging

from pyramid.httpexceptions import HTTPFound, HTTPSeeOther
from sqlalchemy import func

from comicsdb.models import User
from comicsdb.security import load_user
from comicsdb_web.auth import begin_session, end_session, printable
from comicsdb_web.locales import _
from comicsdb_web.routing import safe_path

log = logging.getLogger(__name__)

USERNAME_MAX = 150
PASSWORD_MAX = 1024  # more would only keep the hash busy


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
    user = _account(request, username, password)
    if user is None:
        log.warning("Log-in failed (user=%s, ip=%s)", printable(username)[:USERNAME_MAX], request.remote_addr)
        request.response.status = 422
        return _form(request, target, username=username, failed=True)
    if request.passwords.needs_rehash(user.password):
        user.password = request.passwords.hash(password)
    begin_session(request, user)
    log.info("User logged in (user=%s, ip=%s)", user.username, request.remote_addr)
    return HTTPSeeOther(target or request.route_path("home"))


def logout(request):
    """End the browser's session."""
    identity = request.identity
    end_session(request)
    if identity is not None:
        log.info("User logged out (user=%s, ip=%s)", identity.username, request.remote_addr)
    request.messages.add("success", request.localizer.translate(_("You are logged out. See you soon!")))
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path("home"))


def _account(request, username: str, password: str) -> User | None:
    """The active account with this name and password; as slow for nobody as for a wrong password."""
    user = None
    if len(username) <= USERNAME_MAX and len(password) <= PASSWORD_MAX and username.isprintable():
        user = load_user(request.dbsession, func.lower(User.username) == func.lower(username))
    known = request.passwords.verify(user.password if user else None, password[:PASSWORD_MAX])
    return user if known and user.is_active else None


def _form(request, target, *, username="", failed=False):
    request.response.headers["Cache-Control"] = "no-store"
    return {"target": target or "", "username": username[:USERNAME_MAX], "failed": failed}


def includeme(config):
    """The form, and both ways through it."""
    config.add_page("login", "/accounts/login/", login_form, renderer="login.jinja2", post=login)
    config.add_page("logout", "/accounts/logout/", logout, methods=("POST",))
