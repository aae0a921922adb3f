"""Quick search: one query over all kinds, and over the reading lists that the reader may see."""

from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import escape

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response
from sqlalchemy import select

from comicsdb.catalog import named_objects, ranked_search, search
from comicsdb.catalog.hits import CODE_EQUAL, SIMILAR, Hit, unambiguous_hit
from comicsdb.catalog.kinds import KINDS
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures
from comicsdb.models import ReadingList, Series
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists import cards
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.reading_lists import SOURCES, TYPES
from comicsdb_web.rendering.locales import _

DESCRIPTION = _("Search comics, people, characters…")
OPENSEARCH = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>{title}</ShortName>
<Description>{description}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image type="{icon_type}">{icon}</Image>
<Url type="text/html" template="{search}?q={{searchTerms}}"/>
<Url type="application/x-suggestions+json" template="{suggestions}?q={{searchTerms}}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="{own}"/>
</OpenSearchDescription>
"""
RESULTS_PER_KIND = 8
SUGGESTIONS_MAX, LIST_SUGGESTIONS_MAX = 8, 3  # below the search box while somebody types
PREFIX_MATCHES_MIN = 4  # with fewer names that begin with the text, other matches are suggested too


def quick_search(request):
    """The first matches of each kind; if there are none, objects whose names are similar to the query.

    A code, id or number that identifies one object redirects to it, unless `all` is sent: so barcode scanners
    can be used, and `foghorn 28` opens the issue.
    """
    query = search.clean_query(request.GET.get("q", ""))
    has_words = bool(search.words(query))
    if request.is_fragment:
        return fragment(
            request, "suggestions", _suggestion_values(request, query) if has_words else {"groups": []}
        )
    lists = _lists(request, query, RESULTS_PER_KIND) if has_words else []
    hits = _hits(request, query, enough=0 if lists else 1) if has_words else []
    only = None if "all" in request.GET else unambiguous_hit(hits)
    if only:
        return HTTPSeeOther(_hit_path(request, only, query))
    groups, tolerant = _groups(request, query, hits, lists) if has_words else ([], False)
    return {"query": query, "groups": groups, "tolerant": tolerant, "types": TYPES, "sources": SOURCES}


def suggestions(request):
    """Suggestions for browsers' own search fields: query, names, kinds and URLs, as JSON."""
    query = search.clean_query(request.GET.get("q", ""))
    found = _suggestion_rows(request, query) if search.words(query) else []
    labels = [request.localizer.translate(KINDS[row.kind].label) for row in found]
    addresses = [request.public_url(request.route_path(f"{row.kind}.detail", slug=row.slug)) for row in found]
    response = Response(json=[query, [row.name for row in found], labels, addresses])
    response.content_type = "application/x-suggestions+json"
    response.headers["Cache-Control"] = "no-store"
    return response


def description(request):
    """The OpenSearch description, with which browsers offer the search of this site."""
    words = request.localizer.translate(DESCRIPTION)
    search_url, suggestions_url, own_url = (
        request.public_url(request.route_path(name))
        for name in ("search", "search.suggestions", "opensearch")
    )
    logo = request.registry.settings["comicsdb_web.logo"]
    body = OPENSEARCH.format(
        description=escape(words),
        title=escape(request.registry.settings["comicsdb.title"]),
        icon_type=logo.media_type if logo else "image/svg+xml",
        icon=escape(request.public_url(request.asset(logo.name if logo else "icon.svg"))),
        search=escape(search_url),
        suggestions=escape(suggestions_url),
        own=escape(own_url),
    )
    return Response(body, content_type="application/opensearchdescription+xml", charset="utf-8")


def _question(request, query: str, limit: int, enough: int = 1) -> ranked_search.SearchParameters:
    return ranked_search.search_parameters(
        request.read_pool, query, request.domain, limit=limit, enough=enough
    )


def _suggestion_rows(request, query: str) -> list[ranked_search.Suggestion]:
    return ranked_search.suggest(
        request.read_pool, _question(request, query, SUGGESTIONS_MAX), PREFIX_MATCHES_MIN
    )


def _suggestion_values(request, query: str) -> dict:
    """Suggestions by kind, the best kind first and reading lists last, with the covers of series."""
    rows = _suggestion_rows(request, query)
    series = [row.id for row in rows if row.kind == "series"]
    statement = select(Series.id, cards.first_cover()).where(Series.id.in_(series))
    covers = dict(request.dbsession.execute(statement).all()) if series else {}
    images = {series_id: cover[0] for series_id, cover in covers.items() if cover}
    groups = _by_kind(rows)
    lists = _lists(request, query, LIST_SUGGESTIONS_MAX - 1)
    if lists:
        groups.append(("reading_list", [row[0] for row in lists]))
    return {"groups": groups, "images": images, "variants": _variants(request, query, rows), "query": query}


def _by_kind(found: list) -> list[tuple[str, list]]:
    """Results by kind, the kind with the best one first."""
    places = {kind: place for place, kind in reversed(list(enumerate(each.kind for each in found)))}
    in_order = sorted(found, key=lambda each: places[each.kind])
    return [(kind, list(rows)) for kind, rows in groupby(in_order, lambda each: each.kind)]


def _hits(request, query: str, enough: int) -> list[Hit]:
    question = _question(request, query, RESULTS_PER_KIND + 1, enough)
    return ranked_search.best_hits(request.read_pool, question.values, apiece=True)


def _hit_path(request, hit: Hit, query: str) -> str:
    """The path of a result's page, with the anchor of a variant if the query is its code."""
    model = KINDS[hit.kind].model
    slug = request.dbsession.scalar(select(model.slug).where(model.id == hit.id))
    variant_id, _name = _variants(request, query, [hit]).get(hit.id, (None, ""))
    anchor = {"_anchor": f"variant-{variant_id}"} if variant_id else {}
    return request.route_path(f"{hit.kind}.detail", slug=slug, **anchor)


def _variants(
    request, query: str, found: Sequence[Hit | ranked_search.Suggestion]
) -> dict[int, tuple[int, str]]:
    """The variants whose code is the query, by issue."""
    issues = [each.id for each in found if each.kind == "issue" and each.reason == CODE_EQUAL]
    return named_objects.variants_with_code(request.dbsession, query, issues)


def _groups(request, query: str, hits: list[Hit], lists: list):
    """The results by kind, and whether their names are only similar to the query.

    Each kind has its name, the first rows, and whether there are more. The kind with the best result comes
    first, reading lists come last.
    """
    tolerant = bool(hits) and hits[0].reason == SIMILAR
    if not lists and (tolerant or not hits):
        search.set_similarity_threshold(request.dbsession)
        alike = search.similar(ReadingList, query)
        lists = _visible_lists(
            request, RESULTS_PER_KIND, alike, search.distance(ReadingList, query), *figures.ORDER
        )
        tolerant = tolerant or bool(lists)
    groups = []
    for kind, found in _by_kind(hits):
        rows = _cards(request, kind, [hit.id for hit in found])
        if rows:  # none if the results were deleted meanwhile
            groups.append((kind, rows[:RESULTS_PER_KIND], len(rows) > RESULTS_PER_KIND))
    if lists:
        groups.append(("reading_list", lists[:RESULTS_PER_KIND], len(lists) > RESULTS_PER_KIND))
    return groups, tolerant


def _cards(request, kind: str, ids: list[int]) -> list:
    model = KINDS[kind].model
    found = cards.load(request.dbsession, model, cards.statement(model).where(model.id.in_(ids)))
    return sorted(found, key=lambda row: ids.index(row.id))


def _lists(request, query: str, limit: int) -> list:
    """The reading lists that match a query: one more than `limit` if there are more."""
    matching = search.matching(ReadingList, query)
    return _visible_lists(request, limit, matching, *search.best_first(ReadingList, query))


def _visible_lists(request, limit: int, condition, *order) -> list:
    """The reading lists that meet a condition and are visible to the reader, at most `limit` + 1."""
    official = request.registry.settings["comicsdb.official_account"]
    seen = reading_lists.visible_to(request.identity, official)
    statement = figures.cards().where(seen, condition).order_by(*order).limit(limit + 1)
    return request.dbsession.execute(statement).all()


def includeme(config):
    """Add the page of the search box, and what browsers need for their own search fields."""
    config.add_page(
        "search",
        "/search/",
        quick_search,
        renderer="search.jinja2",
        decorator=private,
        parameters=("q", "all"),
    )
    config.add_page("search.suggestions", "/search/suggestions", suggestions, parameters=("q",))
    config.add_page("opensearch", "/opensearch.xml", description)
    for route in ("search", "search.suggestions"):
        config.read_from_replica(route)
