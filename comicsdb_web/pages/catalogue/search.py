"""Quick search: one query over all kinds, and the reading lists that may be seen."""

from comicsdb.catalog import search
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import Character, Creator, Imprint, Issue, Publisher, ReadingList, Series
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists import cards
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.reading_lists import SOURCES, TYPES

SHOWN = 8
SUGGESTED = 3  # of each kind, below the search box while somebody types
# Among equally good results these kinds come first and last, the others in the order of the menu.
FIRST, LAST = (Series, Issue, Character, Creator, Publisher), (Imprint, ReadingList)


def quick_search(request):
    """The first of each kind that the words find; if none do, those whose names look like the query."""
    query = search.cleaned(request.GET.get("q", ""))
    groups, tolerant = [], False
    if request.is_fragment:
        groups = _groups(request, query, _exact, SUGGESTED) if search.words(query) else []
        return fragment(request, "suggestions", {"groups": groups})
    if search.words(query):
        groups = _groups(request, query, _exact)
        if not groups:
            search.tolerate(request.dbsession)
            groups, tolerant = _groups(request, query, _similar), True
    return {
        "query": query,
        "groups": groups,
        "tolerant": tolerant and bool(groups),
        "types": TYPES,
        "sources": SOURCES,
    }


def _groups(request, query, narrowed, most: int = SHOWN):
    """For each kind with results its name, the first rows, and whether there are more; the best first."""
    groups = []
    others = (views.model for views in request.registry["comicsdb_web.kind_views"].values())
    for model in dict.fromkeys((*FIRST, *(each for each in others if each not in LAST), *LAST)):
        statement = narrowed(_cards(request, model), model, query).limit(most + 1)
        if model is ReadingList:
            rows = request.dbsession.execute(statement).all()
        else:
            rows = cards.load(request.dbsession, model, statement)
        if rows:
            groups.append((model.__tablename__, rows[:most], len(rows) > most))
    return sorted(groups, key=lambda group: group[1][0].rank)


def _cards(request, model):
    """The cards of a kind; of reading lists, only those that the reader may see."""
    if model is not ReadingList:
        return cards.statement(model)
    official = request.registry.settings["comicsdb.official_account"]
    return figures.cards().where(reading_lists.visible_to(request.identity, official))


def _exact(statement, model, query):
    statement = statement.where(search.matching(model, query))
    rank = search.rank(model, query).label("rank")
    return statement.add_columns(rank).order_by(*search.best_first(model, query))


def _similar(statement, model, query):
    rank = search.distance(model, query).label("rank")
    statement = statement.add_columns(rank).where(search.similar(model, query))
    return statement.order_by(rank, *search.order(model))


def includeme(config):
    """The page that the search box of every page leads to."""
    config.add_page(
        "search", "/search/", quick_search, renderer="search.jinja2", decorator=private, parameters=("q",)
    )
    config.read_from_replica("search")
