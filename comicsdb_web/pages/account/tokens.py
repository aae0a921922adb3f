"""API tokens and private feed addresses: creating, showing once, and revoking them."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.catalog import InvalidError
from comicsdb.models.choices import TokenScope
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.account import require_confirmed_session
from comicsdb_web.rendering.locales import _

# The choices of the form: what a program may do, with name and explanation, and lifetimes.
SCOPES = {
    TokenScope.READ: (
        _("Read the catalog"),
        _("It sees what every visitor sees: nothing private. It changes nothing."),
    ),
    TokenScope.LIBRARY: (
        _("Read the catalog, manage the library"),
        _(
            "It can also see and change your collection, pull list, wish list"
            " and ratings, and see your lists."
        ),
    ),
    TokenScope.EDIT: (
        _("Everything"),
        _("It can do all that you may do through the API. If you are an editor, it can change the catalog."),
    ),
}
LIFETIMES = {
    accounts.FOREVER: _("Until you revoke it"),
    "30": _("30 days"),
    "90": _("90 days"),
    "365": _("One year"),
    accounts.UNTIL: _("Until a date you choose"),
}
FIELDS = ("name", "scope", "lifetime", "until")
DEFAULTS = {"scope": TokenScope.READ, "lifetime": accounts.FOREVER}


def tokens(request):
    """The form and the account's tokens."""
    return _tokens_page(request, form_state.Form(DEFAULTS))


def generate(request):
    """Create a token, which only this response shows: no redirect, message or session contains it.

    The form's key is used up, so submitting the form again creates nothing.
    """
    fields = form_state.text_fields(request)
    typed = {name: fields.get(name, "") for name in FIELDS}
    label, form_key = typed["name"], fields.get("form_key", "")
    chosen = {name: typed[name] for name in ("scope", "lifetime", "until")}
    try:
        made = accounts.generate_token(
            request.account_context, request.identity.user_id, label, form_key, **chosen
        )
    except InvalidError as error:
        return _tokens_page(request, form_state.with_errors(request, error, typed))
    except accounts.FormAlreadySubmittedError:
        text = _("That form was already submitted. A token is shown only once: revoke it and create another.")
        return _to_tokens(request, "info", text)
    return _tokens_page(request, form_state.Form(DEFAULTS), made)


def revoke(request):
    """Revoke a token of the account."""
    if not accounts.revoke_token(request.account_context, request.identity.user_id, id_in_path(request)):
        raise HTTPNotFound(_("This token no longer exists."))
    return _to_tokens(request, "success", _("The token was revoked and no longer works."))


def revoke_all(request):
    """Revoke all tokens of the account."""
    accounts.revoke_all_tokens(request.account_context, request.identity.user_id)
    return _to_tokens(request, "success", _("All your tokens have been revoked."))


def _tokens_page(request, form, made=None):
    return {
        "form": form,
        "form_key": accounts.new_form_key(),
        "made": made,
        "tokens": accounts.tokens_of(request.dbsession, request.identity.user_id),
        "scopes": SCOPES,
        "lifetimes": [(each, request.localizer.translate(text)) for each, text in LIFETIMES.items()],
        "shown_key": accounts.shown_key,
        "is_expired": accounts.is_expired,
    }


def _to_tokens(request, kind, text):
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("account.tokens"))


def feed_addresses(request):
    """The form and the account's addresses."""
    return _feeds_page(request, form_state.Form())


def make_feed(request):
    """Create an address, which only this response shows: no redirect, message or session contains it.

    The form's key is used up, so submitting the form again creates nothing.
    """
    fields = form_state.text_fields(request)
    name = fields.get("name", "")
    try:
        made = accounts.make_feed_address(
            request.account_context, request.identity.user_id, name, fields.get("form_key", "")
        )
    except InvalidError as error:
        return _feeds_page(request, form_state.with_errors(request, error, {"name": name}))
    except accounts.FormAlreadySubmittedError:
        text = _(
            "That form was already submitted. An address is shown only once: revoke it and create another."
        )
        return _to_feeds(request, "info", text)
    return _feeds_page(request, form_state.Form(), made)


def revoke_feed(request):
    """Revoke an address of the account."""
    if not accounts.revoke_feed_address(request.dbsession, request.identity.user_id, id_in_path(request)):
        raise HTTPNotFound(_("This address no longer exists."))
    return _to_feeds(request, "success", _("The address was revoked and no longer works."))


def _feeds_page(request, form, made=None):
    shown = {}
    if made is not None:
        shown = {
            kind: request.public_url(request.route_path("pull_list.feed", secret=made.secret, form=kind))
            for kind in ("ics", "atom")
        }
    return {
        "form": form,
        "form_key": accounts.new_form_key(),
        "made": made,
        "shown": shown,
        "addresses": accounts.feed_addresses_of(request.dbsession, request.identity.user_id),
    }


def _to_feeds(request, kind, text):
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("account.feeds"))


def includeme(config):
    """Add the pages of tokens and feed addresses."""
    config.add_account_page(
        "account.tokens",
        "tokens/",
        tokens,
        renderer="account/tokens.jinja2",
        post=require_confirmed_session(generate),
    )
    config.add_account_page("account.revoke_all", "tokens/revoke-all/", revoke_all, methods=("POST",))
    config.add_account_page("account.revoke", "tokens/{id:[0-9]+}/revoke/", revoke, methods=("POST",))
    config.add_account_page(
        "account.feeds",
        "feeds/",
        feed_addresses,
        renderer="account/feeds.jinja2",
        post=require_confirmed_session(make_feed),
    )
    config.add_account_page(
        "account.feeds.revoke", "feeds/{id:[0-9]+}/revoke/", revoke_feed, methods=("POST",)
    )
