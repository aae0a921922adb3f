"""API tokens in the administration: what is known of them, which is no secret, and their end."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import contains_eager

from comicsdb import admin, clock
from comicsdb.accounts import is_expired, shown_key
from comicsdb.accounts.tokens import SHOWN
from comicsdb.catalog import InvalidError
from comicsdb.models import ApiToken, User
from comicsdb_web.http.routing import number_in
from comicsdb_web.pages.account.tokens import SCOPES
from comicsdb_web.pages.admin import say
from comicsdb_web.pages.admin.listing import Filter, folded, listing
from comicsdb_web.rendering.locales import _

ORDER = (ApiToken.created.desc(), ApiToken.id.desc())
# Of the key only what is shown: no search finds out more of it.
SEARCHED = folded(User.username, ApiToken.name, func.left(ApiToken.token_key, SHOWN))


def tokens(request):
    """All tokens, the newest first."""
    expired = func.coalesce(ApiToken.expiry <= clock.now(), False)
    filters = (
        Filter(
            "used",
            _("Used"),
            {
                "yes": (_("Yes"), ApiToken.last_used.is_not(None)),
                "no": (_("Never"), ApiToken.last_used.is_(None)),
            },
        ),
        Filter("expired", _("Expired"), {"yes": (_("Yes"), expired), "no": (_("No"), ~expired)}),
        Filter("scope", _("Scope"), {each: (SCOPES[each][0], ApiToken.scope == each) for each in SCOPES}),
    )
    rows = select(ApiToken).join(ApiToken.user).options(contains_eager(ApiToken.user))
    found = listing(
        request, rows, (ApiToken.id,), ORDER, searched=SEARCHED, filters=filters, of=ApiToken.user_id
    )
    return found | {"shown_key": shown_key, "scopes": SCOPES, "is_expired": is_expired}


def revoke(request):
    """Revoke a token, and show the page again from which it came."""
    try:
        found = admin.revoke_token(request.account_context, request.identity, number_in(request))
    except InvalidError as error:
        say(request, "error", error)
    else:
        if not found:
            raise HTTPNotFound(_("There is no such token any more."))
        say(request, "success", _("The token is revoked. It opens nothing any more."))
    return HTTPSeeOther(request.back_path or request.route_path("admin.token.list"))


def includeme(config):
    """The list, and the end of one."""
    config.add_admin_page(".token.list", "token/", tokens, renderer="admin/tokens.jinja2")
    config.add_admin_page(".token.revoke", "token/{id:[0-9]+}/revoke/", revoke, methods=("POST",))
