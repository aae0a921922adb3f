"""Reference data maintained by administrators: series types, genres, age ratings and credit roles.

`name` is in English, for the API and exports; `names` has translations for the site.
"""

from datetime import datetime

from sqlalchemy import Boolean, Index, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import SMALL_MAX, Base, blank_text, range_check, stamp, translations


class SeriesType(Base):
    """A type of series; program logic uses `code`, clients store `id`."""

    __tablename__ = "series_type"
    __table_args__ = (
        Index("uq_series_type_name", "name", unique=True),
        Index("uq_series_type_code", "code", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    names: Mapped[dict[str, str]] = translations()
    code: Mapped[str | None] = mapped_column(String(20))
    notes: Mapped[str] = blank_text()
    modified: Mapped[datetime] = stamp()


class Genre(Base):
    """A genre of series."""

    __tablename__ = "genre"
    __table_args__ = (Index("uq_genre_name", text("lower(name)"), unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(25))
    names: Mapped[dict[str, str]] = translations()
    desc: Mapped[str] = blank_text()
    modified: Mapped[datetime] = stamp()


class AgeRating(Base):
    """The intended audience of a comic; unrelated to readers' ratings."""

    __tablename__ = "age_rating"
    __table_args__ = (Index("uq_age_rating_name", "name", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    names: Mapped[dict[str, str]] = translations()
    short_description: Mapped[str] = blank_text(255)
    description: Mapped[str] = blank_text()
    modified: Mapped[datetime] = stamp()


class Role(Base):
    """The role of a creator in an issue; flags select the statistics that include it."""

    __tablename__ = "role"
    __table_args__ = (
        Index("uq_role_name", "name", unique=True),
        Index("uq_role_order", "order", unique=True),
        range_check('"order"', 0, SMALL_MAX),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(25))
    names: Mapped[dict[str, str]] = translations()
    order: Mapped[int] = mapped_column(SmallInteger)
    is_writer: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    is_artist: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    is_featured: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    is_cover: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    notes: Mapped[str] = blank_text()
    modified: Mapped[datetime] = stamp()
