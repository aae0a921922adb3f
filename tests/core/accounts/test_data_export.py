"""Export of an account's data: everything of the account and nothing of others, as JSON and as CSV tables."""

import csv
import io
import json
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

import pyotp
import pytest

from comicsdb import accounts
from comicsdb.accounts import feed_addresses
from comicsdb.community import follows, profiles
from comicsdb.library import collection, pull_list, wish_list
from comicsdb.library import reading_lists as lists
from comicsdb.library.ratings import rate
from comicsdb.library.reading_lists import likes, ratings
from comicsdb.library.transfer.mappings import remember_mapping
from tests.lists import OFFICIAL, identity_of, make_list
from tests.passkey_device import Device

TODAY = date(2026, 11, 21)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SERIES = '=HYPERLINK("http://evil.example")'


def keep(session, user, issue):
    """Add an issue or series to everything a reader keeps, and a feed address, named after the reader."""
    name = f"Of {user.username}"
    values = {"notes": name, "tags": ["signed", "=1+1"], "grade": Decimal("9.8"), "read_dates": [NOON]}
    collection.add(session, user.id, issue.id, values)
    pull_list.add(session, user.id, issue.series_id)
    pull_list.set_pulled(session, user.id, issue.series_id, "VARIANTS", "foil")
    wish_list.add(session, user.id, issue.id, {"notes": name})
    make_list(session, user, [issue], name=name)
    feed_addresses.make_address(session, user.id, name, accounts.new_form_key())
    remember_mapping(session, user.id, ["column"], {name: "notes"})
    session.commit()


@pytest.fixture
def held(context, session, ann, make):
    """An account with data, beside another account with the same kinds of data."""
    series = make.series(name=SERIES)
    issue = make.issue(series=series)
    for user in (ann, make.user("bob", bio="Bob's")):
        accounts.begin_session(context, user)
        accounts.generate_token(context, user.id, f"Of {user.username}", accounts.new_form_key())
        new = accounts.new_totp(context.settings, user)
        accounts.add_totp(context, user, new, pyotp.TOTP(new.secret).now())
        options = accounts.registration_options(context, user, "token")
        accounts.add_passkey(context, user, Device().make(options), f"Of {user.username}", "token")
        accounts.make_recovery_codes(context, user)
        rate(session, issue, user.id, 4, today=TODAY)
        keep(session, user, issue)
    ann.bio = "Two\nlines, and “quotes”"
    session.commit()
    return ann


def test_it_holds_all_tables_and_no_secrets(session, held):
    found = accounts.account_data(session, held.id)
    kept = "collection read_dates pull_list wish_list reading_lists reading_list_items reading_list_pending"
    kept += (
        " reading_list_ratings reading_list_likes import_mappings feed_addresses public_profile favourites"
    )
    kept += " reviews review_reports follows drafts"
    keys = "passkeys authenticator_apps recovery_codes"
    hooks = "webhooks webhook_deliveries"
    kept = f"{kept} comic_files contributions"
    tables = f"account groups sessions security_events {keys} tokens ratings {hooks} {kept}"
    assert list(found) == [*tables.split(), "donations", "throttle_notices", "poll_votes", "staff_actions"]
    (account,) = found["account"]
    assert (account["username"], account["email"]) == ("Ann", "Ann@example.org")
    assert [set(row) for row in found["passkeys"]] == [{"name", "created", "last_used"}]
    assert [set(row) for row in found["authenticator_apps"]] == [{"created"}]
    assert [set(row) for row in found["recovery_codes"]] == [{"created", "used"}] * 10
    assert found["groups"] == [{"name": "editor"}]
    assert [(row["name"], len(row["begins_with"])) for row in found["tokens"]] == [("Of Ann", 8)]
    assert [(row["number"], row["rating"]) for row in found["ratings"]] == [("1", 4)]
    assert [row["address"] for row in found["sessions"]] == ["192.0.2.7"]
    assert [(row["rating"], row["grade"], row["notes"]) for row in found["collection"]] == [
        (4, Decimal("9.8"), "Of Ann")
    ]
    assert [row["read_on"] for row in found["read_dates"]] == [NOON]
    assert [(row["series"], row["pulled"], row["variant_words"]) for row in found["pull_list"]] == [
        (SERIES, "VARIANTS", "foil")
    ]
    assert [row["series"] for row in found["wish_list"]] == [SERIES]
    assert [row["name"] for row in found["reading_lists"]] == ["Of Ann"]
    assert [row["number"] for row in found["reading_list_items"]] == ["1"]
    assert [row["mapping"] for row in found["import_mappings"]] == [{"Of Ann": "notes"}]
    assert [row["name"] for row in found["feed_addresses"]] == ["Of Ann"]
    text = str(found)
    assert "argon2" not in text
    assert "digest" not in text
    assert "Of bob" not in text


def test_as_json(session, held):
    found = json.loads(accounts.account_data_json(session, held.id))
    assert found["account"][0]["bio"] == "Two\nlines, and “quotes”"
    assert found["sessions"][0]["begun"].endswith("Z")


def test_as_tables_that_no_spreadsheet_calculates(session, held):
    archive = zipfile.ZipFile(io.BytesIO(accounts.account_data_csv(session, held.id)))
    assert archive.namelist() == [f"{name}.csv" for name in accounts.account_data(session, held.id)]

    def table(name):
        return list(csv.DictReader(io.StringIO(archive.read(f"{name}.csv").decode(), newline="")))

    assert table("account")[0]["bio"] == "Two\nlines, and “quotes”"
    assert table("ratings")[0]["series"] == '\'=HYPERLINK("http://evil.example")'
    assert table("ratings")[0]["rating"] == "4"
    assert table("collection")[0]["tags"] == '["signed","=1+1"]'
    made = next(row for row in table("security_events") if row["kind"] == "token_made")
    assert json.loads(made["details"]) == {"name": "Of Ann"}
    assert table("donations") == []
    assert archive.read("donations.csv") == b"transaction_id,email,amount,donated_at,frequency\r\n"


def test_stars_and_likes_of_a_list_that_is_private_now_do_not_name_it(session, held, make):
    owner = make.user()
    public, hidden = (make_list(session, owner, name=name) for name in ("Public", "Hidden"))
    for each in (public, hidden):
        ratings.rate(session, identity_of(held), OFFICIAL, each, 5)
        likes.like(session, identity_of(held), OFFICIAL, each, liked=True)
    lists.update(session, identity_of(owner), OFFICIAL, hidden, {"is_private": True})
    found = accounts.account_data(session, held.id)
    stars = [(row["reading_list"], row["rating"]) for row in found["reading_list_ratings"]]
    assert stars == [("Public", 5), (None, 5)]
    assert [row["reading_list"] for row in found["reading_list_likes"]] == ["Public", None]


def test_followed_readers_are_named_while_their_profile_is_public_and_blocked_ones_always(
    session, held, make
):
    public, hidden, follower = make.user("Public"), make.user("Hidden"), make.user("Pest")
    for each in (public, hidden, held):
        profiles.save_settings(session, each.id, public=True, parts=())
    for each in (public, hidden):
        follows.follow(session, held.id, each)
    follows.follow(session, follower.id, held)
    follows.block(session, held.id, follower.id)
    profiles.save_settings(session, hidden.id, public=False, parts=())
    found = accounts.account_data(session, held.id)["follows"]
    assert [(row["username"], row["blocked"]) for row in found] == [
        ("Public", False),
        (None, False),
        ("Pest", True),
    ]
