"""Reviews of issues: the list, writing and deleting one's own, and reporting those of others to the staff."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from comicsdb.catalog import InvalidError
from comicsdb.community import reviews
from comicsdb.models import Issue, Review, Series, User
from comicsdb.models.community import REPORT_REASON_MAX
from comicsdb.security import Permission
from comicsdb_web.forms import form_state
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.library.rating import issue_rating_widget
from comicsdb_web.rendering.locales import _

PER_PAGE = 20

SAVED = _("Your review was saved.")
REMOVED = _("Your review was deleted.")
REPORTED = _("Thank you. The staff will look at this review.")


def _issue(request) -> Issue:
    return _named(request, request.catalog.by_slug(Issue, request.matchdict["slug"]).id)


def _named(request, issue_id: int) -> Issue:
    """An issue with the related rows that its label needs."""
    series = joinedload(Issue.series).joinedload(Series.series_type)
    return request.dbsession.get_one(Issue, issue_id, options=[series], populate_existing=True)


def listing(request):
    """All reviews of an issue, newest first."""
    issue = _issue(request)
    rows = reviews.select_visible().where(Review.issue_id == issue.id).order_by(*reviews.ORDER)
    ids = rows.with_only_columns(Review.id, maintain_column_froms=True)
    count = select(func.count()).select_from(ids.order_by(None).subquery())
    page = paginate(request, reviews.select_visible().order_by(*reviews.ORDER), ids, count, PER_PAGE)
    return {"entity": issue, "page": page}


def form(request):
    """The form of one's own review of an issue."""
    issue = _issue(request)
    review = reviews.review_by(request.dbsession, request.identity.user_id, issue.id)
    values = {"text": review.text, "spoils": "1" if review.spoils else ""} if review else {}
    return _form_page(request, issue, review, form_state.Form(values))


def save(request):
    """Save one's own review."""
    issue, sent = _issue(request), form_state.text_fields(request)
    user_id, text, spoils = request.identity.user_id, sent.get("text", ""), bool(sent.get("spoils"))
    try:
        reviews.write(request.dbsession, user_id, issue.id, text, spoils=spoils)
    except InvalidError as error:
        typed = {"text": text, "spoils": "1" if spoils else ""}
        review = reviews.review_by(request.dbsession, user_id, issue.id)
        return _form_page(request, issue, review, form_state.with_errors(request, error, typed))
    request.messages.add("success", SAVED)
    return _to_reviews(request, issue)


def _form_page(request, issue: Issue, review: Review | None, shown: form_state.Form) -> dict:
    stars = issue_rating_widget(request, issue)
    return {"entity": issue, "review": review, "form": shown, "stars": stars, "most": reviews.TEXT_MAX}


def remove(request):
    """Delete one's own review."""
    issue = _issue(request)
    reviews.remove(request.dbsession, request.identity.user_id, issue.id)
    request.messages.add("success", REMOVED)
    return _to_reviews(request, issue)


def _to_reviews(request, issue: Issue) -> HTTPSeeOther:
    return HTTPSeeOther(request.entity_path(issue) + "#reviews-title")


def report_form(request):
    """The form that reports a review."""
    return _report_page(request, form_state.Form())


def report(request):
    """Report a review to the staff."""
    reason = form_state.text_fields(request).get("reason", "")
    try:
        reviews.report(request.dbsession, id_in_path(request), request.identity.user_id, reason)
    except InvalidError as error:
        return _report_page(request, form_state.with_errors(request, error, {"reason": reason}))
    request.messages.add("success", REPORTED)
    return HTTPSeeOther(request.entity_path(_reported(request)["entity"]))


def _reported(request) -> dict:
    review = reviews.find(request.dbsession, id_in_path(request), request.identity.user_id)
    name = select(reviews.AUTHOR_NAME).where(User.id == review.user_id)
    return {
        "review": review,
        "author": request.dbsession.scalar(name),
        "entity": _named(request, review.issue_id),
    }


def _report_page(request, shown: form_state.Form) -> dict:
    return _reported(request) | {"form": shown, "most": REPORT_REASON_MAX}


def includeme(config):
    """Add the pages; none is cached."""
    member = {"permission": Permission.MEMBER, "decorator": private}
    config.add_page(
        "issue.reviews",
        "/issue/{slug}/reviews/",
        listing,
        renderer="review/list.jinja2",
        decorator=private,
        parameters=("page",),
    )
    config.add_page(
        "issue.review", "/issue/{slug}/review/", form, post=save, renderer="review/form.jinja2", **member
    )
    config.add_page(
        "issue.review_delete", "/issue/{slug}/review/delete/", remove, methods=("POST",), **member
    )
    config.add_page(
        "review.report",
        "/reviews/{id:[0-9]+}/report/",
        report_form,
        post=report,
        renderer="review/report.jinja2",
        **member,
    )
