"""API tokens: made here, shown once, revoked here (web.md 10, "Token page")."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.catalog import Invalid
from comicsdb_web import forms
from comicsdb_web.locales import _
from comicsdb_web.routing import number_in


def tokens(request):
    """The form and the tokens there are."""
    return _page(request, forms.Form())


def generate(request):
    """Make a token. This answer alone shows it: no redirect, message or session ever holds it.

    The form's key is spent with it, so sending the form again makes nothing.
    """
    fields = forms.texts(request)
    try:
        made = accounts.generate_token(
            request.visit, request.identity.user_id, fields.get("name", ""), fields.get("form_key", "")
        )
    except Invalid as error:
        return _page(request, forms.refused(request, error, {"name": fields.get("name", "")}))
    except accounts.FormSpent:
        text = _("That form was used already. A token is shown only once: revoke it and make another.")
        return _back(request, "info", text)
    return _page(request, forms.Form(), made)


def revoke(request):
    """Revoke one of one's own tokens."""
    if not accounts.revoke_token(request.visit, request.identity.user_id, number_in(request)):
        raise HTTPNotFound(_("There is no such token any more."))
    return _back(request, "success", _("The token is revoked. It opens nothing any more."))


def revoke_all(request):
    """Revoke all of one's tokens."""
    accounts.revoke_all_tokens(request.visit, request.identity.user_id)
    return _back(request, "success", _("All your tokens are revoked."))


def _page(request, form, made=None):
    return {
        "form": form,
        "form_key": accounts.new_form_key(),
        "made": made,
        "tokens": accounts.tokens_of(request.dbsession, request.identity.user_id),
        "shown_key": accounts.shown_key,
    }


def _back(request, kind, text):
    request.messages.add(kind, request.localizer.translate(text))
    return HTTPSeeOther(request.route_path("account.tokens"))


def includeme(config):
    """The page, and the ways to revoke."""
    config.add_account_page(
        "account.tokens", "tokens/", tokens, renderer="account/tokens.jinja2", post=generate
    )
    config.add_account_page("account.revoke_all", "tokens/revoke-all/", revoke_all, methods=("POST",))
    config.add_account_page("account.revoke", "tokens/{id:[0-9]+}/revoke/", revoke, methods=("POST",))
