"""Webhooks: the programs of an account that are notified of changes, and the messages sent to them."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb import accounts
from comicsdb.catalog import InvalidError
from comicsdb.models.choices import WebhookState
from comicsdb.webhooks import endpoints
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.account import require_confirmed_session
from comicsdb_web.rendering.locales import _

GONE = _("This webhook no longer exists.")
ON_ITS_WAY = _("A message that you asked for is still on its way.")
SPENT = _("That form was already submitted. A secret is shown only once: make a new one if you lost it.")
PROBLEMS = {
    "invalid": _("Messages cannot be sent to this address."),
    "no_host": _("The server name could not be resolved."),
    "private": _("The server is not on the public internet, or its port is neither 443 nor 8443."),
    "refused": _("The server refused the connection."),
    "late": _("There was no complete response in time."),
    "certificate": _("The server's certificate is not valid for its name."),
    "unsigned": _("The secret can no longer be read: make a new one."),
    "broken": _("The connection failed."),
}


def webhooks(request):
    """The form and the account's webhooks."""
    return _list_page(request, form_state.Form())


def make(request):
    """Create a webhook, whose secret only this response shows."""
    fields = form_state.text_fields(request)
    try:
        made = endpoints.make(
            request.dbsession,
            request.registry.settings,
            request.identity.user_id,
            **_typed(fields),
            form_key=fields.get("form_key", ""),
        )
    except InvalidError as error:
        return _list_page(request, form_state.with_errors(request, error, fields))
    except accounts.FormAlreadySubmittedError:
        request.messages.add("info", SPENT)
        return HTTPSeeOther(request.route_path("account.webhooks"))
    return _list_page(request, form_state.Form(), made.secret)


def webhook(request):
    """A webhook with its last deliveries."""
    return _page(request, _mine(request))


def change(request):
    """Change a webhook."""
    found, fields = _mine(request), form_state.text_fields(request)
    try:
        endpoints.change(request.registry.settings, found, **_typed(fields))
    except InvalidError as error:
        return _page(request, found, form=form_state.with_errors(request, error, fields))
    return _back(request, found, _("The webhook was saved."))


def rotate(request):
    """Make a new secret, which only this response shows."""
    found = _mine(request)
    return _page(request, found, endpoints.rotate(request.registry.settings, found))


def pause(request):
    """Pause a webhook."""
    found = _mine(request)
    endpoints.pause(found)
    return _back(request, found, _("The webhook is paused."))


def resume(request):
    """Resume a paused webhook."""
    found = _mine(request)
    endpoints.resume(request.dbsession, found)
    return _back(request, found, _("The webhook is active."))


def send_test(request):
    """Send a test message, which contains no changes."""
    found = _mine(request)
    if not endpoints.send_test(request.dbsession, found):
        return _back(request, found, ON_ITS_WAY, "info")
    return _back(request, found, _("The test will be sent in a moment: reload the page to see the response."))


def resend(request):
    """Send a message again."""
    found = _mine(request)
    done = endpoints.resend(request.dbsession, found, id_in_path(request, "delivery"))
    if done is None:
        raise HTTPNotFound(_("This message no longer exists."))
    if not done:
        return _back(request, found, ON_ITS_WAY, "info")
    return _back(request, found, _("The message will be sent again in a moment."))


def remove(request):
    """Delete a webhook."""
    if not endpoints.remove(request.dbsession, request.identity.user_id, id_in_path(request)):
        raise HTTPNotFound(GONE)
    request.messages.add("success", _("The webhook was deleted."))
    return HTTPSeeOther(request.route_path("account.webhooks"))


def _typed(fields) -> dict:
    return {
        "url": fields.get("url", ""),
        "description": fields.get("description", ""),
        "kinds": [kind for kind in endpoints.KINDS if f"kind_{kind}" in fields],
    }


def _mine(request):
    """The webhook in the path; raises HTTPNotFound for other accounts' webhooks."""
    found = endpoints.webhook_of(request.dbsession, request.identity.user_id, id_in_path(request))
    if found is None:
        raise HTTPNotFound(GONE)
    return found


def _list_page(request, form, secret=""):
    return {
        "help": request.path_if_served("docs.section", name="webhooks"),
        "form": form,
        "form_key": accounts.new_form_key(),
        "secret": secret,
        "kinds": endpoints.KINDS,
        "webhooks": endpoints.webhooks_of(request.dbsession, request.identity.user_id),
        "states": WebhookState,
    }


def _page(request, found, secret="", form=None):
    if form is None:
        ticked = {f"kind_{kind}": "1" for kind in found.kinds}
        form = form_state.Form({"url": found.url, "description": found.description, **ticked})
    return {
        "form": form,
        "kinds": endpoints.KINDS,
        "webhook": found,
        "secret": secret,
        "states": WebhookState,
        "problems": PROBLEMS,
        "deliveries": endpoints.deliveries_of(request.dbsession, found.id),
    }


def _back(request, found, text, kind="success"):
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("account.webhook", id=found.id))


def includeme(config):
    """Add the pages, if accounts may have webhooks."""
    if not config.get_settings()["comicsdb.webhooks.most"]:
        return
    one = "webhooks/{id:[0-9]+}/"
    config.add_account_page(
        "account.webhooks",
        "webhooks/",
        webhooks,
        renderer="account/webhooks.jinja2",
        post=require_confirmed_session(make),
    )
    config.add_account_page("account.webhook", one, webhook, renderer="account/webhook.jinja2", post=change)
    config.add_account_page(
        "account.webhook.rotate",
        f"{one}secret/",
        require_confirmed_session(rotate),
        renderer="account/webhook.jinja2",
        methods=("POST",),
    )
    for name, view in {"pause": pause, "resume": resume, "test": send_test, "delete": remove}.items():
        config.add_account_page(f"account.webhook.{name}", f"{one}{name}/", view, methods=("POST",))
    config.add_account_page(
        "account.webhook.resend", one + "deliveries/{delivery:[0-9]+}/", resend, methods=("POST",)
    )
