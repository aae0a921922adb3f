"""Advisory rules: forms of the site reject a breach, API and imports accept it, and reports list it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import ColumnElement, Select, Text, and_, case, cast, exists, func, literal, select, union_all
from sqlalchemy.orm import Session, aliased

from comicsdb.catalog import trade_numbers as numbers
from comicsdb.i18n import _
from comicsdb.models import Creator, Imprint, Issue, Series, SeriesType, Variant, issue_arc, series_associated
from comicsdb.models.choices import COLLECTED_CODES, Precision, SeriesTypeCode
from comicsdb.values import partial_day_text

NO_CV_ID = (SeriesTypeCode.TRADE_PAPERBACK,)
NO_ASSOCIATED = COLLECTED_CODES
NO_ARCS = (SeriesTypeCode.TRADE_PAPERBACK, SeriesTypeCode.HARDCOVER)


@dataclass(frozen=True)
class ProposedChange:
    """A change to be checked before it is made.

    `before` is the snapshot of the object (`catalog.history.snapshots`), empty for a new one; `changed` has
    only the fields that differ. Unchanged values are not checked, and of lists only the added items.
    """

    session: Session
    before: dict
    changed: dict

    def value(self, field: str):
        """The value of a field after the change."""
        return self.changed.get(field, self.before.get(field))

    def adds(self, field: str) -> bool:
        """Whether the change adds items to a list."""
        return bool(set(self.changed.get(field) or ()) - set(self.before.get(field) or ()))

    @cached_property
    def type_code(self) -> str | None:
        """The code of a series' type."""
        return self.session.scalar(select(SeriesType.code).where(SeriesType.id == self.value("series_type")))

    @cached_property
    def series(self):
        """The `collection` flag and the type's `code` of an issue's series, or None."""
        return self.session.execute(
            select(Series.collection, SeriesType.code)
            .join(SeriesType, SeriesType.id == Series.series_type_id)
            .where(Series.id == self.value("series"))
        ).one_or_none()


@dataclass(frozen=True)
class AdvisoryRule:
    """An advisory rule: its name in URLs, its title, and the SQL condition of a breach.

    The condition applies to rows of `model`, and `value` is the offending value. If forms reject breaches,
    `invalid_field` returns the invalid field or None, and `message` tells users what to do.
    """

    name: str
    title: str
    model: type
    value: ColumnElement
    condition: ColumnElement[bool]
    invalid_field: Callable[[ProposedChange], str | bool | None] | None = None
    message: str = ""

    @property
    def kind(self) -> str:
        """The kind of the listed objects; for variants, that of their issue."""
        return "issue" if self.model is Variant else self.model.__tablename__

    @property
    def rows(self) -> Select:
        """The id and the offending value of each object that breaks the rule."""
        if self.model is Variant:
            found = func.string_agg(self.value, literal(", "))
            return select(Variant.issue_id, found).where(self.condition).group_by(Variant.issue_id)
        return select(self.model.id, cast(self.value, Text)).where(self.condition)


def _number_rules(
    field: str, fits, column_fits, *, title: str, of_variant: str = "", message: str
) -> list[AdvisoryRule]:
    """The rules for a product number of issues and, if variants have that column, of variants."""

    def invalid_field(change: ProposedChange) -> str | None:
        text = change.changed.get(field)
        return field if text and not fits(text) else None

    rules = [(field, title, Issue), (f"variant-{field}", of_variant, Variant)]
    return [
        AdvisoryRule(
            name, title, model, column, and_(column != "", ~column_fits(column)), invalid_field, message
        )
        for name, title, model in rules
        if (column := getattr(model, field, None)) is not None
    ]


def _invalid_life_date(change: ProposedChange) -> str | None:
    """The invalid date, if the death precedes the birth; values may be dates or ISO texts."""
    typed = next((field for field in ("death", "birth") if change.changed.get(field)), None)
    birth, death = (
        partial_day_text(change.value(field), change.value(f"{field}_precision"))
        for field in ("birth", "death")
    )
    known = min(len(birth), len(death))  # only the part known of both dates can be compared
    return typed if typed and known and death[:known] < birth[:known] else None


def _known_part(column, precision) -> ColumnElement:
    """The known part of a date, in the format of `partial_day_text`."""
    length = case({Precision.YEAR: 4, Precision.MONTH: 7}, value=precision, else_=10)
    return func.left(func.to_char(column, "YYYY-MM-DD"), length)


_born, _died = (
    _known_part(Creator.birth, Creator.birth_precision),
    _known_part(Creator.death, Creator.death_precision),
)
_life_known = func.least(func.length(_born), func.length(_died))


def _series_type(codes) -> ColumnElement[bool]:
    return Series.series_type_id.in_(select(SeriesType.id).where(SeriesType.code.in_(codes)))


_in_series, _imprint = aliased(Series), aliased(Imprint)
_imprint_name = select(_imprint.name).where(_imprint.id == Series.imprint_id).scalar_subquery()

RULES = (
    *_number_rules(
        "isbn", numbers.is_isbn, numbers.column_is_isbn,
        title=_("The check digit or format of the ISBN is wrong"),
        message=_("This is not a valid ISBN. Compare it with the one on the"
                  " book, including the check digit."),
    ),
    *_number_rules(
        "upc", numbers.is_upc, numbers.column_is_upc,
        title=_("The check digit or format of the UPC is wrong"),
        of_variant=_("The check digit or format of a variant's UPC is wrong"),
        message=_(
            "This is not a valid UPC. Compare all digits with those"
            " below the barcode (7 59606 08936 9 00111)."
        ),
    ),
    *_number_rules(
        "sku", numbers.is_sku, numbers.column_is_sku,
        title=_("The SKU contains characters other than letters and digits"),
        of_variant=_("A variant's SKU contains characters other than letters and digits"),
        message=_("A SKU may contain only letters and digits."),
    ),
    AdvisoryRule("title", _("A collection title where the series allows none"), Issue, Issue.title,
         and_(Issue.title != "",
              exists().where(_in_series.id == Issue.series_id, _in_series.collection.is_(False))),
         lambda change: change.changed.get("title") and change.series
         and not change.series.collection and "title",
         _("This series does not allow collection titles; this is set in the form of the series.")),
    AdvisoryRule("cover-date", _("An issue without a cover date"), Issue, Issue.number,
         Issue.cover_date_precision == Precision.NONE),
    AdvisoryRule("arcs", _("Story arcs of an issue of a Trade Paperback or Hardcover"), Issue, literal(""),
         and_(exists().where(issue_arc.c.issue_id == Issue.id),
              Issue.series_id.in_(select(Series.id).where(_series_type(NO_ARCS)))),
         lambda change: change.adds("arcs") and change.series and change.series.code in NO_ARCS and "arcs",
         _("Issues of Trade Paperbacks and Hardcovers have no story arcs of their own.")),
    AdvisoryRule("cv-id", _("A Comic Vine ID of a Trade Paperback series"), Series, Series.cv_id,
         and_(Series.cv_id.is_not(None), _series_type(NO_CV_ID)),
         lambda change: change.changed.get("cv_id") is not None and change.type_code in NO_CV_ID and "cv_id",
         _("Comic Vine does not list Trade Paperbacks as series: leave its ID blank.")),
    AdvisoryRule("associated", _("Associated series of a series of collected editions"), Series, literal(""),
         and_(exists().where(series_associated.c.series_id == Series.id), _series_type(NO_ASSOCIATED)),
         lambda change: change.adds("associated") and change.type_code in NO_ASSOCIATED and "associated",
         _("Series of collected editions have no associated series.")),
    AdvisoryRule("years", _("A series that ended before it began"), Series,
         func.concat(Series.year_began, "–", Series.year_end), Series.year_end < Series.year_began),
    AdvisoryRule("imprint", _("An imprint of another publisher"), Series, _imprint_name,
         exists().where(_imprint.id == Series.imprint_id, _imprint.publisher_id != Series.publisher_id)),
    AdvisoryRule("life", _("A creator whose death precedes their birth"), Creator,
         func.concat(_born, "–", _died), func.left(_died, _life_known) < func.left(_born, _life_known),
         _invalid_life_date, _("The date of death is before the date of birth.")),
)  # fmt: skip


def advisory_errors(session: Session, kind: str, before: dict, changed: dict) -> dict[str, list]:
    """The messages, by field, of the rules that a change of an object or variant breaks.

    `before` and `changed` are those of `ProposedChange`.
    """
    change = ProposedChange(session, before, changed)
    broken = ((rule.invalid_field(change), rule.message) for rule in RULES if _checks_kind(rule, kind))
    return {field: [message] for field, message in broken if field}


def _checks_kind(rule: AdvisoryRule, kind: str) -> bool:
    return rule.model.__tablename__ == kind and rule.invalid_field is not None


def breaches():
    """All breaches: rows of `place` (the rule's index in RULES), `kind`, `object_id` and `found`."""
    parts = []
    for place, rule in enumerate(RULES):
        object_id, found = rule.rows.subquery().c
        parts.append(
            select(
                literal(place).label("place"),
                literal(rule.kind).label("kind"),
                object_id.label("object_id"),
                cast(found, Text).label("found"),
            )
        )
    return union_all(*parts).subquery("breach")
