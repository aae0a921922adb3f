"""Lists of the administration: search, filters and pages, declared by each list and answered here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, Text, func, select

from comicsdb.catalog import search
from comicsdb_web.locales import _
from comicsdb_web.paging import paginate

PER_PAGE = 50


@dataclass(frozen=True)
class Filter:
    """A choice that narrows a list: its parameter, its title, and for each value a label and a condition."""

    name: str
    title: str
    choices: Mapping[str, tuple[str, ColumnElement[bool]]]


def yes_no(name: str, title: str, condition: ColumnElement[bool]) -> Filter:
    """A filter by something that is so or not."""
    return Filter(name, title, {"yes": (_("Yes"), condition), "no": (_("No"), ~condition)})


def folded(*columns) -> tuple[ColumnElement, ...]:
    """Columns as the words of a search are looked for in them, case and accents aside."""
    return tuple(func.fold(column, type_=Text) for column in columns)


def listing(
    request,
    rows: Select,
    key: Sequence[ColumnElement],
    order: Sequence[ColumnElement],
    *,
    searched: Sequence[ColumnElement] = (),
    filters: Sequence[Filter] = (),
    of: ColumnElement | None = None,
) -> dict:
    """What the template of a list needs, in two statements; values of filters that are none are ignored.

    `key` is the row's key, `order` a total order. `of` is the column of the account whose lines alone are
    shown where the address says `?user=ID`.
    """
    query = search.cleaned(request.GET.get("q", ""))
    conditions = [search.in_any(searched, search.words(query))] if searched else []
    chosen = {each.name: request.GET.get(each.name, "") for each in filters}
    chosen = {each.name: chosen[each.name] for each in filters if chosen[each.name] in each.choices}
    conditions += [each.choices[chosen[each.name]][1] for each in filters if each.name in chosen]
    user = request.GET.get("user", "") if of is not None else ""
    user_id = int(user) if user.isascii() and user.isdigit() and len(user) < 10 else None
    if user_id is not None:
        conditions.append(of == user_id)
    found = rows.with_only_columns(*key, maintain_column_froms=True).where(*conditions)
    count = select(func.count()).select_from(found.order_by(None).subquery())
    page = paginate(request, rows.order_by(*order), found.order_by(*order), count, PER_PAGE)
    return {
        "page": page,
        "query": query,
        "searched": bool(searched),
        "filters": [_shown(request, each, chosen.get(each.name, "")) for each in filters],
        "user_id": user_id,
        "narrowed": bool(query or chosen or user_id is not None),
    }


def _shown(request, narrowing: Filter, chosen: str) -> dict:
    """A filter in the reader's language, with the value that counts now."""
    say = request.localizer.translate
    options = [(value, say(label)) for value, (label, _condition) in narrowing.choices.items()]
    return {"name": narrowing.name, "title": say(narrowing.title), "options": options, "chosen": chosen}
