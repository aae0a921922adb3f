"""Members of the site: list, search and profiles."""

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound
from sqlalchemy import Text, case, func, select

from comicsdb import accounts
from comicsdb.catalog import search
from comicsdb.models import Issue, LoginSession, ReadDate, Series, User
from comicsdb.models.base import AuthorsMixin
from comicsdb.models.choices import SupporterTier
from comicsdb.models.user import EDITOR_GROUP, READING_LIST_EDITOR_GROUP
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.lists import cards
from comicsdb_web.lists.paging import paginate
from comicsdb_web.pages.account.settings import api_usage
from comicsdb_web.rendering.locales import _

RECENT_READS = 10
ORDER = (func.lower(User.username), User.id)
# Hidden names are not searched either.
SHOWN_NAMES = tuple(
    func.fold(case((User.shows_name, name), else_=""), type_=Text)
    for name in (User.first_name, User.last_name)
)
SEARCH_COLUMNS = (func.fold(User.username, type_=Text), *SHOWN_NAMES)

TIERS = {
    SupporterTier.FRIEND: _("Friend"),
    SupporterTier.BACKER: _("Backer"),
    SupporterTier.SPONSOR: _("Sponsor"),
    SupporterTier.MEGA_SPONSOR: _("Mega Sponsor"),
}


def people(request):
    """All active accounts."""
    return _listing(request, "")


def find(request):
    """The active accounts whose user name or shown name contains the words of `q`."""
    query = search.clean_query(request.GET.get("q", ""))
    return _listing(request, query, search.all_words_in(SEARCH_COLUMNS, search.words(query)))


def by_id(request):
    """Redirect from the path by id to the one by name."""
    user = request.dbsession.get(User, id_in_path(request))
    if user is None or not user.is_active:
        raise HTTPNotFound
    return HTTPMovedPermanently(request.route_path("account.person", username=user.username))


def person(request):
    """A profile; the reader's own shows more."""
    wanted = request.matchdict["username"]
    user = accounts.find_user(request.dbsession, wanted)
    if user is None or not user.is_active:
        raise HTTPNotFound
    if user.username != wanted:
        return HTTPMovedPermanently(request.route_path("account.person", username=user.username))
    own = user.id == request.identity.user_id
    return {
        "user": user,
        "own": own,
        "badges": _badges(user),
        "contributions": _contributions(request, user),
        "last_active": _last_active(request.dbsession, user),
        "usage": api_usage(request) if own else None,
        "tier": TIERS.get(user.effective_tier) if own else None,
        "read": _read_last(request.dbsession, user) if own else (),
    }


def _listing(request, query, *conditions):
    active = (User.is_active, *conditions)
    rows = select(User).order_by(*ORDER)
    count = select(func.count()).select_from(User).where(*active)
    page = paginate(request, rows, select(User.id).where(*active).order_by(*ORDER), count)
    return {"page": page, "query": query}


def _badges(user: User) -> list[str]:
    """The badges of an account: its groups and roles."""
    names = {group.name for group in user.groups}
    return [
        text
        for text, has in (
            (_("Admin"), user.is_staff or user.is_superuser),
            (_("Editor"), EDITOR_GROUP in names),
            (_("List Editor"), READING_LIST_EDITOR_GROUP in names),
        )
        if has
    ]


def _contributions(request, user: User) -> dict[str, int]:
    """The number of objects of each kind added by an account, series and issues first; one statement."""
    others = (views.model for views in request.registry["comicsdb_web.kind_views"].values())
    models = tuple(each for each in dict.fromkeys((Series, Issue, *others)) if issubclass(each, AuthorsMixin))
    counts = (
        select(func.count()).select_from(model).where(model.created_by_id == user.id).scalar_subquery()
        for model in models
    )
    numbers = request.dbsession.execute(select(*counts)).one()
    return dict(zip((model.__tablename__ for model in models), numbers, strict=True))


def _read_last(session, user: User) -> list:
    """The issues read last, newest first; unknown dates last."""
    last = (
        select(ReadDate.issue_id, func.max(ReadDate.read_on).label("day"), func.max(ReadDate.id).label("id"))
        .where(ReadDate.user_id == user.id)
        .group_by(ReadDate.issue_id)
        .subquery()
        .c
    )
    rows = cards.statement(Issue).join(last.id.table, last.issue_id == Issue.id)
    rows = rows.order_by(last.day.desc().nulls_last(), last.id.desc())
    return cards.load(session, Issue, rows.limit(RECENT_READS))


def _last_active(session, user: User):
    """When an account was last active: in a current session, or when logging in."""
    seen = session.scalar(select(func.max(LoginSession.seen)).where(LoginSession.user_id == user.id))
    return max(filter(None, (seen, user.last_login)), default=None)


def includeme(config):
    """Add the pages, for members only; profiles come last, as a user name may be any other word."""
    config.add_account_page("account.people", "users/", people, renderer="account/people.jinja2")
    config.add_account_page("account.search", "search", find, renderer="account/people.jinja2")
    config.add_account_page("account.by_id", "{id:[0-9]+}/", by_id)
    config.add_account_page("account.person", "{username}/", person, renderer="account/person.jinja2")
