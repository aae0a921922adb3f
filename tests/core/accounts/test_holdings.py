"""Holdings: everything an account holds and nothing of others, as JSON and as tables."""

import csv
import io
import json
import zipfile
from datetime import date

import pytest

from comicsdb import accounts
from comicsdb.library.ratings import rate


@pytest.fixture
def held(visit, session, ann, make):
    """An account that holds something, beside one that holds as much."""
    series = make.series(name='=HYPERLINK("http://evil.example")')
    issue = make.issue(series=series)
    for user in (ann, make.user("bob", bio="Bob's")):
        accounts.begin_session(visit, user)
        accounts.generate_token(visit, user.id, f"Of {user.username}", accounts.new_form_key())
        rate(session, issue, user.id, 4, today=date(2026, 11, 21))
    ann.bio = "Two\nlines, and “quotes”"
    session.commit()
    return ann


def test_it_holds_all_tables_and_no_secrets(session, held):
    found = accounts.holdings(session, held.id)
    tables = "account groups sessions tokens ratings contributions donations throttle_notices staff_actions"
    assert list(found) == tables.split()
    (account,) = found["account"]
    assert (account["username"], account["email"]) == ("Ann", "Ann@example.org")
    assert found["groups"] == [{"name": "editor"}]
    assert [(row["name"], len(row["begins_with"])) for row in found["tokens"]] == [("Of Ann", 8)]
    assert [(row["number"], row["rating"]) for row in found["ratings"]] == [("1", 4)]
    assert [row["address"] for row in found["sessions"]] == ["192.0.2.7"]
    text = str(found)
    assert "argon2" not in text
    assert "digest" not in text
    assert "Of bob" not in text


def test_as_json(session, held):
    found = json.loads(accounts.holdings_json(session, held.id))
    assert found["account"][0]["bio"] == "Two\nlines, and “quotes”"
    assert found["sessions"][0]["begun"].endswith("Z")


def test_as_tables_that_no_spreadsheet_calculates(session, held):
    archive = zipfile.ZipFile(io.BytesIO(accounts.holdings_csv(session, held.id)))
    assert archive.namelist() == [f"{name}.csv" for name in accounts.holdings(session, held.id)]

    def table(name):
        return list(csv.DictReader(io.StringIO(archive.read(f"{name}.csv").decode(), newline="")))

    assert table("account")[0]["bio"] == "Two\nlines, and “quotes”"
    assert table("ratings")[0]["series"] == '\'=HYPERLINK("http://evil.example")'
    assert table("ratings")[0]["rating"] == "4"
    assert table("donations") == []
    assert archive.read("donations.csv") == b"transaction_id,email,amount,donated_at,frequency\r\n"
