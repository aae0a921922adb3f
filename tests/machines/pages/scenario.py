"""An anonymous visitor who compares every page with the one that the view renders without a cache."""

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
from tests.machines.api_cache.reader import before_statement
from tests.machines.api_cache.world import Ids
from tests.machines.api_cache.write_scenario import WriteScenario
from tests.machines.propagation.world import OWNERS

HOSTS = ("http://localhost", "https://comics.example:8443")
READER_HEADERS = (
    {},
    {"Accept-Language": "it"},
    {"Cookie": "theme=dark"},
    {"Cookie": "language=it; theme=light"},
)
MISS_CHECK_PROBABILITY = 0.1  # of cache misses that are compared too
OBJECTS_PER_KIND = 3  # objects of each kind that are visited
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
KIND_PATHS = (*(f"/{kind}/" for kind in OWNERS), "/issue/calendar/2020-02/", "/")
_SLUGS = " UNION ALL ".join(
    f"SELECT '{kind}', slug FROM (SELECT slug FROM {kind} WHERE slug NOT LIKE 'backdrop%'"
    f" ORDER BY id LIMIT {OBJECTS_PER_KIND}) {kind}_found"
    for kind in OWNERS
)


class PageRequest(NamedTuple):
    """A request for a page."""

    base: str
    path: str
    reader: int


class PageEnvironment:
    """What page scenarios share: a connection, the application with a cache, and one that keeps no page."""

    def __init__(self, connection, app, uncached_app, seed_data, writer):
        self.connection = connection
        self.app = app
        self.uncached_app = uncached_app
        self.seed_data = seed_data
        self.writer = writer
        self.counts: dict[str, int] = defaultdict(int)
        uncached_app.registry["comicsdb.read_pool"] = ReadPool(lambda: connection)
        uncached_app.registry["comicsdb.session_factory"].configure(bind=connection, **SAVEPOINT_MODE)
        uncached_app.registry["comicsdb.cached_reads"].clear()
        uncached_app.registry["comicsdb_web.reloads_templates"] = True  # so it caches no cards either

    def scenario(self) -> "PageScenario":
        """A new scenario."""
        return PageScenario(self)


class PageScenario(WriteScenario):
    """A sequence of transactions, with visits in between, undone by `end`."""

    def __init__(self, environment: PageEnvironment):
        super().__init__(environment)
        self.visitor = Visitor(environment, self)

    def announce(self, title: str) -> None:
        """Change or create the announcement of the home page; without a title, delete it."""
        actor = None  # as a command does
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

    def check_reads(self, random: Random) -> None:
        """Visit a few pages, most of them pages that were visited before."""
        self.ids = Ids(self.session)
        self.visitor.check_reads(random)

    def read_during_write(self, key, write, place: int, random: Random, _status: int) -> None:
        """Visit a page while `write` happens before statement number `place`, then visit a few others."""
        self.visitor.visit_during_write(key, write, place, random)
        self.check_reads(random)


class Visitor:
    """Visits pages between the transactions of `scenario`, whose `ids` are the current ones."""

    def __init__(self, environment: PageEnvironment, scenario: WriteScenario):
        self.environment = environment
        self.scenario = scenario
        self.seen: dict[str, PageRequest] = {}  # last request by path
        # Digests of pages by tag.
        self.received: dict[PageRequest, dict[str, bytes]] = defaultdict(dict)
        self.gone: set[str] = set()
        self.objects: list[str] = []
        self.lists: list[str] = []
        self.find_pages()
        random = Random(0)
        for path in [each for each in self.objects if each.startswith("/issue/")] + ["/"]:
            self.visit(path, random)

    def find_pages(self) -> None:
        """Update the addresses of existing and deleted pages."""
        before, self.objects, self.lists = self.objects, [], []
        slugs = defaultdict(list)
        for kind, slug in self.scenario.session.execute(text(_SLUGS)):
            slugs[kind].append(slug)
        for kind, found in slugs.items():
            for slug in found:
                self.objects.append(f"/{kind}/{slug}/")
                series = slugs["series"] or ["none"]
                self.lists += [
                    f"/{kind}/{slug}/{each.format(series=series[0])}/" for each in BELOW.get(kind, ())
                ]
        ids = {kind: min(self.scenario.ids.rows[kind], default=0) for kind in (*OWNERS, "series_type")}
        self.lists += [each.format(**ids) for each in LISTS]
        self.gone |= set(before) - set(self.objects)

    def check_reads(self, random: Random) -> None:
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

    def visit_first_issue(self, random: Random) -> None:
        """Visit the issue that shows most other objects, before another write can hide an error there."""
        self.find_pages()
        issues = [each for each in self.objects if each.startswith("/issue/")]
        if issues:
            self.visit(issues[0], random)

    def visit_each_kind(self, random: Random) -> None:
        """Visit one page of each sort, and a few issues."""
        self.find_pages()
        firsts = {each.split("/")[1]: each for each in reversed(self.objects)}
        issues = [each for each in self.objects if each.startswith("/issue/")]
        below = [f"{firsts[kind]}{BELOW[kind][-1]}/" for kind in ("publisher", "arc") if kind in firsts]
        for path in dict.fromkeys((*firsts.values(), *issues, *below, *KIND_PATHS)):
            self.visit(path, random)

    def visit(self, path: str, random: Random) -> None:
        """Visit a page, mostly by the same request as before, and compare it."""
        page_request = self.seen.get(path)
        if page_request is None or random.random() < 0.1:
            base = HOSTS[random.random() < 0.1]
            page_request = PageRequest(base, path, random.choice((0, 0, 0, 0, 1, 2, 3)))
        page = self.ask(self.environment.app, page_request)
        if page.headers.get("X-Cache") == "MISS" and random.random() > MISS_CHECK_PROBABILITY:
            expected = page
        else:
            expected = self.ask(self.environment.uncached_app, page_request)
        state = page.headers.get("X-Cache", str(page.status_int))
        assert page.status_int == expected.status_int, f"{page_request}: {page.status}, not {expected.status}"
        assert page.body == expected.body, f"{page_request}: {state} {_difference(page.text, expected.text)}"
        self.environment.counts[state] += 1
        if page.status_int == 200:
            assert "X-Cache" in page.headers, page_request
            assert "Set-Cookie" not in page.headers
            self.record(page_request, page)
            self.revalidate(page_request, page.body, random)
            self.seen[path] = page_request

    def record(self, page_request: PageRequest, page) -> None:
        """Record the digest of a page by its tag: different pages must have different tags."""
        body = sha256(page.body).digest()
        assert self.received[page_request].setdefault(page.headers["ETag"], body) == body, (
            f"{page_request}: one tag, two pages"
        )

    def revalidate(self, page_request: PageRequest, body: bytes, random: Random) -> None:
        """Revalidate an earlier tag: 304 only if the page is exactly the same."""
        tag = random.choice(sorted(self.received[page_request]))
        again = self.ask(self.environment.app, page_request, **{"If-None-Match": tag})
        same = self.received[page_request][tag] == sha256(body).digest()
        assert again.status_int == (304 if same else 200), f"{page_request}: {again.status} to {tag}"
        assert again.body == (b"" if same else body)
        self.environment.counts[f"{again.status_int} by tag"] += 1

    def visit_during_write(self, key, write, place: int, random: Random) -> None:
        """Visit a page while `write` happens before statement number `place`; nothing stale may be cached."""
        pages = [each for each in self.objects if each.startswith(f"/{key[0]}/")]
        path = random.choice(pages + _some(random, self.lists))
        page_request = PageRequest(HOSTS[0], f"{path}{'&' if '?' in path else '?'}utm={random.random()}", 0)
        self.scenario.session.commit()  # otherwise its savepoint would enclose those of the visit
        with before_statement(self.environment.connection, place, write):
            self.ask(self.environment.app, page_request)
        page = self.ask(self.environment.app, page_request)
        expected = self.ask(self.environment.uncached_app, page_request)
        assert (page.status_int, page.body) == (expected.status_int, expected.body), page_request
        self.environment.counts["interrupted"] += 1

    @staticmethod
    def ask(app, page_request: PageRequest, **headers: str):
        """Send a request."""
        sent = {**READER_HEADERS[page_request.reader], **headers}
        return Request.blank(page_request.path, base_url=page_request.base, headers=sent).get_response(app)


def _some(random: Random, paths: list[str]) -> list[str]:
    return [random.choice(paths)] if paths else []


def _difference(one: str, other: str) -> str:
    """The first difference of two pages, with its context in each."""
    place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return f"{one[max(0, place - 80) : place + 80]!r} is not {other[max(0, place - 80) : place + 80]!r}"
