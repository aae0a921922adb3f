"""The crosswalk between ids of other databases and objects of the catalog, in both directions.

The main ids of an object at Comic Vine and at the Grand Comics Database are in `cv_id` and `gcd_id`, the ISBN
of an issue is in `isbn`; all further ids are rows of `ExternalId`. Every query combines both. Each function
runs one statement, regardless of the number of ids.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    any_,
    case,
    cast,
    false,
    func,
    literal,
    select,
    true,
    union,
)
from sqlalchemy.orm import Session

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS
from comicsdb.models import ExternalId, Issue, Tombstone
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES, ID_COLUMNS

ObjectKey = tuple[str, int]  # kind and id of an object


def _one_of(column, values: Collection) -> ColumnElement[bool]:
    """The condition that a column has one of many values, passed as one array parameter."""
    kind = String if any(isinstance(each, str) for each in values) else Integer
    return column == any_(literal(list(values), ARRAY(kind)))


def find_by_external_ids(
    session: Session | Connection, source: str, texts: Iterable[str], kind: str | None
) -> dict[str, list[ObjectKey]]:
    """The objects, of one kind or of all, that have ids of a source; by the ids as they were passed."""
    rules, forms = EXTERNAL_SOURCES[source], defaultdict(list)
    for each in texts:
        wanted = rules.read(each)
        for form in search.isbns(wanted) if wanted and source == "isbn" else filter(None, (wanted,)):
            forms[form].append(each)
    found = defaultdict(list)
    if forms:
        statement = union(*_with_ids(source, list(forms), (kind,) if kind else OWNERS))
        for owner, object_id, external_id in session.execute(statement.order_by("kind", "object_id")):
            for each in forms[external_id]:
                if (owner, object_id) not in found[each]:
                    found[each].append((owner, object_id))
    return found


def _with_ids(source: str, wanted: list[str], kinds: Collection[str]) -> Iterable[Select]:
    """Statements for the kind, object id and external id of objects that have one of the wanted ids."""
    columns = {kind: getattr(ExternalId, f"{kind}_id") for kind in kinds}
    owner = func.coalesce(*columns.values())
    yield select(
        case(*((column.is_not(None), kind) for kind, column in columns.items())).label("kind"),
        owner.label("object_id"),
        ExternalId.external_id.label("external_id"),
    ).where(ExternalId.source == source, _one_of(ExternalId.external_id, wanted), owner.is_not(None))
    if source in ID_COLUMNS:
        numbers = [int(each) for each in wanted if int(each) <= INTEGER_MAX]
        for kind in kinds:
            model = KINDS[kind].model
            column = getattr(model, ID_COLUMNS[source])
            yield select(literal(kind), model.id, cast(column, String)).where(_one_of(column, numbers))
    if source == "isbn" and "issue" in kinds:
        code = search.compacted(Issue.isbn)
        yield select(literal("issue"), Issue.id, code).where(_one_of(code, wanted))


def external_ids_of(
    session: Session, places: Collection[ObjectKey]
) -> dict[ObjectKey, list[tuple[str, str, str]]]:
    """The external ids of objects (source, id, scope), ordered by source, main ids first."""
    by_kind = defaultdict(list)
    for kind, object_id in places:
        by_kind[kind].append(object_id)
    found = defaultdict(list)
    if by_kind:
        rows = union(*(each for kind, ids in by_kind.items() for each in _ids_of(kind, ids)))
        for kind, object_id, is_further, *told in session.execute(rows):
            found[kind, object_id].append((is_further, *told))
    order = {source: place for place, source in enumerate(EXTERNAL_SOURCES)}

    def in_order(told):
        is_further, source, external_id, scope = told
        return order.get(source, len(order)), is_further, scope, external_id

    return {
        place: list(dict.fromkeys(each[1:] for each in sorted(told, key=in_order)))
        for place, told in found.items()
    }


def _ids_of(kind: str, ids: list[int]) -> Iterable[Select]:
    owner = getattr(ExternalId, f"{kind}_id")
    said = (ExternalId.source, ExternalId.external_id, ExternalId.scope)
    yield select(literal(kind), owner, true(), *said).where(_one_of(owner, ids))
    model = KINDS[kind].model
    columns = {source: getattr(model, name) for source, name in ID_COLUMNS.items()}
    for source, column in columns.items():
        shown = (literal(source), cast(column, String), literal(""))
        yield select(literal(kind), model.id, false(), *shown).where(_one_of(model.id, ids), column > 0)
    if kind == "issue":
        code = search.compacted(Issue.isbn)
        shown = (literal("isbn"), code, literal(""))
        yield select(literal(kind), Issue.id, false(), *shown).where(_one_of(Issue.id, ids), Issue.isbn != "")


def resolve_ids(session: Session | Connection, kind: str, ids: Collection[int]) -> dict[int, int]:
    """The ids of existing objects, by requested ids; for a merged object, the id of the surviving one."""
    model = KINDS[kind].model
    merged = (
        select(Tombstone.object_id, model.id)
        .join(model, model.id == Tombstone.survivor_id)
        .where(Tombstone.kind == kind, _one_of(Tombstone.object_id, ids))
    )
    rows = union(select(model.id.label("asked"), model.id.label("id")).where(_one_of(model.id, ids)), merged)
    return dict(list(session.execute(rows)))


COLUMNS = ("kind", "id", "slug", "source", "external_id", "scope")


def _select_all() -> Iterable[str]:
    """SQL statements for all external ids in the catalog, one per kind."""
    for kind in OWNERS:
        found = [
            f"SELECT id, '{source}', {name}::text, '' FROM {kind} WHERE {name} > 0"
            for source, name in ID_COLUMNS.items()
        ]
        if kind == "issue":
            found.append("SELECT id, 'isbn', isbn, '' FROM issue WHERE isbn <> ''")
        found.append(
            f"SELECT {kind}_id, source, external_id, scope FROM external_id WHERE {kind}_id IS NOT NULL"
        )
        yield (
            f"SELECT '{kind}' AS kind, x.id, o.slug, x.source, x.external_id, x.scope"
            f" FROM ({' UNION '.join(found)}) x (id, source, external_id, scope) JOIN {kind} o ON o.id = x.id"
        )


# The statement for the whole crosswalk, ordered by all columns except the slug.
SELECT_ALL = f"{' UNION ALL '.join(_select_all())} ORDER BY 1, 2, 4, 5, 6"
