"""Structured data for search engines (schema.org, JSON-LD), and links to an object's data for programs."""

import json
from decimal import Decimal

from markupsafe import Markup
from pyramid.response import Response

from comicsdb.models.choices import STARS
from comicsdb.values import partial_day_text

LINKED_DATA = "application/ld+json"
CONTEXT = "https://schema.org"
# Kinds without a type in schema.org are a Thing.
TYPES = {
    "publisher": "Organization",
    "imprint": "Organization",
    "series": "ComicSeries",
    "issue": "ComicIssue",
    "creator": "Person",
    "arc": "CreativeWorkSeries",
}


def linked_data(request, entity, picture: str = "") -> Markup:
    """Return the data of an object's page as JSON for a `<script>` element, without empty values.

    Related objects such as publisher and series must be loaded. `picture` is the storage key of the picture
    that the page shows.
    """
    kind = entity.__tablename__
    described = {
        "@context": CONTEXT,
        "@type": TYPES.get(kind, "Thing"),
        "@id": _address(request, entity),
        "url": _address(request, entity),
        "name": entity.label,
        "description": getattr(entity, "desc", ""),
        "image": request.public_picture(picture) if picture else "",
    }
    described |= _type_properties(request, kind, entity)
    kept = {name: value for name, value in described.items() if value not in (None, "", [])}
    return script_json(kept)


def cors_response(body: bytes, content_type: str, status: int = 200) -> Response:
    """A response that scripts of other sites may read and that caches always revalidate."""
    response = Response(body, status, content_type=content_type, charset="utf-8", cache_control="no-cache")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.conditional_response = True
    response.md5_etag()
    return response


def alternates(request, entity) -> list[tuple[str, str]]:
    """The URLs and media types of an object's data for programs: the API, JSON-LD and oEmbed."""
    kind, page = entity.__tablename__, _address(request, entity)
    paths = {
        "application/json": request.path_if_served(f"api.{kind}", id=entity.id),
        LINKED_DATA: request.path_if_served(f"{kind}.linked_data", slug=entity.slug),
        "application/json+oembed": request.route_path("oembed", _query={"url": page}),
    }
    if kind == "reading_list":  # the API requires an account for it
        del paths["application/json"]
    return [(request.public_url(path), media_type) for media_type, path in paths.items() if path]


def link_header(request, entity) -> str:
    """The `alternates` as a `Link` header."""
    found = alternates(request, entity)
    return ", ".join(f'<{address}>; rel="alternate"; type="{media_type}"' for address, media_type in found)


def breadcrumbs(request, steps) -> Markup:
    """Return a BreadcrumbList of `(label, path or None)` from the top; the last is the page itself."""
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "name": str(label),
            "item": request.public_url(path) if path else request.public_url(),
        }
        for position, (label, path) in enumerate(steps, 1)
    ]
    return script_json({"@context": CONTEXT, "@type": "BreadcrumbList", "itemListElement": items})


def script_json(data: dict) -> Markup:
    """Return JSON that is safe in a `<script>` element."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  (special characters of HTML are escaped)


def _type_properties(request, kind: str, entity) -> dict:
    match kind:
        case "publisher":
            return {"alternateName": entity.alt_names, "foundingDate": _year(entity.founded)}
        case "imprint":
            publisher = _named(request, "Organization", entity.publisher)
            return {"foundingDate": _year(entity.founded), "parentOrganization": publisher}
        case "creator":
            birth = partial_day_text(entity.birth, entity.birth_precision) or None
            death = partial_day_text(entity.death, entity.death_precision) or None
            return {"alternateName": entity.alias, "birthDate": birth, "deathDate": death}
        case "character":
            return {"alternateName": entity.alias}
        case "series":
            return {
                "name": entity.name,
                "alternateName": entity.alt_names,
                "startDate": _year(entity.year_began),
                "endDate": _year(entity.year_end),
                "inLanguage": entity.language,
                "genre": [genre.name for genre in entity.genres],
                "publisher": _named(request, "Organization", entity.publisher),
                "aggregateRating": _stars(entity),
            }
        case "issue":
            return {
                "issueNumber": entity.number,
                "datePublished": entity.store_date
                or partial_day_text(entity.cover_date, entity.cover_date_precision)
                or None,
                "isPartOf": _named(request, "ComicSeries", entity.series),
                "publisher": _named(request, "Organization", entity.series.publisher),
                "inLanguage": entity.series.language,
                "aggregateRating": _stars(entity),
            }
    return {}


def _named(request, type_: str, entity) -> dict:
    return {"@type": type_, "name": entity.label, "url": _address(request, entity)}


def _address(request, entity) -> str:
    return request.public_url(request.entity_path(entity))


def _year(year: int | None) -> str:
    return "" if year is None else f"{year:04d}"


def _stars(entity) -> dict | None:
    if not entity.rating_count:
        return None
    return {
        "@type": "AggregateRating",
        "ratingValue": str(Decimal(str(entity.average_rating))),
        "ratingCount": entity.rating_count,
        "worstRating": STARS[0],
        "bestRating": STARS[1],
    }


def includeme(config):
    """Add `request.linked_data`, `request.alternates` and `request.breadcrumbs`, for templates."""
    config.add_request_method(alternates, "alternates")
    config.add_request_method(linked_data, "linked_data")
    config.add_request_method(breadcrumbs, "breadcrumbs")
