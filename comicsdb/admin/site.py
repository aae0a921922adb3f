"""Actions of staff on the site: sign-ups, failed mails, announcements and polls."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.signup import sign_up_settings
from comicsdb.audit_log import Actor, actor_id_of, changes, record
from comicsdb.catalog.errors import NotFoundError, raise_errors
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.community.polls import choices
from comicsdb.i18n import _, ngettext
from comicsdb.models import Announcement, OutgoingMail, Poll, PollChoice, PollVote
from comicsdb.models.choices import AnnouncementStyle

SIGN_UPS, MAIL = "signup_settings", "mail"  # kinds in the audit log

ANNOUNCEMENT = "announcement"
ANNOUNCEMENT_FIELDS = (
    *("title", "titles", "content", "contents"),  # the plurals are translations by language
    *("start_date", "end_date", "display_type", "active"),
)
CONTENT_MAX = 10_000

POLL = "poll"
POLL_FIELDS = (
    *("title", "titles", "description", "descriptions"),
    *("start_date", "end_date", "choices", "choice_texts"),
)
CHOICE_FIELDS = ("choices", "choice_texts")
TRANSLATION_MISMATCH = _("Enter as many choices as in English, in the same order.")
DESCRIPTION_MAX = 10_000
CHOICES_MAX = 20
LINE_MAX = 255


def set_sign_ups(session: Session, actor: Actor, enabled: bool, message: str) -> None:
    """Enable or disable sign-ups, with a message for visitors; if it is empty, the default is shown.

    Raises InvalidError for the field `disabled_message`.
    """
    switch = sign_up_settings(session)
    message = message.strip()
    raise_errors({"disabled_message": rules.one_line_problems(message, 255)})
    before = {"signups_enabled": switch.signups_enabled, "disabled_message": switch.disabled_message}
    changed = changes(before, {"signups_enabled": enabled, "disabled_message": message})
    switch.signups_enabled, switch.disabled_message = enabled, message
    if changed:
        record(session, actor, "change", SIGN_UPS, 1, "sign-ups", changed)


def retry_mail(session: Session, actor: Actor, mail_id: int) -> bool:
    """Retry a failed mail with the next batch; returns False for any other mail.

    A mail that is being sent has no error yet and is left alone, so that it is not sent twice. A mail that
    was given up cannot be retried, as its text was removed.
    """
    failed = (
        update(OutgoingMail)
        .where(
            OutgoingMail.id == mail_id,
            OutgoingMail.sent.is_(None),
            OutgoingMail.next_attempt.is_not(None),
            OutgoingMail.error != "",
        )
        .values(next_attempt=clock.now())
        .returning(OutgoingMail.kind)
    )
    kind = session.scalar(failed.execution_options(synchronize_session=False))
    if kind is None:
        return False
    record(session, actor, "send again", MAIL, mail_id, kind)
    return True


def create_announcement(session: Session, actor: Actor, values: Mapping) -> Announcement:
    """Create an announcement from all ANNOUNCEMENT_FIELDS; translations may be left out.

    Raises InvalidError by field; the field of the Italian title, for example, is `title_it`.
    """
    values = _checked_announcement(values)
    announcement = Announcement(**values)
    session.add(announcement)
    session.flush()
    _invalidate_pages(session)
    record(session, actor, "create", ANNOUNCEMENT, announcement.id, announcement.title, changes({}, values))
    return announcement


def change_announcement(session: Session, actor: Actor, announcement: Announcement, values: Mapping) -> dict:
    """Change an announcement; returns old and new values of changed fields.

    Raises InvalidError by field.
    """
    before = _announcement_values(announcement)
    values = _checked_announcement({**before, **values})
    changed = changes(before, values)
    for field in changed:
        setattr(announcement, field, values[field])
    if changed:
        _invalidate_pages(session)
        record(session, actor, "change", ANNOUNCEMENT, announcement.id, announcement.title, changed)
    return changed


def delete_announcement(session: Session, actor: Actor, announcement: Announcement) -> None:
    """Delete an announcement; the audit log keeps its values."""
    change = changes(_announcement_values(announcement), {})
    record(session, actor, "delete", ANNOUNCEMENT, announcement.id, announcement.title, change)
    session.delete(announcement)
    _invalidate_pages(session)


def _invalidate_pages(session: Session) -> None:
    """Increment the version that cached pages with announcements depend on."""
    UnitOfWork.of(session).record_outdated(ANNOUNCEMENT)


def _announcement_values(announcement: Announcement) -> dict:
    return {field: getattr(announcement, field) for field in ANNOUNCEMENT_FIELDS}


def _checked_announcement(values: Mapping) -> dict:
    titles, contents = (_translations(values, each) for each in ("titles", "contents"))
    values = {**values, "title": values["title"].strip(), "titles": titles, "contents": contents}
    title = values["title"]
    start, end = values["start_date"], values["end_date"]
    errors = {
        "title": rules.one_line_problems(title, 255) if title else [_("An announcement needs a title.")],
        "display_type": []
        if values["display_type"] in set(AnnouncementStyle)
        else [_("This colour does not exist.")],
        "end_date": [_("The end must be after the beginning.")] if start and end and end < start else [],
        "content": rules.text_problems(values["content"], CONTENT_MAX),
    }
    errors |= {f"title_{language}": rules.one_line_problems(text, 255) for language, text in titles.items()}
    errors |= {f"content_{name}": rules.text_problems(text, CONTENT_MAX) for name, text in contents.items()}
    raise_errors(errors)
    return values


def _translations(values: Mapping, field: str) -> dict[str, str]:
    """The translations by language, without blank ones."""
    texts = {language: text.strip() for language, text in values.get(field, {}).items()}
    return {language: text for language, text in texts.items() if text}


def create_poll(session: Session, actor: Actor, values: Mapping) -> Poll:
    """Create a poll from all POLL_FIELDS; translations may be left out.

    `choices` is a list of texts in order, `choice_texts` has such lists by language. Raises InvalidError by
    field.
    """
    values = _checked_poll(values)
    fields = {name: value for name, value in values.items() if name not in CHOICE_FIELDS}
    poll = Poll(**fields, created_by_id=actor_id_of(actor))
    session.add(poll)
    session.flush()
    _write_choices(session, poll, values)
    record(session, actor, "create", POLL, poll.id, poll.title, changes({}, values))
    return poll


def change_poll(session: Session, actor: Actor, poll_id: int, values: Mapping) -> dict:
    """Change a poll, locking it against votes; returns old and new values of changed fields.

    Raises InvalidError by field, also if choices are changed after the first vote.
    """
    poll = _lock_poll(session, poll_id)
    before = _poll_values(session, poll)
    values = _checked_poll({**before, **values})
    changed = changes(before, values)
    if "choices" in changed:
        voted = session.scalar(select(func.count()).where(PollVote.poll_id == poll.id))
        raise_errors({"choices": [_("The choices cannot be changed after the first vote.")] if voted else []})
        session.execute(delete(PollChoice).where(PollChoice.poll_id == poll.id))
        _write_choices(session, poll, values)
    elif "choice_texts" in changed:
        for place, choice in enumerate(choices(session, poll.id)):
            choice.texts = _texts_of(values, place)
    for field in changed:
        if field not in CHOICE_FIELDS:
            setattr(poll, field, values[field])
    if changed:
        poll.modified = func.clock_timestamp()
        session.flush()
        record(session, actor, "change", POLL, poll.id, poll.title, changed)
    return changed


def delete_poll(session: Session, actor: Actor, poll_id: int) -> None:
    """Delete a poll with its votes; the audit log keeps its values. Raises NotFoundError."""
    poll = _lock_poll(session, poll_id)
    record(session, actor, "delete", POLL, poll.id, poll.title, changes(_poll_values(session, poll), {}))
    session.delete(poll)
    session.flush()


def _lock_poll(session: Session, poll_id: int) -> Poll:
    """The poll, reloaded and locked against votes and concurrent changes."""
    rows = select(Poll).where(Poll.id == poll_id).with_for_update()
    poll = session.scalar(rows.execution_options(populate_existing=True))
    if poll is None:
        raise NotFoundError(POLL, poll_id)
    return poll


def _poll_values(session: Session, poll: Poll) -> dict:
    values = {name: getattr(poll, name) for name in POLL_FIELDS if name not in CHOICE_FIELDS}
    found = choices(session, poll.id)
    translated = sorted({language for each in found for language in each.texts})
    return {
        **values,
        "choices": [each.text for each in found],
        "choice_texts": {name: [each.texts.get(name, "") for each in found] for name in translated},
    }


def _write_choices(session: Session, poll: Poll, values: Mapping) -> None:
    rows = [
        {"poll_id": poll.id, "text": text, "texts": _texts_of(values, place), "order": place + 1}
        for place, text in enumerate(values["choices"])
    ]
    session.execute(insert(PollChoice), rows)


def _texts_of(values: Mapping, index: int) -> dict[str, str]:
    """The translations of a choice, by language."""
    return {language: texts[index] for language, texts in values["choice_texts"].items()}


def _checked_poll(values: Mapping) -> dict:
    title, description = values["title"].strip(), values["description"].strip()
    start, end = values["start_date"], values["end_date"]
    titles, descriptions = (_translations(values, each) for each in ("titles", "descriptions"))
    texts = _lines(values["choices"])
    translated = {name: _lines(each) for name, each in values.get("choice_texts", {}).items()}
    translated = {name: each for name, each in translated.items() if each}
    raise_errors(
        {
            "title": rules.one_line_problems(title, LINE_MAX) if title else [_("A poll needs a title.")],
            "description": rules.text_problems(description, DESCRIPTION_MAX),
            "start_date": [_("Enter when the poll opens.")] if start is None else [],
            "end_date": _end_problems(start, end),
            "choices": _choice_problems(texts),
        }
        | {f"title_{name}": rules.one_line_problems(text, LINE_MAX) for name, text in titles.items()}
        | {
            f"description_{name}": rules.text_problems(text, DESCRIPTION_MAX)
            for name, text in descriptions.items()
        }
        | {
            f"choices_{name}": _choice_problems(each) if len(each) == len(texts) else [TRANSLATION_MISMATCH]
            for name, each in translated.items()
        }
    )
    return {
        "title": title,
        "titles": titles,
        "description": description,
        "descriptions": descriptions,
        "start_date": start,
        "end_date": end,
        "choices": texts,
        "choice_texts": translated,
    }


def _lines(texts: list[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


def _end_problems(start: datetime | None, end: datetime | None) -> list:
    if end is None:
        return [_("Enter when the poll closes.")]
    return [_("The end must be after the beginning.")] if start is not None and end <= start else []


def _choice_problems(texts: list[str]) -> list:
    if len(texts) < 2:
        return [_("A poll needs at least two choices.")]
    if len(texts) > CHOICES_MAX:
        return [ngettext("At most ${n} choice.", "At most ${n} choices.", CHOICES_MAX)]
    if len({text.casefold() for text in texts}) < len(texts):
        return [_("Each choice must be different.")]
    return [problem for text in texts for problem in rules.one_line_problems(text, LINE_MAX)]
