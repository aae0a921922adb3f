"""Export and import preserve every column of every table.

A new table or column fails the test until it is in the format and has a value in the set of this test, or is
listed below as not exported.
"""

import pytest

from comicsdb.exchange.format import CATALOG, FILES
from comicsdb.models import metadata
from comicsdb.models.attribution import OWNERS
from tests.core.exchange.test_import_libraries import libraries
from tests.dataset import read_set
from tests.importer import Importer, temporary_importer

# Tables of one installation, not exported: accounts' secrets and mail, logs, and the site's own data.
OF_THE_INSTALLATION = {
    *("account_link", "announcement", "api_token", "change_log", "daily_count", "donation", "epoch"),
    *(
        "feed_address",
        "feed_horizon",
        "form_draft",
        "former_slug",
        "history",
        "idempotency_key",
        "import_mapping",
        "library_import",
    ),
    *("library_act", "library_change", "library_import_row"),
    *("login_session", "outgoing_mail", "passkey", "picture_draft", "picture_hash", "poll"),
    *("poll_choice", "poll_vote", "tagged_file"),
    *("gcd_import", "mirror", "received_line", "received_state"),
    *("favourite", "follow", "public_profile", "review", "review_report"),
    *("rate_limit", "recovery_code", "security_event", "signup_settings", "spent_challenge", "staff_action"),
    *(
        "late_stamps",
        "throttle_notice",
        "tombstone",
        "totp",
        "touched_object",
        "unfinished_act",
        "user_group",
    ),
    *("user_group_member", "version", "webhook", "webhook_delivery"),
}
# Columns that a set does not contain, by table; "*" stands for all tables.
LEFT = {
    # Each storage chooses the names of its pictures; previous values of stamps are internal.
    "*": "image modified_before rated_before issues_modified_before",
    # Only issues are exported with the accounts that created and edited them.
    **dict.fromkeys(
        "publisher imprint universe creator team character arc series".split(), "created_by_id edited_by_id"
    ),
    # Accounts are exported without secrets and without their owners' private data.
    "user_account": "password first_name last_name shows_name language timezone image_height image_width"
    " is_active email_confirmed last_login second_factor basic_address basic_reminded basic_used",
    "reading_list": "image_height image_width",  # banners are not exported
    "reading_list_pending": "tried_on",  # of the daily job
    "variant": "cover_hash",  # computed from the picture
    "credit_role": "issue_id creator_id",  # copied from the credit
    "external_id": "said_by_id said_on",  # the account and the time of the import
}
# Not those of the seeded rows, and not the defaults.
REFERENCE_VALUES = {
    "genres": {"desc": "Described."},
    "series_types": {"code": None, "notes": "Noted."},
    "roles": {"is_writer": True, "is_artist": True, "is_featured": True, "is_cover": True, "notes": "Noted."},
    "age_ratings": {"short_description": "Short.", "description": "Described."},
}
NOTHING = (None, "", 0, False, [])


def is_left(table: str, column: str) -> bool:
    """Whether a set leaves out a column."""
    return column in LEFT["*"].split() or column in LEFT.get(table, "").split()


def exported_tables() -> set[str]:
    """The tables that a set fills."""
    links = {field.link.table.name for file in FILES for field in file.link_fields}
    return {file.kind for file in FILES} | links


def full_set() -> dict[str, list[dict]]:
    """A set in which every field of every file has a value."""
    rows = libraries()
    for file in CATALOG:
        for number, row in enumerate(rows[file.name], 1):
            row["desc"] = row["desc"] or "Described."
            row["cv_id"], row["gcd_id"] = 1000 + number, 2000 + number
        rows["attributions"].append(
            {
                "id": 100 + len(rows["attributions"]),
                "entity": file.kind,
                "entity_id": rows[file.name][0]["id"],
                "source": "G",
                "url": f"https://example.org/{file.kind}",
            }
        )
        rows["external_ids"].append(
            {
                "id": 100 + len(rows["external_ids"]),
                "entity": file.kind,
                "entity_id": rows[file.name][0]["id"],
                "source": "wikidata",
                "external_id": "Q7",
                "scope": "",
            }
        )
    for name, values in REFERENCE_VALUES.items():
        for row in rows[name]:
            row.update(names={"it": f"{row['name']} qui"}, modified="2025-02-03T04:05:06.000007Z", **values)
    rows["series_types"][0] |= {"name": "Renamed", "code": "trade_paperback"}
    for row in rows["reading_lists"]:
        row["desc"] = row["desc"] or "Described."
    rows["issues"][0]["store_date"] = "2999-01-01"  # so that there are ratings that do not count yet
    rows["wish_lists"][0]["items"][0]["notes"] = "Any cover."
    return rows


def values_of(importer: Importer, table, column: str) -> list:
    """The values of a column, in an order that does not depend on when rows were written."""
    order = ", ".join(f'"{each.name}"' for each in table.primary_key)
    return [value for (value,) in importer.query(f'SELECT "{column}" FROM "{table.name}" ORDER BY {order}')]


@pytest.fixture(scope="module")
def full_catalog(full_database, tmp_path_factory):
    """A catalog with everything that a set can contain."""
    with full_database.copy("full_set_given", tmp_path_factory.mktemp("given")) as importer:
        yield importer


@pytest.fixture(scope="module")
def taken(full_catalog, cluster, template, tmp_path_factory):
    """A second catalog, into which the export of the first was imported."""
    folder = tmp_path_factory.mktemp("taken")
    with temporary_importer(cluster, template, "full_set_taken", folder) as importer:
        importer.run(full_catalog.export("out", accounts=True))
        yield importer


def test_every_column_is_filled_and_survives_or_is_named_here(full_catalog, taken):
    assert set(metadata.tables) - exported_tables() == OF_THE_INSTALLATION
    assert {kind for kind in OWNERS if full_catalog.one(f"SELECT count({kind}_id) FROM attribution")} == set(
        OWNERS
    )
    lost, blank = {}, set()
    for name in sorted(exported_tables()):
        table = metadata.tables[name]
        for column in table.columns:
            if is_left(name, column.name):
                continue
            before, after = (values_of(each, table, column.name) for each in (full_catalog, taken))
            if before != after:
                lost[f"{name}.{column.name}"] = (before, after)
            if all(value in NOTHING for value in before) or set(map(str, before)) == {
                str(column.default and column.default.arg)
            }:
                blank.add(f"{name}.{column.name}")
    assert lost == {}
    assert blank == set()
    for table, columns in LEFT.items():
        for column in columns.split():
            assert table == "*" or column in metadata.tables[table].columns, f"{table}.{column} is no more"


def test_the_export_of_an_import_is_the_file_again(full_catalog, taken):
    """Byte for byte, except for the names of stored pictures, and so the digests of their files."""
    first, second = full_catalog.folder / "out", taken.export("out", accounts=True)
    assert sorted(path.name for path in first.glob("*.json*")) == sorted(
        path.name for path in second.glob("*.json*")
    )
    pictured = {f"{file.name}.jsonl" for file in FILES if file.has_picture}
    for path in first.glob("*.jsonl"):
        if path.name not in pictured:
            assert path.read_bytes() == (second / path.name).read_bytes(), path.name
    one, other = read_set(first), read_set(second)
    for name, rows in one.items():
        for row, again in zip(rows, other[name], strict=True):
            if row.get("image"):
                assert (first / "images" / row.pop("image")).read_bytes() == (
                    second / "images" / again.pop("image")
                ).read_bytes()
        assert rows == other[name], name
