"""Bulk changes of collection and wish list: of selected items, or of all that match the filters."""

from collections.abc import Callable
from typing import ClassVar

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import Select, select

from comicsdb.catalog import InvalidError
from comicsdb.i18n import translate
from comicsdb.library import bulk, collection, wish_list
from comicsdb.library.collection import filters
from comicsdb.models import CollectionItem, WishListItem
from comicsdb.models.base import BIG_MAX
from comicsdb.schemas.collection import CollectionBulkSchema
from comicsdb.schemas.wish import PurchaseSchema, WishFormSchema
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import Choice, EntityForm, Line, Section, StringList
from comicsdb_web.forms.options import labelled
from comicsdb_web.forms.values import changes_of
from comicsdb_web.lists.filters import Filter, parse_filters
from comicsdb_web.pages.library import collection as collection_pages
from comicsdb_web.pages.library import wish_list as wish_pages
from comicsdb_web.pages.library.collection import COMPANIES, GRADE_NAMES, PURCHASE_FIELDS
from comicsdb_web.rendering.locales import _, ngettext

EXAMPLES = 5  # items that the page names

NO_CHANGE = _("Leave as it is")
READ_ON = _("Read on")
NOTHING_FILLED_IN = _("Fill in at least one field.")
VALUE_AND_CLEARED = _("Enter a value or clear the field, not both.")
COUNT_CHANGED = _("Your list has changed in the meantime. Check the number of items again.")
TOO_MANY = _("At most ${most} items can be changed at once: filter the list first.")
UNCHANGED = _("Nothing was changed: all selected items already have these values.")


COPY_FIELDS = (
    Choice("grade", _("Grade"), options=labelled(GRADE_NAMES, none=NO_CHANGE)),
    Choice(
        "grading_company",
        _("Graded by"),
        options=labelled(COMPANIES, none=NO_CHANGE),
    ),
    *PURCHASE_FIELDS,
    Line("storage_location", _("Storage location"), max_length=255),
    StringList("tags", _("Add tags"), _("Separate several with commas."), separator=","),
    StringList("tags_removed", _("Remove tags"), _("Separate several with commas."), separator=","),
)
COLLECTION_FORM = EntityForm(CollectionBulkSchema, (Section("copy", _("Change fields"), COPY_FIELDS),))
WISH_FORM = EntityForm(
    WishFormSchema,
    (
        Section(
            "wish",
            _("Change fields"),
            (
                Choice("priority", _("Priority"), options=labelled(wish_pages.PRIORITIES, none=NO_CHANGE)),
                Choice("status", _("Status"), options=labelled(wish_pages.STATUSES, none=NO_CHANGE)),
            ),
        ),
    ),
)
PURCHASE_FORM = EntityForm(PurchaseSchema, (Section("purchase", _("Purchase"), PURCHASE_FIELDS),))


class BulkViews:
    """The page of a bulk change, with the number of items it affects; the base class.

    Selected items are sent as `item`. Without a form, or with `all` in it, the change affects all items that
    match the filters of the query.
    """

    model: type
    route: str
    list_filters: tuple[Filter, ...]
    actions: ClassVar[dict[str, Callable]]  # by button: functions that return a message
    clearable: tuple[str, ...] = ()

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.user_id = request.identity.user_id
        self.sent = request.restored_form.take() if request.restored_form else request.POST

    def edit(self):
        """Show the page, or perform the action that was chosen on it."""
        is_all = not self.sent or "all" in self.sent
        active_filters = parse_filters(self.request, self.list_filters)
        if is_all and active_filters.errors:  # without the invalid filters, more items would match
            return HTTPSeeOther(self._list_path)
        found = self.matching(active_filters.values) if is_all else self._selected()
        ids = bulk.ids_of(self.session, found)
        if not ids:
            return self._redirect("info", _("Select some items first."))
        if len(ids) > bulk.ITEMS_MAX:
            return self._redirect("warning", TOO_MANY % {"most": f"{bulk.ITEMS_MAX:,}"})
        drafts = self.drafts()
        form = form_state.Form()
        act = self.request.POST.get("act")
        if act in self.actions:
            for draft in drafts.values():
                draft.read(self.request.POST)
            try:
                if self.sent.get("count") != str(len(ids)):
                    raise InvalidError({form_state.FORM_ERROR: [COUNT_CHANGED]})
                return self._redirect(*self.actions[act](self, ids, drafts))
            except InvalidError as error:
                form = form_state.with_errors(self.request, error, form_state.text_fields(self.request))
                for draft in drafts.values():
                    draft.add_errors(
                        {name: found for name, found in error.errors.items() if name in draft.typed}
                    )
        return {
            "area": self.route.split(".")[0],
            "count": len(ids),
            "examples": self.examples(ids),
            "items": [] if is_all else ids,
            "chips": active_filters.chips if is_all else [],
            "drafts": drafts,
            "form": form,
            "cleared": self.sent.getall("clear"),
            "clearable": self.clearable,
            "labels": {"read_date": translate(self.request.localizer, READ_ON)}
            | {name: label for draft in drafts.values() for name, label in draft.labels.items()},
            "list_path": self._list_path,
        }

    @property
    def _list_path(self) -> str:
        """The list with the same filters, from its first page, as there may be fewer pages now."""
        query = self.request.query_with(page=None, select=None)
        return self.request.route_path(self.route) + query

    def _redirect(self, kind, text):
        self.request.messages.add(kind, text)
        return HTTPSeeOther(self._list_path)

    def _selected(self) -> Select:
        sent = (whole_number(each, 1, BIG_MAX) for each in self.sent.getall("item"))
        chosen = [each for each in sent if each is not None]
        return select(self.model.id).where(bulk.is_own_item(self.model, self.user_id, chosen))

    def changes(self, draft: Draft, ids: list[int]) -> dict:  # noqa: ARG002
        """The values of the fields that are filled in, None or "" for cleared ones; raises InvalidError."""
        change, errors = changes_of(draft)
        cleared = [each for each in self.sent.getall("clear") if each in self.clearable]
        filled = {each.name for each in draft.form.fields if not each.is_blank(draft.typed[each.name])}
        errors |= {name: [VALUE_AND_CLEARED] for name in cleared if name in filled}
        if errors:
            raise InvalidError(errors)
        columns = {name for each in filled for name in (each, each.replace("price", "currency"))}
        values = {name: value for name, value in change.values.items() if name in columns}
        table = self.model.__table__
        values |= {name: None if table.c[name].nullable else "" for name in cleared}
        if values.get("purchase_price") == 0:
            values["purchase_price"] = None  # a price of 0 is no price
        return values

    def change(self, ids, drafts):
        """Set the fields that are filled in."""
        values = self.changes(drafts["fields"], ids)
        if not values:
            raise InvalidError({form_state.FORM_ERROR: [NOTHING_FILLED_IN]})
        changed = bulk.change(self.session, self.model, self.user_id, ids, values)
        if not changed:
            return "info", UNCHANGED
        return "success", ngettext("${n} item was changed.", "${n} items were changed.", changed)

    def remove(self, ids, _drafts):
        """Remove the items."""
        removed = bulk.remove(self.session, self.model, self.user_id, ids)
        return "success", ngettext("${n} item was removed.", "${n} items were removed.", removed)


class CollectionBulkViews(BulkViews):
    """Bulk changes of the collection."""

    model = CollectionItem
    route = "collection.list"
    list_filters = collection_pages.FILTERS
    clearable = (
        *("grade", "grading_company", "purchase_date", "purchase_price"),
        *("purchase_store", "storage_location"),
    )

    def drafts(self):
        """The forms with fields."""
        return {"fields": Draft(self.request, "collection_item", COLLECTION_FORM)}

    def matching(self, values: dict) -> Select:
        """The ids of all items that match these values of filters."""
        return filters.item_ids(self.user_id, filters.CollectionFilters(**values))

    def examples(self, ids) -> list[str]:
        """The labels of the first items."""
        rows = (
            filters.items()
            .where(bulk.is_own_item(CollectionItem, self.user_id, ids))
            .order_by(*filters.ORDER)
        )
        return [each.issue.label for each in self.session.scalars(rows.limit(EXAMPLES))]

    def changes(self, draft, ids):
        """The values to set; a copy without a grade has no grading company."""
        values = super().changes(draft, ids)
        added, removed = values.pop("tags", []), values.pop("tags_removed", [])
        if added or removed:
            values["tags"] = bulk.tags(self.session, self.user_id, ids, added, removed)
        return values | {"grading_company": ""} if values.get("grade", 1) is None else values

    def read(self, ids, _drafts):
        """Mark the unread items as read."""
        moment = collection_pages.read_time(self.request)
        marked = collection.mark_read(self.session, self.user_id, ids, moment)
        if not marked:
            return "info", ngettext("It was already read.", "They were all already read.", len(ids))
        return "success", ngettext("${n} item was marked as read.", "${n} items were marked as read.", marked)

    def move(self, ids, _drafts):
        """Move the items to the wish list."""
        moved = bulk.move_to_wish_list(self.session, self.user_id, ids)
        return "success", ngettext(
            "${n} item was moved to your wish list.", "${n} items were moved to your wish list.", moved
        )

    actions: ClassVar = {"change": BulkViews.change, "read": read, "move": move, "remove": BulkViews.remove}


class WishBulkViews(BulkViews):
    """Bulk changes of the wish list."""

    model = WishListItem
    route = "wish_list"
    list_filters = wish_pages.FILTERS

    def drafts(self):
        """The forms with fields."""
        return {
            "fields": Draft(self.request, "wish_list_item", WISH_FORM),
            "purchase": Draft(self.request, "purchase", PURCHASE_FORM),
        }

    def matching(self, values: dict) -> Select:
        """The ids of all items that match these values of filters."""
        return wish_list.ordered_ids(self.user_id, **values)

    def examples(self, ids) -> list[str]:
        """The labels of the first items."""
        rows = wish_list.items().where(bulk.is_own_item(WishListItem, self.user_id, ids)).limit(EXAMPLES)
        return [each.issue.label for each in self.session.scalars(rows)]

    def move(self, ids, drafts):
        """Move the wishes to the collection, with the purchase."""
        purchase = self.changes(drafts["purchase"], ids)
        added, owned = bulk.move_to_collection(self.session, self.user_id, ids, purchase)
        words = {
            "added": ngettext(
                "${n} issue was added to your collection.",
                "${n} issues were added to your collection.",
                added,
            ),
            "owned": ngettext("${n} was already there.", "${n} were already there.", owned),
        }
        return "success", _("${added} ${owned}", mapping=words) if owned else words["added"]

    actions: ClassVar = {"change": BulkViews.change, "move": move, "remove": BulkViews.remove}


def includeme(config):
    """Add the pages."""
    methods = ("GET", "HEAD", "POST")
    parameters = (*(each.name for each in CollectionBulkViews.list_filters), "view")
    config.add_collection_page(
        "bulk",
        "bulk/",
        CollectionBulkViews,
        attr="edit",
        methods=methods,
        renderer="collection/bulk.jinja2",
        parameters=parameters,
    )
    config.add_page(
        "wish_list.bulk",
        "/wish-list/bulk/",
        WishBulkViews,
        attr="edit",
        methods=methods,
        renderer="collection/bulk.jinja2",
        parameters=tuple(each.name for each in WishBulkViews.list_filters),
        permission=collection_pages.Permission.MEMBER,
        decorator=collection_pages.private,
    )
