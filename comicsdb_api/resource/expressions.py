"""SQL expressions for bodies: values, nested objects and lists, labels and orders."""

from sqlalchemy import (
    Float,
    Numeric,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    null,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from comicsdb.catalog import search
from comicsdb.catalog.labels import constant, label_for_code
from comicsdb.models import Attribution, Genre, Issue, Series, SeriesType, series_genre
from comicsdb.models.choices import AttributionSource
from comicsdb_api.resource.types import ChoiceText, Instant, JsonList, JsonObject, Money, Url

# Base URLs in bodies, which are parameters of each request.
BASE, MEDIA = bindparam("base", type_=Url()), bindparam("media", type_=Url())


# Values.


def label_for(column, words: dict):
    """The label for the code in a column of choices, all of which have one."""
    return type_coerce(label_for_code(column, words), ChoiceText(*words.values()))


def value_or_null(condition, expression):
    """An expression if a condition holds, else null."""
    return case((condition, expression), else_=null())


def instant(column):
    """A time in UTC with Z and microseconds, without the fraction if it is zero."""
    return func.iso_instant(column, type_=Instant)


def money(column):
    """An amount as text, or null; the column's value already has its currency's number of decimals."""
    return value_or_null(column.is_not(None), cast(column, Money))


def picture_url(column):
    """The absolute URL of a picture, null for none."""
    return value_or_null(column != constant(""), required_picture_url(column))


def required_picture_url(column):
    """The absolute URL of a picture, which every row has."""
    return type_coerce(MEDIA + column, Url)


def page_url(table):
    """The URL of an object's page on the site, by its slug."""
    return type_coerce(BASE + constant(f"/{table.name}/") + table.c.slug + constant("/"), Url)


def average_rating(table):
    """The average rating of a row with two decimals, null without ratings (`RatingsMixin.average_rating`)."""
    mean = func.round(cast(table.c.rating_sum, Numeric) / func.nullif(table.c.rating_count, constant(0)), 2)
    return value_or_null(table.c.rating_count > constant(0), cast(mean, Float))


# Objects and lists.


def json_object(shape: str = "", /, **fields):
    """A JSON object with these keys, in order; `shape` is the name of its schema in the OpenAPI document."""
    arguments = []
    for key, value in fields.items():
        arguments += [constant(key), value]
    return func.json_build_object(*arguments, type_=JsonObject(fields, shape))


def json_list(element, source, condition, order, *owners):
    """The JSON list of `element` over the rows of `source` that belong to a row of each of `owners`."""
    elements = func.json_agg(aggregate_order_by(element, *order))
    kind = JsonList(element, lambda other: json_list(other, source, condition, order, *owners))
    return (
        select(func.coalesce(elements, literal_column("'[]'::json"), type_=kind))
        .select_from(source)
        .where(condition)
        .correlate(*owners)
        .scalar_subquery()
    )


def named_object(table):
    """Named: id and name."""
    return json_object("Named", id=table.c.id, name=table.c.name)


def series_brief(series):
    """SeriesBrief: the series of an issue in a list."""
    c = series.c
    return json_object("SeriesBrief", id=c.id, name=c.name, volume=c.volume, year_began=c.year_began)


def owned_issue(issue, series, shape: str = "OwnedIssue", **more):
    """OwnedIssue: the issue of a row in a reader's library; `more` fields come before the last."""
    c = issue.c
    return json_object(
        shape,
        id=c.id,
        series=series_brief(series),
        number=c.number,
        cover_date=c.cover_date,
        store_date=c.store_date,
        **more,
        modified=instant(c.modified),
    )


def owned_variant(item, variant):
    """The variant of a row in a reader's library, or null."""
    return value_or_null(
        item.c.variant_id.is_not(None), json_object("OwnedVariant", id=variant.c.id, name=variant.c.name)
    )


def stamped_object(table):
    """Stamped, as embedded in another object: `modified` is when the embedded name last changed."""
    return json_object("Stamped", id=table.c.id, name=table.c.name, modified=instant(table.c.name_changed))


def linked_list(owner, link, target, element, order):
    """The JSON list of objects that a link table links to `owner`."""
    return json_list(element, link.join(target), link.c[f"{owner.name}_id"] == owner.c.id, order, owner)


def stamped_list(owner, link, target, order=None):
    """The embedded Stamped objects that a link table links to `owner`."""
    return linked_list(owner, link, target, stamped_object(target), order or by_name(target))


def ids_in_list(objects, column):
    """The ids of the objects in a JSON list, in order; `column` is the column of the id."""
    each = func.json_array_elements(objects).table_valued("object", with_ordinality="place")
    each = each.render_derived(name="each")
    ids = func.json_agg(aggregate_order_by(each.c.object.op("->")(constant("id")), each.c.place))
    return select(func.coalesce(ids, literal_column("'[]'::json"), type_=JsonList(column))).scalar_subquery()


def genres(series):
    """The genres of a series as a JSON list of Named."""
    genre = Genre.__table__
    return linked_list(series, series_genre, genre, named_object(genre), by_plain_name(genre))


def attribution(owner):
    """The attributions of an object, in the order entered."""
    table = Attribution.__table__
    source = label_for(table.c.source, {each: each.label for each in AttributionSource})
    return json_list(
        json_object("Attribution", source=source, url=table.c.url),
        table,
        table.c[f"{owner.name}_id"] == owner.c.id,
        (table.c.id,),
        owner,
    )


def stamped_row(table) -> dict:
    """The fields of Stamped as a body, with the row's `modified`."""
    return {"id": table.c.id, "name": table.c.name, "modified": instant(table.c.modified)}


def issue_with_series(name: str):
    """Issues with their series and its type, as aliases: (issue, series, type, join)."""
    issue = Issue.__table__.alias(f"{name}_issue")
    series = Series.__table__.alias(f"{name}_series")
    series_type = SeriesType.__table__.alias(f"{name}_type")
    source = issue.join(series, series.c.id == issue.c.series_id).join(
        series_type, series_type.c.id == series.c.series_type_id
    )
    return issue, series, series_type, source


# Orders: the folded form of a text first, then the text itself, then the id.


def by_name(table):
    """By name, for tables with a column of the folded name."""
    return table.c.folded, table.c.name, table.c.id


def by_plain_name(table):
    """By name, for short lists of reference data without such a column."""
    return func.fold(table.c.name).collate("C"), table.c.name.collate("C"), table.c.id


def by_kind_order(model):
    """The order of a kind's lists."""
    return tuple(model.__table__.c[each.key] for each in search.order_columns(model))


def by_sort_name(series):
    """Series: sort name, first year."""
    return series.c.sort_folded, series.c.sort_name, series.c.year_began, series.c.id


def by_series(issue, series):
    """Issues of all series: series, dates, number; missing store dates last, as in PostgreSQL."""
    own = (issue.c.cover_date, issue.c.store_date, issue.c.number, issue.c.id)
    return series.c.sort_folded, series.c.sort_name, *own


def by_cover_date(issue, series):
    """Issues of one parent: cover date, series, number."""
    return issue.c.cover_date, *by_sort_name(series)[:3], issue.c.number, issue.c.id


# Statements.


def labelled_columns(fields: dict) -> list:
    """The fields of a body as columns."""
    return [value.label(key) for key, value in fields.items()]


def row_as_json(query):
    """The only row of a query as the text of a JSON object."""
    return select(cast(func.row_to_json(literal_column("object")), Text)).select_from(
        query.subquery("object")
    )


def rows_as_json(query):
    """The rows of a query, in its order, as the text of a JSON list."""
    rows = func.coalesce(func.json_agg(literal_column("item")), literal_column("'[]'"))
    return select(cast(rows, Text)).select_from(query.subquery("item")).scalar_subquery()
