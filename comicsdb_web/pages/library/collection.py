"""A reader's collection: the list and its filters, items and their forms, whole series, and statistics."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import groupby

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Load, joinedload, selectinload

from comicsdb import clock
from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.i18n import name_in
from comicsdb.library import collection, reads, runs
from comicsdb.library.collection import figures
from comicsdb.library.collection.filters import ORDER, CollectionFilters, item_ids
from comicsdb.models import (
    CollectionItem,
    Imprint,
    Issue,
    IssueRating,
    Publisher,
    ReadDate,
    Role,
    Series,
    Variant,
)
from comicsdb.models.base import BIG_MAX
from comicsdb.models.choices import GRADES, STARS, BookFormat, GradingCompany
from comicsdb.models.currencies import currency_of
from comicsdb.schemas.collection import CollectionAddSchema, CollectionItemSchema
from comicsdb.schemas.types import CHOICE_GONE
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.forms.conflict import edit_conflicts
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.editing import EditingViews
from comicsdb_web.forms.fields import (
    Checkbox,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Money,
    Section,
    StringList,
    TextArea,
    date_field,
    integer_field,
    text_of,
)
from comicsdb_web.forms.options import labelled
from comicsdb_web.forms.values import valid_changes
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path, safe_path
from comicsdb_web.lists import cards, filters
from comicsdb_web.lists.catalog_filters import series_types
from comicsdb_web.lists.paging import Page, paginate, requested_page
from comicsdb_web.pages.account import with_cache_control
from comicsdb_web.pages.library.rating import CLEAR, CLEARED, RATINGS, SAVED
from comicsdb_web.rendering import charts
from comicsdb_web.rendering.charts import Chart, Point, with_rest
from comicsdb_web.rendering.json_columns import json_object
from comicsdb_web.rendering.locales import _, locale_of, ngettext
from comicsdb_web.rendering.row_views import row_view

PER_PAGE = 50
VIEWS = ("table", "grid")  # views of the list; the first is the default
SELECT_PAGE = "page"  # ?select=page selects all items of the page without JavaScript
private = with_cache_control("private, no-store")


def add_collection_page(config, name, pattern, view, **options):
    """Directive: add the route `collection.NAME` below /collection/, for members."""
    config.add_page(
        f"collection.{name}",
        f"/collection/{pattern}",
        view,
        permission=Permission.MEMBER,
        decorator=private,
        **options,
    )


def redirect_with_message(request, kind: str, text, route: str = "collection.list", **words) -> HTTPSeeOther:
    """Redirect to the path in the field `next`, or else to a route, with a message if there is a text."""
    if text:
        request.messages.add(kind, text)
    return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path(route, **words))


def listing(request):
    """The items that match the query, as a table or as covers."""
    active_filters = filters.parse_filters(request, FILTERS)
    user_id = request.identity.user_id
    ids = item_ids(user_id, CollectionFilters(**active_filters.values))
    count = select(func.count()).select_from(ids.subquery())
    if not active_filters.valid:  # without the joins of filters
        count = select(func.count()).where(CollectionItem.user_id == user_id)
    page = paginate(request, _rows().order_by(*ORDER), ids.order_by(*ORDER), count, PER_PAGE)
    view = request.GET.get("view")
    return {
        "page": page,
        "items": [row_view("collection_item", row._mapping) for row in page.rows],
        "active_filters": active_filters,
        "filters_of_form": FILTERS_OF_FORM,
        "filters_of_links": FILTERS_OF_LINKS,
        "used": figures.suggestions(request.dbsession, user_id),
        "view": view if view in VIEWS else VIEWS[0],
        "all_chosen": request.GET.get("select") == SELECT_PAGE,
    }


def _rows() -> Select:
    """The columns of items that the list shows."""
    item = CollectionItem
    columns = (item.id, item.quantity, item.book_format, item.grade, item.grading_company, item.rating)
    columns += (item.is_read, item.date_read, item.purchase_price, item.purchase_currency, item.tags)
    variant = func.coalesce(func.nullif(Variant.name, ""), Variant.sku).label("variant_name")
    issue = json_object(cards.issue_columns()).label("issue")
    rows = select(*columns, variant, issue).join(item.issue).join(Issue.series)
    return rows.outerjoin(Variant, Variant.id == item.variant_id)


def mark_read(request):
    """Mark the selected unread items as read now."""
    sent = (whole_number(each, 0, BIG_MAX) for each in request.POST.getall("item"))
    chosen = [each for each in sent if each is not None]
    if not chosen:
        return redirect_with_message(request, "info", _("Select some items first."))
    marked = collection.mark_read(request.dbsession, request.identity.user_id, chosen, clock.now())
    if not marked:
        text = ngettext("It was already read.", "They were all already read.", len(chosen))
        return redirect_with_message(request, "info", text)
    text = ngettext("${n} item was marked as read.", "${n} items were marked as read.", marked)
    return redirect_with_message(request, "success", text)


READ = {"yes": _("Read"), "no": _("Not read")}
FORMATS = {BookFormat.PRINT: _("Print"), BookFormat.DIGITAL: _("Digital"), BookFormat.BOTH: _("Both")}
GRADE_NAMES = {grade: f"{grade} {words}" for grade, words in GRADES.items()}  # best first
COMPANIES = {company: company.label for company in GradingCompany}
RATED = {stars: "★" * stars for stars in range(STARS[1], STARS[0] - 1, -1)}


FILTERS_OF_FORM = (
    filters.Filter("series_name", _("Series")),
    filters.Filter("issue_number", _("Number")),
    filters.Choice("series_type", _("Type of series"), None, series_types, int),
    filters.Filter("publisher_name", _("Publisher")),
    filters.Filter("imprint_name", _("Imprint")),
    filters.Choice("is_read", _("Read"), None, labelled(READ), "yes".__eq__),
    filters.Choice("rating", _("Stars"), None, labelled(RATED), int),
    filters.Choice("book_format", _("Format"), None, labelled(FORMATS)),
    filters.Choice("grade", _("Grade"), None, labelled(GRADE_NAMES), Decimal),
    filters.Choice(
        "grading_company", _("Graded by"), None, labelled({each: each for each in GradingCompany})
    ),
    filters.Filter("storage_location", _("Storage location")),
    filters.Filter("purchase_store", _("Bought at")),
    filters.Filter("tag", _("Tag")),
)
FILTERS_OF_LINKS = (
    filters.ObjectFilter("series_id", _("Series"), None, Series, joinedload(Series.series_type)),
    filters.ObjectFilter("publisher_id", _("Publisher"), None, Publisher),
    filters.ObjectFilter("imprint_id", _("Imprint"), None, Imprint),
)
FILTERS = (filters.Filter("q", _("Words")), *FILTERS_OF_FORM, *FILTERS_OF_LINKS)


RANGES = {"all": _("All issues"), "range": _("From one number to another")}


def variant_options(request, issue_id) -> list[tuple[str, str]]:
    """The choices for the variant of an issue, whose id may be a subquery."""
    rows = select(Variant.id, Variant.name, Variant.sku).where(Variant.issue_id == issue_id)
    variants = request.dbsession.execute(rows.order_by(Variant.id)).all()
    say = request.localizer.translate
    named = [(str(each.id), each.name or each.sku or say(_("Variant"))) for each in variants]
    return [("", say(_("Main cover or unknown"))), *named]


def _variant_options(request, _value):
    item = select(CollectionItem.issue_id).where(CollectionItem.id == id_in_path(request))
    return variant_options(request, item.scalar_subquery())


ISSUE_FIELD = ModelSelect(
    "issue_id",
    _("Issue"),
    _("Type the series, or series and number: Lamplight #3"),
    source="issue",
    required=True,
)
FORMAT_FIELD = Choice("book_format", _("Format"), initial=BookFormat.PRINT.value, options=labelled(FORMATS))
READ_FIELD = Checkbox("is_read", _("I have read it"), _("Without a date, it is set to now."))

COPY_FIELDS = (
    integer_field("quantity", _("Copies"), initial="1"),
    FORMAT_FIELD,
    Choice("grade", _("Grade"), options=labelled(GRADE_NAMES, none=_("Not graded"))),
    Choice("grading_company", _("Graded by"), options=labelled(COMPANIES, none=_("Me"))),
    READ_FIELD,
)
PURCHASE_FIELDS = (
    date_field("purchase_date", _("Bought on")),
    Money("purchase_price", _("Price paid"), separate_currency=True),
    Line("purchase_store", _("Bought at"), max_length=255),
)
NOTES_FIELD = TextArea("notes", _("Notes"))
STORAGE_FIELDS = (
    Line("storage_location", _("Storage location"), max_length=255),
    StringList(
        "tags", _("Tags"), _("Words of your own, separated by commas: signed, to sell"), separator=","
    ),
    NOTES_FIELD,
)

VARIANT_FIELD = Choice("variant_id", _("Variant"), options=_variant_options)
ANOTHER_COPY_FIELD = Checkbox(
    "another_copy", _("Another copy"), _("I already own this issue, and this copy is different.")
)

FURTHER_SECTIONS = (
    Section("purchase", _("Purchase"), PURCHASE_FIELDS),
    Section("place", _("Place and notes"), STORAGE_FIELDS),
)
# The issue of an item cannot be changed.
ITEM_FORM = EntityForm(
    CollectionItemSchema, (Section("copy", _("Your copy"), (VARIANT_FIELD, *COPY_FIELDS)), *FURTHER_SECTIONS)
)
ADD_FORM = EntityForm(
    CollectionAddSchema,
    (
        Section("issue", _("Issue"), (ISSUE_FIELD, ANOTHER_COPY_FIELD)),
        Section("copy", _("Your copy"), COPY_FIELDS),
        *FURTHER_SECTIONS,
    ),
)

SERIES_FORM = EntityForm(
    CollectionItemSchema,
    (
        Section(
            "series",
            _("Which issues"),
            (
                ModelSelect("series", _("Series"), source="series", required=True),
                Choice("what", _("Issues"), initial="all", options=labelled(RANGES)),
                Line("first", _("First number"), _("Leave blank to start at the beginning."), max_length=25),
                Line("last", _("Last number"), _("Leave blank to go to the end."), max_length=25),
            ),
        ),
        Section(
            "copies",
            _("Your copies"),
            (FORMAT_FIELD, Checkbox("is_read", _("Mark them as read"), _("Read just now."))),
        ),
    ),
)


BARS_MAX = 10


def stats(request):
    """Totals, charts and tables."""
    session, user_id = request.dbsession, request.identity.user_id
    totals = figures.stats(session, user_id)
    read = figures.reading_activity(session, user_id, request.zone, clock.business_day(request.zone))
    tops = figures.top_creators(session, user_id, Role.is_writer, Role.is_artist)
    publishers, types = figures.shares(session, user_id)
    return {
        "figures": totals,
        "shares": [
            _shares_chart(request, "publishers", publishers),
            _shares_chart(request, "types", types),
            _formats_chart(request, totals),
        ],
        "days": _chart(request, "days", charts.days(locale_of(request), read.days)),
        "months": _chart(request, "months", charts.months(locale_of(request), read.months)),
        "people": [
            _people_chart(request, name, top) for name, top in zip(("writers", "artists"), tops, strict=True)
        ],
        "top_series": figures.top_series(session, user_id),
    }


TITLES = {
    "publishers": (_("By publisher"), _("How many issues come from each publisher."), _("Publisher")),
    "types": (_("By series type"), _("How many issues belong to series of each type."), _("Type")),
    "formats": (_("By format"), _("How many issues there are in each format."), _("Format")),
    "writers": (_("Top writers"), _("The writers credited on the most issues."), _("Writer")),
    "artists": (_("Top artists"), _("The artists credited on the most issues."), _("Artist")),
    "days": (_("Read in the last 30 days"), _("How often something was read on each day."), _("Day")),
    "months": (_("Read in the last 12 months"), _("How often something was read in each month."), _("Month")),
}
UNITS = {"days": _("Read"), "months": _("Read")}


def _chart(request, name: str, points: list[Point]) -> Chart:
    say = request.localizer.translate
    title, text, head = (say(each) for each in TITLES[name])
    return Chart(f"chart-{name}", title, text, head, say(UNITS.get(name, _("Issues"))), points)


def _list_path(request, **query) -> str:
    return request.route_path("collection.list", _query=query)


def _shares_chart(request, name: str, shares) -> Chart:
    key = {"publishers": "publisher_id", "types": "series_type"}[name]
    points = [
        Point(name_in(request.locale_name, each), each.count, href=_list_path(request, **{key: each.id}))
        for each in shares
    ]
    return _chart(request, name, with_rest(points, BARS_MAX, request.localizer.translate(_("Other"))))


def _formats_chart(request, totals) -> Chart:
    say = request.localizer.translate
    points = [
        Point(say(FORMATS[code]), count, href=_list_path(request, book_format=code))
        for code, count in totals.by_format.items()
    ]
    return _chart(request, "formats", points)


def _people_chart(request, name: str, people) -> Chart:
    points = [Point(creator.name, count, href=request.entity_path(creator)) for creator, count in people]
    return _chart(request, name, points)


def history(request):
    """The reading history by day, newest first; unknown dates last."""
    session, user_id = request.dbsession, request.identity.user_id
    zone = request.zone
    total = figures.history_count(session, user_id, zone)
    number, pages = requested_page(request, total, PER_PAGE)
    reads = figures.history(session, user_id, zone, limit=PER_PAGE, offset=(number - 1) * PER_PAGE)
    wanted = {read.issue_id for read in reads}
    owned = select(func.min(CollectionItem.id)).where(
        CollectionItem.issue_id == Issue.id, CollectionItem.user_id == user_id
    )
    given = select(IssueRating.rating).where(IssueRating.issue_id == Issue.id, IssueRating.user_id == user_id)
    own = owned.scalar_subquery().label("item_id"), given.scalar_subquery().label("given")
    rows = cards.statement(Issue).add_columns(*own).where(Issue.id.in_(wanted))
    found = cards.load(session, Issue, rows)
    by_id = {issue.id: issue for issue in found}
    days: list[tuple[date | None, list]] = [
        (day, [(by_id[read.issue_id], read.times) for read in group if read.issue_id in by_id])
        for day, group in groupby(reads, key=lambda read: read.day)
    ]
    by_month = groupby(days, key=lambda each: each[0] and each[0].replace(day=1))
    return {
        "page": Page(reads, number, total, pages),
        "months": [(month, list(of)) for month, of in by_month],
    }


CHOOSE_SERIES = _("Choose a series.")
NO_NUMBER = _("Enter the first number, the last one, or both.")
ALL_OR_NUMBERS = _(
    "You entered numbers: choose “From one number to another”, or leave them blank for all issues."
)


def add_series(request):
    """The form that adds issues of a series, and its submission."""
    draft = Draft(request, "collection_item", SERIES_FORM)
    if request.method != "POST":
        draft.prefill(request.GET)
        return _series_form(request, draft)
    draft.read(request.POST)
    if draft.search():
        return _series_form(request, draft)
    try:
        added, skipped = _add_issues(request, draft.typed)
    except InvalidError as error:
        draft.add_errors(error.errors)
        request.response.status = 422
        return _series_form(request, draft)
    return _run_added(request, added, skipped)


def add_run(request):
    """Add the issues of a series that are not in the collection yet, or mark issues as read, except `but`."""
    series = request.catalog.by_slug(Series, request.matchdict["slug"])
    session, user_id, but = request.dbsession, request.identity.user_id, text_of(request.POST, "but") or ""
    try:
        if "read" in request.POST:
            marked = reads.mark_read(session, user_id, runs.issues(session, series.id, but=but), clock.now())
            message = ngettext(
                "${n} issue was marked as read.", "${n} issues were marked as read.", len(marked)
            )
            return redirect_with_message(request, "success" if marked else "info", message)
        added, skipped = collection.add_series(session, user_id, series.id, but=but)
    except InvalidError as error:
        return redirect_with_message(request, "error", error.errors["but"][0])
    return _run_added(request, added, skipped)


def _run_added(request, added: int, skipped: int) -> HTTPSeeOther:
    words = {
        "added": ngettext("${n} issue was added.", "${n} issues were added.", added),
        "skipped": ngettext("${n} was already there.", "${n} were already there.", skipped),
    }
    return redirect_with_message(
        request, "success" if added else "info", _("${added} ${skipped}", mapping=words)
    )


def _add_issues(request, typed: dict) -> tuple[int, int]:
    """Add the issues; returns how many were added, and how many were already in the collection."""
    errors, first, last = {}, typed["first"].strip(), typed["last"].strip()
    chosen = typed["series"][0] if typed["series"] else ""
    series_id = whole_number(chosen) or 0
    if not typed["series"]:
        errors["series"] = [CHOOSE_SERIES]
    if typed["what"] not in RANGES:
        errors["what"] = [filters.NOT_OFFERED]
    elif typed["what"] == "range" and not (first or last):
        errors["first"] = [NO_NUMBER]
    elif typed["what"] == "all" and (first or last):
        errors["what"] = [ALL_OR_NUMBERS]
    if typed["book_format"] not in list(BookFormat):
        errors["book_format"] = [filters.NOT_OFFERED]
    if errors:
        raise InvalidError(errors)
    try:
        return collection.add_series(
            request.dbsession,
            request.identity.user_id,
            series_id,
            first=first,
            last=last,
            book_format=typed["book_format"],
            read=bool(typed["is_read"]),
        )
    except NotFoundError:
        raise InvalidError({"series": [CHOICE_GONE]}) from None


def _series_form(request, draft: Draft) -> dict:
    draft.load_labels()
    return {
        "draft": draft,
        "action": request.path,
        "back": request.route_path("collection.list"),
        "differences": (),
        "duplicates": (),
        "has_history": False,
        "saved_drafts": None,
    }


def missing(request):
    """The incomplete series of the collection, most missing issues first."""
    session, user_id = request.dbsession, request.identity.user_id
    total = figures.incomplete_count(session, user_id, request.today)
    number, pages = requested_page(request, total, PER_PAGE)
    rows = figures.incomplete_series(
        session, user_id, request.today, limit=PER_PAGE, offset=(number - 1) * PER_PAGE
    )
    return {"page": Page(rows, number, total, pages)}


def missing_issues(request):
    """The missing issues of a series; 404 for a series without issues in the collection."""
    session, user_id, series_id = request.dbsession, request.identity.user_id, id_in_path(request)
    owned, total = figures.series_progress(session, user_id, series_id, request.today)
    if not owned:
        raise HTTPNotFound(_("You have no issues of this series."))
    series = session.get(
        Series, series_id, options=[joinedload(Series.series_type), joinedload(Series.publisher)]
    )
    number, pages = requested_page(request, total - owned, PER_PAGE)
    rows = figures.missing_issues(
        session, user_id, series_id, request.today, limit=PER_PAGE, offset=(number - 1) * PER_PAGE
    )
    return {
        "page": Page(rows, number, total - owned, pages),
        "series": series,
        "owned": owned,
        "total": total,
    }


WITH_ISSUE = Load(CollectionItem).options(
    joinedload(CollectionItem.variant),
    joinedload(CollectionItem.issue).options(
        joinedload(Issue.series).options(joinedload(Series.series_type), joinedload(Series.publisher))
    ),
)
ADDED = _("${label} was added to your collection.")
OWNED_ALREADY = _(
    "This issue is already in your collection. Edit that entry, or choose “Another copy” to add one more."
)
NOT_YET = _("Choose today or an earlier day.")
INVALID_TIME = _("Enter the date and time as 2026-12-31 18:30, or leave the field blank to mean now.")


class OwnItemDraft(Draft):
    """The draft of a form about an issue; it proposes the currency of the publisher's country."""

    def load_labels(self, further=()):
        """Load the labels, and propose the currency."""
        super().load_labels(further)
        if self.entity is not None and "issue" in vars(self.entity):  # not in a conflict
            self.propose_currency(currency_of(self.entity.issue.series.publisher.country, self.request.today))
            return
        if self.entity is not None:
            ids = [self.entity.issue_id]
        else:
            ids = [int(number) for number in self.typed["issue_id"] if number in self._items.get("issue", {})]
        if ids:
            countries = select(Publisher.country).join(Series).join(Issue).where(Issue.id == ids[0])
            country = self.request.dbsession.scalar(countries)
            self.propose_currency(currency_of(country, self.request.today))


class ItemDraft(OwnItemDraft):
    """The draft of an item's form."""

    def _state_of(self, entity):
        names = (*collection.FIELDS, "is_read")
        return {name: getattr(entity, name) for name in names} | {"currency": entity.purchase_currency}


class OwnItemViews(EditingViews):
    """The forms for the reader's own entries about issues, with the features of the catalog's forms."""

    has_history = finds_duplicates = False

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.user_id = request.identity.user_id
        self.kind = self.model.__tablename__
        self.form = self.item_form if "id" in request.matchdict else self.add_form

    def _validate(self, draft):
        return valid_changes(draft)

    def _label(self, entity):
        return entity.issue.label


class ItemViews(OwnItemViews):
    """The forms of items."""

    model = CollectionItem
    draft_class = ItemDraft
    add_form, item_form = ADD_FORM, ITEM_FORM
    added_message = ADDED

    def detail(self):
        """The item with its rating and read dates."""
        return item_page(
            self.request, self._entity(selectinload(CollectionItem.read_dates)), form_state.Form()
        )

    def delete(self):
        """Confirm and delete the item."""
        item = self._entity()
        if self.request.method != "POST":
            return {"item": item}
        label = item.issue.label
        collection.remove(self.session, self.user_id, item.id)
        return redirect_with_message(
            self.request, "success", _("${label} was removed from your collection.", mapping={"label": label})
        )

    # Hooks of the forms.

    def _entity(self, *options):
        return collection.item(self.session, self.user_id, id_in_path(self.request), WITH_ISSUE, *options)

    def _create_entity(self, values):
        issue_id, another = values.pop("issue_id"), values.pop("another_copy", False)
        try:
            item, made = collection.add(self.session, self.user_id, issue_id, values, another_copy=another)
        except NotFoundError:
            raise InvalidError({"issue_id": [CHOICE_GONE]}) from None
        if not made:
            raise InvalidError({"issue_id": [OWNED_ALREADY]})
        return collection.item(self.session, self.user_id, item.id, WITH_ISSUE)

    def _update(self, draft):
        """Save, but ask for confirmation before a read item is marked unread, which deletes its dates."""
        differences = edit_conflicts(draft)
        if differences:
            return self._error_page(draft, 409, differences=differences)
        losing = draft.entity.is_read and not draft.typed["is_read"]
        if losing and not text_of(self.request.POST, "anyway"):
            number = select(func.count()).where(
                ReadDate.user_id == self.user_id, ReadDate.issue_id == draft.entity.issue_id
            )
            return self._error_page(draft, 422) | {"losing": self.session.scalar(number)}
        return super()._update(draft)

    def _page(self, draft, **shown):
        return super()._page(draft, **shown) | {"losing": 0}

    def _lock_entity(self, entity):
        collection.lock(self.session, self.user_id, entity.id)

    def _update_entity(self, entity, values):
        collection.update(self.session, self.user_id, entity.id, values)

    def _path_of(self, entity):
        target = safe_path(text_of(self.request.POST, "next")) if self.request.method == "POST" else None
        return target or self.request.route_path("collection.item", id=entity.id)

    def _path_of_list(self):
        return self.request.route_path("collection.list")


def item_page(request, item: CollectionItem, form: form_state.Form) -> dict:
    """The values of an item's page; `form` is the form for another read date."""
    return {"item": item, "form": form, "released": item.issue.is_released(request.today)}


def rate(request):
    """Rate an item and its issue; invalid values are ignored."""
    session, user_id, item_id = request.dbsession, request.identity.user_id, id_in_path(request)
    given, message = request.POST.get("rating"), ""
    if isinstance(given, str) and given in RATINGS:
        collection.rate(session, user_id, item_id, RATINGS[given], today=request.today)
        message = request.localizer.translate(CLEARED if given == CLEAR else SAVED)
    item = collection.item(session, user_id, item_id, WITH_ISSUE)  # reloaded
    if request.is_fragment:
        return fragment(
            request, "item_rating", item_page(request, item, form_state.Form()) | {"message": message}
        )
    return redirect_with_message(request, "success", message, "collection.item", id=item_id)


def read_time(request) -> datetime | None:
    """The time of a read, typed in the reader's time zone; "" means now, the button `unknown` no date."""
    if "unknown" in request.POST:
        return None
    formats = (*form_state.TIME_FORMATS, "%Y-%m-%d")
    typed = form_state.text_fields(request)
    moment = form_state.parse_local_time(request, typed, "read_date", INVALID_TIME, formats) or clock.now()
    refuse_future(moment)
    return moment


def refuse_future(moment: datetime) -> None:
    """Raise InvalidError for a read that is yet to come; the clock or zone of the reader may be ahead."""
    if moment > clock.now() + timedelta(days=1):
        raise InvalidError({"read_date": [NOT_YET]})


def add_date(request):
    """Add a read date."""
    user_id, item_id = request.identity.user_id, id_in_path(request)
    try:
        collection.add_read(request.dbsession, user_id, item_id, read_time(request))
    except InvalidError as error:
        typed = form_state.text_fields(request)
        options = (WITH_ISSUE, selectinload(CollectionItem.read_dates))
        item = collection.item(request.dbsession, user_id, item_id, *options)
        return item_page(request, item, form_state.with_errors(request, error, typed))
    return redirect_with_message(
        request, "success", _("The reading date was added."), "collection.item", id=item_id
    )


def remove_date(request):
    """Remove a read date."""
    item_id = id_in_path(request)
    collection.remove_read(
        request.dbsession, request.identity.user_id, item_id, id_in_path(request, "read_id")
    )
    return redirect_with_message(
        request, "success", _("The reading date was removed."), "collection.item", id=item_id
    )


def includeme(config):
    """Add the pages."""
    config.add_directive("add_collection_page", add_collection_page)
    parameters = (*(each.name for each in FILTERS), "page", "view", "select")
    config.add_collection_page("list", "", listing, renderer="collection/list.jinja2", parameters=parameters)
    config.add_collection_page("mark_read", "mark-read/", mark_read, methods=("POST",))
    config.add_collection_page("stats", "stats/", stats, renderer="collection/stats.jinja2")
    config.add_collection_page("history", "history/", history, renderer="collection/history.jinja2")
    config.add_collection_page(
        "add_series",
        "add-from-series/",
        add_series,
        methods=("GET", "HEAD", "POST"),
        renderer="collection/add_series.jinja2",
    )
    config.add_collection_page("add_run", "add-run/{slug}/", add_run, methods=("POST",))
    config.add_collection_page("missing", "missing/", missing, renderer="collection/missing.jinja2")
    config.add_collection_page(
        "missing_of", "missing/{id:[0-9]+}/", missing_issues, renderer="collection/missing_of.jinja2"
    )
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
    config.add_collection_page(
        "drop_date", f"{read}{{read_id:[0-9]+}}/delete/", remove_date, methods=("POST",)
    )
