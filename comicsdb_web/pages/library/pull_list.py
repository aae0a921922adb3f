"""A reader's pull list: the pulls of each week, the followed series, and what is pulled of each."""

from datetime import date, timedelta
from functools import cache

from sqlalchemy import bindparam

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.clock import monday_of
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.i18n import translate
from comicsdb.library import pull_list
from comicsdb.models import Series
from comicsdb.models.choices import EARLIEST_YEAR, PullMode
from comicsdb.models.library import VARIANT_WORDS_LENGTH_MAX
from comicsdb.schemas.types import CHOICE_GONE, REQUIRED
from comicsdb.security import Permission
from comicsdb.values import iso_day, whole_number
from comicsdb_web.forms import lookup
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import Choice, EntityForm, Line, ModelSelect, Section, text_of
from comicsdb_web.forms.options import labelled
from comicsdb_web.http.fragments import fragment
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.library.collection import private, redirect_with_message
from comicsdb_web.rendering.locales import _, ngettext

SERIES_FIELD = ModelSelect("series", _("Series"), _("Type part of its name."), source="series", required=True)
FORM = EntityForm(None, (Section("series", _("Series"), (SERIES_FIELD,)),))
CHOICES = {
    PullMode.COVER: _("Main cover"),
    PullMode.ALL: _("All covers"),
    PullMode.VARIANTS: _("Some variants"),
    PullMode.NONE: _("Nothing"),
}


PULL_OPTIONS = labelled(CHOICES)
PULLED_FIELD = Choice(
    "pulled", _("Pull"), _("Nothing: you follow the series without pulling its issues."), options=PULL_OPTIONS
)
WORDS_FIELD = Line(
    "variant_words",
    _("Words in variant names"),
    _("For “Some variants” only, separated by commas: foil, 1:25. One match is enough."),
    max_length=VARIANT_WORDS_LENGTH_MAX,
)
CHOICE_FORM = EntityForm(None, (Section("pulled", _("Pull"), (PULLED_FIELD, WORDS_FIELD)),))
CHOICE_SAVED = _("Your choice for ${label} was saved.")
NONE_ADDED = _("Your collection already has everything from that week.")
FOLLOWED = _("You now follow ${label}.")
FOLLOWED_ALREADY = _("You already follow ${label}.")
UNFOLLOWED = _("You no longer follow ${label}.")
YEARS = range(EARLIEST_YEAR, 9999)  # years whose weeks have neighbours
ON, OFF = "1", "0"


def listing(request):
    """The pulls of a week, the followed series, and the form that adds series."""
    draft = Draft(request, "pull_list", FORM)
    draft.prefill(request.GET)
    return _page(request, draft)


def add(request):
    """Follow the series chosen in the form; its search button only searches for one."""
    draft = Draft(request, "pull_list", FORM)
    draft.read(request.POST)
    if draft.search():
        return _page(request, draft)
    chosen = draft.typed["series"][0] if draft.typed["series"] else ""
    try:
        entry, created = pull_list.add(request.dbsession, request.identity.user_id, whole_number(chosen) or 0)
    except NotFoundError:
        draft.add_errors({"series": [CHOICE_GONE if chosen else REQUIRED]})
        request.response.status = 422
        return _page(request, draft)
    series = lookup.item_of(request.dbsession, request.dbsession.get_one(Series, entry.series_id))
    message = FOLLOWED if created else FOLLOWED_ALREADY
    return redirect_with_message(
        request, "success" if created else "info", message % {"label": series.text}, "pull_list"
    )


def _page(request, draft: Draft) -> dict:
    draft.load_labels()
    session, user_id = request.dbsession, request.identity.user_id
    this_week = monday_of(request.today)
    monday = _parse_week(request.GET.get("week", "")) or this_week
    pulls = pull_list.week(session, user_id, monday)
    return {
        "draft": draft,
        "entries": pull_list.entries(session, user_id),
        "choices": dict(PULL_OPTIONS(request)),
        "pulls": pulls,
        "is_cut": len(pulls) >= pull_list.SHOWN,
        "is_addable": monday <= request.today and not all(pull.owned for pull in pulls),
        "monday": monday,
        "sunday": monday + timedelta(days=6),
        "this_week": this_week,
        "previous": monday - pull_list.WEEK,
        "next": monday + pull_list.WEEK,
        "ahead": pull_list.weeks_ahead(session, user_id, monday),
    }


def _parse_week(text: str) -> date | None:
    """The Monday of the week that contains a date, None if the text is no date within YEARS."""
    day = iso_day(text)
    return monday_of(day) if day and day.year in YEARS else None


def add_week(request):
    """Add the pulls of a week to the collection, each once."""
    monday = _parse_week(request.matchdict["monday"])
    if monday is None:
        raise NotFoundError("week", request.matchdict["monday"])
    added = pull_list.add_week(request.dbsession, request.identity.user_id, monday)
    message = ngettext(
        "${n} comic was added to your collection.", "${n} comics were added to your collection.", added
    )
    return redirect_with_message(
        request, "success" if added else "info", message if added else NONE_ADDED, "pull_list"
    )


def choose(request):
    """Choose what is pulled of a followed series."""
    user_id, series_id = request.identity.user_id, id_in_path(request)
    entry = pull_list.entry(request.dbsession, user_id, series_id)
    label = lookup.item_of(request.dbsession, request.dbsession.get_one(Series, series_id)).text
    draft = Draft(request, "pull_list", CHOICE_FORM)
    if not draft.is_touched:
        draft.typed = {field.name: getattr(entry, field.name) for field in CHOICE_FORM.fields}
    if request.method == "POST":
        draft.read(request.POST)
        try:
            chosen = (draft.typed[field.name] for field in CHOICE_FORM.fields)
            pull_list.set_pulled(request.dbsession, user_id, series_id, *chosen)
        except InvalidError as error:
            draft.add_errors(error.errors)
            request.response.status = 422
        else:
            return redirect_with_message(request, "success", CHOICE_SAVED % {"label": label}, "pull_list")
    return {"draft": draft, "label": label}


def remove(request):
    """Confirm and stop following a series."""
    series_id, user_id = id_in_path(request), request.identity.user_id
    if not pull_list.follows(request.dbsession, user_id, series_id):
        raise NotFoundError("series", series_id)
    series = lookup.item_of(request.dbsession, request.dbsession.get_one(Series, series_id))
    if request.method != "POST":
        return {"label": series.text}
    pull_list.remove(request.dbsession, user_id, series_id)
    return redirect_with_message(request, "success", UNFOLLOWED % {"label": series.text}, "pull_list")


def toggle(request):
    """Follow or unfollow a series, by the field `on`; other values are ignored."""
    series = request.catalog.by_slug(Series, request.matchdict["slug"])
    user_id, wanted = request.identity.user_id, text_of(request.POST, "on")
    if wanted in (ON, OFF):
        pull_list.set_followed(request.dbsession, user_id, series.id, wanted == ON)
    followed = pull_list.follows(request.dbsession, user_id, series.id)
    label = lookup.item_of(request.dbsession, series).text
    message = (FOLLOWED if followed else UNFOLLOWED) % {"label": label}
    if request.is_fragment:
        message = translate(request.localizer, message)
        return fragment(request, "follow", {"series": series, "followed": followed, "message": message})
    return redirect_with_message(request, "success", message, "series.detail", slug=series.slug)


def follows(request, series: Series) -> bool:
    """Whether the reader follows a series, for its page; one statement, for members only."""
    if request.identity is None:
        return False
    parameters = {"user_id": request.identity.user_id, "series_id": series.id}
    return request.read_pool.fetch(_followed(), parameters) is not None


@cache
def _followed() -> CompiledQuery:
    return CompiledQuery.of(pull_list.entry_ids(bindparam("user_id"), bindparam("series_id")))


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
    config.add_page(
        "pull_list.choose",
        "/pull-list/series/{id:[0-9]+}/",
        choose,
        renderer="pull_list/choose.jinja2",
        methods=("GET", "HEAD", "POST"),
        **own,
    )
    config.add_page("pull_list.add_week", "/pull-list/week/{monday}/add/", add_week, methods=("POST",), **own)
    config.add_page("pull_list.toggle", "/pull-list/toggle/{slug}/", toggle, methods=("POST",), **own)
