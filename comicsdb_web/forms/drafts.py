"""The state of a form while it is filled in: the object's values, the typed values, and errors."""

import hashlib
import json
from collections import defaultdict
from datetime import date

from sqlalchemy import JSON, literal_column, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import SavedPicture, find_picture_draft, new_draft_key
from comicsdb.catalog.history.snapshots import snapshot_expression
from comicsdb.http.bodies import UploadedFile
from comicsdb.i18n import translate
from comicsdb.models import Publisher, Series
from comicsdb.models.currencies import currency_of
from comicsdb.values import partial_day, whole_number
from comicsdb_web.forms.fields import (
    NEW_PREFIX,
    EntityForm,
    Field,
    InputValue,
    ModelSelect,
    Money,
    Section,
    is_new,
    text_of,
)
from comicsdb_web.forms.lookup import Item, SearchResult, find, load_items, visible_lists_condition
from comicsdb_web.forms.rows import (
    ROW_KINDS,
    Row,
    RowKind,
    canonical,
    new_row,
    next_index,
    parse_rows,
    rows_of,
)
from comicsdb_web.rendering.locales import _

PARTS = {
    "credits": _("Credits"),
    "variants": _("Variant covers"),
    "attributions": _("Attribution"),
    "external_ids": _("External IDs"),
}
CREDIT_TEXT, REASON, KEY = "credits-text", "reason", "draft_key"
NEW_NOTES = {
    "arc": _("New story arc"),
    "character": _("New character"),
    "creator": _("New creator"),
    "team": _("New team"),
    "universe": _("New universe"),
}


def state_of(session: Session, entity) -> dict:
    """The values of all fields of an object, including links and parts, read by one statement."""
    model = type(entity)
    table = model.__table__.alias("t")
    expression = literal_column(snapshot_expression(model.__tablename__), type_=JSON)
    return session.scalar(select(expression).select_from(table).where(table.c.id == entity.id))


def digest(value) -> str:
    """A short digest of a value."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:10]


def row_name(kind: RowKind, key: str) -> str:
    """The name of a row's digest; keys may have any characters."""
    return f"row-{digest([kind.name, key])}"


class Draft:
    """The form of an existing object, or of a new one if `entity` is None.

    `typed` has the values by field, `rows` the rows by kind. By name of the input, `errors` has the messages,
    `found` the search results, `creatable_names` the names of objects that can be created, `files` the chosen
    pictures, as uploaded or as stored (`accounts.SavedPicture`), and `files_to_choose_again` the names of
    lost files. `credit_text` has the credits that are not in rows yet.

    `modified` and `digests` identify the current state of the object, `sent_modified` and `sent_digests` the
    state that the form was loaded with.
    """

    def __init__(self, request, kind: str, form: EntityForm, entity=None, label: str | None = None):
        self.request = request
        self.kind = kind
        self.form = form
        self.entity = entity
        self.label = label
        self.state = self._state_of(entity) if entity is not None else {}
        self.modified = entity.modified.isoformat() if entity is not None else ""
        self.typed = {field.name: field.display_value(self.state) for field in form.typed_fields}
        self.rows: dict[str, list[Row]] = {name: rows_of(ROW_KINDS[name], self.state) for name in form.rows}
        self.digests = self._compute_digests()
        self.sent_modified = self.modified
        self.sent_digests = self.digests
        self.missing: set[str] = set()  # fields that were not sent
        self.files: dict[str, UploadedFile | SavedPicture] = {}
        self.lost: list[str] = []  # inputs whose stored picture has expired
        self.cleared = False
        self.errors: dict[str, list[str]] = {}
        self.found: dict[str, SearchResult] = {}
        self.creatable_names: dict[str, list[str]] = {}
        self.created: dict[
            tuple[str, str], str
        ] = {}  # typed values of objects created with the form, by kind and id
        self.queries: dict[str, str] = {}
        self.credit_text = ""
        self.proposed: list[str] = []  # fields that were filled in from earlier issues
        self.reason = ""
        self.key = new_draft_key()  # of the draft that is stored while the form is filled in
        self.files_to_choose_again: dict[str, str] = {}
        self.is_touched = False
        self.no_title = False  # whether the series' type does not allow a collection title
        self._items: dict[str, dict[str, Item]] = {}
        if request.restored_form:
            self.read(request.restored_form.take())
            self.files_to_choose_again = request.restored_form.files

    def _state_of(self, entity) -> dict:
        """The object's values by field."""
        return state_of(self.request.dbsession, entity)

    # Reading.

    def prefill(self, query) -> None:
        """Fill in a new object from the query string, such as `?series=7`."""
        if self.is_touched:  # a stored form takes precedence
            return
        for field in self.form.typed_fields:
            given = text_of(query, field.name)
            if isinstance(field, ModelSelect) and whole_number(given) is not None:
                self.typed[field.name] = (given,)

    def read(self, post) -> None:
        """Read the submitted values; fields that were not sent keep the object's values."""
        self.is_touched = True
        for field in self.form.typed_fields:
            value = field.parse(post)
            if value is None:
                self.missing.add(field.name)
            else:
                self.typed[field.name] = value
        for name in self.rows:
            self.rows[name] = parse_rows(ROW_KINDS[name], post, self.state)
        self._read_queries(post)
        self.credit_text = (text_of(post, CREDIT_TEXT) or "").strip() if "credits" in self.rows else ""
        self.reason = (text_of(post, REASON) or "").strip()
        self.key = text_of(post, KEY) or self.key
        self._read_pictures(post)
        self.cleared = bool(text_of(post, "image_clear"))
        self.sent_modified = text_of(post, "modified") or ""
        self.sent_digests = dict(
            word.split(":", 1) for word in (text_of(post, "seen") or "").split() if ":" in word
        )

    def _read_queries(self, post) -> None:
        """Read the queries that were typed into search boxes, but not searched for."""
        for name, _field, _typed in self.model_selects():
            query = (text_of(post, f"{name}-q") or "").strip()
            if query and query != text_of(post, f"{name}-found"):
                self.queries[name] = query

    def search(self) -> bool:
        """Whether a search button was used; what it found is in `found`, by the name of the input."""
        name = text_of(self.request.POST, "find")
        for each, field, _typed in self.inputs():
            if each == name and isinstance(field, ModelSelect):
                query = text_of(self.request.POST, f"{name}-q") or ""
                self.found[name] = find(self.request, field.source, query)
        return bool(name)

    def _read_pictures(self, post) -> None:
        """Read the chosen pictures: a new file, or the stored one unless the user dropped it."""
        self.files, self.lost = {}, []
        for name, row in self._picture_inputs():
            chosen = (*post.getall(name), *post.getall(f"{name}_photo"))
            sent = [value for value in chosen if hasattr(value, "file")]
            secret = text_of(post, f"{name}_kept")
            if sent:
                self.files[name] = sent[-1]
            elif secret and not text_of(post, f"{name}_drop"):
                kept = find_picture_draft(self.request.dbsession, self.request.identity.user_id, secret)
                if kept:
                    self.files[name] = kept
                else:
                    self.lost.append(name)
            if row:
                row.has_file = name in self.files

    def _picture_inputs(self) -> list[tuple[str, Row | None]]:
        """The names of picture inputs, each with its row."""
        found = [(self.form.picture.name, None)] if self.form.picture else []
        rows = (row for rows in self.rows.values() for row in rows)
        return found + [(row.prefix + each.name, row) for row in rows for each in row.kind.pictures]

    def next_index(self, name: str) -> int:
        """The index of a new row."""
        return next_index(self.rows[name])

    @staticmethod
    def row_kind(name: str) -> RowKind:
        """The declaration of a kind of rows."""
        return ROW_KINDS[name]

    def add_row(self, name: str) -> None:
        """Add an empty row of a kind, if the form has such rows."""
        if name in self.rows:
            self.rows[name].append(new_row(ROW_KINDS[name], next_index(self.rows[name])))

    def drop_blank_rows(self, name: str) -> list[Row]:
        """Remove rows without any content, not even text in a search box; returns the others."""
        self.rows[name] = [row for row in self.rows[name] if not row.is_empty or self._has_query(row)]
        return self.rows[name]

    def _has_query(self, row: Row) -> bool:
        names = (row.prefix + field.name for field in row.kind.typed_fields)
        return any(name in self.queries or name in self.found for name in names)

    def propose_currency(self, currency: str) -> None:
        """Select a currency for the amounts that are blank."""
        rows = [(row.kind.typed_fields, row.typed) for rows in self.rows.values() for row in rows]
        for fields, typed in [(self.form.typed_fields, self.typed), *rows]:
            for field in fields:
                if isinstance(field, Money) and field.is_blank(typed[field.name]):
                    typed[field.name] = ("", str(currency))

    # Differences.

    def is_changed(self, field: Field) -> bool:
        """Whether a field's value differs from the object's; always true for a new object."""
        return self.entity is None or self.typed[field.name] != field.display_value(self.state)

    def _compute_digests(self) -> dict[str, str]:
        found = {name: digest(value) for name, value in self.typed.items()}
        found |= {f"rows-{name}": digest(canonical(rows)) for name, rows in self.rows.items()}
        for row in (row for rows in self.rows.values() for row in rows):
            found |= {name: digest(key) for name, key in row.stored_pictures.items()}
            found[row_name(row.kind, row.key)] = digest(sorted(row.typed.items()))
        if self.form.picture:
            found["image"] = digest(self.state.get("image", ""))
        return found

    @property
    def digests_text(self) -> str:
        """The digests as text, for the hidden field `seen`."""
        return " ".join(f"{name}:{value}" for name, value in self.digests.items())

    # Display.

    def add_errors(self, errors: dict) -> None:
        """Add errors by input, in the reader's language."""
        for name, texts in errors.items():
            known = self.errors.setdefault(name, [])
            for text in texts:
                shown = text if hasattr(text, "__html__") else translate(self.request.localizer, text)
                if shown not in known:  # several missing objects cause the same message
                    known.append(shown)

    def picture(self, name: str) -> SavedPicture | None:
        """The stored picture of an input."""
        kept = self.files.get(name)
        return kept if isinstance(kept, SavedPicture) else None

    def inputs(self):
        """All fields with the names of their inputs and their values; fields of rows come last."""
        for field in self.form.typed_fields:
            yield field.name, field, self.typed[field.name]
        for rows in self.rows.values():
            for row in rows:
                for field in row.kind.typed_fields:
                    yield row.prefix + field.name, field, row.typed[field.name]

    def model_selects(self):
        """The fields that select objects: the name of the input, the field, the dictionary with its value."""
        for field in self.form.typed_fields:
            if isinstance(field, ModelSelect):
                yield field.name, field, self.typed
        for row in (row for rows in self.rows.values() for row in rows if not row.removed):
            for field in row.kind.typed_fields:
                if isinstance(field, ModelSelect):
                    yield row.prefix + field.name, field, row.typed

    @property
    def has_new_objects(self) -> bool:
        """Whether saving the form also creates objects."""
        return any(is_new(field, typed[field.name]) for _name, field, typed in self.model_selects())

    def load_labels(self, further=()) -> None:
        """Load the labels of all chosen objects, and of `further` pairs of fields and values."""
        wanted = defaultdict(set)
        for field, typed in (*((field, typed) for _name, field, typed in self.inputs()), *further):
            if isinstance(field, ModelSelect):
                wanted[field.source].update(typed)
        self._items = load_items(
            self.request.dbsession, wanted, visible_lists_condition(self.request), self.request.locale_name
        )
        if series := self._chosen_series():
            self.no_title = not self.typed["title"] and not series.collection
            covered = partial_day(self.typed["cover_date"].strip())
            began = date(series.year_began, 1, 1) if series.year_began else clock.now().date()
            amount, currency = self.typed["price"]
            usual = currency_of(series.country, covered[0] if covered else began)
            self.propose_currency(currency if amount else usual)

    def _chosen_series(self):
        """What the form of an issue needs to know of the series, if one is chosen."""
        if "title" not in self.typed:
            return None
        ids = [int(each) for each in self.typed["series"] if each in self._items.get("series", {})]
        statement = select(Series.collection, Series.year_began, Publisher.country).join(Series.publisher)
        return self.request.dbsession.execute(statement.where(Series.id == ids[0])).first() if ids else None

    def item(self, field: ModelSelect, chosen: str) -> Item | None:
        """The object with an id, or None."""
        return self._items.get(field.source, {}).get(chosen)

    def checkbox_items(self, field: ModelSelect, name: str, typed: InputValue) -> list[tuple[Item, bool]]:
        """The objects that a field shows as checkboxes, checked ones first."""
        known = self._items.get(field.source, {})
        ticked = [(item, True) for chosen, item in known.items() if chosen in typed]
        found = self.found[name].items if name in self.found else ()
        ticked += [(item, False) for item in found if str(item.id) not in typed]
        if not field.creatable:
            return ticked
        new = [each for each in typed if each.startswith(NEW_PREFIX)]
        offered = (NEW_PREFIX + each for each in self.creatable_names.get(name, ()))
        return [
            *((self._new_item(field, each), True) for each in new),
            *ticked,
            *((self._new_item(field, each), False) for each in offered if each not in new),
        ]

    def _new_item(self, field: ModelSelect, value: str) -> Item:
        """The item of an object that will be created."""
        return Item(value, value.removeprefix(NEW_PREFIX), self.new_note(field))

    def new_note(self, field: ModelSelect) -> str:
        """The note beside the name of an object that will be created."""
        return self.request.localizer.translate(NEW_NOTES[field.source])

    @property
    def proposed_labels(self) -> str:
        """The labels of the fields that were filled in from earlier issues."""
        return ", ".join(self.labels[name] for name in self.proposed)

    def is_open(self, section: Section) -> bool:
        """Whether a foldable section is open: it has a value, a row or an error."""
        inputs = [(field.name, field, self.typed) for field in section.fields if field.widget != "picture"]
        names = {name for name, _field, _typed in inputs} | {ROW_KINDS[name].part for name in section.rows}
        return (
            any(typed[name] != field.display_value({}) for name, field, typed in inputs)
            or any(self.rows[name] for name in section.rows)
            or any(name.startswith((*names, *section.rows)) for name in self.errors)
        )

    @property
    def labels(self) -> dict[str, str]:
        """The labels of inputs in the summary of errors."""
        say = self.request.localizer.translate
        labels = {name: say(text) for name, text in PARTS.items()}
        labels |= {field.name: say(field.label) for field in self.form.fields}
        labels[REASON] = say(_("Edit summary"))
        labels[CREDIT_TEXT] = say(_("Credits as text"))
        for rows in self.rows.values():
            for number, row in enumerate(rows, 1):
                title = say(row.kind.title, mapping={"number": number})
                labels |= {
                    row.prefix + field.name: f"{title}, {say(field.label)}" for field in row.kind.fields
                }
        return labels
