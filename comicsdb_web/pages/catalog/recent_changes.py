"""Recent changes of the whole site, for members."""

from datetime import date, datetime, time, timedelta

from pyramid.httpexceptions import HTTPNotFound

from comicsdb.catalog.history import recent_changes
from comicsdb.catalog.history.recent_changes import ChangeFilter
from comicsdb.catalog.kinds import reference_last
from comicsdb.models.base import BIG_MAX
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms.options import labelled
from comicsdb_web.lists.filters import BadFilterError, Choice, Day, Filter, parse_filters
from comicsdb_web.pages.account import no_store
from comicsdb_web.pages.catalog.history_labels import ACTIONS, field_labels
from comicsdb_web.rendering.locales import _

UNKNOWN = _("There is no account with this name.")
LAST_DAY = date.max - timedelta(days=2)  # the next day is still a valid date in every time zone


class Account(Filter):
    """An account by its user name."""

    def read(self, request, text, options):  # noqa: ARG002
        user_id = recent_changes.find_account_id(request.dbsession, text)
        if user_id is None:
            raise BadFilterError(UNKNOWN)
        return user_id, text


class EndOfDays(Day):
    """The first or last day, in the reader's time zone: its beginning, or the end of `until`."""

    def read(self, request, text, options):
        day, words = super().read(request, text, options)
        day = min(day, LAST_DAY) + timedelta(days=self.name == "until")
        return datetime.combine(day, time(), request.zone), words


def _kinds(request):
    return [(kind.name, request.localizer.translate(kind.label)) for kind in reference_last()]


FILTERS = (
    Account("user", _("Person")),
    Choice("kind", _("Kind of entry"), None, _kinds),
    Choice("action", _("Kind of change"), None, labelled(ACTIONS)),
    EndOfDays("since", _("From date")),
    EndOfDays("until", _("To date")),
)


def changes(request):
    """A page of the log, newest first, filtered by account, kind, action and days."""
    found = parse_filters(request, FILTERS)
    values = found.values
    wanted = ChangeFilter(values.pop("user", None), **values)
    ends = {name: _number(request.GET.get(name, "")) for name in ("before", "after")}
    page = recent_changes.get_page(request.dbsession, wanted, **ends)
    kinds = {line.change.kind for line in page.lines}
    return {
        "page": page,
        "active_filters": found,
        "filters_of_form": FILTERS,
        "actions": ACTIONS,
        "labels": {kind: field_labels(request, kind) for kind in kinds},
        "is_filtered": any(found.typed.values()),
        "first": not any(ends.values()),
    }


def _number(text: str) -> int | None:
    """The number of a line, None for no text; raises HTTPNotFound for an invalid one."""
    if not text:
        return None
    number = whole_number(text, 0, BIG_MAX)
    if number is None:
        raise HTTPNotFound(_("This page of the list does not exist."))
    return number


def includeme(config):
    """Add the page."""
    config.add_page(
        "changes",
        "/changes/",
        changes,
        renderer="history/changes.jinja2",
        permission=Permission.MEMBER,
        decorator=no_store,
        parameters=(*(each.name for each in FILTERS), "before", "after"),
    )
