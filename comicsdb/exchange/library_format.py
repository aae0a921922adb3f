"""The files of a data set that hold what accounts keep: their fields, and what the library calls them.

A record, or each record inside it, says one thing about an issue, a series or a list: an `Entry`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from comicsdb import models
from comicsdb.exchange import readers
from comicsdb.exchange.fields import REQUIRED
from comicsdb.exchange.readers import Reader, optional
from comicsdb.library.transfer.format import COLLECTION, ITEMS, LISTS, PULL, WISHES
from comicsdb.models.base import BIG_MAX, SMALL_MAX
from comicsdb.models.choices import (
    GRADES,
    PRIORITIES,
    STARS,
    BookFormat,
    Currency,
    GradingCompany,
    ItemType,
    ListSource,
    ListType,
    WishStatus,
)
from comicsdb.values import WEB_ADDRESS

LIST_STARS = "reading_list_ratings"
OWN_PULL, OWN_WISHES = "own_pull_list", "own_wish_list"  # the lists themselves
POINTER = ""  # the name of a key that tells what or whom an entry is about


@dataclass(frozen=True)
class Key:
    """A key of a record: how it is read, its default, and what the library calls it."""

    read: Reader
    default: object = REQUIRED
    name: str = POINTER


@dataclass(frozen=True)
class Kind:
    """One kind of record: its part of the library, the key of its `object_id`, and its keys."""

    part: str
    about: str
    keys: dict[str, Key]


@dataclass(frozen=True)
class Kept:
    """One file: its name without ending, its own kind of record, and the kinds of those inside, by key."""

    name: str
    own: Kind
    inside: dict[str, Kind]

    @property
    def file_name(self) -> str:
        """The name of the file."""
        return f"{self.name}.jsonl"


@dataclass(frozen=True)
class Entry:
    """What a record says: of which part, who says it about what, in which list, and the values."""

    part: str
    place: int  # inside its record, from 1; 0 for the record itself
    user_id: int
    object_id: int
    list_id: int | None
    said: dict


_id = Key(readers.identifier)
_own_id = Key(readers.whole(1, BIG_MAX), name="id")
_given_id = Key(optional(_own_id.read), None, "id")  # which sets of before did not have
_added = Key(readers.moment, name="added")
_modified = Key(readers.moment, name="modified")
_money = optional(readers.money(models.CollectionItem.purchase_price))
_grade = Key(optional(readers.choice(str(grade) for grade in GRADES)), None)


def _currency(name: str) -> Key:
    read = readers.or_default(readers.choice(Currency), Currency.USD.value)
    return Key(read, Currency.USD.value, name)


def _named(key: Key, name: str) -> Key:
    return Key(key.read, key.default, name)


def _text(column, name: str, *, required: bool = False) -> Key:
    return Key(readers.text(column, required=required), REQUIRED if required else "", name)


def _moments(value) -> list[str]:
    if type(value) is not list:
        raise ValueError("takes a list of instants")
    return sorted(readers.moment(each) for each in value)


_item = models.CollectionItem
COLLECTION_ITEM = Kind(
    COLLECTION,
    "issue_id",
    {
        "id": _own_id,
        "user_id": _id,
        "issue_id": _id,
        "quantity": Key(readers.whole(1, SMALL_MAX), 1, "quantity"),
        "book_format": Key(readers.choice(BookFormat), BookFormat.PRINT.value, "book_format"),
        "grade": _named(_grade, "grade"),
        "grading_company": Key(readers.choice(("", *GradingCompany)), "", "grading_company"),
        "purchase_date": Key(optional(readers.day()), None, "purchase_date"),
        "purchase_price": Key(_money, None, "purchase_price"),
        "purchase_currency": _currency("purchase_currency"),
        "purchase_store": _text(_item.purchase_store, "purchase_store"),
        "storage_location": _text(_item.storage_location, "storage_location"),
        "notes": _text(_item.notes, "notes"),
        "is_read": Key(readers.flag, False, "is_read"),
        "read_dates": Key(_moments, [], "read_dates"),
        "rating": Key(optional(readers.whole(*STARS)), None, "rating"),
        "created_on": _added,
        "modified": _modified,
    },
)
_list = models.ReadingList
READING_LIST = Kind(
    LISTS,
    "id",
    {
        "id": Key(readers.identifier, name="id"),
        "user_id": _id,
        "name": _text(_list.name, "name", required=True),
        "slug": Key(readers.slug(_list.slug), name="slug"),
        "desc": _text(_list.desc, "desc"),
        "is_private": Key(readers.flag, False, "is_private"),
        "list_type": Key(readers.choice(ListType), ListType.EVENT.value, "list_type"),
        "attribution_source": Key(readers.choice(("", *ListSource)), "", "attribution_source"),
        "attribution_url": Key(
            readers.matching(_list.attribution_url, f"({WEB_ADDRESS.pattern})?", "a web address"),
            "",
            "attribution_url",
        ),
        "previous_id": Key(optional(readers.identifier), None, "previous_id"),
        "next_id": Key(optional(readers.identifier), None, "next_id"),
        "created_on": _added,
        "modified": _modified,
    },
)
LIST_ITEM = Kind(
    ITEMS,
    "issue_id",
    {
        "id": _given_id,
        "issue_id": _id,
        "order": Key(readers.number(models.ReadingListItem.order, low=1), name="order"),
        "issue_type": Key(readers.choice(("", *ItemType)), "", "issue_type"),
        "added_on": Key(optional(readers.moment), None, "added"),
    },
)
LIST_RATING = Kind(
    LIST_STARS,
    "",
    {
        "id": _given_id,
        "user_id": _id,
        "rating": Key(readers.whole(*STARS), name="rating"),
        "created_on": Key(optional(readers.moment), None, "added"),
    },
)
_OF_ACCOUNT = {"id": _given_id, "user_id": _id, "created_on": _added, "modified": _modified}
FOLLOWED = Kind(PULL, "series_id", {"id": _given_id, "series_id": _id, "added_on": _added})
WISHED = Kind(
    WISHES,
    "issue_id",
    {
        "id": _given_id,
        "issue_id": _id,
        "status": Key(readers.choice(WishStatus), WishStatus.WANTED.value, "status"),
        "priority": Key(readers.whole(*PRIORITIES), name="priority"),
        "desired_grade": _named(_grade, "desired_grade"),
        "max_price": Key(_money, None, "max_price"),
        "currency": _currency("max_currency"),
        "notes": _text(models.WishListItem.notes, "notes"),
        "added_on": _added,
        "modified": _modified,
    },
)

FILES = (
    Kept("collection_items", COLLECTION_ITEM, {}),
    Kept("reading_lists", READING_LIST, {"items": LIST_ITEM, "ratings": LIST_RATING}),
    Kept("pull_lists", Kind(OWN_PULL, "user_id", _OF_ACCOUNT), {"series": FOLLOWED}),
    Kept("wish_lists", Kind(OWN_WISHES, "user_id", _OF_ACCOUNT), {"items": WISHED}),
)


def entries(file: Kept, record: dict, wrong, unknown) -> Iterator[Entry]:
    """The entries of a record; none if any of it is wrong.

    `wrong(key, what)` is told what is, and `unknown(key)` which keys the format does not have.
    """
    told = []
    values = _read(file.own, record, "", told)
    inside = {}
    for key, kind in file.inside.items():
        listed = record.get(key, [])
        if type(listed) is not list or not all(isinstance(each, dict) for each in listed):
            told.append((key, "takes a list of objects"))
            continue
        inside[key] = [_read(kind, each, f"{key}[{n}].", told) for n, each in enumerate(listed)]
        for each in listed:
            for other in each.keys() - kind.keys.keys():
                unknown(f"{key}.{other}")
    for other in record.keys() - file.own.keys.keys() - file.inside.keys():
        unknown(other)
    for key, what in told:
        wrong(key, what)
    if told:
        return
    owner, own = values["user_id"], values.get("id")
    yield Entry(file.own.part, 0, owner, values[file.own.about], None, _named_values(file.own, values))
    for key, kind in file.inside.items():
        for place, each in enumerate(inside[key], 1):
            about = each[kind.about] if kind.about else own
            who = each.get("user_id", owner)
            yield Entry(kind.part, place, who, about, own, _named_values(kind, each))


def _read(kind: Kind, record: dict, where: str, told: list) -> dict:
    """The values of a record by key; what is wrong with it is `told`."""
    values = {}
    for key, each in kind.keys.items():
        value = record.get(key, each.default)
        try:
            if value is REQUIRED:
                raise ValueError("is missing")
            values[key] = each.read(value)
        except ValueError as error:
            told.append((f"{where}{key}", str(error)))
    return values


def _named_values(kind: Kind, values: dict) -> dict:
    return {each.name: values[key] for key, each in kind.keys.items() if each.name}


def filled(said: dict) -> dict:
    """What an entry says that there may be a value for already: no blanks, nor the currency of no amount."""
    said = dict(said)
    for amount, currency in (("purchase_price", "purchase_currency"), ("max_price", "max_currency")):
        if said.get(amount) is None:
            said.pop(currency, None)
    return {name: value for name, value in said.items() if value not in (None, "", [])}
