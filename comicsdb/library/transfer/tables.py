"""Reading and writing CSV, in the encodings and with the delimiters that programs use."""

import csv
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library.transfer.format import TOO_MANY_ROWS, Column
from comicsdb.library.transfer.values import unescape_formula
from comicsdb.values import one_line, plain

MEGABYTE = 1024 * 1024
COLUMNS_MAX = 500
LINE_MAX = 1_000_000  # in characters; a longer line could have millions of cells
BLANK_MAX = 500_000  # cells of blank lines; a line without cells counts as one
DELIMITERS = ",;\t|"
TITLE_MAX = 100  # length to which column titles are cut
SAMPLES_MAX, SAMPLE_LENGTH = 3, 40  # cells that are shown of a column
EXTRA = "extra_cells"  # the key in a record of its cells beyond the last column
_SEPARATOR = re.compile(r"[^\S\n]{0,9}sep=(.)[^\S\n]{0,9}\n", re.I)  # line by which Excel names the delimiter

NO_TEXT = _(
    "This is not a supported file. Choose a CSV, XLSX, JSON or ZIP file exported from this or another site,"
    " or save your spreadsheet as CSV."
)
NO_TABLE = _("The file is not a valid CSV table: check quotes and line ends near line ${line}.")
NO_ROWS = _("The file has no rows below a header line.")
TOO_WIDE = _("The table has more than ${most} columns.")
TOO_LARGE = _("The file is larger than ${most} MB: please split it.")


# What `zipfile` raises for archives that are damaged or not supported; ValueError for offsets and names.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, ValueError),
    *(RuntimeError, NotImplementedError, EOFError, OSError),
)


@dataclass(frozen=True)
class Table:
    """The titles of columns by their plain names, and the records by these, with their line numbers.

    `sheets` are names of further sheets, which are not read.
    """

    titles: dict[str, str]
    records: list[tuple[int, dict[str, str]]]
    sheets: tuple[str, ...] = ()


def decode(data: bytes) -> str:
    """Decode UTF-16 with a byte order mark, UTF-8 or Windows-1252; raises InvalidError for anything else."""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        return text
    raise file_error(NO_TEXT)


def file_error(text, **mapping) -> InvalidError:
    """An InvalidError for the field "file"."""
    return InvalidError({"file": [text % mapping if mapping else text]})


def table(data: bytes, max_rows: int) -> Table:
    """Parse a CSV file; raises InvalidError if it is invalid or has more than `max_rows` rows."""
    text = decode(data)
    if found := _SEPARATOR.match(text):
        text, delimiter = text[found.end() :], found[1]
    else:
        delimiter = max(DELIMITERS, key=lambda each: _in_header(text, each))
    return build_table(_lines(text, delimiter), max_rows)


def build_table(lines: Iterator[tuple[int, list[str]]], max_rows: int, sheets: Sequence[str] = ()) -> Table:
    """The table of numbered lines of cells, of which the first are the titles; raises InvalidError."""
    records = []
    _line, header = next(lines, (0, []))
    if len(header) > COLUMNS_MAX:
        raise file_error(TOO_WIDE, most=COLUMNS_MAX)
    titles = _titles(header)
    for line, cells in lines:
        if len(records) == max_rows:
            raise file_error(TOO_MANY_ROWS, most=max_rows)
        record = {name: unescape_formula(cell) for name, cell in zip(titles, cells, strict=False)}
        if extra := " ".join(filter(None, map(str.strip, cells[len(titles) :]))):
            record[EXTRA] = extra
        records.append((line, record))
    if not records:
        raise file_error(NO_ROWS)
    return Table(titles, records, tuple(sheets))


def _in_header(text: str, delimiter: str) -> int:
    reader = csv.reader(io.StringIO(text[:10_000], newline=""), delimiter=delimiter)
    try:
        return len(next(filter(None, reader), ()))  # blank lines may come first
    except csv.Error:
        return 0


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not blank, with their line numbers."""
    if (start := _first_long_line(text)) is not None:
        raise file_error(NO_TABLE, line=text.count("\n", 0, start) + 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    blank = 0
    try:
        for cells in reader:
            if any(each.strip() for each in cells):
                yield reader.line_num, cells
                continue
            blank += max(len(cells), 1)
            if blank > BLANK_MAX:
                raise csv.Error
    except csv.Error:  # includes cells of more than 131,072 characters
        raise file_error(NO_TABLE, line=reader.line_num) from None


def _first_long_line(text: str) -> int | None:
    """The offset of the first line longer than LINE_MAX, or None."""
    start = 0
    while len(text) - start > LINE_MAX:
        window = start, start + LINE_MAX
        end = max(text.rfind("\n", *window), text.rfind("\r", *window))
        if end < 0:
            return start
        start = end + 1
    return None


def _titles(header: list[str]) -> dict[str, str]:
    """The titles of columns by their plain names; an untitled one after a price is its currency."""
    titles: dict[str, str] = {}
    for position, cell in enumerate(header, 1):
        name, title = plain(cell[:TITLE_MAX]), one_line(cell[:TITLE_MAX])
        last = next(reversed(titles), "")
        if not name and last.startswith("price"):
            name, title = f"{last}currency", f"{titles[last]} ({position})"
        elif not name or name in titles:
            name = f"{name} {position}"
        titles[name] = title or f"({position})"
    return titles


def columns_left_out(table: Table, taken: Collection[str], mapping: Mapping[str, str]) -> list[Column]:
    """The columns with cells that are not taken, with the fields to which their owner mapped them."""
    samples: dict[str, list[str]] = {column: [] for column in table.titles if column not in taken}
    for _line, record in table.records:
        for column, cells in samples.items():
            cell = one_line(record.get(column, "")[: 4 * SAMPLE_LENGTH])[:SAMPLE_LENGTH]
            if cell and len(cells) < SAMPLES_MAX and cell not in cells:
                cells.append(cell)
    return [
        Column(column, table.titles[column], cells, mapping.get(column, ""))
        for column, cells in samples.items()
        if cells
    ]


def csv_text(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table as CSV, with a header line."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(titles)
    writer.writerows(rows)
    return written.getvalue()


def archive(files: dict[str, str | bytes]) -> bytes:
    """A ZIP archive of files, given by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return packed.getvalue()
