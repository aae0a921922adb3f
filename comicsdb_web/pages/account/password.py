"""Changing a password, and resetting a forgotten one."""

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPSeeOther

from comicsdb import accounts
from comicsdb.accounts import letters
from comicsdb.catalog import InvalidError
from comicsdb.http.session_cookie import session_identifier
from comicsdb_web.forms import form_state
from comicsdb_web.http.session_auth import keep_session
from comicsdb_web.pages.account import account_of, notice
from comicsdb_web.rendering.locales import _

REVOCATIONS = ("end_sessions", "revoke_tokens", "revoke_feeds")


def change_form(request):
    """The form for a new password."""
    return {"form": form_state.Form({"end_sessions": "1"}), "user": account_of(request)}


def change(request):
    """Set a new password; the session of this browser gets a new identifier."""
    fields = form_state.text_fields(request)
    try:
        identifier = accounts.change_password(
            request.account_context, request.identity.user_id, session_identifier(request), fields
        )
    except InvalidError as error:
        return {
            "form": form_state.with_errors(request, error, _selected_revocations(fields)),
            "user": account_of(request),
        }
    except accounts.TooManyFailuresError as error:
        return {
            "form": form_state.rate_limited(request, error.retry_after, _selected_revocations(fields)),
            "user": account_of(request),
        }
    keep_session(request, identifier)
    return HTTPSeeOther(request.route_path("account.password_changed"))


def changed(request):
    """The page after a change."""
    return notice(
        request,
        _("Your password was changed"),
        _("You stay logged in here. The sessions and tokens you chose to end no longer work."),
        links=[(_("Back to your account"), request.route_path("account"))],
        icon="check",
    )


def forgotten_form(request):  # noqa: ARG001
    """The form that asks for a link by mail."""
    return {"form": form_state.Form()}


def forgotten(request):
    """Send a link to the account with an address, if there is one; the response is always the same."""
    typed = {"email": form_state.text_fields(request).get("email", "")}
    try:
        accounts.request_reset(request.account_context, typed["email"])
    except InvalidError as error:
        return {"form": form_state.with_errors(request, error, typed)}
    except accounts.TooManyMailsError as error:
        return {"form": form_state.rate_limited(request, error.retry_after, typed)}
    return HTTPSeeOther(request.route_path("account.reset_sent"))


def reset_sent(request):
    """The page after the request, whether or not anything was sent."""
    return notice(
        request,
        _("Check your e-mail"),
        _("If there is an active account with this address, we have sent it an e-mail with a link."),
        _("The link works once, within 24 hours. Check your spam folder, too."),
        links=[(_("Back to the home page"), request.route_path("home"))],
    )


def reset_form(request):
    """The form of a mailed link; opening it does not use up the link."""
    words = request.matchdict
    try:
        user = accounts.check_reset(request.account_context, words["uid"], words["secret"])
    except accounts.BadLinkError:
        return _bad_link(request)
    return {"form": form_state.Form(dict.fromkeys(REVOCATIONS, "1")), "user": user}


def reset(request):
    """Set the new password."""
    words, fields = request.matchdict, form_state.text_fields(request)
    try:
        accounts.reset_password(request.account_context, words["uid"], words["secret"], fields)
    except accounts.BadLinkError:
        return _bad_link(request)
    except InvalidError as error:
        user = accounts.check_reset(request.account_context, words["uid"], words["secret"])
        return {"form": form_state.with_errors(request, error, _selected_revocations(fields)), "user": user}
    return HTTPSeeOther(request.route_path("account.reset_done"))


def reset_done(request):
    """The page after a reset."""
    return notice(
        request,
        _("Your new password is set"),
        _("Log in with it. The sessions and tokens you chose to end no longer work."),
        links=[(_("Log in"), request.route_path("login"))],
        icon="check",
    )


def _selected_revocations(fields):
    """The ticked options, to be shown again."""
    return {name: fields.get(name, "") for name in REVOCATIONS}


def _bad_link(request):
    return notice(
        request,
        _("This link does not work"),
        _("It may be incomplete, more than 24 hours old, already used, or replaced by a newer one."),
        links=[(_("Send a new link"), request.route_path("account.forgotten"))],
        icon="warning",
        status=404,
    )


def _moved(request):
    return HTTPMovedPermanently(request.route_path("account.password"))


def includeme(config):
    """Add the pages, at the paths that comparable sites use."""
    config.add_account_page(
        "account.password",
        "password_change/",
        change_form,
        renderer="account/password.jinja2",
        post=change,
    )
    config.add_account_page("account.password_changed", "password_change/done/", changed)
    config.add_account_page("account.password_moved", "password/", _moved, member=False)
    config.add_account_page(
        "account.forgotten",
        "password_reset/",
        forgotten_form,
        renderer="account/forgotten.jinja2",
        post=forgotten,
        member=False,
    )
    config.add_account_page("account.reset_sent", "password_reset/done/", reset_sent, member=False)
    config.add_account_page("account.reset_done", "reset/done/", reset_done, member=False)
    config.add_mailed_page(
        "account.reset",
        letters.RESET,
        "/accounts/reset/{uid}/{secret}/",
        reset_form,
        renderer="account/reset.jinja2",
        post=reset,
    )
