"""Bulk actions of the administration: on selected objects, after a confirmation, all or nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.renderers import render_to_response
from pyramid.response import Response
from sqlalchemy import func, select

from comicsdb.admin import catalog_objects
from comicsdb.catalog import ConflictError, InvalidError, NotFoundError
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance.bulk import OBJECTS_MAX, BulkResult
from comicsdb.catalog.maintenance.deletion_preview import preview_deletions
from comicsdb.catalog.references import select_with_labels, to_reference
from comicsdb.i18n import Text
from comicsdb.security import Permission, delete_right
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.forms.editing import check_owned_deletion
from comicsdb_web.http.routing import with_query
from comicsdb_web.pages.admin.catalog_lists import list_spec
from comicsdb_web.pages.admin.listing import parse_list_filters
from comicsdb_web.rendering.locales import _, ngettext

NAMES_SHOWN = 10  # objects that the confirmation names

NOTHING_CHOSEN = _("Select the entries to change in the list.")
NO_ACTION = _("Choose an action.")
TOO_MANY = _("Too many: at most ${n} at once.", mapping={"n": OBJECTS_MAX})
CHANGED_MEANWHILE = _("Nothing was done: one of them was changed in the meantime. Please try again.")


@dataclass(frozen=True)
class BulkAction:
    """An action on many objects: its label, a text that explains it, and `run(request, ids, typed)`."""

    label: str
    lead: str
    run: Callable[..., BulkResult]


def _staff_action(function, *more) -> Callable[..., BulkResult]:
    return lambda request, ids, _typed: function(request.catalog, request.identity, ids, *more)


def _executives(request, ids, _typed) -> BulkResult:
    executives = request.registry.settings["comicsdb.executives"]
    return catalog_objects.add_executives(request.catalog, request.identity, ids, executives)


def _delete(request, ids, typed) -> BulkResult:
    kind = request.matchdict["kind"]
    effects = preview_deletions(request.dbsession, kind, ids)
    if effects.reader_rows:
        check_owned_deletion(request.has_permission(Permission.DELETE), typed)
    model = KINDS[kind].model
    reason = typed["reason"].strip()
    return catalog_objects.delete_objects(request.catalog, request.identity, model, ids, reason)


EXECUTIVES = "executives"
DELETE = "delete"
ACTIONS: dict[str, dict[str, BulkAction]] = {
    "issue": {
        EXECUTIVES: BulkAction(
            _("Add executive credits"),
            _("Issues of the publishers named in the setting get its credits in addition to their own."),
            _executives,
        ),
        "teen": BulkAction(
            _("Set age rating to Teen"),
            _("Issues whose age rating is Unknown become Teen; others stay as they are."),
            _staff_action(catalog_objects.edit_issues, "rate teen"),
        ),
        "covers": BulkAction(
            _("Remove covers"),
            _("Their covers will be permanently removed."),
            _staff_action(catalog_objects.edit_issues, "remove covers"),
        ),
        "reprints": BulkAction(
            _("Copy from reprints"),
            _(
                "Collected editions without contents get the stories, characters and teams of the issues"
                " they reprint, where those have no more than one story each."
            ),
            _staff_action(catalog_objects.edit_issues, "take from reprints"),
        ),
    },
    "series": {
        "slugs": BulkAction(
            _("Rebuild the addresses of issues"),
            _(
                "The issues of each series get the addresses new issues"
                " would get; the old addresses redirect there."
            ),
            _staff_action(catalog_objects.rebuild_many_slugs),
        ),
    },
}
DELETION = BulkAction(_("Delete"), _("They will be permanently deleted; their history stays."), _delete)


def available_actions(request, kind: str) -> dict[str, BulkAction]:
    """The actions on a kind that the account may perform."""
    found = dict(ACTIONS.get(kind, {}))
    if not request.registry.settings["comicsdb.executives"]:
        found.pop(EXECUTIVES, None)
    if request.has_permission(delete_right(kind)):
        found[DELETE] = DELETION
    return found


def action_options(request, kind: str) -> list[tuple[str, str]]:
    """The actions as options of a form: name and label."""
    return [
        (name, request.localizer.translate(act.label))
        for name, act in available_actions(request, kind).items()
    ]


def bulk_action(request):
    """Ask for confirmation of what will happen; once confirmed, perform the action and return to the list."""
    kind = request.matchdict["kind"]
    typed = {"reason": "", "owned": "", "act": ""} | form_state.text_fields(request)
    act = available_actions(request, kind).get(typed["act"])
    ids = _chosen(request, kind)
    problem = (
        NO_ACTION
        if act is None
        else NOTHING_CHOSEN
        if not ids
        else TOO_MANY
        if len(ids) > OBJECTS_MAX
        else None
    )
    if problem is not None:
        return _back(request, kind, "warning", problem)
    if not typed.get("confirmed"):
        return _page(request, kind, act, ids, form_state.Form(typed))
    try:
        done = act.run(request, ids, typed)
    except InvalidError as error:
        mapped = InvalidError({_field(name): texts for name, texts in error.errors.items()})
        return _page(request, kind, act, ids, form_state.with_errors(request, mapped, typed))
    except (ConflictError, NotFoundError):
        return _page(request, kind, act, ids, form_state.with_form_error(request, CHANGED_MEANWHILE, typed))
    tone = "success" if done.changed and not done.postponed else "info"
    return _back(request, kind, tone, _outcome_text(act, done))


def _field(name: str) -> str:
    return name if name in {"reason", "owned"} else form_state.FORM_ERROR


def _chosen(request, kind: str) -> list[int]:
    """The selected ids, or those of the whole filtered list, but then at most OBJECTS_MAX + 1."""
    if "all" in request.POST:
        spec = list_spec(request, kind)
        conditions = parse_list_filters(request, **spec.filter_options).conditions
        rows = spec.rows.with_only_columns(*spec.key, maintain_column_froms=True).where(*conditions)
        return list(request.dbsession.scalars(rows.order_by(*spec.order).limit(OBJECTS_MAX + 1)))
    return sorted({whole_number(each, 1) for each in request.POST.getall("chosen")} - {None})


def _page(request, kind: str, act: BulkAction, ids: list[int], form: form_state.Form) -> Response:
    """The page that asks for confirmation."""
    model, session = KINDS[kind].model, request.dbsession
    named = session.scalars(
        select_with_labels(model).where(model.id.in_(ids)).order_by(model.id).limit(NAMES_SHOWN)
    )
    deletes = act is DELETION
    effects = preview_deletions(session, kind, ids) if deletes else None
    values = {
        "kind": kind,
        "act": act,
        "ids": ids,
        "there": session.scalar(select(func.count()).where(model.id.in_(ids))),
        "named": [str(to_reference(each)) for each in named],
        "form": form,
        "effects": effects,
        "may": not (effects and effects.reader_rows) or bool(request.has_permission(Permission.DELETE)),
        "back": _list_path(request, kind),
    }
    page = "admin/catalog_bulk.jinja2"
    return render_to_response(page, values, request=request, response=request.response)


def _outcome_text(act: BulkAction, done: BulkResult) -> Text:
    n, deletes = len(done.changed), act is DELETION
    if done.postponed and deletes:
        return ngettext(
            "${n} entry will be deleted in the background, which may take a few minutes.",
            "${n} entries will be deleted in the background, which may take a few minutes.",
            n,
        )
    if done.postponed:
        return ngettext(
            "${n} entry will be changed in the background, which may take a few minutes.",
            "${n} entries will be changed in the background, which may take a few minutes.",
            n,
        )
    if deletes:
        changed = ngettext("${n} entry was deleted.", "${n} entries were deleted.", n)
    else:
        changed = ngettext("${n} entry was changed.", "${n} entries were changed.", n)
    if not done.unchanged:
        return changed
    left = ngettext("${n} was left unchanged.", "${n} were left unchanged.", done.unchanged)
    return _("${changed} ${left}", mapping={"changed": changed, "left": left})


def _back(request, kind: str, tone: str, text) -> HTTPSeeOther:
    request.messages.add(tone, text)
    return HTTPSeeOther(_list_path(request, kind))


def _list_path(request, kind: str) -> str:
    """The path of the list with the same filters."""
    return with_query(request, request.route_path("admin.catalog.list", kind=kind))
