"""Liking and copying the lists of others, and the picture that other sites show with a link to a list.

Visitors have the same buttons: the chosen action is performed after log-in or sign-up
(`http.pending_action`).
"""

from pyramid.httpexceptions import HTTPFound, HTTPNotFound, HTTPSeeOther

from comicsdb.catalog import InvalidError, MovedError, NotFoundError
from comicsdb.i18n import translate
from comicsdb.library import reading_lists
from comicsdb.library.reading_lists import figures, forks, likes
from comicsdb.models import ReadingList
from comicsdb.security import Permission
from comicsdb_web.forms.fields import text_of
from comicsdb_web.http.csrf import check_shared_form
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import safe_path
from comicsdb_web.pages.library.collection import private
from comicsdb_web.pages.library.pull_list import OFF, ON
from comicsdb_web.pages.reading_lists import ListViewsBase
from comicsdb_web.rendering import share_pictures
from comicsdb_web.rendering.locales import _, ngettext

LIKED = _("You like ${label}.")
UNLIKED = _("You no longer like ${label}.")
COPIED = _("${label} was copied. Nobody else can see your copy as long as it is private.")
LIKE, COPY = "like", "copy"
PENDING_ROUTE = "reading_list.asked"

SHARED = "public, max-age=86400"  # covers may change while the list does not


class SharingViews(ListViewsBase):
    """Likes and copies."""

    def press(self):
        """Like, unlike or copy the list, by the fields `like` and `copy`."""
        request = self.request
        check_shared_form(request)
        found = self.visible_list()
        name = COPY if COPY in request.POST else LIKE
        value = text_of(request.POST, name) or ""
        path = safe_path(request.POST.get("next")) or request.entity_path(found)
        if self.identity is None:
            return request.pending_action.store(PENDING_ROUTE, found.slug, name, value, path=path)
        kind, message, path = self._perform(found, name, value, path)
        if request.is_fragment:
            values = {
                "entity": found,
                "liked": likes.reception(self.session, self.identity, self.official, found.id).liked,
                "message": message,
                "kind": kind,
                "undo": request.messages.undo_path if kind == "success" else "",
                "next": path,
            }
            return fragment(request, "reading_list_like", values)
        return self._redirect(kind, message, path)

    def perform_pending(self):
        """Perform the action chosen before log-in; it needs no CSRF token, as its cookie is signed."""
        pending = self.request.pending_action.take()
        if not pending:
            return HTTPSeeOther(self.request.route_path("home"))
        slug, name, value, path = pending
        try:
            found = reading_lists.find(self.session, self.identity, self.official, slug)
        except NotFoundError:  # it was deleted or hidden meanwhile
            return HTTPSeeOther(self.request.route_path("reading_list.list"))
        except MovedError as moved:  # its address changed meanwhile
            found = moved.entity
        path = path or self.request.entity_path(found)
        return self._redirect(*self._perform(found, name, value, path))

    def _perform(self, found: ReadingList, name: str, value: str, path: str) -> tuple[str, str, str]:
        """Perform an action; returns kind and text of the message, and the path to show it on."""
        arguments = self.session, self.identity, self.official, found
        try:
            if name == COPY:
                made = forks.fork(*arguments)
                message, path = COPIED % {"label": made.name}, self.request.entity_path(made)
            elif value in {ON, OFF}:
                likes.like(*arguments, liked=value == ON)
                message = (LIKED if value == ON else UNLIKED) % {"label": found.name}
            else:
                return "", "", path
        except InvalidError as error:
            ((message,),) = error.errors.values()
            return "warning", translate(self.request.localizer, message), path
        return "success", translate(self.request.localizer, message), path

    def _redirect(self, kind: str, message: str, path: str):
        if message:
            self.request.messages.add(kind, message)
        return HTTPSeeOther(path)

    # The picture.

    def share(self):
        """The picture that other sites show with a link to a public list."""
        found = self.visible_list()
        if found.is_private:
            raise HTTPNotFound
        if self.request.matchdict["version"] != self.share_version(found):
            return HTTPFound(self.share_path(found))
        composition = figures.composition(self.session, found.id)
        covers = figures.first_covers(self.session, found.id)
        lines = [*_figures(self.request, composition), _("by ${name}", mapping={"name": found.user.username})]
        lines = [translate(self.request.localizer, each) for each in lines]
        response = share_pictures.picture_response(self.request, found.name, lines, covers)
        if response.status_int == 200:
            response.headers["Cache-Control"] = SHARED
        return response


def _figures(request, composition: figures.Composition) -> list:
    """The line of a picture with the number of issues and their years."""
    number = translate(request.localizer, ngettext("${n} issue", "${n} issues", composition.total))
    if composition.first is None:
        return [number]
    years = {composition.first, composition.last}
    return [f"{number} · {'–'.join(map(str, sorted(years)))}"]


def includeme(config):
    """Add the pages; the first checks CSRF tokens itself, as visitors have none."""
    views = SharingViews
    config.add_list_page(
        "press", "{slug}/press/", views, attr="press", member=False, methods=("POST",), require_csrf=False
    )
    config.add_page(
        PENDING_ROUTE,
        "/asked/reading-list/",
        views,
        attr="perform_pending",
        permission=Permission.MEMBER,
        decorator=private,
    )
    config.add_page(
        "reading_list.share", "/reading-lists/{slug}/share-{version:[0-9a-f]+}.jpg", views, attr="share"
    )
