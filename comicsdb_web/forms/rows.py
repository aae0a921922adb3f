"""Rows of a form: credits, variants, attributions, external ids, with fields `<kind>-<index>-<field>`."""

import re
from dataclasses import dataclass, field

from webob.multidict import MultiDict

from comicsdb.models.choices import EXTERNAL_SOURCES, AttributionSource
from comicsdb.schemas import AttributionSchema, ExternalIdSchema, ObjectSchema, VariantSchema
from comicsdb.schemas.base import reference, references
from comicsdb.schemas.external_id import ID_LENGTH, SCOPE_LENGTH
from comicsdb.schemas.issue import SKU_LENGTH, TITLE_LENGTH, UPC_LENGTH
from comicsdb_web.forms import options
from comicsdb_web.forms.fields import Choice, Field, InputValue, Line, ModelSelect, Money, Picture, text_of
from comicsdb_web.rendering.locales import _

INDEX_MAX = 9999  # more than the rows that an object may have, as indices have gaps

_NAME = re.compile(r"(credits|variants|attribution|external_ids)-([0-9]{1,4})-[a-z]")


class CreditRowSchema(ObjectSchema):
    """A credit in the form of its issue."""

    creator = reference(required=True)
    roles = references(required=True)


@dataclass(frozen=True)
class RowKind:
    """A kind of rows: the part of the object, the schema, fields and labels.

    `key_fields` identify a row of an object's state.
    """

    name: str
    part: str
    schema: type
    fields: tuple[Field, ...]
    key_fields: tuple[str, ...]
    title: str  # of a row; ${number} is its position
    add: str  # on the button

    def key(self, state: dict) -> str:
        """The key of a row of the state."""
        return " ".join(str(state[name]) for name in self.key_fields)

    @property
    def typed_fields(self) -> tuple[Field, ...]:
        """All fields except pictures."""
        return tuple(each for each in self.fields if not isinstance(each, Picture))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The fields of pictures."""
        return tuple(each for each in self.fields if isinstance(each, Picture))


CREDITS = RowKind(
    "credits",
    "credits",
    CreditRowSchema,
    (
        ModelSelect("creator", _("Creator"), required=True, source="creator", creatable=True),
        ModelSelect("roles", _("Roles"), required=True, source="role", multiple=True),
    ),
    ("creator",),
    _("Credit ${number}"),
    _("Add a credit"),
)
VARIANTS = RowKind(
    "variants",
    "variants",
    VariantSchema,
    (
        Picture("image", _("Cover"), clearable=False, size="cover"),
        Line("name", _("Name"), max_length=TITLE_LENGTH),
        Money("price", _("Price"), separate_currency=True),
        Line("sku", "SKU", max_length=SKU_LENGTH),
        Line("upc", "UPC", max_length=2 * UPC_LENGTH, mode="numeric"),
    ),
    ("id",),
    _("Variant ${number}"),
    _("Add a variant"),
)
ATTRIBUTION = RowKind(
    "attribution",
    "attributions",
    AttributionSchema,
    (
        Choice("source", _("Source"), initial=AttributionSource.WIKIPEDIA.value, options=options.sources),
        Line(
            "url",
            _("Address"),
            help=_("The address of the page, starting with https://"),
            kind="url",
            required=True,
            max_length=200,
        ),
    ),
    ("source", "url"),
    _("Attribution ${number}"),
    _("Add an attribution"),
)
EXTERNAL_IDS = RowKind(
    "external_ids",
    "external_ids",
    ExternalIdSchema,
    (
        Choice(
            "source",
            _("Source"),
            initial="metron",
            options=options.labelled({source: rules.label for source, rules in EXTERNAL_SOURCES.items()}),
        ),
        Line("external_id", _("ID at the source"), required=True, max_length=ID_LENGTH),
        Line(
            "scope",
            _("Type of ID"),
            help=_("Only if the source has several types of IDs, such as volume or edition."),
            max_length=SCOPE_LENGTH,
        ),
    ),
    ("source", "external_id", "scope"),
    _("External ID ${number}"),
    _("Add an external ID"),
)
ROW_KINDS = {kind.name: kind for kind in (CREDITS, VARIANTS, ATTRIBUTION, EXTERNAL_IDS)}


@dataclass
class Row:
    """A row in a form. `state` is the object's row that it edits, None for a new one.

    `sent_key` is the key of the row that it was loaded with, which others may have deleted since.
    """

    kind: RowKind
    index: int
    state: dict | None = None
    typed: dict[str, InputValue] = field(default_factory=dict)
    removed: bool = False
    has_file: bool = False  # whether a picture was chosen
    sent_key: str = ""

    @property
    def prefix(self) -> str:
        """The prefix of the names of its fields."""
        return f"{self.kind.name}-{self.index}-"

    @property
    def key(self) -> str:
        """Its key; empty for a new row."""
        return self.kind.key(self.state) if self.state else ""

    @property
    def stored_pictures(self) -> dict[str, str]:
        """The pictures of the object's row, by names that do not depend on its place; "" for none."""
        if not self.state:
            return {}
        return {
            f"{self.kind.name}-{self.key}-{each.name}": self.state.get(each.name, "")
            for each in self.kind.pictures
        }

    @property
    def is_empty(self) -> bool:
        """Whether it is new and blank."""
        filled = (each for each in self.kind.typed_fields if not isinstance(each, Choice))
        return (
            not self.state
            and not self.has_file
            and all(each.is_blank(self.typed[each.name]) for each in filled)
        )

    @property
    def is_changed(self) -> bool:
        """Whether it differs from the object's row."""
        return self.state is None or self.has_file or self.typed != display_values(self.kind, self.state)


def display_values(kind: RowKind, state: dict) -> dict[str, InputValue]:
    """The displayed values of a row."""
    return {each.name: each.display_value(state) for each in kind.typed_fields}


def new_row(kind: RowKind, index: int) -> Row:
    """An empty row."""
    return Row(kind, index, typed=display_values(kind, {}))


def rows_of(kind: RowKind, state: dict) -> list[Row]:
    """The rows of an object, in their order."""
    return [
        Row(kind, index, state=each, typed=display_values(kind, each))
        for index, each in enumerate(state.get(kind.part, ()))
    ]


def parse_rows(kind: RowKind, post: MultiDict, state: dict) -> list[Row]:
    """The submitted rows in the order of their indices, which may have gaps.

    A row that edits a row of the object that has been deleted counts as new.
    """
    known = {kind.key(each): each for each in state.get(kind.part, ())}
    matches = (_NAME.match(name) for name in post)
    indices = {int(match[2]) for match in matches if match and match[1] == kind.name}
    rows = []
    for index in sorted(indices):
        prefix = f"{kind.name}-{index}-"
        key = text_of(post, f"{prefix}key") or ""
        before = known.pop(key, None)
        present = display_values(kind, before or {})
        typed = {each.name: each.parse(post, prefix) for each in kind.typed_fields}
        typed = {name: present[name] if value is None else value for name, value in typed.items()}
        removed = bool(text_of(post, f"{prefix}remove"))
        rows.append(Row(kind, index, before, typed, removed, sent_key=key))
    return rows


def next_index(rows: list[Row]) -> int:
    """The index of a new row."""
    return max((row.index for row in rows), default=-1) + 1


def canonical(rows: list[Row]) -> list:
    """The contents of rows for comparison, without removed and empty rows."""
    return [
        [row.key if row.kind.pictures else "", sorted(row.typed.items()), row.has_file]
        for row in rows
        if not (row.removed or row.is_empty)
    ]
