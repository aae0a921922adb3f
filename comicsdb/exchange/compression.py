"""Zstandard: the standard library's module since Python 3.14, before that a backport with the same API."""

from pathlib import Path
from typing import BinaryIO

try:
    from compression import zstd
except ImportError:
    from backports import zstd

SUFFIX = ".zst"
DAMAGED = (EOFError, zstd.ZstdError)  # raised while a damaged file is read
_OPTIONS = {zstd.CompressionParameter.compression_level: 9, zstd.CompressionParameter.checksum_flag: 1}


def create(path: Path):
    """Open a new compressed file for writing bytes."""
    stream = zstd.open(path, "wb", options=_OPTIONS)
    stream.write(b"")  # begins a frame: without one, an empty file could not be read
    return stream


def open_plain(path: Path | BinaryIO):
    """Open a compressed file for reading its uncompressed content."""
    return zstd.open(path, "rb")
