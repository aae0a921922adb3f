"""Migrations: a single line of them, the schema that they create, SQL functions, and reference data."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from click import ClickException
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import IntegrityError

from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.public_tables import PUBLIC_KINDS
from comicsdb.cli.database import MIGRATIONS, alembic_config, is_current, upgrade
from comicsdb.models import metadata

PYPROJECT = MIGRATIONS.parent.parent / "pyproject.toml"
# Everything that a schema consists of except extensions, one line each.
SCHEMA = text("""
    SELECT concat_ws(' ', relname, relkind, relpersistence, reloptions) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attcollation,
        attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid))
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    WHERE relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace
    UNION ALL
    SELECT concat_ws(' ', tgenabled, pg_get_triggerdef(pg_trigger.oid))
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
    UNION ALL
    SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
    ORDER BY 1
""")


@pytest.fixture
def empty(cluster):
    """A database with nothing in it."""
    cluster.ensure_database("empty")
    engine = create_engine(cluster.url("empty"))
    yield engine
    engine.dispose()
    cluster.drop_database("empty")


def schema_of(engine):
    with engine.connect() as connection:
        return connection.scalars(SCHEMA).all()


def test_there_is_one_head():
    assert len(ScriptDirectory.from_config(alembic_config()).get_heads()) == 1


def test_a_new_migration_is_named_by_date_and_words_and_is_tidy(tmp_path):
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    config = alembic_config()
    config.set_main_option("script_location", str(folder))
    made = command.revision(config, "Series get a subtitle")
    assert re.fullmatch(r"\d{8}_series_get_a_subtitle_[0-9a-f]{12}", Path(made.path).stem)
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    assert (made.down_revision, made.doc) == (head, "Series get a subtitle.")
    for check in ("format --check", "check --select=I,W"):
        lint = [sys.executable, "-m", "ruff", *check.split(), f"--config={PYPROJECT}", made.path]
        assert subprocess.run(lint, check=False, capture_output=True).returncode == 0, check


def test_models_and_migrations_agree(engine):
    with engine.connect() as connection:
        command.check(alembic_config(connection))


def test_every_kind_has_the_triggers_that_count_its_objects_and_record_their_changes(engine):
    with engine.connect() as connection:
        found = set(connection.scalars(text("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")))
        counted = set(connection.scalars(text("SELECT kind FROM version WHERE number IS NOT NULL")))
    kinds = {kind.name for kind in KINDS.values() if not kind.is_reference and kind.name in PUBLIC_KINDS}
    assert counted == kinds
    for kind in kinds:
        assert {f"{kind}_counted_{event}" for event in ("insert", "delete")} <= found, kind
    for kind in PUBLIC_KINDS:
        assert {f"{kind}_touched_{event}" for event in ("insert", "update", "delete")} <= found, kind


def test_migrating_down_leaves_nothing_and_up_again_the_same(empty):
    assert not is_current(empty)
    upgrade(empty)
    assert is_current(empty)
    made = schema_of(empty)
    with empty.connect() as connection:
        command.downgrade(alembic_config(connection), "base")
    assert [line for line in schema_of(empty) if "alembic_version" not in line] == []
    upgrade(empty)
    upgrade(empty)  # a second time does nothing
    assert is_current(empty)
    assert schema_of(empty) == made


def test_the_first_rows_are_no_changes_of_the_catalog(factory):
    with factory() as connection:
        for table in ("touched_object", "change_log", "library_act"):
            assert connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0
        assert connection.execute(text("SELECT id, seq, xid FROM feed_horizon")).all() == [(1, 0, 0)]
        assert connection.scalars(text("SELECT number FROM version")).all() == [0] * 9
        assert connection.scalars(text("SELECT id FROM epoch ORDER BY id")).all() == [*range(1, 9)]


def test_a_schema_that_is_not_known_is_told(factory):
    engine = factory.kw["bind"]
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '4616d63e090d'"))
    with pytest.raises(ClickException, match="does not know the schema of the database"):
        upgrade(engine)


def test_every_constraint_has_a_name_by_the_convention(engine):
    inspector = inspect(engine)
    for table in metadata.tables:
        names = [index["name"] for index in inspector.get_indexes(table)]
        names += [rule["name"] for rule in inspector.get_unique_constraints(table)]
        names += [rule["name"] for rule in inspector.get_foreign_keys(table)]
        names += [rule["name"] for rule in inspector.get_check_constraints(table)]
        right = tuple(f"{prefix}_{table}_" for prefix in ("ix", "uq", "fk", "ck"))
        assert [name for name in names if not name.startswith(right)] == []


def test_every_foreign_key_is_indexed(engine):
    """Deleting a row must not scan the tables that refer to it."""
    inspector = inspect(engine)
    for table in metadata.tables:
        leading = {index["column_names"][0] for index in inspector.get_indexes(table)}
        leading |= {rule["column_names"][0] for rule in inspector.get_unique_constraints(table)}
        leading.add(inspector.get_pk_constraint(table)["constrained_columns"][0])
        for key in inspector.get_foreign_keys(table):
            assert key["constrained_columns"][0] in leading, (table, key["constrained_columns"])


def test_the_reference_data_have_the_ids_that_clients_know(connection):
    def rows(query):
        return connection.execute(text(query)).all()

    assert rows("SELECT id, name, code FROM series_type ORDER BY id") == [
        (5, "One-Shot", "one_shot"),
        (6, "Annual", "annual"),
        (8, "Hardcover", "hardcover"),
        (9, "Graphic Novel", "graphic_novel"),
        (10, "Trade Paperback", "trade_paperback"),
        (11, "Limited Series", "limited_series"),
        (12, "Digital Chapter", "digital_chapter"),
        (13, "Single Issue", "single_issue"),
        (15, "Omnibus", "omnibus"),
    ]
    assert [row.name for row in rows("SELECT name FROM age_rating ORDER BY id")] == [
        "Unknown",
        "Everyone",
        "Teen",
        "Teen Plus",
        "Mature",
        "Explicit",
        "Adult",
    ]
    genres = {row.name: row.id for row in rows("SELECT id, name FROM genre")}
    assert (len(genres), genres["Adult"], genres["Western"], genres["Mystery"]) == (19, 1, 12, 16)
    roles = rows('SELECT name, "order" FROM role ORDER BY "order"')
    assert (len(roles), roles[0], roles[-1]) == (42, ("Writer", 10), ("Other", 420))
    assert [row.name for row in rows("SELECT name FROM role WHERE is_writer ORDER BY id")] == [
        "Writer",
        "Script",
        "Story",
        "Plot",
    ]
    assert rows("SELECT id, username, is_active FROM user_account") == [(1, "system", True)]
    assert {row.name for row in rows("SELECT name FROM user_group")} == {"editor", "reading list editor"}
    assert len(rows("SELECT kind FROM version WHERE value = 1")) == 9


def test_new_reference_rows_get_ids_after_the_seeded_ones(factory):
    with factory() as session:  # in a separate database: sequences are not rolled back
        assert session.scalar(text("INSERT INTO genre (name) VALUES ('Opera') RETURNING id")) == 20


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Élektra", "elektra"),
        ("E\u0301lektra", "élektra"),  # with a combining accent
        ("ŁÓDŹ", "lodz"),
        ("Straße", "strasse"),
        ("Œuvre", "oeuvre"),
        ("Città", "CITTA"),
        ("ЖЫ", "жы"),
    ],
)
def test_folding_hides_case_and_accents(connection, one, other):
    assert connection.scalar(text("SELECT fold(:one) = fold(:other)"), {"one": one, "other": other})


@pytest.mark.parametrize("wild", ["100%", "a_b", "back\\slash", "％"])
def test_wildcards_in_a_search_are_ordinary_characters(connection, wild):
    found = text("SELECT fold(:given) LIKE fold_pattern(:given), fold('xyz') LIKE fold_pattern(:given)")
    assert connection.execute(found, {"given": wild}).one() == (True, False)


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        ("2026-03-04 15:15:30.204518+01", "2026-03-04T14:15:30.204518Z"),
        ("2026-03-04 14:15:30+00", "2026-03-04T14:15:30Z"),
        ("2026-03-04 14:15:30.2+00", "2026-03-04T14:15:30.200000Z"),
    ],
)
def test_instants_are_written_as_the_api_wants_them(connection, moment, written):
    found = connection.scalar(text("SELECT iso_instant(CAST(:moment AS timestamptz))"), {"moment": moment})
    assert found == written


def test_upgrade_numbers_in_several_spellings_stay(empty):
    with empty.connect() as connection:
        command.upgrade(alembic_config(connection), "b61d0a7e3f52")
        connection.exec_driver_sql("""
            INSERT INTO publisher (id, slug, name) VALUES (1, 'p', 'P');
            INSERT INTO series (id, slug, name, sort_name, volume, year_began, series_type_id, publisher_id)
            SELECT 1, 's', 'S', 'S', 1, 2000, min(id), 1 FROM series_type;
            INSERT INTO issue (series_id, slug, number, cover_date)
            SELECT 1, 'i' || n, number, '2000-01-01'
            FROM unnest('{01,1,#1,10,2,1.0}'::text[]) WITH ORDINALITY AS printed (number, n)""")
        connection.commit()
        command.upgrade(alembic_config(connection), "head")
        rows = text("SELECT number, number_key FROM issue ORDER BY series_order, id")
        assert [tuple(row) for row in connection.execute(rows)] == [
            ("01", "#01"),
            ("1", "1"),
            ("#1", "##1"),
            ("1.0", "#1.0"),
            ("2", "2"),
            ("10", "10"),
        ]
        add = text(
            "INSERT INTO issue (series_id, slug, number, cover_date) VALUES (1, 'i9', '001', '2000-01-01')"
        )
        with pytest.raises(IntegrityError, match="uq_issue_series_id_number_key"):
            connection.execute(add)


def test_upgrade_a_small_import_under_review_has_its_rows_in_the_table(empty):
    with empty.connect() as connection:
        command.upgrade(alembic_config(connection), "a83f16d0c5e2")
        connection.exec_driver_sql("""
            INSERT INTO library_import (id, user_id, payload)
            SELECT 1, min(id), '{"name": "mine.csv", "lists": [],
                "rows": [
                    {"part": "collection", "line": 2, "says": "Salt (1999) #1", "list": null, "unclear": [],
                     "wanted": {"series": "Salt", "year": 1999}, "values": {"grade": "9.8"},
                     "match": {"state": "ambiguous", "id": null, "candidates": [7, 8], "reason": "several"}},
                    {"part": "reading_list_items", "line": 1, "says": "?", "list": 0, "unclear": [["a", "b"]],
                     "wanted": {"series": "", "year": null}, "values": {},
                     "match": {"state": "matched", "id": 7, "candidates": [7], "reason": ""}}
                ]}' FROM user_account""")
        connection.commit()
        command.upgrade(alembic_config(connection), "head")
        rows = text(
            "SELECT index, part, line, list_index, series, says, values, unclear, state, match_id,"
            " candidates, reason, stored FROM library_import_row ORDER BY index"
        )
        ambiguous = (
            "Salt (1999)",
            "Salt (1999) #1",
            {"grade": "9.8"},
            [],
            "ambiguous",
            None,
            [7, 8],
            "several",
        )
        matched = ("?", "?", {}, [["a", "b"]], "matched", 7, [7], "")
        assert [tuple(row) for row in connection.execute(rows)] == [
            (0, "collection", 2, None, *ambiguous, False),
            (1, "reading_list_items", 1, 0, *matched, False),
        ]
        stored = connection.execute(text("SELECT total, payload, state FROM library_import")).one()
        assert tuple(stored) == (2, {"name": "mine.csv", "lists": []}, "review")
