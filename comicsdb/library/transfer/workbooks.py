"""Reading XLSX workbooks, as spreadsheets and League of Comic Geeks write them."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from functools import reduce

from python_calamine import (
    CalamineError,
    CalamineSheet,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
    load_workbook,
)

from comicsdb.i18n import _
from comicsdb.library.transfer.tables import (
    COLUMNS_MAX,
    DAMAGED,
    MEGABYTE,
    TOO_LARGE,
    TOO_WIDE,
    Table,
    build_table,
    file_error,
)

MEMBERS_MAX = 1000  # files in a workbook
UNPACKED = 10  # times the size that a file may have is what a workbook may have when unpacked
CELLS_MAX = 5_000_000  # blank ones between others included: their reader has all of them in memory
_CELL = re.compile(rb""" r=["']([A-Z]{1,3})([0-9]{1,7})["']""")

TOO_MANY_CELLS = _("The workbook has more than ${most} cells: delete what is far from the table.")
NO_WORKBOOK = _("The workbook cannot be read: it is damaged or has a password. Save your spreadsheet as CSV.")


def read_workbook(data: bytes, max_rows: int, megabytes: int) -> Table:
    """The first sheet of an XLSX file that has cells; raises InvalidError as `table` does.

    Only in a child process: a workbook can make its reader end the process.
    """
    try:
        _check_workbook(data, megabytes)
        book = load_workbook(io.BytesIO(data))
        sheets = [book.get_sheet_by_name(sheet.name) for sheet in book.sheets_metadata if _is_table(sheet)]
    except (CalamineError, *DAMAGED):
        raise file_error(NO_WORKBOOK) from None
    filled = [sheet for sheet in sheets if sheet.height]
    lines = _lines(filled[0]) if filled else iter(())
    return build_table(lines, max_rows, [sheet.name for sheet in filled[1:]])


def _lines(sheet: CalamineSheet) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(sheet.iter_rows(), 1):
        cells = list(map(_cell_text, row))
        if any(cell.strip() for cell in cells):
            yield line, cells


def _is_table(sheet: SheetMetadata) -> bool:
    return sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible


def _check_workbook(data: bytes, megabytes: int) -> None:
    """Raise InvalidError if a workbook is too large when unpacked, or has too many columns or cells."""
    left, cells = megabytes * UNPACKED * MEGABYTE, 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if len(members) > MEMBERS_MAX:
            raise file_error(NO_WORKBOOK)
        for member in members:
            with archive.open(member) as file:
                content = file.read(left + 1)  # the size that a member declares may be wrong
            left -= len(content)
            if left < 0:
                raise file_error(TOO_LARGE, most=megabytes)
            if member.filename.startswith("xl/worksheets/"):
                cells += _count_cells(content)
    if cells > CELLS_MAX:
        raise file_error(TOO_MANY_CELLS, most=CELLS_MAX)


def _count_cells(sheet: bytes) -> int:
    """The cells of a sheet up to the last one, whose place the sheet itself tells."""
    width = height = 0
    for match in _CELL.finditer(sheet):
        column = reduce(lambda number, letter: 26 * number + letter - ord("A") + 1, match[1], 0)
        width, height = max(width, column), max(height, int(match[2]))
    if width > COLUMNS_MAX:
        raise file_error(TOO_WIDE, most=COLUMNS_MAX)
    return width * height


def _cell_text(value) -> str:
    """A cell as text; numbers of more than fifteen digits, which spreadsheets round, with an exponent."""
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() else value.date().isoformat()
    return str(value)
