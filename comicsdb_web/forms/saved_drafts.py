"""Drafts on the server: a form that is being filled in can be restored after log-out or an expired session.

Our script stores the form in pauses; without it, the button "Save draft" does. A form that is opened again
offers its stored drafts; saving the form removes its own draft.
"""

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response
from webob.multidict import MultiDict

from comicsdb import accounts
from comicsdb.accounts import FormTarget, SavedForm, SavedPicture
from comicsdb_web.forms.drafts import KEY, Draft
from comicsdb_web.forms.expired_session import is_secret
from comicsdb_web.forms.fields import text_of
from comicsdb_web.forms.form_state import FORM_ERROR
from comicsdb_web.forms.values import store_uploads
from comicsdb_web.http.routing import query_of, with_query
from comicsdb_web.rendering.locales import _

RESTORED = "draft"  # the parameter of the URL with the draft that fills in the form
STORE_BUTTON, DISCARD_BUTTON = "save_draft", "discard_draft"  # buttons
STORED = _("Draft saved. It is kept for 30 days and offered when you open this form again.")
RETURNED = _("This is your draft. It is not saved yet.")
GONE = _("This draft no longer exists.")
DISCARDED = _("Draft discarded.")
TOO_LARGE = _("This form is too large to be kept as a draft.")


def _form_place(draft: Draft) -> FormTarget:
    """The form that a draft belongs to."""
    route = draft.request.matched_route.name
    return FormTarget(f"{route} {draft.kind}", draft.entity.id if draft.entity is not None else 0)


def restore(draft: Draft) -> bool:
    """Fill in the form with the draft in the URL; returns whether there was one."""
    request = draft.request
    key = request.GET.get(RESTORED)
    if not key or draft.is_touched:
        return False
    saved = accounts.find_draft(request.dbsession, request.identity.user_id, key)
    if saved is None:
        request.messages.show("info", GONE)
        return False
    draft.read(MultiDict(saved.texts))
    draft.key = key
    request.messages.show("info", RETURNED)
    return True


def handle_button(draft: Draft):
    """Store or discard a draft, if such a button was pressed; None for other buttons."""
    request, post = draft.request, draft.request.POST
    user_id = request.identity.user_id
    if key := text_of(post, DISCARD_BUTTON):
        accounts.discard_draft(request.dbsession, user_id, key)
        request.messages.add("success", DISCARDED)
        return HTTPSeeOther(with_query(request, request.path))  # which may fill in a new object
    if not text_of(post, STORE_BUTTON):
        return None
    draft.add_errors(store_uploads(draft))
    try:
        stored = _store(draft)
        if not stored and not request.is_fragment:
            # The browser's Back shows a form whose key was used when it was saved.
            draft.key = accounts.new_draft_key()
            _store(draft)
    except accounts.DraftTooLargeError:
        if request.is_fragment:
            return Response(status=413)
        draft.add_errors({FORM_ERROR: [TOO_LARGE]})
    if request.is_fragment:
        return Response(status=204) if stored else _new_key()
    if draft.errors:  # the form is shown again
        return None
    request.messages.add("success", STORED)
    return HTTPSeeOther(_path(request, draft.key))


def _new_key() -> Response:
    """The response to our script if the key of its form was used: it stores the form under another one."""
    return Response(status=409, headers={"X-Draft-Key": accounts.new_draft_key()})


def _store(draft: Draft) -> bool:
    request = draft.request
    return accounts.store_draft(
        request.dbsession, request.identity.user_id, draft.key, _form_place(draft), _texts(draft)
    )


def _texts(draft: Draft) -> SavedForm:
    """The submitted texts without secrets, and references to the pictures stored since."""
    kept = {name: each for name, each in draft.files.items() if isinstance(each, SavedPicture)}
    left_out = {STORE_BUTTON, DISCARD_BUTTON}
    # The form may have been sent with an earlier picture, which the chosen one replaces.
    left_out |= {f"{name}{ending}" for name in kept for ending in ("_kept", "_drop")}
    texts = [
        (name, value)
        for name, value in draft.request.POST.items()
        if isinstance(value, str) and not (is_secret(name) or name in left_out)
    ]
    texts += [(f"{name}_kept", each.secret) for name, each in kept.items()]
    return SavedForm(draft.request.path, texts, {})


def drafts_to_offer(draft: Draft) -> list:
    """The drafts offered by a form that is opened: path, key and time of each."""
    request = draft.request
    if draft.is_touched or request.method == "POST":
        return []
    found = accounts.drafts_of(request.dbsession, request.identity.user_id, _form_place(draft))
    return [(_path(request, key), key, stored) for key, stored in found]


def _path(request, key: str) -> str:
    """The path of the form, filled in with a draft."""
    return request.path + query_of([], **{RESTORED: key})


def discard(draft: Draft) -> None:
    """Remove the draft of a form that was saved."""
    if key := text_of(draft.request.POST, KEY):
        accounts.discard_draft(draft.request.dbsession, draft.request.identity.user_id, key)
