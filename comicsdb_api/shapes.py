"""What bodies are made of, as SQL: nested objects and lists, labels, orders; and plain values (api.md 2)."""

from datetime import UTC, datetime
from decimal import Decimal

import orjson
from sqlalchemy import String, Text, case, cast, func, literal_column, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.types import TypeDecorator

from comicsdb.models import Attribution, Genre, Issue, Series, SeriesType, series_genre
from comicsdb.models.choices import ATTRIBUTION_LABELS, SeriesTypeCode
from comicsdb.models.series import LABEL_INFIX, LABEL_SUFFIX


class Json(TypeDecorator):
    """JSON that PostgreSQL wrote, sent as text and read by the quicker parser."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value, dialect):  # noqa: ARG002
        """Plain values."""
        return None if value is None else orjson.loads(value)


def json_object(**pairs):
    """A JSON object with these keys, in this order."""
    arguments = []
    for key, value in pairs.items():
        arguments += [literal_column(f"'{key}'"), value]
    return func.json_build_object(*arguments)


def json_list(element, source, condition, order, *owners):
    """The JSON list of `element` over the rows of `source` that belong to a row of each of `owners`."""
    elements = func.json_agg(aggregate_order_by(element, *order))
    return (
        select(func.coalesce(elements, literal_column("'[]'::json")))
        .select_from(source)
        .where(condition)
        .correlate(*owners)
        .scalar_subquery()
    )


def shown(expression, label: str):
    """A JSON expression as a column of the outermost statement."""
    return cast(expression, Json).label(label)


def named(table):
    """Named: id and name."""
    return json_object(id=table.c.id, name=table.c.name)


def stamped(table):
    """Stamped, as embedded in another object: `modified` is when the embedded name last changed."""
    return json_object(id=table.c.id, name=table.c.name, modified=func.iso_instant(table.c.name_changed))


def linked(owner, link, target, element, order):
    """The JSON list of what a link table ties to `owner`."""
    return json_list(element, link.join(target), link.c[f"{owner.name}_id"] == owner.c.id, order, owner)


def stamps(owner, link, target, order=None):
    """The column of embedded Stamped objects that a link table ties to `owner`, labelled by their kind."""
    objects = linked(owner, link, target, stamped(target), order or by_name(target))
    return shown(objects, f"{target.name}s")


def genres(series):
    """The genres of a series as a JSON list of Named."""
    genre = Genre.__table__
    return linked(series, series_genre, genre, named(genre), by_plain_name(genre))


def attribution(owner):
    """The column `attribution`: where an object's text comes from, in the order entered."""
    table = Attribution.__table__
    source = case({code.value: label for code, label in ATTRIBUTION_LABELS.items()}, value=table.c.source)
    entries = json_list(
        json_object(source=source, url=table.c.url),
        table,
        table.c[f"{owner.name}_id"] == owner.c.id,
        (table.c.id,),
        owner,
    )
    return shown(entries, "attribution")


# Labels.


def _by_code(series_type, words: dict[SeriesTypeCode, str]):
    return case({code.value: text for code, text in words.items()}, value=series_type.c.code, else_="")


def series_label(series, series_type):
    """The display name of a series, as `Series.label` gives it in Python."""
    return (
        series.c.name
        + _by_code(series_type, LABEL_INFIX)
        + " ("
        + cast(series.c.year_began, String)
        + ")"
        + _by_code(series_type, LABEL_SUFFIX)
    )


def issue_label(issue, series, series_type):
    """The display name of an issue, as `Issue.label` gives it in Python."""
    mark = case({SeriesTypeCode.DIGITAL_CHAPTER.value: " Chapter #"}, value=series_type.c.code, else_=" #")
    return series_label(series, series_type) + mark + issue.c.number


def issue_with_series(name: str):
    """Issues with their series and its type, under names of their own: (issue, series, type, the join)."""
    issue = Issue.__table__.alias(f"{name}_issue")
    series = Series.__table__.alias(f"{name}_series")
    series_type = SeriesType.__table__.alias(f"{name}_type")
    source = issue.join(series, series.c.id == issue.c.series_id).join(
        series_type, series_type.c.id == series.c.series_type_id
    )
    return issue, series, series_type, source


# Orders. The folded form first, then the text itself, then the id (api.md 3).


def by_name(table):
    """Objects whose name is folded in a column."""
    return table.c.folded, table.c.name, table.c.id


def by_plain_name(table):
    """Short lists of reference data, whose names are folded on the spot."""
    return func.fold(table.c.name).collate("C"), table.c.name.collate("C"), table.c.id


def by_designation(universe):
    """Universes: name, designation."""
    c = universe.c
    return c.folded, c.name, c.designation_folded, c.designation, c.id


def by_sort_name(series):
    """Series: sort name, first year."""
    return series.c.sort_folded, series.c.sort_name, series.c.year_began, series.c.id


def by_series(issue, series):
    """Issues everywhere: series, dates, number; unknown store dates last, as PostgreSQL has it."""
    own = (issue.c.cover_date, issue.c.store_date, issue.c.number, issue.c.id)
    return series.c.sort_folded, series.c.sort_name, *own


def by_cover_date(issue, series):
    """Issues of one parent: cover date, series, number."""
    return issue.c.cover_date, *by_sort_name(series)[:3], issue.c.number, issue.c.id


# Values.


def utc(moment: datetime) -> datetime:
    """An instant in UTC, which the serialiser writes with Z."""
    return moment.astimezone(UTC)


def money(amount: Decimal | None) -> str | None:
    """An amount with exactly two decimals, or None."""
    return None if amount is None else f"{amount:.2f}"


def average(row) -> float | None:
    """The mean of a row's stars, two decimals, or None when nobody has rated (`Rated.average_rating`)."""
    return round(row.rating_sum / row.rating_count, 2) if row.rating_count else None


def name_of(object_id: int | None, name: str | None) -> dict | None:
    """Named, or None where there is none."""
    return None if object_id is None else {"id": object_id, "name": name}
