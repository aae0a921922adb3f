"""The kinds of the catalog, with all facts about them that writes, history, lists, exports and pages use.

Field names are those of the API. The value of a field that refers to another object is its id, that of a link
field a list of ids.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlalchemy import Table, Text, func
from sqlalchemy.orm import joinedload

from comicsdb import models
from comicsdb.i18n import _
from comicsdb.values import partial_day_text


@dataclass(frozen=True)
class Link:
    """A many-to-many field: its table, the owner's column, the other column, and the linked model."""

    field: str
    table: Table
    own: str
    other: str
    target: type
    symmetric: bool = False  # both directions are stored, added and removed together


@dataclass(frozen=True)
class Kind:
    """One kind: its fields, and how it is searched, ordered, labelled and deleted.

    Parts are rows that belong to a single object: credits, variants, attributions, external ids.
    """

    model: type
    scalars: tuple[str, ...]
    parents: dict[str, type] = field(default_factory=dict)  # field → model
    links: tuple[Link, ...] = ()
    parts: tuple[str, ...] = ()
    label: str = ""
    plural: str = ""
    owner: str = ""  # the parent whose deletion also deletes this object
    searched: tuple = ()  # folded columns that are searched in addition to the name
    other_names: str = ""  # the column of further names, whose folded form is searched
    sort_name: tuple = ()  # folded columns of another form of the name
    order: tuple = ()  # the columns that lists are ordered by, unique together; by default name and id
    embedded: tuple[str, ...] = (
        "name",
    )  # columns that other objects embed; a change raises the event `<kind>.name`
    label_options: tuple = ()  # loader options for the label
    listed_with: tuple[str, ...] = ("issue",)  # other kinds that lists of this one show
    note: Callable[..., str] = lambda _entity: ""  # the text that autocomplete shows next to the label
    note_options: tuple = ()  # loader options for the note

    @property
    def name(self) -> str:
        """The name of the kind, its table, its URL segment and its route prefix."""
        return self.model.__tablename__

    @property
    def fields(self) -> tuple[str, ...]:
        """All writable fields, in the order of declaration."""
        return (*self.scalars, *self.parents, *(link.field for link in self.links), *self.parts)

    @property
    def partial_dates(self) -> tuple[str, ...]:
        """The date fields whose precision is in another field, `<date>_precision`."""
        return tuple(name for name in self.scalars if f"{name}_precision" in self.scalars)

    @property
    def is_reference(self) -> bool:
        """Whether this is reference data, which has no pages."""
        return not hasattr(self.model, "slug")

    @property
    def name_columns(self) -> tuple:
        """The folded columns of the name; matches in these precede matches in aliases."""
        model = self.model
        folded = func.fold(model.name, type_=Text) if self.is_reference else model.folded
        return (folded, *self.sort_name)

    @property
    def search_columns(self) -> tuple:
        """The folded columns that are searched."""
        return (self.name_columns[0], *self.searched)

    @property
    def order_columns(self) -> tuple:
        """The columns that order lists, with the id last; for issues, the query must join the series."""
        return self.order or (self.model.folded, self.model.name, self.model.id)


def _link(name, table, target, *, symmetric=False, other=None) -> Link:
    owner = table.name.split("_")[0]
    return Link(name, table, f"{owner}_id", other or f"{target.__tablename__}_id", target, symmetric)


def _publisher(entity) -> str:
    return entity.publisher.name if entity.publisher else ""


def _aliases(entity) -> str:
    text = ", ".join(entity.alias)
    return text if len(text) <= NOTE_LENGTH else f"{text[:NOTE_LENGTH]}…"


def _years(creator: models.Creator) -> str:
    born, died = (each.year if each else "" for each in (creator.birth, creator.death))
    return f"{born}–{died}" if born or died else _aliases(creator)


def _cover_month(issue: models.Issue) -> str:
    return partial_day_text(issue.cover_date, issue.cover_date_precision)[:7]


NOTE_LENGTH = 60
_BASE = ("name", "desc", "cv_id", "gcd_id")
_IMAGE = ("image", "image_width", "image_height")
_ATTRIBUTED = ("attributions", "external_ids")

_CATALOG = (
    Kind(
        models.Publisher,
        (*_BASE, "alt_names", "founded", "country", *_IMAGE),
        parts=_ATTRIBUTED,
        label=_("Publisher"),
        plural=_("Publishers"),
        searched=(models.Publisher.alt_folded,),
        other_names="alt_names",
        listed_with=("series",),
        note=lambda publisher: str(publisher.founded or ""),
    ),
    Kind(
        models.Imprint,
        (*_BASE, "founded", *_IMAGE),
        parents={"publisher": models.Publisher},
        parts=_ATTRIBUTED,
        label=_("Imprint"),
        plural=_("Imprints"),
        owner="publisher",
        listed_with=("series",),
        note=_publisher,
        note_options=(joinedload(models.Imprint.publisher),),
    ),
    Kind(
        models.Universe,
        (*_BASE, "designation", *_IMAGE),
        parents={"publisher": models.Publisher},
        parts=_ATTRIBUTED,
        label=_("Universe"),
        plural=_("Universes"),
        owner="publisher",
        searched=(models.Universe.designation_folded,),
        other_names="designation",
        order=(
            models.Universe.folded,
            models.Universe.name,
            models.Universe.designation_folded,
            models.Universe.designation,
            models.Universe.id,
        ),
        embedded=("name", "designation"),
        note=_publisher,
        note_options=(joinedload(models.Universe.publisher),),
    ),
    Kind(
        models.Creator,
        (*_BASE, "alias", "birth", "birth_precision", "death", "death_precision", *_IMAGE),
        parts=_ATTRIBUTED,
        label=_("Creator"),
        plural=_("Creators"),
        searched=(models.Creator.alias_folded,),
        other_names="alias",
        note=_years,
    ),
    Kind(
        models.Team,
        (*_BASE, *_IMAGE),
        links=(
            _link("creators", models.team_creator, models.Creator),
            _link("universes", models.team_universe, models.Universe),
        ),
        parts=_ATTRIBUTED,
        label=_("Team"),
        plural=_("Teams"),
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
        label=_("Character"),
        plural=_("Characters"),
        searched=(models.Character.alias_folded,),
        other_names="alias",
        note=_aliases,
    ),
    Kind(models.Arc, (*_BASE, *_IMAGE), parts=_ATTRIBUTED, label=_("Story Arc"), plural=_("Story Arcs")),
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
        label=_("Series"),
        plural=_("Series"),
        owner="publisher",
        searched=(models.Series.alt_folded,),
        other_names="alt_names",
        sort_name=(models.Series.sort_folded,),
        order=(
            models.Series.sort_folded,
            models.Series.sort_name,
            models.Series.year_began,
            models.Series.id,
        ),
        embedded=(),
        label_options=(joinedload(models.Series.series_type),),
        listed_with=("series_type", "publisher", "issue"),
        note=_publisher,
        note_options=(joinedload(models.Series.publisher),),
    ),
    Kind(
        models.Issue,
        (
            "number",
            "alt_number",
            "title",
            "name",
            "cover_date",
            "cover_date_precision",
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
        label=_("Issue"),
        plural=_("Issues"),
        owner="series",
        order=(
            models.Series.sort_folded,
            models.Series.sort_name,
            models.Series.year_began,
            models.Issue.series_id,
            models.Issue.series_order,
            models.Issue.id,
        ),
        embedded=(),
        label_options=(joinedload(models.Issue.series).joinedload(models.Series.series_type),),
        listed_with=("series", "series_type", "publisher"),
        note=_cover_month,
    ),
)

_REFERENCE = (
    Kind(
        models.Genre,
        ("name", "names", "desc"),
        label=_("Genre"),
        plural=_("Genres"),
        order=(models.Genre.name, models.Genre.id),
    ),
    Kind(
        models.Role,
        ("name", "names", "order", "is_writer", "is_artist", "is_featured", "is_cover", "notes"),
        label=_("Role"),
        plural=_("Roles"),
        order=(models.Role.order, models.Role.id),
        embedded=("name", "order"),
    ),
    Kind(
        models.SeriesType,
        ("name", "names", "code", "notes"),
        label=_("Series type"),
        plural=_("Series types"),
        order=(models.SeriesType.name, models.SeriesType.id),
        embedded=("name", "code"),
    ),
    Kind(
        models.AgeRating,
        ("name", "names", "short_description", "description"),
        label=_("Age rating"),
        plural=_("Age ratings"),
        order=(models.AgeRating.id,),
    ),
)

# In the order in which rows are locked, owners first.
KINDS: dict[str, Kind] = {kind.name: kind for kind in (*_REFERENCE, *_CATALOG)}
# The fields that store how much of a date is known.
PRECISIONS = tuple(f"{name}_precision" for kind in KINDS.values() for name in kind.partial_dates)


def reference_last() -> list[Kind]:
    """All kinds, those with pages first."""
    return sorted(KINDS.values(), key=lambda kind: kind.is_reference)


def children_of(model: type) -> Iterator[tuple[Kind, str]]:
    """The kinds with a parent of this kind, each with its field."""
    for kind in KINDS.values():
        for name, parent in kind.parents.items():
            if parent is model:
                yield kind, name


def linked_to(model: type) -> Iterator[tuple[Kind, Link]]:
    """The kinds with a link to this kind, each with that link, in reverse order of declaration."""
    for kind in reversed(KINDS.values()):
        for link in kind.links:
            if link.target is model and not link.symmetric:
                yield kind, link


def add_kind(kind: Kind) -> None:
    """Register a kind of another package; repeated registration has no effect."""
    known = KINDS.setdefault(kind.name, kind)
    if known.model is not kind.model:
        raise ValueError(f"The kind {kind.name} is taken by {known.model.__module__}.{known.model.__name__}.")


def kind_of(model) -> Kind:
    """The kind of a model, or of an object; raises KeyError with a hint if it is not registered."""
    name = model.__tablename__
    if name not in KINDS:
        raise KeyError(f"{name} is no kind of the catalog: call config.add_catalog_kind(Kind(...)).")
    return KINDS[name]
