"""A reader's private library: the collection, the pull list and the wish list."""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    SmallInteger,
    String,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    SMALL_MAX,
    Base,
    amount_checks,
    blank_text,
    choice_check,
    parent_key,
    range_check,
    stamp,
)
from comicsdb.models.choices import (
    DEFAULT_PRIORITY,
    GRADES,
    PRIORITIES,
    STARS,
    BookFormat,
    GradingCompany,
    PullMode,
    WishStatus,
)
from comicsdb.models.currencies import Currency
from comicsdb.models.issue import Issue, Variant
from comicsdb.models.series import Series

VARIANT_WORDS_LENGTH_MAX = 200  # characters
TAG_LENGTH_MAX = 50  # characters
TAGS_MAX = 20  # tags of an item


def grade_check(column: str) -> CheckConstraint:
    """A check that a grade is null or on the scale."""
    listed = ", ".join(str(grade) for grade in GRADES)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_scale")


def currency() -> Mapped[str]:
    """The currency of the amount in another column; ignored without an amount."""
    return mapped_column(String(3), server_default=Currency.USD, default=Currency.USD.value)


def variant_key() -> Mapped[int | None]:
    """The chosen variant of an issue; null for its main cover, or if none was specified."""
    return mapped_column(ForeignKey("variant.id", ondelete="SET NULL"))


class LibraryRowMixin:
    """The id and stamps of a row of a library; the stamps work like those of the catalog."""

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    modified: Mapped[datetime] = stamp()
    modified_before: Mapped[datetime | None] = stamp(default=False)


class CollectionItem(LibraryRowMixin, Base):
    """An issue that an account owns, or one of its variants: `quantity` equal copies.

    Copies that differ are separate items. Triggers set `is_read` and `date_read`, the latest known date, from
    the reads of the issue (`ReadDate`); later changes of these also move the item's stamp.
    """

    __tablename__ = "collection_item"
    __table_args__ = (
        Index("ix_collection_item_user_id_issue_id", "user_id", "issue_id"),
        Index("ix_collection_item_issue_id", "issue_id"),
        Index("ix_collection_item_variant_id", "variant_id"),
        Index("ix_collection_item_user_id_purchase_date", "user_id", "purchase_date"),
        Index("ix_collection_item_user_id_book_format", "user_id", "book_format"),
        Index("ix_collection_item_user_id_is_read", "user_id", "is_read"),
        Index("ix_collection_item_user_id_grade", "user_id", "grade"),
        Index("ix_collection_item_user_id_grading_company", "user_id", "grading_company"),
        range_check("quantity", 1, SMALL_MAX),
        range_check("rating", *STARS),
        choice_check("book_format", BookFormat),
        choice_check("grading_company", ("", *GradingCompany)),
        grade_check("grade"),
        *amount_checks("purchase_price", "purchase_currency"),
        CheckConstraint("is_read OR date_read IS NULL", name="read_on_a_date"),
    )

    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    variant_id: Mapped[int | None] = variant_key()
    quantity: Mapped[int] = mapped_column(SmallInteger, server_default="1", default=1)
    book_format: Mapped[str] = mapped_column(
        String(10), server_default=BookFormat.PRINT, default=BookFormat.PRINT.value
    )
    grade: Mapped[Decimal | None] = mapped_column(Numeric(3, 1))
    grading_company: Mapped[str] = blank_text(10)
    purchase_date: Mapped[date | None] = mapped_column(Date)
    purchase_price: Mapped[Decimal | None] = mapped_column(Numeric)
    purchase_currency: Mapped[str] = currency()
    purchase_store: Mapped[str] = blank_text(255)
    storage_location: Mapped[str] = blank_text(255)
    tags: Mapped[list[str]] = mapped_column(ARRAY(String(TAG_LENGTH_MAX)), server_default="{}", default=list)
    notes: Mapped[str] = blank_text()
    is_read: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)
    date_read: Mapped[datetime | None] = stamp(default=False)
    rating: Mapped[int | None] = mapped_column(SmallInteger)
    created_on: Mapped[datetime] = stamp()

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)
    variant: Mapped[Variant | None] = relationship(lazy="raise", viewonly=True)
    read_dates: Mapped[list["ReadDate"]] = relationship(
        lazy="raise",
        viewonly=True,
        primaryjoin="(CollectionItem.user_id == foreign(ReadDate.user_id))"
        " & (CollectionItem.issue_id == foreign(ReadDate.issue_id))",
        order_by="(ReadDate.read_on.desc().nulls_last(), ReadDate.id.desc())",
    )


class ReadDate(Base):
    """A reading of an issue, owned or not, by an account; without `read_on`, its date is unknown."""

    __tablename__ = "read_date"
    __table_args__ = (
        Index("ix_read_date_user_id_issue_id_read_on", "user_id", "issue_id", "read_on"),
        Index("ix_read_date_user_id_read_on", "user_id", "read_on"),
        Index("ix_read_date_issue_id", "issue_id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    read_on: Mapped[datetime | None] = stamp(default=False)
    created_on: Mapped[datetime] = stamp()

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)


class PullList(LibraryRowMixin, Base):
    """The series that an account follows; created on first access.

    A trigger updates its stamps when its entries change, also when a series is deleted.
    """

    __tablename__ = "pull_list"
    __table_args__ = (UniqueConstraint("user_id", name="uq_pull_list_user_id"),)

    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    created_on: Mapped[datetime] = stamp()


class PullListSeries(Base):
    """A series on a pull list, and which of its issues are pulled.

    `variant_words` are words separated by ", "; the name of a variant has to contain one of them.
    """

    __tablename__ = "pull_list_series"
    __table_args__ = (
        UniqueConstraint("pull_list_id", "series_id", name="uq_pull_list_series_pull_list_id_series_id"),
        choice_check("pulled", PullMode),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    pull_list_id: Mapped[int] = parent_key("pull_list.id", index=False)
    series_id: Mapped[int] = parent_key("series.id")
    pulled: Mapped[str] = mapped_column(
        String(10), server_default=PullMode.COVER, default=PullMode.COVER.value
    )
    variant_words: Mapped[str] = blank_text(VARIANT_WORDS_LENGTH_MAX)
    added_on: Mapped[datetime] = stamp()

    series: Mapped[Series] = relationship(lazy="raise", viewonly=True)


class WishList(LibraryRowMixin, Base):
    """The issues that an account wants; created on first access. Its stamps are like those of a pull list."""

    __tablename__ = "wish_list"
    __table_args__ = (UniqueConstraint("user_id", name="uq_wish_list_user_id"),)

    user_id: Mapped[int] = parent_key("user_account.id", index=False)
    created_on: Mapped[datetime] = stamp()


class WishListItem(LibraryRowMixin, Base):
    """An issue, or a variant, on a wish list; `desired_grade` is the minimum, priority 1 is the highest.

    An issue may be listed once without a variant, and once for each of its variants. If a variant is deleted,
    a trigger changes the wish to one for the issue, unless that is wished for already.
    """

    __tablename__ = "wish_list_item"
    __table_args__ = (
        UniqueConstraint(
            *("wish_list_id", "issue_id", "variant_id"),
            name="uq_wish_list_item_wish_list_id_issue_id_variant_id",
            postgresql_nulls_not_distinct=True,
        ),
        Index("ix_wish_list_item_issue_id", "issue_id"),
        Index("ix_wish_list_item_variant_id", "variant_id"),
        Index("ix_wish_list_item_wish_list_id_status", "wish_list_id", "status"),
        Index("ix_wish_list_item_wish_list_id_priority", "wish_list_id", "priority"),
        choice_check("status", WishStatus),
        range_check("priority", *PRIORITIES),
        grade_check("desired_grade"),
        *amount_checks("max_price", "max_currency"),
    )

    wish_list_id: Mapped[int] = parent_key("wish_list.id", index=False)
    issue_id: Mapped[int] = parent_key("issue.id", index=False)
    variant_id: Mapped[int | None] = variant_key()
    status: Mapped[str] = mapped_column(
        String(10), server_default=WishStatus.WANTED, default=WishStatus.WANTED.value
    )
    priority: Mapped[int] = mapped_column(
        SmallInteger, server_default=str(DEFAULT_PRIORITY), default=DEFAULT_PRIORITY
    )
    desired_grade: Mapped[Decimal | None] = mapped_column(Numeric(3, 1))
    max_price: Mapped[Decimal | None] = mapped_column(Numeric)
    max_currency: Mapped[str] = currency()
    notes: Mapped[str] = blank_text()
    added_on: Mapped[datetime] = stamp()

    issue: Mapped[Issue] = relationship(lazy="raise", viewonly=True)
    variant: Mapped[Variant | None] = relationship(lazy="raise", viewonly=True)


class FeedAddress(Base):
    """A secret URL where programs read an account's feeds; only a digest of the secret is stored."""

    __tablename__ = "feed_address"
    __table_args__ = (
        UniqueConstraint("digest", name="uq_feed_address_digest"),
        UniqueConstraint("form_key", name="uq_feed_address_form_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    name: Mapped[str] = blank_text(100)
    digest: Mapped[str] = mapped_column(String(64))
    created_on: Mapped[datetime] = stamp()
    last_used: Mapped[date | None] = mapped_column(Date)
    # The key of the form that created it, so that sending the form again creates no second address.
    form_key: Mapped[str] = mapped_column(String(64))


class LibraryImport(Base):
    """A file that an account uploaded, with its rows and their possible matches.

    The format of `payload` is internal to `library.transfer`; `state` is what the server is doing with the
    import (`library.transfer.background`). `file` is kept until the import is confirmed.
    """

    __tablename__ = "library_import"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    created_on: Mapped[datetime] = stamp()
    payload: Mapped[dict] = mapped_column(JSONB)
    state: Mapped[str] = mapped_column(String(10), server_default="review", default="review")
    file: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    progress: Mapped[int] = mapped_column(Integer, server_default="0", default=0)
    total: Mapped[int] = mapped_column(Integer, server_default="0", default=0)
    counted: Mapped[dict] = mapped_column(JSONB, server_default="{}", default=dict)
    act_id: Mapped[int | None] = mapped_column(ForeignKey("library_act.id", ondelete="SET NULL"), index=True)


class LibraryImportRow(Base):
    """A row of an import: what it refers to, the match if it has one, and whether it was stored."""

    __tablename__ = "library_import_row"
    __table_args__ = (Index("ix_library_import_row_left", "import_id", "part", "match_id"),)

    import_id: Mapped[int] = mapped_column(
        ForeignKey("library_import.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    index: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    part: Mapped[str] = mapped_column(String(20))
    line: Mapped[int] = mapped_column(Integer)
    list_index: Mapped[int | None] = mapped_column(Integer)
    series: Mapped[str] = blank_text()
    says: Mapped[str] = blank_text()
    wanted: Mapped[dict] = mapped_column(JSONB)
    values: Mapped[dict] = mapped_column(JSONB)
    unclear: Mapped[list] = mapped_column(JSONB, server_default="[]", default=list)
    state: Mapped[str] = blank_text(10)
    match_id: Mapped[int | None] = mapped_column(Integer)
    candidates: Mapped[list[int]] = mapped_column(ARRAY(Integer), server_default="{}", default=list)
    reason: Mapped[str] = blank_text(20)
    stored: Mapped[bool] = mapped_column(Boolean, server_default="false", default=False)


class ImportMapping(Base):
    """The fields to which an account mapped columns of tables, by a digest of all columns of these."""

    __tablename__ = "import_mapping"

    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    mapping: Mapped[dict] = mapped_column(JSONB)
    modified: Mapped[datetime] = stamp()
