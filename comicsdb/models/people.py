"""Arcs, creators, teams and characters, with the links between them."""

from datetime import date

from sqlalchemy import Column, Date, ForeignKey, Index, String, Table
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from comicsdb.models.base import (
    CASCADE,
    CatalogEntity,
    IssueListMixin,
    NameStampMixin,
    PictureMixin,
    catalog_args,
    choice_check,
    folded,
    metadata,
    precision,
)
from comicsdb.models.choices import KNOWN_PRECISIONS


def link_table(left: str, right: str) -> Table:
    """A many-to-many table: unique pairs, ON DELETE CASCADE on both sides, an index for each direction."""
    name, first, second = f"{left}_{right}", f"{left}_id", f"{right}_id"
    return Table(
        name,
        metadata,
        Column(first, ForeignKey(f"{left}.id", ondelete=CASCADE), primary_key=True),
        Column(second, ForeignKey(f"{right}.id", ondelete=CASCADE), primary_key=True),
        Index(f"ix_{name}_{second}", second, first),
    )


character_creator = link_table("character", "creator")
character_team = link_table("character", "team")
character_universe = link_table("character", "universe")
team_creator = link_table("team", "creator")
team_universe = link_table("team", "universe")


class AliasesMixin:
    """Alternative names of a person or a character, of up to 100 characters each."""

    alias: Mapped[list[str]] = mapped_column(ARRAY(String(100)), server_default="{}", default=list)
    alias_folded: Mapped[str] = folded("joined(alias)")


def alias_args(table: str):
    """Return the table arguments of a kind whose search includes aliases."""
    return catalog_args(table, other_names="alias", other_folded="alias_folded")


class Arc(IssueListMixin, NameStampMixin, PictureMixin, CatalogEntity):
    """A story that spans several issues."""

    __tablename__ = "arc"


class Creator(AliasesMixin, NameStampMixin, PictureMixin, CatalogEntity):
    """A person who makes comics."""

    __tablename__ = "creator"
    __table_args__ = (
        *(choice_check(column, KNOWN_PRECISIONS) for column in ("birth_precision", "death_precision")),
        *alias_args("creator"),
    )

    birth: Mapped[date | None] = mapped_column(Date)
    birth_precision: Mapped[str] = precision()
    death: Mapped[date | None] = mapped_column(Date)
    death_precision: Mapped[str] = precision()


class Team(IssueListMixin, NameStampMixin, PictureMixin, CatalogEntity):
    """A group of characters."""

    __tablename__ = "team"

    creators = relationship(Creator, secondary=team_creator, lazy="raise", viewonly=True)
    universes = relationship("Universe", secondary=team_universe, lazy="raise", viewonly=True)


class Character(AliasesMixin, IssueListMixin, NameStampMixin, PictureMixin, CatalogEntity):
    """A character who appears in comics."""

    __tablename__ = "character"
    __table_args__ = alias_args("character")

    creators = relationship(Creator, secondary=character_creator, lazy="raise", viewonly=True)
    teams = relationship(Team, secondary=character_team, lazy="raise", viewonly=True)
    universes = relationship("Universe", secondary=character_universe, lazy="raise", viewonly=True)
