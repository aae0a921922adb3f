"""Ending sessions, one or all."""

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.security import session_identifier
from comicsdb_web.http.routing import number_in
from comicsdb_web.http.session_auth import forget_session
from comicsdb_web.rendering.locales import _


def sessions(request):
    """Where the list of sessions was once."""
    return HTTPMovedPermanently(request.route_path("account.security"))


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
    return HTTPSeeOther(request.route_path("account.security"))


def end_all(request):
    """Log out everywhere, here too."""
    accounts.log_out_everywhere(request.account_context, request.identity.user_id)
    return _out(request, _("You are logged out everywhere."))


def _out(request, text):
    forget_session(request)
    request.messages.add("success", request.localizer.translate(text))
    return HTTPSeeOther(request.route_path("login"))


def includeme(config):
    """The ways to end sessions; what there is stands on the page of security."""
    config.add_account_page("account.sessions", "sessions/", sessions)
    config.add_account_page("account.end_all", "sessions/end-all/", end_all, methods=("POST",))
    config.add_account_page("account.end", "sessions/{id:[0-9]+}/end/", end, methods=("POST",))
