"""Identifying and tagging the files in folders of comics."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from unicodedata import category

from comicsdb_client import archive, comicinfo, metroninfo, xml
from comicsdb_client.answers import Json, Match
from comicsdb_client.archive import ArchiveError
from comicsdb_client.clients import Client
from comicsdb_client.core import BATCH

NAMES = (comicinfo.NAME, metroninfo.NAME)
CANDIDATES = 3  # shown for a file that is not certain
LABELS = ("id", "issue")  # fields that are shown
FIELDS = (*LABELS, *xml.FIELDS)  # fields that are needed to write tags


class Outcome(StrEnum):
    """The outcome for a file."""

    TAGGED = "tagged"
    CERTAIN = "certain"  # would be tagged, but only matching was requested
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"
    TAGGED_BEFORE = "tagged before"
    FAILED = "failed"


@dataclass(frozen=True)
class Report:
    """The outcome for a file, with the server's match, and the reason if it could not be tagged."""

    path: Path
    outcome: Outcome
    match: Match | None = None
    error: str = ""


@dataclass
class _Comic:
    """A file to be identified."""

    path: Path
    descriptor: Json
    tags: dict[str, bytes] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)

    def without(self, names: Iterable[str]) -> "_Comic":
        """The same file, described without these values; by its name only if it has none of them."""
        kept = {name: value for name, value in self.descriptor.items() if name not in names}
        if len(kept) == len(self.descriptor):
            kept = {"file_name": self.descriptor["file_name"]}
        return _Comic(self.path, kept, self.tags, self.members)


def find_comics(folder: Path) -> list[Path]:
    """The archives (CBZ) in a folder and its subfolders, in order; or a single one."""
    if folder.is_file():
        return [folder]
    found = (path for path in folder.rglob("*") if path.suffix.lower() == ".cbz")
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


def relative_name(path: Path, folder: Path) -> str:
    """The path of a file relative to the folder, with characters replaced that are not valid text."""
    name = str(path.relative_to(folder)) if path != folder else path.name
    name = name.encode("utf-8", "replace").decode()
    return "".join("?" if category(each) == "Cc" else each for each in name)


def tag_comics(
    client: Client, folder: Path, paths: Iterable[Path], *, tag: bool, again: bool = False
) -> Iterator[Report]:
    """Identify each file, and with `tag`, tag those that are certain.

    One request identifies a hundred files, and its response has all that the tags need. Files with tags from
    this server are skipped unless `again`, so that a stopped run can be continued.
    """
    files: Iterable[_Comic | Report] = _open(client.url, folder, paths, again)
    while files:
        tagger = _Tagger(client, tag)
        yield from tagger.reports(files)
        files = tagger.rejected


class _Tagger:
    """Matches files in batches; collects those with values that the server rejected, without these values.

    Old tags may have such values.
    """

    def __init__(self, client: Client, tag: bool):
        self.rejected: list[_Comic] = []
        self._client, self._tag = client, tag

    def reports(self, files: Iterable[_Comic | Report]) -> Iterator[Report]:
        """The reports of files, except rejected ones."""
        batch: list[_Comic] = []
        for each in files:
            if isinstance(each, Report):
                yield each
                continue
            batch.append(each)
            if len(batch) == BATCH:
                yield from self._match_batch(batch)
                batch = []
        yield from self._match_batch(batch)

    def _match_batch(self, batch: list[_Comic]) -> Iterator[Report]:
        fields = FIELDS if self._tag else LABELS
        matches = self._client.match(
            [each.descriptor for each in batch], candidates=CANDIDATES, fields=fields
        )
        for comic, match in zip(batch, matches, strict=True):
            if match.errors and len(comic.descriptor) > 1:
                self.rejected.append(comic.without(match.errors))
            elif match.best is None:
                yield Report(comic.path, Outcome.UNKNOWN, match)
            elif not match.certain:
                yield Report(comic.path, Outcome.UNCERTAIN, match)
            elif not self._tag:
                yield Report(comic.path, Outcome.CERTAIN, match)
            else:
                yield _write(comic, match, match.best.issue, self._client.url)


def _open(server: str, folder: Path, paths: Iterable[Path], again: bool) -> Iterator[_Comic | Report]:
    """The files with descriptors from their tags, names and pages; reports of those that need no request."""
    for path in paths:
        try:
            found = archive.read_contents(path, NAMES)
        except (ArchiveError, OSError) as error:
            yield Report(path, Outcome.FAILED, error=str(error))
            continue
        tags = {name: found.tags[name.lower()] for name in NAMES if name.lower() in found.tags}
        told = comicinfo.identifying_values(tags.get(comicinfo.NAME))
        known = xml.tagged_issue_id(told.get("Notes", ""), server)
        if known and metroninfo.NAME in tags and not again:
            yield Report(path, Outcome.TAGGED_BEFORE)
            continue
        descriptor: Json = {**told, **metroninfo.identifying_values(tags.get(metroninfo.NAME))}
        descriptor |= {"file_name": relative_name(path, folder)[-1000:]} | ({"id": known} if known else {})
        if found.pages:
            descriptor["page_count"] = found.pages
        yield _Comic(path, descriptor, tags, found.members)


def _write(comic: _Comic, match: Match, issue: Json, server: str) -> Report:
    tags = {
        comicinfo.NAME: comicinfo.write(issue, server, comic.tags.get(comicinfo.NAME)),
        metroninfo.NAME: metroninfo.write(issue, server),
    }
    try:
        if tags != comic.tags:
            members = {comic.members.get(name.lower(), name): text for name, text in tags.items()}
            archive.write_tags(comic.path, members)
    except (ArchiveError, OSError) as error:
        return Report(comic.path, Outcome.FAILED, match, str(error))
    return Report(comic.path, Outcome.TAGGED, match)
