"""XLSX workbooks: read like CSV, in a child process, within limits that hold before they are parsed."""

import csv
import io
import zipfile
from datetime import date

import pytest

from comicsdb.catalog import InvalidError
from comicsdb.library.transfer import reader, workbooks
from comicsdb.library.transfer.format import COLLECTION, WISHES
from comicsdb.library.transfer.reading import read_file
from tests.core.library.transfer.test_foreign_tables import LOCG
from tests.workbooks import workbook

TITLES = ["Series", "Number", "Cover date", "UPC", "Read"]


def read_in_child(data: bytes, **more) -> tuple[dict, list[dict]]:
    with reader.read_in_child(data, rows=1000, megabytes=1, currency="EUR", **more) as found:
        return found.facts, list(found.rows)


def refusal(data: bytes, **more) -> str:
    with pytest.raises(InvalidError) as refused:
        read_file(data, **{"rows": 100, "megabytes": 1} | more)
    (text,) = refused.value.errors["file"]
    return text.interpolate()


def changed(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """A workbook in one of whose files a text is replaced."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(packed, "w") as target:
        for member in source.infolist():
            content = source.read(member)
            if member.filename == name:
                assert old in content
                content = content.replace(old, new)
            target.writestr(member.filename, content)
    return packed.getvalue()


def test_workbook_of_league_of_comic_geeks_is_read_like_its_csv_file():
    typed = [
        [float(cell) if cell.replace(".", "", 1).isdigit() else cell or None for cell in row]
        for row in csv.reader(io.StringIO(LOCG))
    ]
    for row in typed[1:]:
        row[3] = date.fromisoformat(row[3]) if row[3] != "2020-02-30" else row[3]
    found = read_file(workbook(typed), rows=10, megabytes=1)
    expected = read_file(LOCG.encode(), rows=10, megabytes=1)
    assert found.form == "locg"
    assert [(row.part, row.wanted, row.values) for row in found.rows] == [
        (row.part, row.wanted, row.values) for row in expected.rows
    ]


def test_child_reads_a_workbook_and_names_what_it_leaves_out():
    sheet = [
        [None] * 5,
        [*TITLES, "Colour"],
        ["Salt Tide", 1.0, date(2019, 5, 3), "759606089369", True, "red"],
        ["Salt Tide", "½", "Smarch", 75960608936900111, False],
        [None, None],
        ["Salt Tide", 3, "Smarch", 7.5e14, "VERO"],
    ]
    data = workbook(sheet, [["Writer"], ["A. Writer"]], [], names=("Comics", "Writers", "Empty"))
    facts, rows = read_in_child(data)
    assert [(row["line"], row["wanted"]["number"], row["wanted"]["upc"]) for row in rows] == [
        *((3, "1", "759606089369"), (4, "½", "")),
        (6, "3", "750000000000000"),
    ]
    assert rows[0]["wanted"]["cover_date"] == "2019-05-03"
    assert [row["values"] for row in rows] == [{"is_read": value} for value in (True, False, True)]
    assert facts["sheets"] == ["Writers"]
    assert facts["columns"] == [{"name": "colour", "title": "Colour", "cells": ["red"], "field": ""}]
    assert facts["problems"] == [
        {"field": "cover_date", "count": 2, "cells": [[4, "Smarch"], [6, "Smarch"]]},
        {"field": "upc", "count": 1, "cells": [[4, "7.59606089369001e+16"]]},
    ]
    facts, rows = read_in_child(data, mapping={"colour": "notes"})
    assert rows[0]["values"] == {"is_read": True, "notes": "red"}
    assert facts["columns"][0]["field"] == "notes"


def test_problems_are_counted_by_field_with_the_first_of_each():
    lines = "".join(f"Salt Tide,{at},{'worn' * at},{'CGC' if at % 2 else 'XYZ'}\n" for at in range(1, 41))
    facts, _rows = read_in_child(f"Series,Number,Grade,Grading company\n{lines}".encode())
    grades, companies = facts["problems"]
    assert (grades["field"], grades["count"], len(grades["cells"])) == ("grade", 40, 5)
    assert grades["cells"][0] == [2, "worn"]
    assert (companies["field"], companies["count"]) == ("grading_company", 20)


def test_workbook_beyond_a_limit_is_refused_before_it_is_parsed(monkeypatch):
    def parse(*_arguments):
        raise AssertionError("parsed")

    small = workbook([TITLES, ["Salt Tide", "1"]])
    assert read_file(small, rows=1, megabytes=1).rows[0].part == COLLECTION
    far = changed(small, "xl/worksheets/sheet1.xml", b'r="B2"', b'r="KN1048576"')
    wide = changed(small, "xl/worksheets/sheet1.xml", b'r="B2"', b'r="XFD2"')
    bomb = changed(small, "xl/styles.xml", b"</styleSheet>", b" " * 11_000_000 + b"</styleSheet>")
    many = io.BytesIO(small)
    with zipfile.ZipFile(many, "a") as archive:
        for at in range(1000):
            archive.writestr(f"xl/media/{at}.txt", "")
    monkeypatch.setattr(workbooks, "load_workbook", parse)
    assert refusal(far).endswith("delete what is far from the table.")
    assert refusal(wide) == "The table has more than 500 columns."
    assert refusal(bomb) == "The file is larger than 1 MB: please split it."
    assert "damaged" in refusal(many.getvalue())


def test_workbook_with_too_many_rows_or_none_is_refused():
    assert "more than 2 rows" in refusal(workbook([TITLES, *[["Salt Tide", "1"]] * 3]), rows=2)
    for sheets in ([], [[]], [[TITLES]], [[[None]], [[None, None]]]):
        assert refusal(workbook(*sheets)) == "The file has no rows below a header line."


def test_damaged_workbook_is_refused_with_the_remedy():
    small = workbook([TITLES, ["Salt Tide", "1"]])
    sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
    damaged = (
        *(
            changed(small, sheet, b"<sheetData>", b"<sheetData"),
            changed(small, sheet, b"<v>1</v>", b"<v>999</v>"),
        ),
        *(changed(small, shared, b"<si>", b"<si"), changed(small, "xl/workbook.xml", b'r:id="rId1"', b"")),
        *(small[: len(small) // 2] + small[len(small) // 2 + 9 :], small[:300] + b"\xff" * 40 + small[340:]),
    )
    for data in damaged:
        assert refusal(data)


def test_formulas_and_errors_of_a_sheet_are_text():
    sheet = workbook([["Series Name", "Full Title", "In Collection", "In Wish List"], ["A", "A #1", 0, 1]])
    error = changed(
        sheet, "xl/worksheets/sheet1.xml", b'<c r="A2" t="s"><v>4</v>', b'<c r="A2" t="e"><v>#N/A</v>'
    )
    (row,) = read_file(error, rows=10, megabytes=1).rows
    assert (row.part, row.wanted.series, row.wanted.number) == (WISHES, "A", "1")
