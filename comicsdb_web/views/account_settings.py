"""One's own account: overview, profile, confirmed address, everything it holds, and its end (web.md 10)."""

from pyramid.httpexceptions import HTTPBadRequest, HTTPSeeOther
from pyramid.response import Response

from comicsdb import accounts
from comicsdb.catalog import Invalid
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb_web import forms
from comicsdb_web.auth import forget_session
from comicsdb_web.locales import _
from comicsdb_web.usage import api_usage
from comicsdb_web.views.account import account_of, notice, secretive

PROFILE = ("username", "first_name", "last_name", "email", "bio", "language")
EXPORTS = {
    "json": (accounts.holdings_json, "application/json"),
    "csv": (accounts.holdings_csv, "application/zip"),
}
FILE_NAMES = {"json": "comicsdb-account.json", "csv": "comicsdb-account.zip"}


def overview(request):
    """What there is to see and to set."""
    user = account_of(request)
    return {"user": user, "usage": api_usage(request), "may_go": user.id != SYSTEM_USER_ID}


def profile_form(request):
    """The form with what the account says of itself."""
    user = account_of(request)
    return _profile(user, forms.Form({name: getattr(user, name) for name in PROFILE}))


def save_profile(request):
    """Save the profile; a new address counts when the link sent to it is opened."""
    fields = forms.texts(request)
    image = forms.file(request, "image")
    try:
        saved = accounts.update_profile(request.visit, request.identity.user_id, {**fields, "image": image})
    except Invalid as error:
        form = forms.refused(request, error, _typed(fields))
        return _profile(account_of(request), form, choose_again=bool(image))
    except (accounts.TooManyFailures, accounts.TooManyMails) as error:
        form = forms.too_many(request, error.retry_after, _typed(fields))
        return _profile(account_of(request), form, choose_again=bool(image))
    request.messages.add("success", request.localizer.translate(_("Your profile is saved.")))
    if saved.confirm:
        text = _(
            "We have sent a link to ${address}. It becomes your address when you open the link.",
            mapping={"address": saved.confirm},
        )
        request.messages.add("warning", request.localizer.translate(text))
    return HTTPSeeOther(request.route_path("account"))


def confirm_email(request):
    """Open the link that was sent to a new address: from now on it is the account's."""
    if request.method == "HEAD":  # only asks whether the page is there
        return Response()
    to_account = (_("To your account"), request.route_path("account"))
    try:
        accounts.confirm_email(request.visit, request.matchdict["secret"])
    except accounts.LinkSpent:
        text = _("This link has done its work.")
        title = _("Your address is confirmed already")
        return notice(request, title, text, links=[to_account], icon="check")
    except accounts.BadLink:
        text = _("It may be incomplete, older than 24 hours, or replaced by a newer one.")
        title = _("This link does not work")
        return notice(request, title, text, links=[to_account], icon="warning", status=404)
    text = _("From now on, e-mails of comicsdb go to your new address.")
    return notice(request, _("Your address is confirmed"), text, links=[to_account], icon="check")


def export(request):
    """Everything the account holds, as a file to keep; without a format, the page that offers both."""
    wanted = request.GET.get("format")
    if wanted is None:
        return {}
    if wanted not in EXPORTS:
        raise HTTPBadRequest(_("There are two formats: json and csv."))
    write, content_type = EXPORTS[wanted]
    response = Response(write(request.dbsession, request.identity.user_id), content_type=content_type)
    response.content_disposition = f'attachment; filename="{FILE_NAMES[wanted]}"'
    return response


def delete_form(request):
    """What goes and what stays, and the password once more."""
    return _deletion(request, forms.Form())


def delete(request):
    """Delete the account; its contributions to the catalogue stay."""
    try:
        accounts.delete_account(
            request.visit, request.identity.user_id, forms.texts(request).get("password", "")
        )
    except Invalid as error:
        return _deletion(request, forms.refused(request, error, {}))
    except accounts.TooManyFailures as error:
        return _deletion(request, forms.too_many(request, error.retry_after, {}))
    forget_session(request)
    request.messages.add(
        "success", request.localizer.translate(_("Your account is deleted. Thank you for having been here."))
    )
    return HTTPSeeOther(request.route_path("home"))


def _profile(user, form, *, choose_again=False):
    return {
        "form": form,
        "user": user,
        "languages": accounts.INTERFACE_LANGUAGES,
        "choose_again": choose_again,
    }


def _typed(fields):
    return {name: fields.get(name, "") for name in (*PROFILE, "image_clear")}


def _deletion(request, form):
    user = account_of(request)
    return {"form": form, "user": user, "may_go": user.id != SYSTEM_USER_ID}


def includeme(config):
    """Pages of members about themselves."""
    config.add_account_page("account", "", overview, renderer="account/overview.jinja2")
    config.add_account_page(
        "account.profile", "update/", profile_form, renderer="account/profile_form.jinja2", post=save_profile
    )
    config.add_account_page(
        "account.email", "email/confirm/{secret}/", confirm_email, member=False, decorator=secretive
    )
    config.add_account_page("account.export", "export/", export, renderer="account/export.jinja2")
    config.add_account_page(
        "account.delete", "delete/", delete_form, renderer="account/delete.jinja2", post=delete
    )
