"""Helpers for tests of the private PostgreSQL: programs that use it, and its processes."""

import os
import signal
import sys
from pathlib import Path

import psycopg

from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import programs, supervisor

ROOT = Path(dev_cluster.__file__).parents[3]
AS_ROOT = os.geteuid() == 0
WHEEL = programs.wheel_programs()

# A separate process that uses a folder's server until its standard input ends; its child lives longer.
USER = """
import subprocess, sys
from comicsdb.db import dev_cluster
cluster = dev_cluster.start(sys.argv[1])
subprocess.Popen(["sleep", "20"], close_fds=False, stdin=-3, stdout=-3, stderr=-3)
print("ready", flush=True)
sys.stdin.read()
"""
# Three processes that repeatedly start and release a cluster; forked after the imports, which take longest.
PASSERS_BY = """
import os, sys
import psycopg
from comicsdb.db import dev_cluster

def pass_by():
    for turn in range(4):
        cluster = dev_cluster.start(sys.argv[1], durable=False)
        with psycopg.connect(cluster.conninfo("postgres")) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        cluster.release()

for process in range(3):
    if not os.fork():
        pass_by()
        raise SystemExit
for process in range(3):
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def command(script, folder):
    return [sys.executable, "-W", "ignore", "-c", script, str(folder)]


def query(cluster, statement, database="postgres"):
    with psycopg.connect(cluster.conninfo(database)) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone() if cursor.description else None


def processes(cluster):
    """The process ids of the supervisor and of the server; an empty list when there is no supervisor."""
    return [int(pid) for pid in (supervisor.state(cluster.home) or "").split()]


def is_gone(pid):
    """Whether a process has ended; zombies count as ended."""
    try:
        os.kill(pid, 0)
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return True
    except FileNotFoundError:
        return Path("/proc/self").exists()


def await_gone(pid):
    assert supervisor.wait_until(lambda: is_gone(pid), 5), f"process {pid} is still alive"


def stop(cluster):
    """Release a server as its last user, and wait until it has stopped."""
    cluster.release()
    assert supervisor.wait_until(lambda: supervisor.state(cluster.home) is None, 5)


def kill(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
