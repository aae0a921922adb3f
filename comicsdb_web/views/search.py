"""Quick search: one query over all nine kinds (web.md 2.1)."""

from comicsdb.catalog import search
from comicsdb.models import Arc, Character, Creator, Imprint, Issue, Publisher, Series, Team, Universe
from comicsdb_web import cards

SHOWN = 8
KINDS = (Series, Issue, Character, Creator, Publisher, Team, Arc, Universe, Imprint)


def quick_search(request):
    """The first of each kind that the words find; if none do, those whose names look like the query."""
    query = search.cleaned(request.GET.get("q", ""))
    groups, tolerant = [], False
    if search.words(query):
        groups = _groups(request.dbsession, query, _exact)
        if not groups:
            search.tolerate(request.dbsession)
            groups, tolerant = _groups(request.dbsession, query, _similar), True
    return {"query": query, "groups": groups, "tolerant": tolerant and bool(groups)}


def _groups(session, query, statement_for):
    """For each kind with results its name, the first rows, and whether there are more."""
    groups = []
    for model in KINDS:
        rows = session.execute(statement_for(model, query).limit(SHOWN + 1)).all()
        if rows:
            groups.append((model.__tablename__, rows[:SHOWN], len(rows) > SHOWN))
    return groups


def _exact(model, query):
    statement = cards.statement(model).where(search.matching(model, query))
    return statement.order_by(search.begins(model, query).desc(), *search.ORDER[model])


def _similar(model, query):
    statement = cards.statement(model).where(search.similar(model, query))
    return statement.order_by(search.distance(model, query), *search.ORDER[model])


def includeme(config):
    """The page that the search box of every page leads to."""
    config.add_page("search", "/search/", quick_search, renderer="search.jinja2")
