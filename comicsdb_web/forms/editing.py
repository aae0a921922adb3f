"""Creating, updating and deleting objects, as methods of the views of all kinds."""

from markupsafe import Markup
from pyramid.httpexceptions import HTTPSeeOther

from comicsdb.catalog import ConflictError, InvalidError
from comicsdb.catalog.maintenance import pieces
from comicsdb.catalog.maintenance.deletion_preview import preview_deletion
from comicsdb.security import Permission, delete_right
from comicsdb_web.forms import form_state, lookup, saved_drafts
from comicsdb_web.forms.conflict import edit_conflicts
from comicsdb_web.forms.copying import copy_from_previous
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.duplicate_detection import describe_conflict, similar_objects
from comicsdb_web.forms.fields import EntityForm, is_new, text_of
from comicsdb_web.forms.typed_names import (
    create_new_objects,
    offer_creation,
    resolve_typed_names,
    restore_new_objects,
)
from comicsdb_web.forms.values import PICTURE_EXPIRED, Change, changes_of, store_pictures, store_uploads
from comicsdb_web.rendering.locales import _

SAVED, UNCHANGED = _("Saved."), _("Nothing to change.")
ADDED = _("${label} was added to the catalog.")
DELETED = _("${label} was deleted.")
BEING_DELETED = _(
    "${label} is being deleted, with everything that belongs to it. This takes a few minutes, in the"
    " background."
)


class EditingViews:
    """Views that create, update and delete objects of `model`; subclasses define `_entity()`."""

    form: EntityForm | None = None  # None: the kind cannot be edited
    draft_class = Draft  # the class for the state of the form
    added_message = ADDED  # the message for a new object
    has_history = True  # each edit has a summary
    finds_duplicates = True  # a new object that resembles another needs confirmation
    saves_drafts = True

    # Writing valid values.

    def _create_entity(self, values: dict):
        return self.request.catalog.create(self.model, values)

    def _update_entity(self, entity, values: dict) -> None:
        self.request.catalog.update(entity, values)

    def _lock_entity(self, entity) -> None:
        self.request.catalog.lock(entity)

    def _delete_entity(self, entity, reason: str) -> bool:
        """Delete an object; False if that is postponed until after the request."""
        if pieces.postpone_deletion(self.request.catalog, self.kind, {entity.id}, reason):
            return False
        self.request.catalog.delete(entity, reason)
        return True

    # Create and update.

    def create(self):
        """The form for a new object, and its submission."""
        draft = self.draft_class(self.request, self.kind, self.form)
        if self.request.method != "POST":
            saved_drafts.restore(draft)
            self._prefill(draft)
            return self._page(draft)
        draft.read(self.request.POST)
        return saved_drafts.handle_button(draft) or self._handle_button(draft) or self._create(draft)

    def _prefill(self, draft: Draft) -> None:
        draft.prefill(self.request.GET)

    def update(self):
        """The form for an existing object, and its submission."""
        entity = self._entity()
        draft = self.draft_class(self.request, self.kind, self.form, entity, self._label(entity))
        if self.request.method != "POST":
            saved_drafts.restore(draft)
            return self._page(draft, differences=edit_conflicts(draft) if draft.is_touched else ())
        draft.read(self.request.POST)
        return saved_drafts.handle_button(draft) or self._handle_button(draft) or self._update(draft)

    def _handle_button(self, draft: Draft):
        """Handle buttons other than Save, which change the form only; None for Save."""
        post = self.request.POST
        if draft.search():
            offer_creation(draft)
        elif name := text_of(post, "add"):
            draft.add_row(name)
        elif name := text_of(post, "copy"):
            copy_from_previous(draft, name)
        elif text_of(post, "place"):
            draft.add_errors(resolve_typed_names(draft))
        elif not any(text_of(post, name) for name in ("propose", saved_drafts.STORE_BUTTON)):
            return None
        draft.add_errors(store_uploads(draft))
        return self._page(draft)

    def _create(self, draft: Draft):
        try:
            self._prepare(draft)
            change = self._validate(draft)
            is_asked = self.finds_duplicates and not text_of(self.request.POST, "anyway")
            if is_asked and (duplicates := similar_objects(self.request, self.model, change.values)):
                return self._error_page(draft, 422, duplicates=duplicates)
            store_pictures(draft, change)
            entity = self._create_entity(change.values)
        except InvalidError as error:
            return self._invalid_page(draft, error)
        except ConflictError as error:
            return self._conflict_page(draft, error, change.values)
        saved_drafts.discard(draft)
        path = self._path_after(entity) if text_of(self.request.POST, "then") else self._path_of(entity)
        return self._redirect(path, self.added_message, self._label(entity))

    def _update(self, draft: Draft):
        differences = edit_conflicts(draft)
        if differences:
            return self._error_page(draft, 409, differences=differences)
        try:
            self._prepare(draft)
            change = self._validate(draft)
            if change.values or change.files:
                store_pictures(draft, change)
                fresh = self._lock_draft(draft)
                if differences := edit_conflicts(fresh):  # somebody saved while pictures were stored
                    return self._error_page(fresh, 409, differences=differences)
                self._update_entity(draft.entity, change.values)
        except InvalidError as error:
            return self._invalid_page(draft, error)
        except ConflictError as error:
            return self._conflict_page(draft, error, draft.state | change.values)
        saved_drafts.discard(draft)
        say = SAVED if change.values else UNCHANGED
        return self._redirect(self._path_of(draft.entity), say, kind="success" if change.values else "info")

    def _prepare(self, draft: Draft) -> None:
        """Select or create the objects that were typed by name. Raises InvalidError with all errors."""
        if self.has_history:
            self.request.catalog.set_reason(draft.reason)
        errors = resolve_typed_names(draft) | {name: [PICTURE_EXPIRED] for name in draft.lost}
        if not errors and draft.has_new_objects:
            errors = store_uploads(draft)  # no picture is decoded while the catalog is locked
        if errors:
            raise InvalidError(self._remaining_errors(draft) | errors)
        if draft.has_new_objects:
            create_new_objects(draft, self.request.catalog)

    def _remaining_errors(self, draft: Draft) -> dict:
        """The other errors of a draft, except those of objects that are not created yet."""
        try:
            self._validate(draft)
        except InvalidError as error:
            new = {name for name, field, typed in draft.model_selects() if is_new(field, typed[field.name])}
            return {name: texts for name, texts in error.errors.items() if name not in new}
        return {}

    def _validate(self, draft: Draft) -> Change:
        """Return the changes of the draft after checking all rules. Raises InvalidError with all errors."""
        change, errors = changes_of(draft)
        errors |= self._blocking_advice(draft, change)
        found, conflicts = self.request.catalog.find_errors(self.model, draft.entity, change.values)
        errors |= {name: texts for name, texts in found.items() if name not in errors}
        for conflict in conflicts:
            field, text = self._conflict_message(conflict, draft.state | change.values)
            errors.setdefault(field, []).append(text)
        if errors:
            raise InvalidError(errors)
        return change

    def _blocking_advice(self, draft: Draft, change: Change) -> dict:  # noqa: ARG002
        """The violations of advisory rules that block the change: here all of them."""
        return change.advice

    def _lock_draft(self, draft: Draft) -> Draft:
        """Lock the object against other writers; returns a fresh draft if it was changed meanwhile."""
        self._lock_entity(draft.entity)
        if draft.entity.modified.isoformat() == draft.modified:
            return draft
        fresh = self.draft_class(self.request, self.kind, self.form, draft.entity, draft.label)
        fresh.read(self.request.POST)
        return fresh

    # Responses.

    def _page(self, draft: Draft, *, differences=(), duplicates=()) -> dict:
        draft.load_labels()
        return {
            "draft": draft,
            "kind": self.kind,
            "label": draft.label,
            "action": self.request.path,
            "back": self._cancel_path(draft),
            "differences": differences,
            "duplicates": duplicates,
            "has_history": self.has_history,
            "saved_drafts": saved_drafts.drafts_to_offer(draft) if self.saves_drafts else None,
        }

    def _cancel_path(self, draft: Draft) -> str:
        if draft.entity is None:
            return self._path_of_list()
        return self._path_of(draft.entity)

    def _error_page(self, draft: Draft, status: int, **shown) -> dict:
        restore_new_objects(draft)
        for name, texts in store_uploads(draft).items():
            if name not in draft.errors:
                draft.add_errors({name: texts})
        self.request.response.status = status
        return self._page(draft, **shown)

    def _invalid_page(self, draft: Draft, error: InvalidError) -> dict:
        draft.add_errors(error.errors)
        return self._error_page(draft, 422)

    def _conflict_page(self, draft: Draft, conflict: ConflictError, values: dict) -> dict:
        """The form with the error of a conflict with a concurrent writer."""
        field, text = self._conflict_message(conflict, values)
        return self._invalid_page(draft, InvalidError({field: [text]}))

    def _conflict_message(self, conflict: ConflictError, values: dict) -> tuple[str, str]:
        field, words, item, path = describe_conflict(self.request, self.model, conflict, values)
        words = self.request.localizer.translate(words)
        if item is None:
            return field, words
        return field, Markup('{} <a href="{}">{}</a>').format(words, path, item.text)

    def _redirect(self, path: str, text, label: str = "", *, kind: str = "success"):
        self.request.messages.add(kind, text % {"label": label} if label else text)
        return HTTPSeeOther(path)

    def _path_of(self, entity) -> str:
        return self.request.entity_path(entity)

    def _path_after(self, entity) -> str:
        """The page that "Save and add next" leads to."""
        return self._path_of(entity)

    def _path_of_list(self) -> str:
        return self.request.route_path(f"{self.kind}.list")

    def _label(self, entity) -> str:
        """The label of an object, which may be loaded only in part."""
        return lookup.item_of(self.session, entity).text

    # Delete.

    def delete(self):
        """The preview of the deletion, and its confirmation."""
        entity = self._entity()
        effects = preview_deletion(self.session, entity)
        may_anything = self.request.has_permission(Permission.DELETE)
        values = {
            "entity": entity,
            "kind": self.kind,
            "effects": effects,
            "may": bool(may_anything) or not effects.reader_rows,
            "under_way": pieces.is_deletion_postponed(self.session, self.kind, entity.id),
            "form": form_state.Form({}),
        }
        if self.request.method != "POST":
            return values
        typed = {name: text_of(self.request.POST, name) or "" for name in ("reason", "owned")}
        try:
            if effects.reader_rows:
                check_owned_deletion(may_anything, typed)
            label = self._label(entity)
            gone = self._delete_entity(entity, typed["reason"].strip())
        except InvalidError as error:
            return values | {"form": form_state.with_errors(self.request, error, typed)}
        if not gone:
            return self._redirect(self._path_of_list(), BEING_DELETED, label, kind="info")
        return self._redirect(self._path_of_list(), DELETED, label)


def check_owned_deletion(may_anything, typed: dict) -> None:
    """Raise InvalidError if the deletion affects readers, unless a superuser confirms that."""
    if not may_anything:
        raise InvalidError(
            {form_state.FORM_ERROR: [_("Only a superuser can delete what readers have rated or collected.")]}
        )
    if not typed["owned"]:
        raise InvalidError({"owned": [_("Tick the box, or leave the entry where it is.")]})


def add_editing_pages(config, views) -> None:
    """Add the editing pages of a kind; its routes with a slug, which match any word, must come later."""
    kind = views.model.__tablename__
    reading = {"methods": ("GET", "HEAD", "POST"), "permission": Permission.EDIT}
    edit = "entity/edit.jinja2"
    config.add_page(f"{kind}.create", f"/{kind}/create/", views, attr="create", renderer=edit, **reading)
    config.add_page(
        f"{kind}.update", f"/{kind}/{{slug}}/update/", views, attr="update", renderer=edit, **reading
    )
    config.add_page(
        f"{kind}.delete",
        f"/{kind}/{{slug}}/delete/",
        views,
        attr="delete",
        renderer="entity/delete.jinja2",
        methods=("GET", "HEAD", "POST"),
        permission=delete_right(kind),
    )
