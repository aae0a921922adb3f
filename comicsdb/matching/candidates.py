"""The series and issues that descriptors may mean, found for all of them by a few statements.

Each statement takes the values of all descriptors as arrays, and looks each up by an index, up to a limit.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from sqlalchemy import (
    ARRAY,
    Date,
    Integer,
    Row,
    Text,
    and_,
    any_,
    cast,
    func,
    literal,
    literal_column,
    select,
    true,
    union,
    union_all,
)
from sqlalchemy.orm import Session

from comicsdb.catalog import covers
from comicsdb.models import ExternalId, Imprint, Issue, Publisher, Series, SeriesType, Variant

SERIES_MAX = 30  # series by one name
NAME_MAX = 80  # letters of a name that are looked for; each costs a look into the index
ISSUES_MAX = 6  # issues by one series and number, or by a series and year
CODES_MAX = 12  # issues by one code, which is that of many if it has no supplement
COVERS_MAX = 20
COVER_BITS = 7

issue, series, variant = Issue.__table__, Series.__table__, Variant.__table__


def _table(name: str, /, **columns) -> tuple:
    """Arrays of equal length as a table, whose columns are called as they are."""
    arrays = [literal(list(values), ARRAY(kind)) for kind, values in columns.values()]
    made = func.unnest(*arrays).table_valued(*columns, name=name)
    return made.render_derived(name=name)


def _upper(column):
    return func.upper(column.collate("default"))


def _compacted(column):
    return func.upper(func.translate(column, literal_column("' -'"), literal_column("''")))


# Codes and ids that are looked for as they are, by the expressions of their indexes.
EXACT = {
    "isbn": _compacted(issue.c.isbn),
    "sku": func.upper(issue.c.sku),
    "id": issue.c.id,
    "cv_id": issue.c.cv_id,
    "gcd_id": issue.c.gcd_id,
}


def by_codes(session: Session, wanted: Mapping[str, Sequence]) -> Sequence[Row]:
    """The issues by codes and ids: rows of kind, wanted value, issue_id and the code that the issue has.

    `wanted` has the values of each kind: those of `EXACT`, `gtin` for what barcodes begin with, and `ids`:
    source and id.
    """
    parts = []
    for kind, column in EXACT.items():
        values = wanted.get(kind)
        if values:
            # As an array, so that the planner sees that they are not "", which most issues have for a code.
            of = Integer if isinstance(values[0], int) else Text
            code = cast(column, Text)
            parts.append(
                select(_word(kind), code.label("value"), issue.c.id.label("issue_id"), code.label("code"))
                .where(column == any_(literal(list(values), ARRAY(of))))
                .limit(CODES_MAX * len(values))
            )
    for table, owner in ((issue, issue.c.id), (variant, variant.c.issue_id)):
        if wanted.get("gtin"):
            asked = _table(f"{table.name}_codes", value=(Text, wanted["gtin"]))
            code = _compacted(table.c.upc)
            last = func.concat(asked.c.value, literal_column("':'"))  # the character after 9
            begins = and_(code.bool_op("~>=~")(asked.c.value), code.bool_op("~<~")(last))
            found = select(owner.label("issue_id"), code.label("code")).where(begins).limit(CODES_MAX)
            found = found.lateral(f"{table.name}_found")
            parts.append(
                select(_word("gtin"), asked.c.value, found.c.issue_id, found.c.code).select_from(
                    asked.join(found, true())
                )
            )
    if wanted.get("ids"):
        of_source = ExternalId.source.concat(literal_column("' '")).concat(ExternalId.external_id)
        numbers = [each.partition(" ")[2] for each in wanted["ids"]]
        parts.append(
            select(_word("ids"), of_source.label("value"), ExternalId.issue_id, of_source.label("code"))
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


def _word(kind: str):
    return literal_column(f"'{kind}'").label("kind")


def by_covers(session: Session, wanted: Sequence[tuple[int, str, str]]) -> Sequence[Row]:
    """The issues whose covers are near: rows of place, kind, issue_id and distance; `wanted` as above."""
    if not wanted:
        return ()
    found = covers.matches_of_each(wanted, COVER_BITS, COVERS_MAX)
    rows = select(found.c.place, found.c.kind, found.c.issue_id, func.min(found.c.distance).label("distance"))
    return session.execute(rows.group_by(found.c.place, found.c.kind, found.c.issue_id)).all()


def series_by_names(session: Session, names: Sequence[str]) -> Sequence[Row]:
    """The series with similar names, for each name: rows of its place, and what is known of the series."""
    if not names:
        return ()
    shortened = [name[:NAME_MAX] for name in names]
    table = _table("asked", place=(Integer, range(len(names))), name=(Text, shortened))
    asked = select(table.c.place, func.fold(table.c.name).label("name")).cte("asked_names")
    by_name = (
        select(series.c.id, func.similarity(series.c.folded, asked.c.name).label("likeness"))
        .where(series.c.folded.op("%")(asked.c.name))
        .order_by(literal_column("likeness").desc())
        .limit(SERIES_MAX)
        .lateral("by_name")
    )
    by_other = (
        select(series.c.id)
        .where(asked.c.name.op("<%")(series.c.alt_folded))
        .order_by(asked.c.name.op("<<->")(series.c.alt_folded))
        .limit(SERIES_MAX // 3)
        .lateral("by_other")
    )
    found = union(
        select(asked.c.place, by_name.c.id).select_from(asked.join(by_name, true())),
        select(asked.c.place, by_other.c.id).select_from(asked.join(by_other, true())),
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
    """Issues by their ids, by series and number, and by series and year, with all that is compared."""
    parts = [select(func.unnest(literal(list(ids), ARRAY(Integer))).label("id"))]
    if numbered:
        places, texts = zip(*numbered, strict=True)
        wanted = _table("numbered", series_id=(Integer, places), number=(Text, texts))
        own = issue.c.series_id == wanted.c.series_id
        for name in ("number", "alt_number"):
            column = issue.c[name]
            has = (_upper(column) if name == "number" else func.upper(column)) == wanted.c.number
            found = select(issue.c.id).where(own, has).limit(ISSUES_MAX).lateral(f"by_{name}")
            parts.append(select(found.c.id).select_from(wanted.join(found, true())))
    if dated:
        places, years = zip(*dated, strict=True)
        first, last = ([date(year, *day) for year in years] for day in ((1, 1), (12, 31)))
        wanted = _table("dated", series_id=(Integer, places), first=(Date, first), last=(Date, last))
        found = (
            select(issue.c.id)
            .where(
                issue.c.series_id == wanted.c.series_id,
                issue.c.cover_date.between(wanted.c.first, wanted.c.last),
            )
            .order_by(issue.c.cover_date)
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
            issue.c.cover_date,
            issue.c.store_date,
            issue.c.page,
            series.c.name.label("series"),
            series.c.alt_names,
            series.c.volume,
            series.c.year_began,
            series.c.year_end,
            series.c.language,
            SeriesType.code.label("format"),
            Publisher.name.label("publisher"),
            Publisher.alt_names.label("publisher_names"),
            Imprint.name.label("imprint"),
        )
        .select_from(found)
        .join(issue, issue.c.id == found.c.id)
        .join(series, series.c.id == issue.c.series_id)
        .join(SeriesType, SeriesType.id == series.c.series_type_id)
        .join(Publisher, Publisher.id == series.c.publisher_id)
        .outerjoin(Imprint, Imprint.id == series.c.imprint_id)
    ).all()


def series_of(session: Session, wanted: Sequence[tuple[int, str, int]]) -> Sequence[Row]:
    """The series by ids in other databases: rows of place and series id; `wanted`: place, column, id."""
    parts = []
    for column in ("cv_id", "gcd_id"):
        values = [(place, number) for place, of, number in wanted if of == f"series_{column}"]
        if values:
            places, numbers = zip(*values, strict=True)
            table = _table(f"series_{column}", place=(Integer, places), number=(Integer, numbers))
            own = series.c[column] == table.c.number
            parts.append(select(table.c.place, series.c.id).select_from(table.join(series, own)))
    return session.execute(union_all(*parts)).all() if parts else ()
