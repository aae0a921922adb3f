"""The files of a data set, version 1: their fields in order, with the columns of the database.

Import and export share this declaration; type, length, range, codes, default and target of a column come from
the models. There is one JSON object per line. An `id` is unique in its file, and `X_id` refers to the file of
X. Null means "unknown", and so does "" for text. `image` is a path below images/. Next to it, `image_sha256`
and the `image_hashes` of covers show that exactly this file has been decoded before, so import need not do
so.

Some records contain lists of others, such as the items of a reading list. These are declared as a `File` of
their own, and are staged, checked, stored and exported like the rows of any other file.
"""

from dataclasses import dataclass

from sqlalchemy import ARRAY, JSON, Boolean, Column, Date, DateTime, Integer, Numeric, String

from comicsdb import clock, models
from comicsdb.catalog.kinds import KINDS, Link
from comicsdb.exchange import readers
from comicsdb.exchange.readers import LACKING, Reader, optional
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import INTEGER_MAX, allowed_values, max_value, sql_type
from comicsdb.models.choices import (
    COUNTRIES,
    DEFAULT_LANGUAGE,
    EARLIEST_YEAR,
    EXTERNAL_SOURCES,
    GRADES,
    LANGUAGES,
    YEARS,
    AttributionSource,
    PullMode,
    SeriesTypeCode,
    Status,
)
from comicsdb.models.currencies import CURRENCY_COLUMNS
from comicsdb.values import WEB_ADDRESS

VERSION = 1
REQUIRED = object()  # the default of a field that is required
INFERRED = object()
PICTURE_SIZE = ("image_width", "image_height")
PICTURE_FACTS = ("image_sha256", "image_hashes")  # keys that go with a picture


@dataclass(frozen=True, eq=False)
class Field:
    """One key of a record.

    `column` is its column, `type` the SQL type, `default` the value if a record lacks the key. `target` is
    the file that its ids refer to, `link` the table for a list of ids. `picture` marks the path of a picture.
    `export_sql` is an SQL expression over a row t that is exported instead of the column. A `legacy` field is
    read from older sets, but not exported. `nested` is the file of the records in a list.
    """

    key: str
    read: Reader
    type: str
    column: str
    default: object = REQUIRED
    target: str = ""
    link: Link | None = None
    picture: bool = False
    export_sql: str = ""
    legacy: bool = False
    nested: "File | None" = None


@dataclass(frozen=True, eq=False)
class File:
    """One file: its name without suffix, the model of its rows, its fields and its unique sets.

    A unique set has a name for messages, SQL expressions over the columns of a row, and optionally the
    columns within which they are unique (by default the whole file). `match` are the columns that identify an
    existing row. For records nested in others, `owner` is the file of the outer records and `parent` the
    column that refers to them. `order` is the order of export. `counted` is the name in the report, if it
    differs from the file's.
    """

    name: str
    model: type
    fields: tuple[Field, ...]
    unique: tuple[tuple[str, ...], ...] = ()
    match: tuple[str, ...] = ()
    owner: str = ""
    parent: str = ""
    order: str = "id"
    counted: str | None = None

    @property
    def kind(self) -> str:
        """The name of its table."""
        return self.model.__tablename__

    @property
    def staged(self) -> str:
        """The temporary table for its records."""
        return f"staged_{self.name}"

    @property
    def file_name(self) -> str:
        """The name of the file, with suffix."""
        return f"{self.owner or self.name}.jsonl"

    @property
    def reported(self) -> str:
        """Its name in the report, "" if it is not counted."""
        return self.name if self.counted is None else self.counted

    @property
    def staged_fields(self) -> tuple[Field, ...]:
        """The fields with a column in the staging table: all but lists of other records."""
        return tuple(field for field in self.fields if not field.nested)

    @property
    def exported_fields(self) -> tuple[Field, ...]:
        """The fields of exported records."""
        return tuple(field for field in self.fields if not field.legacy)

    @property
    def link_fields(self) -> tuple[Field, ...]:
        """The fields of link tables."""
        return tuple(field for field in self.fields if field.link)

    @property
    def reference_fields(self) -> tuple[Field, ...]:
        """The fields that hold ids of another file."""
        return tuple(field for field in self.fields if field.target)

    @property
    def has_picture(self) -> bool:
        """Whether its rows have pictures."""
        return any(field.picture for field in self.fields)

    @property
    def has_cover(self) -> bool:
        """Whether the pictures are covers, which have perceptual hashes."""
        return self.has_picture and "cover_hash" in self.model.__table__.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its table that import fills, including values from pictures, except the id."""
        known = self.model.__table__.columns
        filled = [field.column for field in self.fields if field.column in known and field.column != "id"]
        filled += [self.parent] if self.parent else []
        made = (*PICTURE_SIZE, *(("cover_hash",) if self.has_cover else ())) if self.has_picture else ()
        return (*filled, *(column for column in made if column not in filled))


def field(column, key: str = "", *, read: Reader | None = None, default=INFERRED) -> Field:
    """A field of one column; parser, default and target come from the column unless they are given."""
    column = column.property.columns[0]
    if default is INFERRED:
        default = _default(column)
    target = next((_NAMES.get(each.column.table.name, "") for each in column.foreign_keys), "")
    if read is None:
        read = _reader(column, required=default is REQUIRED)
        read = optional(read) if default is None else read
        read = readers.lacking_or(read) if default is LACKING else read
    return Field(key or column.key, read, sql_type(column), column.key, default, target)


def _file(name: str, model, *parts: str | Field, **more) -> File:
    """A file of the rows of a model; each part is a field, or names of columns separated by spaces."""
    found = []
    for part in parts:
        found += [field(getattr(model, each)) for each in part.split()] if isinstance(part, str) else [part]
    return File(name, model, tuple(found), **more)


def required(column, key: str = "") -> Field:
    """A field that every record must have, although the column has a default."""
    return field(column, key, default=REQUIRED)


def _default(column: Column):
    """The value if a record lacks the key."""
    if column.default is not None:
        return [] if column.default.is_callable else column.default.arg
    return None if column.nullable else REQUIRED


def _reader(column: Column, *, required: bool) -> Reader:
    """The parser for a column, by its type and the checks of its table."""
    codes, bounds = allowed_values(column)
    if column.primary_key or column.foreign_keys:
        return readers.whole_between(1, max_value(column.type))
    if column.name in CURRENCY_COLUMNS.values():
        return readers.currency
    if codes:
        return readers.choice(codes)
    if bounds:
        return readers.year if bounds == YEARS else readers.whole_between(*bounds)
    if column.name == "slug":
        return readers.slug(column)
    if isinstance(column.type, String):
        return readers.text(column, required=required)
    return next(made(column) for type_, made in _OF_TYPE.items() if isinstance(column.type, type_))


_OF_TYPE = {
    ARRAY: readers.texts,
    Boolean: lambda _column: readers.flag,
    Date: lambda _column: readers.day(),
    DateTime: lambda _column: readers.moment,
    JSON: lambda _column: readers.translations,
    Integer: lambda column: readers.whole_between(0, max_value(column.type)),
    Numeric: lambda _column: readers.money,
}
# Names of files by table.
_NAMES = {kind.name: {"series": "series"}.get(kind.name, f"{kind.name}s") for kind in KINDS.values()} | {
    "user_account": "users",
    "variant": "variants",
    "reading_list": "reading_lists",
}


def _linked(key: str, link: Link) -> Field:
    """A field with the ids of another file, for a link table."""
    target = _NAMES[link.target.__tablename__]
    return Field(key, readers.identifiers, "integer[]", key, [], target, link)


def _links(model) -> tuple[Field, ...]:
    """The link fields of a kind: "creators" is the field creator_ids into creators.jsonl."""
    return tuple(
        _linked(f"{link.field.removesuffix('s')}_ids", link) for link in KINDS[model.__tablename__].links
    )


def _picture() -> Field:
    """A field with the path of a picture below images/, "" for none."""
    return Field("image", readers.path, "varchar(100)", "image", "", picture=True)


def _matching(column, pattern: str, words: str) -> Field:
    return field(column, read=readers.matching(column, pattern, words))


def _issue_day(column) -> Field:
    read = readers.day(EARLIEST_YEAR)
    return field(column, read=optional(read) if column.property.columns[0].nullable else read)


_UNIQUE_IDS = (("slug", ("slug",)), ("cv_id", ("cv_id",)), ("gcd_id", ("gcd_id",)))


def _entity(name: str, model, *parts: str | Field, unique: tuple = (), with_picture: bool = True) -> File:
    """The file of a kind of the catalog that has a name."""
    common = "id name slug desc cv_id gcd_id created_on modified"
    last = (*_links(model), _picture()) if with_picture else _links(model)
    return _file(name, model, common, *parts, *last, unique=(*_UNIQUE_IDS, *unique))


def _reference(name: str, model, columns: str, *more: Field, unique: tuple) -> File:
    """A file of reference data; a record may lack all other columns, which are then staged as null."""
    listed = columns.split()
    extra = [
        field(getattr(model, column.key), default=LACKING)
        for column in model.__table__.columns
        if column.key not in {*listed, *(each.column for each in more)}
    ]
    return _file(name, model, columns, *more, *extra, unique=unique)


GENRES = _reference("genres", models.Genre, "id name", unique=(("name", ("lower(name)",)),))
SERIES_TYPES = _reference(
    "series_types",
    models.SeriesType,
    "id name",
    field(models.SeriesType.code, read=readers.lacking_or(readers.code(SeriesTypeCode)), default=LACKING),
    unique=(("name", ("name",)), ("code", ("nullif(code, '')",))),
)
ROLES = _reference(
    "roles", models.Role, "id name order", unique=(("name", ("name",)), ("order", ('"order"',)))
)
AGE_RATINGS = _reference("age_ratings", models.AgeRating, "id name", unique=(("name", ("name",)),))

_user = models.User
_SECRET = {"type": "text", "default": "", "export_sql": "''"}
USERS = _file(
    "users",
    _user,
    "id",
    _matching(
        _user.username,
        r"(?!\d+$|\.{1,2}$)[\w.@+-]+",  # a path may not end in /../
        "letters, digits and @ . + - _, and neither digits alone nor one or two dots",
    ),
    _matching(_user.email, r"[^@\s]+@[^@\s]+", "an e-mail address"),
    Field("password", readers.text(_user.bio), column="password", **_SECRET),
    Field(
        "api_token",
        readers.matching(models.ApiToken.digest, r"\S*", "a token without blanks"),
        column="api_token",
        **_SECRET,
    ),
    "is_staff is_superuser",
    Field(
        "groups",
        readers.texts(models.Series.alt_names),
        "varchar[]",
        "groups",
        [],
        export_sql="ARRAY(SELECT g.name FROM user_group_member m JOIN user_group g ON g.id = m.group_id"
        " WHERE m.user_id = t.id ORDER BY g.name)",
    ),
    "supporter_tier supporter_until bio date_joined",
    unique=(("username", ("lower(username)",)), ("email", ("lower(email)",))),
)

PUBLISHERS = _entity(
    "publishers",
    models.Publisher,
    "alt_names founded",
    field(models.Publisher.country, read=readers.choice(("", *COUNTRIES))),
)
IMPRINTS = _entity("imprints", models.Imprint, "publisher_id founded")
UNIVERSES = _entity(
    "universes",
    models.Universe,
    "publisher_id designation",
    unique=(("publisher_id, name and designation", ("publisher_id", "name", "designation")),),
)
CREATORS = _entity("creators", models.Creator, "alias birth birth_precision death death_precision")
TEAMS = _entity("teams", models.Team)
CHARACTERS = _entity("characters", models.Character, "alias")
ARCS = _entity("arcs", models.Arc)
_series = models.Series
_SERIES_KEY = ("publisher_id", "name", "volume", "series_type_id")
SERIES = _entity(
    "series",
    _series,
    "sort_name alt_names",
    field(_series.language, read=readers.choice(("", *LANGUAGES)), default=DEFAULT_LANGUAGE),
    required(_series.volume),
    required(_series.year_began),
    "year_end series_type_id",
    field(
        _series.status,
        read=readers.choice([status.value for status in Status]),
        default=Status.ONGOING.value,
    ),
    "publisher_id imprint_id collection",
    unique=(("publisher_id, name, volume and series_type_id", _SERIES_KEY),),
    with_picture=False,
)

_issue, _credit, _variant = models.Issue, models.Credit, models.Variant
ISSUES = _file(
    "issues",
    _issue,
    "id series_id slug",
    *(field(column, read=readers.issue_number(column)) for column in (_issue.number, _issue.alt_number)),
    "title",
    field(_issue.name, "story_titles"),
    field(_issue.cover_date, read=optional(readers.day(EARLIEST_YEAR)), default=None),
    "cover_date_precision",
    _issue_day(_issue.store_date),
    _issue_day(_issue.foc_date),
    "price currency",
    required(_issue.rating_id, "age_rating_id"),
    "sku isbn upc",
    field(_issue.page, "page_count"),
    "desc desc_is_solicitation",
    _picture(),
    _matching(_issue.cover_hash, r"([0-9a-fA-F]{16})?", "16 hexadecimal digits"),
    *_links(_issue),
    "cv_id gcd_id created_by_id edited_by_id created_on modified",
    unique=(*_UNIQUE_IDS, ("series_id and number", ("series_id", "number_key(number)"))),
)
_ROLES_OF_CREDIT = Link("roles", models.credit_role, "credit_id", "role_id", models.Role)
CREDITS = _file(
    "credits",
    _credit,
    "id issue_id creator_id",
    _linked("role_ids", _ROLES_OF_CREDIT),
    unique=(("issue_id and creator_id", ("issue_id", "creator_id")),),
    match=("issue_id", "creator_id"),
)
VARIANTS = _file(
    "variants",
    _variant,
    "id issue_id name price currency sku upc",
    _picture(),
)
_attribution, _stars = models.Attribution, models.IssueRating
_OWNER = (
    Field("entity", readers.choice(OWNERS), "varchar(40)", "entity"),
    Field("entity_id", readers.identifier, "integer", "entity_id"),
)
ATTRIBUTIONS = _file(
    "attributions",
    _attribution,
    "id",
    *_OWNER,
    field(_attribution.source, read=readers.choice(AttributionSource), default=REQUIRED),
    field(_attribution.url, read=readers.url(_attribution.url)),
)
_external = models.ExternalId
EXTERNAL_IDS = _file(
    "external_ids",
    _external,
    "id",
    *_OWNER,
    field(_external.source, read=readers.choice(EXTERNAL_SOURCES)),
    "external_id scope",
    unique=(("source, external_id and scope", ("source", "external_id", "scope"), "entity, entity_id"),),
)
# Parts of objects of any kind; their rows, with their owners, as in data sets.
OWNED = (ATTRIBUTIONS, EXTERNAL_IDS)
OWNED_ROWS = {
    file: f"(SELECT {', '.join(field.column for field in file.fields if field not in _OWNER)}, CASE "
    + " ".join(f"WHEN {kind}_id IS NOT NULL THEN '{kind}'" for kind in OWNERS)
    + " END AS entity, coalesce("
    + ", ".join(f"{kind}_id" for kind in OWNERS)
    + f") AS entity_id FROM {file.kind})"
    for file in OWNED
}
ISSUE_RATINGS = _file(
    "issue_ratings",
    _stars,
    "id issue_id user_id rating created_on",
    unique=(("issue_id and user_id", ("issue_id", "user_id")),),
    match=("issue_id", "user_id"),
)

# Libraries of accounts. Older data sets lack the ids of some rows and the times when others were added.


def _given_id(model) -> Field:
    return field(model.id, default=None)


def _moment_or_now(column) -> Field:
    def read(value):
        return clock.now().isoformat() if value is None else readers.moment(value)

    return field(column, read=read, default=None)


def _moments(value) -> list[str]:
    """Read a list of times."""
    if type(value) is not list:
        raise ValueError("takes a list of instants")
    return [readers.moment(each) for each in value]


def _records(value):
    if type(value) is not list or not all(isinstance(each, dict) for each in value):
        raise ValueError("takes a list of objects")


def _nested(key: str, file: File) -> Field:
    """A field with a list of records, which are the rows of another file."""
    return Field(key, _records, "", "", [], nested=file)


def _grade(column) -> Field:
    return field(column, read=optional(readers.choice(str(grade) for grade in GRADES)))


_item = models.CollectionItem
_READ_DATES = Field(
    "read_dates",
    _moments,
    "timestamptz[]",
    "read_dates",
    [],
    legacy=True,
)
# The position of an item among those of its issue: the set's second item is the second one in the database.
_COPY = Field(
    "copy",
    readers.whole_between(1, INTEGER_MAX),
    "integer",
    "copy",
    1,
    export_sql="(SELECT count(*) FROM collection_item c"
    " WHERE c.user_id = t.user_id AND c.issue_id = t.issue_id AND c.id <= t.id)",
)
COLLECTION_ITEMS = _file(
    "collection_items",
    _item,
    "id user_id issue_id",
    _COPY,
    field(_item.variant_id, default=None),
    "quantity book_format",
    _grade(_item.grade),
    "grading_company purchase_date purchase_price purchase_currency purchase_store storage_location",
    "tags notes is_read",
    _READ_DATES,
    "rating created_on modified",
    unique=(("issue_id and copy", ("issue_id", "copy"), "user_id"),),
    match=("user_id", "issue_id", "copy"),
)
READ_DATES = _file(
    "read_dates",
    models.ReadDate,
    "id user_id issue_id read_on created_on",
    match=("user_id", "issue_id", "read_on"),
    counted="",
)
_listed, _list_stars, _list = models.ReadingListItem, models.ReadingListRating, models.ReadingList
_OF_LIST = {"owner": "reading_lists", "parent": "reading_list_id"}
READING_LIST_ITEMS = _file(
    "reading_list_items",
    _listed,
    _given_id(_listed),
    "issue_id",
    field(_listed.order, read=readers.whole_between(1, INTEGER_MAX)),
    "issue_type",
    _moment_or_now(_listed.added_on),
    unique=(("items", ("issue_id",), "line"), ("items", ('"order"',), "line")),
    match=("reading_list_id", "issue_id"),
    order="order",
    **_OF_LIST,
)
_pending = models.PendingEntry
_ONE_ID = "|".join(f"{source} ({form.pattern})" for source, form in EXTERNAL_SOURCES.items())
READING_LIST_PENDING = _file(
    "reading_list_pending",
    _pending,
    _given_id(_pending),
    field(_pending.position, read=readers.whole_between(1, INTEGER_MAX)),
    "series number volume year_began year cover_date",
    field(_pending.cover_date_precision, default="day"),
    "publisher upc",
    _matching(
        _pending.ids, f"(({_ONE_ID})( ({_ONE_ID}))*)?", "sources and their ids, as in “metron 17 locg 4”"
    ),
    "issue_type",
    _moment_or_now(_pending.added_on),
    unique=(("pending", ('"position"',), "line"),),
    match=("reading_list_id", "position"),
    order="position",
    **_OF_LIST,
)
READING_LIST_RATINGS = _file(
    "reading_list_ratings",
    _list_stars,
    _given_id(_list_stars),
    "user_id rating",
    _moment_or_now(_list_stars.created_on),
    unique=(("ratings", ("user_id",), "line"),),
    match=("reading_list_id", "user_id"),
    order="user_id",
    **_OF_LIST,
)
_like = models.ReadingListLike
READING_LIST_LIKES = _file(
    "reading_list_likes",
    _like,
    _given_id(_like),
    "user_id",
    _moment_or_now(_like.created_on),
    unique=(("likes", ("user_id",), "line"),),
    match=("reading_list_id", "user_id"),
    order="user_id",
    **_OF_LIST,
)
READING_LISTS = _file(
    "reading_lists",
    _list,
    "id user_id name slug desc is_private list_type attribution_source",
    _matching(_list.attribution_url, f"({WEB_ADDRESS.pattern})?", "a web address"),
    field(_list.file_source, default=""),
    field(_list.start_year, read=optional(readers.year), default=None),
    "previous_id next_id forked_from_id",
    _nested("items", READING_LIST_ITEMS),
    _nested("pending", READING_LIST_PENDING),
    _nested("ratings", READING_LIST_RATINGS),
    _nested("likes", READING_LIST_LIKES),
    "created_on modified",
    unique=(("slug", ("slug",)), ("name", ("name",), "user_id, attribution_source")),
    match=("user_id", "name", "attribution_source"),
)
_followed, _wished = models.PullListSeries, models.WishListItem
PULL_LIST_SERIES = _file(
    "pull_list_series",
    _followed,
    _given_id(_followed),
    "series_id",
    field(_followed.pulled, default=PullMode.COVER.value),
    field(_followed.variant_words, default=""),
    "added_on",
    unique=(("series_id", ("series_id",), "line"),),
    match=("pull_list_id", "series_id"),
    owner="pull_lists",
    parent="pull_list_id",
    order="series_id",
    counted="pull_lists",
)
WISH_LIST_ITEMS = _file(
    "wish_list_items",
    _wished,
    _given_id(_wished),
    "issue_id",
    field(_wished.variant_id, default=None),
    "status",
    required(_wished.priority),
    _grade(_wished.desired_grade),
    "max_price",
    field(_wished.max_currency, "currency"),
    "notes added_on modified",
    unique=(("issue_id and variant_id", ("issue_id", "variant_id"), "line"),),
    match=("wish_list_id", "issue_id", "variant_id"),
    owner="wish_lists",
    parent="wish_list_id",
    order="id",
    counted="wish_lists",
)


def _of_account(name: str, model, nested: Field) -> File:
    """A file of lists of which an account has at most one; the report counts their items instead."""
    parts = (_given_id(model), "user_id", nested, "created_on modified")
    one = {"unique": (("user_id", ("user_id",)),), "match": ("user_id",)}
    return _file(name, model, *parts, **one, order="user_id", counted="")


PULL_LISTS = _of_account("pull_lists", models.PullList, _nested("series", PULL_LIST_SERIES))
WISH_LISTS = _of_account("wish_lists", models.WishList, _nested("items", WISH_LIST_ITEMS))

REFERENCE = (GENRES, SERIES_TYPES, ROLES, AGE_RATINGS)
CATALOG = (PUBLISHERS, IMPRINTS, UNIVERSES, CREATORS, TEAMS, CHARACTERS, ARCS, SERIES, ISSUES)
PARTS = (CREDITS, VARIANTS, *OWNED)
# Lists come before their items, and reads before the items that show them.
LIBRARY = (
    *(READ_DATES, COLLECTION_ITEMS),
    *(READING_LISTS, READING_LIST_ITEMS, READING_LIST_PENDING, READING_LIST_RATINGS, READING_LIST_LIKES),
    *(PULL_LISTS, PULL_LIST_SERIES, WISH_LISTS, WISH_LIST_ITEMS),
)
# All files in the order of import and export; those of accounts are exported only on request.
FILES = (*REFERENCE, USERS, *CATALOG, *PARTS, ISSUE_RATINGS, *LIBRARY)
OF_ACCOUNTS = (USERS, ISSUE_RATINGS, *LIBRARY)
BY_NAME = {file.name: file for file in FILES}
BY_KIND = {file.kind: file for file in FILES}
