"""Site and API behind a PgBouncer that lends connections for single transactions (transaction pooling)."""

import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from tests.faults.load import Load
from tests.faults.postgresql import PostgreSQL
from tests.needs import program
from tests.serving import fetch, free_port, serving
from tests.site.test_production import production
from tests.waiting import wait_until

INI = """
[databases]
comicsdb = host=127.0.0.1 port={postgresql} user=comicsdb
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 100
server_reset_query =
"""


@pytest.fixture
def pooled():
    """The addresses of a database through PgBouncer, which has only three connections, and without it."""
    postgresql, port = PostgreSQL(), free_port()
    postgresql.start()
    direct = postgresql.make()
    folder = Path(tempfile.mkdtemp(prefix="pgbouncer-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "pgbouncer.ini").write_text(INI.format(postgresql=postgresql.port, port=port))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program("pgbouncer"), "-u", "nobody", folder / "pgbouncer.ini"],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    url = postgresql.url(port=port)
    wait_until(lambda: answers(url))
    yield url, direct
    process.terminate()
    process.wait()
    postgresql.remove()
    shutil.rmtree(folder)


def answers(url: str) -> bool:
    """Whether a server accepts connections."""
    try:
        psycopg.connect(url.replace("+psycopg", "")).close()
    except psycopg.OperationalError:
        return False
    return True


def test_nothing_is_kept_in_a_connection(pooled, tmp_path):
    url, direct = pooled
    port = free_port()
    ini, environment = production(tmp_path, url, port)
    with serving(ini, port, **environment, COMICSDB_DATABASE_POOLED="true"):
        load = Load([f"http://127.0.0.1:{port}"], direct)
        pages: Counter[int] = Counter()
        with load.running():
            for _ in range(30):  # the same reads repeatedly, on any connection
                for path in ("/", "/publisher/", "/series/", "/character/"):
                    pages[fetch(f"http://127.0.0.1:{port}{path}")[0]] += 1
            load.progress(30)
        load.check()
    assert {status for _, status in load.statuses} == {200, 201}
    assert set(pages) == {200}
    log = ini.with_suffix(".log").read_text()
    assert "prepared statement" not in log
    assert "Traceback" not in log
