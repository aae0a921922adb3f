"""Creates a library for an account, and fills in an address of every route of the site."""

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from sqlalchemy import func, select

from comicsdb.accounts import FormTarget, SavedForm, feed_addresses, store_draft
from comicsdb.community import profiles
from comicsdb.exchange import tagged_files
from comicsdb.library import collection, pull_list, reading_lists, wish_list
from comicsdb.library.reading_lists import items
from comicsdb.library.transfer import imports
from comicsdb.library.transfer.mappings import remember_mapping
from comicsdb.models import (
    CATALOG,
    History,
    LibraryAct,
    PendingEntry,
    PictureDraft,
    Poll,
    ReadDate,
    ReadingListItem,
    WebhookDelivery,
)
from comicsdb.security import SESSION, make_identity
from comicsdb.webhooks import endpoints

OFFICIAL = "Metron"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
REFERENCE_ID = 5  # there is a role, a series type, a genre and an age rating with this id
FORM_KEY = "a form key of the tests, long enough"


def keep_library(session, user, world, words: str = "kept") -> SimpleNamespace:
    """Fill the library of an account: an item read once, a followed series, a wish, two reading lists, etc.

    Every free text contains `words`, so that a test can look for them elsewhere.
    """

    kept = SimpleNamespace(words=words)
    kept.item, _created = collection.add(
        session,
        user.id,
        world.third.id,
        {"notes": words, "storage_location": words, "purchase_store": words, "is_read": True},
    )
    kept.read_date = session.scalar(select(func.max(ReadDate.id)))
    kept.pull, _created = pull_list.add(session, user.id, world.series.id)
    kept.wish, _created = wish_list.add(session, user.id, world.second.id, {"notes": words})
    identity = make_identity(user, SESSION)
    kept.list = reading_lists.create(session, identity, OFFICIAL, {"name": f"Public {user.username}"})
    kept.secret = reading_lists.create(
        session, identity, OFFICIAL, {"name": f"{words} list", "desc": words, "is_private": True}
    )
    for each in (kept.list, kept.secret):
        held = reading_lists.lock_list(session, identity, OFFICIAL, each)
        items.add_issues(held, [world.first.id, world.second.id])
    session.add(PendingEntry(reading_list_id=kept.secret.id, position=3, series=words, publisher=words))
    kept.list_item, kept.secret_item = (
        session.scalar(select(func.min(ReadingListItem.id)).where(ReadingListItem.reading_list_id == each.id))
        for each in (kept.list, kept.secret)
    )
    kept.webhook = endpoints.make(
        session,
        {"comicsdb.secret": "x", "comicsdb.webhooks.most": 5, "comicsdb.webhooks.networks": ()},
        user.id,
        url="https://comics.example/",
        kinds=(),
        description=words,
        form_key=FORM_KEY,
    ).webhook
    endpoints.send_test(session, kept.webhook)
    kept.delivery = session.scalar(select(func.max(WebhookDelivery.id)))
    kept.feed = feed_addresses.make_address(session, user.id, words, FORM_KEY)
    file = f"Series,Number,Notes\n{world.series.name},1,{words}\n".encode()
    if session.get(Poll, 1) is None:
        session.add(Poll(id=1, title="Which?", start_date=NOON, end_date=NOON + timedelta(days=1)))
    kept.upload = imports.upload(session, user.id, f"{words}.csv", file, currency="USD", rows=10, megabytes=1)
    remember_mapping(session, user.id, ["series", "number", "notes"], {words: "notes"})
    told = {"series": "Unheard", "number": "1"}
    file_ = {"file": f"{words}.cbz", "label": f"{words} #1", "known": told, "fields": [["desc", words]]}
    tagged_files.store(session, user.id, f"{user.id + 1:064x}", **file_)
    unsaved = SavedForm("/issue/create/", [("desc", words)], {})
    store_draft(session, user.id, f"{user.id:064x}", FormTarget("issue.create issue", 0), unsaved)
    session.add(PictureDraft(user_id=user.id, digest=f"{user.id:064x}", name=f"{words}.png"))
    profiles.add_favourite(session, user.id, "issue", world.third.id)
    session.commit()
    kept.act = session.scalar(select(func.max(LibraryAct.id)).where(LibraryAct.user_id == user.id))
    return kept


def publish(session, user, *parts: str) -> None:
    """Make the profile of an account public, with all its parts unless some are named."""
    profiles.save_settings(session, user.id, public=True, parts=parts or profiles.PARTS)
    session.commit()


def addresses_of(wsgi, session, world, kept, reading_list, method="GET") -> list[str]:
    """An address of every route with this method, filled in from the small catalog and a library (`kept`).

    Addresses of reading lists are those of `reading_list`, which is one of `kept`. Routes with a secret are
    left out.
    """
    found = []
    routes = {route.name: route for route in wsgi.routes_mapper.get_routes()}
    by_kind = {
        model.__tablename__: world.first
        if model.__tablename__ == "issue"
        else getattr(world, model.__tablename__)
        for model in CATALOG
    }
    for name, methods in wsgi.registry["comicsdb_web.methods"].items():
        if method not in methods or "{secret}" in routes[name].pattern:
            continue
        pattern = routes[name].pattern
        if "{kind:" in pattern:
            found += _of_each_kind(pattern, by_kind)
        else:
            found += _filled(session, world, kept, reading_list, name, pattern, by_kind)
    return found


def _filled(session, world, kept, reading_list, name, pattern, by_kind) -> list[str]:
    """The addresses of one route."""
    patterns = [pattern]
    blocks = re.search(r"\{block:([^}]*)\}", pattern)
    if blocks:
        patterns = [pattern.replace(blocks[0], block) for block in blocks[1].split("|")]
    area = name.split(".")[0]
    number = _number(world, kept, name)
    words = {"{day}": "2026-11-16", "{monday}": "2026-11-16", "{month}": "2026-11"}
    words |= {"{name}": "series", "{kind}/add-row/": "credits/add-row/?form_idx=0", "{username}": "Nora"}
    words |= {"{page}": "editing", "{delivery:[0-9]+}": str(kept.delivery)}
    if name == "oembed":
        patterns = [f"{pattern}?url=http://localhost/issue/{world.first.slug}/"]
    if area in by_kind:
        entity = by_kind[area]
        version = session.scalar(
            select(History.id).where(History.kind == area, History.object_id == entity.id)
        )
        words |= {"history/{id:[0-9]+}": f"history/{version}", "{slug}": entity.slug}
        words |= {"{series}": world.series.slug}
        number = str(entity.id)
    elif name != "admin.review" and name.endswith(
        (".review", ".unmatched", ".unread", ".forget", ".propose", ".find_series")
    ):
        number = str(kept.upload.id)
    elif area == "collection":
        number = str(world.series.id if "missing" in name else kept.item.id)
        words |= {"{read_id:[0-9]+}": str(kept.read_date)}
    elif area == "pull_list":
        number, words = str(world.series.id), words | {"{slug}": world.series.slug}
    elif area == "wish_list":
        number, words = str(kept.wish.id), words | {"{slug}": world.second.slug}
    elif area == "reading_list":
        item = kept.list_item if reading_list is kept.list else kept.secret_item
        number, words = str(item), words | {"{slug}": reading_list.slug}
    for word, value in words.items():
        patterns = [each.replace(word, value) for each in patterns]
    patterns = [re.sub(r"\{form:(\w+)[^}]*\}", r"\1", each) for each in patterns]
    patterns = [re.sub(r"\{part:.*\}", "pages", each) for each in patterns]
    return [re.sub(r"\{\w+:[^}]*\}", number, each) for each in patterns]


def _of_each_kind(pattern, by_kind) -> list[str]:
    """The addresses of a route of the administration; kinds without a page have reference rows."""
    kinds = re.search(r"\{kind:([^}]*)\}", pattern)
    numbers = {kind: str(getattr(by_kind.get(kind), "id", REFERENCE_ID)) for kind in kinds[1].split("|")}
    return [
        re.sub(r"\{\w+:[^}]*\}", number, pattern.replace(kinds[0], kind)) for kind, number in numbers.items()
    ]


def _number(world, kept, name) -> str:
    """The id in the address of a route whose area has no id of its own."""
    if name.startswith("account.webhook"):
        return str(kept.webhook.id)
    return str(getattr(kept, "review_id", 1)) if name in {"admin.review", "review.report"} else "1"
