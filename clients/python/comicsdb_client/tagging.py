"""Folders of comics: which issues their files are, and tags for them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from comicsdb_client import archive, comicinfo, metroninfo, xml
from comicsdb_client.answers import Json, Match
from comicsdb_client.archive import ArchiveError
from comicsdb_client.clients import Client
from comicsdb_client.core import BATCH

NAMES = (comicinfo.NAME, metroninfo.NAME)
CANDIDATES = 3  # that are shown of what is not certain
LABELS = ("id", "issue")  # what is shown of them
FIELDS = (*LABELS, *xml.FIELDS)  # and what is written


class Outcome(StrEnum):
    """What became of a file."""

    TAGGED = "tagged"
    CERTAIN = "certain"  # and would be tagged
    UNCERTAIN = "uncertain"
    UNKNOWN = "unknown"
    TAGGED_BEFORE = "tagged before"
    FAILED = "failed"


@dataclass(frozen=True)
class Report:
    """What became of a file, with the answer of the server, and why it could not be tagged."""

    path: Path
    outcome: Outcome
    match: Match | None = None
    error: str = ""


@dataclass
class _Comic:
    """A file that is asked for."""

    path: Path
    descriptor: Json
    tags: dict[str, bytes] = field(default_factory=dict)

    def by_file_name(self) -> "_Comic":
        """The same, asked for by the name of the file alone."""
        return _Comic(self.path, {"file_name": self.descriptor["file_name"]}, self.tags)


def find_comics(folder: Path) -> list[Path]:
    """The archives (CBZ) in a folder and those below it, in order; or a single one."""
    if folder.is_file():
        return [folder]
    found = (path for path in folder.rglob("*") if path.suffix.lower() == ".cbz")
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


def relative_name(path: Path, folder: Path) -> str:
    """The name of a file with the folders it is in, as far as it can be written as text."""
    name = str(path.relative_to(folder)) if path != folder else path.name
    return name.encode("utf-8", "replace").decode()


def tag_comics(
    client: Client, folder: Path, paths: Iterable[Path], *, tag: bool, again: bool = False
) -> Iterator[Report]:
    """Say of each file what it is, and tag it if that is certain (`tag`).

    A hundred files are asked for with a call, whose answer has what is written into them. Files that have
    tags of this server are left out unless `again`: so a run that was stopped can be started again.
    """
    tagger = _Tagger(client, tag)
    yield from tagger.reports(_open(client.url, folder, paths, again))
    # Old tags may have values that the server does not take: then only the name of the file is sent.
    yield from tagger.reports([each.by_file_name() for each in tagger.rejected])


class _Tagger:
    """Files on their way, and those whose descriptors are wrong (`rejected`)."""

    def __init__(self, client: Client, tag: bool):
        self.rejected: list[_Comic] = []
        self._client, self._tag = client, tag

    def reports(self, files: Iterable[_Comic | Report]) -> Iterator[Report]:
        """What became of files."""
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
                self.rejected.append(comic)
            elif match.best is None:
                yield Report(comic.path, Outcome.UNKNOWN, match)
            elif not match.certain:
                yield Report(comic.path, Outcome.UNCERTAIN, match)
            elif not self._tag:
                yield Report(comic.path, Outcome.CERTAIN, match)
            else:
                yield _write(comic, match, match.best.issue, self._client.url)


def _open(server: str, folder: Path, paths: Iterable[Path], again: bool) -> Iterator[_Comic | Report]:
    """The files with what is known of them."""
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
        yield _Comic(path, descriptor, tags)


def _write(comic: _Comic, match: Match, issue: Json, server: str) -> Report:
    tags = {
        comicinfo.NAME: comicinfo.write(issue, server, comic.tags.get(comicinfo.NAME)),
        metroninfo.NAME: metroninfo.write(issue, server),
    }
    try:
        if tags != comic.tags:
            archive.write_tags(comic.path, tags)
    except (ArchiveError, OSError) as error:
        return Report(comic.path, Outcome.FAILED, match, str(error))
    return Report(comic.path, Outcome.TAGGED, match)
