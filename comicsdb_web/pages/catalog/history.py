"""History of one object: who changed what and when, comparing any two versions, and reverting."""

from dataclasses import dataclass

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from comicsdb.catalog import ConflictError, GoneError, InvalidError
from comicsdb.catalog.history.diff import compare
from comicsdb.catalog.history.revert import (
    MissingReferencesError,
    OutdatedError,
    conflicting_object,
    preview_revert,
    revert,
    version_of,
)
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.references import Reference, select_with_labels
from comicsdb.models import History, User
from comicsdb.models.base import BIG_MAX
from comicsdb.security import Permission
from comicsdb.values import iso_timestamp, whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.lists.paging import Page, paginate
from comicsdb_web.pages.account import no_store
from comicsdb_web.pages.catalog.base import entity_in_path
from comicsdb_web.pages.catalog.history_labels import TYPES, field_labels
from comicsdb_web.rendering.locales import _

PER_PAGE = 25
COMPARED_PARAMETERS = ("from", "to")

CHANGED_MEANWHILE = _("Somebody changed this in the meantime. The preview has been updated.")
LEAVE_OUT = _("Some of what the older version refers to no longer exists. Confirm that it may be left out.")
IMPOSSIBLE = _("What the older version belongs to no longer exists, so it cannot be restored.")
CONFLICT = _("Another entry already uses these: ${fields}. Change them there first:")
DONE, NOTHING = _("The older version was restored."), _("Nothing to change.")


@dataclass(frozen=True)
class Subject:
    """The subject of a history: an object, or the tombstone of a deleted one (then `entity` is None)."""

    kind: str
    id: int
    slug: str
    label: str
    entity: object = None


class HistoryViews:
    """The pages about the history of an object, for all kinds; names of routes begin with the kind's name."""

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        self.kind = request.matched_route.name.partition(".")[0]
        if self.kind not in KINDS:  # objects of another package, which the catalog does not know
            raise HTTPNotFound

    def history(self):
        """The versions, newest first; or the differences between two chosen ones."""
        subject = self._subject()
        chosen = {end: self._version(subject, self.request.GET.get(end, "")) for end in COMPARED_PARAMETERS}
        if all(chosen.values()):
            return self._comparison(subject, *chosen.values())
        page = versions_of(self.request, self.kind, subject.id)
        pairs = [(older, version.snapshot) for version, _user, older in page.rows]
        found = compare(self.session, self.kind, pairs)
        differences = {row[0].id: each for row, each in zip(page.rows, found, strict=True)}
        values = {
            "page": page,
            "differences": differences,
            "chosen": chosen,
            "types": TYPES,
            "compared": False,
        }
        return self._common_values(subject) | values

    def _comparison(self, subject: Subject, old: History, new: History):
        (found,) = compare(self.session, self.kind, [(old.snapshot, new.snapshot)])
        authors = self.session.scalars(select(User).where(User.id.in_({old.user_id, new.user_id})))
        values = {"users": {user.id: user for user in authors}, "types": TYPES, "compared": True}
        return self._common_values(subject) | values | {"old": old, "new": new, "differences": found}

    def confirm(self):
        """The preview of what reverting would change now, with the button that does it."""
        _entity, version = self._requested_version()
        return self._confirmation(version)

    def revert(self):
        """Revert, and redirect to the object; if that fails, show the preview again with the reason."""
        entity, version = self._requested_version()
        sent = form_state.text_fields(self.request)
        try:
            done = revert(
                self.request.catalog,
                self.request.media,
                entity,
                version,
                modified=iso_timestamp(sent.get("modified", "")),
                without_missing=bool(sent.get("without_missing")),
            )
        except OutdatedError:
            return self._confirmation(version, status=409, notice=CHANGED_MEANWHILE)
        except MissingReferencesError as error:
            notice = IMPOSSIBLE if error.preview.impossible else LEAVE_OUT
            return self._confirmation(version, status=422, notice=notice)
        except ConflictError as conflict:
            return self._confirmation(version, status=422, conflict=conflict)
        except InvalidError as error:
            return self._confirmation(version, status=422, invalid=error)
        kind, text = ("success", DONE) if done.differences else ("info", NOTHING)
        self.request.messages.add(kind, text)
        return HTTPSeeOther(self.request.entity_path(entity))

    def _confirmation(self, version: History, *, status=200, notice="", conflict=None, invalid=None):
        self.request.response.status = status
        entity = self._entity()  # again: locking it expired what its label needs
        found = preview_revert(self.session, self.request.media, entity, version.snapshot)
        labels = field_labels(self.request, self.kind)
        say = self.request.localizer.translate
        other = (
            conflicting_object(self.session, entity, found.target, conflict) if conflict is not None else None
        )
        if conflict is not None:
            fields = ", ".join(labels.get(field, field) for field in conflict.fields)
            notice = _(CONFLICT, mapping={"fields": fields})
        refused = form_state.with_errors(self.request, invalid, {}).errors if invalid is not None else {}
        values = {
            "version": version,
            "preview": found,
            "differences": found.differences,
            "notice": say(notice),
            "other": other,
            "refused": refused,
        }
        return self._common_values(_subject_of(entity)) | values

    # What the URL identifies.

    def _subject(self) -> Subject:
        """The object, deleted or not.

        Raises NotFoundError, or MovedError for a former slug or a merged object.
        """
        try:
            return _subject_of(self._entity())
        except GoneError as gone:
            left = gone.tombstone
            return Subject(self.kind, left.object_id, left.slug, left.label)

    def _entity(self):
        model = KINDS[self.kind].model
        return entity_in_path(self.request, model, select_with_labels(model))

    def _requested_version(self):
        """The object and its older version; raises HTTPNotFound for another object's version."""
        entity = self._entity()
        version = self._version(_subject_of(entity), self.request.matchdict["id"])
        if version is None:
            raise HTTPNotFound
        return entity, version

    def _version(self, subject: Subject, text: str) -> History | None:
        """The version with a number, None without a number; raises HTTPNotFound for another object's."""
        if not text:
            return None
        number = whole_number(text, 0, BIG_MAX)
        found = version_of(self.session, self.kind, subject.id, number) if number is not None else None
        if found is None:
            raise HTTPNotFound(_("This version does not exist."))
        return found

    def _common_values(self, subject: Subject) -> dict:
        return {
            "subject": subject,
            "kind": self.kind,
            "object_path": self.request.route_path(f"{self.kind}.detail", slug=subject.slug),
            "history_path": self.request.route_path(f"{self.kind}.history", slug=subject.slug),
            "labels": field_labels(self.request, self.kind),
            "may_revert": subject.entity is not None and self.request.has_permission(Permission.REVERT),
            "pictures": {getattr(subject.entity, "image", "")} - {""},
        }


def versions_of(request, kind: str, object_id: int) -> Page:
    """The versions of an object, newest first: rows of (version, its user, the snapshot before it)."""
    own = (History.kind == kind, History.object_id == object_id)
    newest_first = History.id.desc()
    before = aliased(History)
    older = (
        select(before.snapshot)
        .where(before.kind == kind, before.object_id == object_id, before.id < History.id)
        .order_by(before.id.desc())
        .limit(1)
        .correlate(History)
        .scalar_subquery()
    )
    rows = select(History, User, older).outerjoin(User, User.id == History.user_id).order_by(newest_first)
    ids = select(History.id).where(*own).order_by(newest_first)
    count = select(func.count()).select_from(History).where(*own)
    return paginate(request, rows, ids, count, PER_PAGE)


def _subject_of(entity) -> Subject:
    return Subject(entity.__tablename__, entity.id, entity.slug, entity.label, entity)


def reference_path(request, reference: Reference) -> str | None:
    """The path of a referenced object's page, or None; the page of a deleted object says that it is gone."""
    route = f"{reference.kind}.detail"
    if reference.slug is None or route not in request.registry["comicsdb_web.methods"]:
        return None
    return request.route_path(route, slug=reference.slug)


def history_path(request, reference: Reference) -> str | None:
    """The path of an object's history, None for an object without a page or merged into another."""
    if reference_path(request, reference) is None or reference.survivor_id is not None:
        return None
    return request.route_path(f"{reference.kind}.history", slug=reference.slug)


def add_history_views(config, views) -> None:
    """Directive: add the history of one kind, for members, and reverting, for staff and editors."""
    kind = views.model.__tablename__
    config.add_page(
        f"{kind}.history",
        f"/{kind}/{{slug}}/history/",
        HistoryViews,
        attr="history",
        renderer="history/history.jinja2",
        permission=Permission.MEMBER,
        decorator=no_store,
    )
    name, address = f"{kind}.revert", f"/{kind}/{{slug}}/history/{{id:[0-9]+}}/revert/"
    options = {"renderer": "history/revert.jinja2", "permission": Permission.REVERT, "decorator": no_store}
    config.add_page(name, address, HistoryViews, attr="confirm", **options)
    config.registry["comicsdb_web.methods"][name] = ("GET", "HEAD", "POST")
    config.add_view(HistoryViews, attr="revert", route_name=name, request_method="POST", **options)


def includeme(config):
    """Install the directive, and the request methods that templates use for references."""
    config.add_directive("add_history_views", add_history_views)
    config.add_request_method(reference_path)
    config.add_request_method(history_path)
