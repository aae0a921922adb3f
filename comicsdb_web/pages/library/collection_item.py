"""One item of a reader's collection: its page, its form, its stars and when it was read."""

from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload, selectinload

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import collection
from comicsdb.models import CollectionItem, Issue, ReadDate, Series
from comicsdb_web.forms import answers
from comicsdb_web.forms.conflict import edit_conflicts
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.editing import Editing
from comicsdb_web.forms.fields import text_of
from comicsdb_web.forms.values import NOT_THERE, change_of
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import number_in, safe_path
from comicsdb_web.pages.library.collection import done
from comicsdb_web.pages.library.collection_forms import ADD_FORM, ITEM_FORM
from comicsdb_web.pages.library.rating import GIVEN
from comicsdb_web.rendering.locales import _

WITH_ISSUE = joinedload(CollectionItem.issue).options(
    joinedload(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
)
ADDED = _("${label} is in your collection now.")
OWNED_ALREADY = _("This issue is in your collection already.")
NO_MOMENT = _("Write the day and the time as 2026-12-31 18:30, or leave both away for now.")
FORMATS = ("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")


class ItemDraft(Draft):
    """The form of an item while it is filled in."""

    def _state_of(self, entity):
        names = (*collection.FIELDS, "is_read")
        return {name: getattr(entity, name) for name in names} | {"currency": entity.purchase_currency}


class ItemViews(Editing):
    """The form of an item, new or not, with all that the catalogue's forms can do."""

    draft = ItemDraft
    added = ADDED

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.user_id = request.identity.user_id
        self.model = CollectionItem
        self.kind = CollectionItem.__tablename__
        self.form = ITEM_FORM if "id" in request.matchdict else ADD_FORM

    def detail(self):
        """The item, with its stars and the dates it was read on."""
        return item_page(self.request, self._entity(selectinload(CollectionItem.read_dates)), answers.Form())

    def delete(self):
        """Whether it is really to go, and its end."""
        item = self._entity()
        if self.request.method != "POST":
            number = select(func.count()).where(ReadDate.collection_item_id == item.id)
            return {"item": item, "read_count": self.session.scalar(number)}
        label = item.issue.label
        collection.remove(self.session, self.user_id, item.id)
        return done(
            self.request, "success", _("${label} is out of your collection.", mapping={"label": label})
        )

    # What the forms need to know of items.

    def _entity(self, *options):
        return collection.item(self.session, self.user_id, number_in(self.request), WITH_ISSUE, *options)

    def _judged(self, draft):
        change, errors = change_of(draft)
        if errors:
            raise InvalidError(errors)
        return change

    def _write_new(self, values):
        issue_id = values.pop("issue_id")
        try:
            item, made = collection.add(
                self.session, self.user_id, issue_id, values, today=self.request.today
            )
        except NotFoundError:
            raise InvalidError({"issue_id": [NOT_THERE]}) from None
        if not made:
            raise InvalidError({"issue_id": [OWNED_ALREADY]})
        return collection.item(self.session, self.user_id, item.id, WITH_ISSUE)

    def _alike(self, values):  # noqa: ARG002
        return ()

    def _update(self, draft):
        """As ever, but whoever says that a read item was not read is asked first: its dates would go."""
        differences = edit_conflicts(draft)
        if differences:
            return self._refused(draft, 409, differences=differences)
        losing = draft.entity.is_read and not draft.typed["is_read"]
        if losing and not text_of(self.request.POST, "anyway"):
            number = select(func.count()).where(ReadDate.collection_item_id == draft.entity.id)
            return self._refused(draft, 422) | {"losing": self.session.scalar(number)}
        return super()._update(draft)

    def _page(self, draft, **shown):
        return super()._page(draft, **shown) | {"losing": 0}

    def _lock(self, entity):
        collection.lock(self.session, self.user_id, entity.id)

    def _write(self, entity, values):
        collection.update(self.session, self.user_id, entity.id, values, today=self.request.today)

    def _label(self, entity):
        return entity.issue.label

    def _path_of(self, entity):
        target = safe_path(text_of(self.request.POST, "next")) if self.request.method == "POST" else None
        return target or self.request.route_path("collection.item", id=entity.id)

    def _path_of_list(self):
        return self.request.route_path("collection.list")


def item_page(request, item: CollectionItem, form: answers.Form) -> dict:
    """What the page of an item shows; `form` is that for one more date of reading."""
    return {"item": item, "form": form, "released": item.issue.is_released(request.today)}


def rate(request):
    """The stars of an item and so of its issue; what is no number of stars changes nothing."""
    session, user_id, item_id = request.dbsession, request.identity.user_id, number_in(request)
    given = request.POST.get("rating")
    if isinstance(given, str) and given in GIVEN:
        collection.rate(session, user_id, item_id, GIVEN[given], today=request.today)
    item = collection.item(session, user_id, item_id, WITH_ISSUE)  # as it is now
    said = request.localizer.translate(_("Your stars are saved."))
    if request.is_fragment:
        return fragment(request, "item_rating", item_page(request, item, answers.Form()) | {"said": said})
    return done(request, "success", said, "collection.item", id=item_id)


def add_date(request):
    """One more date of reading, typed as the reader's zone has it; nothing typed means now."""
    user_id, item_id, typed = request.identity.user_id, number_in(request), answers.texts(request)
    try:
        moment = moment_of(typed.get("read_date", ""), request.zone)
        collection.read_on(request.dbsession, user_id, item_id, moment)
    except InvalidError as error:
        options = (WITH_ISSUE, selectinload(CollectionItem.read_dates))
        item = collection.item(request.dbsession, user_id, item_id, *options)
        return item_page(request, item, answers.refused(request, error, typed))
    return done(request, "success", _("The date is noted."), "collection.item", id=item_id)


def moment_of(text: str, zone) -> datetime | None:
    """A moment as a reader types it, in a time zone; None for a blank text. Raises InvalidError."""
    text = text.strip()
    for form in FORMATS if text else ():
        try:
            return datetime.strptime(text, form).replace(tzinfo=zone).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    if text:
        raise InvalidError({"read_date": [NO_MOMENT]})
    return None


def drop_date(request):
    """Take one date of reading back."""
    item_id = number_in(request)
    collection.unread(request.dbsession, request.identity.user_id, item_id, number_in(request, "read_id"))
    return done(request, "success", _("The date is taken back."), "collection.item", id=item_id)


def includeme(config):
    """Ids are numbers, so no word is ever taken for one."""
    form = {"methods": ("GET", "HEAD", "POST"), "renderer": "collection/edit.jinja2"}
    config.add_collection_page("add", "add/", ItemViews, attr="create", **form)
    one, read = "{id:[0-9]+}/", "{id:[0-9]+}/read-date/"
    config.add_collection_page("item", one, ItemViews, attr="detail", renderer="collection/item.jinja2")
    config.add_collection_page("update", f"{one}update/", ItemViews, attr="update", **form)
    form["renderer"] = "collection/delete.jinja2"
    config.add_collection_page("delete", f"{one}delete/", ItemViews, attr="delete", **form)
    config.add_collection_page("rate", f"{one}rate/", rate, methods=("POST",))
    config.add_collection_page(
        "read_date", f"{read}add/", add_date, methods=("POST",), renderer="collection/item.jinja2"
    )
    config.add_collection_page("drop_date", f"{read}{{read_id:[0-9]+}}/delete/", drop_date, methods=("POST",))
