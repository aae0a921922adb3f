"""The private PostgreSQL as a server: its socket, its user, its settings and its databases."""

import os
import stat
import threading
from pathlib import Path

import psycopg
import pytest

from comicsdb.db.dev_cluster import EmbeddedError
from tests.core.db.dev_cluster.helpers import AS_ROOT, processes, query, stop


def test_the_only_way_in_is_a_unix_socket_in_a_folder_closed_to_others(shared_cluster):
    assert query(shared_cluster, "SHOW listen_addresses") == ("",)
    assert query(shared_cluster, "SELECT inet_server_addr(), inet_client_addr()") == (None, None)
    assert stat.S_IMODE(shared_cluster.socket.stat().st_mode) == 0o700
    _, server = processes(shared_cluster)
    if Path("/proc/net/tcp").exists():
        held = {os.readlink(entry) for entry in Path(f"/proc/{server}/fd").iterdir() if entry.is_symlink()}
        tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
        lines = [
            line.split() for table in tables if table.exists() for line in table.read_text().splitlines()
        ]
        assert not held & {f"socket:[{line[9]}]" for line in lines}


def test_the_server_runs_as_an_unprivileged_user_with_no_group_of_roots(start, start_user, cluster_folder):
    start_user(cluster_folder, **({"extra_groups": [0, 4242]} if AS_ROOT else {}))
    cluster = start(cluster_folder)
    owner = cluster.data.stat()
    assert owner.st_uid != 0
    assert owner.st_uid == os.geteuid() or AS_ROOT
    for pid in processes(cluster) if Path("/proc/self").exists() else ():
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = {name: values.split() for name, _, values in (line.partition(":") for line in lines)}
        assert status["Uid"] == [str(owner.st_uid)] * 4
        assert status["Gid"] == [str(owner.st_gid)] * 4
        assert status["Groups"] == ([] if AS_ROOT else [str(group) for group in sorted(os.getgroups())])


def test_letters_beyond_ascii_are_letters_to_the_database(shared_cluster):
    shared_cluster.ensure_database("letters")
    query(shared_cluster, "CREATE EXTENSION pg_trgm", "letters")
    assert query(shared_cluster, "SHOW server_encoding") == ("UTF8",)
    assert query(
        shared_cluster, "SELECT lower('ÉLEKTRA'), cardinality(show_trgm('日本')) > 0", "letters"
    ) == (
        "élektra",
        True,
    )


def test_the_environment_of_the_caller_leads_nowhere_else(shared_cluster, monkeypatch, start, folder):
    strange = {"PGPORT": "6543", "PGHOST": "192.0.2.1", "PGUSER": "nobody", "PGDATA": "/none"}
    for name, value in {**strange, "PGCLIENTENCODING": "LATIN1"}.items():
        monkeypatch.setenv(name, value)
    assert query(shared_cluster, "SELECT current_user") == ("comicsdb",)
    cluster = start(folder)
    assert query(cluster, "SELECT current_user") == ("comicsdb",)
    monkeypatch.delenv("PGCLIENTENCODING")
    assert query(cluster, "SHOW client_encoding") == ("UTF8",)


def test_only_a_durable_server_has_the_settings_that_survive_a_crash(start, cluster_folder, shared_cluster):
    cluster = start(cluster_folder, durable=True)
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert query(cluster, f"SHOW {setting}") == ("on",)
        assert query(shared_cluster, f"SHOW {setting}") == ("off",)


def test_a_start_that_fails_tells_what_the_log_says(start, cluster_folder):
    cluster = start(cluster_folder)
    with (cluster.data / "postgresql.conf").open("a") as file:
        file.write("colour_of_ink = blue\n")
    stop(cluster)
    with pytest.raises(EmbeddedError, match='unrecognized configuration parameter "colour_of_ink"'):
        start(cluster_folder)


def test_of_many_who_ensure_a_database_at_once_one_makes_it(shared_cluster):
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(shared_cluster.ensure_database("wanted")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False, False, False, True]
    assert query(shared_cluster, "SELECT current_database()", "wanted") == ("wanted",)


def test_a_database_is_copied_with_its_rows_and_dropped_under_its_users(shared_cluster):
    shared_cluster.ensure_database("original")
    query(shared_cluster, "CREATE TABLE issue AS SELECT 27 AS number", "original")
    shared_cluster.clone_database("original", "duplicate")
    with psycopg.connect(shared_cluster.conninfo("duplicate")) as connection:
        assert connection.execute("SELECT number FROM issue").fetchone() == (27,)
        shared_cluster.drop_database("duplicate")
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    shared_cluster.drop_database("duplicate")
    assert query(shared_cluster, "SELECT count(*) FROM pg_database WHERE datname = 'duplicate'") == (0,)


def test_a_database_that_is_missing_is_not_copied(shared_cluster):
    with pytest.raises(EmbeddedError, match="nothing_here cannot be copied to duplicate"):
        shared_cluster.clone_database("nothing_here", "duplicate")


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a-b", 'a"b', "a" * 64, "élan", "a\n"])
def test_a_database_name_must_be_a_plain_identifier(shared_cluster, name):
    for method in (
        shared_cluster.url,
        shared_cluster.conninfo,
        shared_cluster.ensure_database,
        shared_cluster.drop_database,
    ):
        with pytest.raises(EmbeddedError, match="database must be"):
            method(name)
