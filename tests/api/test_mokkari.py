"""The published client of the Metron API, mokkari, unmodified, reads every resource served (api.md 4)."""

import socket
from datetime import date
from decimal import Decimal

import mokkari
import pytest
from mokkari.exceptions import ApiError
from sqlalchemy import create_engine, insert

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.models import ApiToken, Arc
from comicsdb.passwords import digest
from tests.api.test_statements import world
from tests.factories import Make
from tests.serving import pserve, write_ini

PORT = 8000  # mokkari's development mode knows no other address
TOKEN = "cdb_" + "0f" * 32
MANY = 120  # arcs in all: two pages


def be_free(port: int) -> None:
    """Fail, saying what to do, if somebody else serves there."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            pytest.fail(f"Port {port} is in use: stop what listens there, mokkari can talk to no other.")


@pytest.fixture
def made(database):
    """A catalogue with something of everything, a token to read it, and the objects by kind."""
    engine = create_engine(database)
    with session_factory(engine)() as session:
        make = Make(Catalog(session))
        reader = make.user("reader")
        session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=reader.id))
        ids = world(make, 3)
        plenty = make.issue(
            series=make.series(name="Été", imprint=None, series_type=12),
            number="½",
            price=Decimal("3.9"),
            store_date=date(2020, 4, 1),
            foc_date=date(2020, 3, 1),
            image="issue/2026/02/11/a.jpg",
            reprints=[ids["issue"]],
        )
        more = range(MANY - 3)
        session.execute(insert(Arc), [{"name": f"Arc {each}", "slug": f"more-{each}"} for each in more])
        session.commit()
        ids["plenty"] = plenty.id
    engine.dispose()
    return ids


@pytest.fixture
def client(made, database, tmp_path):
    """mokkari, in its development mode."""
    be_free(PORT)
    ini = write_ini(tmp_path, database, includes="comicsdb_api", port=PORT)
    with pserve(ini, PORT):
        client = mokkari.api(TOKEN, dev_mode=True)
        yield client
        client.close()


def test_mokkari_reads_everything(client, made):
    for kind in ("arc", "character", "creator", "imprint", "publisher", "team", "universe"):
        listed = getattr(client, f"{kind}s_list")()
        detail = getattr(client, kind)(made[kind])
        (row,) = [each for each in listed if each.id == made[kind]]
        assert (row.name, row.modified) == (detail.name, detail.modified)
        assert detail.desc == ""
        assert detail.image is None
        assert str(detail.resource_url).startswith(f"http://127.0.0.1:{PORT}/{kind}/")
    assert len(client.arcs_list()) == MANY
    assert len({arc.id for arc in client.arcs_list()}) == MANY

    series = client.series(made["series"])
    assert (series.status, series.series_type.name, series.issue_count) == ("Ongoing", "Single Issue", 4)
    assert len(series.associated) == 3
    assert len(series.genres) == 12
    assert series.imprint.id == made["imprint"]
    (row,) = [each for each in client.series_list() if each.id == series.id]
    assert (row.publisher.id, row.series_type.id, row.issue_count) == (made["publisher"], 13, 4)

    issue = client.issue(made["issue"])
    assert [len(credit.role) for credit in issue.credits] == [3, 3, 3]
    assert [len(each) for each in (issue.arcs, issue.universes, issue.variants)] == [3, 3, 3]
    assert [len(each) for each in (issue.characters, issue.teams, issue.reprints)] == [4, 4, 4]
    assert {each.source for each in issue.attribution} == {"Wikipedia"}
    assert (issue.price, issue.price_currency, issue.rating.name) == (None, "", "Unknown")

    plenty = client.issue(made["plenty"])
    assert (plenty.number, plenty.price, plenty.price_currency) == ("½", Decimal("3.90"), "USD")
    assert (plenty.cover_date, plenty.foc_date) == (date(2020, 5, 1), date(2020, 3, 1))
    assert str(plenty.image) == f"http://127.0.0.1:{PORT}/media/issue/2026/02/11/a.jpg"
    assert [each.id for each in plenty.reprints] == [made["issue"]]

    rows = client.issues_list()
    assert len(rows) == 5
    (row,) = [each for each in rows if each.id == plenty.id]
    assert row.issue_name == "Été (2020) Digital Chapter #½"
    assert row.modified == plenty.modified
    for kind in ("arc", "character", "series", "team"):
        listed = getattr(client, f"{kind}_issues_list")(made[kind])
        assert {each.id for each in listed} == {each.id for each in rows} - {plenty.id}

    assert len(client.role_list()) == 42
    assert client.series_type_list()[0].name == "Annual"
    with pytest.raises(ApiError, match="No Issue matches the given query"):
        client.issue(999_999)
