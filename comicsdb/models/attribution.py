"""Attributions: the sources of the texts of catalog objects."""

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, choice_check, parent_key
from comicsdb.models.choices import AttributionSource

OWNERS = ("arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe")


def _owner(kind: str):
    return parent_key(f"{kind}.id", nullable=True, index=False)


class OwnerMixin:
    """References to an owner of any kind: one nullable foreign key per kind, exactly one of which is set."""

    arc_id: Mapped[int | None] = _owner("arc")
    character_id: Mapped[int | None] = _owner("character")
    creator_id: Mapped[int | None] = _owner("creator")
    imprint_id: Mapped[int | None] = _owner("imprint")
    issue_id: Mapped[int | None] = _owner("issue")
    publisher_id: Mapped[int | None] = _owner("publisher")
    series_id: Mapped[int | None] = _owner("series")
    team_id: Mapped[int | None] = _owner("team")
    universe_id: Mapped[int | None] = _owner("universe")


def owner_args(table: str, *also: str, unique: bool = False):
    """Return the constraint and one index per owner, each of which includes the columns `also`."""
    columns = [f"{kind}_id" for kind in OWNERS]
    begin = "uq" if unique else "ix"
    return (
        *(
            Index(
                f"{begin}_{table}_{column}",
                column,
                *also,
                unique=unique,
                postgresql_where=text(f"{column} IS NOT NULL"),
            )
            for column in columns
        ),
        CheckConstraint(f"num_nonnulls({', '.join(columns)}) = 1", name="one_owner"),
    )


class Attribution(OwnerMixin, Base):
    """A citation of a source."""

    __tablename__ = "attribution"
    __table_args__ = (*owner_args("attribution"), choice_check("source", AttributionSource))

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(
        String(1), server_default=AttributionSource.WIKIPEDIA, default=AttributionSource.WIKIPEDIA.value
    )
    url: Mapped[str] = mapped_column(String(200))
