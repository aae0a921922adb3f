"""The catalog in the administration: lists, forms, deletions and history of every kind."""

from pyramid.httpexceptions import HTTPFound
from sqlalchemy import func, select

from comicsdb import admin
from comicsdb.catalog import InvalidError
from comicsdb.catalog.history.diff import compare
from comicsdb.catalog.kinds import KINDS
from comicsdb.models.choices import UNKNOWN_AGE_RATING_ID
from comicsdb.security import delete_right
from comicsdb_web.forms import form_state
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.editing import EditingViews
from comicsdb_web.forms.values import Change
from comicsdb_web.pages.admin import row_of
from comicsdb_web.pages.admin.catalog_bulk import action_options, bulk_action
from comicsdb_web.pages.admin.catalog_forms import REFERENCE, form_of
from comicsdb_web.pages.admin.catalog_lists import list_spec
from comicsdb_web.pages.admin.listing import listing
from comicsdb_web.pages.catalog.history import versions_of
from comicsdb_web.pages.catalog.history_labels import TYPES, field_labels
from comicsdb_web.pages.site.errors import error_page
from comicsdb_web.rendering.locales import _

ADVICE = _("Saved, but please check ${field}: ${text}")


def _kinds(registry) -> list[str]:
    """The kinds with a form: those with pages, then reference data."""
    return [*(kind for kind in KINDS if kind in registry["comicsdb_web.kind_views"]), *REFERENCE]


def catalog(request):
    """All kinds, with the number of their objects."""
    kinds = _kinds(request.registry)
    counts = {kind: select(func.count()).select_from(KINDS[kind].model).scalar_subquery() for kind in kinds}
    found = request.dbsession.execute(select(*(count.label(kind) for kind, count in counts.items()))).one()
    return {"numbers": found._mapping, "reference": tuple(REFERENCE)}


def objects(request):
    """The objects of a kind, with the bulk actions."""
    kind = request.matchdict["kind"]
    spec = list_spec(request, kind)
    found = listing(request, spec.rows, spec.key, spec.order, options=spec.options, **spec.filter_options)
    return found | {"kind": kind, "is_reference": kind in REFERENCE, "actions": action_options(request, kind)}


class CatalogAdmin(EditingViews):
    """The forms of the objects of every kind, by their ids; each change is recorded in the audit log."""

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.kind = request.matchdict["kind"]
        self.model = KINDS[self.kind].model
        self.form = form_of(request, self.kind)
        self.is_reference = self.kind in REFERENCE
        self.finds_duplicates = not self.is_reference
        self._advice = []

    def history(self):
        """The versions of reference data; other kinds redirect to their page on the site."""
        entity = self._entity()
        if not self.is_reference:
            return HTTPFound(self.request.entity_path(entity, "history"))
        page = versions_of(self.request, self.kind, entity.id)
        found = compare(
            self.session, self.kind, [(older, version.snapshot) for version, _user, older in page.rows]
        )
        return {
            "kind": self.kind,
            "id": entity.id,
            "label": self._label(entity),
            "page": page,
            "differences": {row[0].id: each for row, each in zip(page.rows, found, strict=True)},
            "labels": field_labels(self.request, self.kind),
            "types": TYPES,
            "pictures": set(),
        }

    def delete(self):
        """As on the site, for accounts that may delete the kind."""
        if not self.request.has_permission(delete_right(self.kind)):
            return error_page(self.request, 403)
        found = super().delete()
        if not isinstance(found, dict):
            return found
        obstacle = self._deletion_obstacle(found["entity"], found["effects"])
        if obstacle:
            text = self.request.localizer.translate(obstacle)
            found |= {"may": False, "form": form_state.Form({}, {form_state.FORM_ERROR: [text]})}
        return found | self._navigation_values(found["entity"], self._label(found["entity"]))

    def _deletion_obstacle(self, entity, effects):
        """Why reference data cannot be deleted, or None."""
        if self.kind == "series_type" and effects.unlinked:
            return _("Some series have this type: give them another type first.")
        if self.kind == "age_rating" and entity.id == UNKNOWN_AGE_RATING_ID:
            return _("This age rating represents “unknown” and cannot be deleted.")
        return None

    def _page(self, draft: Draft, **shown) -> dict:
        return super()._page(draft, **shown) | self._navigation_values(draft.entity, draft.label)

    def _navigation_values(self, entity, label: str | None) -> dict:
        """The values of the frame around the pages of one object; `entity` is None for a new one."""
        has_page = entity is not None and not self.is_reference
        return {
            "kind": self.kind,
            "id": entity and entity.id,
            "label": label,
            "on_site": self.request.entity_path(entity) if has_page else None,
            "history_path": self.request.entity_path(entity, "history") if has_page else None,
            "may_delete": bool(self.request.has_permission(delete_right(self.kind))),
        }

    def _entity(self):
        return row_of(self.request, self.model)

    def _path_of(self, entity) -> str:
        return self.request.route_path("admin.catalog.edit", kind=self.kind, id=entity.id)

    def _path_of_list(self) -> str:
        return self.request.route_path("admin.catalog.list", kind=self.kind)

    def _label(self, entity) -> str:
        return entity.name if self.is_reference else super()._label(entity)

    def _blocking_advice(self, draft: Draft, change: Change) -> dict:
        """No rule blocks the change: broken advisory rules are shown after saving."""
        self._advice = [
            _(ADVICE, mapping={"field": draft.labels[name], "text": text})
            for name, texts in change.advice.items()
            for text in texts
        ]
        return {}

    def _create_entity(self, values: dict):
        entity = admin.catalog_objects.create_object(
            self.request.catalog, self.request.identity, self.model, values
        )
        self._warn()
        return entity

    def _update_entity(self, entity, values: dict) -> None:
        admin.catalog_objects.change_object(self.request.catalog, self.request.identity, entity, values)
        self._warn()

    def _delete_entity(self, entity, reason: str) -> bool:
        try:
            return admin.catalog_objects.delete_object(
                self.request.catalog, self.request.identity, entity, reason
            )
        except InvalidError as error:  # an error under the kind's name, for which the page has no field
            texts = error.errors.pop(self.kind, None)
            raise InvalidError(error.errors | ({form_state.FORM_ERROR: texts} if texts else {})) from error

    def _warn(self) -> None:
        for text in self._advice:
            self.request.messages.add("warning", text)


def includeme(config):
    """Add the same pages for every kind; fixed paths come before those with an id."""
    kind = f"{{kind:{'|'.join(_kinds(config.registry))}}}"
    one = f"{kind}/{{id:[0-9]+}}/"
    form, both = "admin/catalog_form.jinja2", {"methods": ("GET", "HEAD", "POST")}
    config.add_admin_page(".catalog", "catalogue/", catalog, renderer="admin/catalog.jinja2")
    config.add_admin_page(
        ".catalog.list", f"{kind}/", objects, renderer="admin/catalog_list.jinja2", post=bulk_action
    )
    config.add_admin_page(".catalog.add", f"{kind}/add/", CatalogAdmin, attr="create", renderer=form, **both)
    config.add_admin_page(".catalog.edit", one, CatalogAdmin, attr="update", renderer=form, **both)
    config.add_admin_page(
        ".catalog.delete",
        f"{one}delete/",
        CatalogAdmin,
        attr="delete",
        renderer="admin/catalog_delete.jinja2",
        **both,
    )
    config.add_admin_page(
        ".catalog.history",
        f"{one}history/",
        CatalogAdmin,
        attr="history",
        renderer="admin/catalog_history.jinja2",
    )
