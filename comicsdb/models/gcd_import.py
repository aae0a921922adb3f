"""Imports of the Grand Comics Database and their progress."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, Integer, String, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, blank_text, stamp


class GcdImport(Base):
    """An import of one dump with certain choices; if it is stopped, it can be continued.

    `phase` and `position` are its progress: the last series, or the last row of another table, that is done.
    `reported` is the length of the report at that time, in bytes, and `counts` are the numbers of things
    done.
    """

    __tablename__ = "gcd_import"
    __table_args__ = (Index("ix_gcd_import_begun", "begun", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str] = blank_text(255)
    fingerprint: Mapped[str] = mapped_column(String(64))
    choices: Mapped[dict] = mapped_column(JSONB)
    phase: Mapped[str] = mapped_column(String(20))
    position: Mapped[int] = mapped_column(Integer, server_default=text("0"), default=0)
    reported: Mapped[int] = mapped_column(BigInteger, server_default=text("0"), default=0)
    counts: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)
    begun: Mapped[datetime] = stamp()
    finished: Mapped[datetime | None] = stamp(default=False)
