"""Announcements in the administration: what stands on the home page, and on which days."""

from collections.abc import Mapping

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, or_, select

from comicsdb import admin
from comicsdb.admin.site import CONTENT_MAX
from comicsdb.catalog import InvalidError
from comicsdb.models import Announcement
from comicsdb.models.choices import AnnouncementStyle
from comicsdb.values import iso_day
from comicsdb_web.forms import answers
from comicsdb_web.pages.admin import SAVED, UNCHANGED, row_of, say
from comicsdb_web.pages.admin.listing import Filter, folded, listing, yes_no
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.richtext import clean

STYLES = {
    AnnouncementStyle.PRIMARY: _("Magenta, the usual one"),
    AnnouncementStyle.LINK: _("Blue"),
    AnnouncementStyle.SUCCESS: _("Green, good news"),
    AnnouncementStyle.WARNING: _("Yellow, a warning"),
    AnnouncementStyle.DANGER: _("Red, something is wrong"),
}
TEXTS = ("title", "text", "display_type", "start_date", "end_date")  # of the form
CONTENT = {"text": "content"}  # its only field with another name: a page has one element `content` already


def announcements(request):
    """All announcements, the newest first."""
    today = request.today
    begun = or_(Announcement.start_date.is_(None), Announcement.start_date <= today)
    over = func.coalesce(Announcement.end_date < today, False)
    periods = {
        "now": (_("Now"), begun & ~over),
        "later": (_("Later"), Announcement.start_date > today),
        "over": (_("Over"), over),
    }
    filters = (Filter("when", _("When"), periods), yes_no("active", _("Switched on"), Announcement.active))
    order = (Announcement.start_date.desc().nulls_last(), Announcement.id.desc())
    searched = folded(Announcement.title, Announcement.content)
    return listing(
        request, select(Announcement), (Announcement.id,), order, searched=searched, filters=filters
    ) | {"styles": STYLES, "today": today}


def add_form(request):  # noqa: ARG001
    """The form for a new one."""
    return _page(None, answers.Form({"display_type": AnnouncementStyle.PRIMARY.value, "active": "1"}))


def add(request):
    """Make an announcement."""
    typed = _typed(request)
    try:
        admin.create_announcement(request.dbsession, request.identity, _read(typed))
    except InvalidError as error:
        return _page(None, _refused(request, error, typed))
    return _back(request, "success", SAVED)


def announcement(request):
    """The form with what an announcement says."""
    found = row_of(request, Announcement)
    values = {name: getattr(found, CONTENT.get(name, name)) for name in TEXTS}
    values |= {name: values[name].isoformat() if values[name] else "" for name in ("start_date", "end_date")}
    return _page(found, answers.Form(values | {"active": "1" if found.active else ""}))


def save(request):
    """Change an announcement."""
    found, typed = row_of(request, Announcement), _typed(request)
    try:
        changed = admin.change_announcement(request.dbsession, request.identity, found, _read(typed))
    except InvalidError as error:
        return _page(found, _refused(request, error, typed))
    return _back(request, "success" if changed else "info", SAVED if changed else UNCHANGED)


def delete_form(request):
    """What is to go."""
    return {"announcement": row_of(request, Announcement)}


def delete(request):
    """Delete an announcement."""
    admin.delete_announcement(request.dbsession, request.identity, row_of(request, Announcement))
    return _back(request, "success", _("The announcement is deleted."))


def _page(found: Announcement | None, form: answers.Form) -> dict:
    """`found` is None for a new one; the preview shows what the form holds."""
    return {
        "announcement": found,
        "form": form,
        "styles": STYLES,
        "preview": clean(form.values.get("text", "")[:CONTENT_MAX]),
    }


def _typed(request) -> dict[str, str]:
    fields = answers.texts(request)
    typed = {name: fields.get(name, "").replace("\r\n", "\n") for name in TEXTS}
    return typed | {"active": "1" if fields.get("active") else ""}


def _read(typed: Mapping[str, str]) -> dict:
    """The values of an announcement. Raises InvalidError for days that are none."""
    values = {CONTENT.get(name, name): text for name, text in typed.items()}
    values["active"], errors = bool(typed["active"]), {}
    for name in ("start_date", "end_date"):
        values[name] = iso_day(typed[name])
        if typed[name] and values[name] is None:
            errors[name] = [_("Write the day as 2026-12-31.")]
    if errors:
        raise InvalidError(errors)
    return values


def _refused(request, error: InvalidError, typed: Mapping[str, str]) -> answers.Form:
    names = {column: name for name, column in CONTENT.items()}
    found = InvalidError({names.get(field, field): texts for field, texts in error.errors.items()})
    return answers.refused(request, found, typed)


def _back(request, kind: str, text) -> HTTPSeeOther:
    say(request, kind, text)
    return HTTPSeeOther(request.route_path("admin.announcement.list"))


def includeme(config):
    """The list, and the forms."""
    one, form = "announcement/{id:[0-9]+}/", "admin/announcement.jinja2"
    config.add_admin_page(
        ".announcement.list", "announcement/", announcements, renderer="admin/announcements.jinja2"
    )
    config.add_admin_page(".announcement.add", "announcement/add/", add_form, renderer=form, post=add)
    config.add_admin_page(".announcement", one, announcement, renderer=form, post=save)
    config.add_admin_page(
        ".announcement.delete",
        f"{one}delete/",
        delete_form,
        renderer="admin/announcement_delete.jinja2",
        post=delete,
    )
