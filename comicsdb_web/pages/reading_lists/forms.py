"""Forms of reading lists: creating, changing, transferring and deleting them."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb.catalog import InvalidError
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import rules
from comicsdb.library.reading_lists.figures import composition
from comicsdb.models import ReadingList
from comicsdb.models.choices import ListType
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb.schemas.types import REQUIRED
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.editing import EditingViews
from comicsdb_web.forms.fields import (
    Checkbox,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Picture,
    Section,
    TextArea,
)
from comicsdb_web.forms.options import labelled
from comicsdb_web.forms.values import Change
from comicsdb_web.pages.reading_lists import SOURCES, TYPES, ListViewsBase
from comicsdb_web.rendering.locales import _

ABOUT = Section(
    "about",
    _("About"),
    (
        Line("name", _("Name"), required=True, max_length=NAME_LENGTH),
        Choice("list_type", _("Type"), initial=ListType.EVENT.value, options=labelled(TYPES)),
        Checkbox(
            "is_private",
            _("Private"),
            help=_("Nobody else can see a private list. Its ratings are kept but not shown."),
        ),
        TextArea("desc", _("Description"), help=_("Plain text. A blank line starts a new paragraph.")),
    ),
)
BANNER = Section("picture", _("Banner"), (Picture("image", _("Banner"), size="banner_card"),))
PLACE = Section(
    "place",
    _("Before and after"),
    (
        ModelSelect(
            "previous", _("Previous list"), help=_("To be read before this one."), source="reading_list"
        ),
        ModelSelect("next", _("Next list"), help=_("To be read after this one."), source="reading_list"),
    ),
)
SOURCE = Section(
    "source",
    _("Source"),
    (
        Choice("attribution_source", _("Source"), options=labelled(SOURCES, none=_("None"))),
        Line("attribution_url", _("Address at the source"), max_length=200, kind="url"),
    ),
)
FORM = EntityForm(None, (ABOUT, BANNER, PLACE))
STAFF_FORM = EntityForm(None, (ABOUT, BANNER, PLACE, SOURCE))

PARTNERS = ("previous", "next")


class ListDraft(Draft):
    """The draft of a list's form; invisible neighbours are left out."""

    def _state_of(self, entity):
        names = ("name", "desc", "is_private", "list_type", "attribution_source", "attribution_url", "image")
        settings = self.request.registry.settings
        seen = reading_lists.neighbours(
            self.request.dbsession, self.request.identity, settings["comicsdb.official_account"], entity
        )
        near = {side: each and each.id for side, each in zip(PARTNERS, seen, strict=True)}
        return {name: getattr(entity, name) for name in names} | near


class ListFormViews(EditingViews, ListViewsBase):
    """The forms of lists, with the features of the catalog's forms."""

    model = ReadingList
    kind = ReadingList.__tablename__
    draft_class = ListDraft
    has_history = finds_duplicates = False
    added_message = _("${label} was created. Now add issues to it.")

    @property
    def form(self):
        """The form; only staff may set the source."""
        return STAFF_FORM if self.request.has_permission(Permission.LIST_SOURCES) else FORM

    def delete(self):
        """Confirm and delete the list."""
        found = self.managed_list()
        if self.request.method != "POST":
            total = composition(self.session, found.id).total
            return {"entity": found, "total": total}
        name = found.name
        reading_lists.remove(self.session, self.identity, self.official, found)
        return self._redirect(self._path_of_list(), _("${label} was deleted."), name)

    def assign(self):
        """Confirm and transfer the list to the official account."""
        found = self.visible_list()
        values = {"entity": found, "official": self.official, "form": form_state.Form()}
        if self.request.method != "POST":
            return values
        try:
            given = reading_lists.assign_to_official(self.session, self.identity, self.official, found)
        except InvalidError as error:
            return values | {"form": form_state.with_errors(self.request, error, {})}
        text = _("The list now belongs to ${name}.", mapping={"name": given.user.username})
        self.request.messages.add("success", text)
        return HTTPSeeOther(self._path_of(given))

    # Hooks of the forms.

    def _entity(self):
        return self.managed_list()

    def _validate(self, draft):
        errors, values = {}, {}
        for field in draft.form.typed_fields:
            typed = draft.typed[field.name]
            if field.required and field.is_blank(typed):
                errors[field.name] = [REQUIRED]
            elif draft.is_changed(field):
                values |= _values(field, typed)
        try:  # a substitute for a missing name, so that all errors are reported at once
            sent = {"name": "-"} | values
            rules.check(self.session, self.identity, self.visible, draft.entity, sent)
        except InvalidError as error:
            errors |= error.errors
        if not errors and self._is_taken(draft, values):
            errors["name"] = [reading_lists.SAME_NAME]
        if errors:
            raise InvalidError(errors)
        change = Change(values)
        if "image" in draft.files:
            change.files.append(("image", self.kind, change.values))
        elif draft.cleared and draft.state.get("image"):
            change.values |= {"image": "", "image_width": None, "image_height": None}
        return change

    def _is_taken(self, draft, values) -> bool:
        """Whether the owner has another list of this name and source; checked before a picture is stored."""
        owner = draft.entity.user_id if draft.entity else self.identity.user_id
        other = select(ReadingList.id).where(
            ReadingList.user_id == owner,
            ReadingList.name == values.get("name", draft.state.get("name")),
            ReadingList.attribution_source
            == values.get("attribution_source", draft.state.get("attribution_source", "")),
            ReadingList.id != (draft.entity.id if draft.entity else 0),
        )
        return self.session.scalar(other) is not None

    def _create_entity(self, values):
        return reading_lists.create(self.session, self.identity, self.official, values)

    def _lock_entity(self, entity):
        reading_lists.lock_list(self.session, self.identity, self.official, entity)

    def _update_entity(self, entity, values):
        reading_lists.update(self.session, self.identity, self.official, entity, values)

    def _label(self, entity):
        return entity.name

    def _path_of_list(self):
        return self.request.route_path("reading_list.mine")


def _values(field, typed) -> dict:
    """A typed value as the service accepts it."""
    if isinstance(field, ModelSelect):
        chosen = (typed or ("",))[0]
        return {field.name: (whole_number(chosen) or 0) if chosen else None}
    if isinstance(field, TextArea):
        return {field.name: typed.strip("\n")}
    return field.to_schema(typed.strip())


def includeme(config):
    """Add the forms."""
    views, both = ListFormViews, {"methods": ("GET", "HEAD", "POST")}
    config.add_list_page("create", "create/", views, attr="create", template="edit", **both)
    config.add_list_page("update", "{slug}/update/", views, attr="update", template="edit", **both)
    config.add_list_page("delete", "{slug}/delete/", views, attr="delete", template="delete", **both)
    for name, word in (("assign", "assign-to-official"), ("assign_metron", "assign-to-metron")):
        config.add_list_page(
            name,
            f"{{slug}}/{word}/",
            views,
            attr="assign",
            template="assign",
            permission=Permission.OFFICIAL_LISTS,
            **both,
        )
