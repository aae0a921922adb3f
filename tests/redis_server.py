"""A real Redis for single tests, which can be killed, frozen, and restarted at the same address."""

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.needs import redis_server
from tests.serving import free_port


class RedisServer:
    """A Redis on a port and a Unix socket, without persistence."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="redis-"))  # short: socket paths must not be long
        self.port = free_port()
        # A busy machine may keep a healthy server waiting for longer than the application would.
        self.url = f"redis://127.0.0.1:{self.port}/0?socket_timeout=30"
        self.socket_url = f"unix://{self.folder}/socket?socket_timeout=30"
        self.client = Redis(port=self.port, socket_timeout=30)
        self.process = None

    def start(self, *options: str) -> None:
        """Start it and wait until it responds; `options` are passed on the command line."""
        fixed = ["--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", f"{self.folder}/socket"]
        fixed += ["--save", "", "--appendonly", "no", "--dir", str(self.folder), "--logfile", "log"]
        self.process = subprocess.Popen([redis_server(), *fixed, *options])
        until = time.monotonic() + 30
        while True:
            try:
                self.client.ping()
            except RedisError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise AssertionError((self.folder / "log").read_text()) from None
                time.sleep(0.01)
            else:
                return

    def kill(self) -> None:
        """Kill it at once (kill -9)."""
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        """Make it accept connections but send no responses."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it continue."""
        self.process.send_signal(signal.SIGCONT)

    def remove(self) -> None:
        """Kill it, and remove its folder."""
        self.client.close()
        self.kill()
        shutil.rmtree(self.folder)
