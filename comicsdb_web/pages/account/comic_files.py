"""Issues described by the tags in an account's comic files, to be entered or dismissed one by one."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther

from comicsdb.exchange import tagged_files
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms.fields import text_of
from comicsdb_web.forms.saved_drafts import RESTORED
from comicsdb_web.http.routing import query_of
from comicsdb_web.lists.paging import paginate
from comicsdb_web.rendering.locales import _, ngettext

DISMISSED = "dismissed"
TOO_MANY_DRAFTS = _("You have too many unsaved drafts. Save or discard some of them first.")
GONE = _("This file is no longer listed.")
NOT_EDITOR = _("Only editors can add issues to the catalog.")


def comic_files(request):
    """The issues that are open, or those that were dismissed."""
    dismissed = DISMISSED in request.GET
    statements = tagged_files.list_statements(request.identity.user_id, dismissed=dismissed)
    page = paginate(request, *statements, per_page=tagged_files.PAGE_SIZE)
    found = tagged_files.match_rows(request.dbsession, [row.TaggedFile for row in page.rows])
    return {
        "page": page,
        "found": found,
        "dismissed": dismissed,
        "some_known": any(each.is_known for each in found),
        "may_enter": bool(request.has_permission(Permission.EDIT)),
    }


def handle_button(request):
    """Enter, dismiss or restore an issue, or remove the listed ones that are in the catalog."""
    post, session = request.POST, request.dbsession
    if text_of(post, "remove"):
        ids = [number for text in post.getall("listed") if (number := whole_number(text))]
        number = tagged_files.remove_known(session, request.identity.user_id, ids)
        text = ngettext("${n} file was removed.", "${n} files were removed.", number)
        request.messages.add("success", text)
    elif text_of(post, "enter"):
        return HTTPSeeOther(_new_issue_path(request) or _list_path(request))
    elif text_of(post, "dismiss"):
        _row(request, "dismiss").is_dismissed = True
        request.messages.add("success", _("The file was dismissed."))
    elif text_of(post, "restore"):
        _row(request, "restore").is_dismissed = False
        request.messages.add("success", _("The file is in the list again."))
    return HTTPSeeOther(_list_path(request))


def _new_issue_path(request) -> str | None:
    """The path of the form for a new issue, filled in; None, with a message, if that is not possible."""
    row = _row(request, "enter")
    may_enter = request.has_permission(Permission.EDIT)
    key = tagged_files.make_draft(request.dbsession, row) if may_enter else None
    if key:
        return tagged_files.PATH + query_of([], **{RESTORED: key})
    request.messages.add("warning", TOO_MANY_DRAFTS if may_enter else NOT_EDITOR)
    return None


def _row(request, button: str):
    """The row of a button; raises HTTPNotFound for other accounts' rows."""
    number = whole_number(text_of(request.POST, button))
    rows = tagged_files.of_account(request.dbsession, request.identity.user_id, [number or 0])
    if not rows:
        raise HTTPNotFound(GONE)
    return rows[0]


def _list_path(request) -> str:
    """The path of the list, open or dismissed as it was shown, from its first page."""
    kept = {DISMISSED: "1"} if DISMISSED in request.GET else {}
    return request.path + query_of([], **kept)


def includeme(config):
    """Add the page."""
    config.add_account_page(
        "account.comic_files",
        "comic-files/",
        comic_files,
        renderer="account/comic_files.jinja2",
        post=handle_button,
        parameters=(DISMISSED, "page"),
    )
