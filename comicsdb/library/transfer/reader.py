"""Parses an uploaded file into the rows of an import, a large one in a process of its own.

That is run as `python -m comicsdb.library.transfer.reader ROWS MEGABYTES CURRENCY MAPPING MEMORY CPU`. Its
input is the file; it prints an object with the errors of the file, or with the facts of the upload and then a
line for each row. A file that takes too long or too much memory ends this process and no other; the memory of
its rows is given back, which a server process would keep.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import orjson

from comicsdb.catalog.errors import InvalidError
from comicsdb.children import environment, limit_cpu, limit_memory
from comicsdb.i18n import _
from comicsdb.library.transfer.format import Row, resolve_currencies, series_label
from comicsdb.library.transfer.reading import NO_MAPPING, read_file
from comicsdb.problems import Problems

CPU_SECONDS = 60  # for one file; the largest accepted ones need a fifth
MEMORY_BYTES = 1024**3  # address space; the largest accepted files need half
ANSWER_SECONDS = 300.0  # until the rows have been read; on a busy machine, CPU seconds take longer

FACTS = ("form", "skipped", "lists", "columns", "sheets", "headers")  # of an upload

TOO_COSTLY = _("The file takes too long or too much memory to read: please split it.")


@dataclass(frozen=True)
class ReadFile:
    """The facts of a parsed file, and its rows, which can be read once: values of `LibraryImportRow`."""

    facts: dict
    total: int
    rows: Iterator[dict]


def read_rows(
    data: bytes, *, rows: int, megabytes: int, currency: str, mapping: Mapping[str, str] = NO_MAPPING
) -> ReadFile:
    """Parse a file; raises InvalidError like `read_file`."""
    upload = read_file(data, rows=rows, megabytes=megabytes, mapping=mapping)
    for row in upload.rows:
        resolve_currencies(row, currency)
    facts = {name: getattr(upload, name) for name in FACTS} | {"problems": _problems(upload.rows)}
    records = (_record(index, row) for index, row in enumerate(upload.rows))
    return ReadFile(orjson.loads(orjson.dumps(facts)), len(upload.rows), records)


@contextmanager
def read_in_child(
    data: bytes,
    *,
    rows: int,
    megabytes: int,
    currency: str,
    mapping: Mapping[str, str] = NO_MAPPING,
) -> Iterator[ReadFile]:
    """Parse a file in a child process; raises InvalidError like `read_file`, or if it costs too much."""
    options = orjson.dumps(dict(mapping)).decode()
    limits = map(str, (rows, megabytes, currency, options, MEMORY_BYTES, CPU_SECONDS))
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
    if errors := facts.get("errors"):
        raise InvalidError({"file": [_(text, mapping=mapping) for text, mapping in errors]})
    total = facts.pop("rows")
    return ReadFile(facts, total, _rows(process, total))


def _rows(process: subprocess.Popen, number: int) -> Iterator[dict]:
    for _number in range(number):
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _too_costly()
        yield orjson.loads(line)


def _too_costly() -> InvalidError:
    return InvalidError({"file": [TOO_COSTLY]})


def _record(index: int, row: Row) -> dict:
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


def _problems(rows: Iterable[Row]) -> list[dict]:
    """The cells that could not be interpreted, by field: how many there are, and the first ones."""
    problems = Problems()
    for row in rows:
        for name, text in row.unclear:
            problems.add("", row.line, name, text, rule=name)
    return [
        {"field": name, "count": kind.count, "cells": [(cell.line, cell.message) for cell in kind.examples]}
        for (_file, name, _rule), kind in sorted(problems.kinds.items())
    ]


def main(rows: str, megabytes: str, currency: str, mapping: str, memory: str, cpu: str) -> None:
    """Parse the file from the input."""
    limit_memory(int(memory))
    limit_cpu(int(cpu))
    data, output = sys.stdin.buffer.read(), sys.stdout.buffer
    try:
        limits = {"rows": int(rows), "megabytes": int(megabytes)}
        upload = read_rows(data, **limits, currency=currency, mapping=orjson.loads(mapping))
    except InvalidError as error:
        errors = [(str(text), text.mapping) for texts in error.errors.values() for text in texts]
        output.write(orjson.dumps({"errors": errors}) + b"\n")
        return
    output.write(orjson.dumps(upload.facts | {"rows": upload.total}) + b"\n")
    for record in upload.rows:
        output.write(orjson.dumps(record) + b"\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except MemoryError:
        os._exit(1)  # without a traceback, for which there is no memory either
