"""Issues that the tags in people's comic files tell of."""

from datetime import datetime

from sqlalchemy import Boolean, String, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, parent, stamp


class TaggedFile(Base):
    """An issue that the tags in a comic file tell of, which its account has not entered yet.

    `known` is what it is matched by, as `schemas.match.DescriptorSchema` reads it; `fields` are pairs of
    field and text of the form for a new issue. `digest` is the same for all files about the same issue.
    """

    __tablename__ = "tagged_file"
    __table_args__ = (UniqueConstraint("user_id", "digest", name="uq_tagged_file_user_id_digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent("user_account.id", index=False)
    digest: Mapped[str] = mapped_column(String(64))
    file: Mapped[str] = mapped_column(Text)
    label: Mapped[str] = mapped_column(Text)
    known: Mapped[dict] = mapped_column(JSONB)
    fields: Mapped[list] = mapped_column(JSONB)
    found_on: Mapped[datetime] = stamp()
    is_dismissed: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
