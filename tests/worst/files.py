"""Library files that take parsers long: every format of the import, with a text in each place."""

import io
import json
import zipfile
from collections.abc import Callable
from html import escape

from comicsdb.library.transfer.format import COLLECTION, COLUMNS, FORMAT, LISTS, VERSION
from tests.soak import SOAK

CELL_SIZE = 130_000  # characters, just below the limit of the reader of tables
FILE_SIZE = 1_000_000 if SOAK else 400_000  # bytes of one text: enough to reveal what takes too long
COLLECTION_COLUMNS = COLUMNS[COLLECTION]

FileOfText = Callable[[str], bytes]


def table(columns: list[str], cells: list[str], delimiter: str = ",") -> bytes:
    """A table of one row, its cells quoted."""
    lines = (
        delimiter.join('"' + each.replace('"', '""') + '"' for each in line) for line in (columns, cells)
    )
    return "\n".join(lines).encode()


def archive(name: str, content: bytes) -> bytes:
    """A ZIP file with one file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(name, content)
    return stream.getvalue()


def cbl(attributes: str, name: str = "a", inner: str = "") -> bytes:
    """A reading list of one book."""
    books = f"<Books><Book {attributes}>{inner}</Book></Books>"
    return f"<ReadingList><Name>{name}</Name>{books}</ReadingList>".encode()


REMOVE_CONTROLS = dict.fromkeys(each for each in range(32) if chr(each) not in "\t\r\n")


def xml_text(text: str) -> str:
    """A text escaped for an XML attribute."""
    return escape(text.translate(REMOVE_CONTROLS))


COLUMN_SIZE = FILE_SIZE // len(COLLECTION_COLUMNS)
# Files with one text in all places of a kind, cut to the length that a place accepts.
TEXTS_IN: dict[str, FileOfText] = {
    "header of a table": lambda text: table([text[:CELL_SIZE], "series", "number"], ["a", "b", "1"]),
    "cells of a table": lambda text: table(
        list(COLLECTION_COLUMNS), [text[: min(COLUMN_SIZE, CELL_SIZE)]] * len(COLLECTION_COLUMNS)
    ),
    "cell of a table": lambda text: table(["Series", "Number"], [text[:CELL_SIZE], text[:CELL_SIZE]]),
    "cells of another site": lambda text: table(
        ["Series Name", "Full Title", "In Collection", "Publisher Name", "Release Date", "Price Paid"],
        [text[:CELL_SIZE]] * 6,
    ),
    "lines of a table": lambda text: text[:FILE_SIZE].encode(),
    "members of JSON": lambda text: own_json(
        COLLECTION, [dict.fromkeys(COLLECTION_COLUMNS, text[:COLUMN_SIZE])]
    ),
    "name of a list": lambda text: own_json(LISTS, [{"name": text[:FILE_SIZE], "desc": text[:FILE_SIZE]}]),
    "attributes of a CBL": lambda text: cbl(
        '="{0}" '.join(("Series", "Number", "Volume", "Year", 'Publisher="{0}"')).format(
            xml_text(text[: FILE_SIZE // 6])
        )
    ),
    "name of a CBL": lambda text: cbl('Series="a" Number="1"', xml_text(text[:FILE_SIZE])),
}


def own_json(part: str, rows: list) -> bytes:
    """JSON in our own format."""
    return json.dumps({"format": FORMAT, "version": VERSION, part: rows}, ensure_ascii=False).encode()


def entities() -> bytes:
    """XML with nested entities, each of which contains the previous one ten times."""
    defined = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    return f'<!DOCTYPE a [<!ENTITY a0 "a">{defined}]><ReadingList><Name>&a9;</Name></ReadingList>'.encode()


def names_of_json(count: int = 600_000) -> bytes:
    """An object with many members."""
    return ("{" + ",".join(f'"a{number}":1' for number in range(count)) + "}").encode()


TABLE_HEADER = '"Series","Number"\n'
FILES: dict[str, Callable[[], bytes]] = {
    "an archive that grows": lambda: archive("collection.csv", TABLE_HEADER.encode() + b"a,1\n" * 6_000_000),
    "an archive that grows within bounds": lambda: archive(
        "collection.csv", b"issue_id,quantity\n" + b"1,1\n" * 99_000
    ),
    "an archive of one long line": lambda: archive("collection.csv", b"a" * 25_000_000),
    "an archive of a long name": lambda: archive("a" * 60_000, b"a"),
    "columns": lambda: ",".join(f"a{number}" for number in range(1_000_000)).encode(),
    "columns of one name": lambda: b"," * 9_000_000,
    "blank lines": lambda: TABLE_HEADER.encode() + b"\n" * 9_000_000,
    "lines of commas": lambda: TABLE_HEADER.encode() + (b"," * 1000 + b"\n") * 9000,
    "an open quote": lambda: TABLE_HEADER.encode() + b'"' + b"a\n" * 4_000_000,
    "quotes": lambda: TABLE_HEADER.encode() + b'""' * 4_000_000,
    "bytes that are no text": lambda: b"\x81" * 9_000_000,
    "UTF-16": lambda: b"\xff\xfe" + b"a\0" * 4_000_000,
    "deep JSON": lambda: b"[" * 9_000_000,
    "JSON of names": names_of_json,
    "JSON of a long number": lambda: b'{"format":' + b"1" * 9_000_000 + b"}",
    "JSON of empty lists": lambda: b'{"x":[' + b"[]," * 3_000_000 + b"[]]}",
    "JSON of empty rows": lambda: own_json(COLLECTION, [{}] * 1_000_000),
    "JSON of other things": lambda: own_json(COLLECTION, [1] * 2_000_000),
    "entities": entities,
    "deep elements": lambda: b"<ReadingList>" + b"<a>" * 2_000_000,
    "attributes of one element": lambda: cbl(" ".join(f'a{number}="1"' for number in range(400_000))),
    "an open element": lambda: b"<ReadingList" + b" " * 9_000_000,
    "a long name of an element": lambda: b"<" + b"a" * 9_000_000,
    "a comment without an end": lambda: b"<ReadingList><!--" + b"-" * 9_000_000,
    "elements": lambda: cbl('Series="a"', inner="<Database/>" * 800_000),
}
