"""The base of all tables: metadata, constraint names, stamps, folded text, and mixins for the kinds."""

from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Text,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship

from comicsdb.models.choices import Precision
from comicsdb.models.currencies import WHOLE_DIGITS_MAX, Currency

# Deterministic names, for migrations and for identifying violated constraints.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

SYSTEM_USER_ID = 1  # owner of everything without another owner; cannot be deleted
INTEGER_MAX, BIG_MAX = 2**31 - 1, 2**63 - 1
SMALL_MAX = 32767
CENT = Decimal("0.01")  # averages are rounded as in PostgreSQL


class Base(DeclarativeBase):
    """Declarative base of all tables, including those of other packages."""

    metadata = metadata


def stamp(*, default: bool = True) -> Mapped[datetime]:
    """A timestamp column with time zone and microseconds; by default the time of insertion."""
    if default:
        return mapped_column(DateTime(timezone=True), server_default=func.clock_timestamp())
    return mapped_column(DateTime(timezone=True), nullable=True)


def blank_text(length: int | None = None) -> Mapped[str]:
    """A text column whose missing value is the empty string."""
    return mapped_column(String(length) if length else Text, server_default="", default="")


def translations() -> Mapped[dict[str, str]]:
    """A column of translations by language code; the English text has a column of its own."""
    return mapped_column(JSONB, server_default=text("'{}'"), default=dict)


def ordered_text(length: int) -> String:
    """The type of text columns that order lists: with C collation, which is the same everywhere."""
    return String(length, collation="C")


def folded(expression: str) -> Mapped[str]:
    """A stored generated column: an SQL expression folded (case and accents), in C collation.

    Searches and orders use the same column, so that the index always matches the query.
    """
    return mapped_column(Text(collation="C"), Computed(f"fold({expression})", persisted=True), deferred=True)


def trigram_index(table: str, column: str) -> Index:
    """A trigram index for substring and similarity searches on a folded column."""
    return Index(
        f"ix_{table}_{column}_trgm", column, postgresql_using="gin", postgresql_ops={column: "gin_trgm_ops"}
    )


def key_index(table: str, column: str) -> Index:
    """A trigram index for words in a folded column, without articles, signs and spaces."""
    return Index(
        f"ix_{table}_{column}_key_trgm",
        literal_column(f"name_key({column})").label("key"),
        postgresql_using="gin",
        postgresql_ops={"key": "gin_trgm_ops"},
    )


def all_names(other_names: str = "") -> str:
    """An SQL expression for the array of a row's names; `other_names` is a column of one or several."""
    return f'ARRAY[name COLLATE "default"]{f" || {other_names}" if other_names else ""}'


def upper(column: str, *, ordered: bool = False):
    """An SQL expression for a text column in upper case; in C collation, this would only affect ASCII."""
    return literal_column(f'upper({column} COLLATE "default")' if ordered else f"upper({column})")


def upper_trigram_index(table: str, column: str) -> Index:
    """A trigram index for case-insensitive substring searches on a column of `ordered_text`."""
    return Index(
        f"ix_{table}_{column}_upper_trgm",
        upper(column, ordered=True).label("upper"),
        postgresql_using="gin",
        postgresql_ops={"upper": "gin_trgm_ops"},
    )


def range_check(column: str, low: int, high: int) -> CheckConstraint:
    """A check that a number column is null or within two bounds, inclusive."""
    return CheckConstraint(
        f"{column} BETWEEN {low} AND {high}", name=f"{column}_range", info={"range": (column, low, high)}
    )


def precision() -> Mapped[str]:
    """A column for how much of the date in another column is known."""
    return mapped_column(String(5), server_default=Precision.DAY, default=Precision.DAY.value)


def choice_check(column: str, codes, function: str = "") -> CheckConstraint:
    """A check that a text column contains one of the given codes.

    If there are many codes, `function` names a database function that checks whether a value is one of them.
    """
    listed = ", ".join(f"'{code}'" for code in codes)
    check = f"{function}({column})" if function else f"{column} IN ({listed})"
    info = {"choices": (column, [str(code) for code in codes])}
    return CheckConstraint(check, name=f"{column}_choice", info=info)


def amount_checks(column: str, currency: str) -> tuple[CheckConstraint, CheckConstraint]:
    """The checks of an amount and its currency; a trigger gives the amount the currency's decimals."""
    amount_range = CheckConstraint(
        f"{column} >= 0 AND {column} < 1{'0' * WHOLE_DIGITS_MAX}", name=f"{column}_range"
    )
    return amount_range, choice_check(currency, Currency, "is_currency")


def sql_type(column) -> str:
    """The SQL type of a column."""
    return column.type.compile(dialect=postgresql.dialect())


def max_value(kind) -> int:
    """The greatest number that a column of an integer type can store."""
    if isinstance(kind, BigInteger):
        return BIG_MAX
    return SMALL_MAX if isinstance(kind, SmallInteger) else INTEGER_MAX


def allowed_values(column) -> tuple[list[str] | None, tuple[int, int] | None]:
    """The codes and bounds that a column's `choice_check` and `range_check` allow; None without a check."""
    allowed = {"choices": None, "range": None}
    for check in column.table.constraints:
        for name, (of, *values) in check.info.items():
            if of == column.name and name in allowed:
                allowed[name] = values
    codes, bounds = allowed["choices"], allowed["range"]
    return codes and codes[0], bounds and tuple(bounds)


class StampsMixin:
    """Columns of every object with a page: id, slug, and the stamps that caches depend on.

    `modified_before` is the previous value of `modified`. It reveals two changes within one second, which
    HTTP dates cannot.
    """

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    slug: Mapped[str] = mapped_column(String(255))
    modified: Mapped[datetime] = stamp()
    modified_before: Mapped[datetime | None] = stamp(default=False)
    created_on: Mapped[datetime] = stamp()


class Entity(StampsMixin, Base):
    """A named object with its own page; also the base of kinds in other packages."""

    __abstract__ = True

    name: Mapped[str] = mapped_column(ordered_text(255))
    folded: Mapped[str] = folded('name COLLATE "default"')

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805  (SQLAlchemy calls it on the class)
        return entity_args(cls.__tablename__)

    @property
    def label(self) -> str:
        """Return the text for this object in lists and titles."""
        return self.name


def ordering_index(name: str, *columns: str) -> Index:
    """The index for a list's order; it includes `modified`, for index-only scans by date of change."""
    return Index(name, *columns, postgresql_include=["modified"])


def entity_args(table: str, *more):
    """Return the constraints and indexes of a named object, followed by its own."""
    return (
        Index(f"uq_{table}_slug", "slug", unique=True),
        ordering_index(f"ix_{table}_order", "folded", "name", "id"),
        Index(f"ix_{table}_modified", "modified", "id"),
        trigram_index(table, "folded"),
        *more,
    )


def _author_column() -> Mapped[int]:
    return mapped_column(
        ForeignKey("user_account.id", ondelete="SET DEFAULT"),
        server_default=str(SYSTEM_USER_ID),
        default=SYSTEM_USER_ID,
        index=True,
    )


class AuthorsMixin:
    """The creator and last editor of an object, by default the system account."""

    created_by_id: Mapped[int] = _author_column()
    edited_by_id: Mapped[int] = _author_column()

    @declared_attr
    def created_by(cls):  # noqa: N805
        return relationship("User", foreign_keys=[cls.created_by_id], lazy="raise")

    @declared_attr
    def edited_by(cls):  # noqa: N805
        return relationship("User", foreign_keys=[cls.edited_by_id], lazy="raise")


class ExternalIdColumnsMixin:
    """Ids of the same object in other databases, unique if set."""

    cv_id: Mapped[int | None] = mapped_column(Integer)
    gcd_id: Mapped[int | None] = mapped_column(Integer)


def external_id_column_args(table: str, include: tuple[str, ...] = ()):
    """Return the constraints of the external ids; their indexes include the columns `include`."""
    return (
        *(
            Index(f"uq_{table}_{column}", column, unique=True, postgresql_include=list(include))
            for column in ("cv_id", "gcd_id")
        ),
        range_check("cv_id", 0, INTEGER_MAX),
        range_check("gcd_id", 0, INTEGER_MAX),
    )


class PictureMixin:
    """A picture: its storage key, at most 100 characters, and its size in pixels."""

    image: Mapped[str] = blank_text(100)
    image_width: Mapped[int | None] = mapped_column(SmallInteger)
    image_height: Mapped[int | None] = mapped_column(SmallInteger)


class SourcesMixin:
    """The sources of an object's texts, in the order of entry, and its ids in other databases."""

    @declared_attr
    def attributions(cls):  # noqa: N805
        return relationship("Attribution", lazy="raise", viewonly=True, order_by="Attribution.id")

    @declared_attr
    def external_ids(cls):  # noqa: N805
        order = "(ExternalId.source, ExternalId.scope, ExternalId.external_id)"
        return relationship("ExternalId", lazy="raise", viewonly=True, order_by=order)


class CatalogEntity(AuthorsMixin, ExternalIdColumnsMixin, SourcesMixin, Entity):
    """Columns common to the named kinds of the catalog."""

    __abstract__ = True

    desc: Mapped[str] = blank_text()

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805
        return catalog_args(cls.__tablename__)


def catalog_args(table: str, *more, other_names: str = "", other_folded: str = ""):
    """Return the constraints and indexes of a named kind of the catalog, followed by its own.

    `other_names` is the column of further names, and `other_folded` their folded form.
    """
    near = literal_column(f"near_keys({all_names(other_names)})").label("near")
    of_other_names = (
        (trigram_index(table, other_folded), key_index(table, other_folded)) if other_names else ()
    )
    return entity_args(
        table,
        *external_id_column_args(table),
        Index(f"ix_{table}_key", literal_column("name_key(folded)")),
        Index(f"ix_{table}_near", near, postgresql_using="gin"),
        key_index(table, "folded"),
        *of_other_names,
        *more,
    )


class NameStampMixin:
    """The stamp of the name, which is shown as `modified` next to an embedded name."""

    name_changed: Mapped[datetime] = stamp()


class IssueListMixin:
    """The stamp of the object's issue list: the time when anything shown there last changed."""

    issues_modified: Mapped[datetime] = stamp()
    issues_modified_before: Mapped[datetime | None] = stamp(default=False)


class RatingsMixin:
    """Ratings by readers: their number, their sum, and the times of the last change and the one before."""

    rating_count: Mapped[int] = mapped_column(Integer, server_default="0", default=0)
    rating_sum: Mapped[int] = mapped_column(BigInteger, server_default="0", default=0)
    rated: Mapped[datetime | None] = stamp(default=False)
    rated_before: Mapped[datetime | None] = stamp(default=False)

    @property
    def average_rating(self) -> float | None:
        """Return the mean of all ratings with two decimals, or None without ratings."""
        if not self.rating_count:
            return None
        return float((Decimal(self.rating_sum) / self.rating_count).quantize(CENT, ROUND_HALF_UP))


CASCADE = "CASCADE"


def parent_key(target: str, *, ondelete: str = CASCADE, nullable: bool = False, index: bool = True):
    """An indexed foreign key column to `target` ("table.id"); by default with ON DELETE CASCADE."""
    return mapped_column(ForeignKey(target, ondelete=ondelete), nullable=nullable, index=index)
