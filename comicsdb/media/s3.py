"""Pictures in a bucket of S3-compatible object storage; importing this needs the extra `s3`.

Thumbnails are stored in the bucket too, so that all servers share them. They are below `thumbs/<key>/`, where
one request lists all thumbnails of a picture.
"""

import hashlib
import io
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from comicsdb.media.storage import (
    CACHE_CONTROL,
    STORAGE_OUTAGE,
    THUMBNAILS,
    BadKeyError,
    Content,
    Entry,
    Storage,
    StorageDownError,
    check_key,
    content_type,
    is_key,
)
from comicsdb.media.waiting import READ_PLACES, READ_TURNS, WRITE_PLACES, WRITE_TURNS, WaitingRoom

CONNECT, READ, ATTEMPTS = 5, 10, 3  # seconds, seconds, tries
CONNECTIONS = READ_TURNS + WRITE_TURNS  # kept open for the threads of a process
BACKOFF_SECONDS = 5  # after a failure; requests fail at once during this time
NOT_FOUND_CODES = frozenset({"404", "NoSuchKey", "NotFound"})


class S3Storage(Storage):
    """A bucket; without access keys, boto3 looks for them itself."""

    discard_limit = 50  # each takes about three requests

    def __init__(
        self,
        bucket: str,
        *,
        endpoint: str = "",
        region: str = "",
        prefix: str = "media",
        access_key: str = "",
        secret_key: str = "",
        timeouts: tuple[float, float] = (CONNECT, READ),
    ):
        self.bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._down_until = 0.0
        self._readers = WaitingRoom(READ_PLACES, READ_TURNS)
        self._writers = WaitingRoom(WRITE_PLACES, WRITE_TURNS)
        self._client = boto3.session.Session().client(
            "s3",
            endpoint_url=endpoint or None,
            region_name=region or None,
            aws_access_key_id=access_key or None,
            aws_secret_access_key=secret_key or None,
            config=Config(
                connect_timeout=timeouts[0],
                read_timeout=timeouts[1],
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
                tcp_keepalive=True,
                max_pool_connections=CONNECTIONS,
                # Servers other than Amazon's need path-style buckets, and lack the newer checksums.
                s3={"addressing_style": "path" if endpoint else "auto"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def open(self, key: str, size: str = "") -> Content:
        """See `Storage`; reads the whole picture."""
        with self._readers.acquire(), self._request() as client:
            found = client.get_object(**self._at(key, size))
            data = found["Body"].read()
        return Content(io.BytesIO(data), len(data), found["LastModified"])

    def exists(self, key: str, size: str = "") -> bool:
        """See `Storage`; False for invalid keys."""
        try:
            with self._readers.acquire(), self._request() as client:
                client.head_object(**self._at(key, size))
        except (BadKeyError, FileNotFoundError):
            return False
        return True

    def identity(self, key: str) -> str:
        """See `Storage`; this is the ETag of the server."""
        with self._request() as client:
            return client.head_object(**self._at(key))["ETag"]

    def write(self, key: str, source: bytes | Path, size: str = "") -> set[Path]:
        """See `Storage`."""
        data = source if isinstance(source, bytes) else source.read_bytes()
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        with self._writers.acquire(), self._request() as client:
            client.put_object(
                **self._at(key, size),
                Body=data,
                ContentMD5=b64encode(digest).decode(),
                ContentType="image/webp" if size else content_type(key) or "application/octet-stream",
                CacheControl=CACHE_CONTROL,
            )
        return set()

    def write_link(self, key: str, source_key: str) -> set[Path]:
        """See `Storage`; the server makes the copy."""
        with self._request() as client:
            client.copy_object(**self._at(key), CopySource=self._at(source_key))
        return set()

    def delete(self, key: str) -> None:
        """See `Storage`; the picture goes first, as `open_thumbnail` checks for it at the end."""
        with self._writers.acquire():
            with self._request() as client:
                client.delete_object(**self._at(key))
            for entry in self._below(f"{THUMBNAILS}/{key}/"):
                self.remove(entry.name)

    def entries(self) -> Iterator[Entry]:
        """See `Storage`."""
        return self._below("")

    def remove(self, name: str) -> None:
        """See `Storage`."""
        with self._request() as client:
            client.delete_object(Bucket=self.bucket, Key=self._prefix + name)

    def _at(self, key: str, size: str = "") -> dict[str, str]:
        name = f"{THUMBNAILS}/{check_key(key)}/{size}.webp" if size else check_key(key)
        return {"Bucket": self.bucket, "Key": self._prefix + name}

    def _below(self, start: str) -> Iterator[Entry]:
        asked = {"Bucket": self.bucket, "Prefix": self._prefix + start}
        while True:
            with self._request() as client:
                page = client.list_objects_v2(**asked)
            for each in page.get("Contents", ()):
                name = each["Key"].removeprefix(self._prefix)
                key = name
                if name.startswith(f"{THUMBNAILS}/"):
                    key = name.removeprefix(f"{THUMBNAILS}/").rpartition("/")[0]
                if is_key(key):
                    yield Entry(name, key, each["LastModified"])
            if not page.get("IsTruncated"):
                return
            asked["ContinuationToken"] = page["NextContinuationToken"]

    @contextmanager
    def _request(self):
        """The client, whose errors become FileNotFoundError or StorageDownError.

        A failing server must not block all threads, so after a failure requests fail at once for a while.
        """
        if time.monotonic() < self._down_until:
            raise StorageDownError("The object storage did not answer a moment ago.")
        try:
            yield self._client
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in NOT_FOUND_CODES:
                raise FileNotFoundError(code) from error
            STORAGE_OUTAGE.report(error, "The object storage refuses: %s", error)
            raise StorageDownError(f"The object storage refuses: {code}.") from error
        except (BotoCoreError, HTTPError) as error:
            self._down_until = time.monotonic() + BACKOFF_SECONDS
            STORAGE_OUTAGE.report(error, "The object storage does not answer: %s", error)
            raise StorageDownError("The object storage does not answer.") from error
