"""What a file of a data set is made of: fields, the columns they fill, and how each is read."""

from dataclasses import dataclass

from sqlalchemy.dialects import postgresql

from comicsdb.catalog.kinds import KINDS, Link
from comicsdb.exchange import readers
from comicsdb.exchange.readers import Reader, optional
from comicsdb.models.choices import Currency

REQUIRED = object()  # the default of a field that every record must have
_DIALECT = postgresql.dialect()


@dataclass(frozen=True)
class Field:
    """One key of a record.

    `column` is the column it fills, `type` its SQL type, `default` the value of a record without the key.
    `target` is the file that its ids point into, `link` the table that a list of ids fills. `picture` marks
    the path of a picture.
    """

    key: str
    read: Reader
    type: str
    column: str
    default: object = REQUIRED
    target: str = ""
    link: Link | None = None
    picture: bool = False


@dataclass(frozen=True)
class File:
    """One file: its name without ending, the model its rows become, its fields and its unique sets.

    A unique set is what a message calls it and the SQL expressions over the columns of a row.
    """

    name: str
    model: type
    fields: tuple[Field, ...]
    unique: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def kind(self) -> str:
        """The table of its rows."""
        return self.model.__tablename__

    @property
    def staged(self) -> str:
        """The temporary table that its records are read into."""
        return f"staged_{self.name}"

    @property
    def file_name(self) -> str:
        """The name of the file."""
        return f"{self.name}.jsonl"

    @property
    def links(self) -> tuple[Field, ...]:
        """The fields that fill link tables."""
        return tuple(field for field in self.fields if field.link)

    @property
    def pointers(self) -> tuple[Field, ...]:
        """The fields that point into a file, one id or many."""
        return tuple(field for field in self.fields if field.target)

    @property
    def has_picture(self) -> bool:
        """Whether its rows have pictures."""
        return any(field.picture for field in self.fields)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that its fields fill, pictures with their size; without the id."""
        filled = [field.column for field in self.fields if not field.link and field.column != "id"]
        return (*filled, "image_width", "image_height") if self.has_picture else tuple(filled)


def sql_type(column) -> str:
    """The type of a column as CREATE TABLE takes it."""
    return column.type.compile(dialect=_DIALECT)


def plain(key: str, column, read: Reader, default=REQUIRED, target: str = "") -> Field:
    """A field that fills one column as it is."""
    return Field(key, read, sql_type(column), column.key, default, target)


def text(key: str, column, *, required: bool = False) -> Field:
    """Text; "" where nothing is known."""
    return plain(key, column, readers.text(column, required=required), REQUIRED if required else "")


def number(key: str, column, *, required: bool = False) -> Field:
    """A number that is not negative."""
    read = readers.number(column)
    return plain(key, column, read if required else optional(read), REQUIRED if required else None)


def year(key: str, column, *, required: bool = False) -> Field:
    """A year."""
    read = readers.year
    return plain(key, column, read if required else optional(read), REQUIRED if required else None)


def texts(key: str, column) -> Field:
    """A list of texts."""
    return plain(key, column, readers.texts(column), [])


def day(key: str, column, earliest: int = 1) -> Field:
    """A date, or null."""
    return plain(key, column, optional(readers.day(earliest)), None)


def points(key: str, column, target: str, *, required: bool = True) -> Field:
    """The id of a row of the file `target`."""
    read = readers.identifier
    return plain(key, column, read if required else optional(read), REQUIRED if required else None, target)


def linked(key: str, target: str, link: Link) -> Field:
    """The ids of rows of the file `target`, for a link table."""
    return Field(key, readers.identifiers, "integer[]", key, [], target, link)


def links(model, **targets: str) -> tuple[Field, ...]:
    """The link fields of a kind: `creators="teams"` is the field creator_ids into teams.jsonl."""
    known = {link.field: link for link in KINDS[model.__tablename__].links}
    return tuple(
        linked(f"{name.removesuffix('s')}_ids", target, known[name]) for name, target in targets.items()
    )


def picture(*, required: bool = False) -> Field:
    """The path of a picture below images/, "" where there is none."""
    default = REQUIRED if required else ""
    return Field("image", readers.path(required), "varchar(100)", "image", default, picture=True)


def identity(model) -> Field:
    """The id."""
    return plain("id", model.id, readers.identifier)


def common(model) -> tuple[Field, ...]:
    """The fields that all named kinds of the catalogue begin with."""
    return (
        identity(model),
        text("name", model.name, required=True),
        plain("slug", model.slug, readers.slug(model.slug)),
        text("desc", model.desc),
        number("cv_id", model.cv_id),
        number("gcd_id", model.gcd_id),
        plain("created_on", model.created_on, readers.moment),
        plain("modified", model.modified, readers.moment),
    )


def price(model) -> tuple[Field, ...]:
    """An amount, null where there is none, and its currency, which may then be empty."""
    default = Currency.USD.value
    return (
        plain("price", model.price, optional(readers.money(model.price)), None),
        plain("currency", model.currency, readers.or_default(readers.choice(Currency), default), default),
    )
