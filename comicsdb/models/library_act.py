"""The journal of changes that accounts make to their own lists."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, Integer, String, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, blank_text, parent_key, stamp


class LibraryAct(Base):
    """The changes that an account made to its lists in one transaction or import; can be undone for a day.

    `what` is blank for an ordinary act, whose description is derived from `counts`: the numbers of rows by
    "TABLE.insert", "TABLE.update" and "TABLE.delete". `about` is the name of an imported file. A trigger
    creates the row when the first change is recorded. The undo of a large act runs in the background;
    `undo_asked` is when it was requested.
    """

    __tablename__ = "library_act"
    __table_args__ = (
        Index("ix_library_act_user_id_id", "user_id", "id"),
        Index("ix_library_act_at", "at"),
        Index("ix_library_act_undo_asked", "undo_asked", postgresql_where=text("undo_asked IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    at: Mapped[datetime] = stamp()
    what: Mapped[str] = blank_text(20)
    about: Mapped[str] = blank_text(100)
    counts: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)
    undo_asked: Mapped[datetime | None] = stamp(default=False)
    undone: Mapped[datetime | None] = stamp(default=False)
    undoes_id: Mapped[int | None] = mapped_column(
        ForeignKey("library_act.id", ondelete="SET NULL"), index=True
    )


class LibraryChange(Base):
    """A row that an act added (without `before`), removed (without `after`) or changed.

    For changed rows, only the columns that differ are stored. Issue, series and list are those that the row
    refers to.
    """

    __tablename__ = "library_change"

    act_id: Mapped[int] = mapped_column(
        ForeignKey("library_act.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    table_name: Mapped[str] = mapped_column(String(30))
    row_id: Mapped[int] = mapped_column(BigInteger)
    before: Mapped[dict | None] = mapped_column(JSONB)
    after: Mapped[dict | None] = mapped_column(JSONB)
    issue_id: Mapped[int | None] = mapped_column(Integer)
    series_id: Mapped[int | None] = mapped_column(Integer)
    list_id: Mapped[int | None] = mapped_column(Integer)
