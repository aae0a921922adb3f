"""The kinds the catalogue keeps: which fields each has, and how it is linked to others.

This is the one declaration that writing, history and import share. Field names are those of the API;
a field that points to another object holds its id, a linked field a list of ids.
"""

from dataclasses import dataclass, field

from sqlalchemy import Table

from comicsdb import models


@dataclass(frozen=True)
class Link:
    """A many-to-many field: its table, the owner's column, the other's column, and the model it points to."""

    field: str
    table: Table
    own: str
    other: str
    target: type
    symmetric: bool = False  # both directions are stored, and added and removed together


@dataclass(frozen=True)
class Kind:
    """One kind: its model, its plain fields, its parents (field → model), links and parts.

    Parts are rows that belong to the object alone: credits, variants, attributions.
    """

    model: type
    scalars: tuple[str, ...]
    parents: dict[str, type] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The word for this kind: table, URL segment and route prefix alike."""
        return self.model.__tablename__

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that may be written, in the order of the declaration."""
        return (*self.scalars, *self.parents, *(link.field for link in self.links), *self.parts)


def _link(name, table, target, *, symmetric=False, other=None) -> Link:
    owner = table.name.split("_")[0]
    return Link(name, table, f"{owner}_id", other or f"{target.__tablename__}_id", target, symmetric)


_BASE = ("name", "desc", "cv_id", "gcd_id")
_IMAGE = ("image", "image_width", "image_height")
_ATTRIBUTED = ("attributions",)

_CATALOGUE = (
    Kind(models.Publisher, (*_BASE, "alt_names", "founded", "country", *_IMAGE), parts=_ATTRIBUTED),
    Kind(
        models.Imprint,
        (*_BASE, "founded", *_IMAGE),
        parents={"publisher": models.Publisher},
        parts=_ATTRIBUTED,
    ),
    Kind(
        models.Universe,
        (*_BASE, "designation", *_IMAGE),
        parents={"publisher": models.Publisher},
        parts=_ATTRIBUTED,
    ),
    Kind(models.Creator, (*_BASE, "alias", "birth", "death", *_IMAGE), parts=_ATTRIBUTED),
    Kind(
        models.Team,
        (*_BASE, *_IMAGE),
        links=(
            _link("creators", models.team_creator, models.Creator),
            _link("universes", models.team_universe, models.Universe),
        ),
        parts=_ATTRIBUTED,
    ),
    Kind(
        models.Character,
        (*_BASE, "alias", *_IMAGE),
        links=(
            _link("creators", models.character_creator, models.Creator),
            _link("teams", models.character_team, models.Team),
            _link("universes", models.character_universe, models.Universe),
        ),
        parts=_ATTRIBUTED,
    ),
    Kind(models.Arc, (*_BASE, *_IMAGE), parts=_ATTRIBUTED),
    Kind(
        models.Series,
        (
            *_BASE,
            "sort_name",
            "alt_names",
            "language",
            "volume",
            "year_began",
            "year_end",
            "status",
            "collection",
        ),
        parents={
            "series_type": models.SeriesType,
            "publisher": models.Publisher,
            "imprint": models.Imprint,
        },
        links=(
            _link("genres", models.series_genre, models.Genre),
            _link(
                "associated", models.series_associated, models.Series, symmetric=True, other="associated_id"
            ),
        ),
        parts=_ATTRIBUTED,
    ),
    Kind(
        models.Issue,
        (
            "number",
            "alt_number",
            "title",
            "name",
            "cover_date",
            "store_date",
            "foc_date",
            "price",
            "currency",
            "sku",
            "isbn",
            "upc",
            "page",
            "desc",
            "desc_is_solicitation",
            *_IMAGE,
            "cover_hash",
            "cv_id",
            "gcd_id",
        ),
        parents={"series": models.Series, "rating": models.AgeRating},
        links=(
            _link("arcs", models.issue_arc, models.Arc),
            _link("characters", models.issue_character, models.Character),
            _link("teams", models.issue_team, models.Team),
            _link("universes", models.issue_universe, models.Universe),
            _link("reprints", models.issue_reprint, models.Issue, symmetric=True, other="reprint_id"),
        ),
        parts=("credits", "variants", *_ATTRIBUTED),
    ),
)

_REFERENCE = (
    Kind(models.SeriesType, ("name", "code", "notes")),
    Kind(models.Genre, ("name", "desc")),
    Kind(models.AgeRating, ("name", "short_description", "description")),
    Kind(models.Role, ("name", "order", "is_writer", "is_artist", "is_featured", "is_cover", "notes")),
)

# In the order in which rows are locked: owners before what they own.
KINDS: dict[str, Kind] = {kind.name: kind for kind in (*_REFERENCE, *_CATALOGUE)}


def add_kind(kind: Kind) -> None:
    """Make a kind of an integrating package known; adding the same one again changes nothing."""
    known = KINDS.setdefault(kind.name, kind)
    if known.model is not kind.model:
        raise ValueError(f"The kind {kind.name} is taken by {known.model.__module__}.{known.model.__name__}.")


def kind_of(model) -> Kind:
    """The kind of a model or of one of its objects; KeyError with a hint where it was never added."""
    name = model.__tablename__
    if name not in KINDS:
        raise KeyError(f"{name} is no kind of the catalogue: call config.add_catalogue_kind(Kind(...)).")
    return KINDS[name]
