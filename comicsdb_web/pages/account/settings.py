"""The reader's own account: overview, profile, address, export and deletion."""

from typing import NamedTuple

from pyramid.httpexceptions import HTTPBadRequest, HTTPSeeOther
from pyramid.response import Response

from comicsdb import accounts, clock
from comicsdb.accounts import letters
from comicsdb.catalog import InvalidError
from comicsdb.imaging.picture import PictureError
from comicsdb.media.storage import StorageDownError
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb_web.forms import form_state
from comicsdb_web.forms.form_state import OLD_PREFIX
from comicsdb_web.http.session_auth import forget_session
from comicsdb_web.pages.account import account_of, notice, press_values
from comicsdb_web.rendering.locales import _

PROFILE = ("username", "first_name", "last_name", "shows_name", "email", "bio", "language", "timezone")
EXPORTS = {
    "json": (accounts.account_data_json, "application/json"),
    "csv": (accounts.account_data_csv, "application/zip"),
}
FILE_NAMES = {"json": "comicsdb-account.json", "csv": "comicsdb-account.zip"}

HIGH, FULL = 0.7, 0.9  # shares of the limit


def overview(request):
    """The overview of the account."""
    user = account_of(request)
    return {"user": user, "usage": api_usage(request), "may_go": user.id != SYSTEM_USER_ID}


def profile_form(request):
    """The profile form."""
    user = account_of(request)
    shown = {name: getattr(user, name) for name in PROFILE} | {"shows_name": "1" if user.shows_name else ""}
    restored = request.restored_form
    # What was not changed in a form that comes back after log-in takes nothing back either.
    was = (restored and _shown(restored.fields)) or shown
    return _profile(user, form_state.Form(shown), was)


def save_profile(request):
    """Save the profile; a new address must be confirmed by a mailed link.

    Only fields that were changed in the form are saved: one that was opened earlier takes nothing back.
    """
    fields = form_state.text_fields(request)
    image, kept = _picture(request, fields)
    sent = {name: value for name, value in fields.items() if name not in PROFILE or _is_changed(fields, name)}
    sent |= {"image": image, "image_kept": kept.secret if kept else fields.get("image_kept", "")}
    try:
        saved = accounts.update_profile(request.account_context, request.identity.user_id, sent)
    except InvalidError as error:
        form = form_state.with_errors(request, error, _typed(fields))
        return _profile(account_of(request), form, _shown(fields), kept, choose_again=bool(image))
    except (accounts.TooManyFailuresError, accounts.TooManyMailsError) as error:
        form = form_state.rate_limited(request, error.retry_after, _typed(fields))
        return _profile(account_of(request), form, _shown(fields), kept, choose_again=bool(image))
    request.messages.add("success", _("Your profile was saved."))
    if saved.confirm:
        text = _(
            "We have sent a link to ${address}. It becomes your e-mail address when you open the link.",
            mapping={"address": saved.confirm},
        )
        request.messages.add("warning", text)
    return HTTPSeeOther(request.route_path("account"))


def _is_changed(fields, name: str) -> bool:
    """Whether a field differs from what the form showed, or the form does not say what it showed."""
    typed, shown = fields[name], fields.get(OLD_PREFIX + name)
    return shown is None or typed.splitlines() != shown.splitlines()


def _picture(request, fields):
    """The uploaded picture if it could not be stored as a draft, to report its error, and the draft."""
    if fields.get("image_drop"):
        fields.pop("image_kept", None)
    image, user_id = form_state.uploaded_file(request, "image"), request.identity.user_id
    if not image:
        secret = fields.get("image_kept")
        return b"", secret and accounts.find_picture_draft(request.dbsession, user_id, secret)
    try:
        name = request.POST["image"].filename
        return b"", accounts.save_picture_draft(
            request.account_context, user_id, accounts.PICTURES, image, name
        )
    except (PictureError, StorageDownError):
        return image, None


def keep_timezone(request):
    """Store the browser's time zone for a member who has not chosen one."""
    accounts.set_timezone(
        request.dbsession, request.identity.user_id, form_state.text_fields(request).get("timezone", "")
    )
    return Response(status=204)


def email_form(request):
    """The page of a mailed link; opening it confirms nothing, as mail scanners open links."""
    try:
        link = accounts.check_email_link(request.account_context, request.matchdict["secret"])
    except accounts.AccountError as error:
        return _unusable_link(request, error)
    text = _(
        "From now on, ${site} will send your e-mails to ${address}.",
        mapping={"address": link.email, "site": _site(request)},
    )
    return press_values(request, _("Confirm your e-mail address"), text, _("Confirm the address"))


def confirm_email(request):
    """Confirm a new address by its mailed link."""
    try:
        accounts.confirm_email(request.account_context, request.matchdict["secret"])
    except accounts.AccountError as error:
        return _unusable_link(request, error)
    text = _("From now on, ${site} sends e-mails to your new address.", mapping={"site": _site(request)})
    return notice(request, _("Your address is confirmed"), text, links=_to_account(request), icon="check")


def _unusable_link(request, error: accounts.AccountError):
    links = _to_account(request)
    if isinstance(error, accounts.LinkUsedError):
        text = _("This link has already been used.")
        return notice(request, _("Your address is already confirmed"), text, links=links, icon="check")
    text = _("It may be incomplete, more than 24 hours old, or replaced by a newer one.")
    return notice(request, _("This link does not work"), text, links=links, icon="warning", status=404)


def _site(request) -> str:
    return request.registry.settings["comicsdb.title"]


def _to_account(request) -> list:
    return [(_("Your account"), request.route_path("account"))]


def export(request):
    """Export all data of the account as a file; without a format, the page that offers both."""
    wanted = request.GET.get("format")
    if wanted is None:
        return {}
    if wanted not in EXPORTS:
        raise HTTPBadRequest(_("The format must be json or csv."))
    write, content_type = EXPORTS[wanted]
    response = Response(write(request.dbsession, request.identity.user_id), content_type=content_type)
    response.content_disposition = f'attachment; filename="{FILE_NAMES[wanted]}"'
    return response


def delete_form(request):
    """The confirmation form of the deletion, with the password."""
    return _deletion(request, form_state.Form())


def delete(request):
    """Delete the account; its contributions to the catalog stay."""
    try:
        accounts.delete_account(
            request.account_context,
            request.identity.user_id,
            form_state.text_fields(request).get("password", ""),
        )
    except InvalidError as error:
        return _deletion(request, form_state.with_errors(request, error, {}))
    except accounts.TooManyFailuresError as error:
        return _deletion(request, form_state.rate_limited(request, error.retry_after, {}))
    forget_session(request)
    request.messages.add(
        "success",
        _("Your account was deleted. Thank you for being part of ${site}.", mapping={"site": _site(request)}),
    )
    return HTTPSeeOther(request.route_path("home"))


def _profile(user, form, was, kept=None, *, choose_again=False):
    return {
        "form": form,
        "was": was,
        "user": user,
        "kept": kept,
        "languages": accounts.INTERFACE_LANGUAGES,
        "zones": [each for each in clock.zone_names() if _is_offered(each, form)],
        "choose_again": choose_again,
    }


def _is_offered(zone: str, form) -> bool:
    """Whether a time zone is offered: named after a place, UTC, or the chosen one."""
    named = "/" in zone and not zone.startswith("Etc/")
    return named or zone in {"UTC", form.values.get("timezone")}


def _shown(fields):
    """What the form showed before it was submitted."""
    return {name: fields[OLD_PREFIX + name] for name in PROFILE if OLD_PREFIX + name in fields}


def _typed(fields):
    return {name: fields.get(name, "") for name in (*PROFILE, "image_clear")}


def _deletion(request, form):
    user = account_of(request)
    return {"form": form, "user": user, "may_go": user.id != SYSTEM_USER_ID}


class Usage(NamedTuple):
    """API requests in the last 24 hours, and their limit."""

    used: int
    limit: int

    @property
    def level(self) -> str:
        """The level for the style sheet: low, high or full."""
        share = self.used / self.limit
        return "full" if share >= FULL else "high" if share >= HIGH else "low"


def api_usage(request) -> Usage | None:
    """The account's usage of the daily limit of the API; None if there are no limits."""
    limits = request.registry["comicsdb.api_limits"]
    if not limits.enabled:
        return None
    _minute, day = limits.states(request.identity)
    return Usage(day.count, day.limit.max_events)


def includeme(config):
    """Add the pages."""
    config.add_account_page("account", "", overview, renderer="account/overview.jinja2")
    config.add_account_page(
        "account.profile", "update/", profile_form, renderer="account/profile_form.jinja2", post=save_profile
    )
    config.add_account_page("account.timezone", "timezone/", keep_timezone, methods=("POST",))
    config.add_mailed_page(
        "account.email",
        letters.CONFIRM_EMAIL,
        "/accounts/email/confirm/{secret}/",
        email_form,
        renderer="account/press.jinja2",
        post=confirm_email,
    )
    config.add_account_page("account.export", "export/", export, renderer="account/export.jinja2")
    config.add_account_page(
        "account.delete", "delete/", delete_form, renderer="account/delete.jinja2", post=delete
    )
