"""A reader's pull list: the series they follow, and their issues from this week on."""

from functools import cache

from sqlalchemy import bindparam

from comicsdb.catalog import NotFoundError
from comicsdb.clock import monday_of
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.i18n import translate
from comicsdb.library import pull_list
from comicsdb.models import Series
from comicsdb.schemas.types import NOT_THERE, REQUIRED
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import lookup
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import EntityForm, ModelSelect, Section, text_of
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import number_in
from comicsdb_web.pages.library.collection import done, private
from comicsdb_web.rendering.locales import _

SERIES = ModelSelect("series", _("Series"), _("Type part of its name."), of="series", required=True)
FORM = EntityForm(None, (Section("series", _("Series"), (SERIES,)),))
FOLLOWED = _("You now follow ${label}.")
FOLLOWED_ALREADY = _("You already follow ${label}.")
UNFOLLOWED = _("You no longer follow ${label}.")
ON, OFF = "1", "0"


def listing(request):
    """The followed series, their coming issues, and the form that adds series."""
    draft = Draft(request, "pull_list", FORM)
    draft.prefill(request.GET)
    return _page(request, draft)


def add(request):
    """Follow the series of the form; another button only searches for it."""
    draft = Draft(request, "pull_list", FORM)
    draft.read(request.POST)
    if text_of(request.POST, "find"):
        query = text_of(request.POST, "series-q") or ""
        draft.found["series"] = lookup.find(request, "series", query)
        return _page(request, draft)
    chosen = draft.typed["series"][0] if draft.typed["series"] else ""
    try:
        entry, created = pull_list.add(request.dbsession, request.identity.user_id, whole_number(chosen) or 0)
    except NotFoundError:
        draft.refuse({"series": [NOT_THERE if chosen else REQUIRED]})
        request.response.status = 422
        return _page(request, draft)
    series = lookup.name_one(request.dbsession, request.dbsession.get_one(Series, entry.series_id))
    said = FOLLOWED if created else FOLLOWED_ALREADY
    return done(request, "success" if created else "info", said % {"label": series.text}, "pull_list")


def _page(request, draft: Draft) -> dict:
    draft.look_up()
    issues, total = pull_list.upcoming(request.dbsession, request.identity.user_id, request.today)
    return {
        "draft": draft,
        "entries": pull_list.entries(request.dbsession, request.identity.user_id),
        "weeks": pull_list.by_week(issues),
        "this_week": monday_of(request.today),
        "shown": len(issues),
        "total": total,
    }


def remove(request):
    """Confirm and stop following a series."""
    series_id, user_id = number_in(request), request.identity.user_id
    if not pull_list.follows(request.dbsession, user_id, series_id):
        raise NotFoundError("series", series_id)
    series = lookup.name_one(request.dbsession, request.dbsession.get_one(Series, series_id))
    if request.method != "POST":
        return {"label": series.text}
    pull_list.remove(request.dbsession, user_id, series_id)
    return done(request, "success", UNFOLLOWED % {"label": series.text}, "pull_list")


def toggle(request):
    """Follow a series or not, by the field `on`; other values are ignored."""
    series = request.catalog.by_slug(Series, request.matchdict["slug"])
    user_id, wanted = request.identity.user_id, text_of(request.POST, "on")
    if wanted in (ON, OFF):
        pull_list.follow(request.dbsession, user_id, series.id, wanted == ON)
    followed = pull_list.follows(request.dbsession, user_id, series.id)
    label = lookup.name_one(request.dbsession, series).text
    said = (FOLLOWED if followed else UNFOLLOWED) % {"label": label}
    if request.is_fragment:
        said = translate(request.localizer, said)
        return fragment(request, "follow", {"series": series, "followed": followed, "said": said})
    return done(request, "success", said, "series.detail", slug=series.slug)


def follows(request, series: Series) -> bool:
    """Whether the reader follows a series, for its page; one statement, for members only."""
    if request.identity is None:
        return False
    parameters = {"user_id": request.identity.user_id, "series_id": series.id}
    return request.read_pool.fetch(_followed(), parameters) is not None


@cache
def _followed() -> CompiledQuery:
    return CompiledQuery.of(pull_list.followed(bindparam("user_id"), bindparam("series_id")))


def includeme(config):
    """Add the pages, for members."""
    own = {"permission": Permission.MEMBER, "decorator": private}
    config.add_request_method(follows)
    config.add_page("pull_list", "/pull-list/", listing, renderer="pull_list/list.jinja2", post=add, **own)
    config.add_page(
        "pull_list.remove",
        "/pull-list/remove/{id:[0-9]+}/",
        remove,
        renderer="pull_list/remove.jinja2",
        methods=("GET", "HEAD", "POST"),
        **own,
    )
    config.add_page("pull_list.toggle", "/pull-list/toggle/{slug}/", toggle, methods=("POST",), **own)
