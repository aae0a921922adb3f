"""Announcements and polls in the administration."""

from collections.abc import Mapping

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import Text, cast, func, or_, select

from comicsdb import admin, clock
from comicsdb.admin.site import CONTENT_MAX
from comicsdb.catalog import InvalidError
from comicsdb.community import polls
from comicsdb.community.polls import Status
from comicsdb.i18n import OTHER_LANGUAGES, translate
from comicsdb.models import Announcement, Poll, PollChoice, PollVote, User
from comicsdb.models.choices import AnnouncementStyle
from comicsdb.values import iso_day
from comicsdb_web.forms import form_state
from comicsdb_web.pages.admin import SAVED, UNCHANGED, row_of
from comicsdb_web.pages.admin.listing import ConditionChoice, folded_columns, listing, yes_no_filter
from comicsdb_web.pages.community.polls import STATUSES
from comicsdb_web.rendering.locales import _, language_name
from comicsdb_web.rendering.richtext import clean

STYLES = {
    AnnouncementStyle.PRIMARY: _("Magenta: default"),
    AnnouncementStyle.LINK: _("Blue"),
    AnnouncementStyle.SUCCESS: _("Green: good news"),
    AnnouncementStyle.WARNING: _("Yellow: a warning"),
    AnnouncementStyle.DANGER: _("Red: something is wrong"),
}
ANNOUNCEMENT_TEXTS = ("title", "text", "display_type", "start_date", "end_date")  # of the form
# The only field with another name: the page has an element `content` already.
CONTENT = {"text": "content", **{f"text_{language}": f"content_{language}" for language in OTHER_LANGUAGES}}
ANNOUNCEMENT_LABELS = {"title": _("Title in ${language}"), "text": _("Text in ${language}")}

POLL_TEXTS = ("title", "description", "start_date", "end_date", "choices")
POLL_LABELS = {
    "title": _("Title in ${language}"),
    "description": _("Description in ${language}"),
    "choices": _("Choices in ${language}, one per line in the same order"),
}
TIME_FORMAT = "%Y-%m-%dT%H:%M"  # the format of `datetime-local` inputs


def announcements(request):
    """All announcements, newest first."""
    today = request.today
    begun = or_(Announcement.start_date.is_(None), Announcement.start_date <= today)
    over = func.coalesce(Announcement.end_date < today, False)
    periods = {
        "now": (_("Now"), begun & ~over),
        "later": (_("Later"), Announcement.start_date > today),
        "over": (_("Over"), over),
    }
    filters = (
        ConditionChoice("when", _("When"), periods),
        yes_no_filter("active", _("Switched on"), Announcement.active),
    )
    order = (Announcement.start_date.desc().nulls_last(), Announcement.id.desc())
    texts = (Announcement.title, Announcement.content, Announcement.titles, Announcement.contents)
    searched = folded_columns(*(cast(each, Text) for each in texts))
    return listing(
        request, select(Announcement), (Announcement.id,), order, searched=searched, filters=filters
    ) | {"styles": STYLES, "today": today}


def announcement_form(request):
    """The form for a new announcement."""
    return _announcement_page(
        request, None, form_state.Form({"display_type": AnnouncementStyle.PRIMARY.value, "active": "1"})
    )


def add_announcement(request):
    """Create an announcement."""
    typed = _typed_announcement(request)
    try:
        admin.create_announcement(request.dbsession, request.identity, _read_announcement(typed))
    except InvalidError as error:
        return _announcement_page(request, None, _form_with_errors(request, error, typed))
    return _to_announcement(request, "success", SAVED)


def announcement(request):
    """The form of an announcement."""
    found = row_of(request, Announcement)
    values = {name: getattr(found, CONTENT.get(name, name)) for name in ANNOUNCEMENT_TEXTS}
    values |= _translation_values("title", found.titles) | _translation_values("text", found.contents)
    values |= {name: values[name].isoformat() if values[name] else "" for name in ("start_date", "end_date")}
    return _announcement_page(
        request, found, form_state.Form(values | {"active": "1" if found.active else ""})
    )


def save_announcement(request):
    """Change an announcement."""
    found, typed = row_of(request, Announcement), _typed_announcement(request)
    try:
        changed = admin.change_announcement(
            request.dbsession, request.identity, found, _read_announcement(typed)
        )
    except InvalidError as error:
        return _announcement_page(request, found, _form_with_errors(request, error, typed))
    return _to_announcement(request, "success" if changed else "info", SAVED if changed else UNCHANGED)


def delete_announcement_form(request):
    """The confirmation form of the deletion."""
    return {"announcement": row_of(request, Announcement)}


def delete_announcement(request):
    """Delete an announcement."""
    admin.delete_announcement(request.dbsession, request.identity, row_of(request, Announcement))
    return _to_announcement(request, "success", _("The announcement was deleted."))


def _announcement_page(request, found: Announcement | None, form: form_state.Form) -> dict:
    """The page of an announcement (None for a new one), with a preview of the form's text."""
    return {
        "announcement": found,
        "form": form,
        "styles": STYLES,
        "labels": _labels(request, ANNOUNCEMENT_LABELS),
        "preview": clean(form.values.get("text", "")[:CONTENT_MAX]),
    }


def _typed_announcement(request) -> dict[str, str]:
    fields = form_state.text_fields(request)
    names = (*ANNOUNCEMENT_TEXTS, *_translated(ANNOUNCEMENT_LABELS))
    typed = {name: fields.get(name, "").replace("\r\n", "\n") for name in names}
    return typed | {"active": "1" if fields.get("active") else ""}


def _read_announcement(typed: Mapping[str, str]) -> dict:
    """The values of an announcement. Raises InvalidError for invalid days."""
    values = {CONTENT.get(name, name): typed[name] for name in ANNOUNCEMENT_TEXTS}
    values |= {"titles": _by_language(typed, "title"), "contents": _by_language(typed, "text")}
    values["active"], errors = bool(typed["active"]), {}
    for name in ("start_date", "end_date"):
        values[name] = iso_day(typed[name])
        if typed[name] and values[name] is None:
            errors[name] = [_("Enter the date as 2026-12-31.")]
    if errors:
        raise InvalidError(errors)
    return values


def _form_with_errors(request, error: InvalidError, typed: Mapping[str, str]) -> form_state.Form:
    names = {column: name for name, column in CONTENT.items()}
    found = InvalidError({names.get(field, field): texts for field, texts in error.errors.items()})
    return form_state.with_errors(request, found, typed)


def _to_announcement(request, kind: str, text) -> HTTPSeeOther:
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("admin.announcement.list"))


def _translated(labels: Mapping) -> list[str]:
    """The names of the inputs for translations, such as `title_it`."""
    return [f"{name}_{language}" for language in OTHER_LANGUAGES for name in labels]


def _labels(request, labels: Mapping) -> dict[str, str]:
    """The labels of the inputs for translations, by name."""
    names = {language: language_name(request, language) for language in OTHER_LANGUAGES}
    return {
        f"{field}_{language}": translate(request.localizer, label % {"language": name})
        for language, name in names.items()
        for field, label in labels.items()
    }


def _translation_values(name: str, translations: Mapping[str, str]) -> dict[str, str]:
    return {f"{name}_{language}": translations.get(language, "") for language in OTHER_LANGUAGES}


def _by_language(typed: Mapping[str, str], name: str) -> dict[str, str]:
    return {language: typed[f"{name}_{language}"] for language in OTHER_LANGUAGES}


def all_polls(request):
    """All polls, in the order of the site."""
    now = clock.now()
    conditions = {
        Status.ACTIVE: (Poll.start_date <= now) & (Poll.end_date >= now),
        Status.UPCOMING: Poll.start_date > now,
        Status.CLOSED: Poll.end_date < now,
    }
    states = {status.value: (STATUSES[status], condition) for status, condition in conditions.items()}
    rows, order = polls.select_polls(now)
    filters = (ConditionChoice("state", _("State"), states),)
    texts = (Poll.title, Poll.description, Poll.titles, Poll.descriptions)
    searched = folded_columns(*(cast(each, Text) for each in texts))
    found = listing(request, rows, (Poll.id,), order, searched=searched, filters=filters)
    return found | {"state": lambda poll: polls.status_of(poll, now).value, "statuses": STATUSES}


def poll_form(request):
    """The form for a new poll."""
    return _poll_page(request, None, form_state.Form(dict.fromkeys(POLL_TEXTS, "")))


def add_poll(request):
    """Create a poll."""
    typed = _typed_poll(request)
    try:
        admin.create_poll(request.dbsession, request.identity, _read_poll(request, typed))
    except InvalidError as error:
        return _poll_page(request, None, form_state.with_errors(request, error, typed))
    return _to_poll(request, "success", SAVED)


def poll(request):
    """The form of a poll."""
    found = row_of(request, Poll)
    zone, choices = request.zone, polls.choices(request.dbsession, found.id)
    values = {
        "title": found.title,
        "description": found.description,
        "start_date": found.start_date.astimezone(zone).strftime(TIME_FORMAT),
        "end_date": found.end_date.astimezone(zone).strftime(TIME_FORMAT),
        "choices": "\n".join(each.text for each in choices),
    }
    lines = {name: "\n".join(each.texts.get(name, "") for each in choices) for name in OTHER_LANGUAGES}
    values |= _translation_values("title", found.titles) | _translation_values(
        "description", found.descriptions
    )
    values |= _translation_values("choices", lines)
    return _poll_page(request, found, form_state.Form(values))


def save_poll(request):
    """Change a poll."""
    found, typed = row_of(request, Poll), _typed_poll(request)
    try:
        changed = admin.change_poll(request.dbsession, request.identity, found.id, _read_poll(request, typed))
    except InvalidError as error:
        return _poll_page(request, found, form_state.with_errors(request, error, typed))
    return _to_poll(request, "success" if changed else "info", SAVED if changed else UNCHANGED)


def votes(request):
    """The votes of a poll, latest first, read-only."""
    found = row_of(request, Poll)
    rows = (
        select(PollVote, PollChoice.text, User.username)
        .join(PollChoice, PollChoice.id == PollVote.choice_id)
        .join(User, User.id == PollVote.user_id)
        .where(PollVote.poll_id == found.id)
    )
    order = (PollVote.voted_on.desc(), PollVote.id.desc())
    return listing(
        request, rows, (PollVote.id,), order, searched=folded_columns(User.username, PollChoice.text)
    ) | {
        "poll": found,
        "results": polls.results(request.dbsession, found.id),
    }


def _poll_page(request, found: Poll | None, form: form_state.Form) -> dict:
    count = select(func.count()).where(PollVote.poll_id == found.id) if found else None
    votes = 0 if count is None else request.dbsession.scalar(count)
    return {"poll": found, "form": form, "votes": votes, "labels": _labels(request, POLL_LABELS)}


def _typed_poll(request) -> dict[str, str]:
    fields = form_state.text_fields(request)
    names = (*POLL_TEXTS, *_translated(POLL_LABELS))
    return {name: fields.get(name, "").replace("\r\n", "\n") for name in names}


def _read_poll(request, typed: Mapping[str, str]) -> dict:
    """The values of a poll; times are in the reader's time zone. Raises InvalidError for invalid times."""
    values = {name: typed[name] for name in POLL_TEXTS} | {"choices": typed["choices"].split("\n")}
    lines = _by_language(typed, "choices")
    values |= {
        "titles": _by_language(typed, "title"),
        "descriptions": _by_language(typed, "description"),
        "choice_texts": {language: text.split("\n") for language, text in lines.items()},
    }
    errors = {}
    for name in ("start_date", "end_date"):
        try:
            values[name] = form_state.parse_local_time(
                request, typed, name, _("Enter the date and time as 2026-12-31T18:00.")
            )
        except InvalidError as error:
            errors |= error.errors
    if errors:
        raise InvalidError(errors)
    return values


def _to_poll(request, kind: str, text) -> HTTPSeeOther:
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("admin.poll.list"))


def includeme(config):
    """Add the lists and forms."""
    one, form = "announcement/{id:[0-9]+}/", "admin/announcement.jinja2"
    config.add_admin_page(
        ".announcement.list", "announcement/", announcements, renderer="admin/announcements.jinja2"
    )
    config.add_admin_page(
        ".announcement.add", "announcement/add/", announcement_form, renderer=form, post=add_announcement
    )
    config.add_admin_page(".announcement", one, announcement, renderer=form, post=save_announcement)
    config.add_admin_page(
        ".announcement.delete",
        f"{one}delete/",
        delete_announcement_form,
        renderer="admin/announcement_delete.jinja2",
        post=delete_announcement,
    )
    template = "admin/poll.jinja2"
    config.add_admin_page(".poll.list", "poll/", all_polls, renderer="admin/polls.jinja2")
    config.add_admin_page(".poll.add", "poll/add/", poll_form, post=add_poll, renderer=template)
    config.add_admin_page(".poll", "poll/{id:[0-9]+}/", poll, post=save_poll, renderer=template)
    config.add_admin_page(".poll.votes", "poll/{id:[0-9]+}/votes/", votes, renderer="admin/poll_votes.jinja2")
