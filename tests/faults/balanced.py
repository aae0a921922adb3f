"""A site of several processes behind nginx, as in deploy/nginx.conf, which are killed and restarted."""

import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.nginx import nginx
from tests.serving import clean_environment, fetch, free_port
from tests.site.test_production import production, workers
from tests.waiting import wait_until

HOST = "comics.example.org"
RESTART = 2  # seconds; RestartSec of deploy/systemd/comicsdb.service


class Node:
    """A production server on a port of its own, restarted when it ends, as by systemd."""

    def __init__(self, folder: Path, url: str, count: int, **more: str):
        folder.mkdir()
        self.port, self.count = free_port(), count
        self.ini, environment = production(folder, url, self.port, workers=str(count))
        self.environment = clean_environment(**environment | more)
        self.log = folder / "log"
        self.process = None
        self.stopped = False

    def start(self) -> None:
        """Start it, and keep restarting it until `stop`."""
        self.keeper = threading.Thread(target=self._keep)
        self.keeper.start()
        wait_until(self.answers)

    def _keep(self) -> None:
        while not self.stopped:
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "pyramid.scripts.pserve", "-q", str(self.ini)],
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                )
            self.process.wait()
            if not self.stopped:
                time.sleep(RESTART)

    def answers(self) -> bool:
        """Whether it responds to a health check."""
        with suppress(OSError):
            return fetch(f"http://127.0.0.1:{self.port}/health/")[0] == 200
        return False

    def workers(self) -> list[int]:
        """The process ids of its workers that are listening."""
        found = []
        with suppress(psutil.NoSuchProcess):
            for pid in workers(self.process):
                with suppress(psutil.NoSuchProcess):
                    open_ones = psutil.Process(pid).net_connections("tcp")
                    if any(each.laddr.port == self.port and each.status == "LISTEN" for each in open_ones):
                        found.append(pid)
        return sorted(found)

    def stop(self) -> None:
        """Stop it for good, as systemd does."""
        self.stopped = True
        self.process.terminate()
        self.keeper.join()


@contextmanager
def balancer(folder: Path, nodes: list[Node]):
    """nginx in front of nodes whose pictures are in a bucket: its HTTPS port and access log."""
    with nginx(folder, [node.port for node in nodes], files=False) as proxy:
        yield proxy.https, proxy.log


class Killer:
    """Sends SIGKILL to one process every few seconds: to a worker, or each fifth time to a whole server.

    The last one that is listening is spared, as starting the next one takes long on a busy machine.
    """

    def __init__(self, nodes: list[Node], every: float):
        self.nodes, self.every = nodes, every
        self.killed: list[str] = []
        self.spared = 0
        self.chance = random.Random("killer")

    def run(self, seconds: float, over) -> None:
        """Kill for this many seconds, or until `over()`."""
        until = time.monotonic() + seconds
        while time.monotonic() + self.every < until and not over():
            time.sleep(self.every)
            there = {node: node.workers() for node in self.nodes}
            whole = len(self.killed) % 5 == 4
            victims = [
                (node, pid)
                for node, pids in there.items()
                for pid in pids
                if sum(map(len, there.values())) > (len(pids) if whole else 1)
            ]
            if not victims:
                self.spared += 1
                continue
            node, pid = self.chance.choice(victims)
            if whole:
                self._kill(node.process.pid, f"server of {node.count}")
            else:
                self._kill(pid, f"worker of {node.count}")

    def _kill(self, pid: int, what: str) -> None:
        psutil.Process(pid).send_signal(signal.SIGKILL)
        self.killed.append(what)
