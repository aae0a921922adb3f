"""The administration: its pages, access to them, and the overview."""

from decimal import Decimal

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select

from comicsdb import admin
from comicsdb.admin import notices
from comicsdb.admin.reviews import open_reports
from comicsdb.catalog import InvalidError
from comicsdb.catalog.kinds import KINDS
from comicsdb.models import ApiToken, OutgoingMail, ReviewReport, SignupSettings, User
from comicsdb.security import Permission
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.account import no_store
from comicsdb_web.pages.admin import dashboard
from comicsdb_web.pages.catalog.history_labels import labels_of
from comicsdb_web.pages.site import errors
from comicsdb_web.rendering.locales import _

LATEST = 10  # rows shown of lists that have a page of their own

SAVED, UNCHANGED = _("Saved."), _("Nothing to change.")

# The labels of actions and kinds in the audit log.
ACTIONS = {
    "create": _("Created"),
    "change": _("Changed"),
    "delete": _("Deleted"),
    "set password": _("Set the password"),
    "end sessions": _("Ended all sessions"),
    "reset second factor": _("Switched two-step log-in off"),
    "revoke token": _("Revoked a token"),
    "revoke tokens": _("Revoked all tokens"),
    "send again": _("Sent again"),
    "merge": _("Merged"),
    "move": _("Made an imprint"),
    "repair": _("Repaired"),
    "rate teen": _("Age rating set to Teen"),
    "remove covers": _("Removed covers"),
    "add executives": _("Added executive credits"),
    "take from reprints": _("Copied from reprints"),
    "rebuild slugs": _("Rebuilt addresses"),
    "assign": _("Made official"),
    "hide": _("Hidden"),
    "restore": _("Restored"),
    "keep": _("Reports settled"),
}
KIND_NAMES = {
    "user": _("Account"),
    "group": _("Group"),
    "announcement": _("Announcement"),
    "poll": _("Poll"),
    "review": _("Review"),
    "signup_settings": _("Sign-ups"),
    "mail": _("E-mail"),
    **{kind.name: kind.label for kind in KINDS.values() if not kind.is_reference},
    "reading_list": _("Reading list"),
    **{kind.name: kind.label for kind in KINDS.values() if kind.is_reference},
}
POLL_LABELS = {
    "start_date": _("Opens"),
    "end_date": _("Closes"),
    "descriptions": _("Description in other languages"),
}
LIST_LABELS = {"user": _("Owner")}

# The states of mails.
SENT = OutgoingMail.sent.is_not(None)
GIVEN_UP = OutgoingMail.sent.is_(None) & OutgoingMail.next_attempt.is_(None)
WAITING = OutgoingMail.sent.is_(None) & OutgoingMail.next_attempt.is_not(None)
FAILED = WAITING & (OutgoingMail.error != "")


def add_admin_page(config, name, pattern, view, **options):
    """Directive: add a page below /admin/, for staff only."""
    config.add_page(
        f"admin{name}", f"/admin/{pattern}", view, permission=Permission.STAFF, decorator=no_store, **options
    )


def forbidden(error, request):
    """The forbidden view: redirect anonymous visitors to the log-in form; 404 for other accounts.

    Staff without a required second factor are redirected to its page.
    """
    if request.identity is not None and request.identity.lacks_second_factor:
        request.messages.add("warning", _("Set up two-step log-in first: the admin pages require it."))
        return HTTPSeeOther(request.route_path("account.security"))
    return errors.forbidden(error, request) if request.identity is None else errors.error_page(request, 404)


def overview(request):
    """The overview: counts, clients that ignore 429, and the latest actions of the staff."""
    session = request.dbsession
    figures = session.execute(
        select(
            _count(User.is_active).label("active"),
            _count(User.is_active.is_(False), User.email_confirmed.is_(False)).label("not_activated"),
            _count(ApiToken.id.is_not(None)).label("tokens"),
            _count(GIVEN_UP).label("given_up"),
            _count(FAILED).label("failed"),
            _count(WAITING).label("waiting"),
            select(func.count(ReviewReport.review_id.distinct()))
            .where(open_reports())
            .scalar_subquery()
            .label("reported"),
            select(SignupSettings.signups_enabled).scalar_subquery().label("sign_ups"),
        )
    ).one()
    return {
        "figures": figures,
        "throttled": notices.candidates(session, notices.NoticeRules()),
        "actions": session.scalars(admin.actions().limit(LATEST)).all(),
        **dashboard.open_tasks(request),
    } | log_names(request)


def _count(*conditions):
    return select(func.count()).where(*conditions).scalar_subquery()


def log_names(request) -> dict:
    """The labels for entries of the audit log: actions, kinds and fields."""
    of_kinds = {kind: labels_of(request, kind) for kind in KINDS}
    return {
        "action_names": ACTIONS,
        "kind_names": KIND_NAMES,
        "field_names": {**of_kinds, "poll": POLL_LABELS, "reading_list": LIST_LABELS},
    }


def row_of(request, model):
    """The row with the id in the path; raises HTTPNotFound."""
    row = request.dbsession.get(model, id_in_path(request))
    if row is None:
        raise HTTPNotFound
    return row


def dollars(cents: int) -> Decimal:
    """An amount of US cents, as the filter `money` takes it."""
    return Decimal(cents) / 100


def add_error(request, error: InvalidError) -> None:
    """Show the first text of an error on the next page."""
    request.messages.add("error", next(text for texts in error.errors.values() for text in texts))


def includeme(config):
    """Include all parts."""
    config.add_directive("add_admin_page", add_admin_page)
    config.add_forbidden_view(forbidden, on_site=True, path_info="^/admin/")
    config.add_admin_page("", "", overview, renderer="admin/overview.jinja2")
    config.include(".users")  # accounts, each with everything that belongs to it
    config.include(".record")  # read-only: donations, throttling, notices, the audit log
    config.include(".community")  # announcements and polls
    config.include(".reviews")  # readers' reviews
    config.include(".catalog_admin")  # every kind, with its slug, and reference data
    config.include(".dashboard")  # open work in the catalog
    config.include(".merge")  # merging duplicates, and turning publishers into imprints
    config.include(".site")  # the switch for sign-ups, outgoing mail
