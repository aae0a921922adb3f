"""The series and issues that descriptors may refer to, found for all descriptors by a few statements.

Each statement takes the values of all descriptors as arrays, and looks up each value by an index, up to a
limit.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from sqlalchemy import (
    ARRAY,
    Date,
    Integer,
    Row,
    String,
    Text,
    and_,
    any_,
    case,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    union,
    union_all,
)
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from comicsdb.catalog import covers
from comicsdb.catalog.search import compacted, upper_case
from comicsdb.db.arrays import table_of_arrays
from comicsdb.models import ExternalId, Imprint, Issue, Publisher, Series, SeriesType, Variant
from comicsdb.models.base import all_names
from comicsdb.models.choices import Precision

SERIES_MAX = 30  # series per name
NAME_MAX = 80  # characters of a name that are used; each costs an index lookup
ISSUES_MAX = 6  # issues per series and number, or per series and year
CODES_MAX = 12  # issues per code; without their supplements, many barcodes are the same
COVERS_MAX = 20
COVER_BITS = 7

issue, series, variant = Issue.__table__, Series.__table__, Variant.__table__
NEAR_KEYS = literal_column(f"near_keys({all_names('alt_names')})")  # by the expression of their index
ORDER = (issue.c.cover_date, issue.c.id)
SERIES_FACTS = (
    series.c.name.label("series"),
    series.c.alt_names,
    series.c.volume,
    series.c.year_began,
    series.c.language,
    Publisher.name.label("publisher"),
    Publisher.alt_names.label("publisher_names"),
    Imprint.name.label("imprint"),
)
HAS_COVER_DATE = issue.c.cover_date_precision != Precision.NONE  # others have a substitute


# Codes and ids that are looked up unchanged, by the expressions of their indexes.
EXACT_COLUMNS = (
    ("isbn", compacted(issue.c.isbn), issue.c.id),
    ("gtin", compacted(issue.c.upc), issue.c.id),
    ("gtin", compacted(variant.c.upc), variant.c.issue_id),
    ("sku", upper_case(issue.c.sku), issue.c.id),
    ("sku", upper_case(variant.c.sku), variant.c.issue_id),
    ("id", issue.c.id, issue.c.id),
    ("cv_id", issue.c.cv_id, issue.c.id),
    ("gcd_id", issue.c.gcd_id, issue.c.id),
)


def by_codes(session: Session, wanted: Mapping[str, Sequence]) -> Sequence[Row]:
    """The issues with codes or ids: rows of kind, wanted value, issue_id, of_variant and the code found.

    `wanted` has values by kind: the kinds of `EXACT_COLUMNS`, `stem` for the beginnings of barcodes, whose
    rows are of the kind `gtin`, and `ids` for texts of source and id.
    """
    parts = []
    for kind, column, owner in EXACT_COLUMNS:
        values = wanted.get(kind)
        if values:
            # As an array, so that the planner knows that no value is "", which is the code of most issues.
            of = Integer if isinstance(values[0], int) else Text
            code = cast(column, Text)
            parts.append(
                select(_kind_column(kind), code.label("value"), *_owner_columns(owner), code.label("code"))
                .where(column == any_(literal(list(values), ARRAY(of))))
                .limit(CODES_MAX * len(values))
            )
    for table, owner in ((issue, issue.c.id), (variant, variant.c.issue_id)):
        if wanted.get("stem"):
            asked = table_of_arrays(f"{table.name}_codes", value=(Text, wanted["stem"]))
            code = compacted(table.c.upc)
            last = func.concat(asked.c.value, literal_column("':'"))  # the character after 9
            begins = and_(code.bool_op("~>=~")(asked.c.value), code.bool_op("~<~")(last))
            found = select(*_owner_columns(owner), code.label("code")).where(begins).limit(CODES_MAX)
            found = found.lateral(f"{table.name}_found")
            parts.append(
                select(_kind_column("gtin"), asked.c.value, *found.c).select_from(asked.join(found, true()))
            )
    if wanted.get("ids"):
        of_source = ExternalId.source.concat(literal_column("' '")).concat(ExternalId.external_id)
        numbers = [each.partition(" ")[2] for each in wanted["ids"]]
        parts.append(
            select(
                _kind_column("ids"),
                of_source.label("value"),
                *_owner_columns(ExternalId.issue_id),
                of_source.label("code"),
            )
            .where(
                ExternalId.external_id == any_(literal(numbers, ARRAY(Text))),
                of_source == any_(literal(list(wanted["ids"]), ARRAY(Text))),
                ExternalId.issue_id.is_not(None),
            )
            .limit(CODES_MAX * len(numbers))
        )
    if not parts:
        return ()
    return session.execute(union_all(*(select(part.subquery()) for part in parts))).all()


SERIES_IDS = {
    "series_id": series.c.id,
    "series_cv_id": series.c.cv_id,
    "series_gcd_id": series.c.gcd_id,
}


def _kind_column(kind: str):
    return literal_column(f"'{kind}'").label("kind")


def _owner_columns(column) -> tuple:
    """The issue that has a code, and whether the code is a variant's."""
    return column.label("issue_id"), literal(column.table is variant).label("of_variant")


def by_covers(session: Session, wanted: Sequence[tuple[int, str, str]]) -> Sequence[Row]:
    """The issues with near covers, of their own or of variants: rows of `covers.near_covers_for_each`."""
    if not wanted:
        return ()
    found = covers.near_covers_for_each(wanted, COVER_BITS, COVERS_MAX)
    return session.execute(select(found)).all()


def series_by_names(session: Session, names: Sequence[str]) -> Sequence[Row]:
    """The series with names similar to each name: rows of the name's index, and data of the series."""
    if not names:
        return ()
    shortened = [name[:NAME_MAX] for name in names]
    table = table_of_arrays("asked", place=(Integer, range(len(names))), name=(Text, shortened))
    near = func.near_keys(cast(array([table.c.name]), ARRAY(String)), cast([-1, 0, 1], ARRAY(Integer)))
    asked = select(table.c.place, func.fold(table.c.name).label("name"), near.label("near")).cte(
        "asked_names"
    )
    by_name = (
        select(series.c.id, func.similarity(series.c.folded, asked.c.name).label("likeness"))
        .where(series.c.folded.op("%")(asked.c.name))
        .order_by(literal_column("likeness").desc())
        .limit(SERIES_MAX)
        .lateral("by_name")
    )
    # Equal but for signs, spaces and articles, or one typing error; other names of a series included.
    by_key = (
        select(series.c.id)
        .where(NEAR_KEYS.op("&&")(asked.c.near))
        .order_by((func.name_key(series.c.folded) == func.name_key(asked.c.name)).desc(), series.c.id)
        .limit(SERIES_MAX)
        .lateral("by_key")
    )
    found = union(
        select(asked.c.place, by_name.c.id).select_from(asked.join(by_name, true())),
        select(asked.c.place, by_key.c.id).select_from(asked.join(by_key, true())),
    ).subquery()
    return session.execute(
        select(
            found.c.place,
            found.c.id,
            series.c.name,
            series.c.alt_names,
            series.c.volume,
            series.c.year_began,
            series.c.year_end,
        ).join(series, series.c.id == found.c.id)
    ).all()


def issues(
    session: Session,
    ids: Iterable[int],
    numbered: Sequence[tuple[int, str]],
    dated: Sequence[tuple[int, int]],
) -> Sequence[Row]:
    """Issues by id, by series and number, and by series and year, with all data to compare.

    An unknown cover date is null; its substitute only counts for the year if it is the store date.
    """
    parts = [select(func.unnest(literal(list(ids), ARRAY(Integer))).label("id"))]
    if numbered:
        places, texts = zip(*numbered, strict=True)
        wanted = table_of_arrays("numbered", series_id=(Integer, places), number=(Text, texts))
        own = issue.c.series_id == wanted.c.series_id
        keys = {"number": issue.c.number_key, "alt_number": func.number_key(issue.c.alt_number)}
        for name, key in keys.items():
            has = key == wanted.c.number
            found = select(issue.c.id).where(own, has).order_by(*ORDER).limit(ISSUES_MAX)
            found = found.lateral(f"by_{name}")
            parts.append(select(found.c.id).select_from(wanted.join(found, true())))
    if dated:
        places, years = zip(*dated, strict=True)
        first, last = ([date(year, *day) for year in years] for day in ((1, 1), (12, 31)))
        wanted = table_of_arrays("dated", series_id=(Integer, places), first=(Date, first), last=(Date, last))
        found = (
            select(issue.c.id)
            .where(
                issue.c.series_id == wanted.c.series_id,
                issue.c.cover_date.between(wanted.c.first, wanted.c.last),
                or_(HAS_COVER_DATE, issue.c.store_date.is_not(None)),
            )
            .order_by(*ORDER)
            .limit(ISSUES_MAX)
            .lateral("by_year")
        )
        parts.append(select(found.c.id).select_from(wanted.join(found, true())))
    found = union(*parts).subquery("found") if len(parts) > 1 else parts[0].subquery("found")
    return session.execute(
        select(
            issue.c.id,
            issue.c.series_id,
            issue.c.number,
            issue.c.alt_number,
            issue.c.title,
            issue.c.name.label("stories"),
            case((HAS_COVER_DATE, issue.c.cover_date)).label("cover_date"),
            issue.c.cover_date_precision,
            issue.c.store_date,
            issue.c.page,
            series.c.issue_count,
            SeriesType.code.label("format"),
            *SERIES_FACTS,
        )
        .select_from(found)
        .join(issue, issue.c.id == found.c.id)
        .join(series, series.c.id == issue.c.series_id)
        .join(SeriesType, SeriesType.id == series.c.series_type_id)
        .join(Publisher, Publisher.id == series.c.publisher_id)
        .outerjoin(Imprint, Imprint.id == series.c.imprint_id)
        .order_by(*ORDER)
    ).all()


def series_facts(session: Session, ids: Iterable[int]) -> Sequence[Row]:
    """Series by id, with all data to compare."""
    return session.execute(
        select(
            series.c.id,
            *SERIES_FACTS,
        )
        .join(Publisher, Publisher.id == series.c.publisher_id)
        .outerjoin(Imprint, Imprint.id == series.c.imprint_id)
        .where(series.c.id == any_(literal(sorted(ids), ARRAY(Integer))))
        .order_by(series.c.id)
    ).all()


def series_of(session: Session, wanted: Sequence[tuple[int, str, int | str]]) -> Sequence[Row]:
    """The series with given ids: rows of place and series id; `wanted` has place, kind of id, and value."""
    parts = []
    for kind, column in SERIES_IDS.items():
        values = [(place, number) for place, of, number in wanted if of == kind]
        if values:
            places, numbers = zip(*values, strict=True)
            table = table_of_arrays(kind, place=(Integer, places), number=(Integer, numbers))
            own = column == table.c.number
            parts.append(select(table.c.place, series.c.id).select_from(table.join(series, own)))
    others = [(place, *each.split(" ", 1)) for place, of, each in wanted if of == "series_ids"]
    if others:
        places, sources, numbers = zip(*others, strict=True)
        table = table_of_arrays(
            "series_ids", place=(Integer, places), source=(Text, sources), number=(Text, numbers)
        )
        own = and_(ExternalId.source == table.c.source, ExternalId.external_id == table.c.number)
        found = select(table.c.place, ExternalId.series_id).join_from(table, ExternalId, own)
        parts.append(found.where(ExternalId.series_id.is_not(None)))
    return session.execute(union_all(*parts)).all() if parts else ()
