"""The issues of a reading list: adding, ordering and removing them, also from the page of an issue."""

from math import ceil

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import func, select

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures, items
from comicsdb.models import Issue, ReadingList, ReadingListItem
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.editing import EditingViews
from comicsdb_web.forms.fields import Choice, EntityForm, Line, ModelSelect, Section, text_of, texts_of
from comicsdb_web.forms.options import labelled
from comicsdb_web.forms.typed_names import resolve_typed_names
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.lists.paging import Page, requested_page
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.reading_lists import ITEM_TYPES, ListViewsBase
from comicsdb_web.rendering.locales import _, ngettext

POSITION, OLD_POSITION = "position-", "was-"  # inputs: the new position of an issue, and the shown one
ALL, RANGE = "all", "range"
NO_NUMBER = _("Enter a whole number.")
WHICH = _("Choose “From one number to another”, or leave the numbers blank.")
CHOOSE = _("Choose one.")


POSITIONS = {items.END: _("At the end"), items.BEGINNING: _("At the beginning")}
RANGES = {ALL: _("All issues"), RANGE: _("From one number to another")}
INSERT_AT = Choice("at", _("Where"), initial=items.END, options=labelled(POSITIONS))
ISSUES_FORM = EntityForm(
    None,
    (
        Section(
            "add",
            _("Add issues"),
            (
                ModelSelect(
                    "issues",
                    _("Issues"),
                    help=_("Search by series (year) #number. Issues are added at the end of the list."),
                    source="issue",
                    multiple=True,
                ),
            ),
        ),
    ),
)
SERIES_FORM = EntityForm(
    None,
    (
        Section(
            "series",
            _("Series"),
            (
                ModelSelect("series", _("Series"), required=True, source="series"),
                Choice("which", _("Which issues"), initial=ALL, options=labelled(RANGES)),
                Line(
                    "first",
                    _("First number"),
                    help=_("Leave blank to start with the first issue."),
                    max_length=25,
                ),
                Line(
                    "last", _("Last number"), help=_("Leave blank to end with the last issue."), max_length=25
                ),
                INSERT_AT,
            ),
        ),
    ),
)
ARC_FORM = EntityForm(
    None,
    (
        Section(
            "arc",
            _("Story arc"),
            (ModelSelect("arc", _("Story arc"), required=True, source="arc"), INSERT_AT),
        ),
    ),
)


class ListItemsViews(EditingViews, ListViewsBase):
    """The forms that add issues to a list, and the form that orders them."""

    kind = ReadingList.__tablename__
    has_history = saves_drafts = False

    def manage(self):
        """The issues of a list in order, to be moved, and the form that adds issues."""
        draft = self._new_draft(ISSUES_FORM)
        if self.request.method != "POST":
            return self._page(draft)
        draft.read(self.request.POST)
        return self._handle_button(draft) or self._reorder(draft)

    def from_series(self):
        """Add the issues of a series, all or from one number to another."""
        return self._add_form(SERIES_FORM, self._add_series)

    def from_arc(self):
        """Add the issues of a story arc."""
        return self._add_form(ARC_FORM, self._add_arc)

    def _new_draft(self, form: EntityForm) -> Draft:
        self.list = self.managed_list()
        return Draft(self.request, self.kind, form)

    def _add_form(self, form: EntityForm, add):
        draft = self._new_draft(form)
        if self.request.method != "POST":
            draft.prefill(self.request.GET)
            return self._page(draft)
        draft.read(self.request.POST)
        if response := self._handle_button(draft):
            return response
        try:
            if errors := resolve_typed_names(draft):
                raise InvalidError(errors)
            done = add(self._lock_list(), draft.typed)
        except InvalidError as error:
            return self._invalid_page(draft, error)
        self._report_added(done.added, 0, done.skipped)
        return HTTPSeeOther(self.request.entity_path(self.list))

    def _lock_list(self) -> items.LockedList:
        return reading_lists.lock_list(self.session, self.identity, self.official, self.list)

    def _add_series(self, locked_list, typed) -> items.AddResult:
        whole = typed["which"] != RANGE
        if whole and (typed["first"].strip() or typed["last"].strip()):
            raise InvalidError({"which": [WHICH]})
        return items.add_series(
            locked_list,
            _selected_id(typed, "series"),
            first=typed["first"],
            last=typed["last"],
            whole=whole,
            at=typed["at"],
        )

    def _add_arc(self, locked_list, typed) -> items.AddResult:
        return items.add_arc(locked_list, _selected_id(typed, "arc"), at=typed["at"])

    # Ordering.

    def _reorder(self, draft: Draft):
        """Apply the typed positions and then the button that moves one issue, all or nothing."""
        moved, errors = _positions(self.request.POST)
        errors |= resolve_typed_names(draft)
        if errors:
            return self._invalid_page(draft, InvalidError(errors))
        ticked = texts_of(self.request.POST, "issues")
        selected = [whole_number(each) or 0 for each in dict.fromkeys((*ticked, *draft.typed["issues"]))]
        button, item_id = self._button()
        locked_list = self._lock_list()
        present = self.session.scalars(
            select(ReadingListItem.issue_id)
            .where(ReadingListItem.reading_list_id == self.list.id)
            .order_by(ReadingListItem.order)
        ).all()
        done = items.reorder(locked_list, apply_positions(present, moved), selected)
        if any(done) or not button:
            self._report_added(*done)
        if not button:
            return HTTPSeeOther(self._action)
        return self._redirect_to_item(item_id, items.move(locked_list, item_id, button))

    def _button(self) -> tuple[str, int]:
        """The pressed button, if it moves an issue, and its item."""
        for name in (items.UP, items.DOWN):
            if text := text_of(self.request.POST, name):
                return name, whole_number(text) or 0
        return "", 0

    def _redirect_to_item(self, item_id: int, position: int):
        page = ceil(position / figures.PAGE_SIZE)
        path = self.request.entity_path(self.list, "add_issue", _query={"page": page} if page > 1 else {})
        return HTTPSeeOther(f"{path}#row-{item_id}")

    def _report_added(self, added: int, reordered: int, skipped: int) -> None:
        if not (added or reordered or skipped):
            self.request.messages.add("info", _("Nothing to change."))
            return
        counts = [
            ngettext("${n} issue was added.", "${n} issues were added.", added),
            ngettext("${n} was moved.", "${n} were moved.", reordered),
            ngettext("${n} was skipped.", "${n} were skipped.", skipped),
        ]
        text = _(
            "${added} ${moved} ${skipped}",
            mapping=dict(zip(("added", "moved", "skipped"), counts, strict=True)),
        )
        self.request.messages.add("success" if added or reordered else "warning", text)

    # Values of the form.

    def _page(self, draft: Draft, **shown) -> dict:
        values = super()._page(draft, **shown) | {"entity": self.list, "label": self.list.name}
        values["action"] = self._action
        return values | (self._rows() if draft.form is ISSUES_FORM else {})

    @property
    def _action(self) -> str:
        """The address of the form, without the name of a restored one, which is saved once."""
        return f"{self.request.path}{self.request.query_with(kept=None)}"

    def _rows(self) -> dict:
        """The issues of the requested page, and the values of their inputs.

        Positions that were not changed in the form are the current ones: others may have moved the issues.
        """
        total = self.session.scalar(
            select(func.count()).where(ReadingListItem.reading_list_id == self.list.id)
        )
        number, pages = requested_page(self.request, total, figures.PAGE_SIZE)
        wanted = figures.items_page(self.list.id, (number - 1) * figures.PAGE_SIZE)
        rows = self.session.scalars(wanted).all()
        kept = self.request.restored_form
        post = kept.fields if kept else self.request.POST
        typed = {item.issue_id: _typed_position(post, item.issue_id) for item in rows}
        return {
            "page": Page(rows, number, total, pages),
            "labels": {f"{POSITION}{item.issue_id}": item.issue.label for item in rows},
            "typed": {item.issue_id: typed[item.issue_id] or str(item.order) for item in rows},
        }

    def _cancel_path(self, draft):  # noqa: ARG002
        return self.request.entity_path(self.list)


class ItemViews(ListViewsBase):
    """The forms of one issue of a list."""

    def edit_type(self):
        """The choice of a type: a fragment that replaces the shown type, or a page."""
        return self._show_type(editing=True)

    def update_type(self):
        """Set the type of an issue in the list."""
        found, item = self._item()
        locked_list = reading_lists.lock_list(self.session, self.identity, self.official, found)
        try:
            items.set_type(locked_list, item.id, text_of(self.request.POST, "issue_type") or "")
        except InvalidError:  # unknown type: nothing changes
            return self._type_page(*self._item(), editing=True, status=422)
        found, item = self._item()
        if self.request.is_fragment:
            return self._type_page(found, item)
        self.request.messages.add("success", _("Saved."))
        return HTTPSeeOther(self.item_path(found, item))

    def cancel_type(self):
        """Show the current type again."""
        if self.request.is_fragment:
            return self._show_type()
        return HTTPSeeOther(self.item_path(*self._item()))

    def remove(self):
        """Confirm and remove an issue from the list."""
        found, item = self._item()
        if self.request.method != "POST":
            return {"entity": found, "item": item, "back": self.item_path(found, item)}
        label = item.issue.label
        locked_list = reading_lists.lock_list(self.session, self.identity, self.official, found)
        items.remove_item(locked_list, item.id)
        text = _("${label} was removed from the list.", mapping={"label": label})
        self.request.messages.add("success", text)
        return HTTPSeeOther(self.request.entity_path(found))

    def _show_type(self, *, editing=False):
        return self._type_page(*self._item(), editing=editing)

    def _type_page(self, found: ReadingList, item: ReadingListItem, *, editing=False, status=200):
        values = {
            "entity": found,
            "item": item,
            "editing": editing,
            "may_manage": True,
            "item_types": ITEM_TYPES,
            "options": labelled(ITEM_TYPES, none=_("No type"))(self.request),
        }
        if self.request.is_fragment:
            return fragment(self.request, "reading_list_type", values, status=status)
        self.request.response.status = status
        return values

    def _item(self) -> tuple[ReadingList, ReadingListItem]:
        """The list and its item, for changes.

        Raises NotFoundError for an item of another list.
        """
        found = self.managed_list()
        wanted = figures.items(found.id).where(ReadingListItem.id == id_in_path(self.request, "item"))
        item = self.session.scalar(wanted.execution_options(populate_existing=True))
        if item is None:
            raise NotFoundError("reading_list_item", self.request.matchdict["item"])
        return found, item


def apply_positions(present: list[int], moved: dict[int, int]) -> list[int]:
    """The order of issues after some of them were given positions, from 1 on.

    The others keep their relative order, as do issues with the same position.
    """
    order = [each for each in present if each not in moved]
    last = -1
    for each in sorted((each for each in present if each in moved), key=moved.__getitem__):
        last = max(moved[each] - 1, last + 1)
        order.insert(last, each)
    return order


def _positions(post) -> tuple[dict[int, int], dict[str, list]]:
    """The new positions of moved issues by id, and the errors by input."""
    moved, errors = {}, {}
    for name in post:
        issue_id = whole_number(name.removeprefix(POSITION)) if name.startswith(POSITION) else 0
        text = (_typed_position(post, issue_id) or "").strip() if issue_id else ""
        if not text:
            continue
        if number := whole_number(text):
            moved[issue_id] = number
        else:
            errors[name] = [NO_NUMBER]
    return moved, errors


def _typed_position(post, issue_id: int) -> str | None:
    """The position that was typed for an issue, None if the shown one was sent back."""
    text = text_of(post, f"{POSITION}{issue_id}")
    return None if text is None or text.strip() == text_of(post, f"{OLD_POSITION}{issue_id}") else text


def _selected_id(typed: dict, name: str) -> int:
    """The id chosen in a field; raises InvalidError if none is."""
    if not typed[name]:
        raise InvalidError({name: [CHOOSE]})
    return whole_number(typed[name][0]) or 0


def add_to_list(request):
    """Add an issue at the end of the list that was chosen in the form."""
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    official = request.registry.settings["comicsdb.official_account"]
    slug = request.POST.get("list")
    slug = slug if isinstance(slug, str) else ""
    found = reading_lists.find(request.dbsession, request.identity, official, slug)
    locked_list = reading_lists.lock_list(request.dbsession, request.identity, official, found)
    done = items.add_issues(locked_list, [issue.id])
    text = _("It was added to ${list}.") if done.added else _("It is already in ${list}.")
    request.messages.add("success" if done.added else "info", text % {"list": found.name})
    return HTTPSeeOther(request.entity_path(issue))


def includeme(config):
    """Add the pages below the list's page."""
    both, item = {"methods": ("GET", "HEAD", "POST")}, "{item:[0-9]+}/"
    page, views = config.add_list_page, ListItemsViews
    page("add_issue", "{slug}/add-issue/", views, attr="manage", template="manage", **both)
    page("add_series", "{slug}/add-from-series/", views, attr="from_series", template="add", **both)
    page("add_arc", "{slug}/add-from-arc/", views, attr="from_arc", template="add", **both)
    views = ItemViews
    page("remove_item", f"{{slug}}/remove-issue/{item}", views, attr="remove", template="remove", **both)
    page("edit_type", f"{{slug}}/item/{item}edit-type/", views, attr="edit_type", template="item_type")
    page(
        "update_type",
        f"{{slug}}/item/{item}update-type/",
        views,
        attr="update_type",
        template="item_type",
        methods=("POST",),
    )
    page(
        "cancel_type",
        f"{{slug}}/item/{item}cancel-edit-type/",
        views,
        attr="cancel_type",
        template="item_type",
    )
    config.add_page(
        "issue.add_to_list",
        "/issue/{slug}/add-to-list/",
        add_to_list,
        methods=("POST",),
        permission=Permission.MEMBER,
        decorator=private,
    )
