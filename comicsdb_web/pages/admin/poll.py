"""Polls in the administration: what members are asked, from when to when, and who has voted."""

from collections.abc import Mapping
from datetime import datetime

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select

from comicsdb import admin, clock
from comicsdb.catalog import InvalidError
from comicsdb.community import polls
from comicsdb.community.polls import Status
from comicsdb.models import Poll, PollChoice, PollVote, User
from comicsdb_web.forms import answers
from comicsdb_web.pages.admin import SAVED, UNCHANGED, row_of, say
from comicsdb_web.pages.admin.listing import Filter, folded, listing
from comicsdb_web.pages.community.polls import STATUSES
from comicsdb_web.rendering.locales import _

TEXTS = ("title", "description", "start_date", "end_date", "choices")
WRITTEN = "%Y-%m-%dT%H:%M"  # how a browser sends the moment of a clock on the wall


def all_polls(request):
    """All polls, in the order of the site."""
    now = clock.now()
    conditions = {
        Status.ACTIVE: (Poll.start_date <= now) & (Poll.end_date >= now),
        Status.UPCOMING: Poll.start_date > now,
        Status.CLOSED: Poll.end_date < now,
    }
    states = {status.value: (STATUSES[status], condition) for status, condition in conditions.items()}
    rows, order = polls.listed(now)
    filters = (Filter("state", _("State"), states),)
    searched = folded(Poll.title, Poll.description)
    found = listing(request, rows, (Poll.id,), order, searched=searched, filters=filters)
    return found | {"state": lambda poll: polls.status_of(poll, now).value, "statuses": STATUSES}


def add_form(request):  # noqa: ARG001
    """The form for a new one."""
    return {"poll": None, "votes": 0, "form": answers.Form(dict.fromkeys(TEXTS, ""))}


def add(request):
    """Make a poll."""
    typed = _typed(request)
    try:
        admin.create_poll(request.dbsession, request.identity, _read(request, typed))
    except InvalidError as error:
        return {"poll": None, "votes": 0, "form": answers.refused(request, error, typed)}
    return _back(request, "success", SAVED)


def poll(request):
    """The form with what a poll asks."""
    found = row_of(request, Poll)
    zone = request.zone
    values = {
        "title": found.title,
        "description": found.description,
        "start_date": found.start_date.astimezone(zone).strftime(WRITTEN),
        "end_date": found.end_date.astimezone(zone).strftime(WRITTEN),
        "choices": "\n".join(each.text for each in polls.choices(request.dbsession, found.id)),
    }
    return _page(request, found, answers.Form(values))


def save(request):
    """Change a poll."""
    found, typed = row_of(request, Poll), _typed(request)
    try:
        changed = admin.change_poll(request.dbsession, request.identity, found.id, _read(request, typed))
    except InvalidError as error:
        return _page(request, found, answers.refused(request, error, typed))
    return _back(request, "success" if changed else "info", SAVED if changed else UNCHANGED)


def votes(request):
    """Who voted for what, the latest first; only to be read."""
    found = row_of(request, Poll)
    rows = (
        select(PollVote, PollChoice.text, User.username)
        .join(PollChoice, PollChoice.id == PollVote.choice_id)
        .join(User, User.id == PollVote.user_id)
        .where(PollVote.poll_id == found.id)
    )
    order = (PollVote.voted_on.desc(), PollVote.id.desc())
    return listing(request, rows, (PollVote.id,), order, searched=folded(User.username, PollChoice.text)) | {
        "poll": found,
        "results": polls.results(request.dbsession, found.id),
    }


def _page(request, found: Poll, form: answers.Form) -> dict:
    count = select(func.count()).where(PollVote.poll_id == found.id)
    return {"poll": found, "form": form, "votes": request.dbsession.scalar(count)}


def _typed(request) -> dict[str, str]:
    fields = answers.texts(request)
    return {name: fields.get(name, "").replace("\r\n", "\n") for name in TEXTS}


def _read(request, typed: Mapping[str, str]) -> dict:
    """The values of a poll; moments are those of the reader's zone. Raises InvalidError for what is none."""
    zone = request.zone
    values = {**typed, "choices": typed["choices"].split("\n")}
    errors = {}
    for name in ("start_date", "end_date"):
        try:
            values[name] = datetime.fromisoformat(typed[name]).replace(tzinfo=zone) if typed[name] else None
        except ValueError:
            errors[name] = [_("Write the moment as 2026-12-31T18:00.")]
    if errors:
        raise InvalidError(errors)
    return values


def _back(request, kind: str, text) -> HTTPSeeOther:
    say(request, kind, text)
    return HTTPSeeOther(request.route_path("admin.poll.list"))


def includeme(config):
    """A list, a form to add and one to change, and the votes; deleting is done on the site."""
    template = "admin/poll.jinja2"
    config.add_admin_page(".poll.list", "poll/", all_polls, renderer="admin/polls.jinja2")
    config.add_admin_page(".poll.add", "poll/add/", add_form, post=add, renderer=template)
    config.add_admin_page(".poll", "poll/{id:[0-9]+}/", poll, post=save, renderer=template)
    config.add_admin_page(".poll.votes", "poll/{id:[0-9]+}/votes/", votes, renderer="admin/poll_votes.jinja2")
