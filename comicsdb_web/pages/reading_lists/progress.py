"""Reading along a list: what to read next, what is missing, and actions on many of its issues."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import Select, func, not_, select

from comicsdb import clock
from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.i18n import Plural, Text, translate
from comicsdb.library import collection, reads, wish_list
from comicsdb.library.reading_lists import figures, reading
from comicsdb.library.transfer.tables import csv_text
from comicsdb.library.transfer.values import escape_formula
from comicsdb.models import Issue, ReadingList, ReadingListItem
from comicsdb.values import partial_day_text, whole_number
from comicsdb_web.forms.fields import text_of
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import safe_path
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.library.imports import file_response
from comicsdb_web.pages.reading_lists import ListViewsBase
from comicsdb_web.rendering.locales import _, ngettext
from comicsdb_web.rendering.track_bar import buttons, marks_of

PER_PAGE = 500  # rows of a shopping list
BARS_MAX = 200  # issues whose buttons are replaced in place
NOTHING = _("Nothing to change.")
TITLES = ("position", "series", "number", "publisher", "cover_date", "price", "currency", "wished")


class ProgressViews(ListViewsBase):
    """Members' actions on the issues of a list: reading, collecting, wishing, listing missing ones."""

    def read(self):
        """Mark an issue as read, or (`up_to`) all up to an item, and show the next one."""
        found, item, post = self.visible_list(), ReadingListItem, self.request.POST
        if "up_to" in post:
            last = self._item(found, text_of(post, "up_to"))
            chosen, path = item.order <= last.order, self.item_path(found, last)
        else:
            chosen = item.issue_id == (whole_number(text_of(post, "issue") or "") or 0)
            path = f"{self.request.entity_path(found)}#list-reading"
        issues = reading.issue_ids(self.session, found.id, chosen)
        marked = reads.mark_read(self.session, self.identity.user_id, issues, clock.now())
        message = ngettext("${n} issue was marked as read.", "${n} issues were marked as read.", len(marked))
        if self.request.is_fragment:
            return self._progress_fragment(found, marked, message)
        return self._redirect("success" if marked else "info", message, path)

    def _item(self, found: ReadingList, text: str | None) -> ReadingListItem:
        """An item of the list; raises NotFoundError for an item of another list."""
        number = whole_number(text or "") or 0
        wanted = select(ReadingListItem).where(ReadingListItem.reading_list_id == found.id)
        item = self.session.scalar(wanted.where(ReadingListItem.id == number))
        if item is None:
            raise NotFoundError("reading_list_item", number)
        return item

    def _progress_fragment(self, found: ReadingList, marked: list[int], message: Plural):
        """The fragment with the progress, the next issue, and the buttons of the marked issues."""
        rows = select(Issue.id, Issue.slug).where(Issue.id.in_(marked[-BARS_MAX:]))
        slugs = dict(self.session.execute(rows).all())
        marks = marks_of(self.request, slugs)
        values = {
            "entity": found,
            "next_item": reading.next_to_read(self.session, self.identity.user_id, found.id),
            "counts": reading.progress(self.session, self.identity.user_id, [found.id]).get(found.id),
            "bars": {each: buttons(self.request, marks[each], slug) for each, slug in slugs.items()},
            "message": translate(self.request.localizer, message),
            "kind": "success" if marked else "info",
            "undo": self.request.messages.undo_path,
            "next": self.request.entity_path(found),
        }
        return fragment(self.request, "reading_list_progress", values)

    def track(self):
        """Add all issues, `but` for some positions, to the collection or wish list, or mark them as read."""
        found, post = self.visible_list(), self.request.POST
        path = safe_path(post.get("next")) or self.request.entity_path(found)
        known = {"collection": self._own, "read": self._mark, "wish_list": self._wish}
        act = known.get(text_of(post, "to") or "")
        try:
            chosen = reading.issues_except(self.session, found.id, text_of(post, "but") or "") if act else []
        except InvalidError as error:
            return self._redirect("error", error.errors["but"][0], path)
        number, message = act(found, chosen) if act else (0, NOTHING)
        return self._redirect("success" if number else "info", message, path)

    def _own(self, _found, chosen: list[int]) -> tuple[int, Text]:
        rows = [(each, {}) for each in chosen]
        user_id = self.identity.user_id
        added = len(collection.add_many(self.session, user_id, rows))
        skipped = len(rows) - added
        words = {
            "added": ngettext("${n} issue was added.", "${n} issues were added.", added),
            "skipped": ngettext("${n} was already there.", "${n} were already there.", skipped),
        }
        return added, _("${added} ${skipped}", mapping=words)

    def _mark(self, _found, chosen: list[int]) -> tuple[int, Text]:
        marked = len(reads.mark_read(self.session, self.identity.user_id, chosen, clock.now()))
        return marked, ngettext("${n} issue was marked as read.", "${n} issues were marked as read.", marked)

    def _wish(self, found: ReadingList, chosen: list[int]) -> tuple[int, Text]:
        """Add the chosen issues that are not owned to the wish list."""
        user_id, kept = self.identity.user_id, set(chosen)
        missing = reading.issue_ids(self.session, found.id, not_(reading.is_owned(user_id)))
        wished = wish_list.wish_many(self.session, user_id, [each for each in missing if each in kept])
        message = ngettext(
            "${n} issue was added to your wish list.", "${n} issues were added to your wish list.", wished
        )
        return wished, message

    def _redirect(self, kind: str, text: Text, path: str):
        self.request.messages.add(kind, text)
        return HTTPSeeOther(path)

    # Missing issues.

    def missing(self):
        """The issues that the reader does not own, to be printed or copied."""
        found = self.visible_list()
        ids = reading.missing(self.identity.user_id, found.id)
        count = select(func.count()).select_from(ids.order_by(None).subquery())
        page = paginate(self.request, self._rows(found), ids, count, PER_PAGE)
        return {"entity": found, "page": page}

    def missing_csv(self):
        """The missing issues as CSV."""
        found = self.visible_list()
        ids = reading.missing(self.identity.user_id, found.id)
        rows = self._rows(found).where(ReadingListItem.id.in_(ids.order_by(None)))
        cells = (_cells(item, wished) for item, wished in self.session.execute(rows))
        content = csv_text(TITLES, cells).encode("utf-8-sig")
        return file_response(content, "text/csv", f"missing-{found.slug}.csv")

    def _rows(self, found: ReadingList) -> Select:
        """All items of the list, with `wished`."""
        wished = reading.is_wished(self.identity.user_id)
        return figures.items(found.id).add_columns(wished.label("wished"))


def _cells(item: ReadingListItem, wished: bool) -> tuple[str, ...]:
    issue = item.issue
    texts = (issue.series.label, issue.number, issue.series.publisher.name)
    price = ("", "") if issue.price is None else (str(issue.price), issue.currency)
    more = (partial_day_text(issue.cover_date, issue.cover_date_precision), *price, "yes" if wished else "no")
    return (str(item.order), *map(escape_formula, texts), *more)


def includeme(config):
    """Add the pages below the list's page."""
    page, views, post = config.add_list_page, ProgressViews, {"methods": ("POST",)}
    page("read", "{slug}/read/", views, attr="read", **post)
    page("track", "{slug}/track/", views, attr="track", **post)
    page("missing", "{slug}/missing/", views, attr="missing", template="missing", parameters=("page",))
    page("missing_csv", "{slug}/missing.csv", views, attr="missing_csv")
