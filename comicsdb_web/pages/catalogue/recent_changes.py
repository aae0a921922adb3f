"""Recent changes of the whole site, for members."""

from datetime import date, datetime, time, timedelta

from pyramid.httpexceptions import HTTPNotFound

from comicsdb.catalog.history import recent_changes
from comicsdb.catalog.history.recent_changes import ChangeFilter
from comicsdb.catalog.kinds import KINDS, reference_last
from comicsdb.models.base import BIG_MAX
from comicsdb.security import Permission
from comicsdb.values import iso_day, whole_number
from comicsdb_web.lists.filters import NO_DAY, NOT_OFFERED
from comicsdb_web.pages.account import no_store
from comicsdb_web.pages.catalogue.history_labels import ACTIONS, field_labels
from comicsdb_web.rendering.locales import _

FILTERS = ("user", "kind", "action", "since", "until")

UNKNOWN = _("There is no account with this name.")
LAST_DAY = date.max - timedelta(days=2)  # the next day is still a valid date in every time zone


def changes(request):
    """A page of the log, newest first, filtered by account, kind, action and days."""
    typed = {name: request.GET.get(name, "").strip() for name in FILTERS}
    wanted, errors = _wanted(request, typed)
    ends = {name: _number(request.GET.get(name, "")) for name in ("before", "after")}
    page = recent_changes.get_page(request.dbsession, wanted, **ends)
    kinds = {line.change.kind for line in page.lines}
    return {
        "page": page,
        "typed": typed,
        "errors": {name: request.localizer.translate(text) for name, text in errors.items()},
        "kinds": [kind.name for kind in reference_last()],
        "actions": ACTIONS,
        "labels": {kind: field_labels(request, kind) for kind in kinds},
        "is_filtered": any(typed.values()),
        "first": not any(ends.values()),
    }


def _wanted(request, typed: dict[str, str]) -> tuple[ChangeFilter, dict[str, str]]:
    """The filter for the typed values, and errors; an invalid value is not filtered by."""
    errors, zone = {}, request.zone
    user_id = None
    if typed["user"]:
        user_id = (
            recent_changes.find_account_id(request.dbsession, typed["user"])
            if "\0" not in typed["user"]
            else None
        )
        if user_id is None:
            errors["user"] = UNKNOWN
    days: dict[str, datetime | None] = {"since": None, "until": None}
    for name in days:
        day = iso_day(typed[name])
        if day is not None:
            day = min(day, LAST_DAY) + timedelta(days=name == "until")  # the last day is included
            days[name] = datetime.combine(day, time(), zone)
        elif typed[name]:
            errors[name] = NO_DAY
    offered = {"kind": KINDS, "action": ACTIONS}
    chosen = {name: typed[name] for name, known in offered.items() if typed[name] in known}
    errors |= {name: NOT_OFFERED for name in offered if typed[name] and name not in chosen}
    return ChangeFilter(user_id, **chosen, **days), errors


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
        parameters=(*FILTERS, "before", "after"),
    )
