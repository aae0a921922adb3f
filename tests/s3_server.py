"""A real S3 server, over HTTP and in a separate process."""

import itertools
import subprocess
import sys
import urllib.request
from copy import copy
from functools import cached_property

import boto3

from comicsdb.media.s3 import S3Storage
from tests.serving import clean_environment, free_port
from tests.waiting import wait_until

KEYS = {"access_key": "test", "secret_key": "test-secret"}
_numbers = itertools.count(1)


class S3Server:
    """A server on its own port, which loses its content when it is restarted."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self) -> None:
        """Start it and wait until it responds."""
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None
        try:
            urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
        except OSError:
            return False
        return True

    @cached_property
    def client(self):
        """A client of boto3 itself, to check what ours has done."""
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=KEYS["access_key"],
            aws_secret_access_key=KEYS["secret_key"],
        )

    def settings(self) -> dict[str, str]:
        """The settings of a site that stores its pictures in a new bucket on this server."""
        bucket = f"pictures-{next(_numbers)}"
        self.client.create_bucket(Bucket=bucket)
        return {
            "comicsdb.media.storage": "s3",
            "comicsdb.media.bucket": bucket,
            "comicsdb.media.endpoint": self.url,
            "comicsdb.media.region": "us-east-1",
            "comicsdb.media.prefix": "media",
            **{f"comicsdb.media.{name}": value for name, value in KEYS.items()},
        }

    @cached_property
    def _first(self) -> S3Storage:
        return S3Storage("", endpoint=self.url, region="us-east-1", **KEYS)

    def storage(self) -> S3Storage:
        """Our storage on a new bucket."""
        storage = copy(self._first)  # with its connections, as opening new ones takes time
        storage.bucket = self.settings()["comicsdb.media.bucket"]
        return storage

    def kill(self) -> None:
        """Kill it at once (kill -9)."""
        self.process.kill()
        self.process.wait()
