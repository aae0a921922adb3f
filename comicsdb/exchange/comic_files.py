"""Import of the tags in users' own comic files (CBZ): ComicInfo and MetronInfo, as drafts to review.

Nothing is written to the catalog. Issues that are matched with certainty are only reported; all others are
stored for the account, which reviews them (`exchange.tagged_files`). The key of a stored issue is derived
from its tags, so an interrupted import can simply be run again, and reading a file twice adds nothing.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from sqlalchemy.orm import Session

from comicsdb.accounts.drafts import SavedForm, as_json
from comicsdb.exchange import tagged_files
from comicsdb.matching.descriptors import build_descriptor
from comicsdb.matching.scoring import Match
from comicsdb.matching.service import match
from comicsdb.schemas.match import FILE_NAME_LENGTH, DescriptorSchema
from comicsdb.values import first_day, partial_day_text, split_volume, without_bad_characters

KNOWN, AMBIGUOUS, NEW, DISMISSED, WAITING = "known", "ambiguous", "new", "dismissed", "waiting"
UNTAGGED, UNREADABLE = "without tags", "unreadable"

SUFFIXES = {".cbz", ".zip"}
TAGS = ("metroninfo.xml", "comicinfo.xml")  # in order of preference
TAG_BYTES = 1_000_000
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)")
_INVALID_BYTES = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f]")
ELEMENTS = 20_000
DIRECTORY_BYTES = 16_000_000  # the largest directory of an archive, which is read as a whole
DIRECTORY_END, DIRECTORY_END_SIZE, COMMENT_MAX, LOCATOR = (
    b"PK\5\6",
    22,
    65_535,
    b"PK\6\7",
)  # the directory at the end of an archive
BATCH = 100  # files whose issues are looked up together
# Fields of the form for a new issue, by the tag that fills them.
CREDITS = "credits-text"
FIELDS = {"store_date": "store_date", "page_count": "page", "isbn": "isbn", "gtin": "upc"}
FIELDS |= {name: name for name in ("number", "title", "cv_id", "gcd_id")}
# The elements of ComicInfo that name creators, and their roles.
CREATORS = {name: name for name in ("Writer", "Penciller", "Inker", "Colorist", "Letterer", "Editor")}
CREATORS |= {"CoverArtist": "Cover", "Translator": "Translator"}


class UnreadableError(ValueError):
    """A file is not an archive, or its tags are invalid or too large; the text says why."""


@dataclass(frozen=True)
class Outcome:
    """The outcome for a file: its status and details."""

    file: str
    status: str
    detail: str = ""


@dataclass(frozen=True)
class _TaggedFile:
    file: str
    tags: dict
    known: dict
    problems: str = ""


class _Builder(ElementTree.TreeBuilder):
    """Rejects document types, which could define entities, and too many elements."""

    elements = 0

    def doctype(self, *_what):
        raise UnreadableError("The tags have a document type, which is not read.")

    def start(self, tag, attributes):
        self.elements += 1
        if self.elements > ELEMENTS:
            raise UnreadableError("The tags have too many elements.")
        return super().start(tag, attributes)


def read_tags(path: Path) -> dict | None:
    """The tags of a file as nested values, None if it has none; raises UnreadableError."""
    try:
        with path.open("rb") as file:
            _check_directory(file)
            with ZipFile(file) as archive:
                data = _tags_in(archive)
    except (BadZipFile, OSError, RuntimeError, ValueError, EOFError, zlib.error, struct.error) as error:
        raise UnreadableError(str(error) or type(error).__name__) from error
    if data is None:
        return None
    try:
        try:
            values = _parse(data)
        except ElementTree.ParseError:
            values = _parse(_repaired(data))
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise UnreadableError(f"The tags are no XML: {error}") from error
    except RecursionError as error:
        raise UnreadableError("The tags have too many elements inside each other.") from error
    return values if isinstance(values, dict) else None


def _parse(data: bytes) -> dict | str:
    parser = ElementTree.XMLParser(target=_Builder())  # noqa: S314  (neither entities nor many elements)
    parser.feed(data)
    return _values(parser.close())


def _repaired(data: bytes) -> bytes:
    """The document without what precedes it, and with its bare `&` and unknown entities as text."""
    data = _INVALID_BYTES.sub(b"", data[max(0, data.find(b"<")) :])
    return _BARE_AMPERSAND.sub(b"&amp;", data)


def _check_directory(file: BinaryIO) -> None:
    """Reject archives whose directory alone would fill the memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - DIRECTORY_END_SIZE - COMMENT_MAX - len(LOCATOR) - 16))
    tail = file.read()
    at = tail.rfind(DIRECTORY_END)
    if at < 0 or len(tail) < at + DIRECTORY_END_SIZE:
        raise UnreadableError("This is no ZIP archive.")
    (directory,) = struct.unpack_from("<L", tail, at + 12)
    if directory > DIRECTORY_BYTES or tail[max(0, at - 20) : at].startswith(LOCATOR):
        raise UnreadableError("The archive has too many files.")


def _tags_in(archive: ZipFile) -> bytes | None:
    members = [info for info in archive.infolist() if info.filename.rpartition("/")[2].casefold() in TAGS]
    if not members:
        return None

    def preference(info) -> tuple[int, int]:
        folder, _, name = info.filename.replace("\\", "/").casefold().rpartition("/")
        return TAGS.index(name), folder.count("/") + 1 if folder else 0

    # The one in the root wins; of several of one name there, the last, as for all programs.
    info = min(reversed(members), key=preference)
    if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise UnreadableError("The tags are compressed in an unusual way.")
    with archive.open(info) as stream:
        data = stream.read(TAG_BYTES + 1)
    if len(data) > TAG_BYTES:
        raise UnreadableError("The tags are too large.")
    return data


def _values(element) -> dict | str:
    """The attributes and children of an element by name, with lists for repeated names; else its text."""
    text = without_bad_characters(element.text or "").strip()
    found: dict = {f"@{name}": value for name, value in element.attrib.items() if not name.startswith("{")}
    for child in element:
        value = _values(child)
        if child.tag in found:
            earlier = found[child.tag]
            found[child.tag] = [*(earlier if isinstance(earlier, list) else [earlier]), value]
        else:
            found[child.tag] = value
    if not found:
        return text
    return {**found, "#text": text} if text else found


def import_files(session: Session, user_id: int, folder: Path) -> Iterator[Outcome]:
    """Read all comic files below a folder; stores what the account may enter, as far as it has room."""
    named = (each for each in folder.rglob("*") if each.suffix.lower() in SUFFIXES)
    files = iter(sorted(each for each in named if each.is_file()))
    while some := list(islice(files, BATCH)):
        tagged = []
        for path in some:
            name = str(path.relative_to(folder)).encode(errors="surrogateescape").decode(errors="replace")
            found = _read(path, name)
            if isinstance(found, Outcome):
                yield found
            else:
                tagged.append(found)
        found = match(session, [build_descriptor(each.known) for each in tagged], BATCH)
        for each, matched in zip(tagged, found, strict=True):
            yield _outcome(session, user_id, each, matched)
        session.commit()


def _read(path: Path, name: str) -> Outcome | _TaggedFile:
    try:
        tags = read_tags(path)
    except UnreadableError as error:
        return Outcome(name, UNREADABLE, str(error))
    if tags is None:
        return Outcome(name, UNTAGGED)
    known, errors = DescriptorSchema().read_leniently(
        {**tags, "file_name": Path(name).name[-FILE_NAME_LENGTH:]}
    )
    if not (known.get("series") and known.get("number")):  # what the tags lack, the file's name may have
        reading = build_descriptor(known).readings[0]
        known = {"series": reading.series, "number": reading.number} | known
    if not (known["series"] and known["number"]):
        return Outcome(name, UNREADABLE, "Neither the tags nor the file's name have a series and a number.")
    return _TaggedFile(name, tags, known, "".join(f"; {field} was not read" for field in sorted(errors)))


def _outcome(session: Session, user_id: int, tagged: _TaggedFile, matched: Match) -> Outcome:
    label = _label(tagged.known)
    key = _key(user_id, label, tagged.known)
    ids = tagged_files.candidates_of(matched)
    issues = ", ".join(f"issue {each}" for each in ids)
    if matched.certain:
        tagged_files.remove(session, user_id, key)
        return Outcome(tagged.file, KNOWN, issues + tagged.problems)
    fields = _form(tagged)
    if as_json(SavedForm(tagged_files.PATH, fields, {})) is None:
        return Outcome(tagged.file, UNREADABLE, "The tags are too large for a form.")
    stored = tagged_files.store(
        session, user_id, key, file=tagged.file, label=label, known=tagged.known, fields=fields
    )
    if stored is None:
        return Outcome(tagged.file, WAITING, label + tagged.problems)
    if stored.is_dismissed:
        return Outcome(tagged.file, DISMISSED, label)
    return Outcome(tagged.file, AMBIGUOUS if ids else NEW, (issues or label) + tagged.problems)


def _key(user_id: int, label: str, known: dict) -> str:
    """The key of a stored issue; series of the same name may differ in any of these."""
    cover_date = known.get("cover_date")
    year = known.get("year") or (cover_date.year if cover_date else None)
    names = ("publisher", "volume", "language", "format")
    parts = (user_id, label, year, *(known.get(name) for name in names))
    return sha256("\0".join(map(str, parts)).casefold().encode()).hexdigest()


def _series(known: dict) -> str:
    _volume, year_as_volume = split_volume(known.get("volume"))  # ComicTagger writes the year
    began = known.get("year_began") or year_as_volume
    return f"{known['series']} ({began})" if began else known["series"]


def _label(known: dict) -> str:
    return f"{_series(known)} #{known['number']}"


def _form(tagged: _TaggedFile) -> list[tuple[str, str]]:
    """The fields of the form; the editor chooses the series and the creators that match the names."""
    known, tags = tagged.known, tagged.tags
    texts = {"series-q": _series(known), "cover_date": _cover_date(known)}
    texts |= {ours: str(known[name]) for name, ours in FIELDS.items() if known.get(name)}
    stories = _several(tags, "Stories", "Story") or [_text(tags.get("Title"))]
    texts |= {"name": "; ".join(filter(None, stories)), "desc": _text(tags.get("Summary"))}
    texts[CREDITS] = "; ".join(_credits(tags))
    return [(name, text) for name, text in texts.items() if text]


def _cover_date(known: dict) -> str:
    """The cover date as far as the tags tell it: YYYY-MM-DD, YYYY-MM, YYYY."""
    if known.get("cover_date"):
        return str(known["cover_date"])
    year, month, day = (known.get(name) or 0 for name in ("year", "month", "day"))
    first = first_day(year, month, day) or first_day(year, month)  # such as the 31st of a shorter month
    return partial_day_text(*first) if first else ""


def _credits(tags: dict) -> Iterable[str]:
    for element, role in CREATORS.items():
        if names := _text(tags.get(element)):
            yield f"{role}: {names}"
    for credit in _children(tags, "Credits", "Credit"):
        if isinstance(credit, dict):
            roles = ", ".join(_several(credit, "Roles", "Role"))
            yield f"{_text(credit.get('Creator'))} ({roles})" if roles else _text(credit.get("Creator"))


def _several(tags: dict, name: str, each: str) -> list[str]:
    return [text for text in map(_text, _children(tags, name, each)) if text]


def _children(tags: dict, name: str, each: str) -> list:
    parent = tags.get(name)
    found = parent.get(each, []) if isinstance(parent, dict) else []
    return found if isinstance(found, list) else [found]


def _text(value) -> str:
    return value.get("#text", "") if isinstance(value, dict) else value if isinstance(value, str) else ""
