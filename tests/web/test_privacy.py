"""Nobody else sees a reader's library: requests to site and API by another account and anonymously.

Responses are compared with those after the library was deleted (see `forget_all`), so that no name, item,
date or count can leak in any form.
"""

import base64
import re
import zipfile
from io import BytesIO
from itertools import chain

import pytest
from sqlalchemy import text

from comicsdb.accounts.passwords import Passwords
from comicsdb.community import profiles
from comicsdb.library import reading_lists
from comicsdb.models import CATALOG, Follow, metadata
from comicsdb.security import SESSION, make_identity
from tests.web.addresses import OFFICIAL, addresses_of, keep_library
from tests.web.conftest import PASSWORD, form_with, log_in

WORDS = "Zanzibarium"
BOB = {"Authorization": "Basic " + base64.b64encode(f"Bob:{PASSWORD}".encode()).decode()}
# Tokens of forms and the time of statistics, which differ between any two responses.
VOLATILE = re.compile(
    rb'(name="(?:csrf_token|form_key|draft_key)" value="|"written": ?")[^"]*|Last updated: <[^>]*>[^<]*'
)
OWNED = {
    "collection_item": "user_id = :ann",
    "read_date": "user_id = :ann",
    "pull_list": "user_id = :ann",
    "pull_list_series": "pull_list_id IN (SELECT id FROM pull_list WHERE user_id = :ann)",
    "wish_list": "user_id = :ann",
    "wish_list_item": "wish_list_id IN (SELECT id FROM wish_list WHERE user_id = :ann)",
    "reading_list": "user_id = :ann",
    "reading_list_item": "reading_list_id IN (SELECT id FROM reading_list WHERE user_id = :ann)",
    "reading_list_pending": "reading_list_id IN (SELECT id FROM reading_list WHERE user_id = :ann)",
    "reading_list_rating": "reading_list_id IN (SELECT id FROM reading_list WHERE user_id = :ann)",
    "reading_list_like": "reading_list_id IN (SELECT id FROM reading_list WHERE user_id = :ann)",
    "feed_address": "user_id = :ann",
    "webhook": "user_id = :ann",
    "webhook_delivery": "webhook_id IN (SELECT id FROM webhook WHERE user_id = :ann)",
    "library_import": "user_id = :ann",
    "import_mapping": "user_id = :ann",
    "favourite": "user_id = :ann",
    "form_draft": "user_id = :ann",
    "picture_draft": "user_id = :ann",
    "tagged_file": "user_id = :ann",
    "library_import_row": "import_id IN (SELECT id FROM library_import WHERE user_id = :ann)",
    "library_act": "user_id = :ann",
    "library_change": "act_id IN (SELECT id FROM library_act WHERE user_id = :ann)",
}
# Other tables that refer to accounts, by the reason why they are no part of a library.
NOT_OWNED = {
    "public, or counted in what is public": (
        *(model.__tablename__ for model in CATALOG),
        *("change_log", "external_id", "history", "issue_rating", "poll", "poll_vote", "public_profile"),
        *("review", "tombstone"),
    ),
    "seen by the staff": ("donation", "review_report", "staff_action", "unfinished_act", "user_group_member"),
    "seen by both accounts": ("follow",),
    "of the account itself, and tested with its pages": (
        *("account_link", "api_token", "idempotency_key", "login_session", "outgoing_mail", "passkey"),
        *("recovery_code", "security_event", "throttle_notice", "totp"),
    ),
}
API_READS = (
    "/api/collection/",
    "/api/collection/{item}/",
    "/api/collection/stats/",
    "/api/collection/missing_series/",
    "/api/collection/missing_issues/{series}/",
    "/api/pull_list/",
    "/api/pull_list/{pull}/",
    "/api/pull_list/series/",
    "/api/pull_list/issues/",
    "/api/wish_list/",
    "/api/wish_list/{wishes}/",
    "/api/wish_list/items/",
    "/api/read/",
    "/api/reading_list/",
    "/api/reading_list/?user={ann}",
    "/api/reading_list/?is_private=true",
    "/api/reading_list/?name=" + WORDS,
    "/api/reading_list/{list}/",
    "/api/reading_list/{secret}/",
    "/api/reading_list/{secret}/items/",
    "/api/issue/{issue}/",
    "/api/series/{series}/",
    "/api/change/",
    "/api/",
)
API_WRITES = (
    ("patch", "/api/collection/{item}/", {"rating": 1}),
    ("put", "/api/collection/{item}/", {"rating": 1}),
    ("delete", "/api/collection/{item}/", None),
    ("post", "/api/wish_list/items/{wish}/acquire/", {}),
    ("delete", "/api/wish_list/items/{wish}/remove/", None),
    ("delete", "/api/read/{read}/remove/", None),
    ("delete", "/api/pull_list/series/{series}/remove/", None),
)
MORE_PAGES = (
    f"/search/?q={WORDS}",
    f"/reading-lists/?q={WORDS}",
    "/reading-lists/?is_private=true",
    "/reading-lists/?username=Nora",
    f"/reading-lists/?username=Nora&name={WORDS}",
    f"/autocomplete/reading_list/items?q={WORDS}",
    "/users/Nora/",
    "/accounts/users/Nora/",
    "/sitemap.xml",
    "/robots.txt",
)


@pytest.fixture
def kept(session, member, world):
    """Nora's library."""
    return keep_library(session, member, world, WORDS)


@pytest.fixture
def bob(make):
    """Another reader, with an empty library."""
    return make.user("Bob", password=PASSWORD, passwords=Passwords("fast"))


@pytest.fixture
def pages(wsgi, session, world, kept):
    """The address of every page, including those of Nora's library, and the sitemap of reading lists."""
    found = addresses_of(wsgi, session, world, kept, kept.secret)
    found += addresses_of(wsgi, session, world, kept, kept.list)
    part = f"/sitemap/reading_list-{(kept.secret.id - 1) // 10_000}.xml"
    # Pages that contain the time or random values.
    random = ("/accounts/login/passkey/", "/accounts/security/app/", "/accounts/security/passkeys/")
    left_out = ("/accounts/logout", "/accounts/signup", *random)
    return [each for each in dict.fromkeys((*found, *MORE_PAGES, part)) if not each.startswith(left_out)]


@pytest.fixture
def numbers(world, member, kept):
    """The ids for addresses of the API."""
    return {
        "item": kept.item.id,
        "series": world.series.id,
        "issue": world.third.id,
        "pull": kept.pull.pull_list_id,
        "wishes": kept.wish.wish_list_id,
        "wish": kept.wish.id,
        "read": kept.read_date,
        "list": kept.list.id,
        "secret": kept.secret.id,
        "ann": member.id,
    }


def asked(testapp, addresses, headers) -> dict[str, tuple[int, bytes, str]]:
    """The response of each address: status, body without tokens, and target of a redirect."""
    answers = {}
    for address in addresses:
        response = testapp.get(address, headers=headers, expect_errors=True)
        body = VOLATILE.sub(b"\\1", _unpacked(response))
        answers[address] = response.status_int, body, response.headers.get("Location", "")
    return answers


def _unpacked(response) -> bytes:
    """The body; for an archive, its contents without the times of its files."""
    if response.content_type != "application/zip":
        return response.body
    with zipfile.ZipFile(BytesIO(response.body)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


def rows_of(session, user_id) -> dict[str, str]:
    """The rows of an account's library as text, by table."""
    session.expire_all()
    return {
        table: session.execute(
            text(f"SELECT string_agg(t::text, '|' ORDER BY t::text) FROM {table} t WHERE {mine}"),
            {"ann": user_id},
        ).scalar()
        for table, mine in OWNED.items()
    }


# What the service worker of the scanner stores is the same for everybody.
KEPT_BY_BROWSERS = {"/collection/scan/shell/", "/collection/scan/worker.js"}


def forget_all(testapp, session, user_id):
    """Delete Nora's rows in the tables of `OWNED`, except the public list; and all cached responses."""
    session.expire_all()
    for table, mine in reversed(OWNED.items()):
        condition = f"{mine} AND is_private" if table == "reading_list" else mine
        if not table.startswith("reading_list_"):  # these go with their list
            session.execute(text(f"DELETE FROM {table} WHERE {condition}"), {"ann": user_id})
    session.commit()
    session.expire_all()
    testapp.app.registry["comicsdb.cache"].clear()


def test_the_table_of_what_is_owned_is_whole(session, member, kept):
    others = set(chain(*NOT_OWNED.values()))
    found = {"user_account"}
    for table in metadata.sorted_tables:
        if table.name not in others and any(key.column.table.name in found for key in table.foreign_keys):
            found.add(table.name)
    assert found == {"user_account", *OWNED}
    without = {table for table, rows in rows_of(session, member.id).items() if rows is None}
    assert without == {"reading_list_rating", "reading_list_like"}  # others give these, to public lists


@pytest.mark.parametrize("who", ["nobody", "another", "nobody, with a public profile without parts"])
def test_no_page_tells_what_somebody_keeps(testapp, session, world, member, kept, bob, pages, who):
    if "public" in who:
        profiles.save_settings(session, member.id, public=True, parts=())
        session.commit()
    session.add(Follow(follower_id=bob.id, followed_id=member.id))
    session.commit()
    if who == "another":
        log_in(testapp, "Bob")
    there = asked(testapp, pages, {})
    for address, (_status, body, location) in there.items():
        found = WORDS.encode() in body.replace(address.encode(), b"")
        searched = WORDS in address  # a page repeats the search text
        assert searched or not (found or WORDS in location), address
    forget_all(testapp, session, member.id)
    gone = asked(testapp, pages, {})
    differing = [address for address in pages if there[address] != gone[address]]
    assert differing == []
    ours = [each for each in pages if each.startswith(("/collection/", "/pull-list/", "/wish-list/"))]
    assert len(ours) > 15
    for address in set(ours) - KEPT_BY_BROWSERS:
        allowed = {303} if who != "another" else {200, 204, 303, 404}
        assert there[address][0] in allowed, address


@pytest.mark.parametrize("who", ["nobody", "another"])
def test_no_answer_of_the_api_tells_it(testapp, session, world, member, kept, bob, numbers, who):
    headers = BOB if who == "another" else {}
    addresses = [each.format(**numbers) for each in API_READS]
    there = asked(testapp, addresses, headers)
    for address, (status, body, _location) in there.items():
        assert WORDS.encode() not in body, address
        assert status in ({200, 404} if headers else {200, 401, 404}), address
    forget_all(testapp, session, member.id)
    gone = asked(testapp, addresses, headers)
    assert [address for address in addresses if there[address] != gone[address]] == []


def test_a_neighbour_that_may_not_be_seen_is_not_named(testapp, session, member, kept, bob):
    identity = make_identity(member, SESSION)
    reading_lists.update(session, identity, OFFICIAL, kept.list, {"next": kept.secret.id})
    session.commit()
    slug, number = kept.list.slug, kept.list.id
    assert kept.list.next_id == kept.secret.id
    page = testapp.get(f"/reading-lists/{slug}/")
    assert WORDS not in page.text
    assert testapp.get(f"/api/reading_list/{number}/", headers=BOB).json["next"] is None
    log_in(testapp, "Nora")
    assert WORDS in testapp.get(f"/reading-lists/{slug}/").text


def test_nobody_else_can_change_it(wsgi, testapp, session, world, member, kept, bob, numbers):
    before = rows_of(session, member.id)
    routes = {route.name: route for route in wsgi.routes_mapper.get_routes()}
    posts = [
        name
        for name, methods in wsgi.registry["comicsdb_web.methods"].items()
        if "POST" in methods
        and name.startswith(("collection", "pull_list", "wish_list", "reading_list", "account.feeds"))
    ]
    assert len(posts) > 25
    addresses = []
    for name in posts:
        pattern = routes[name].pattern
        for word, value in {
            "{slug}": kept.secret.slug if name.startswith("reading_list") else world.series.slug,
            "{read_id:[0-9]+}": str(kept.read_date),
            "{item:[0-9]+}": str(kept.secret_item),
        }.items():
            pattern = pattern.replace(word, value)
        own = {"wish_list": kept.wish.id, "account": kept.feed.address.id}
        number = kept.act if name == "collection.undo" else own.get(name.split(".")[0], kept.item.id)
        if name.endswith((".review", ".forget")):
            number = kept.upload.id
        addresses.append(re.sub(r"\{\w+:[^}]*\}", str(number), pattern))
    for who in (None, "Bob"):
        if who:
            log_in(testapp, who)
        token = testapp.get("/accounts/login/" if who is None else "/accounts/tokens/")
        token = form_with(token, "csrf_token")["csrf_token"].value
        for address in addresses:
            fields = {"csrf_token": token, "rating": "1", "confirm": "1", "on": "0", "name": "taken over"}
            answer = testapp.post(address, fields, expect_errors=True)
            assert answer.status_int < 500, address
            assert WORDS not in answer.text, address
            if kept.secret.slug in address:
                never = testapp.post(
                    address.replace(kept.secret.slug, "never-was"), fields, expect_errors=True
                )
                assert answer.status_int == never.status_int, f"{who}, {address}"
    testapp.reset()
    for method, address, body in API_WRITES:
        for headers in ({}, BOB):
            send = getattr(testapp, f"{method}_json" if body is not None else method)
            arguments = [address.format(**numbers), *([body] if body is not None else [])]
            answer = send(*arguments, headers=headers, expect_errors=True)
            assert answer.status_int == (404 if headers else 401), (method, address)
    assert rows_of(session, member.id) == before
