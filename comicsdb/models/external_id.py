"""External ids: the ids of catalog objects in other databases and shops."""

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.attribution import OwnerMixin, owner_args
from comicsdb.models.base import Base, blank_text, parent_key, stamp


class ExternalId(OwnerMixin, Base):
    """An id of an object at a source (`choices.EXTERNAL_SOURCES`), in addition to `cv_id` and `gcd_id`.

    `scope` says what the id stands for, if the source has several types of ids; it is usually empty.
    `said_by_id` is the account that entered it, null for commands and imports.
    """

    __tablename__ = "external_id"
    __table_args__ = (
        *owner_args("external_id", "source", "external_id", "scope", unique=True),
        Index("ix_external_id_external_id_source", "external_id", "source"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(String(20))
    external_id: Mapped[str] = mapped_column(String(100))
    scope: Mapped[str] = blank_text(20)
    said_by_id: Mapped[int | None] = parent_key("user_account.id", ondelete="SET NULL", nullable=True)
    said_on: Mapped[datetime] = stamp()
