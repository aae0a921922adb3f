"""Objects given by typed names: text in search boxes, credits as text, and objects created with the form."""

import re
from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Text, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from comicsdb.catalog import Catalog, ConflictError, InvalidError
from comicsdb.catalog.credit_text import read_credits
from comicsdb.catalog.kinds import KINDS
from comicsdb.i18n import name_in
from comicsdb.models import Role, Series
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb.values import one_line, whole_number, without_bad_characters
from comicsdb_web.forms import lookup
from comicsdb_web.forms.drafts import CREDIT_TEXT, Draft
from comicsdb_web.forms.fields import NEW_PREFIX, ModelSelect, sorted_ids
from comicsdb_web.forms.lookup import Item, SearchResult
from comicsdb_web.forms.rows import CREDITS, new_row, next_index
from comicsdb_web.rendering.locales import _

YEAR = re.compile(r"\s*\([0-9]{4}\)$")  # in labels of series
NAMES_MAX = 100  # in a form
SEARCHES_MAX = 20  # for names that no object has
CHOOSE = _("${names}: choose what you mean, or clear the search box.")
UNKNOWN = _("Not in the catalog yet: ${names}. Tick it to create it when you save, or choose another.")
UNPLACED = _("This could not be read as credits: correct it, or add it by hand and clear the field.")
TOO_MANY = _("Too many names at once: enter some of them first.")
NO_SERIES = _("Choose the series first: a new universe gets its publisher.")
TAKEN = _("${name} already exists: search for it and choose it.")


def resolve_typed_names(draft: Draft) -> dict[str, list]:
    """Select the objects whose names are in search boxes and in the credits as text; returns errors by input.

    Names that match no object, or several, stay in the box, with similar objects to choose from.
    """
    return _NameResolver(draft).resolve()


def offer_creation(draft: Draft) -> None:
    """Offer to create objects with the names that were searched for, unless there are any."""
    for name, field, _typed in draft.inputs():
        found = draft.found.get(name)
        query = found.query if found and field.creatable else ""
        if query and not any(_is_same(each, query) for each in found.items):
            draft.creatable_names[name] = [query]


def create_new_objects(draft: Draft, catalog: Catalog) -> None:
    """Create the new objects of a draft and select them; raises InvalidError by input.

    If an object with the name has been created since it was offered, that one is selected.
    """
    catalog.unit.acquire_write_lock()
    made = _created_meanwhile(draft)
    errors = {}
    for name, field, typed in draft.model_selects():
        chosen = []
        for value in typed[field.name]:
            if field.creatable and value.startswith(NEW_PREFIX):
                text = one_line(value.removeprefix(NEW_PREFIX))
                key = field.source, text.casefold()
                try:
                    if key not in made:
                        made[key] = str(_make(draft, catalog, field.source, text))
                        draft.created[field.source, made[key]] = value
                    chosen.append(made[key])
                except InvalidError as error:
                    errors[name] = next(iter(error.errors.values()))
            else:
                chosen.append(value)
        if not errors:
            typed[field.name] = sorted_ids(chosen)
    if errors:
        raise InvalidError(errors)


def _created_meanwhile(draft: Draft) -> dict[tuple[str, str], str]:
    """The ids of objects with the names of new ones, by kind and name.

    Universes are left out, as two publishers may each have one of the same name.
    """
    wanted: dict[str, set[str]] = defaultdict(set)
    for _name, field, typed in draft.model_selects():
        if field.creatable and field.source != "universe":
            new = (each for each in typed[field.name] if each.startswith(NEW_PREFIX))
            wanted[field.source] |= {one_line(each.removeprefix(NEW_PREFIX)) for each in new}
    found = {}
    for source, names in wanted.items():
        for name, items in _objects_named(draft.request.dbsession, source, names).items():
            same = [each for each in items if _is_same(each, name)]
            if len(same) == 1:
                found[source, name.casefold()] = str(same[0].id)
    return found


def restore_new_objects(draft: Draft) -> None:
    """Turn created objects back into names: the form is not saved, and its transaction is rolled back."""
    for _name, field, typed in draft.model_selects() if draft.created else ():
        typed[field.name] = sorted_ids(
            draft.created.get((field.source, each), each) for each in typed[field.name]
        )
    draft.created = {}


def _make(draft: Draft, catalog: Catalog, of: str, name: str) -> int:
    values = {"name": name}
    if of == "universe":
        chosen = next(iter(draft.typed.get("series") or ()), "")
        statement = select(Series.publisher_id).where(Series.id == (whole_number(chosen) or 0))
        publisher = draft.request.dbsession.scalar(statement)
        if publisher is None:
            raise InvalidError({"universes": [NO_SERIES]})
        values["publisher"] = publisher
    try:
        return catalog.create(KINDS[of].model, values).id
    except ConflictError:
        raise InvalidError({"name": [_(TAKEN, mapping={"name": name})]}) from None


class _NameResolver:
    """Replaces typed names in a draft by the objects they name."""

    def __init__(self, draft: Draft):
        self.draft = draft
        self.session: Session = draft.request.dbsession
        self.errors: dict[str, list] = {}
        self.searches = 0

    def resolve(self) -> dict[str, list]:
        for name, field, typed in list(self.draft.model_selects()):
            if name in self.draft.queries:
                self._choose(name, field, typed, self.draft.queries[name])
        if self.draft.credit_text:
            self._resolve_credits()
        return self.errors

    def _choose(self, name: str, field: ModelSelect, typed: dict, query: str) -> None:
        """Select the objects that are named in a search box."""
        pieces = query.replace("\n", ";").split(";") if field.multiple else [query]
        names = list(dict.fromkeys(filter(None, map(one_line, pieces))))
        if len(names) > NAMES_MAX:
            self.errors[name] = [TOO_MANY]
            return
        exact = _objects_named(self.session, field.source, names)
        chosen, open_names = [], []
        for each in names:
            items = exact.get(each) or self._exact_matches(field, each)
            if len(items) == 1:
                chosen.append(str(items[0].id))
            else:
                open_names.append(each)
        if chosen:
            typed[field.name] = sorted_ids([*typed[field.name], *chosen]) if field.multiple else tuple(chosen)
        if open_names:
            self._offer_choices(name, field, open_names)

    def _exact_matches(self, field: ModelSelect, query: str) -> list[Item]:
        """The objects labelled like a query, for kinds whose names are not enough: series, issues, roles."""
        if field.creatable:
            return []
        found = self._search(field, query).items
        same = [each for each in found if _is_same(each, query)]
        if not same and field.source == "series":
            same = [each for each in found if YEAR.sub("", each.text).casefold() == query.casefold()]
        return same

    def _search(self, field: ModelSelect, query: str) -> SearchResult:
        self.searches += 1
        if self.searches > SEARCHES_MAX:
            return SearchResult([], 0, query)
        return lookup.find(self.draft.request, field.source, query)

    def _offer_choices(self, name: str, field: ModelSelect, names: list[str]) -> None:
        """Show the names that do not match a single object, with the search results for them."""
        results = [self._search(field, each) for each in names]
        items = list({each.id: each for found in results for each in found.items}.values())
        total = max(len(items), *(found.total for found in results))
        self.draft.found[name] = SearchResult(items, total, "; ".join(names))
        offered = [
            each
            for each, found in zip(names, results, strict=True)
            if field.creatable and not any(_is_same(item, each) for item in found.items)
        ]
        self.draft.creatable_names[name] = offered
        words = UNKNOWN if offered == names else CHOOSE
        self.errors[name] = [_(words, mapping={"names": ", ".join(names)})]

    def _resolve_credits(self) -> None:
        """Turn the credits as text into rows."""
        draft = self.draft
        known = self.session.execute(select(Role.id, Role.name, Role.names)).all()
        roles = {name_in(draft.request.locale_name, role): str(role.id) for role in known}
        roles |= {role.name: str(role.id) for role in known}
        read = read_credits(without_bad_characters(draft.credit_text), roles)
        if len(read.credits) > NAMES_MAX:
            self.errors[CREDIT_TEXT] = [TOO_MANY]
            return
        rows = draft.drop_blank_rows("credits")
        exact = _objects_named(self.session, "creator", read.credits)
        creator = CREDITS.fields[0]
        for text, names in read.credits.items():
            items = exact.get(text, [])
            chosen = (str(items[0].id),) if len(items) == 1 else ()
            kept = (row for row in rows if not row.removed)
            row = next((row for row in kept if chosen and row.typed["creator"] == chosen), None)
            if row is None:
                row = new_row(CREDITS, next_index(rows))
                rows.append(row)
            row.typed["creator"] = chosen
            row.typed["roles"] = sorted_ids([*row.typed["roles"], *(roles[each] for each in names)])
            if not chosen:
                self._offer_choices(f"{row.prefix}creator", creator, [text])
        draft.credit_text = "; ".join(read.unplaced)
        if read.unplaced:
            self.errors[CREDIT_TEXT] = [UNPLACED]


def _is_same(item: Item, text: str) -> bool:
    return item.text.casefold() == text.casefold()


def _objects_named(session: Session, of: str, names: Iterable[str]) -> dict[str, list[Item]]:
    """The objects of a kind with these names, ignoring case and accents; one statement."""
    names = [each for each in names if len(each) <= NAME_LENGTH]  # no object has a longer name
    kind = KINDS.get(of)
    if not names or kind is None or kind.is_reference or of in {"issue", "series"}:
        return {}
    source = lookup.source_of(of)
    wanted = func.unnest(cast(names, ARRAY(Text))).column_valued("wanted")
    rows = source.rows().add_columns(wanted).where(source.model.folded == func.fold(wanted))
    found: dict[str, list[Item]] = {}
    for entity, name in session.execute(rows.order_by(source.model.id)):
        found.setdefault(name, []).append(source.item(entity))
    return found
