"""What the staff does to the site as a whole: the switch of sign-ups, and mails that did not leave."""

from sqlalchemy import update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.signup import sign_up_settings
from comicsdb.admin.audit_log import Actor, changes, record, refuse
from comicsdb.models import OutgoingMail

SIGN_UPS, MAIL = "signup_settings", "mail"  # as the log calls them


def set_sign_ups(session: Session, actor: Actor, enabled: bool, message: str) -> None:
    """Let accounts be made, or not, and say why; an empty message stands for ours.

    Raises InvalidError for the field `disabled_message`.
    """
    switch = sign_up_settings(session)
    message = message.strip()
    refuse({"disabled_message": rules.one_line_problems(message, 255)})
    before = {"signups_enabled": switch.signups_enabled, "disabled_message": switch.disabled_message}
    changed = changes(before, {"signups_enabled": enabled, "disabled_message": message})
    switch.signups_enabled, switch.disabled_message = enabled, message
    if changed:
        record(session, actor, "change", SIGN_UPS, 1, "sign-ups", changed)


def send_again(session: Session, actor: Actor, mail_id: int) -> bool:
    """Let a mail that failed be tried at once; False for any other.

    One that is under way has no error yet, and is left alone: it would be sent twice. One that was given up
    has no text any more.
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
