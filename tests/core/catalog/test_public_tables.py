"""Public tables and columns; copying the states of all objects makes another database equal."""

import pytest
from sqlalchemy import text

from comicsdb.catalog import public_tables
from comicsdb.models import metadata
from tests.conftest import database_copy
from tests.core.exchange.test_export_columns import full_set
from tests.importer import Importer, temporary_importer


@pytest.fixture(scope="module")
def full_catalog(cluster, template, tmp_path_factory):
    """A catalog in which every field has a value."""
    for database in database_copy(cluster, template):
        importer = Importer(database, tmp_path_factory.mktemp("full"))
        importer.run(full_set())
        yield importer
        importer.close()


@pytest.fixture
def own_catalog(full_catalog, cluster, tmp_path):
    """A copy of it for a test that changes it."""
    full_catalog.engine.dispose()  # PostgreSQL copies no database that somebody is connected to
    name = full_catalog.engine.url.database
    with temporary_importer(cluster, name, "full_copy", tmp_path / "copy") as importer:
        yield importer


@pytest.fixture
def other(full_catalog, cluster, template, tmp_path):
    """A migrated database without rows of the catalog, even without reference data."""
    cluster.clone_database(template, "other")
    importer = Importer(cluster.url("other"), tmp_path / "other")
    for kind in ("age_rating", "genre", "role", "series_type"):
        importer.query(f'DELETE FROM "{kind}"')
    yield importer
    importer.close()
    cluster.drop_database("other")


def test_every_table_and_column_is_public_or_left_out_for_a_reason():
    tables = public_tables.PUBLIC_COLUMNS
    assert not tables.keys() & public_tables.PRIVATE_TABLES.keys()
    assert tables.keys() | public_tables.PRIVATE_TABLES.keys() == set(metadata.tables)
    for name, columns in tables.items():
        left = public_tables.PRIVATE_COLUMNS.get(name, {})
        computed = {each.name for each in metadata.tables[name].columns if each.computed is not None}
        assert sorted([*columns, *left, *computed]) == sorted(
            each.name for each in metadata.tables[name].columns
        )
    assert public_tables.PRIVATE_COLUMNS.keys() <= tables.keys()


def test_no_public_column_refers_to_an_account():
    for name, columns in public_tables.PUBLIC_COLUMNS.items():
        for column in columns:
            for key in metadata.tables[name].columns[column].foreign_keys:
                assert key.column.table.name in public_tables.PUBLIC_COLUMNS, f"{name}.{column}"


def _rows(importer, table: str) -> list:
    return importer.query(f"SELECT {public_tables.json_columns(table)} {public_tables.public_rows(table)}")


def _copy(given, other, chosen: dict[str, list[int]]) -> None:
    with given.engine.begin() as source, other.engine.begin() as target:
        for kind, ids in chosen.items():
            query = public_tables.states_query(kind, "unnest(CAST(:ids AS integer[]))")
            found = source.execute(text(query), {"ids": ids}).all()
            gone = [each.id for each in found if not each.state[kind]]
            public_tables.remove_objects(target, kind, ids, gone)
            public_tables.insert_objects(target, kind, [each.state for each in found])


def _all(given) -> dict[str, list[int]]:
    return {
        kind: [number for (number,) in given.query(f'SELECT id FROM "{kind}"')]
        for kind in public_tables.PUBLIC_KINDS
    }


def test_states_of_all_objects_make_the_same_database(full_catalog, other):
    _copy(full_catalog, other, _all(full_catalog))
    for table in public_tables.PUBLIC_COLUMNS:
        if table != "change_log":
            assert _rows(other, table) == _rows(full_catalog, table), table
    numbers = "SELECT kind, number FROM version WHERE number IS NOT NULL ORDER BY kind"
    assert other.query(numbers) == full_catalog.query(numbers)
    _copy(full_catalog, other, _all(full_catalog))  # a second copy changes nothing
    assert other.query(numbers) == full_catalog.query(numbers)


def test_writing_states_advances_the_versions_of_all_kinds(full_catalog, other):
    """Reference data that was never written has no version before."""
    chosen, seen = _all(full_catalog), []
    for _ in range(2):
        _copy(full_catalog, other, chosen)
        seen.append(dict(other.query("SELECT kind, value FROM version")))
    first, second = seen
    assert set(public_tables.PUBLIC_KINDS) <= set(first)
    assert [kind for kind in chosen if second[kind] <= first[kind]] == []


def test_the_state_of_an_object_that_is_gone_removes_it_with_all_that_is_its_own(own_catalog, other):
    _copy(own_catalog, other, _all(own_catalog))
    gone = own_catalog.one("SELECT issue_id FROM variant ORDER BY id LIMIT 1")
    own_catalog.query("DELETE FROM issue WHERE id = :id", id=gone)
    own_catalog.query(
        "INSERT INTO tombstone (kind, object_id, slug, label) VALUES ('issue', :id, 'was', 'Was #1')", id=gone
    )
    _copy(own_catalog, other, {"issue": [gone], "series": _all(own_catalog)["series"]})
    for table in public_tables.PUBLIC_COLUMNS:
        if table not in {"change_log", "picture_hash"}:
            assert _rows(other, table) == _rows(own_catalog, table), table
    number = "SELECT number FROM version WHERE kind = 'issue'"
    assert other.one(number) == own_catalog.one(number)
