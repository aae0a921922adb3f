"""XLSX workbooks as spreadsheets write them: shared strings, dates as numbers with a format, sheets."""

import io
import zipfile
from datetime import date
from xml.sax.saxutils import escape

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_STYLES = (
    f'<styleSheet {_MAIN}><cellXfs count="2"><xf numFmtId="0"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def column_name(number: int) -> str:
    """The letters of a column, of which the first is 1."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def workbook(*sheets: list[list], names: tuple[str, ...] = ()) -> bytes:
    """A workbook with the rows of each sheet; None is a cell that is not there."""
    strings: dict[str, int] = {}
    files = {f"xl/worksheets/sheet{at}.xml": _sheet(rows, strings) for at, rows in enumerate(sheets, start=1)}
    names = names or tuple(f"Sheet{at}" for at in range(1, len(sheets) + 1))
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"/>'
        for at, name in enumerate(names, start=1)
    )
    relations = "".join(
        f'<Relationship Id="rId{at}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at in range(1, len(sheets) + 1)
    )
    shared = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in strings)
    files |= {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
        f'<Relationship Id="rId99" Type="{_RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>'
        f'<Relationship Id="rId98" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/sharedStrings.xml": f'<sst {_MAIN} count="{len(strings)}">{shared}</sst>',
        "xl/styles.xml": _STYLES,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _sheet(rows: list[list], strings: dict[str, int]) -> str:
    lines = []
    for line, row in enumerate(rows, start=1):
        cells = "".join(
            _cell(f"{column_name(at)}{line}", value, strings)
            for at, value in enumerate(row, start=1)
            if value is not None
        )
        lines.append(f'<row r="{line}">{cells}</row>')
    return f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>"


def _cell(place: str, value, strings: dict[str, int]) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c r="{place}" s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="s"><v>{strings.setdefault(value, len(strings))}</v></c>'
