"""The entries of a list that are not in the catalog yet, for those who may change it."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select

from comicsdb.library import reading_lists
from comicsdb.library.transfer import pending
from comicsdb.models import PendingEntry
from comicsdb.models.base import BIG_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.values import whole_number
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.reading_lists import ListViewsBase
from comicsdb_web.rendering.locales import _, ngettext

PER_PAGE = 100
CHOOSE = _("Choose the entries to remove.")


class PendingViews(ListViewsBase):
    """The page of the entries, and its forms."""

    def entries(self):
        """The entries, in the order of the list."""
        found = self.managed_list()
        entries = pending.of_list(found.id)
        ids = entries.with_only_columns(PendingEntry.id)
        count = select(func.count()).select_from(ids.order_by(None).subquery())
        page = paginate(self.request, entries, ids, count, PER_PAGE)
        return {"entity": found, "page": page, "ids_in_words": _ids_in_words}

    def change(self):
        """Look for the issues of all entries, or remove the chosen entries."""
        found, post = self.managed_list(), self.request.POST
        locked = reading_lists.lock_list(self.session, self.identity, self.official, found)
        if "look" in post:
            number = pending.resolve(locked)
            text = ngettext(
                "${n} entry is an issue of the list now.", "${n} entries are issues of the list now.", number
            )
        else:
            ids = {whole_number(value, high=BIG_MAX) for value in post.getall("entry")} - {None}
            number = pending.remove(locked, ids)
            removed = ngettext("${n} entry was removed.", "${n} entries were removed.", number)
            text = removed if number else CHOOSE
        self.request.messages.add("success" if number else "info", text)
        return HTTPSeeOther(self.request.entity_path(found, "pending"))


def _ids_in_words(entry: PendingEntry) -> str:
    return ", ".join(
        f"{EXTERNAL_SOURCES[source].label} {number}" for source, number in pending.ids_of(entry).items()
    )


def includeme(config):
    """Add the pages below the list's page."""
    page, views = config.add_list_page, PendingViews
    page("pending", "{slug}/pending/", views, attr="entries", template="pending", parameters=("page",))
    page("change_pending", "{slug}/pending/change/", views, attr="change", methods=("POST",))
