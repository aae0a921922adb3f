"""Two-step log-in: authenticator app, passkeys and recovery codes."""

import segno
from markupsafe import Markup
from pyramid.csrf import get_csrf_token
from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from pyramid.renderers import render_to_response

from comicsdb import accounts
from comicsdb.catalog import InvalidError
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.account import account_of, require_confirmed_session
from comicsdb_web.pages.account.login import json_text
from comicsdb_web.rendering.locales import _

QR_SCALE = 5  # pixels per module of the QR code


def totp_form(request):
    """A new secret for the app, as QR code and text; its first code must confirm it."""
    settings, user = request.registry.settings, account_of(request)
    return _totp(accounts.new_totp(settings, user), form_state.Form())


def add_totp(request):
    """Add the app; the first second factor of an account also creates recovery codes."""
    fields, user = form_state.text_fields(request), account_of(request)
    settings = request.registry.settings
    new = accounts.open_totp(settings, user, fields.get("sealed", ""))
    if new is None:
        text = _("That took too long. Here is a new secret.")
        return _totp(accounts.new_totp(settings, user), form_state.with_form_error(request, text, {}))
    try:
        accounts.add_totp(request.account_context, user, new, fields.get("code", ""))
    except InvalidError as error:
        return _totp(new, form_state.with_errors(request, error, {}))
    return _done(request, user, _("The authenticator app is set up."))


def remove_totp(request):
    """Remove the app."""
    if not accounts.remove_totp(request.account_context, account_of(request)):
        raise HTTPNotFound(_("There is no longer an authenticator app."))
    return _back(request, "success", _("The authenticator app was removed."))


def registration_options(request):
    """The WebAuthn registration options."""
    return json_text(
        accounts.registration_options(request.account_context, account_of(request), get_csrf_token(request))
    )


def add_passkey(request):
    """Store a passkey; the first second factor of an account also creates recovery codes."""
    fields, user = form_state.text_fields(request), account_of(request)
    answer, name = fields.get("answer", ""), fields.get("name", "")
    try:
        accounts.add_passkey(request.account_context, user, answer, name, get_csrf_token(request))
    except InvalidError as error:
        text = next(text for texts in error.errors.values() for text in texts)
        return _back(request, "error", text)
    except accounts.PasskeyRefusedError as error:
        return _back(request, "error", error.text)
    return _done(request, user, _("The passkey was added."))


def remove_passkey(request):
    """Remove a passkey of the account."""
    if not accounts.remove_passkey(request.account_context, account_of(request), id_in_path(request)):
        raise HTTPNotFound(_("This passkey no longer exists."))
    return _back(request, "success", _("The passkey was removed."))


def recovery_codes(request):
    """Create recovery codes, which only this response shows."""
    user = account_of(request)
    if not user.second_factor:
        return _back(request, "info", _("Recovery codes come with an authenticator app or a passkey."))
    return _codes(request, user)


def _done(request, user, text):
    """Show that a second factor was added, with new recovery codes if there are none."""
    if accounts.recovery_codes_left(request.dbsession, user.id):
        return _back(request, "success", text)
    return _codes(request, user)


def _codes(request, user):
    values = {"codes": accounts.make_recovery_codes(request.account_context, user)}
    return render_to_response("account/recovery.jinja2", values, request=request)


def _totp(new, form):
    picture = segno.make(new.address, error="m").svg_inline(scale=QR_SCALE, dark="#000", light="#fff")
    return {"form": form, "secret": new.secret, "sealed": new.sealed, "picture": Markup(picture)}  # noqa: S704


def _back(request, kind, text):
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("account.security"))


def includeme(config):
    """Add the pages; all changes require a confirmed session."""
    config.add_account_page(
        "account.totp",
        "security/app/",
        totp_form,
        renderer="account/totp.jinja2",
        post=require_confirmed_session(add_totp),
    )
    acts = {
        "totp.remove": ("app/remove/", remove_totp),
        "passkey.add": ("passkeys/", add_passkey),
        "passkey.remove": ("passkeys/{id:[0-9]+}/remove/", remove_passkey),
        "recovery": ("recovery-codes/", recovery_codes),
    }
    for name, (path, view) in acts.items():
        config.add_account_page(
            f"account.{name}", f"security/{path}", require_confirmed_session(view), methods=("POST",)
        )
    config.add_account_page("account.passkey.options", "security/passkeys/options/", registration_options)
