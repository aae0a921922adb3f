"""What the reader has read: reading dates of an issue, and the progress in a series."""

from datetime import datetime
from functools import cache

from sqlalchemy import Integer, bindparam, exists, func, select

from comicsdb import clock
from comicsdb.catalog import InvalidError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.library import reads, runs
from comicsdb.models import CollectionItem, Issue, ReadDate, Series
from comicsdb.security import Permission
from comicsdb_web.forms import form_state, lookup
from comicsdb_web.forms.fields import text_of
from comicsdb_web.pages.library.collection import private, redirect_with_message, refuse_future
from comicsdb_web.rendering.locales import _, ngettext

READ = _("${label} is marked as read.")
UNREAD = _("The last reading date of ${label} was removed.")


NO_DATE = _("Enter a valid date, such as 2024-05-31.")
REFUSED = _("Date read: ${problem}")


def add(request):
    """Record a read on the day `read_date`; the button `when` can say no date, or all issues up to it."""
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    session, user_id, when = request.dbsession, request.identity.user_id, text_of(request.POST, "when")
    if when == "up_to":
        marked = reads.mark_read(session, user_id, runs.up_to(session, issue), clock.now())
        message = ngettext("${n} issue was marked as read.", "${n} issues were marked as read.", len(marked))
        return redirect_with_message(
            request, "success" if marked else "info", message, "issue.detail", slug=issue.slug
        )
    try:
        moment = None if when == "unknown" else _day(request)
    except InvalidError as error:
        (texts,) = error.errors.values()
        message = REFUSED % {"problem": texts[0]}
        return redirect_with_message(request, "error", message, "issue.detail", slug=issue.slug)
    reads.add(session, user_id, issue.id, moment)
    message = READ % {"label": lookup.item_of(session, issue).text}
    return redirect_with_message(request, "success", message, "issue.detail", slug=issue.slug)


def _day(request) -> datetime:
    """The time of the typed day; raises InvalidError."""
    moment = form_state.parse_local_time(
        request, form_state.text_fields(request), "read_date", NO_DATE, ("%Y-%m-%d",)
    )
    if moment is None:
        raise InvalidError({"read_date": [NO_DATE]})
    refuse_future(moment)
    return moment


@cache
def _progress() -> CompiledQuery:
    series_id, user_id = bindparam("series_id", type_=Integer), bindparam("user_id", type_=Integer)
    read = exists().where(ReadDate.issue_id == Issue.id, ReadDate.user_id == user_id)
    owned = exists().where(CollectionItem.issue_id == Issue.id, CollectionItem.user_id == user_id)
    counts = (func.count(), func.count().filter(read), func.count().filter(owned))
    return CompiledQuery.of(select(*counts).where(Issue.series_id == series_id))


def progress(request, series: Series) -> tuple[int, int, int]:
    """How many issues a series has, and how many the reader has read and owns; one statement."""
    parameters = {"series_id": series.id, "user_id": request.identity.user_id}
    return request.read_pool.fetch(_progress(), parameters)


def includeme(config):
    """Add `request.progress` and the page, for members."""
    own = {"permission": Permission.MEMBER, "decorator": private}
    config.add_request_method(progress)
    config.add_page("reads.add", "/reads/add/{slug}/", add, methods=("POST",), **own)
