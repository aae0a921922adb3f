"""Comic archives (CBZ): reading their contents, and writing tags without a risk for the other members.

All members but the tags are copied byte for byte, in their compressed form, and only the directory at the
end of the archive is rebuilt; `zipfile` would have to compress everything again.
"""

import io
import lzma
import os
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".jxl", ".bmp", ".tif", ".tiff")
TAG_BYTES = 4 * 1024 * 1024  # larger members are not read as tags
_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_CHUNK = 1024 * 1024
_PREFIX, _SUFFIX = ".comicsdb-", ".tagging"  # of temporary files next to archives
# Errors of a member that is damaged, encrypted, or compressed in a way that is not supported.
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(NotImplementedError, RuntimeError, EOFError, ValueError),
)


class ArchiveError(Exception):
    """A file that is not an archive, or not one that can be written."""


@dataclass(frozen=True)
class Contents:
    """An archive's tags by lower-case name, the members that they are in, and the number of pages."""

    tags: Mapping[str, bytes]
    members: Mapping[str, str]
    pages: int


@dataclass(frozen=True)
class _Entry:
    """A member in the directory of an archive."""

    name: str
    begin: int  # where its local header begins in the file
    raw: bytes

    def at_offset(self, begin: int) -> bytes:
        """The same entry for a member that was moved to this offset."""
        return self.raw[:42] + struct.pack("<L", begin) + self.raw[46:]


@dataclass(frozen=True)
class _Directory:
    entries: list[_Entry]
    begin: int  # where it begins in the file, after the members
    comment: bytes


def read_contents(path: Path, names: Iterable[str]) -> Contents:
    """The tags with these names, and the number of pages; raises ArchiveError.

    Tags in the root of the archive win over those in folders, and of equal names the last one.
    """
    tag_names = {name.lower() for name in names}
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            pages = sum(_is_page(info.filename) for info in infos)
            tags = {}
            for info in sorted(infos, key=lambda info: -info.filename.count("/")):
                name = info.filename.rpartition("/")[2].lower()
                if name in tag_names and info.file_size <= TAG_BYTES:
                    tags[name] = info
            contents = {name: _read_tag(archive, info) for name, info in tags.items()}
    except _UNREADABLE as error:
        raise ArchiveError(f"not a readable archive: {error}") from error
    return Contents(contents, {name: info.filename for name, info in tags.items()}, pages)


def _is_page(name: str) -> bool:
    """Whether a member is a picture; macOS adds a hidden file with the same ending for each."""
    return name.lower().endswith(IMAGES) and not name.rpartition("/")[2].startswith(".")


def _read_tag(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The content of a member; no more is decompressed, whatever the directory says about its length."""
    with archive.open(member) as stream:
        return stream.read(TAG_BYTES)


def write_tags(path: Path, tags: Mapping[str, bytes]) -> None:
    """Write tags, by the names of members, replacing those of the same names; raises ArchiveError or OSError.

    A temporary file next to the archive is written completely and then renamed, so that even after a crash
    either the old archive or the new one is there.
    """
    if any(len(content) > TAG_BYTES for content in tags.values()):
        raise ArchiveError(f"cannot hold tags of more than {TAG_BYTES:,} bytes")
    path = path.resolve()  # a symbolic link is kept
    beside = None
    try:
        with path.open("rb") as source, _temporary_file(path) as target:
            beside = Path(target.name)
            before = os.fstat(source.fileno())
            _merge(source, target, tags)
            target.flush()
            with suppress(OSError, AttributeError):  # only root may do this, and only on some systems
                os.chown(beside, before.st_uid, before.st_gid)
            beside.chmod(stat.S_IMODE(before.st_mode))
            os.fsync(target.fileno())
        # From here on, both files are closed: Windows neither renames nor deletes files that are open.
        _check(beside, tags)
        now = path.stat()
        if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise ArchiveError("changed by another program meanwhile")
        beside.replace(path)
    except BaseException:
        if beside is not None:
            beside.unlink()
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_leftovers(folder: Path) -> None:
    """Delete temporary files that killed processes left next to archives, once they are an hour old."""
    for left in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > 3600:
                left.unlink()


def _temporary_file(path: Path) -> BinaryIO:
    return NamedTemporaryFile(dir=path.parent, prefix=_PREFIX, suffix=_SUFFIX, delete=False)  # type: ignore[return-value]


def _merge(source: BinaryIO, target: BinaryIO, tags: Mapping[str, bytes]) -> None:
    """Write the members of an archive except those that the tags replace, then the tags."""
    names = {name.lower() for name in tags}
    old, new_file = _read_directory(source), _tags_archive(tags)
    new = _read_directory(new_file)
    begins = sorted({each.begin for each in old.entries} | {old.begin})
    ends = dict(pairwise(begins))
    kept = [each for each in old.entries if each.name.lower() not in names]
    left_out = sorted({each.begin for each in old.entries} - {each.begin for each in kept})
    moved: dict[int, int] = {}  # new offsets of the members, by their old ones
    position = removed = 0
    for begin in [*left_out, old.begin]:
        _copy(source, target, position, begin)
        moved |= {each.begin: each.begin - removed for each in kept if position <= each.begin < begin}
        position = ends.get(begin, begin)
        removed += position - begin
    tags_begin = old.begin - removed
    _copy(new_file, target, 0, new.begin)
    entries = [each.at_offset(moved[each.begin]) for each in kept]
    entries += [each.at_offset(tags_begin + each.begin) for each in new.entries]
    directory, begin = b"".join(entries), target.tell()
    if begin + len(directory) >= 0xFFFFFFFF or len(entries) >= 0xFFFF:
        raise ArchiveError("too large to be tagged (ZIP64)")
    target.write(directory)
    end = (b"PK\5\6", 0, 0, len(entries), len(entries), len(directory), begin, len(old.comment))
    target.write(_END.pack(*end) + old.comment)


def _read_directory(file: BinaryIO) -> _Directory:
    """The directory of an archive."""
    size = file.seek(0, os.SEEK_END)
    tail_begin = max(0, size - 0xFFFF - _END.size)
    file.seek(tail_begin)
    tail = file.read()
    place = tail.rfind(b"PK\5\6")
    if place < 0 or len(tail) - place < _END.size:
        raise ArchiveError("not an archive")
    _, disk, _, _, count, length, offset, comment = _END.unpack_from(tail, place)
    if disk or count == 0xFFFF or 0xFFFFFFFF in (length, offset):
        raise ArchiveError("not supported (ZIP64 or several parts)")
    begin = tail_begin + place - length
    shift = begin - offset  # length of data that precedes the archive, if any
    if shift < 0:
        raise ArchiveError("damaged: its directory is not where it should be")
    file.seek(begin)
    raw, entries, position = file.read(length), [], 0
    for _ in range(count):
        entry = _read_entry(raw, position, shift)
        entries.append(entry)
        position += len(entry.raw)
    if any(each.begin >= begin for each in entries):
        raise ArchiveError("damaged: a member is after the directory")
    end = place + _END.size
    return _Directory(entries, begin, tail[end : end + comment])


def _read_entry(raw: bytes, position: int, shift: int) -> _Entry:
    try:
        found = _ENTRY.unpack_from(raw, position)
    except struct.error as error:
        raise ArchiveError("damaged: its directory is incomplete") from error
    flags, lengths, begin = found[3], found[10:13], found[16]
    end = position + _ENTRY.size + sum(lengths)
    if found[0] != b"PK\1\2" or end > len(raw) or begin == 0xFFFFFFFF:
        raise ArchiveError("damaged, or not supported (ZIP64)")
    name = raw[position + _ENTRY.size :][: lengths[0]]
    text = name.decode("utf-8" if flags & 0x800 else "cp437", "replace")
    return _Entry(text, begin + shift, raw[position:end])


def _tags_archive(tags: Mapping[str, bytes]) -> BinaryIO:
    """A small archive of the tags."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tags.items():
            archive.writestr(name, text)
    return file


def _copy(source: BinaryIO, target: BinaryIO, begin: int, end: int) -> None:
    source.seek(begin)
    left = end - begin
    while left > 0:
        chunk = source.read(min(left, _CHUNK))
        if not chunk:
            raise ArchiveError("incomplete")
        target.write(chunk)
        left -= len(chunk)


def _check(path: Path, tags: Mapping[str, bytes]) -> None:
    """Raise ArchiveError unless the new archive can be read and has the tags."""
    try:
        with zipfile.ZipFile(path) as archive:
            is_complete = all(archive.read(name) == text for name, text in tags.items())
    except (KeyError, *_UNREADABLE) as error:
        raise ArchiveError(f"could not be written correctly: {error}") from error
    if not is_complete:
        raise ArchiveError("could not be written correctly")
