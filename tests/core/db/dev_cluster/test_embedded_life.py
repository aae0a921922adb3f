"""The life cycle of the private PostgreSQL: sharing and stopping, also if any process is killed."""

import os
import signal
import stat
import subprocess
import time

import pytest

from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import EmbeddedError
from comicsdb.db.dev_cluster import supervisor as embedded_supervisor
from tests.core.db.dev_cluster.helpers import (
    AS_ROOT,
    PASSERS_BY,
    ROOT,
    await_gone,
    command,
    is_gone,
    kill,
    processes,
    query,
    stop,
)


def test_the_first_process_may_leave_while_a_second_stays_and_the_last_stops_the_server(
    start, start_user, cluster_folder
):
    first = start_user(cluster_folder)
    cluster = start(cluster_folder)
    before = processes(cluster)
    output, _ = first.communicate(timeout=30)  # the server keeps no pipe of the process that started it
    assert (output, first.returncode) == (b"", 0)
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert processes(cluster) == before
    assert query(cluster, "SELECT 1") == (1,)
    cluster.release()
    for pid in before:
        await_gone(pid)
    assert not (cluster.data / "postmaster.pid").exists()


def test_an_interrupt_at_the_terminal_of_one_process_leaves_the_server_to_the_others(
    start, start_user, cluster_folder
):
    first = start_user(cluster_folder, start_new_session=True)
    cluster = start(cluster_folder)
    before = processes(cluster)
    os.killpg(first.pid, signal.SIGINT)
    assert b"KeyboardInterrupt" in first.communicate(timeout=30)[1]
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert processes(cluster) == before
    assert query(cluster, "SELECT 1") == (1,)


def test_killing_the_only_user_stops_the_server_though_a_program_it_started_lives_on(
    start, start_user, cluster_folder
):
    first = start_user(cluster_folder)
    cluster = start(cluster_folder)
    _, server = processes(cluster)
    cluster.release()
    time.sleep(3 * embedded_supervisor.INTERVAL)
    assert not is_gone(server)
    first.kill()
    await_gone(server)


def test_after_everything_was_killed_a_start_finds_the_data_intact(start, start_user, cluster_folder):
    first = start_user(cluster_folder)  # it starts the server, so the server is durable
    cluster = start(cluster_folder)
    query(cluster, "CREATE TABLE issue AS SELECT 27 AS number")
    supervisor, server = processes(cluster)
    cluster.release()
    kill(first.pid, supervisor, server)
    again = start(cluster_folder)
    assert processes(again)[1] != server
    assert query(again, "SELECT number FROM issue") == (27,)


def test_a_server_whose_supervisor_was_killed_is_replaced_by_a_supervised_one(start, cluster_folder):
    cluster = start(cluster_folder)
    query(cluster, "CREATE TABLE issue AS SELECT 27 AS number")
    supervisor, server = processes(cluster)
    kill(supervisor)
    await_gone(supervisor)
    assert not is_gone(server)
    again = start(cluster_folder)
    await_gone(server)
    assert query(again, "SELECT number FROM issue") == (27,)
    _, server = processes(again)
    again.release()
    await_gone(server)


def test_a_process_gets_a_new_server_for_one_that_was_killed(start, cluster_folder):
    cluster = start(cluster_folder)
    _, server = processes(cluster)
    kill(server)
    assert start(cluster_folder) is cluster
    assert processes(cluster)[1] != server
    assert query(cluster, "SELECT 1") == (1,)


def test_a_process_id_left_behind_that_is_now_anothers_does_not_hinder_a_start(start, cluster_folder):
    cluster = start(cluster_folder)
    owner = cluster.data.stat()
    stop(cluster)
    other = subprocess.Popen(["sleep", "60"], user=owner.st_uid if AS_ROOT else None)
    try:
        (cluster.data / "postmaster.pid").write_text(f"{other.pid}\n{cluster.data}\n")
        os.chown(cluster.data / "postmaster.pid", owner.st_uid, owner.st_gid)
        assert query(start(cluster_folder), "SELECT 1") == (1,)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_those_who_come_while_others_go_are_all_served(start, cluster_folder):
    start(cluster_folder).release()
    crowd = subprocess.run(
        command(PASSERS_BY, cluster_folder), capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert (crowd.stdout.split(), crowd.stderr) == (["0"] * 3, "")


def test_a_server_in_use_by_another_process_is_not_discarded(start, start_user, cluster_folder, monkeypatch):
    start_user(cluster_folder)
    cluster = start(cluster_folder)
    monkeypatch.setattr(dev_cluster, "PATIENCE", 0.5)
    with pytest.raises(EmbeddedError, match="in use"):
        cluster.discard()
    assert cluster.data.is_dir()
    monkeypatch.undo()


def test_a_folder_under_one_closed_to_others_works_and_the_log_says_where_the_data_are(
    start, tmp_path, caplog
):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    cluster = start(closed / "postgres")
    assert query(cluster, "SELECT 1") == (1,)
    said = [record.getMessage() for record in caplog.records if record.name == "comicsdb.db.dev_cluster"]
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


SOCKETS_OF = """
import sys
from comicsdb.db import dev_cluster
for folder in sys.argv[1:]:
    print(dev_cluster.start(folder).socket)
"""


def test_a_path_that_cannot_be_a_socket_address_gets_a_short_private_one(
    start, open_folder, stopped_cluster_folder
):
    clusters = []
    for name in ("long/" + "x" * 110, "comma, blank and 'quote"):
        (open_folder / name).parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-a", stopped_cluster_folder, open_folder / name], check=True)
        clusters.append(start(open_folder / name))
    for cluster in clusters:
        assert query(cluster, "SELECT 1") == (1,)
        assert cluster.home.parent == cluster.folder
        assert len(os.fsencode(cluster.socket)) < 80
        assert stat.S_IMODE(cluster.socket.stat().st_mode) == 0o700
    elsewhere = {**os.environ, "TMPDIR": str(open_folder)}
    folders = [str(cluster.folder) for cluster in clusters]
    there = subprocess.run(
        [*command(SOCKETS_OF, folders[0]), *folders[1:]],
        capture_output=True, text=True, check=True, cwd=ROOT, env=elsewhere,
    )  # fmt: skip
    assert there.stdout.splitlines() == [str(cluster.socket) for cluster in clusters]
    for cluster in clusters:
        cluster.discard()
        assert not cluster.socket.exists()


def test_a_folder_open_to_others_is_refused(folder):
    (folder / "server").mkdir(parents=True)
    (folder / "server").chmod(0o755)
    with pytest.raises(EmbeddedError, match="closed to others"):
        dev_cluster.start(folder)
    assert list((folder / "server").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_by_name(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedError, match="file/postgres cannot be started"):
        dev_cluster.start(tmp_path / "file" / "postgres")
