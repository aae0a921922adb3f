"""Issues with their variants and credits."""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    FetchedValue,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Numeric,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    CASCADE,
    SMALL_MAX,
    AuthorsMixin,
    Base,
    ExternalIdColumnsMixin,
    PictureMixin,
    RatingsMixin,
    SourcesMixin,
    StampsMixin,
    amount_checks,
    blank_text,
    choice_check,
    external_id_column_args,
    metadata,
    ordered_text,
    parent_key,
    precision,
    range_check,
    stamp,
    upper,
)
from comicsdb.models.choices import EARLIEST_YEAR, UNKNOWN_AGE_RATING_ID, Precision
from comicsdb.models.currencies import Currency
from comicsdb.models.people import Arc, Character, Creator, Team, link_table
from comicsdb.models.publisher import Universe
from comicsdb.models.reference import AgeRating, Role
from comicsdb.models.series import Series

issue_arc = link_table("issue", "arc")
issue_character = link_table("issue", "character")
issue_team = link_table("issue", "team")
issue_universe = link_table("issue", "universe")
# A trigger copies the ids of issue and creator from the credit; the foreign key keeps them consistent. They
# allow index-only scans for the issues of a creator in a role, and for the creators with most credits.
credit_role = Table(
    "credit_role",
    metadata,
    Column("credit_id", Integer, primary_key=True),
    Column("role_id", ForeignKey("role.id", ondelete=CASCADE), primary_key=True),
    Column("issue_id", Integer, nullable=False),
    Column("creator_id", Integer, nullable=False),
    ForeignKeyConstraint(
        ["credit_id", "issue_id", "creator_id"],
        ["credit.id", "credit.issue_id", "credit.creator_id"],
        ondelete=CASCADE,
        onupdate=CASCADE,
    ),
    Index("ix_credit_role_role_id_issue_id", "role_id", "issue_id"),
    Index("ix_credit_role_issue_id_role_id", "issue_id", "role_id", postgresql_include=["creator_id"]),
)
# Symmetric, like series_associated.
issue_reprint = Table(
    "issue_reprint",
    metadata,
    Column("issue_id", ForeignKey("issue.id", ondelete=CASCADE), primary_key=True),
    Column("reprint_id", ForeignKey("issue.id", ondelete=CASCADE), primary_key=True),
    Index("ix_issue_reprint_reprint_id", "reprint_id", "issue_id"),
    CheckConstraint("issue_id <> reprint_id", name="not_itself"),
)


class PriceMixin:
    """A cover price; without an amount, there is no price and the currency is ignored.

    An amount has as many decimals as its currency: 3.99, 500, 1.250.
    """

    price: Mapped[Decimal | None] = mapped_column(Numeric)
    currency: Mapped[str] = mapped_column(String(3), server_default=Currency.USD, default=Currency.USD.value)


def price_args():
    """Return the check constraints of a price."""
    return amount_checks("price", "currency")


def _since_earliest(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} >= DATE '{EARLIEST_YEAR}-01-01'", name=f"{column}_earliest")


def _code_index(table: str, column: str) -> Index:
    """An index for exact and prefix searches of a product code, ignoring case, spaces and hyphens."""
    return Index(
        f"ix_{table}_{column}_compact",
        literal_column(f"upper(translate({column}, ' -', ''))").label("compact"),
        postgresql_ops={"compact": "text_pattern_ops"},
    )


def _by_trigger() -> Mapped[str | None]:
    return mapped_column(Text(collation="C"), FetchedValue(), server_onupdate=FetchedValue(), deferred=True)


class Issue(
    RatingsMixin,
    PictureMixin,
    PriceMixin,
    AuthorsMixin,
    ExternalIdColumnsMixin,
    SourcesMixin,
    StampsMixin,
    Base,
):
    """An issue of a series.

    `name` has the story titles in order; `title` is the title of a collected edition. With
    `desc_is_solicitation`, the description is the publisher's announcement of the issue.
    """

    __tablename__ = "issue"
    __table_args__ = (
        Index("uq_issue_slug", "slug", unique=True),
        *external_id_column_args("issue", include=("series_id",)),
        *price_args(),
        Index("uq_issue_series_id_number_key", "series_id", "number_key", unique=True),
        Index("ix_issue_number_key", "number_key"),
        Index("ix_issue_alt_number_key", literal_column("number_key(alt_number)")),
        Index("ix_issue_series_id_series_order", "series_id", "series_order", "id"),
        Index(
            "ix_issue_series_order",
            "series_id",
            "cover_date",
            "store_date",
            "number",
            "id",
        ),
        Index(
            "ix_issue_id_series_id", "id", "series_id"
        ),  # for index-only scans of the series of many issues
        *(Index(f"ix_issue_{column}_upper", upper(column)) for column in ("sku", "cover_hash")),
        _code_index("issue", "upc"),
        _code_index("issue", "isbn"),
        Index(
            "ix_issue_numbers_folded_trgm",
            literal_column("fold(number)").label("number"),
            literal_column("fold(alt_number)").label("alt_number"),
            postgresql_using="gin",
            postgresql_ops={"number": "gin_trgm_ops", "alt_number": "gin_trgm_ops"},
        ),
        # The columns of most filters, with the series, so that the rows before a page can be counted.
        *(
            Index(f"ix_issue_{column}", column, "id", postgresql_include=["series_id"])
            for column in ("cover_date", "store_date", "foc_date", "modified")
        ),
        Index("ix_issue_image", "image", postgresql_using="hash"),  # finds the cover of a picture
        Index("ix_issue_rating_id", "rating_id", postgresql_include=["series_id"]),
        Index("ix_issue_created_on", "created_on", "id"),
        range_check("page", 0, SMALL_MAX),
        choice_check("cover_date_precision", Precision),
        *(_since_earliest(column) for column in ("cover_date", "store_date", "foc_date")),
    )

    series_id: Mapped[int] = parent_key("series.id", index=False)
    number: Mapped[str] = mapped_column(ordered_text(25))
    # Triggers write both: the key of the number, and the place in the order of the series' issues.
    number_key: Mapped[str | None] = _by_trigger()
    series_order: Mapped[str | None] = _by_trigger()
    alt_number: Mapped[str] = blank_text(25)
    title: Mapped[str] = blank_text(255)
    name: Mapped[list[str]] = mapped_column(ARRAY(String(150)), server_default="{}", default=list)
    # If the cover date is unknown, a trigger sets it, from the store date or the first year of the series.
    cover_date: Mapped[date] = mapped_column(Date, info={"by_trigger": True})
    cover_date_precision: Mapped[str] = precision()
    store_date: Mapped[date | None] = mapped_column(Date)
    foc_date: Mapped[date | None] = mapped_column(Date)
    rating_id: Mapped[int] = mapped_column(
        ForeignKey("age_rating.id", ondelete="SET DEFAULT"),
        server_default=str(UNKNOWN_AGE_RATING_ID),
        default=UNKNOWN_AGE_RATING_ID,
    )
    sku: Mapped[str] = blank_text(12)
    isbn: Mapped[str] = blank_text(13)
    upc: Mapped[str] = blank_text(20)
    page: Mapped[int | None] = mapped_column(SmallInteger)
    desc: Mapped[str] = blank_text()
    desc_is_solicitation: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    cover_hash: Mapped[str] = blank_text(16)

    series: Mapped[Series] = relationship(lazy="raise", viewonly=True)
    rating: Mapped[AgeRating] = relationship(lazy="raise", viewonly=True)
    arcs = relationship(Arc, secondary=issue_arc, lazy="raise", viewonly=True)
    characters = relationship(Character, secondary=issue_character, lazy="raise", viewonly=True)
    teams = relationship(Team, secondary=issue_team, lazy="raise", viewonly=True)
    universes = relationship(Universe, secondary=issue_universe, lazy="raise", viewonly=True)
    reprints = relationship(
        "Issue",
        secondary=issue_reprint,
        primaryjoin="Issue.id == issue_reprint.c.issue_id",
        secondaryjoin="Issue.id == issue_reprint.c.reprint_id",
        lazy="raise",
        viewonly=True,
    )
    credits = relationship("Credit", lazy="raise", viewonly=True)
    variants = relationship("Variant", lazy="raise", viewonly=True, order_by="Variant.id")

    @property
    def label(self) -> str:
        """Return the label, as in `Series (2020) #1`; needs `series` and its `series_type` loaded."""
        return f"{self.series.label} {self.series.number_mark}{self.number}"

    def is_released(self, today: date) -> bool:
        """Whether the issue is out on the business day `today`; issues without a store date count as out."""
        return self.store_date is None or self.store_date <= today

    def is_foc_past_due(self, today: date) -> bool:
        """Whether the final order cut-off is before the business day `today`."""
        return self.foc_date is not None and self.foc_date < today


class Variant(PictureMixin, PriceMixin, Base):
    """Another cover of an issue."""

    __tablename__ = "variant"
    __table_args__ = (
        *price_args(),
        _code_index("variant", "upc"),
        Index("ix_variant_sku_upper", literal_column("upper(sku)")),
        Index("ix_variant_image", "image", postgresql_using="hash"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    issue_id: Mapped[int] = parent_key("issue.id")
    name: Mapped[str] = blank_text(255)
    sku: Mapped[str] = blank_text(12)
    upc: Mapped[str] = blank_text(20)
    cover_hash: Mapped[str] = blank_text(16)

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)


class Credit(Base):
    """A creator's credit for an issue, with one or more roles."""

    __tablename__ = "credit"
    __table_args__ = (
        UniqueConstraint("issue_id", "creator_id", name="uq_credit_issue_id_creator_id"),
        # Referenced by the foreign key of credit_role.
        UniqueConstraint("id", "issue_id", "creator_id", name="uq_credit_id_issue_id_creator_id"),
        Index("ix_credit_creator_id_issue_id", "creator_id", "issue_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    creator_id: Mapped[int] = parent_key("creator.id", index=False)
    modified: Mapped[datetime] = stamp()

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)
    creator: Mapped[Creator] = relationship(lazy="raise", viewonly=True)
    roles = relationship(Role, secondary=credit_role, lazy="raise", viewonly=True, order_by=Role.order)
