"""Issues (api.md 2.6), and the lists of issues of other objects."""

from sqlalchemy import String, bindparam, cast, select

from comicsdb.models import (
    AgeRating,
    Arc,
    Character,
    Creator,
    Credit,
    Imprint,
    Issue,
    Publisher,
    Role,
    Series,
    SeriesType,
    Team,
    Universe,
    Variant,
    credit_role,
    issue_arc,
    issue_character,
    issue_reprint,
    issue_team,
    issue_universe,
)
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import CatalogueResource, Children

issue, series, series_type = Issue.__table__, Series.__table__, SeriesType.__table__
publisher, imprint, age_rating = Publisher.__table__, Imprint.__table__, AgeRating.__table__


def credits_():
    """The column `credits`: one per creator, under the creator's id, with the roles in their order."""
    credit, creator, role = Credit.__table__, Creator.__table__, Role.__table__
    roles = shapes.json_list(
        shapes.named(role),
        credit_role.join(role),
        credit_role.c.credit_id == credit.c.id,
        (role.c.order, role.c.id),
        credit,
    )
    entries = shapes.json_list(
        shapes.json_object(id=creator.c.id, creator=creator.c.name, role=roles),
        credit.join(creator),
        credit.c.issue_id == issue.c.id,
        shapes.by_name(creator),
        issue,
    )
    return shapes.shown(entries, "credits")


def reprints():
    """The column `reprints`: related issues with their labels."""
    other, other_series, other_type, source = shapes.issue_with_series("other")
    entries = shapes.json_list(
        shapes.json_object(id=other.c.id, issue=shapes.issue_label(other, other_series, other_type)),
        source.join(issue_reprint, issue_reprint.c.reprint_id == other.c.id),
        issue_reprint.c.issue_id == issue.c.id,
        shapes.by_series(other, other_series),
        issue,
    )
    return shapes.shown(entries, "reprints")


def variants():
    """The column `variants`, by name; `image` is still the storage key."""
    variant = Variant.__table__
    entries = shapes.json_list(
        shapes.json_object(
            name=variant.c.name,
            price=cast(variant.c.price, String),
            sku=variant.c.sku,
            upc=variant.c.upc,
            image=variant.c.image,
        ),
        variant,
        variant.c.issue_id == issue.c.id,
        shapes.by_plain_name(variant),
        issue,
    )
    return shapes.shown(entries, "variants")


class IssueResource(CatalogueResource):
    """Published numbers of series."""

    model = Issue

    @classmethod
    def list_query(cls):
        """By series, dates and number."""
        return (
            select(
                issue.c.id,
                issue.c.series_id,
                series.c.name.label("series_name"),
                series.c.volume,
                series.c.year_began,
                issue.c.number,
                shapes.issue_label(issue, series, series_type).label("label"),
                issue.c.cover_date,
                issue.c.store_date,
                issue.c.foc_date,
                issue.c.image,
                issue.c.cover_hash,
                issue.c.modified,
            )
            .join_from(issue, series, series.c.id == issue.c.series_id)
            .join(series_type, series_type.c.id == series.c.series_type_id)
            .order_by(*shapes.by_series(issue, series))
        )

    @classmethod
    def detail_query(cls):
        """With everything that hangs on an issue."""
        universe = Universe.__table__
        return (
            super()
            .detail_query()
            .join(series, series.c.id == issue.c.series_id)
            .join(series_type, series_type.c.id == series.c.series_type_id)
            .join(publisher, publisher.c.id == series.c.publisher_id)
            .outerjoin(imprint, imprint.c.id == series.c.imprint_id)
            .join(age_rating, age_rating.c.id == issue.c.rating_id)
            .add_columns(
                series.c.name.label("series_name"),
                series.c.alt_names.label("series_alt_names"),
                series.c.sort_name.label("series_sort_name"),
                series.c.volume.label("series_volume"),
                series.c.year_began.label("series_year_began"),
                series.c.language.label("series_language"),
                series_type.c.id.label("series_type_id"),
                series_type.c.name.label("series_type_name"),
                shapes.shown(shapes.genres(series), "series_genres"),
                publisher.c.id.label("publisher_id"),
                publisher.c.name.label("publisher_name"),
                imprint.c.id.label("imprint_id"),
                imprint.c.name.label("imprint_name"),
                age_rating.c.name.label("rating_name"),
                shapes.stamps(issue, issue_arc, Arc.__table__),
                credits_(),
                shapes.stamps(issue, issue_character, Character.__table__),
                shapes.stamps(issue, issue_team, Team.__table__),
                shapes.stamps(issue, issue_universe, universe, shapes.by_designation(universe)),
                reprints(),
                variants(),
            )
        )

    def summary(self, row) -> dict:
        """IssueRow."""
        return {
            "id": row.id,
            "series": {
                "id": row.series_id,
                "name": row.series_name,
                "volume": row.volume,
                "year_began": row.year_began,
            },
            "number": row.number,
            "issue": row.label,
            "cover_date": row.cover_date,
            "store_date": row.store_date,
            "foc_date": row.foc_date,
            "image": self.image_url(row.image),
            "cover_hash": row.cover_hash,
            "modified": shapes.utc(row.modified),
        }

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "publisher": {"id": row.publisher_id, "name": row.publisher_name},
            "imprint": shapes.name_of(row.imprint_id, row.imprint_name),
            "series": {
                "id": row.series_id,
                "name": row.series_name,
                "alt_names": row.series_alt_names,
                "sort_name": row.series_sort_name,
                "volume": row.series_volume,
                "year_began": row.series_year_began,
                "series_type": {"id": row.series_type_id, "name": row.series_type_name},
                "genres": row.series_genres,
                "language": row.series_language,
            },
            "number": row.number,
            "alt_number": row.alt_number,
            "title": row.title,
            "name": row.name,
            "cover_date": row.cover_date,
            "store_date": row.store_date,
            "foc_date": row.foc_date,
            "price": shapes.money(row.price),
            "price_currency": row.currency if row.price else "",  # without an amount, or for nothing
            "rating": {"id": row.rating_id, "name": row.rating_name},
            "sku": row.sku,
            "isbn": row.isbn,
            "upc": row.upc,
            "page": row.page,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "cover_hash": row.cover_hash,
            "average_rating": shapes.average(row),
            "rating_count": row.rating_count,
            "arcs": row.arcs,
            "credits": row.credits,
            "characters": row.characters,
            "teams": row.teams,
            "universes": row.universes,
            "reprints": row.reprints,
            "variants": [each | {"image": self.image_url(each["image"])} for each in row.variants],
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)


def issues_of(model, condition) -> Children:
    """The issues of an object of another kind: by cover date, then as `condition` of `Children` has it."""
    return Children(model.__table__, IssueResource, condition, shapes.by_cover_date(issue, series))


def linked_issues(model, link) -> Children:
    """The issues that a link table ties to an object of another kind."""
    owner = link.c[f"{model.__tablename__}_id"]
    return issues_of(model, issue.c.id.in_(select(link.c.issue_id).where(owner == bindparam("id"))))
