"""Quick search: one query over all kinds, and the reading lists that may be seen."""

from itertools import groupby

from comicsdb.catalog import ranked_search, search
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.ranked_search import REASONS
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import ReadingList
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists import cards
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.reading_lists import SOURCES, TYPES

SHOWN = 8
SUGGESTED = 3  # of each kind, below the search box while somebody types
SIMILAR = REASONS.index("similar")


def quick_search(request):
    """The first of each kind that the words find; if none do, those whose names look like the query."""
    query = search.cleaned(request.GET.get("q", ""))
    has_words = bool(search.words(query))
    if request.is_fragment:
        groups, _tolerant = _groups(request, query, SUGGESTED, typeahead=True) if has_words else ([], False)
        return fragment(request, "suggestions", {"groups": groups})
    groups, tolerant = _groups(request, query, SHOWN, typeahead=False) if has_words else ([], False)
    return {"query": query, "groups": groups, "tolerant": tolerant, "types": TYPES, "sources": SOURCES}


def _groups(request, query: str, most: int, *, typeahead: bool):
    """For each kind with results its name, the first rows, and whether there are more; and whether the names
    are only similar. The kind with the best result comes first, reading lists come last.
    """
    matching = search.matching(ReadingList, query)
    lists = _lists(request, most, matching, *search.best_first(ReadingList, query))
    hits = ranked_search.best_apiece(
        request.read_pool, query, most + 1, enough=0 if lists else 1, typeahead=typeahead
    )
    tolerant = bool(hits) and hits[0].reason == SIMILAR
    if not typeahead and not lists and (tolerant or not hits):
        search.tolerate(request.dbsession)
        lists = _lists(
            request,
            most,
            search.similar(ReadingList, query),
            search.distance(ReadingList, query),
            *figures.ORDER,
        )
        tolerant = tolerant or bool(lists)
    groups = []
    for kind, found in groupby(sorted(hits, key=lambda hit: _place(hits, hit.kind)), lambda hit: hit.kind):
        rows = _rows(request, kind, [hit.id for hit in found])
        if rows:  # what was deleted just now is not
            groups.append((kind, rows[:most], len(rows) > most))
    if lists:
        groups.append(("reading_list", lists[:most], len(lists) > most))
    return groups, tolerant


def _place(hits: list, kind: str) -> int:
    """The place of a kind's best result among those of all."""
    return next(place for place, hit in enumerate(hits) if hit.kind == kind)


def _rows(request, kind: str, ids: list[int]) -> list:
    model = KINDS[kind].model
    found = cards.load(request.dbsession, model, cards.statement(model).where(model.id.in_(ids)))
    return sorted(found, key=lambda row: ids.index(row.id))


def _lists(request, most: int, condition, *order) -> list:
    """The reading lists that meet a condition and may be seen."""
    official = request.registry.settings["comicsdb.official_account"]
    seen = reading_lists.visible_to(request.identity, official)
    statement = figures.cards().where(seen, condition).order_by(*order).limit(most + 1)
    return request.dbsession.execute(statement).all()


def includeme(config):
    """The page that the search box of every page leads to."""
    config.add_page(
        "search", "/search/", quick_search, renderer="search.jinja2", decorator=private, parameters=("q",)
    )
    config.read_from_replica("search")
