"""What the staff does to polls: make, change and delete them."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from comicsdb import characters
from comicsdb.accounts import rules
from comicsdb.admin.audit_log import Actor, changes, id_of, record, refuse
from comicsdb.catalog.errors import NotFoundError
from comicsdb.i18n import _, ngettext
from comicsdb.models import Poll, PollChoice, PollVote

KIND = "poll"
POLL_FIELDS = ("title", "description", "start_date", "end_date", "choices")
DESCRIPTION_MAX = 10_000
CHOICES_MOST = 20
LINE_MAX = 255


def create_poll(session: Session, actor: Actor, values: Mapping) -> Poll:
    """Make a poll of all POLL_FIELDS; `choices` are texts in their order. Raises InvalidError by field."""
    values = _judged(values)
    fields = {name: value for name, value in values.items() if name != "choices"}
    poll = Poll(**fields, created_by_id=id_of(actor))
    session.add(poll)
    session.flush()
    _write_choices(session, poll, values["choices"])
    record(session, actor, "create", KIND, poll.id, poll.title, changes({}, values))
    return poll


def change_poll(session: Session, actor: Actor, poll_id: int, values: Mapping) -> dict:
    """Give a poll new values; gives old and new ones of what changed.

    Once somebody has voted the choices stay as they are: Invalid says so. Nobody votes meanwhile.
    """
    poll = _hold(session, poll_id)
    before = _values(session, poll)
    values = _judged({**before, **values})
    changed = changes(before, values)
    if "choices" in changed:
        voted = session.scalar(select(func.count()).where(PollVote.poll_id == poll.id))
        refuse({"choices": [_("Somebody has voted: the choices stay as they are.")] if voted else []})
        session.execute(delete(PollChoice).where(PollChoice.poll_id == poll.id))
        _write_choices(session, poll, values["choices"])
    for field in changed:
        if field != "choices":
            setattr(poll, field, values[field])
    if changed:
        poll.modified = func.clock_timestamp()
        session.flush()
        record(session, actor, "change", KIND, poll.id, poll.title, changed)
    return changed


def delete_poll(session: Session, actor: Actor, poll_id: int) -> None:
    """Take a poll away for ever, with its votes; the log keeps what it asked. Raises NotFoundError."""
    poll = _hold(session, poll_id)
    record(session, actor, "delete", KIND, poll.id, poll.title, changes(_values(session, poll), {}))
    session.delete(poll)
    session.flush()


def _hold(session: Session, poll_id: int) -> Poll:
    """The poll as it is now, locked against votes and others of the staff."""
    rows = select(Poll).where(Poll.id == poll_id).with_for_update()
    poll = session.scalar(rows.execution_options(populate_existing=True))
    if poll is None:
        raise NotFoundError(KIND, poll_id)
    return poll


def _values(session: Session, poll: Poll) -> dict:
    texts = select(PollChoice.text).where(PollChoice.poll_id == poll.id)
    values = {name: getattr(poll, name) for name in POLL_FIELDS if name != "choices"}
    ordered = texts.order_by(PollChoice.order, PollChoice.id)
    return {**values, "choices": list(session.scalars(ordered))}


def _write_choices(session: Session, poll: Poll, texts: list[str]) -> None:
    rows = [{"poll_id": poll.id, "text": text, "order": place} for place, text in enumerate(texts, 1)]
    session.execute(insert(PollChoice), rows)


def _judged(values: Mapping) -> dict:
    title, description = values["title"].strip(), values["description"].strip()
    start, end = values["start_date"], values["end_date"]
    texts = [text.strip() for text in values["choices"] if text.strip()]
    refuse(
        {
            "title": rules.one_line_problems(title, LINE_MAX) if title else [_("A poll needs a title.")],
            "description": _description_problems(description),
            "start_date": [_("Say when the poll opens.")] if start is None else [],
            "end_date": _end_problems(start, end),
            "choices": _choice_problems(texts),
        }
    )
    return {
        "title": title,
        "description": description,
        "start_date": start,
        "end_date": end,
        "choices": texts,
    }


def _description_problems(text: str) -> list:
    if len(text) > DESCRIPTION_MAX:
        return [ngettext("At most ${n} character.", "At most ${n} characters.", DESCRIPTION_MAX)]
    wrong = characters.problem(text)
    return [wrong] if wrong else []


def _end_problems(start: datetime | None, end: datetime | None) -> list:
    if end is None:
        return [_("Say when the poll closes.")]
    return [_("It would end before it begins.")] if start is not None and end <= start else []


def _choice_problems(texts: list[str]) -> list:
    if len(texts) < 2:
        return [_("A poll needs at least two choices.")]
    if len(texts) > CHOICES_MOST:
        return [ngettext("At most ${n} choice.", "At most ${n} choices.", CHOICES_MOST)]
    if len({text.casefold() for text in texts}) < len(texts):
        return [_("A choice is there twice.")]
    return [problem for text in texts for problem in rules.one_line_problems(text, LINE_MAX)]
