"""Announcements: what the staff has to say on the home page."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from comicsdb import characters
from comicsdb.accounts import rules
from comicsdb.admin.audit_log import Actor, changes, record, refuse
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import _, ngettext
from comicsdb.models import Announcement
from comicsdb.models.choices import AnnouncementStyle

KIND = "announcement"
ANNOUNCEMENT_FIELDS = ("title", "content", "start_date", "end_date", "display_type", "active")
CONTENT_MAX = 10_000


def create_announcement(session: Session, actor: Actor, values: Mapping) -> Announcement:
    """Make an announcement of all ANNOUNCEMENT_FIELDS. Raises InvalidError by field."""
    values = _judged(values)
    announcement = Announcement(**values)
    session.add(announcement)
    session.flush()
    _tell(session)
    record(session, actor, "create", KIND, announcement.id, announcement.title, changes({}, values))
    return announcement


def change_announcement(session: Session, actor: Actor, announcement: Announcement, values: Mapping) -> dict:
    """Give an announcement new values; gives old and new ones of what changed.

    Raises InvalidError by field.
    """
    before = _values(announcement)
    values = _judged({**before, **values})
    changed = changes(before, values)
    for field in changed:
        setattr(announcement, field, values[field])
    if changed:
        _tell(session)
        record(session, actor, "change", KIND, announcement.id, announcement.title, changed)
    return changed


def delete_announcement(session: Session, actor: Actor, announcement: Announcement) -> None:
    """Take an announcement away for ever; the log keeps what it said."""
    change = changes(_values(announcement), {})
    record(session, actor, "delete", KIND, announcement.id, announcement.title, change)
    session.delete(announcement)
    _tell(session)


def _tell(session: Session) -> None:
    """Pages that are kept show announcements by their version."""
    UnitOfWork.of(session).outdate(KIND)


def _values(announcement: Announcement) -> dict:
    return {field: getattr(announcement, field) for field in ANNOUNCEMENT_FIELDS}


def _judged(values: Mapping) -> dict:
    values = {**values, "title": values["title"].strip()}
    title, content = values["title"], values["content"]
    start, end = values["start_date"], values["end_date"]
    errors = {
        "title": rules.one_line_problems(title, 255) if title else [_("An announcement needs a title.")],
        "display_type": []
        if values["display_type"] in set(AnnouncementStyle)
        else [_("There is no such colour.")],
        "end_date": [_("It would end before it begins.")] if start and end and end < start else [],
    }
    if len(content) > CONTENT_MAX:
        errors["content"] = [ngettext("At most ${n} character.", "At most ${n} characters.", CONTENT_MAX)]
    elif wrong := characters.problem(content):
        errors["content"] = [wrong]
    refuse(errors)
    return values
