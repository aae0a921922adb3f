"""Stars that readers give to issues."""

from datetime import datetime

from sqlalchemy import Index, SmallInteger, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, parent, stamp, within


class IssueRating(Base):
    """The stars, 1 to 5, of one account for one issue (model.md 5.8)."""

    __tablename__ = "issue_rating"
    __table_args__ = (
        UniqueConstraint("issue_id", "user_id", name="uq_issue_rating_issue_id_user_id"),
        Index("ix_issue_rating_user_id", "user_id", "issue_id"),
        within("rating", 1, 5),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    issue_id: Mapped[int] = parent("issue.id", index=False)
    user_id: Mapped[int] = parent("user_account.id", index=False)
    rating: Mapped[int] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()
    modified: Mapped[datetime] = stamp()
