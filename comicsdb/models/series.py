"""Series: runs of issues under one name."""

from datetime import date

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    CASCADE,
    SMALL_MAX,
    CatalogEntity,
    IssueListMixin,
    RatingsMixin,
    catalog_args,
    choice_check,
    folded,
    metadata,
    ordered_text,
    ordering_index,
    parent_key,
    range_check,
)
from comicsdb.models.choices import DEFAULT_LANGUAGE, LANGUAGES, YEARS, SeriesTypeCode, Status
from comicsdb.models.people import link_table
from comicsdb.models.publisher import Imprint, Publisher
from comicsdb.models.reference import Genre, SeriesType

series_genre = link_table("series", "genre")
# Symmetric: both directions are stored, added and removed together.
series_associated = Table(
    "series_associated",
    metadata,
    Column("series_id", ForeignKey("series.id", ondelete=CASCADE), primary_key=True),
    Column("associated_id", ForeignKey("series.id", ondelete=CASCADE), primary_key=True),
    Index("ix_series_associated_associated_id", "associated_id", "series_id"),
    CheckConstraint("series_id <> associated_id", name="not_itself"),
)

# Labels between name and year, and after the year, by type.
LABEL_INFIX = {
    SeriesTypeCode.TRADE_PAPERBACK: " TPB",
    SeriesTypeCode.HARDCOVER: " HC",
    SeriesTypeCode.GRAPHIC_NOVEL: " GN",
}
LABEL_SUFFIX = {SeriesTypeCode.DIGITAL_CHAPTER: " Digital"}

AVERAGE = (
    "CASE WHEN rating_count > 0 THEN rating_sum::double precision / rating_count::double precision"
    " ELSE 0::double precision END"
)


class Series(IssueListMixin, RatingsMixin, CatalogEntity):
    """A run of issues of one publisher under one name."""

    __tablename__ = "series"
    __table_args__ = catalog_args(
        "series",
        Index(
            "uq_series_publisher_id_name_volume_series_type_id",
            "publisher_id",
            "name",
            "volume",
            "series_type_id",
            unique=True,
        ),
        ordering_index("ix_series_sort_order", "sort_folded", "sort_name", "year_began", "id"),
        Index("ix_series_language", "language"),
        Index("ix_series_issue_count", "issue_count", "id"),
        Index("ix_series_last_cover_date", "last_cover_date", "id"),
        Index("ix_series_rating_average", "rating_average", "id"),
        choice_check("language", ("", *LANGUAGES), "is_language"),
        range_check("volume", 0, SMALL_MAX),
        range_check("year_began", *YEARS),
        range_check("year_end", *YEARS),
        range_check("status", 1, 4),
        other_names="alt_names",
        other_folded="alt_folded",
    )

    sort_name: Mapped[str] = mapped_column(ordered_text(255))
    sort_folded: Mapped[str] = folded('sort_name COLLATE "default"')
    alt_names: Mapped[list[str]] = mapped_column(ARRAY(String(255)), server_default="{}", default=list)
    alt_folded: Mapped[str] = folded("joined(alt_names)")
    language: Mapped[str] = mapped_column(
        String(10), server_default=DEFAULT_LANGUAGE, default=DEFAULT_LANGUAGE
    )
    volume: Mapped[int] = mapped_column(SmallInteger)
    year_began: Mapped[int] = mapped_column(SmallInteger)
    year_end: Mapped[int | None] = mapped_column(SmallInteger)
    series_type_id: Mapped[int] = parent_key("series_type.id", ondelete="RESTRICT")
    status: Mapped[int] = mapped_column(
        SmallInteger, server_default=str(Status.ONGOING.value), default=Status.ONGOING.value
    )
    publisher_id: Mapped[int] = parent_key("publisher.id", index=False)
    imprint_id: Mapped[int | None] = parent_key("imprint.id", ondelete="SET NULL", nullable=True)
    collection: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    # Columns that lists are sorted and filtered by; triggers on issues maintain the first two
    # (alembic/baseline/figures.sql).
    issue_count: Mapped[int] = mapped_column(Integer, server_default="0", default=0)
    last_cover_date: Mapped[date] = mapped_column(Date, server_default=str(date.min), default=date.min)
    rating_average: Mapped[float] = mapped_column(Double, Computed(AVERAGE, persisted=True), deferred=True)

    series_type: Mapped[SeriesType] = relationship(lazy="raise", viewonly=True)
    publisher: Mapped[Publisher] = relationship(lazy="raise", viewonly=True)
    imprint: Mapped[Imprint | None] = relationship(lazy="raise", viewonly=True)
    genres = relationship(Genre, secondary=series_genre, lazy="raise", viewonly=True)
    associated = relationship(
        "Series",
        secondary=series_associated,
        primaryjoin="Series.id == series_associated.c.series_id",
        secondaryjoin="Series.id == series_associated.c.associated_id",
        lazy="raise",
        viewonly=True,
    )

    @property
    def label(self) -> str:
        """Return the label, such as `Name TPB (2020)`; needs `series_type` loaded."""
        code = self.series_type.code
        return f"{self.name}{LABEL_INFIX.get(code, '')} ({self.year_began}){LABEL_SUFFIX.get(code, '')}"

    @property
    def number_mark(self) -> str:
        """Return the prefix of the issue number in labels."""
        return "Chapter #" if self.series_type.code == SeriesTypeCode.DIGITAL_CHAPTER else "#"
