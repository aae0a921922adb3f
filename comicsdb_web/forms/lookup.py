"""Objects that forms refer to: search, and labels by id."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, false, func, or_, select
from sqlalchemy.orm import Session, joinedload

from comicsdb.catalog import ranked_search, search
from comicsdb.catalog.kinds import KINDS
from comicsdb.i18n import name_in
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import Issue, ReadingList, Role
from comicsdb.models.choices import DEFAULT_LANGUAGE
from comicsdb.values import whole_number

RESULTS_MAX = 100  # objects offered at once
QUERY_LENGTH_MIN = 3  # characters that start a search while typing
NO_ROWS = false()  # no reading list


@dataclass(frozen=True)
class Item:
    """An object as forms show it: its label, and a note that distinguishes objects of the same name."""

    id: int
    text: str
    note: str = ""


@dataclass(frozen=True)
class SearchResult:
    """Search results, and their total number."""

    items: list[Item]
    total: int
    query: str = ""


@dataclass(frozen=True)
class Source:
    """The source of objects for a name: their model, loader options and notes."""

    model: type
    options: tuple = ()
    note: object = staticmethod(lambda _entity: "")

    def rows(self) -> Select:
        """All objects."""
        statement = select(self.model).options(*self.options)
        return statement.join(Issue.series) if self.model is Issue else statement

    def matching(self, query: str, language: str) -> ColumnElement[bool]:
        """The condition that an object matches a query."""
        if self.model is Role:
            pattern = func.fold_pattern(query)
            return or_(*(column.like(pattern) for column in _role_columns(language)))
        return search.matching(self.model, query)

    def order(self, query: str, language: str) -> tuple:
        """The order of matching roles or reading lists, best match first; a total order."""
        if self.model is Role:
            return search.rank_of_name(_role_columns(language), query), Role.order, Role.id
        return search.best_first(self.model, query)

    def label_order(self) -> tuple:
        """The order of chosen objects."""
        if self.model is ReadingList:
            return figures.ORDER
        return (Role.order,) if self.model is Role else search.order_columns(self.model)

    def item(self, entity, language: str = DEFAULT_LANGUAGE) -> Item:
        """An object as forms show it."""
        label = name_in(language, entity) if self.model is Role else entity.label
        return Item(entity.id, label, self.note(entity))


def _role_columns(language: str) -> tuple[ColumnElement[str], ...]:
    """The folded names of roles: the one in the language first, then the English one."""
    translated = func.coalesce(Role.names[language].astext, Role.name)
    return func.fold(translated), func.fold(Role.name)


SOURCES: dict[str, Source] = {
    "role": Source(Role),
    "reading_list": Source(
        ReadingList, (joinedload(ReadingList.user),), lambda reading_list: reading_list.user.username
    ),
}


def source_of(name: str) -> Source:
    """The source of a name: a kind, roles or reading lists; raises KeyError."""
    if name in SOURCES:
        return SOURCES[name]
    kind = KINDS[name]
    if kind.is_reference:
        raise KeyError(name)
    return Source(kind.model, (*kind.label_options, *kind.note_options), kind.note)


def visible_lists_condition(request) -> ColumnElement[bool]:
    """The condition that the reader may see a reading list, and link to it."""
    official = request.registry.settings["comicsdb.official_account"]
    return reading_lists.visible_to(request.identity, official)


def find(request, name: str, query: str) -> SearchResult:
    """The objects that match a query, best first, at most RESULTS_MAX; none for a blank query.

    Objects of the catalog are ranked as in every search. Reading lists must be visible to the reader.
    """
    source, query = source_of(name), search.clean_query(query)
    if not query:
        return SearchResult([], 0)
    session, rows = request.dbsession, source.rows()
    if name not in SOURCES:
        ids = ranked_ids(request, name, query, RESULTS_MAX)
        found = session.scalars(rows.where(source.model.id.in_(ids))).all() if ids else []
        found = sorted(found, key=lambda each: ids.index(each.id))
        condition = search.matching(source.model, query)
    else:
        condition = source.matching(query, request.locale_name)
        if source.model is ReadingList:
            condition &= visible_lists_condition(request)
        found = session.scalars(
            rows.where(condition).order_by(*source.order(query, request.locale_name)).limit(RESULTS_MAX)
        ).all()
    total = len(found)
    if total == RESULTS_MAX:
        total = max(
            RESULTS_MAX, session.scalar(select(func.count()).select_from(source.model).where(condition))
        )
    return SearchResult([source.item(each, request.locale_name) for each in found], total, query)


def ranked_ids(request, kind: str, query: str, limit: int) -> list[int]:
    """The ids of the objects of a kind that match a query, best first."""
    question = ranked_search.search_parameters(
        request.read_pool, query, request.domain, limit=limit, kinds=(kind,)
    )
    return [hit.id for hit in ranked_search.best_hits(request.read_pool, question.values, apiece=True)]


def load_items(
    session: Session,
    wanted: dict[str, Iterable[str]],
    visible: ColumnElement[bool] = NO_ROWS,
    language: str = DEFAULT_LANGUAGE,
) -> dict[str, dict[str, Item]]:
    """The items by name of the source and by id, in the order for chosen objects; one statement per source.

    Ids are texts as sent; invalid ones are ignored, and so are reading lists that are not `visible`.
    """
    named = {}
    for name, ids in wanted.items():
        source = source_of(name)
        numbers = set(map(whole_number, ids)) - {None}
        rows = source.rows().where(source.model.id.in_(numbers)).order_by(*source.label_order())
        if source.model is ReadingList:
            rows = rows.where(visible)
        found = session.scalars(rows) if numbers else ()
        named[name] = {str(each.id): source.item(each, language) for each in found}
    return named


def item_of(session: Session, entity) -> Item:
    """An object as forms show it; it may be loaded only in part."""
    source = source_of(entity.__tablename__)
    statement = source.rows().where(source.model.id == entity.id)
    return source.item(session.scalar(statement.execution_options(populate_existing=True)))


def too_short(name: str, query: str) -> bool:
    """Whether a query is too short for a search while typing; one with an issue number may be short."""
    return len(search.clean_query(query)) < QUERY_LENGTH_MIN and not (name == "issue" and "#" in query)
