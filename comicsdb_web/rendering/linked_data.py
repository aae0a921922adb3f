"""Structured data for search engines (schema.org, JSON-LD)."""

import json
from decimal import Decimal

from markupsafe import Markup

from comicsdb.models.choices import STARS

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
    described |= _particulars(request, kind, entity)
    kept = {name: value for name, value in described.items() if value not in (None, "", [])}
    return as_script(kept)


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
    return as_script({"@context": CONTEXT, "@type": "BreadcrumbList", "itemListElement": items})


def as_script(data: dict) -> Markup:
    """Return JSON that is safe in a `<script>` element."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  (special characters of HTML are escaped)


def _particulars(request, kind: str, entity) -> dict:
    match kind:
        case "publisher":
            return {"alternateName": entity.alt_names, "foundingDate": _year(entity.founded)}
        case "imprint":
            publisher = _named(request, "Organization", entity.publisher)
            return {"foundingDate": _year(entity.founded), "parentOrganization": publisher}
        case "creator":
            return {"alternateName": entity.alias, "birthDate": entity.birth, "deathDate": entity.death}
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
                "datePublished": entity.store_date or entity.cover_date,
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
    """Add `request.linked_data` and `request.breadcrumbs`, for templates."""
    config.add_request_method(linked_data, "linked_data")
    config.add_request_method(breadcrumbs, "breadcrumbs")
