"""Lists in pages: `?page=3`, `?page=last`, and nothing beyond the end (web.md 2.4)."""

from dataclasses import dataclass
from math import ceil

from pyramid.httpexceptions import HTTPBadRequest, HTTPNotFound
from sqlalchemy import Select, tuple_

from comicsdb_web.locales import _

PER_PAGE = 28
BLOCK_STEP = 30
AROUND = 2  # pages shown on either side of the current one
OFFSET_MAX = 2**31 - 1


@dataclass(frozen=True)
class Page:
    """One page of a list: its rows, its number, and how many rows and pages there are."""

    rows: list
    number: int
    total: int
    pages: int

    @property
    def numbers(self) -> list[int | None]:
        """The pages to link to: the first, the last, those around; None stands for those left out."""
        near = range(max(1, self.number - AROUND), min(self.pages, self.number + AROUND) + 1)
        shown = sorted({1, self.pages, *near})
        listed: list[int | None] = []
        for each in shown:
            if listed and each - listed[-1] == 2:
                listed.append(each - 1)  # an ellipsis would stand for one page only
            elif listed and each - listed[-1] > 2:
                listed.append(None)
            listed.append(each)
        return listed


def paginate(request, rows: Select, ids: Select, count: Select, per_page: int = PER_PAGE) -> Page:
    """The page that the request asks for: two statements. Raises HTTPNotFound beyond the end.

    `ids` gives the ids of the list (or the columns of its key) in its order, `rows` whole rows in the same
    order: only those of the page are put together, however far back it is.
    """
    total = request.dbsession.scalar(count)
    number, pages = page_asked_for(request, total, per_page)
    wanted = tuple_(*ids.selected_columns).in_(ids.limit(per_page).offset((number - 1) * per_page))
    return Page(request.dbsession.execute(rows.where(wanted)).all(), number, total, pages)


def page_asked_for(request, total: int, per_page: int) -> tuple[int, int]:
    """The number of the page, and how many there are. Raises HTTPNotFound beyond the end."""
    pages = max(1, ceil(total / per_page))
    return _page_number(request.GET.get("page", "1"), pages), pages


def _page_number(text: str, pages: int) -> int:
    if text == "last":
        return pages
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= pages:
        return int(text)
    raise HTTPNotFound(_("This list has no such page."))


def offset_of(request) -> int:
    """How many rows a block has shown already (web.md 2.6); raises HTTPBadRequest for anything else."""
    text = request.GET.get("offset", "0")
    if not (text.isascii() and text.isdigit()):
        raise HTTPBadRequest(_("The offset must be a whole number, zero or more."))
    return min(int(text[:12]), OFFSET_MAX) if len(text) <= 12 else OFFSET_MAX
