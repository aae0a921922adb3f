"""The site in the administration: enabling sign-ups, and outgoing mails."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import defer

from comicsdb import admin
from comicsdb.accounts import sign_up_settings
from comicsdb.catalog import InvalidError
from comicsdb.models import OutgoingMail, User
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.admin import FAILED, GIVEN_UP, SAVED, SENT, WAITING
from comicsdb_web.pages.admin.listing import ConditionChoice, folded_columns, listing
from comicsdb_web.rendering.locales import _


def sign_ups(request):
    """The form of sign-ups: enabled or not, and the message."""
    switch = sign_up_settings(request.dbsession)
    values = {
        "signups_enabled": "1" if switch.signups_enabled else "",
        "disabled_message": switch.disabled_message,
    }
    return {"form": form_state.Form(values)}


def set_sign_ups(request):
    """Enable or disable sign-ups."""
    fields = form_state.text_fields(request)
    enabled, message = bool(fields.get("signups_enabled")), fields.get("disabled_message", "")
    try:
        admin.set_sign_ups(request.dbsession, request.identity, enabled, message)
    except InvalidError as error:
        typed = {"signups_enabled": "1" if enabled else "", "disabled_message": message}
        return {"form": form_state.with_errors(request, error, typed)}
    request.messages.add("success", SAVED)
    return HTTPSeeOther(request.route_path("admin.sign_ups"))


def mails(request):
    """The mails of the last weeks without their content, newest first."""
    states = {
        "waiting": (_("Waiting"), WAITING),
        "failed": (_("Failed, will be retried"), FAILED),
        "given-up": (_("Abandoned"), GIVEN_UP),
        "sent": (_("Sent"), SENT),
    }
    rows = (
        select(OutgoingMail, User.username)
        .outerjoin(User, User.id == OutgoingMail.user_id)
        .options(defer(OutgoingMail.message, raiseload=True))
    )
    return listing(
        request,
        rows,
        (OutgoingMail.id,),
        (OutgoingMail.queued.desc(), OutgoingMail.id.desc()),
        searched=folded_columns(OutgoingMail.recipient, OutgoingMail.kind, func.coalesce(User.username, "")),
        filters=(ConditionChoice("state", _("State"), states),),
        of=OutgoingMail.user_id,
    )


def send_again(request):
    """Send a failed mail again with the next batch."""
    if not admin.retry_mail(request.dbsession, request.identity, id_in_path(request)):
        raise HTTPNotFound(_("This e-mail is no longer waiting for another attempt."))
    request.messages.add("success", _("The e-mail will be sent again with the next batch."))
    return HTTPSeeOther(request.back_path or request.route_path("admin.mail.list"))


def includeme(config):
    """Add the pages of sign-ups and mails."""
    config.add_admin_page(
        ".sign_ups", "sign-ups/", sign_ups, renderer="admin/sign_ups.jinja2", post=set_sign_ups
    )
    config.add_admin_page(".mail.list", "mail/", mails, renderer="admin/mails.jinja2")
    config.add_admin_page(".mail.again", "mail/{id:[0-9]+}/again/", send_again, methods=("POST",))
