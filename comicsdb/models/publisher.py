"""Publishers, imprints and universes."""

from sqlalchemy import Index, SmallInteger, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    CatalogEntity,
    NameStampMixin,
    PictureMixin,
    catalog_args,
    folded,
    ordered_text,
    ordering_index,
    parent_key,
    range_check,
    upper_trigram_index,
)
from comicsdb.models.choices import DEFAULT_COUNTRY, YEARS


class Publisher(PictureMixin, CatalogEntity):
    """A company that publishes comics."""

    __tablename__ = "publisher"
    __table_args__ = catalog_args(
        "publisher",
        upper_trigram_index("publisher", "name"),
        range_check("founded", *YEARS),
        other_names="alt_names",
        other_folded="alt_folded",
    )

    alt_names: Mapped[list[str]] = mapped_column(ARRAY(String(255)), server_default="{}", default=list)
    alt_folded: Mapped[str] = folded("joined(alt_names)")
    founded: Mapped[int | None] = mapped_column(SmallInteger)
    country: Mapped[str] = mapped_column(String(2), server_default=DEFAULT_COUNTRY, default=DEFAULT_COUNTRY)


class Imprint(PictureMixin, CatalogEntity):
    """A named line of comics of a publisher."""

    __tablename__ = "imprint"
    __table_args__ = catalog_args(
        "imprint", upper_trigram_index("imprint", "name"), range_check("founded", *YEARS)
    )

    publisher_id: Mapped[int] = parent_key("publisher.id")
    founded: Mapped[int | None] = mapped_column(SmallInteger)

    publisher: Mapped[Publisher] = relationship(lazy="raise", viewonly=True)


class Universe(NameStampMixin, PictureMixin, CatalogEntity):
    """A shared fictional world."""

    __tablename__ = "universe"
    __table_args__ = catalog_args(
        "universe",
        Index(
            "uq_universe_publisher_id_name_designation",
            "publisher_id",
            "name",
            "designation",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
        ordering_index(
            "ix_universe_designation_order", "folded", "name", "designation_folded", "designation", "id"
        ),
        upper_trigram_index("universe", "designation"),
        other_names="designation",
        other_folded="designation_folded",
    )

    publisher_id: Mapped[int | None] = parent_key("publisher.id", nullable=True, index=False)
    designation: Mapped[str] = mapped_column(ordered_text(255), server_default="", default="")
    designation_folded: Mapped[str] = folded('designation COLLATE "default"')

    publisher: Mapped[Publisher | None] = relationship(lazy="raise", viewonly=True)

    @property
    def label(self) -> str:
        """Return the name, with the designation if it adds anything (`name — designation`)."""
        if self.designation and self.designation != self.name:
            return f"{self.name} — {self.designation}"
        return self.name
