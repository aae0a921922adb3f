"""Security: sessions, tokens and events on one page, ending sessions, and recovering an account."""

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select

from comicsdb import accounts
from comicsdb.accounts import letters
from comicsdb.accounts.browsers import browser_name
from comicsdb.http.session_cookie import session_identifier
from comicsdb.i18n import translate
from comicsdb.models import SecurityEvent
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.http.session_auth import forget_session
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.account import notice
from comicsdb_web.pages.account.tokens import SCOPES
from comicsdb_web.rendering.locales import _

EVENTS_PER_PAGE = 20


def security(request):
    """The sessions, tokens and recent security events of the account."""
    session, user_id = request.dbsession, request.identity.user_id
    identifier = session_identifier(request)
    events = accounts.security_events(user_id)
    count = select(func.count()).where(SecurityEvent.user_id == user_id)
    page = paginate(request, events, events.with_only_columns(SecurityEvent.id), count, EVENTS_PER_PAGE)
    return {
        "sessions": [
            (each, browser_name(each.browser), accounts.is_current_session(each, identifier))
            for each in accounts.sessions_of(session, user_id)
        ],
        "tokens": accounts.tokens_of(session, user_id),
        "page": page,
        "events": [_event_values(request, event) for (event,) in page.rows],
        "shown_key": accounts.shown_key,
        "scopes": SCOPES,
        "is_expired": accounts.is_expired,
        "has_app": accounts.has_totp(session, user_id),
        "passkeys": accounts.passkeys_of(session, user_id),
        "codes_left": accounts.recovery_codes_left(session, user_id),
        "form": form_state.Form(),
    }


def _event_values(request, event):
    """An event with browser, title and details, translated."""
    found = accounts.security_facts(event)
    facts = [tuple(translate(request.localizer, each) for each in fact) for fact in found]
    title = translate(request.localizer, accounts.SECURITY_TEXTS[event.kind].title)
    return event, browser_name(event.browser), title, facts


def not_me_form(request):
    """The form of the mailed link; opening it changes nothing."""
    words = request.matchdict
    try:
        return {"user": accounts.check_not_me(request.account_context, words["uid"], words["secret"])}
    except accounts.AccountError:
        return _bad_link(request)


def not_me(request):
    """Lock everyone out of the account, and mail a password reset link."""
    words = request.matchdict
    try:
        accounts.reclaim_account(request.account_context, words["uid"], words["secret"])
    except accounts.AccountError:
        return _bad_link(request)
    return notice(
        request,
        _("Your account is secure again"),
        _(
            "All sessions have ended, and all API tokens, feed addresses"
            " and the password have stopped working."
        ),
        _("We have sent a password reset link to the address that received the e-mail."),
        links=[(_("Log in"), request.route_path("login"))],
        icon="check",
    )


def _bad_link(request):
    return notice(
        request,
        _("This link does not work"),
        _(
            "It may be incomplete, more than 7 days old, already used, or cancelled because an earlier one"
            " was used."
        ),
        _("Choose a new password if you think somebody else knows yours, or contact us."),
        links=[
            (_("Choose a new password"), request.route_path("account.forgotten")),
            (_("Contact us"), request.route_path("help.page", page="contact")),
        ],
        icon="warning",
        status=404,
    )


def sessions(request):
    """Redirect from the former page of sessions."""
    return HTTPMovedPermanently(request.route_path("account.security"))


def end_session(request):
    """End one session; ending the current one logs out."""
    number, user_id = id_in_path(request), request.identity.user_id
    own = [
        each.id
        for each in accounts.sessions_of(request.dbsession, user_id)
        if accounts.is_current_session(each, session_identifier(request))
    ]
    if not accounts.end_session_of(request.dbsession, user_id, number):
        raise HTTPNotFound(_("This session no longer exists."))
    if number in own:
        return _logged_out(request, _("You have been logged out. See you soon!"))
    request.messages.add("success", _("The session has ended."))
    return HTTPSeeOther(request.route_path("account.security"))


def end_all_sessions(request):
    """End all sessions, including this one."""
    accounts.log_out_everywhere(request.account_context, request.identity.user_id)
    return _logged_out(request, _("You have been logged out everywhere."))


def _logged_out(request, text):
    forget_session(request)
    request.messages.add("success", text)
    return HTTPSeeOther(request.route_path("login"))


def includeme(config):
    """Add the pages."""
    config.add_account_page("account.security", "security/", security, renderer="account/security.jinja2")
    config.add_mailed_page(
        "account.not_me",
        letters.NOT_ME,
        "/accounts/not-me/{uid}/{secret}/",
        not_me_form,
        renderer="account/not_me.jinja2",
        post=not_me,
    )
    config.add_account_page("account.sessions", "sessions/", sessions)
    config.add_account_page("account.end_all", "sessions/end-all/", end_all_sessions, methods=("POST",))
    config.add_account_page("account.end", "sessions/{id:[0-9]+}/end/", end_session, methods=("POST",))
