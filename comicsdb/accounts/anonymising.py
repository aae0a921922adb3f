"""What stands elsewhere under an account's name: moved with a new name, gone or nameless with the account."""

from sqlalchemy import delete, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.models import DailyCount, Donation, StaffAction, User

KIND = "user"  # as staff actions call accounts


def _counts(username: str):
    return DailyCount.identity == f"user:{username}"


def move_counts(session: Session, old: str, new: str) -> None:
    """Let the counts of an account's requests follow its new name."""
    forget_counts(session, new)  # of somebody who had this name before
    moved = select(DailyCount.day, DailyCount.counter, literal(f"user:{new}"), DailyCount.count).where(
        _counts(old)
    )
    session.execute(insert(DailyCount).from_select(["day", "counter", "identity", "count"], moved))
    forget_counts(session, old)


def forget_counts(session: Session, username: str) -> None:
    """Remove the counts of an account's requests."""
    session.execute(delete(DailyCount).where(_counts(username)))


def anonymise(session: Session, user: User) -> None:
    """Let what stays after an account name it by its number alone."""
    forget_counts(session, user.username)
    nameless = f"account {user.id}"
    session.execute(update(StaffAction).where(StaffAction.actor_id == user.id).values(actor_name=nameless))
    session.execute(
        update(StaffAction)
        .where(StaffAction.kind == KIND, StaffAction.target_id == user.id)
        .values(target=nameless, change={})
    )
    session.execute(
        update(Donation)
        .where(or_(Donation.user_id == user.id, Donation.email.ilike(_escaped(user.email), escape="\\")))
        .values(email="")
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
