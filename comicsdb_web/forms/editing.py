"""Creating, updating and deleting objects, as methods of the views of all kinds."""

from markupsafe import Markup
from pyramid.httpexceptions import HTTPSeeOther

from comicsdb.catalog import ConflictError, InvalidError
from comicsdb.catalog.maintenance import pieces
from comicsdb.catalog.maintenance.deletion_preview import consequences
from comicsdb.i18n import translate
from comicsdb.security import Permission, delete_right
from comicsdb_web.forms import answers, lookup, saved_drafts
from comicsdb_web.forms.conflict import edit_conflicts
from comicsdb_web.forms.copying import copy_into
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.duplicate_detection import alike, taken
from comicsdb_web.forms.fields import EntityForm, ModelSelect, is_new, text_of
from comicsdb_web.forms.typed_names import forget_made, make_new, offer_new, place_typed_names
from comicsdb_web.forms.values import LOST, Change, change_of, keep_pictures, store_pictures
from comicsdb_web.rendering.locales import _

SAVED, UNCHANGED = _("Saved."), _("Nothing to change.")
ADDED = _("${label} was added to the catalogue.")
DELETED = _("${label} was deleted.")
BEING_DELETED = _(
    "${label} is being deleted. A lot belongs to it, which goes first: that takes some minutes, in the"
    " background."
)


class Editing:
    """Methods for views with `request`, `session`, `model`, `kind` and `_entity()`."""

    form: EntityForm | None = None  # None: the kind cannot be edited
    draft = Draft  # the class for the state of the form
    added = ADDED  # the message for a new object
    has_history = True  # with a summary of each edit
    keeps_drafts = True

    # Writing valid values.

    def _write_new(self, values: dict):
        return self.request.catalog.create(self.model, values)

    def _write(self, entity, values: dict) -> None:
        self.request.catalog.update(entity, values)

    def _lock(self, entity) -> None:
        self.request.catalog.lock(entity)

    def _write_end(self, entity, reason: str) -> bool:
        """Delete an object; False if that is left for after the request."""
        if pieces.postpone_deletion(self.request.catalog, self.kind, {entity.id}, reason):
            return False
        self.request.catalog.delete(entity, reason)
        return True

    def _alike(self, values: dict) -> list:
        """Possible duplicates of a new object."""
        return alike(self.request, self.model, values)

    # Create and update.

    def create(self):
        """The form for a new object, and its submission."""
        draft = self.draft(self.request, self.kind, self.form)
        if self.request.method != "POST":
            saved_drafts.restore(draft)
            self._begin(draft)
            return self._page(draft)
        draft.read(self.request.POST)
        return saved_drafts.answer_button(draft) or self._helped(draft) or self._create(draft)

    def _begin(self, draft: Draft) -> None:
        draft.prefill(self.request.GET)

    def update(self):
        """The form for an existing object, and its submission."""
        entity = self._entity()
        draft = self.draft(self.request, self.kind, self.form, entity, self._label(entity))
        if self.request.method != "POST":
            saved_drafts.restore(draft)
            return self._page(draft, differences=edit_conflicts(draft) if draft.is_touched else ())
        draft.read(self.request.POST)
        return saved_drafts.answer_button(draft) or self._helped(draft) or self._update(draft)

    def _helped(self, draft: Draft):
        """Handle buttons other than Save, which change the form only; None for Save."""
        post = self.request.POST
        if name := text_of(post, "find"):
            self._find(draft, name, text_of(post, f"{name}-q") or "")
        elif name := text_of(post, "add"):
            draft.add_row(name)
        elif name := text_of(post, "copy"):
            copy_into(draft, name)
        elif text_of(post, "place"):
            draft.refuse(place_typed_names(draft))
        elif not any(text_of(post, name) for name in ("propose", saved_drafts.STORE)):
            return None
        draft.refuse(keep_pictures(draft))
        return self._page(draft)

    def _find(self, draft: Draft, name: str, query: str) -> None:
        for each, field, _typed in draft.inputs():
            if each == name and isinstance(field, ModelSelect):
                draft.found[name] = lookup.find(self.request, field.source, query)
                offer_new(draft, name, field)

    def _create(self, draft: Draft):
        try:
            self._prepare(draft)
            change = self._judged(draft)
            if not text_of(self.request.POST, "anyway"):
                likes = self._alike(change.values)
                if likes:
                    return self._refused(draft, 422, likes=likes)
            store_pictures(draft, change)
            entity = self._write_new(change.values)
        except InvalidError as error:
            return self._invalid(draft, error)
        except ConflictError as error:
            return self._taken(draft, error, change.values)
        saved_drafts.discard(draft)
        path = self._path_after(entity) if text_of(self.request.POST, "then") else self._path_of(entity)
        return self._done(path, self.added, self._label(entity))

    def _update(self, draft: Draft):
        differences = edit_conflicts(draft)
        if differences:
            return self._refused(draft, 409, differences=differences)
        try:
            self._prepare(draft)
            change = self._judged(draft)
            if change.values or change.files:
                store_pictures(draft, change)
                fresh = self._locked(draft)
                if differences := edit_conflicts(fresh):  # saved while pictures were stored
                    return self._refused(fresh, 409, differences=differences)
                self._write(draft.entity, change.values)
        except InvalidError as error:
            return self._invalid(draft, error)
        except ConflictError as error:
            return self._taken(draft, error, draft.state | change.values)
        saved_drafts.discard(draft)
        say = SAVED if change.values else UNCHANGED
        return self._done(self._path_of(draft.entity), say, kind="success" if change.values else "info")

    def _prepare(self, draft: Draft) -> None:
        """Choose and make what was typed by name. Raises InvalidError with all errors."""
        if self.has_history:
            self.request.catalog.explain(draft.reason)
        errors = place_typed_names(draft) | {name: [LOST] for name in draft.lost}
        if not errors and draft.has_new:
            errors = keep_pictures(draft)  # no picture is decoded while the catalogue is locked
        if errors:
            raise InvalidError(self._further_errors(draft) | errors)
        if draft.has_new:
            make_new(draft, self.request.catalog)

    def _further_errors(self, draft: Draft) -> dict:
        """The other errors of a draft, without those of objects that are not made yet."""
        try:
            self._judged(draft)
        except InvalidError as error:
            new = {name for name, field, typed in draft.pickers() if is_new(field, typed[field.name])}
            return {name: texts for name, texts in error.errors.items() if name not in new}
        return {}

    def _judged(self, draft: Draft) -> Change:
        """The changes of the draft, checked by all rules. Raises InvalidError with all errors."""
        change, errors = change_of(draft)
        errors |= self._advised(draft, change)
        found, conflicts = self.request.catalog.faults(self.model, draft.entity, change.values)
        errors |= {name: texts for name, texts in found.items() if name not in errors}
        for conflict in conflicts:
            field, text = self._taken_words(conflict, draft.state | change.values)
            errors.setdefault(field, []).append(text)
        if errors:
            raise InvalidError(errors)
        return change

    def _advised(self, draft: Draft, change: Change) -> dict:  # noqa: ARG002
        """The broken advisory rules that block the change: here all of them."""
        return change.advice

    def _locked(self, draft: Draft) -> Draft:
        """The draft with the object locked against other writers."""
        self._lock(draft.entity)
        if draft.entity.modified.isoformat() == draft.modified:
            return draft
        fresh = self.draft(self.request, self.kind, self.form, draft.entity, draft.label)
        fresh.read(self.request.POST)
        return fresh

    # Answers.

    def _page(self, draft: Draft, *, differences=(), likes=()) -> dict:
        draft.look_up()
        return {
            "draft": draft,
            "kind": self.kind,
            "label": draft.label,
            "action": self.request.path,
            "back": self._back(draft),
            "differences": differences,
            "likes": likes,
            "has_history": self.has_history,
            "saved_drafts": saved_drafts.offered(draft) if self.keeps_drafts else None,
        }

    def _back(self, draft: Draft) -> str:
        if draft.entity is None:
            return self._path_of_list()
        return self._path_of(draft.entity)

    def _refused(self, draft: Draft, status: int, **shown) -> dict:
        forget_made(draft)
        for name, texts in keep_pictures(draft).items():
            if name not in draft.errors:
                draft.refuse({name: texts})
        self.request.response.status = status
        return self._page(draft, **shown)

    def _invalid(self, draft: Draft, error: InvalidError) -> dict:
        draft.refuse(error.errors)
        return self._refused(draft, 422)

    def _taken(self, draft: Draft, conflict: ConflictError, values: dict) -> dict:
        """The error for a conflict with a concurrent writer."""
        field, text = self._taken_words(conflict, values)
        return self._invalid(draft, InvalidError({field: [text]}))

    def _taken_words(self, conflict: ConflictError, values: dict) -> tuple[str, str]:
        field, words, item, path = taken(self.request, self.model, conflict, values)
        words = self.request.localizer.translate(words)
        if item is None:
            return field, words
        return field, Markup('{} <a href="{}">{}</a>').format(words, path, item.text)

    def _done(self, path: str, text, label: str = "", *, kind: str = "success"):
        words = translate(self.request.localizer, text % {"label": label} if label else text)
        self.request.messages.add(kind, words)
        return HTTPSeeOther(path)

    def _path_of(self, entity) -> str:
        return self.request.entity_path(entity)

    def _path_after(self, entity) -> str:
        """The form that "Save and add next" leads to."""
        return self._path_of(entity)

    def _path_of_list(self) -> str:
        return self.request.route_path(f"{self.kind}.list")

    def _label(self, entity) -> str:
        """The label of an object, whatever of it is loaded."""
        return lookup.name_one(self.session, entity).text

    # Delete.

    def delete(self):
        """The preview of the deletion, and its confirmation."""
        entity = self._entity()
        effects = consequences(self.session, entity)
        may_anything = self.request.has_permission(Permission.DELETE)
        values = {
            "entity": entity,
            "kind": self.kind,
            "effects": effects,
            "may": bool(may_anything) or not effects.owned,
            "under_way": pieces.under_way(self.session, self.kind, entity.id, "delete"),
            "form": answers.Form({}),
        }
        if self.request.method != "POST":
            return values
        typed = {name: text_of(self.request.POST, name) or "" for name in ("reason", "owned")}
        try:
            if effects.owned:
                allow_owned(may_anything, typed)
            label = self._label(entity)
            gone = self._write_end(entity, typed["reason"].strip())
        except InvalidError as error:
            return values | {"form": answers.refused(self.request, error, typed)}
        if not gone:
            return self._done(self._path_of_list(), BEING_DELETED, label, kind="info")
        return self._done(self._path_of_list(), DELETED, label)


def allow_owned(may_anything, typed: dict) -> None:
    """Raise InvalidError if the deletion affects readers, unless a superuser confirms that."""
    if not may_anything:
        raise InvalidError(
            {answers.WHOLE: [_("Only a superuser can delete what readers have rated or collected.")]}
        )
    if not typed["owned"]:
        raise InvalidError({"owned": [_("Tick the box, or leave the object where it is.")]})


def add_editing_pages(config, views) -> None:
    """Add the editing pages of a kind with a form; before its routes with a slug, which match any word."""
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
