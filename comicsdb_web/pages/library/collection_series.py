"""Whole series in a reader's collection: how they are added, and what of them is missing."""

from pyramid.httpexceptions import HTTPNotFound
from sqlalchemy.orm import joinedload

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import collection
from comicsdb.library.collection import figures, reads
from comicsdb.models import Series
from comicsdb.models.choices import BookFormat
from comicsdb.values import whole_number
from comicsdb_web.forms import lookup
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import text_of
from comicsdb_web.forms.values import NOT_THERE
from comicsdb_web.http.routing import number_in
from comicsdb_web.lists.paging import Page, page_asked_for
from comicsdb_web.pages.library.collection import PER_PAGE, done
from comicsdb_web.pages.library.collection_filters import NOT_OFFERED
from comicsdb_web.pages.library.collection_forms import RANGES, SERIES_FORM
from comicsdb_web.rendering.locales import _, ngettext

CHOOSE_SERIES = _("Choose a series.")
NO_NUMBER = _("Give the first number, the last one, or both.")
ALL_OR_NUMBERS = _("Numbers are given: choose the range, or leave them empty for all issues.")


def add_series(request):
    """The form by which many issues of a series are added at once, and what it sends."""
    draft = Draft(request, "collection_item", SERIES_FORM)
    if request.method != "POST":
        draft.prefill(request.GET)
        return _form(request, draft)
    draft.read(request.POST)
    if name := text_of(request.POST, "find"):
        if name == "series":
            query = text_of(request.POST, "series-q") or ""
            draft.found[name] = lookup.find(request.dbsession, name, query)
        return _form(request, draft)
    try:
        added, skipped = _add(request, draft.typed)
    except InvalidError as error:
        draft.refuse(error.errors)
        request.response.status = 422
        return _form(request, draft)
    words = {
        "added": ngettext("${n} issue was added.", "${n} issues were added.", added),
        "skipped": ngettext("${n} was there already.", "${n} were there already.", skipped),
    }
    return done(request, "success" if added else "info", _("${added} ${skipped}", mapping=words))


def _add(request, typed: dict) -> tuple[int, int]:
    """Add what the form asks for: how many issues were added, and how many were there."""
    errors, first, last = {}, typed["first"].strip(), typed["last"].strip()
    chosen = typed["series"][0] if typed["series"] else ""
    series_id = whole_number(chosen) or 0
    if not typed["series"]:
        errors["series"] = [CHOOSE_SERIES]
    if typed["what"] not in RANGES:
        errors["what"] = [NOT_OFFERED]
    elif typed["what"] == "range" and not (first or last):
        errors["first"] = [NO_NUMBER]
    elif typed["what"] == "all" and (first or last):
        errors["what"] = [ALL_OR_NUMBERS]
    if typed["book_format"] not in list(BookFormat):
        errors["book_format"] = [NOT_OFFERED]
    if errors:
        raise InvalidError(errors)
    try:
        return collection.add_series(
            request.dbsession,
            request.identity.user_id,
            series_id,
            first=first,
            last=last,
            book_format=typed["book_format"],
            read=bool(typed["is_read"]),
            today=request.today,
        )
    except NotFoundError:
        raise InvalidError({"series": [NOT_THERE]}) from None


def _form(request, draft: Draft) -> dict:
    draft.look_up()
    return {
        "draft": draft,
        "action": request.path,
        "back": request.route_path("collection.list"),
        "differences": (),
        "likes": (),
    }


def missing(request):
    """The series of which the reader has some issues and lacks others, the most missing first."""
    session, user_id = request.dbsession, request.identity.user_id
    total = reads.incomplete_count(session, user_id, request.today)
    number, pages = page_asked_for(request, total, PER_PAGE)
    rows = reads.incomplete_series(
        session, user_id, request.today, limit=PER_PAGE, offset=(number - 1) * PER_PAGE
    )
    return {"page": Page(rows, number, total, pages)}


def missing_of(request):
    """The issues that the reader lacks of one series; of one without any issue of it there is no page."""
    session, user_id, series_id = request.dbsession, request.identity.user_id, number_in(request)
    owned, total = figures.owned_of(session, user_id, series_id, request.today)
    if not owned:
        raise HTTPNotFound(_("You have no issue of this series."))
    series = session.get(
        Series, series_id, options=[joinedload(Series.series_type), joinedload(Series.publisher)]
    )
    number, pages = page_asked_for(request, total - owned, PER_PAGE)
    rows = reads.missing_issues(
        session, user_id, series_id, request.today, limit=PER_PAGE, offset=(number - 1) * PER_PAGE
    )
    return {
        "page": Page(rows, number, total - owned, pages),
        "series": series,
        "owned": owned,
        "total": total,
    }


def includeme(config):
    """A word before a number, so that neither is taken for the other."""
    config.add_collection_page(
        "add_series",
        "add-from-series/",
        add_series,
        methods=("GET", "HEAD", "POST"),
        renderer="collection/add_series.jinja2",
    )
    config.add_collection_page("missing", "missing/", missing, renderer="collection/missing.jinja2")
    config.add_collection_page(
        "missing_of", "missing/{id:[0-9]+}/", missing_of, renderer="collection/missing_of.jinja2"
    )
