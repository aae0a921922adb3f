"""An anonymous visitor who trusts no cache: compares every page with the one that the view makes now."""

from collections import defaultdict
from hashlib import sha256
from random import Random
from typing import NamedTuple

from sqlalchemy import text
from webob import Request

from comicsdb import admin
from comicsdb.db.read_pool import ReadPool
from comicsdb.models import Announcement
from tests.conftest import SAVEPOINT_MODE
from tests.machines.api_cache.acts import Acts
from tests.machines.api_cache.reader import before_statement
from tests.machines.api_cache.world import Ids
from tests.machines.propagation.world import OWNERS

HOSTS = ("http://localhost", "https://comics.example:8443")
READERS = ({}, {"Accept-Language": "it"}, {"Cookie": "theme=dark"}, {"Cookie": "language=it; theme=light"})
ALSO_NEW = 0.1  # of the pages that were made just now are compared, too
OBJECTS = 3  # of each kind that are looked at
BELOW = {
    "arc": ("issue_list",),
    "character": ("issue_list", "{series}"),
    "creator": ("issue_list", "{series}"),
    "team": ("issue_list",),
    "universe": ("issue_list", "{series}"),
    "series": ("issue_list",),
    "publisher": ("series_list",),
    "imprint": ("series_list",),
}
LISTS = (
    *(f"/{kind}/" for kind in OWNERS),
    *(f"/{kind}/search?q=ash" for kind in OWNERS),
    *("/series/?series_type={series_type}", "/series/?publisher_id={publisher}", "/series/?language=it"),
    *("/series/?imprint_id={imprint}", "/issue/?series_id={series}", "/issue/?publisher_id={publisher}"),
    *("/issue/?page=last&sort=added", "/issue/?series_type={series_type}", "/issue/?cover_year=2020"),
    *("/issue/week/2020-01-27/", "/issue/calendar/2020-02/", "/issue/future", "/issue/thisweek", "/"),
    *("/", "/"),
)
SWEPT = (*(f"/{kind}/" for kind in OWNERS), "/issue/calendar/2020-02/", "/")
_SLUGS = " UNION ALL ".join(
    f"SELECT '{kind}', slug FROM (SELECT slug FROM {kind} WHERE slug NOT LIKE 'backdrop%'"
    f" ORDER BY id LIMIT {OBJECTS}) {kind}_found"
    for kind in OWNERS
)


class Asked(NamedTuple):
    """A page as somebody asks for it."""

    base: str
    path: str
    reader: int


class PageTheatre:
    """What page scenes share: a connection, the application with a cache, and one that keeps no page."""

    def __init__(self, connection, app, bare, stage, writer):
        self.connection = connection
        self.app = app
        self.bare = bare
        self.stage = stage
        self.writer = writer
        self.counts: dict[str, int] = defaultdict(int)
        bare.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
        bare.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)
        bare.registry["comicsdb.cached_reads"].clear()
        bare.registry["comicsdb_web.reloads_templates"] = True  # it keeps no cards either

    def scene(self) -> "PageScene":
        """A new one."""
        return PageScene(self)


class PageScene(Acts):
    """A sequence of transactions, and visits in between; nothing of it is left after `end`."""

    def __init__(self, theatre: PageTheatre):
        super().__init__(theatre)
        self.visitor = Visitor(theatre, self)

    def announce(self, title: str) -> None:
        """Change the announcement of the home page, or make one; without a title, delete it."""
        actor = None  # a command
        found = self.session.query(Announcement).first()
        if not title:
            if found is not None:
                admin.delete_announcement(self.session, actor, found)
        elif found is None:
            values = dict.fromkeys(("start_date", "end_date"))
            values |= {"title": title, "content": "", "display_type": "primary", "active": True}
            admin.create_announcement(self.session, actor, values)
        else:
            admin.change_announcement(self.session, actor, found, {"title": title})

    def look_around(self, random: Random) -> None:
        """Visit a few pages, most of them pages that were visited before."""
        self.ids = Ids(self.session)
        self.visitor.look_around(random)

    def read_while(self, key, write, place: int, random: Random, _status: int) -> None:
        """Visit a page while `write` is done before the statement number `place`; nothing old stays."""
        self.visitor.visit_while(key, write, place, random)
        self.look_around(random)


class Visitor:
    """Visits pages between the transactions of `acts`, whose `ids` are those of now."""

    def __init__(self, theatre: PageTheatre, acts: Acts):
        self.theatre = theatre
        self.acts = acts
        self.seen: dict[str, Asked] = {}  # by path, as it was asked for the last time
        self.given: dict[Asked, dict[str, bytes]] = defaultdict(dict)  # by tag, the digest of the page
        self.gone: set[str] = set()
        self.objects: list[str] = []
        self.lists: list[str] = []
        self.find_pages()
        random = Random(0)
        for path in [each for each in self.objects if each.startswith("/issue/")] + ["/"]:
            self.visit(path, random)

    def find_pages(self) -> None:
        """The addresses that there are now."""
        before, self.objects, self.lists = self.objects, [], []
        slugs = defaultdict(list)
        for kind, slug in self.acts.session.execute(text(_SLUGS)):
            slugs[kind].append(slug)
        for kind, found in slugs.items():
            for slug in found:
                self.objects.append(f"/{kind}/{slug}/")
                series = slugs["series"] or ["none"]
                self.lists += [
                    f"/{kind}/{slug}/{each.format(series=series[0])}/" for each in BELOW.get(kind, ())
                ]
        ids = {kind: min(self.acts.ids.rows[kind], default=0) for kind in (*OWNERS, "series_type")}
        self.lists += [each.format(**ids) for each in LISTS]
        self.gone |= set(before) - set(self.objects)

    def look_around(self, random: Random) -> None:
        """Visit a few pages, most of them pages that were visited before."""
        self.find_pages()
        issues = [each for each in self.objects if each.startswith("/issue/")]
        others = [each for each in self.objects if not each.startswith("/issue/")]
        chosen = _some(random, issues) + _some(random, [each for each in issues if each in self.seen])
        for pages in (others, self.lists):
            chosen += _some(random, pages) + _some(random, [each for each in pages if each in self.seen])
        chosen += _some(random, sorted(self.gone))
        for path in dict.fromkeys(chosen):
            self.visit(path, random)

    def glance(self, random: Random) -> None:
        """Visit the issue that shows most of others: what is wrong there is soon hidden by another write."""
        self.find_pages()
        issues = [each for each in self.objects if each.startswith("/issue/")]
        if issues:
            self.visit(issues[0], random)

    def sweep(self, random: Random) -> None:
        """Visit one page of each sort, and a few issues."""
        self.find_pages()
        firsts = {each.split("/")[1]: each for each in reversed(self.objects)}
        issues = [each for each in self.objects if each.startswith("/issue/")]
        below = [f"{firsts[kind]}{BELOW[kind][-1]}/" for kind in ("publisher", "arc") if kind in firsts]
        for path in dict.fromkeys((*firsts.values(), *issues, *below, *SWEPT)):
            self.visit(path, random)

    def visit(self, path: str, random: Random) -> None:
        """See a page, mostly as it was seen before, and compare."""
        asked = self.seen.get(path)
        if asked is None or random.random() < 0.1:
            base = HOSTS[random.random() < 0.1]
            asked = Asked(base, path, random.choice((0, 0, 0, 0, 1, 2, 3)))
        page = self.ask(self.theatre.app, asked)
        if page.headers.get("X-Cache") == "MISS" and random.random() > ALSO_NEW:
            truth = page
        else:
            truth = self.ask(self.theatre.bare, asked)
        state = page.headers.get("X-Cache", str(page.status_int))
        assert page.status_int == truth.status_int, f"{asked}: {page.status}, not {truth.status}"
        assert page.body == truth.body, f"{asked}: {state} {_difference(page.text, truth.text)}"
        self.theatre.counts[state] += 1
        if page.status_int == 200:
            assert "X-Cache" in page.headers, asked
            assert "Set-Cookie" not in page.headers
            self.remember(asked, page)
            self.doubt(asked, page.body, random)
            self.seen[path] = asked

    def remember(self, asked: Asked, page) -> None:
        """A browser keeps the page with its tag, and pages that differ have different tags."""
        body = sha256(page.body).digest()
        assert self.given[asked].setdefault(page.headers["ETag"], body) == body, (
            f"{asked}: one tag, two pages"
        )

    def doubt(self, asked: Asked, body: bytes, random: Random) -> None:
        """Ask again with a tag from earlier: 304 is for who has this very page."""
        tag = random.choice(sorted(self.given[asked]))
        again = self.ask(self.theatre.app, asked, **{"If-None-Match": tag})
        same = self.given[asked][tag] == sha256(body).digest()
        assert again.status_int == (304 if same else 200), f"{asked}: {again.status} to {tag}"
        assert again.body == (b"" if same else body)
        self.theatre.counts[f"{again.status_int} by tag"] += 1

    def visit_while(self, key, write, place: int, random: Random) -> None:
        """Visit a page while `write` is done before the statement number `place`; nothing old stays."""
        pages = [each for each in self.objects if each.startswith(f"/{key[0]}/")]
        path = random.choice(pages + _some(random, self.lists))
        asked = Asked(HOSTS[0], f"{path}{'&' if '?' in path else '?'}utm={random.random()}", 0)
        self.acts.session.commit()  # its savepoint would lie around those of the visit
        with before_statement(self.theatre.connection, place, write):
            self.ask(self.theatre.app, asked)
        page, truth = self.ask(self.theatre.app, asked), self.ask(self.theatre.bare, asked)
        assert (page.status_int, page.body) == (truth.status_int, truth.body), asked
        self.theatre.counts["interrupted"] += 1

    @staticmethod
    def ask(app, asked: Asked, **headers: str):
        """One request."""
        sent = {**READERS[asked.reader], **headers}
        return Request.blank(asked.path, base_url=asked.base, headers=sent).get_response(app)


def _some(random: Random, paths: list[str]) -> list[str]:
    return [random.choice(paths)] if paths else []


def _difference(one: str, other: str) -> str:
    """Where two pages part, and how each goes on."""
    place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{one[max(0, place - 80) : place + 80]!r} is not {other[max(0, place - 80) : place + 80]!r}"
