"""Every page, feed, export, tag file and API response with each column that may be empty empty in all rows.

The columns come from the metadata of the tables. An address is requested again for a column if one of its
statements names the column, and if any row has a value in it.
"""

import base64
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import chain

import pytest
from sqlalchemy import Column, func, null, select, update
from sqlalchemy.exc import IntegrityError

from comicsdb import models
from comicsdb.community import reviews
from comicsdb.exchange.exporting import export_rows
from comicsdb.library import collection, wish_list
from comicsdb.models import CATALOG, metadata
from tests.conftest import record_statements
from tests.soak import SOAK
from tests.web.addresses import addresses_of, keep_library, publish
from tests.web.conftest import PASSWORD, start_session

NOW = datetime.now(UTC)
NORA = {"Authorization": "Basic " + base64.b64encode(f"Nora:{PASSWORD}".encode()).decode()}
ENDING_SESSION = ("/accounts/logout", "/accounts/signup")
EXPORT = "an export"
SUFFIXED = ("/api/issue/{}.comicinfo", "/api/issue/{}.metroninfo", "/api/reading_list/{}.cbl")


@pytest.fixture
def library(testapp, session, world, member, make):
    """Nora's library, and rows in all tables with a nullable column; Nora is logged in, as a superuser."""
    start_session(testapp, member)
    member.is_staff = member.is_superuser = True
    member.supporter_until = member.last_login = member.basic_reminded = NOW
    member.basic_used = NOW.date()
    library = keep_library(session, member, world)
    publish(session, member)
    bob = make.user("Bob")
    review = reviews.write(session, bob.id, world.first.id, "Good.", spoils=True)
    library.review_id = review.id
    variant = session.scalar(select(models.Variant.id))
    values = {"purchase_price": 3, "grade": 9, "purchase_date": NOW.date(), "rating": 4}
    item, _is_new = collection.add(session, member.id, world.first.id, values)
    item.variant_id = variant
    wish, _is_new = wish_list.add(session, member.id, world.first.id, {"desired_grade": 9, "max_price": 3})
    wish.variant_id = variant
    library.list.previous_id, library.list.forked_from_id = library.secret.id, library.secret.id
    make.catalog.delete(make.arc())
    make.catalog.update(
        world.first, {"external_ids": [{"source": "metron", "external_id": "7", "scope": ""}]}
    )
    for entity in (world.publisher, world.universe, world.creator, world.character, world.team, world.arc):
        entity.image, entity.image_width, entity.image_height = "none.png", 20, 30
    owned = {"user_id": member.id}
    mail = {"kind": "x", "recipient": "a@example.org", "message": b"", "give_up": NOW, "sent": NOW}
    session.add_all(
        [
            models.Announcement(id=1, title="Hello", start_date=NOW.date(), end_date=NOW.date()),
            models.ApiToken(digest="d" * 64, token_key="aaaa1111", expiry=NOW, last_used=NOW, **owned),
            models.Donation(transaction_id="1", amount=1, donated_at=NOW, **owned),
            models.OutgoingMail(**mail, **owned),
            models.Passkey(credential_id=b"1", public_key=b"1", sign_count=0, last_used=NOW, **owned),
            models.RecoveryCode(digest="d" * 64, used=NOW, **owned),
            models.ReviewReport(review_id=review.id, reason="Rude.", settled=NOW, **owned),
            *(
                models.StaffAction(actor_id=bob.id, action="change", kind=kind, target_id=target)
                for kind, target in (("publisher", world.publisher.id), ("user", member.id))
            ),
        ]
    )
    session.commit()
    return library


def api_addresses(wsgi, world, library) -> list[str]:
    """The lists and details of the API, with everything below them."""
    ids = {model.__tablename__: getattr(world, model.__tablename__, world.first).id for model in CATALOG}
    ids |= {"collection": library.item.id, "reading_list": library.list.id, "variant": 1}
    ids |= {"pull_list": library.pull.pull_list_id, "wish_list": library.wish.wish_list_id}
    patterns = [route.pattern for route in wsgi.routes_mapper.get_routes() if route.name.startswith("api.")]
    addresses = ["/api/search/?q=lamp", "/api/crosswalk/?source=comicvine&id=21"]
    for pattern in patterns:
        kind = pattern.split("/")[2] if pattern.count("/") > 2 else ""
        if "{" not in pattern:
            addresses.append(pattern)
        elif kind in ids:
            addresses.append(
                pattern.replace("{id}", str(ids[kind])).replace("{series_id}", str(ids["series"]))
            )
    addresses += [each.format(ids[each.split("/")[2]]) for each in SUFFIXED]
    return addresses


def nullable_columns() -> list[Column]:
    """All columns that may be empty, by table."""
    columns = [column for table in metadata.sorted_tables for column in table.columns]
    return [column for column in columns if column.nullable and column.computed is None]


def rounds() -> list[list[Column]]:
    """The columns to empty together: with COMICSDB_SOAK, each alone.

    Otherwise, each link is emptied alone, as its object is no longer shown then, and the remaining columns in
    two rounds, neither of which has neighbors, such as birth and death or width and height.
    """
    columns = nullable_columns()
    links = [column for column in columns if SOAK or column.foreign_keys]
    values = [column for column in columns if column not in set(links)]
    return [[column] for column in links] + [values[::2], values[1::2]]


def empty(connection, column: Column) -> bool:
    """Empty a column in all rows; returns whether there was anything to empty."""
    try:
        with connection.begin_nested():
            filled = update(column.table).where(column.is_not(None))
            return connection.execute(filled.values({column: null()})).rowcount > 0
    except IntegrityError:  # a constraint needs the value
        return False


def names_column(statement: str, column: Column) -> bool:
    """Whether a statement names a column, perhaps by an alias of its table."""
    if not re.search(rf"\b{column.table.name}\b", statement):
        return False
    tables = {match[1] for match in re.finditer(rf"\b(\w+?)(?:_\d+)?\.{column.name}\b", statement)}
    return column.table.name in tables or bool(tables - metadata.tables.keys())


def test_every_address_with_a_column_empty_in_all_rows_is_rendered(
    wsgi, testapp, session, connection, world, library, tmp_path
):
    def request(address: str) -> None:
        if address == EXPORT:
            export_rows(connection.connection.driver_connection, tmp_path)
            return
        response = testapp.get(address, headers=NORA if "/api/" in address else {}, expect_errors=True)
        assert response.status_int < 500, response.status

    pages = addresses_of(wsgi, session, world, library, library.list)
    statements = {}
    for address in (*pages, *api_addresses(wsgi, world, library), EXPORT):
        if not address.startswith(ENDING_SESSION):
            with record_statements(connection) as sent:
                request(address)
            statements[address] = set(sent)
    frequency = Counter(chain.from_iterable(statements.values()))
    everywhere = {statement for statement, number in frequency.items() if number > len(statements) / 2}
    failures, read = [], set()
    for columns in rounds():
        named = {
            column: [
                address
                for address, sent in statements.items()
                if any(names_column(statement, column) for statement in sent - everywhere)
            ]
            for column in columns
        }
        read |= {column.table.name for column, addresses in named.items() if addresses}
        savepoint = connection.begin_nested()
        emptied = [column for column in columns if empty(connection, column)]
        for address in dict.fromkeys(chain.from_iterable(named[column] for column in emptied)):
            wsgi.registry["comicsdb.cache"].clear()
            wsgi.registry["comicsdb.validator_cache"].clear()
            try:
                request(address)
            except Exception as error:
                culprits = [str(column) for column in emptied if address in named[column]]
                failures.append((address, culprits, error))
        savepoint.rollback()
    assert failures == []
    rows = {table: session.scalar(select(func.count()).select_from(metadata.tables[table])) for table in read}
    assert not [table for table, number in rows.items() if not number]
