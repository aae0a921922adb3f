"""What narrows the list of reading lists, with a chip for each filter that counts."""

from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Text, and_, func, not_, or_, select, true

from comicsdb.catalog import search
from comicsdb.i18n import translate
from comicsdb.library.reading_lists.figures import of_publisher
from comicsdb.models import ReadingList, User
from comicsdb.models.choices import STARS
from comicsdb_web.lists.filters import Chip, without
from comicsdb_web.pages.reading_lists.labels import SOURCES, TYPES
from comicsdb_web.rendering.locales import _, ngettext

NAMES = (
    "q",
    "name",
    "username",
    "publisher",
    "list_type",
    "attribution_source",
    "average_rating__gte",
    "is_private",
)
LABELS = {
    "q": _("Search"),
    "name": _("Name"),
    "username": _("Owner"),
    "publisher": _("Publisher"),
    "list_type": _("Type"),
    "attribution_source": _("Source"),
    "average_rating__gte": _("Stars"),
    "is_private": _("Shown to"),
}
PRIVATE = {"true": _("Private lists"), "false": _("Public lists")}
UNKNOWN = _("There is no such choice.")
NO_STARS = _("Choose 1 to 5 stars.")


@dataclass
class Narrowed:
    """What the address narrows the list by.

    `typed` is what the form shows, by name; `chips` stand for the filters that count; `errors` are said
    beside the fields whose values make no sense, which narrow nothing.
    """

    typed: dict[str, str] = field(default_factory=dict)
    conditions: list[ColumnElement[bool]] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


def narrowed(request) -> Narrowed:
    """What the address asks for; who is not logged in sees public lists alone and is not asked about them."""
    found = Narrowed()
    for name in NAMES:
        value = search.cleaned(request.GET.get(name, ""))
        if name == "is_private" and request.identity is None:
            value = ""
        found.typed[name] = value
        if not value:
            continue
        condition, shown = _READ[name](value)
        shown = translate(request.localizer, shown)
        if condition is None:
            found.errors[name] = shown
        else:
            found.conditions.append(condition)
            found.chips.append(
                Chip(translate(request.localizer, LABELS[name]), shown, without(request, name))
            )
    return found


def _words(value: str) -> tuple:
    """Words of the name, of the owner's or of the source's."""
    conditions = []
    for word in search.words(value):
        sources = [code.value for code, name in SOURCES.items() if word.casefold() in name.casefold()]
        by_source = ReadingList.attribution_source.in_(sources)
        conditions.append(or_(search.holds(ReadingList.folded, word), _owners(word), by_source))
    return and_(true(), *conditions), value


def _owners(part: str) -> ColumnElement[bool]:
    folded = func.fold(User.username, type_=Text)
    return ReadingList.user_id.in_(select(User.id).where(search.holds(folded, part)))


def _name(value: str) -> tuple:
    return search.holds(ReadingList.folded, value), value


def _username(value: str) -> tuple:
    return _owners(value), value


def _publisher(value: str) -> tuple:
    return of_publisher(value), value


def _list_type(value: str) -> tuple:
    return (ReadingList.list_type == value, TYPES[value]) if value in list(TYPES) else (None, UNKNOWN)


def _source(value: str) -> tuple:
    known = value in list(SOURCES)
    return (ReadingList.attribution_source == value, SOURCES[value]) if known else (None, UNKNOWN)


def _stars(value: str) -> tuple:
    """At least so many on average; private lists show no stars, so none of them is found by stars."""
    if value not in {str(n) for n in range(STARS[0], STARS[1] + 1)}:
        return None, NO_STARS
    enough = ReadingList.rating_sum >= int(value) * ReadingList.rating_count
    text = ngettext("${n} star or more", "${n} stars or more", int(value))
    return (ReadingList.rating_count > 0) & enough & not_(ReadingList.is_private), text


def _is_private(value: str) -> tuple:
    if value not in PRIVATE:
        return None, UNKNOWN
    private = ReadingList.is_private
    return (private if value == "true" else not_(private)), PRIVATE[value]


_READ = {
    "q": _words,
    "name": _name,
    "username": _username,
    "publisher": _publisher,
    "list_type": _list_type,
    "attribution_source": _source,
    "average_rating__gte": _stars,
    "is_private": _is_private,
}
