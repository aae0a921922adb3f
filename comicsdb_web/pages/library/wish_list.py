"""A reader's wish list: the issues they look for, and acquiring them."""

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import wish_list
from comicsdb.library.locks import lock_account
from comicsdb.models import Issue, Series, WishListItem
from comicsdb.models.choices import DEFAULT_PRIORITY, WishStatus
from comicsdb.models.currencies import currency_of
from comicsdb.schemas.types import CHOICE_GONE
from comicsdb.schemas.wish import PurchaseSchema, WishFormSchema
from comicsdb.security import Permission
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import (
    Choice,
    EntityForm,
    Money,
    Section,
)
from comicsdb_web.forms.options import labelled
from comicsdb_web.forms.values import valid_changes
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.lists import filters
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.library.collection import (
    GRADE_NAMES,
    ISSUE_FIELD,
    NOTES_FIELD,
    PURCHASE_FIELDS,
    SELECT_PAGE,
    OwnItemDraft,
    OwnItemViews,
    private,
    redirect_with_message,
    variant_options,
)
from comicsdb_web.rendering.locales import _

PER_PAGE = 50
STATUSES = {WishStatus.WANTED: _("Wanted"), WishStatus.FOUND: _("Found"), WishStatus.ACQUIRED: _("Acquired")}
PRIORITIES = {1: _("1 (highest)"), 2: "2", 3: "3", 4: "4", 5: _("5 (lowest)")}
ADDED = _("${label} was added to your wish list.")
GONE = _("${label} was removed from your wish list.")
ACQUIRED = _("${label} was added to your collection and marked as acquired.")
OWNED_ALREADY = _(
    "${label} was marked as acquired. It was already in your collection, which was not changed."
)


def _variants(request, _value):
    issue = select(WishListItem.issue_id).where(WishListItem.id == id_in_path(request))
    return variant_options(request, issue.scalar_subquery())


VARIANT_FIELD = Choice("variant_id", _("Variant"), options=_variants)
WISH_FIELDS = (
    Choice("priority", _("Priority"), initial=str(DEFAULT_PRIORITY), options=labelled(PRIORITIES)),
    Choice("status", _("Status"), initial=WishStatus.WANTED.value, options=labelled(STATUSES)),
    Choice("desired_grade", _("Minimum grade"), options=labelled(GRADE_NAMES, none=_("Any"))),
    Money("max_price", _("Maximum price"), separate_currency=True),
    NOTES_FIELD,
)
ADD_FORM = EntityForm(WishFormSchema, (Section("wish", _("Wish"), (ISSUE_FIELD, *WISH_FIELDS)),))
FORM = EntityForm(WishFormSchema, (Section("wish", _("Wish"), (ISSUE_FIELD, VARIANT_FIELD, *WISH_FIELDS)),))
PURCHASE_FORM = EntityForm(
    PurchaseSchema, (Section("purchase", _("Purchase"), (*PURCHASE_FIELDS, NOTES_FIELD)),)
)


FILTERS = (
    filters.Choice("status", _("Status"), None, labelled(STATUSES)),
    filters.Choice("priority", _("Priority"), None, labelled(PRIORITIES), int),
)


class WishDraft(OwnItemDraft):
    """The draft of an item's form."""

    def _state_of(self, entity):
        names = ("issue_id", "variant_id", "priority", "status", "desired_grade", "max_price", "notes")
        state = {name: getattr(entity, name) for name in names}
        return state | {"currency": entity.max_currency}


class WishViews(OwnItemViews):
    """The list and the forms of items."""

    model = WishListItem
    draft_class = WishDraft
    add_form, item_form = ADD_FORM, FORM
    added_message = ADDED

    # The list.

    def _page(self, draft, **shown):
        values = super()._page(draft, **shown)
        return values | self._listing() if draft.entity is None else values

    def _listing(self) -> dict:
        """The items that match the query; invalid filters are ignored."""
        active_filters = filters.parse_filters(self.request, FILTERS)
        ids = wish_list.ordered_ids(self.user_id, **active_filters.values)
        count = select(func.count()).select_from(ids.order_by(None).subquery())
        page = paginate(self.request, wish_list.items(), ids, count, PER_PAGE)
        return {
            "page": page,
            "items": [row.WishListItem for row in page.rows],
            "all_chosen": self.request.GET.get("select") == SELECT_PAGE,
            "active_filters": active_filters,
            "filters_of_form": FILTERS,
            "statuses": dict(labelled(STATUSES)(self.request)),
        }

    # One item.

    def delete(self):
        """Confirm and delete an item."""
        item = self._entity()
        if self.request.method != "POST":
            return {"label": item.issue.label, "item": item}
        label = item.issue.label
        wish_list.remove(self.session, self.user_id, item.id)
        return redirect_with_message(self.request, "success", GONE % {"label": label}, "wish_list")

    def acquire(self):
        """The form of a purchase, which moves the issue to the collection."""
        item = self._entity()
        draft = Draft(self.request, "purchase", PURCHASE_FORM, label=item.issue.label)
        if self.request.method != "POST":
            return self._purchase(item, draft)
        draft.read(self.request.POST)
        try:
            values = valid_changes(draft).values
        except InvalidError as error:
            draft.add_errors(error.errors)
            self.request.response.status = 422
            return self._purchase(item, draft)
        label = item.issue.label
        _item, _owned, created = wish_list.acquire(self.session, self.user_id, item.id, values)
        message = ACQUIRED if created else OWNED_ALREADY
        return redirect_with_message(self.request, "success", message % {"label": label}, "wish_list")

    def _purchase(self, item, draft) -> dict:
        draft.propose_currency(currency_of(item.issue.series.publisher.country, self.request.today))
        return {"item": item, "draft": draft, "label": item.issue.label}

    # Hooks of the forms.

    def _entity(self):
        number = id_in_path(self.request)
        wish_list.find_item(self.session, self.user_id, number)
        return self._loaded(number)

    def _loaded(self, item_id: int) -> WishListItem:
        issue = joinedload(WishListItem.issue).options(
            joinedload(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
        )
        rows = select(WishListItem).where(WishListItem.id == item_id)
        rows = rows.options(issue, joinedload(WishListItem.variant))
        return self.session.scalars(rows.execution_options(populate_existing=True)).one()

    def _create_entity(self, values):
        issue_id = values.pop("issue_id")
        try:
            item, created = wish_list.add(self.session, self.user_id, issue_id, values)
        except NotFoundError:
            raise InvalidError({"issue_id": [CHOICE_GONE]}) from None
        if not created:
            raise InvalidError({"issue_id": [wish_list.WISHED_ALREADY]})
        return self._loaded(item.id)

    def _lock_entity(self, entity):
        lock_account(self.session, self.user_id)
        self.session.refresh(entity, ["modified"])

    def _update_entity(self, entity, values):
        wish_list.change(self.session, self.user_id, entity.id, values)

    def _path_of(self, entity):  # noqa: ARG002
        return self._path_of_list()

    def _path_of_list(self):
        return self.request.route_path("wish_list")


def includeme(config):
    """Add the pages, for members."""
    own = {"permission": Permission.MEMBER, "decorator": private}
    form = {"methods": ("GET", "HEAD", "POST"), **own}
    one = "/wish-list/item/{id:[0-9]+}"
    config.add_page(
        "wish_list", "/wish-list/", WishViews, attr="create", renderer="wish_list/list.jinja2", **form
    )
    for name in ("update", "delete", "acquire"):
        renderer = f"wish_list/{name}.jinja2"
        config.add_page(
            f"wish_list.{name}", f"{one}/{name}/", WishViews, attr=name, renderer=renderer, **form
        )
