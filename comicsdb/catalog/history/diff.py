"""Differences between two states of an object, by field, with names instead of ids.

A difference is plain data: texts, numbers, dates, booleans, None, `Money`, `Picture`, `Source` and
`Reference`. Countries and languages are codes, for which pages show the names in the reader's language.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy.orm import Session

from comicsdb.catalog.history.snapshots import to_column_type
from comicsdb.catalog.history.text_diff import diff_words
from comicsdb.catalog.kinds import KINDS, PRECISIONS, Kind
from comicsdb.catalog.references import Reference, References
from comicsdb.models import Variant
from comicsdb.models.choices import EXTERNAL_SOURCES, AttributionSource, Precision, Status
from comicsdb.values import partial_day_text

VALUE, TEXT, LIST, ORDER, CREDITS, VARIANTS = "value", "text", "list", "order", "credits", "variants"
LONG_TEXT_FIELDS = ("desc", "notes", "description")  # fields that are compared word by word
# These are shown with the picture, the price or the date.
IMPLIED_FIELDS = ("image_width", "image_height", "cover_hash", "currency", *PRECISIONS)


@dataclass(frozen=True)
class Money:
    """An amount with its currency."""

    amount: Decimal
    currency: str


@dataclass(frozen=True)
class Picture:
    """The storage key of a picture, whose file may have been deleted."""

    key: str


@dataclass(frozen=True)
class Source:
    """The source of a text: its name and the URL of the page."""

    name: str
    url: str


@dataclass(frozen=True)
class Difference:
    """The difference in one field.

    `shape` determines which other attributes are set: for VALUE and ORDER `old` and `new` (for ORDER, the
    same items in another order), for TEXT `words` (`text_diff.diff_words`), for LIST also `added` and
    `removed`, for CREDITS and VARIANTS `parts`.
    """

    field: str
    shape: str
    old: object = None
    new: object = None
    added: tuple = ()
    removed: tuple = ()
    words: tuple[tuple[str, str], ...] = ()
    parts: tuple["PartDifference", ...] = ()


@dataclass(frozen=True)
class PartDifference:
    """The difference in a credit (`subject` is the creator, `added` and `removed` are roles) or a variant.

    `action` is "added", "removed" or "changed". For a variant, `subject` is its id and name, and
    `differences` are those of its fields.
    """

    action: str
    subject: object
    added: tuple[Reference, ...] = ()
    removed: tuple[Reference, ...] = ()
    differences: tuple[Difference, ...] = ()


def compare(
    session: Session, kind: str, pairs: Iterable[tuple[dict | None, dict]]
) -> list[tuple[Difference, ...]]:
    """The differences between pairs of snapshots, old and new, of objects of one kind.

    The first version of an object has no differences. Names take one statement per referenced kind, and one
    more for deleted objects.
    """
    pairs = list(pairs)
    names = References(
        session, referenced_ids(kind, [each for pair in pairs for each in pair if each is not None])
    )
    return [_differences(KINDS[kind], old, new, names) if old is not None else () for old, new in pairs]


def referenced_ids(kind: str, snapshots: Iterable[dict]) -> dict[str, set[int]]:
    """The ids that snapshots of a kind refer to, by referenced kind."""
    found: dict[str, set[int]] = defaultdict(set)
    declared = KINDS[kind]
    for snapshot in snapshots:
        for field, target in declared.parents.items():
            if snapshot.get(field) is not None:
                found[target.__tablename__].add(snapshot[field])
        for link in declared.links:
            found[link.target.__tablename__].update(snapshot.get(link.field, ()))
        for credit in snapshot.get("credits", ()):
            found["creator"].add(credit["creator"])
            found["role"].update(credit["roles"])
    return found


def _differences(kind: Kind, old: dict, new: dict, names: References) -> tuple[Difference, ...]:
    """The differences, ordered like the kind's fields, with the slug first."""
    links = {link.field: link.target.__tablename__ for link in kind.links}
    found = []
    for field in ("slug", *kind.fields):
        blank = [] if field in kind.parts else None
        before, after = old.get(field, blank), new.get(field, blank)
        if field in IMPLIED_FIELDS or not _differs(field, old, new, blank):
            continue
        if field in kind.parents:
            target = kind.parents[field].__tablename__
            shown = (each and names.to(target, each) for each in (before, after))
            found.append(Difference(field, VALUE, *shown))
        elif field in links:
            found.append(
                _list_difference(
                    field, *(_sorted_references(names, links[field], each) for each in (before, after))
                )
            )
        elif field == "credits":
            found.append(Difference(field, CREDITS, parts=_credit_differences(before, after, names)))
        elif field == "variants":
            found.append(Difference(field, VARIANTS, parts=_variant_differences(before, after)))
        elif field in _ITEMS:
            found.append(
                _list_difference(field, *(list(map(_ITEMS[field], rows)) for rows in (before, after)))
            )
        elif {type(before), type(after)} & {list, dict}:
            found.append(_list_difference(field, _elements(before), _elements(after)))
        elif field in LONG_TEXT_FIELDS:
            found.append(Difference(field, TEXT, before, after, words=diff_words(before or "", after or "")))
        else:
            columns = kind.model.__table__.columns
            shown = (_shown_value(columns, field, each) for each in (old, new))
            found.append(Difference(field, VALUE, *shown))
    return tuple(found)


def _elements(value: list | dict | None) -> list:
    """The elements of a list, or the translations of a text with their languages."""
    if isinstance(value, dict):
        return [f"{language}: {text}" for language, text in sorted(value.items())]
    return value or []


def _differs(field: str, old: dict, new: dict, blank: list | None) -> bool:
    if field == "price":
        return _price_differs(old, new)
    if f"{field}_precision" in new:
        return _partial_date(field, old) != _partial_date(field, new)
    return old.get(field, blank) != new.get(field, blank)


def _price_differs(old: dict, new: dict) -> bool:
    """Whether the price differs; the currency is ignored if there is no amount."""
    prices = [(each.get("price"), each.get("currency")) for each in (old, new)]
    return prices[0] != prices[1] and any(price is not None for price, _currency in prices)


def _partial_date(field: str, snapshot: dict) -> str | None:
    """The known part of a date, or None if there is none."""
    return partial_day_text(snapshot.get(field), snapshot.get(f"{field}_precision")) or None


def _shown_value(columns, field: str, snapshot: dict):
    """The value of a plain field as shown; None for an empty text."""
    if snapshot.get(f"{field}_precision") not in (None, Precision.DAY):
        return _partial_date(field, snapshot)
    value = snapshot.get(field)
    if value is None or value == "":
        return None
    if field == "price":
        return Money(to_column_type(columns[field], value), snapshot.get("currency", ""))
    if field == "image":
        return Picture(value)
    if field == "status" and value in list(Status):
        return Status(value).label
    return to_column_type(columns[field], value) if field in columns else value


def _sorted_references(names: References, kind: str, ids: list[int] | None) -> list[Reference]:
    found = [names.to(kind, each) for each in ids or ()]
    return sorted(found, key=lambda each: (str(each).casefold(), each.id))


def _shown_source(attribution: dict) -> Source:
    source = attribution["source"]
    known = source in list(AttributionSource)
    return Source(AttributionSource(source).label if known else source, attribution["url"])


def _external_id_text(row: dict) -> str:
    """An external id with its source, such as `Metron: 4711 (volume)`."""
    source = EXTERNAL_SOURCES.get(row["source"])
    scope = f" ({row['scope']})" if row["scope"] else ""
    return f"{source.label if source else row['source']}: {row['external_id']}{scope}"


_ITEMS = {"attributions": _shown_source, "external_ids": _external_id_text}


def _list_difference(field: str, old: list, new: list) -> Difference:
    """The difference of lists: added and removed items or, if there are none, their order."""
    added = tuple((Counter(new) - Counter(old)).elements())
    removed = tuple((Counter(old) - Counter(new)).elements())
    if added or removed:
        return Difference(field, LIST, tuple(old), tuple(new), added, removed)
    return Difference(field, ORDER, tuple(old), tuple(new))


def _credit_differences(
    old: list[dict] | None, new: list[dict] | None, names: References
) -> tuple[PartDifference, ...]:
    before, after = ({each["creator"]: each["roles"] for each in rows or ()} for rows in (old, new))
    found = []
    for creator in _sorted_references(names, "creator", list({**before, **after})):
        roles = [_sorted_references(names, "role", rows.get(creator.id)) for rows in (before, after)]
        action = _action(creator.id, before, after)
        if action != "changed" or roles[0] != roles[1]:
            added, removed = (
                (each for each in roles[1] if each not in roles[0]),
                (each for each in roles[0] if each not in roles[1]),
            )
            found.append(PartDifference(action, creator, tuple(added), tuple(removed)))
    return tuple(found)


def _variant_differences(old: list[dict] | None, new: list[dict] | None) -> tuple[PartDifference, ...]:
    """The differences of variants, matched by id; the subject is (id, name)."""
    before, after = ({each["id"]: each for each in rows or ()} for rows in (old, new))
    found = []
    for number in sorted({**before, **after}):
        was, now = before.get(number, {}), after.get(number, {})
        if was != now:
            subject = (number, now.get("name") or was.get("name") or "")
            found.append(
                PartDifference(
                    _action(number, before, after), subject, differences=_fields_of_variant(was, now)
                )
            )
    return tuple(found)


def _fields_of_variant(old: dict, new: dict) -> tuple[Difference, ...]:
    columns = Variant.__table__.columns
    pairs = [
        (field, _shown_value(columns, field, old), _shown_value(columns, field, new))
        for field in ("name", "price", "sku", "upc", "image")
    ]
    return tuple(Difference(field, VALUE, was, now) for field, was, now in pairs if was != now)


def _action(key: int, before: dict, after: dict) -> str:
    return "added" if key not in before else "removed" if key not in after else "changed"
