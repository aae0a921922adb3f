"""A process that parses one uploaded file.

It is run as `python -m comicsdb.library.transfer.reader ROWS MEGABYTES CURRENCY MEMORY CPU`. Its input is the
file; it prints an object with the problems of the file, or with the facts of the upload and then a line for
each row. A file that takes too long or too much memory ends this process and no other; the memory of its rows
is given back, which a server process would keep.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import orjson

from comicsdb.catalog.errors import InvalidError
from comicsdb.children import environment, limit_cpu, limit_memory
from comicsdb.i18n import _
from comicsdb.library.transfer.format import Row, resolve_currencies, series_label
from comicsdb.library.transfer.reading import read_file

CPU_SECONDS = 60  # for one file; the largest accepted ones need a fifth
MEMORY_BYTES = 1024**3  # address space; the largest accepted files need half
ANSWER_SECONDS = 300.0  # until the rows have been read; on a busy machine, CPU seconds take longer

TOO_COSTLY = _("The file takes too long or too much memory to read: please split it.")


@dataclass(frozen=True)
class ReadFile:
    """The facts of a parsed file, and its rows, which can be read once: values of `LibraryImportRow`."""

    facts: dict
    rows: Iterator[dict]


@contextmanager
def read_in_child(data: bytes, *, rows: int, megabytes: int, currency: str) -> Iterator[ReadFile]:
    """Parse a file in a child process; raises InvalidError like `read_file`, or if it costs too much."""
    limits = map(str, (rows, megabytes, currency, MEMORY_BYTES, CPU_SECONDS))
    arguments = ("-P", "-m", __name__, *limits)
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    timer = threading.Timer(ANSWER_SECONDS, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield _result(process, data)
    finally:
        timer.cancel()
        process.kill()
        process.stdout.close()
        process.wait()


def _result(process: subprocess.Popen, data: bytes) -> ReadFile:
    try:
        with process.stdin as stream:
            stream.write(data)
    except BrokenPipeError:
        raise _too_costly() from None
    first = process.stdout.readline()
    if not first.endswith(b"\n"):
        raise _too_costly()
    facts = orjson.loads(first)
    if problems := facts.get("problems"):
        raise InvalidError({"file": [_(text, mapping=mapping) for text, mapping in problems]})
    return ReadFile(facts, _rows(process, facts.pop("rows")))


def _rows(process: subprocess.Popen, number: int) -> Iterator[dict]:
    for _number in range(number):
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _too_costly()
        yield orjson.loads(line)


def _too_costly() -> InvalidError:
    return InvalidError({"file": [TOO_COSTLY]})


def _record(index: int, row: Row, currency: str) -> dict:
    resolve_currencies(row, currency)
    wanted = orjson.loads(orjson.dumps(row.wanted))
    return {
        "index": index,
        "part": row.part,
        "line": row.line,
        "list_index": row.list,
        "series": series_label(wanted),
        "says": row.says,
        "wanted": wanted,
        "values": row.values,
        "unclear": row.unclear,
    }


def main(rows: str, megabytes: str, currency: str, memory: str, cpu: str) -> None:
    """Parse the file from the input."""
    limit_memory(int(memory))
    limit_cpu(int(cpu))
    data, output = sys.stdin.buffer.read(), sys.stdout.buffer
    try:
        upload = read_file(data, rows=int(rows), megabytes=int(megabytes))
    except InvalidError as error:
        problems = [(str(text), text.mapping) for texts in error.errors.values() for text in texts]
        output.write(orjson.dumps({"problems": problems}) + b"\n")
        return
    facts = {"form": upload.form, "skipped": upload.skipped, "lists": upload.lists, "rows": len(upload.rows)}
    output.write(orjson.dumps(facts) + b"\n")
    for index, row in enumerate(upload.rows):
        output.write(orjson.dumps(_record(index, row, currency)) + b"\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except MemoryError:
        os._exit(1)  # without a traceback, for which there is no memory either
