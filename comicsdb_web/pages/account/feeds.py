"""Secret addresses of one's own feeds: made here, shown once, revoked here."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.catalog import InvalidError
from comicsdb.library import feeds
from comicsdb_web.forms import answers
from comicsdb_web.http.routing import number_in
from comicsdb_web.pages.account import confirmed
from comicsdb_web.rendering.locales import _


def addresses(request):
    """The form and the addresses there are."""
    return _page(request, answers.Form())


def make(request):
    """Make an address. This answer alone shows it: no redirect, message or session ever holds it.

    The form's key is spent with it, so sending the form again makes nothing.
    """
    fields = answers.texts(request)
    name = fields.get("name", "")
    try:
        made = accounts.make_feed_address(
            request.account_context, request.identity.user_id, name, fields.get("form_key", "")
        )
    except InvalidError as error:
        return _page(request, answers.refused(request, error, {"name": name}))
    except accounts.FormSpentError:
        text = _("That form was used already. An address is shown only once: revoke it and make another.")
        return _back(request, "info", text)
    return _page(request, answers.Form(), made)


def revoke(request):
    """Revoke one of one's own addresses."""
    if not feeds.revoke(request.dbsession, request.identity.user_id, number_in(request)):
        raise HTTPNotFound(_("There is no such address any more."))
    return _back(request, "success", _("The address is revoked. It leads nowhere any more."))


def _page(request, form, made=None):
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
        "addresses": feeds.addresses_of(request.dbsession, request.identity.user_id),
    }


def _back(request, kind, text):
    request.messages.add(kind, request.localizer.translate(text))
    return HTTPSeeOther(request.route_path("account.feeds"))


def includeme(config):
    """The page, and the way to revoke."""
    config.add_account_page(
        "account.feeds", "feeds/", addresses, renderer="account/feeds.jinja2", post=confirmed(make)
    )
    config.add_account_page("account.feeds.revoke", "feeds/{id:[0-9]+}/revoke/", revoke, methods=("POST",))
