"""The ids of an object in other databases, as SQL expressions for bodies."""

from collections.abc import Iterable

from sqlalchemy import (
    Integer,
    Select,
    String,
    Table,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.dialects.postgresql import array

from comicsdb.catalog.search import compacted
from comicsdb.models import ExternalId
from comicsdb.models.choices import EXTERNAL_SOURCES, ID_COLUMNS
from comicsdb_api.resource import expressions
from comicsdb_api.resource.types import ChoiceText, Url

PLACEHOLDER = "\0"  # for the id in the URL of a page
id_columns = ExternalId.__table__.c


def external_id(source, number, scope, url):
    """ExternalId: the id, and the URL of its page if there is one."""
    return expressions.json_object(
        "ExternalId",
        source=type_coerce(source, ChoiceText(*EXTERNAL_SOURCES)),
        external_id=type_coerce(number, String),
        scope=type_coerce(scope, String),
        url=url,
    )


def external_ids(owner: Table):
    """All ids of an object, in the order of sources, with main ids before others."""
    all_ids = union_all(*(each.correlate(owner) for each in _ids(owner))).subquery("all_ids").c
    columns = all_ids.source, all_ids.external_id, all_ids.scope
    found = select(*columns, func.min(all_ids.rank).label("rank")).group_by(*columns).subquery("external")
    sources = array([expressions.constant(each) for each in EXTERNAL_SOURCES])
    place = func.array_position(sources, found.c.source)
    return expressions.json_list(
        external_id(found.c.source, found.c.external_id, found.c.scope, _page(owner.name, found.c)),
        found,
        place.is_not(None),
        (place, found.c.rank, found.c.scope, found.c.external_id),
        owner,
    )


def _ids(owner: Table) -> Iterable[Select]:
    """Statements for source, id, scope and rank, which is 0 for main ids."""
    rank = literal_column("1", Integer).label("rank")
    rows = select(id_columns.source, id_columns.external_id, id_columns.scope, rank)
    yield rows.where(id_columns[f"{owner.name}_id"] == owner.c.id)
    main = {source: owner.c[name] for source, name in ID_COLUMNS.items()}
    for source, column in main.items():
        yield _main(source, cast(column, String)).where(column > expressions.constant(0))
    if "isbn" in owner.c:
        yield _main("isbn", compacted(owner.c.isbn)).where(owner.c.isbn != expressions.constant(""))


def _main(source: str, number) -> Select:
    return select(expressions.constant(source), number, expressions.constant(""), expressions.constant(0))


def _page(kind: str, columns):
    """The URL of the page of an id, null if its source has none."""
    pages = {
        source: rules.page(kind, PLACEHOLDER).partition(PLACEHOLDER)
        for source, rules in EXTERNAL_SOURCES.items()
    }
    return case(
        *(
            (
                columns.source == expressions.constant(source),
                type_coerce(
                    expressions.constant(before) + columns.external_id + expressions.constant(after), Url
                ),
            )
            for source, (before, found, after) in pages.items()
            if found
        )
    )
