"""A new empty row of a form, as a fragment."""

from pyramid.httpexceptions import HTTPBadRequest, HTTPNotFound

from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import EntityForm
from comicsdb_web.forms.rows import INDEX_MAX, ROW_KINDS, new_row
from comicsdb_web.http.fragments import fragment
from comicsdb_web.rendering.locales import _


def add_row(request):
    """The row with the given index."""
    kind = ROW_KINDS.get(request.matchdict["kind"])
    if kind is None:
        raise HTTPNotFound
    index = whole_number(request.GET.get("form_idx"), 0, INDEX_MAX)
    if index is None:
        raise HTTPBadRequest(_("The index of a row is a number from 0 to 9999."))
    draft = Draft(request, kind.name, EntityForm(None, ()))
    return fragment(request, "row", {"draft": draft, "row": new_row(kind, index)})


def includeme(config):
    """Add the route for all kinds of rows."""
    config.add_page("row", "/issue/formset/{kind}/add-row/", add_row, permission=Permission.EDIT)
