"""Feeds of new and upcoming issues, as Atom and iCalendar: public ones, and private ones of readers."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from urllib.parse import urlsplit

from babel import dates
from pyramid.response import Response
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from comicsdb import clock
from comicsdb.accounts import feed_addresses
from comicsdb.accounts.passwords import digest
from comicsdb.http.client_address import client_ip, network
from comicsdb.http.secret_paths import SECRET_PATHS
from comicsdb.i18n import translate
from comicsdb.library import feeds, pull_list
from comicsdb.models import Issue, Publisher, Series
from comicsdb.ratelimit import Limit
from comicsdb_web.pages.catalog.base import entity_in_path
from comicsdb_web.pages.site.errors import error_page
from comicsdb_web.rendering import atom, calendars
from comicsdb_web.rendering.locales import _, locale_of, set_language_of_account

LIMIT = Limit("feeds", 60, 60)
PRIVATE_LIMIT = Limit("feeds-private", 20, 60)
PUBLIC_CACHING = "public, max-age=900"
# HTTP dates have a resolution of seconds, and a change becomes visible shortly after its timestamp.
SETTLE_TIME = timedelta(seconds=5)
TAG_YEAR = 2026  # the year in `tag:` URIs (RFC 4151), which never changes
SECRET_HEADERS = {
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}


@dataclass(frozen=True)
class Subject:
    """The subject of a feed: the word in its id, its title, and the path of its page."""

    name: str
    title: str
    page: str


def releases(request):
    """New and upcoming issues of the whole catalog."""
    title = translate(request.localizer, _("New and upcoming comics"))
    return _public_feed(
        request, Subject("releases", title, request.route_path("issue.thisweek")), feeds.RELEASES
    )


def publisher_feed(request):
    """The issues of a publisher."""
    publisher = entity_in_path(request, Publisher, select(Publisher))
    about = Subject(f"publisher/{publisher.id}", publisher.label, request.entity_path(publisher))
    published = select(Series.id).where(Series.publisher_id == publisher.id)
    return _public_feed(request, about, feeds.OF_PUBLISHER, Issue.series_id.in_(published))


def series_feed(request):
    """The issues of a series."""
    series = entity_in_path(request, Series, select(Series).options(joinedload(Series.series_type)))
    about = Subject(f"series/{series.id}", series.label, request.entity_path(series))
    return _public_feed(request, about, feeds.OF_SERIES, Issue.series_id == series.id)


def private_feed(request):
    """The issues of the series that a reader follows, at a private address.

    Nothing leaks the address: the feed has no link to itself, and its headers forbid sending a Referer.
    """
    secret, here = request.matchdict["secret"], network(client_ip(request))
    limits = (PRIVATE_LIMIT, here), (PRIVATE_LIMIT, digest(secret))
    if wait := request.registry["comicsdb.limiter"].take(limits).wait:
        headers = {"Retry-After": str(wait)}
        return Response(
            "Too many requests.\n", 429, content_type="text/plain", headers=SECRET_HEADERS | headers
        )
    reader = feed_addresses.find_reader(request.dbsession, secret, request.today)
    if reader is None:
        return Response("Not found.\n", 404, content_type="text/plain", headers=SECRET_HEADERS)
    set_language_of_account(request, reader.language)  # calendar programs send no Accept-Language
    title = translate(request.localizer, _("My pull list"))
    about = Subject(f"pull-list/{digest(secret)[:32]}", title, request.route_path("pull_list"))
    followed = Issue.series_id.in_(pull_list.pulled_ids(reader.user_id))
    found = feeds.issues(request.dbsession, request.today, feeds.OF_READER, followed)
    response = _response(request, _write_feed(request, about, found, own=""))
    response.headers.update(SECRET_HEADERS)
    return response


def _public_feed(request, about: Subject, window: feeds.Window, *conditions):
    client = (LIMIT, network(client_ip(request)))
    if wait := request.registry["comicsdb.limiter"].take([client]).wait:
        response = error_page(request, 429)
        response.headers["Retry-After"] = str(wait)
        return response
    changed = feeds.last_change(request.dbsession)
    found = feeds.issues(request.dbsession, request.today, window, *conditions)
    response = _response(request, _write_feed(request, about, found, own=request.public_url(request.path)))
    response.headers["Cache-Control"] = PUBLIC_CACHING
    response.vary = ("Accept-Language", "Cookie")
    latest = max(filter(None, (changed, _midnight(request))))
    if clock.now() - latest > SETTLE_TIME:
        response.last_modified = latest
    return response


def _response(request, body: bytes) -> Response:
    """A response with ETag, subject to the request's conditions."""
    kind = {"atom": atom.CONTENT_TYPE, "ics": calendars.CONTENT_TYPE}[request.matchdict["form"]]
    response = Response(body, content_type=kind, charset="utf-8", conditional_response=True)
    response.etag = hashlib.blake2b(body, digest_size=12).hexdigest()
    response.headers["Content-Language"] = request.locale_name
    return response


def _midnight(request) -> datetime:
    """The start of the business day, on which the window of feeds depends."""
    return datetime.combine(request.today, time.min, request.registry.settings["comicsdb.timezone"])


def _write_feed(request, about: Subject, found: list[Issue], own: str) -> bytes:
    write: Callable = {"atom": _atom, "ics": _calendar}[request.matchdict["form"]]
    return write(request, about, found, own)


def _atom(request, about, found, own):
    def entry(issue):
        when = dates.format_date(issue.store_date, "long", locale=locale_of(request))
        words = {"publisher": issue.series.publisher.name, "date": when}
        text = translate(request.localizer, _("${publisher}, in stores ${date}", mapping=words))
        name = f"{_tag(request)}:issue/{issue.id}"
        return atom.Entry(name, issue.label, text, _page(request, issue), issue.modified.astimezone(UTC))

    entries = [entry(issue) for issue in reversed(found)]
    changed = max((each.changed for each in entries), default=_midnight(request))
    name = f"{_tag(request)}:feed/{about.name}"
    page = request.public_url(about.page)
    return atom.feed(
        atom.Feed(
            name,
            request.registry.settings["comicsdb.title"],
            about.title,
            own,
            page,
            changed,
            request.locale_name,
        ),
        entries,
    )


def _calendar(request, about, found, _own):
    events = (
        calendars.Event(
            f"issue-{issue.id}@{_host(request)}",
            issue.store_date,
            issue.label,
            issue.series.publisher.name,
            _page(request, issue),
            issue.modified,
        )
        for issue in found
    )
    return calendars.calendar(about.title, events)


def _page(request, issue: Issue) -> str:
    return request.public_url(request.entity_path(issue))


def _host(request) -> str:
    return urlsplit(request.public_url("/")).hostname


def _tag(request) -> str:
    """The prefix of `tag:` URIs."""
    return f"tag:{_host(request)},{TAG_YEAR}"


def includeme(config):
    """Add the feeds; their routes are named like the pages of kinds, so that former slugs redirect."""
    form = "{form:atom|ics}"
    config.add_page("feeds.releases", f"/feeds/releases.{form}", releases)
    config.add_page("publisher.feed", f"/feeds/publisher/{{slug}}.{form}", publisher_feed)
    config.add_page("series.feed", f"/feeds/series/{{slug}}.{form}", series_feed)
    for route in ("feeds.releases", "publisher.feed", "series.feed"):
        config.read_from_replica(route)
    config.add_page("pull_list.feed", f"{SECRET_PATHS}feeds/{{secret}}/pull-list.{form}", private_feed)
    # Not redirected: not all programs that have subscribed would follow.
    config.add_page("pull_list.feed.former", f"/feeds/private/{{secret}}/pull-list.{form}", private_feed)
