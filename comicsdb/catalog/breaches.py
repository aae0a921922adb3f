"""What breaks the advisory rules: the conditions of `advice` and of imports, for rows in the database.

Each rule is a condition on objects of one kind, and what stands there instead; model.md 3, 14.13, web.md 4.6.
"""

from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.orm import aliased

from comicsdb.catalog.advice import ADDED_DIGITS, CODE_DIGITS, NO_ARCS, NO_ASSOCIATED, NO_CV_ID
from comicsdb.i18n import _
from comicsdb.models import Creator, Imprint, Issue, Series, SeriesType, Variant, issue_arc, series_associated

ISBN_LONG, ISBN_SHORT = 13, 10
ISBN_BEGINNINGS = ("978", "979")


def _digit(text: ColumnElement[str], place: int) -> ColumnElement[int]:
    """The digit at a place, counted from 1; anything for what is none, but no error."""
    return func.ascii(func.substr(text, place, 1)) - 48


def _weighed(text: ColumnElement[str], weights) -> ColumnElement[int]:
    terms = [_digit(text, place) * weight for place, weight in enumerate(weights, 1)]
    return sum(terms[1:], terms[0])


def _ean_fits(text: ColumnElement[str], digits: int) -> ColumnElement[bool]:
    """Whether the check digit is right, the last of so many with which the text begins.

    Written without making 13 digits of 12, and so twice as quick: their weights are 3 and 1 by turns from the
    end on.
    """
    weights = [3 if (digits - place) % 2 else 1 for place in range(1, digits + 1)]
    return _weighed(text, weights) % 10 == 0


def is_upc(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `advice.is_upc` judges of one text."""
    fits = [
        and_(func.length(text).in_([digits + added for added in ADDED_DIGITS]), _ean_fits(text, digits))
        for digits in CODE_DIGITS
    ]
    return and_(text.regexp_match("^[0-9]+$"), or_(*fits))


def is_isbn(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `advice.is_isbn` judges of one text."""
    last = case((func.substr(text, ISBN_SHORT, 1) == "X", 10), else_=_digit(text, ISBN_SHORT))
    short = (_weighed(text, range(1, ISBN_SHORT)) + last * ISBN_SHORT) % 11 == 0
    return or_(
        and_(
            text.regexp_match(f"^[0-9]{{{ISBN_LONG}}}$"),
            func.left(text, 3).in_(ISBN_BEGINNINGS),
            _ean_fits(text, ISBN_LONG),
        ),
        and_(text.regexp_match(f"^[0-9]{{{ISBN_SHORT - 1}}}[0-9X]$"), short),
    )


def is_sku(text: ColumnElement[str]) -> ColumnElement[bool]:
    """The condition that `advice.is_sku` judges of one text."""
    return text.regexp_match("^[A-Za-z0-9]+$")


def _wrong(column, fits) -> ColumnElement[bool]:
    return and_(column != "", ~fits(column))


@dataclass(frozen=True)
class Rule:
    """An advisory rule: its name in addresses, what a breach is, and the breaches.

    `rows` gives, for each object of `kind` that breaks it, its id and what stands there.
    """

    name: str
    title: str
    kind: str
    rows: Select


def _series(found: ColumnElement, *conditions) -> Select:
    return select(Series.id, cast(found, Text)).where(*conditions)


def _of_types(codes) -> ColumnElement[bool]:
    return Series.series_type_id.in_(select(SeriesType.id).where(SeriesType.code.in_(codes)))


def _variants(column, fits) -> Select:
    """Issues with a variant whose number is wrong, each once."""
    return (
        select(Variant.issue_id, func.string_agg(column, literal(", ")))
        .where(_wrong(column, fits))
        .group_by(Variant.issue_id)
    )


_in_series = aliased(Series)
_imprint = aliased(Imprint)

RULES = (
    Rule("isbn", _("The check digit or form of the ISBN is wrong"), "issue",
         select(Issue.id, Issue.isbn).where(_wrong(Issue.isbn, is_isbn))),
    Rule("upc", _("The check digit or form of the UPC is wrong"), "issue",
         select(Issue.id, Issue.upc).where(_wrong(Issue.upc, is_upc))),
    Rule("sku", _("The SKU has other characters than letters and digits"), "issue",
         select(Issue.id, Issue.sku).where(_wrong(Issue.sku, is_sku))),
    Rule("variant-upc", _("The check digit or form of a variant's UPC is wrong"), "issue",
         _variants(Variant.upc, is_upc)),
    Rule("variant-sku", _("A variant's SKU has other characters than letters and digits"), "issue",
         _variants(Variant.sku, is_sku)),
    Rule("title", _("A collection title where the series allows none"), "issue",
         select(Issue.id, Issue.title).where(
             Issue.title != "",
             exists().where(_in_series.id == Issue.series_id, _in_series.collection.is_(False)))),
    Rule("arcs", _("Story arcs of an issue of a Trade Paperback or Hardcover"), "issue",
         select(Issue.id, literal("")).where(
             exists().where(issue_arc.c.issue_id == Issue.id),
             Issue.series_id.in_(select(Series.id).where(_of_types(NO_ARCS))))),
    Rule("cv-id", _("A Comic Vine ID of a Trade Paperback series"), "series",
         _series(Series.cv_id, Series.cv_id.is_not(None), _of_types(NO_CV_ID))),
    Rule("associated", _("Associated series of a series of collected editions"), "series",
         _series(literal(""), exists().where(series_associated.c.series_id == Series.id),
                 _of_types(NO_ASSOCIATED))),
    Rule("years", _("A series that ended before it began"), "series",
         _series(func.concat(Series.year_began, "–", Series.year_end), Series.year_end < Series.year_began)),
    Rule("imprint", _("An imprint of another publisher"), "series",
         _series(_imprint.name, _imprint.id == Series.imprint_id,
                 _imprint.publisher_id != Series.publisher_id)),
    Rule("life", _("A creator who died before being born"), "creator",
         select(Creator.id, func.concat(Creator.birth, "–", Creator.death)).where(
             Creator.death < Creator.birth)),
)  # fmt: skip


def breaches():
    """All breaches: rows of `place` (of the rule in RULES), `kind`, `object_id` and `found`."""
    parts = []
    for place, rule in enumerate(RULES):
        rows = rule.rows.subquery()
        object_id, found = rows.c
        parts.append(
            select(
                literal(place).label("place"),
                literal(rule.kind).label("kind"),
                object_id.label("object_id"),
                cast(found, Text).label("found"),
            )
        )
    return union_all(*parts).subquery("breach")
