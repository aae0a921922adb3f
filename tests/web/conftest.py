"""A small catalog in which every page has something to show, and helpers that read pages and send forms."""

import itertools
import re
import socket
import threading
from contextlib import ExitStack, contextmanager
from datetime import date
from decimal import Decimal
from html import unescape
from types import SimpleNamespace

import pytest
import waitress.server
from sqlalchemy import create_engine, insert
from sqlalchemy.orm import object_session
from webtest import Form

from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.passwords import Passwords
from comicsdb.accounts.sessions import begin_session
from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import IssueRating
from tests.conftest import (
    build_app,
    client_on,
    forget_attempts,
    rollback_engine_on_copy,
    rolled_back_connection,
)
from tests.factories import Factories
from tests.page import parse

COVER = {"image": "issue/2026/01/02/cover.png", "image_width": 600, "image_height": 900}
LANDSCAPE = {"image": "issue/2026/01/02/wide.png", "image_width": 900, "image_height": 600}
_copies = itertools.count(1)  # each folder that imports `world_engine` has its own copy


def soup(response):
    """The parsed page of a response."""
    assert response.content_type == "text/html"
    return parse(response.text)


def labels(response) -> list[str]:
    """The labels of the cards on a page, in order."""
    return [each.get_text(strip=True) for each in soup(response).select(".card-label")]


def details(response) -> dict[str, str]:
    """The details box of a page: values by label."""
    page = soup(response)
    return {
        each.dt.get_text(" ", strip=True): each.dd.get_text(" ", strip=True)
        for each in page.select(".facts .fact")
    }


def form_to(page, action):
    """The form of a page whose action is an address."""
    return form_with(page, method="post", action=action)


FORM = re.compile("<form[^>]*>.*?</form>", re.DOTALL)
ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


def form_with(page, *fields: str, **attributes: str):
    """The first form of a page that has fields with these names, and these attributes.

    Only its part of the page is parsed: parsing pages takes most of a test's time, and WebTest's `forms`
    parses each page twice.
    """
    for text in FORM.findall(page.text):
        has = {name: unescape(value) for name, value in ATTRIBUTE.findall(text[: text.index(">")])}
        if attributes.items() <= has.items() and all(f'name="{each}"' in text for each in fields):
            form = form_of(page, text, has.get("id"))
            if form.fields.keys() >= set(fields):
                return form
    raise AssertionError(f"No form with {fields} and {attributes} in {page.request.url}")


def form_of(page, text: str, name: str | None) -> Form:
    """Parse a form of a page.

    If it has an id (`name`), WebTest would search the page for fields outside the form, which takes long; so
    the id is hidden unless there are such fields.
    """
    if name is None or f'form="{name}"' in page.text:
        return Form(page, text, page.parser_features)
    form = Form(page, text.replace(f'id="{name}"', "", 1), page.parser_features)
    form.id = name
    return form


@pytest.fixture(scope="session")
def world_engine(cluster, template):
    """An engine on a database for the small catalog, which is created once for all tests."""
    yield from rollback_engine_on_copy(cluster, template, f"world_{next(_copies)}")


@pytest.fixture(scope="session")
def world_keys(world_engine) -> dict:
    """Create the small catalog; returns model and id of each object by name."""
    with session_factory(world_engine)() as session:
        made = make_world(Factories(Catalog(session)), session)
        return {name: (type(each), each.id) for name, each in vars(made).items()}


@pytest.fixture(scope="session")
def world_read(world_engine, world_keys) -> dict:
    """The objects of the small catalog by name, loaded once, detached, to be merged into other sessions."""
    with session_factory(world_engine)() as session:
        found = {name: session.get_one(*key) for name, key in world_keys.items()}
        session.expunge_all()
        return found


@pytest.fixture
def connection(request):
    """One connection in an outer transaction; the database has the small catalog if the test uses it."""
    name = "world_engine" if "world_keys" in request.fixturenames else "engine"
    yield from rolled_back_connection(request.getfixturevalue(name))


@pytest.fixture
def world(world_keys, world_read, session):
    """The small catalog: one object of each kind, linked with each other, and a few more issues."""
    return SimpleNamespace(**{name: session.merge(each, load=False) for name, each in world_read.items()})


def make_world(make, session) -> SimpleNamespace:
    """Create the small catalog."""
    w = SimpleNamespace()
    with make.single_commit():
        w.publisher = make.publisher(
            name="Harbor House",
            alt_names=["Porto Press"],
            founded=1938,
            country="IT",
            desc="First.\n\nSecond\nline.",
        )
        w.imprint = make.imprint(name="Little Harbor", publisher=w.publisher, founded=1999)
        w.universe = make.universe(name="Prime", designation="Earth 7", publisher=w.publisher)
        w.creator = make.creator(
            name="Ada Pencil", alias=["The Line"], birth=date(1950, 3, 2), cv_id=11, gcd_id=12
        )
        w.inker = make.creator(name="Bo Brush")
        w.team = make.team(name="Night Crew", creators=[w.creator], universes=[w.universe])
        w.character = make.character(
            name="Lamplighter",
            alias=["Wick"],
            creators=[w.creator],
            teams=[w.team],
            universes=[w.universe],
        )
        w.arc = make.arc(name="The Long Dusk")
        w.series = make.series(
            name="Lamplight",
            sort_name="Lamplight",
            publisher=w.publisher,
            imprint=w.imprint,
            year_began=2019,
            year_end=2021,
            status=2,
            language="it",
            alt_names=["Luce"],
        )
        w.book = make.series(
            name="Lamplight Collected", sort_name="Lamplight Collected", publisher=w.publisher, series_type=10
        )
        w.first = make.issue(
            series=w.series,
            number="1",
            cover_date=date(2019, 5, 1),
            store_date=date(2019, 4, 3),
            foc_date=date(2019, 3, 11),
            price=Decimal("3.99"),
            currency="USD",
            page=32,
            sku="JAN190001",
            upc="76194134182600111",
            name=["A Spark", "Ashes"],
            desc="It begins.",
            rating=3,
            characters=[w.character],
            teams=[w.team],
            universes=[w.universe],
            arcs=[w.arc],
            credits=[
                {"creator": w.creator.id, "roles": [make.role("Writer").id, make.role("Penciller").id]},
                {"creator": w.inker.id, "roles": [make.role("Inker").id]},
            ],
            variants=[
                {"name": "Foil", "price": Decimal("4.99"), "currency": "USD", "sku": "JAN190002", **LANDSCAPE}
            ],
            attributions=[{"source": "W", "url": "https://en.wikipedia.org/wiki/Lamplight"}],
            cv_id=21,
            gcd_id=22,
            **COVER,
        )
        w.second = make.issue(
            series=w.series, number="2", cover_date=date(2019, 6, 1), characters=[w.character], arcs=[w.arc]
        )
        w.third = make.issue(series=w.series, number="3", alt_number="103", cover_date=date(2019, 7, 1))
    w.reprint = make.issue(series=w.book, number="1", cover_date=date(2020, 1, 1), reprints=[w.first])
    users = [make.user() for _ in range(2)]
    session.execute(
        insert(IssueRating),
        [
            {"issue_id": w.first.id, "user_id": user.id, "rating": stars}
            for user, stars in zip(users, (3, 4), strict=True)
        ],
    )
    w.first.rating_count = w.series.rating_count = 2
    w.first.rating_sum = w.series.rating_sum = 7
    session.commit()
    return w


@pytest.fixture
def member(make):
    """An account that can log in with the password "correct horse"."""
    return make.user("Nora", password="correct horse", passwords=Passwords("fast"))


@pytest.fixture(scope="session")
def apps_with(shared_database, media_folder):
    """`apps_with(**settings)`: an application with these settings, created once."""
    made = {}

    def app(**settings):
        key = tuple(sorted(settings.items()))
        if key not in made:
            made[key] = build_app(shared_database, media_folder, **settings)
        return made[key]

    yield app
    for each in made.values():
        each.registry["comicsdb.engine"].dispose()


@pytest.fixture
def site_with(apps_with, connection):
    """`site_with(**settings)`: a client of a site with these settings."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(client_on(apps_with(**settings), connection))


OTHER_SETTINGS = {
    "comicsdb.base_url": "https://comics.example.org/",
    "comicsdb.donations.collective": "comics",
    "comicsdb.hosts": "localhost evil.example",
    "comicsdb.hsts": "max-age=63072000; includeSubDomains; preload",
    "comicsdb.imports.megabytes": "1",
    "comicsdb.imports.rows": "3",
    "comicsdb.licence": "Ours <3 https://example.org/?a&b",
    "comicsdb.signup.answer": "Everybody",
    "comicsdb.signup.question": "Who has a cat?",
    "comicsdb.site_editing": "editors",
    "comicsdb.staff_second_factor": "true",
    "comicsdb.webhooks.most": "0",
    "comicsdb_api.throttle.burst": "7",
    "comicsdb_api.throttle.free_304_429": "false",
    "comicsdb_api.throttle.sustained": "12345",
    "comicsdb_web.blog": "https://blog.example/",
    "comicsdb_web.code": "https://code.example/x/",
    "comicsdb_web.contact": "us@example.org",
    "comicsdb_web.security_contact": "guard@example.org",
    "comicsdb_web.social": "Mastodon https://social.example/@us; The Forum https://forum.example/?a&b",
}


@pytest.fixture
def other_site(site_with):
    """A client of a site with many changed settings: one application for all tests of these settings."""
    return site_with(**OTHER_SETTINGS)


@pytest.fixture(scope="session")
def server(cluster, tmp_path_factory):
    """The whole application, served to browsers; `served` gives it a new database for each test file."""
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://localhost:{listening.getsockname()[1]}"  # passkeys need a name, not a number
    settings = {"comicsdb_api.throttle": "on", "comicsdb.base_url": url}
    media = tmp_path_factory.mktemp("browsers-media")
    app = build_app(cluster.url("browsers"), media, **settings)
    server = waitress.server.create_server(app, sockets=[listening], threads=4)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield SimpleNamespace(url=url, app=app, media=media)
    server.close()
    thread.join(10)
    app.registry["comicsdb.engine"].dispose()


@pytest.fixture(scope="module")
def served(server, cluster, template):
    """The application, served to browsers on a new database, and `sessions` on that database."""
    cluster.clone_database(template, "browsers")
    registry = server.app.registry
    registry["comicsdb.cache"].clear()  # versions start again with a new database
    registry["comicsdb.validator_cache"].clear()
    forget_attempts(server.app)
    engine = create_engine(cluster.url("browsers"))
    yield SimpleNamespace(url=server.url, media=server.media, sessions=session_factory(engine))
    engine.dispose()
    registry["comicsdb.engine"].dispose()
    registry["comicsdb.read_pool"].close()
    cluster.drop_database("browsers")


@contextmanager
def page_of(context):
    """A new page of a context; script errors and violations of the Content Security Policy fail the test."""
    complaints = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if "Content Security" in line.text else None)
    yield page
    page.close()
    assert complaints == []


@contextmanager
def signed_in(browser, site, *, width: int, height: int):
    """A browser context in which Nora is logged in, for `page_of`, with windows of that size."""
    viewport = {"width": width, "height": height}
    context = browser.new_context(base_url=site.url, reduced_motion="reduce", viewport=viewport)
    with page_of(context) as page:
        type_log_in(page, site, "Nora")
    yield context
    context.close()


def type_log_in(page, site, name: str) -> None:
    """Log in through the form, sent with Enter, and wait for the home page."""
    page.goto("/accounts/login/")
    page.fill("#username", name)
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/")


def log_in(testapp, username="Nora", password="correct horse", **fields):
    """Send the log-in form, as a browser would."""
    form = form_to(testapp.get("/accounts/login/", fields.pop("get", {})), "/accounts/login/")
    form["username"], form["password"] = username, password
    for name, value in fields.items():
        form[name] = value
    return form.submit(expect_errors=True)


@pytest.fixture
def reader(testapp, member):
    """Nora, logged in."""
    start_session(testapp, member)
    return member


@pytest.fixture
def nora(reader):
    return reader


def start_session(testapp, user) -> None:
    """Log an account in without the log-in page."""
    session = object_session(user)
    context = AccountContext(session, None, None, None, None, {}, "127.0.0.1", "a test", "en")
    testapp.set_cookie("session", begin_session(context, user))
    session.commit()


PASSWORD = "correct horse"


def field_errors(response) -> dict[str, str]:
    """The errors next to the fields of a page, by field; if there are none, that of the whole form as ""."""
    page = soup(response)
    found = {
        each["id"].removesuffix("-error"): each.get_text(" ", strip=True)
        for each in page.select(".field-error")
    }
    whole = " ".join(each.get_text() for each in page.select(".form-errors > p"))
    return found | ({"": whole} if whole and not found else {})


def notice(response) -> str:
    """The notice that a page shows."""
    text = soup(response).select_one(".message").get_text(" ", strip=True)
    return text.removesuffix("Undo").rstrip()  # the label of the button next to it


def submit(testapp, path, *, status=303, action=None, **fields):
    """Fill in the form of a page and send it, as a browser would."""
    form = form_to(testapp.get(path), action or path)
    for name, value in fields.items():
        form[name] = value
    return form.submit(status=status)
