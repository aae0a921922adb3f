"""What an account shows to everybody: its public profile and its favourites."""

from pyramid.httpexceptions import HTTPSeeOther

from comicsdb.catalog import InvalidError, NotFoundError, ranked_search, search
from comicsdb.community import profiles
from comicsdb.models import Issue, Series
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.pages.community.readers import cards_by_id, favourite_cards
from comicsdb_web.rendering.locales import _

PARTS = {
    profiles.FAVOURITES: (_("Favourites"), _("The issues and series that you choose, up to four.")),
    profiles.SHELF: (
        _("Shelf"),
        _("The issues in your collection. Prices, grades, notes and everything else stay private."),
    ),
    profiles.DIARY: (
        _("Reading diary"),
        _("What you read, and when. Readings without a date are left out."),
    ),
    profiles.YEAR: (
        _("Year in review"),
        _("What you read and rated in a year, in figures, with a picture for links."),
    ),
}
SAVED_PUBLIC = _("Saved. Your profile is public.")
SAVED_PRIVATE = _("Saved. Your profile is not public.")
KINDS = {"issue": Issue, "series": Series}
OFFERED = 8


def form(request):
    """The form that chooses what is public."""
    return {"reader": profiles.find_own(request.dbsession, request.identity.user_id), "choices": PARTS}


def save(request):
    """Save what is public."""
    sent = form_state.text_fields(request)
    public = bool(sent.get("public"))
    parts = {part for part in profiles.PARTS if sent.get(part)}
    profiles.save_settings(request.dbsession, request.identity.user_id, public=public, parts=parts)
    text = SAVED_PUBLIC if public else SAVED_PRIVATE
    request.messages.add("success", text)
    return HTTPSeeOther(request.route_path("account.public"))


def favourites(request):
    """The favourites, with a search for more."""
    query = search.clean_query(request.GET.get("q", ""))
    chosen = profiles.favourites(request.dbsession, request.identity.user_id)
    return {
        "query": query,
        "chosen": favourite_cards(request.dbsession, chosen),
        "most": profiles.FAVOURITES_MAX,
        "found": _search(request, query) if search.words(query) else [],
    }


def _search(request, query: str) -> list:
    """The issues and series that match a query, best first."""
    question = ranked_search.search_parameters(
        request.read_pool, query, request.domain, limit=OFFERED, kinds=tuple(KINDS)
    )
    hits = ranked_search.best_hits(request.read_pool, question.values)
    loaded = {
        kind: cards_by_id(request.dbsession, model, [hit.id for hit in hits if hit.kind == kind])
        for kind, model in KINDS.items()
    }
    found = (loaded[hit.kind].get(hit.id) for hit in hits)
    return [each for each in found if each is not None]


def change_favourites(request):
    """Add, remove or move a favourite."""
    session, user_id, sent = request.dbsession, request.identity.user_id, form_state.text_fields(request)
    kind, _colon, number = sent.get("add", "").partition(":")
    try:
        if kind in KINDS:
            profiles.add_favourite(session, user_id, kind, whole_number(number) or 0)
        elif remove := whole_number(sent.get("remove", "")):
            profiles.remove_favourite(session, user_id, remove)
        elif up := whole_number(sent.get("up", "")):
            profiles.move_favourite_up(session, user_id, up)
    except InvalidError as error:
        request.messages.add("warning", error.errors[form_state.FORM_ERROR][0])
    except NotFoundError:  # it was deleted meanwhile
        pass
    return HTTPSeeOther(request.route_path("account.favourites"))


def includeme(config):
    """Add the pages, below a word that cannot be a user name."""
    config.add_account_page(
        "account.public", "update/public/", form, renderer="account/public_profile.jinja2", post=save
    )
    config.add_account_page(
        "account.favourites",
        "update/favourites/",
        favourites,
        renderer="account/favourites.jinja2",
        post=change_favourites,
    )
