"""Where one is logged in, and how to end it (web.md 10)."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.security import session_identifier
from comicsdb_web.auth import forget_session
from comicsdb_web.browsers import browser_name
from comicsdb_web.locales import _
from comicsdb_web.routing import number_in


def sessions(request):
    """The browsers that are logged in; this one is marked."""
    identifier = session_identifier(request)
    found = accounts.sessions_of(request.dbsession, request.identity.user_id)
    return {
        "sessions": [(each, browser_name(each.browser), accounts.is_this(each, identifier)) for each in found]
    }


def end(request):
    """End one session; ending the browser's own is logging out."""
    number, user_id = number_in(request), request.identity.user_id
    own = [
        each.id
        for each in accounts.sessions_of(request.dbsession, user_id)
        if accounts.is_this(each, session_identifier(request))
    ]
    if not accounts.end_session_of(request.dbsession, user_id, number):
        raise HTTPNotFound(_("There is no such session any more."))
    if number in own:
        return _out(request, _("You are logged out. See you soon!"))
    request.messages.add("success", request.localizer.translate(_("The session has ended.")))
    return HTTPSeeOther(request.route_path("account.sessions"))


def end_all(request):
    """Log out everywhere, here too."""
    accounts.end_all_sessions(request.dbsession, request.identity.user_id)
    return _out(request, _("You are logged out everywhere."))


def _out(request, text):
    forget_session(request)
    request.messages.add("success", request.localizer.translate(text))
    return HTTPSeeOther(request.route_path("login"))


def includeme(config):
    """The list, and the ways to shorten it."""
    config.add_account_page("account.sessions", "sessions/", sessions, renderer="account/sessions.jinja2")
    config.add_account_page("account.end_all", "sessions/end-all/", end_all, methods=("POST",))
    config.add_account_page("account.end", "sessions/{id:[0-9]+}/end/", end, methods=("POST",))
