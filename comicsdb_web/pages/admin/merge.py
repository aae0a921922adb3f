"""Merging and moving in the administration: choose two objects, preview, confirm."""

from pyramid.httpexceptions import HTTPSeeOther

from comicsdb import admin
from comicsdb.catalog import GoneError, InvalidError, MovedError, NotFoundError, search
from comicsdb.catalog.kinds import KINDS, PRECISIONS
from comicsdb.catalog.maintenance.merge import preview_merge
from comicsdb.catalog.maintenance.move import preview_move
from comicsdb.catalog.references import References, select_with_labels
from comicsdb.models import CATALOG
from comicsdb.models.choices import Status
from comicsdb.values import partial_day_text
from comicsdb_web.forms import form_state, lookup
from comicsdb_web.pages.account import require_confirmed_session
from comicsdb_web.pages.catalog.history_labels import field_labels
from comicsdb_web.rendering.locales import _

FOUND_MAX = 20
BEING_MERGED = _(
    "${name} is being merged, with everything that belongs to it. This takes a few minutes, in the"
    " background."
)
KIND_NAMES = [model.__tablename__ for model in CATALOG]
HIDDEN_FIELDS = {"image", "image_width", "image_height", "cover_hash", *PRECISIONS}
MERGE_FIELDS = ("keep", "other")  # the form fields of the two objects
MOVE_FIELDS = ("publisher", "parent")


def kinds(request):  # noqa: ARG001
    """The kinds that can be merged."""
    return {"kinds": KIND_NAMES}


def merge_form(request):
    """The form of two objects to merge, with a preview."""
    return _merge_page(request, request.GET)


def merge(request):
    """Merge two objects."""
    kind, typed = request.matchdict["kind"], form_state.text_fields(request)
    chosen, errors = _chosen(request, kind, MERGE_FIELDS, typed)
    try:
        if len(chosen) < len(MERGE_FIELDS):
            raise InvalidError(errors or {"__all__": [_("Select two entries first.")]})
        kept, other = (chosen[name] for name in MERGE_FIELDS)
        gone = other.label
        done = admin.merge_objects(request.catalog, request.identity, kept, other, typed.get("reason", ""))
    except InvalidError as error:
        return _merge_page(request, typed, form_state.with_errors(request, error, typed))
    if done:
        request.messages.add("success", _("${name} was merged.", mapping={"name": gone}))
    else:
        request.messages.add("info", _(BEING_MERGED, mapping={"name": gone}))
    return HTTPSeeOther(request.entity_path(kept))


def move_form(request):
    """The form of a publisher and its new parent, with a preview."""
    return _move_page(request, request.GET)


def move(request):
    """Make a publisher an imprint of the other."""
    typed = form_state.text_fields(request)
    chosen, errors = _chosen(request, "publisher", MOVE_FIELDS, typed)
    try:
        if len(chosen) < len(MOVE_FIELDS):
            raise InvalidError(errors or {"__all__": [_("Select two publishers first.")]})
        publisher, parent = (chosen[name] for name in MOVE_FIELDS)
        gone = publisher.label
        imprint = admin.move(
            request.catalog,
            request.identity,
            publisher,
            parent,
            with_children=bool(typed.get("with_children")),
            reason=typed.get("reason", ""),
        )
    except InvalidError as error:
        return _move_page(request, typed, form_state.with_errors(request, error, typed))
    request.messages.add("success", _("${name} is now an imprint.", mapping={"name": gone}))
    return HTTPSeeOther(request.entity_path(imprint))


def _merge_page(request, typed, form: form_state.Form | None = None) -> dict:
    kind = request.matchdict["kind"]
    chosen, errors = _chosen(request, kind, MERGE_FIELDS, typed)
    planned = None
    if len(chosen) == len(MERGE_FIELDS):
        try:
            planned = preview_merge(request.dbsession, *(chosen[name] for name in MERGE_FIELDS))
        except InvalidError as error:
            errors |= error.errors
    return {
        "kind": kind,
        "form": form or _form(request, typed, errors),
        "found": _found(request, kind, typed),
        "planned": planned,
        "sides": _sides(request, kind, planned) if planned else (),
        "labels": field_labels(request, kind),
    }


def _move_page(request, typed, form: form_state.Form | None = None) -> dict:
    chosen, errors = _chosen(request, "publisher", MOVE_FIELDS, typed)
    planned = None
    if len(chosen) == len(MOVE_FIELDS):
        try:
            planned = preview_move(
                request.dbsession,
                *(chosen[name] for name in MOVE_FIELDS),
                with_children=bool(typed.get("with_children")),
            )
        except InvalidError as error:
            errors |= error.errors
    return {
        "form": form or _form(request, typed, errors),
        "found": _found(request, "publisher", typed),
        "planned": planned,
        "labels": field_labels(request, "publisher"),
    }


def _form(request, typed, errors: dict) -> form_state.Form:
    """The objects chosen in the query, with errors; the page itself has status 200."""
    say_it = request.localizer.translate
    return form_state.Form(typed, {name: [say_it(text) for text in texts] for name, texts in errors.items()})


def _chosen(request, kind: str, names, typed) -> tuple[dict, dict]:
    """The objects named by id or slug, and the errors of the other names."""
    chosen, errors = {}, {}
    for name in names:
        key = typed.get(name, "").strip()
        try:
            if key:
                chosen[name] = admin.find(request.catalog, kind, key)
        except MovedError as moved:  # a former slug, or that of a merged object
            chosen[name] = admin.find(request.catalog, kind, moved.entity.id)
        except GoneError:
            errors[name] = [_("It was deleted.")]
        except NotFoundError:
            errors[name] = [_("There is no entry with this ID or address.")]
    return chosen, errors


def _found(request, kind: str, typed) -> list:
    """The first search results, to choose from."""
    words, model = search.clean_query(typed.get("find", "")), KINDS[kind].model
    if not words:
        return []
    ids = lookup.ranked_ids(request, kind, words, FOUND_MAX)
    found = request.dbsession.scalars(select_with_labels(model).where(model.id.in_(ids))).all()
    return sorted(found, key=lambda each: ids.index(each.id))


def _sides(request, kind: str, planned) -> list[tuple[str, str, str, str]]:
    """The fields of both objects: name, the value of each, and the merged value."""
    spec = KINDS[kind]
    pair = (planned.canonical, planned.other)
    wanted = {
        model.__tablename__: {getattr(each, f"{field}_id") for each in pair} - {None}
        for field, model in spec.parents.items()
    }
    references = References(request.dbsession, wanted)
    rows = []
    for field in (*spec.scalars, *spec.parents):
        if field in HIDDEN_FIELDS:
            continue
        if field in spec.parents:
            model = spec.parents[field].__tablename__
            ids = [getattr(each, f"{field}_id") for each in pair] + [planned.filled.get(field)]
            one, other, new = (str(references.to(model, each)) if each else "" for each in ids)
        else:
            values = [getattr(each, field) for each in pair] + [planned.filled.get(field)]
            if field == "status":
                values = [value and Status(value).label for value in values]
            elif field in spec.partial_dates:
                known = f"{field}_precision"
                precisions = [getattr(each, known) for each in pair] + [planned.filled.get(known)]
                values = list(map(partial_day_text, values, precisions))
            one, other, new = (_text(request, value) for value in values)
        if field == planned.names_field:
            new = _text(request, [*getattr(planned.canonical, field), *planned.names])
        if one or other:
            rows.append((field, one, other, new or one))
    return rows


def _text(request, value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return request.localizer.translate(_("yes") if value else _("no"))
    return "; ".join(value) if isinstance(value, list) else str(value)


def includeme(config):
    """Add the merge pages of all kinds, and the page for a move."""
    one = f"merge/{{kind:{'|'.join(KIND_NAMES)}}}/"
    config.add_admin_page(".merge", "merge/", kinds, renderer="admin/merge_kinds.jinja2")
    config.add_admin_page(
        ".merge.kind", one, merge_form, renderer="admin/merge.jinja2", post=require_confirmed_session(merge)
    )
    config.add_admin_page(
        ".move", "move/", move_form, renderer="admin/move.jinja2", post=require_confirmed_session(move)
    )
