"""Publishers, imprints and universes."""

from sqlalchemy import Index, SmallInteger, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, declared_attr, mapped_column, relationship

from comicsdb.models.base import (
    CatalogueEntity,
    NameStamped,
    Pictured,
    catalogue_args,
    folded,
    ordered_text,
    ordering,
    parent,
    trigram,
    upper_trigram,
    within,
)
from comicsdb.models.choices import DEFAULT_COUNTRY, YEARS


class Publisher(Pictured, CatalogueEntity):
    """A company that publishes comics."""

    __tablename__ = "publisher"

    alt_names: Mapped[list[str]] = mapped_column(ARRAY(String(255)), server_default="{}", default=list)
    alt_folded: Mapped[str] = folded("joined(alt_names)")
    founded: Mapped[int | None] = mapped_column(SmallInteger)
    country: Mapped[str] = mapped_column(String(2), server_default=DEFAULT_COUNTRY, default=DEFAULT_COUNTRY)

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805
        return catalogue_args(
            "publisher",
            trigram("publisher", "alt_folded"),
            upper_trigram("publisher", "name"),
            within("founded", *YEARS),
        )


class Imprint(Pictured, CatalogueEntity):
    """A named line of comics of a publisher."""

    __tablename__ = "imprint"

    publisher_id: Mapped[int] = parent("publisher.id")
    founded: Mapped[int | None] = mapped_column(SmallInteger)

    publisher: Mapped[Publisher] = relationship(lazy="raise", viewonly=True)

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805
        return catalogue_args("imprint", upper_trigram("imprint", "name"), within("founded", *YEARS))


class Universe(NameStamped, Pictured, CatalogueEntity):
    """A shared fictional world."""

    __tablename__ = "universe"

    publisher_id: Mapped[int | None] = parent("publisher.id", nullable=True, index=False)
    designation: Mapped[str] = mapped_column(ordered_text(255), server_default="", default="")
    designation_folded: Mapped[str] = folded('designation COLLATE "default"')

    publisher: Mapped[Publisher | None] = relationship(lazy="raise", viewonly=True)

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805
        return catalogue_args(
            "universe",
            Index(
                "uq_universe_publisher_id_name_designation",
                "publisher_id",
                "name",
                "designation",
                unique=True,
                postgresql_nulls_not_distinct=True,
            ),
            ordering(
                "ix_universe_designation_order", "folded", "name", "designation_folded", "designation", "id"
            ),
            trigram("universe", "designation_folded"),
            upper_trigram("universe", "designation"),
        )

    @property
    def label(self) -> str:
        """Return the name, with the designation if that adds something (`name — designation`)."""
        if self.designation and self.designation != self.name:
            return f"{self.name} — {self.designation}"
        return self.name
