"""Helpers for the tests of library files: an account with a full library, its import and export."""

from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

from comicsdb.library import collection, pull_list, reading_lists, reads, wish_list
from comicsdb.library.ratings import rate
from comicsdb.library.reading_lists import items
from comicsdb.library.transfer.imports import confirm, upload
from comicsdb.library.transfer.review import Choices, decisions, load_page
from comicsdb.library.transfer.writing import library
from tests.lists import OFFICIAL, identity_of

TODAY = date(2026, 11, 22)


def create_catalog(make) -> SimpleNamespace:
    """Create two series of one publisher, with ten and two issues."""
    with make.single_commit():
        w = SimpleNamespace(publisher=make.publisher(name="Harbor House"))
        w.long = make.series(name="The Lamplighter", year_began=2018, volume=2, publisher=w.publisher)
        w.other = make.series(name="=Night & Crew", year_began=2020, publisher=w.publisher, cv_id=900)
        w.issues = [
            make.issue(series=w.long, number=str(n), cover_date=date(2018, n, 1), gcd_id=500 + n)
            for n in range(1, 11)
        ]
        w.others = [
            make.issue(series=w.other, number=number, cv_id=800 + n) for n, number in enumerate(("-1", "½"))
        ]
    w.foil = make.variant(w.issues[1], name="Foil")
    return w


def fill_library(session, user, w) -> None:
    """Fill every part of an account's library, through the services."""
    who = identity_of(user)
    first = {
        "quantity": 3,
        "book_format": "BOTH",
        "grade": Decimal("9.8"),
        "grading_company": "CGC",
        "purchase_date": date(2019, 3, 5),
        "purchase_price": Decimal("1234.50"),
        "purchase_currency": "ITL",
        "purchase_store": "-- Corner, Shop --",
        "storage_location": "'Box; 7\"",
        "tags": ["=signed", "À vendre"],
        "notes": "=2+2\nÀ la carte, 🦆",
        "read_dates": [datetime(2020, 1, 2, 3, 4, 5, 678, UTC), datetime(2021, 1, 2, tzinfo=UTC)],
    }
    rate(session, w.issues[0], user.id, 4, today=TODAY)
    collection.add(session, user.id, w.issues[0].id, first)
    collection.add(session, user.id, w.issues[1].id, {})
    foil = {"variant_id": w.foil.id, "quantity": 2}
    collection.add(session, user.id, w.issues[1].id, foil, another_copy=True)
    collection.add(session, user.id, w.others[0].id, {"is_read": True})
    reads.add(session, user.id, w.issues[8].id, datetime(2022, 1, 2, tzinfo=UTC))
    reads.mark_read(session, user.id, [w.issues[9].id], None)
    pull_list.add(session, user.id, w.long.id)
    pull_list.set_pulled(session, user.id, w.long.id, "VARIANTS", "foil, 1:25")
    wish_list.add(
        session,
        user.id,
        w.issues[2].id,
        {
            "priority": 1,
            "desired_grade": Decimal("5.0"),
            "max_price": Decimal("9.99"),
            "max_currency": "EUR",
            "notes": "+soon",
        },
    )
    wish_list.add(session, user.id, w.others[1].id, {"status": "FOUND"})
    for variant_id in (None, w.foil.id):
        wish_list.add(session, user.id, w.issues[1].id, {"variant_id": variant_id})
    rate(session, w.issues[4], user.id, 2, today=TODAY)
    lists = [
        reading_lists.create(
            session,
            who,
            OFFICIAL,
            {"name": name, "desc": "@desc", "is_private": n == 0, "list_type": "STORY"},
        )
        for n, name in enumerate(("Second half", "First half"))
    ]
    reading_lists.update(session, who, OFFICIAL, lists[0], {"previous": lists[1].id})
    held = reading_lists.lock_list(session, who, OFFICIAL, lists[0])
    chosen = [w.issues[6].id, w.issues[5].id, w.others[1].id]
    items.add_issues(held, chosen, types={chosen[1]: "TIE_IN"})
    session.commit()


def import_file(session, user, data, *, currency="USD", choices=None, rows=5000, **more):
    """Upload a file and confirm its import as it is proposed; returns the counts."""
    row = upload(session, user.id, "file", data, currency=currency, rows=rows, megabytes=10)
    proposed = decisions(row, load_page(session, row).groups)
    review = Choices(rows=choices or {}, series=proposed, **more)
    row = confirm(session, identity_of(user), OFFICIAL, row.id, review, TODAY)
    session.commit()
    return row.counted


def exported_library(session, user) -> dict:
    """Everything in an account's library, as it is exported."""
    session.expire_all()
    return library(session, user.id)
