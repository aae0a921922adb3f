"""Fixtures for tests of the private PostgreSQL."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from comicsdb.db import dev_cluster
from comicsdb.db.dev_cluster import programs
from tests.core.db.dev_cluster.helpers import ROOT, USER, command, stop


@pytest.fixture(autouse=True)
def no_setting(monkeypatch):
    monkeypatch.delenv(programs.PG_BIN, raising=False)


@pytest.fixture(scope="module")
def open_folder():
    """A folder that every user can enter, unlike those of pytest."""
    folder = Path(tempfile.mkdtemp(prefix="embedded-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(open_folder, request):
    return open_folder / request.node.name[5:40]


@pytest.fixture(scope="module")
def stopped_cluster_folder(open_folder):
    """The folder of a cluster that was created and stopped."""
    cluster = dev_cluster.start(open_folder / "stopped", durable=False)
    stop(cluster)
    return cluster.folder


@pytest.fixture
def cluster_folder(stopped_cluster_folder, folder):
    """A folder with a cluster for this test: a copy, as creating one takes longer than most tests."""
    subprocess.run(["cp", "-a", stopped_cluster_folder, folder], check=True)
    return folder


@pytest.fixture
def start():
    """`dev_cluster.start`, by default without durability; its clusters are deleted after the test."""
    clusters = []

    def start(folder, **options):
        cluster = dev_cluster.start(folder, **{"durable": False, **options})
        clusters.append(cluster)
        return cluster

    yield start
    for cluster in clusters:
        cluster.release()
    for cluster in clusters:
        cluster.discard()


@pytest.fixture
def start_user():
    """A function that starts a process that uses a folder's server; it is killed after the test."""
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
def shared_cluster(open_folder):
    cluster = dev_cluster.start(open_folder / "shared", durable=False)
    yield cluster
    cluster.discard()


@pytest.fixture
def empty_path(monkeypatch, tmp_path):
    """A PATH on which no program is found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path
