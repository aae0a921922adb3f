"""Announcements on the home page."""

from datetime import date

from sqlalchemy import Boolean, Date, String
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, blank_text, choice_check, translations
from comicsdb.models.choices import AnnouncementStyle


class Announcement(Base):
    """A notice from the administrators, shown from one day to another, inclusive."""

    __tablename__ = "announcement"
    __table_args__ = (choice_check("display_type", AnnouncementStyle),)

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(255))
    titles: Mapped[dict[str, str]] = translations()
    content: Mapped[str] = blank_text()
    contents: Mapped[dict[str, str]] = translations()
    start_date: Mapped[date | None] = mapped_column(Date)
    end_date: Mapped[date | None] = mapped_column(Date)
    display_type: Mapped[str] = mapped_column(
        String(20), server_default=AnnouncementStyle.PRIMARY, default=AnnouncementStyle.PRIMARY.value
    )
    active: Mapped[bool] = mapped_column(Boolean, server_default="true", default=True)
