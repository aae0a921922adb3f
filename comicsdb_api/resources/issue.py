"""The resource of issues, and the lists of issues below other objects."""

from sqlalchemy import and_, bindparam, case, select, type_coerce

from comicsdb import tags
from comicsdb.catalog.filters import ISSUE
from comicsdb.catalog.labels import issue_label
from comicsdb.models import (
    AgeRating,
    Arc,
    Character,
    Creator,
    Credit,
    ExternalId,
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
from comicsdb.models.choices import Precision
from comicsdb.schemas import IssueSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.filters import DateFilter, DateRangeFilter, Filter, IntegerFilter
from comicsdb_api.resource.listing import ChildList
from comicsdb_api.resource.types import ChoiceText, CurrencyCode
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource

issue, series, series_type = Issue.__table__, Series.__table__, SeriesType.__table__
publisher, imprint, age_rating = Publisher.__table__, Imprint.__table__, AgeRating.__table__
universe = Universe.__table__


def credits_():
    """The credits: one per creator, with the creator's id, and the roles in order."""
    credit, creator, role = Credit.__table__, Creator.__table__, Role.__table__
    roles = expressions.json_list(
        expressions.named_object(role),
        credit_role.join(role),
        credit_role.c.credit_id == credit.c.id,
        (role.c.order, role.c.id),
        credit,
    )
    return expressions.json_list(
        expressions.json_object("Credit", id=creator.c.id, creator=creator.c.name, role=roles),
        credit.join(creator),
        credit.c.issue_id == issue.c.id,
        expressions.by_name(creator),
        issue,
    )


def reprints():
    """Related issues with their labels."""
    other, other_series, other_type, source = expressions.issue_with_series("other")
    return expressions.json_list(
        expressions.json_object("Reprint", id=other.c.id, issue=issue_label(other, other_series, other_type)),
        source.join(issue_reprint, issue_reprint.c.reprint_id == other.c.id),
        issue_reprint.c.issue_id == issue.c.id,
        expressions.by_series(other, other_series),
        issue,
    )


def variants():
    """Other covers that have a picture, which Metron's clients require; by name."""
    variant = Variant.__table__
    shown = expressions.json_object(
        "Variant",
        name=variant.c.name,
        price=expressions.money(variant.c.price),
        sku=variant.c.sku,
        upc=variant.c.upc,
        image=expressions.required_picture_url(variant.c.image),
    )
    return _variants(
        shown, and_(variant.c.issue_id == issue.c.id, variant.c.image != expressions.constant(""))
    )


def all_variants():
    """All other covers, by name, with all their fields."""
    variant = Variant.__table__
    shown = expressions.json_object(
        "AnyVariant",
        id=variant.c.id,
        name=variant.c.name,
        price=expressions.money(variant.c.price),
        price_currency=expressions.value_or_null(variant.c.price.is_not(None), variant.c.currency),
        sku=variant.c.sku,
        upc=variant.c.upc,
        image=expressions.picture_url(variant.c.image),
    )
    return _variants(shown, variant.c.issue_id == issue.c.id)


def _variants(shown, condition):
    variant = Variant.__table__
    return expressions.json_list(shown, variant, condition, expressions.by_plain_name(variant), issue)


def price_currency():
    """The currency of the cover price; empty without a price, and for a price of 0."""
    shown = case((issue.c.price > expressions.constant(0), issue.c.currency), else_=expressions.constant(""))
    return type_coerce(shown, CurrencyCode(blank=True))


def _days(name: str, subject: str) -> DateRangeFilter:
    return DateRangeFilter(f"{name}_range", ISSUE[f"{name}_after"], ISSUE[f"{name}_before"], subject)


class IssueResource(CatalogResource):
    """Issues of series."""

    model = Issue
    schema = IssueSchema
    row_shape = "IssueRow"
    filters = (
        Filter("number", ISSUE["number"], "number"),
        Filter("alt_number", ISSUE["alt_number"], "alternative number"),
        IntegerFilter("cover_year", ISSUE["cover_year"], "the cover date"),
        IntegerFilter("cover_month", ISSUE["cover_month"], "the cover date"),
        _days("cover_date", "cover date"),
        DateFilter("store_date", ISSUE["store_date"], "store date"),
        _days("store_date", "store date"),
        DateFilter("foc_date", ISSUE["foc_date"], "final order cut-off date"),
        _days("foc_date", "final order cut-off date"),
        IntegerFilter("series_id", ISSUE["series_id"], "id of the series"),
        *filters.series_filters(ISSUE, "series_"),
        Filter("rating", ISSUE["rating"], "name of the age rating"),
        Filter("sku", ISSUE["sku"], "SKU"),
        Filter("isbn", ISSUE["isbn"], "ISBN"),
        Filter("upc", ISSUE["upc"], "UPC"),
        Filter("gtin", ISSUE["gtin"], "barcode"),
        Filter("upc_starts_with", ISSUE["upc_starts_with"], "the UPC"),
        Filter("cover_hash", ISSUE["cover_hash"], "perceptual hash of the cover"),
        *filters.external_id_filters(ISSUE),
        *filters.missing_id_filters(ISSUE),
        *filters.content_filters(ISSUE),
        *filters.modified_filters(Issue.__table__),
    )
    generic_plan_filters = (
        {"series_name", "number"},
        {"series_id", "number"},
        *({name} for name in ("cv_id", "gcd_id", "upc", "isbn", "sku")),
    )
    stamps = ("modified", "rated")
    tag_formats = tags.FORMATS
    omitted_from_writes = (
        *("publisher", "imprint", "price_currency", "cover_hash", "average_rating", "rating_count"),
        *("credits", "variants", "modified", "attribution"),
    )

    @classmethod
    def row_fields(cls) -> dict:
        """The fields of IssueRow."""
        return {
            "id": issue.c.id,
            "series": expressions.series_brief(series),
            "number": issue.c.number,
            "issue": issue_label(issue, series, series_type),
            "cover_date": issue.c.cover_date,
            "cover_date_precision": type_coerce(issue.c.cover_date_precision, ChoiceText(*Precision)),
            "store_date": issue.c.store_date,
            "foc_date": issue.c.foc_date,
            "image": expressions.picture_url(issue.c.image),
            "cover_hash": issue.c.cover_hash,
            "modified": expressions.instant(issue.c.modified),
        }

    @classmethod
    def row_source(cls):
        """Issues, joined with series and type."""
        return issue.join(series).join(series_type)

    @classmethod
    def order(cls) -> tuple:
        """By series, dates and number."""
        return expressions.by_series(issue, series)

    @classmethod
    def sort_orders(cls) -> dict[str, tuple]:
        """Also by cover date."""
        return super().sort_orders() | {"cover_date": (issue.c.cover_date, issue.c.id)}

    @classmethod
    def optional_fields(cls) -> dict:
        """Also the variants without a picture."""
        return super().optional_fields() | {"all_variants": all_variants()}

    @classmethod
    def tag_fields(cls) -> dict:
        """The fields of a detail, and the ids in other databases."""
        external = ExternalId.__table__
        ids = expressions.json_list(
            expressions.json_object(source=external.c.source, external_id=external.c.external_id),
            external,
            external.c.issue_id == issue.c.id,
            (external.c.source, external.c.external_id),
            issue,
        )
        return cls.detail_fields() | {"external_ids": ids}

    @classmethod
    def detail_source(cls):
        """Issues, joined with series, type, publisher, imprint and age rating."""
        published = cls.row_source().join(publisher).join(age_rating)
        return published.outerjoin(imprint, imprint.c.id == series.c.imprint_id)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": issue.c.id,
            "publisher": expressions.named_object(publisher),
            "imprint": expressions.value_or_null(
                imprint.c.id.is_not(None), expressions.named_object(imprint)
            ),
            "series": expressions.json_object(
                "IssueSeries",
                id=series.c.id,
                name=series.c.name,
                alt_names=series.c.alt_names,
                sort_name=series.c.sort_name,
                volume=series.c.volume,
                year_began=series.c.year_began,
                series_type=expressions.named_object(series_type),
                genres=expressions.genres(series),
                language=series.c.language,
            ),
            "number": issue.c.number,
            "alt_number": issue.c.alt_number,
            "title": issue.c.title,
            "name": issue.c.name,
            "cover_date": issue.c.cover_date,
            "cover_date_precision": type_coerce(issue.c.cover_date_precision, ChoiceText(*Precision)),
            "store_date": issue.c.store_date,
            "foc_date": issue.c.foc_date,
            "price": expressions.money(issue.c.price),
            "price_currency": price_currency(),
            "rating": expressions.named_object(age_rating),
            "sku": issue.c.sku,
            "isbn": issue.c.isbn,
            "upc": issue.c.upc,
            "page": issue.c.page,
            "desc": issue.c.desc,
            "desc_is_solicitation": issue.c.desc_is_solicitation,
            "image": expressions.picture_url(issue.c.image),
            "cover_hash": issue.c.cover_hash,
            "average_rating": expressions.average_rating(issue),
            "rating_count": issue.c.rating_count,
            "arcs": expressions.stamped_list(issue, issue_arc, Arc.__table__),
            "credits": credits_(),
            "characters": expressions.stamped_list(issue, issue_character, Character.__table__),
            "teams": expressions.stamped_list(issue, issue_team, Team.__table__),
            "universes": expressions.stamped_list(
                issue, issue_universe, universe, expressions.by_kind_order(Universe)
            ),
            "reprints": reprints(),
            "variants": variants(),
            "cv_id": issue.c.cv_id,
            "gcd_id": issue.c.gcd_id,
        } | cls.closing_fields()


def issue_and_variant(shape: str) -> dict:
    """Fields for an issue or one of its variants; `variant` (with this schema) is null for the issue itself.

    The statement must have an outer join with variants.
    """
    variant = Variant.__table__
    other = expressions.json_object(
        shape, id=variant.c.id, name=variant.c.name, image=expressions.picture_url(variant.c.image)
    )
    return {
        "issue": expressions.json_object("IssueRow", **IssueResource.row_fields()),
        "variant": expressions.value_or_null(variant.c.id.is_not(None), other),
    }


def child_issues(condition) -> ChildList:
    """A list of issues below an object of another kind, by cover date; `condition` as in `ChildList`."""
    return ChildList(IssueResource, condition, expressions.by_cover_date(issue, series))


def linked_issues(model, link) -> ChildList:
    """A list of the issues that a link table links to an object of another kind."""
    owner = link.c[f"{model.__tablename__}_id"]
    return child_issues(issue.c.id.in_(select(link.c.issue_id).where(owner == bindparam("id"))))
