"""Reviews in the administration: reports about them, hiding and restoring them."""

from collections.abc import Callable

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from comicsdb import admin
from comicsdb.admin.reviews import REVIEW, open_reports
from comicsdb.catalog import InvalidError
from comicsdb.models import Issue, Review, ReviewReport, Series, User
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.admin import log_names, row_of
from comicsdb_web.pages.admin.listing import ConditionChoice, folded_columns, listing
from comicsdb_web.rendering.locales import _

REPORTED = Review.id.in_(select(ReviewReport.review_id).where(open_reports()))
STATES = {
    "reported": (_("Reported"), REPORTED),
    "hidden": (_("Hidden"), Review.hidden.is_not(None)),
    "shown": (_("Shown"), Review.hidden.is_(None)),
}
DECISIONS: dict[str, tuple[Callable, str]] = {
    "hide": (admin.hide_review, _("The review is hidden.")),
    "restore": (admin.restore_review, _("The review is shown again.")),
    "keep": (admin.dismiss_reports, _("The reports are settled.")),
}
ABOUT = (
    joinedload(Review.user),
    joinedload(Review.issue).joinedload(Issue.series).joinedload(Series.series_type),
)


def reviews(request):
    """All reviews, those with the most open reports first."""
    reports = (
        select(func.count())
        .where(ReviewReport.review_id == Review.id, open_reports())
        .correlate(Review)
        .scalar_subquery()
    )
    return listing(
        request,
        select(Review, reports.label("reports")).join(User, User.id == Review.user_id),
        (Review.id,),
        (reports.desc(), Review.created_on.desc(), Review.id.desc()),
        options=ABOUT,
        searched=folded_columns(User.username, Review.text),
        filters=(ConditionChoice("state", _("State"), STATES),),
        of=Review.user_id,
    )


def review(request):
    """A review with its reports and the decisions about it."""
    return _page(request, form_state.Form())


def decide(request):
    """Hide, restore or keep a review, with a reason."""
    sent = form_state.text_fields(request)
    try:
        if sent.get("decision") not in DECISIONS:
            raise InvalidError({"__all__": [_("Choose one.")]})
        act, text = DECISIONS[sent["decision"]]
        act(request.dbsession, request.identity, id_in_path(request), sent.get("reason", ""))
    except InvalidError as error:
        return _page(request, form_state.with_errors(request, error, sent))
    request.messages.add("success", text)
    return HTTPSeeOther(request.route_path("admin.review.list", _query={"state": "reported"}))


def _page(request, form: form_state.Form) -> dict:
    found, session = row_of(request, Review), request.dbsession
    series = joinedload(Issue.series).joinedload(Series.series_type)
    reports = select(ReviewReport).where(ReviewReport.review_id == found.id)
    reports = reports.options(joinedload(ReviewReport.user)).order_by(ReviewReport.id.desc())
    return {
        "review": found,
        "author": session.get_one(User, found.user_id),
        "entity": session.get_one(Issue, found.issue_id, options=[series]),
        "reports": session.scalars(reports).all(),
        "actions": session.scalars(admin.actions(kind=REVIEW, target_id=found.id)).all(),
        "form": form,
    } | log_names(request)


def includeme(config):
    """Add the pages."""
    config.add_admin_page(".review.list", "review/", reviews, renderer="admin/reviews.jinja2")
    config.add_admin_page(
        ".review", "review/{id:[0-9]+}/", review, post=decide, renderer="admin/review.jinja2"
    )
