"""What the page of an issue shows besides the parts of every object's page."""

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import aliased

from comicsdb.catalog import search
from comicsdb.community import reviews
from comicsdb.models import (
    AgeRating,
    Arc,
    Creator,
    Credit,
    Imprint,
    Issue,
    Publisher,
    Review,
    Role,
    Series,
    Variant,
    credit_role,
    issue_arc,
    issue_reprint,
)
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalog.base import Block, linked_objects
from comicsdb_web.rendering.json_columns import (
    PageColumn,
    constant,
    object_list,
    object_or_null,
    row_of,
    rows_of,
)
from comicsdb_web.rendering.locales import _

REVIEWS_SHOWN = 5


def page_columns(own) -> dict[str, PageColumn]:
    """Its series with publisher and imprint, rating, variants, arcs, reprints, and the latest reviews."""
    rating = select(AgeRating.name, AgeRating.names).where(AgeRating.id == own.rating_id)
    return {
        "series": _series(own),
        "rating": object_or_null("age_rating", rating, own),
        "variants": _variants(own),
        "arcs": linked_objects(own, Arc, issue_arc),
        "reprints": _reprints(own),
        "reviews": _reviews(own),
    }


def _series(own) -> PageColumn:
    above = (
        row_of(select(*cards.link_columns(model)).where(model.id == column), Series).label(name)
        for name, model, column in (
            ("publisher", Publisher, Series.publisher_id),
            ("imprint", Imprint, Series.imprint_id),
        )
    )
    query = select(*cards.link_columns(Series), Series.language, Series.publisher_id, *above)
    return object_or_null("series", query.where(Series.id == own.series_id), own)


def _variants(own) -> PageColumn:
    columns = [Variant.id, Variant.name, Variant.sku, Variant.upc, Variant.currency]
    price = cast(Variant.price, Text).label("price")  # as text, since JSON numbers are not exact
    query = select(*columns, price, *cards.picture_columns(Variant))
    return object_list("variant", query.where(Variant.issue_id == own.id).order_by(Variant.id), own)


def _reprints(own) -> PageColumn:
    other = aliased(Issue, name="other")
    columns = [*cards.link_columns(other), other.cover_date, other.cover_date_precision]
    query = select(*columns).join(issue_reprint, issue_reprint.c.reprint_id == other.id)
    query = query.join(Series, Series.id == other.series_id).where(issue_reprint.c.issue_id == own.id)
    store_date = other.store_date.asc().nulls_last()
    by_series = (Series.sort_folded, Series.sort_name)
    return object_list(
        "issue", query.order_by(other.cover_date, *by_series, store_date, other.series_order, other.id), own
    )


def _reviews(own) -> PageColumn:
    """The latest reviews, each with the number of all."""
    latest = reviews.select_visible().where(Review.issue_id == own.id).order_by(*reviews.ORDER)
    total = func.count().over().label("total")
    return object_list("review", latest.add_columns(total).limit(constant(REVIEWS_SHOWN)), own)


def _credits(issue):
    """The creators with their roles, as on a title page: by their first role, then by name."""
    roles = select(Role.name, Role.names).join(credit_role).where(credit_role.c.credit_id == Credit.id)
    first = select(func.min(Role.order)).join(credit_role).where(credit_role.c.credit_id == Credit.id)
    first = first.correlate(Credit).scalar_subquery().asc().nulls_last()
    listed = rows_of(roles.order_by(Role.order, Role.id), Credit).label("roles")
    query = select(*cards.link_columns(Creator), *cards.picture_columns(Creator), listed)
    query = query.join(Credit, Credit.creator_id == Creator.id).where(Credit.issue_id == issue.id)
    return query.order_by(first, *search.order_columns(Creator))


def _credit_count(issue):
    return select(func.count()).where(Credit.issue_id == issue.id)


CREDITS = Block("credits", _("Credits"), _credits, _credit_count, Creator, "credit")
