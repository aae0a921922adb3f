"""What the page of an issue shows to everybody: one statement, with related rows as JSON.

Most first visits are to this page, and querying its parts one by one took as long as everything else.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

from sqlalchemy import Text, bindparam, cast, func, select, tuple_

from comicsdb.catalog import search
from comicsdb.community import reviews
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import (
    AgeRating,
    Arc,
    Attribution,
    Character,
    Creator,
    Credit,
    Imprint,
    Issue,
    Publisher,
    Review,
    Role,
    Series,
    SeriesType,
    Team,
    Universe,
    User,
    Variant,
    credit_role,
    issue_arc,
    issue_character,
    issue_reprint,
    issue_team,
    issue_universe,
)
from comicsdb_web.lists.json_columns import constant, row_of, rows_of
from comicsdb_web.lists.paging import BLOCK_STEP
from comicsdb_web.pages.catalogue.detail_query import external_ids
from comicsdb_web.rendering.row_views import RowView, row_view

REVIEWS_SHOWN = 5
PICTURE = ("image", "image_width", "image_height")
CARDS = {
    "characters": (Character, issue_character, PICTURE),
    "teams": (Team, issue_team, PICTURE),
    "universes": (Universe, issue_universe, ("designation", *PICTURE)),
}


@dataclass(frozen=True)
class IssuePage:
    """An issue with everything that its page shows.

    `blocks` has by name the first rows of each block, as the macros of `blocks.jinja2` expect them, and their
    total number.
    """

    issue: RowView
    previous: RowView | None
    following: RowView | None
    arcs: list[RowView]
    reprints: list[RowView]
    blocks: dict[str, tuple[list, int]]
    reviews: list[RowView]  # the latest
    review_count: int


def read(read_pool: ReadPool, slug: str) -> IssuePage | None:
    """The page of the issue with a slug, None if there is no such issue."""
    query, names = _compiled()
    row = read_pool.fetch(query, {"slug": slug}) if "\0" not in slug else None
    return row and _page(dict(zip(names, row, strict=True)))


# The statement.


def _many(query):
    """The rows of a query about the issue as a JSON list, in the query's order."""
    return rows_of(query, Issue)


def _named(model, *more: str):
    """The columns for a link to an object, and `more`."""
    return [getattr(model, name) for name in ("id", "slug", "name", *more)]


def _type():
    return row_of(select(SeriesType.code).where(SeriesType.id == Series.series_type_id), Series)


def _series():
    above = (
        row_of(select(*_named(model)).where(model.id == column), Series).label(model.__tablename__)
        for model, column in ((Publisher, Series.publisher_id), (Imprint, Series.imprint_id))
    )
    own = _named(Series, "year_began", "language", "publisher_id")
    query = select(*own, _type().label("series_type"), *above)
    return row_of(query.where(Series.id == Issue.series_id), Issue)


def _neighbour(compare, *order):
    other = Issue.__table__.alias("other")
    place = tuple_(other.c.cover_date, other.c.id)
    query = select(other.c.slug, other.c.number).where(
        other.c.series_id == Issue.series_id, compare(place, tuple_(Issue.cover_date, Issue.id))
    )
    return row_of(query.order_by(*(each(other) for each in order)).limit(constant(1)), Issue)


def _linked(model, link, *more: str):
    query = select(*_named(model, *more)).join(link).where(link.c.issue_id == Issue.id)
    return query.order_by(*search.order_columns(model))


def _first(query):
    """The first rows of a block, each with the total number."""
    return _many(query.add_columns(func.count().over().label("total")).limit(constant(BLOCK_STEP)))


def credit_order() -> tuple:
    """The order of credits as on a title page: by their first role, then by name."""
    roles = select(func.min(Role.order)).join(credit_role).where(credit_role.c.credit_id == Credit.id)
    return (roles.correlate(Credit).scalar_subquery().asc().nulls_last(), *search.order_columns(Creator))


def _credits():
    roles = select(Role.name, Role.names).join(credit_role).where(credit_role.c.credit_id == Credit.id)
    roles = rows_of(roles.order_by(Role.order, Role.id), Credit)
    query = select(*_named(Creator, "image"), roles.label("roles"))
    query = query.join(Credit, Credit.creator_id == Creator.id).where(Credit.issue_id == Issue.id)
    return query.order_by(*credit_order())


def _reprints():
    other = Issue.__table__.alias("other")
    series = row_of(
        select(Series.name, Series.year_began, _type().label("series_type")).where(
            Series.id == other.c.series_id
        ),
        other,
    )
    return (
        select(
            *(other.c[name] for name in ("slug", "number", "cover_date", "cover_date_precision")),
            series.label("series"),
        )
        .join(issue_reprint, issue_reprint.c.reprint_id == other.c.id)
        .join(Series, Series.id == other.c.series_id)
        .where(issue_reprint.c.issue_id == Issue.id)
        .order_by(
            other.c.cover_date,
            Series.sort_folded,
            Series.sort_name,
            other.c.store_date.asc().nulls_last(),
            other.c.number,
            other.c.id,
        )
    )


def _variants():
    columns = [getattr(Variant, name) for name in ("id", "name", "sku", "upc", "currency", *PICTURE)]
    price = cast(Variant.price, Text).label("price")  # as text, since JSON numbers are not exact
    return select(*columns, price).where(Variant.issue_id == Issue.id).order_by(Variant.id)


def _reviews():
    latest = reviews.select_visible().where(Review.issue_id == Issue.id).order_by(*reviews.ORDER)
    return latest.add_columns(func.count().over().label("total")).limit(constant(REVIEWS_SHOWN))


def _statement():
    edited_by = select(User.username, User.is_active).where(User.id == Issue.edited_by_id)
    attributions = select(Attribution.source, Attribution.url).where(Attribution.issue_id == Issue.id)
    blocks = {"credits": _first(_credits())}
    blocks |= {name: _first(_linked(model, link, *more)) for name, (model, link, more) in CARDS.items()}
    parts = blocks | {
        "series": _series(),
        "rating": row_of(
            select(AgeRating.name, AgeRating.names).where(AgeRating.id == Issue.rating_id), Issue
        ),
        "edited_by": row_of(edited_by, Issue),
        "attributions": _many(attributions.order_by(Attribution.id)),
        "external_ids": _many(external_ids(Issue, Issue)),
        "variants": _many(_variants()),
        "arcs": _many(_linked(Arc, issue_arc)),
        "reprints": _many(_reprints()),
        "reviews": _many(_reviews()),
        "previous": _neighbour(
            lambda one, other: one < other, lambda o: o.c.cover_date.desc(), lambda o: o.c.id.desc()
        ),
        "following": _neighbour(lambda one, other: one > other, lambda o: o.c.cover_date, lambda o: o.c.id),
    }
    columns = [*Issue.__table__.c, *(part.label(name) for name, part in parts.items())]
    return select(*columns).where(Issue.slug == bindparam("slug"))


@cache
def _compiled() -> tuple[CompiledQuery, tuple[str, ...]]:
    """The statement, and the names of its columns."""
    statement = _statement()
    return CompiledQuery.of(statement), tuple(statement.selected_columns.keys())


# Conversion of its row.


def _page(row: dict) -> IssuePage:
    series = _series_of(row["series"])
    reprints = [
        row_view(
            "issue", each | {"series": _series_of(each["series"]), "cover_date": _date(each["cover_date"])}
        )
        for each in row["reprints"]
    ]
    blocks = {"credits": [(_credit(each),) for each in row["credits"]]}
    blocks |= {
        name: [row_view(model.__tablename__, each) for each in row[name]]
        for name, (model, *_) in CARDS.items()
    }
    own = {
        "series": series,
        "rating": row_view("age_rating", row["rating"]),
        "edited_by": row_view("user", row["edited_by"]),
        "attributions": [row_view("attribution", each) for each in row["attributions"]],
        "external_ids": [row_view("external_id", each) for each in row["external_ids"]],
        "variants": [_variant(each) for each in row["variants"]],
    }
    return IssuePage(
        row_view("issue", row | own),
        *(
            row[name] and row_view("issue", row[name] | {"series": series})
            for name in ("previous", "following")
        ),
        [row_view("arc", each) for each in row["arcs"]],
        reprints,
        {name: (rows, row[name][0]["total"] if rows else 0) for name, rows in blocks.items()},
        [row_view("review", each) for each in row["reviews"]],
        row["reviews"][0]["total"] if row["reviews"] else 0,
    )


def _series_of(values: dict) -> RowView:
    parts = ("series_type", "publisher", "imprint")
    return row_view(
        "series", values | {name: row_view(name, values[name]) for name in parts if values.get(name)}
    )


def _credit(values: dict) -> RowView:
    roles = [row_view("role", each) for each in values["roles"]]
    return row_view("credit", {"creator": row_view("creator", values), "roles": roles})


def _variant(values: dict) -> RowView:
    price = values["price"]
    return row_view("variant", values | {"price": None if price is None else Decimal(price)})


def _date(text: str) -> date:
    return date.fromisoformat(text)
