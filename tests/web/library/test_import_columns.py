"""Columns of a table that were not understood: named, mapped by hand, remembered."""

import pytest

from comicsdb.library.transfer import background
from comicsdb.library.transfer.mappings import remembered_mapping
from tests.core.library.library_files import create_catalog
from tests.web.conftest import form_to, notice, soup, start_session
from tests.web.library.test_imports import UPLOAD, owned, uploaded
from tests.workbooks import workbook

TABLE = (
    b"Was,Welche,Bemerkung,Colour,Grade\n"
    b'The Lamplighter (2018),1,signed,"<b>red</b>",9.8\nThe Lamplighter (2018),3,,blue,perfect\n'
)
MAPPING = {"was": "series", "welche": "number", "bemerkung": "notes"}


@pytest.fixture
def stock(make):
    return create_catalog(make)


@pytest.fixture
def nora(testapp, member, stock):
    start_session(testapp, member)
    return member


def choose_columns(testapp, address, mapping):
    """Map columns in the form of a review; returns the review that follows."""
    form = form_to(testapp.get(address), f"{address}columns/")
    for name, field in mapping.items():
        form[f"column {name}"] = field
    return form.submit().follow()


def columns_of(page) -> dict[str, str]:
    """The fields that the form of a review has for columns, by the titles of these."""
    found = {}
    for select in soup(page).select("select[name^='column ']"):
        chosen = select.select_one("option[selected]")
        title = soup(page).select_one(f"label[for={select['id']}]").get_text("|", strip=True)
        found[title.partition("|")[0]] = chosen["value"] if chosen else ""
    return found


def test_columns_that_were_not_understood_are_named_and_can_be_mapped(testapp, session, nora, stock):
    address = uploaded(testapp, TABLE)
    page = testapp.get(address)
    assert columns_of(page) == dict.fromkeys(("Was", "Welche", "Bemerkung", "Colour"), "")
    assert "&lt;b&gt;red&lt;/b&gt; · blue" in page.text
    page = choose_columns(testapp, address, MAPPING)
    assert notice(page) == "The file was read again."
    assert columns_of(page) == {"Was": "series", "Welche": "number", "Bemerkung": "notes", "Colour": ""}
    form_to(page, address).submit().follow()
    first, third = stock.issues[0].id, stock.issues[2].id
    assert [(item.issue_id, item.notes) for item in owned(session, nora)] == [(first, "signed"), (third, "")]


def test_mapping_is_remembered_for_files_with_the_same_columns_until_it_is_taken_back(testapp, session, nora):
    choose_columns(testapp, uploaded(testapp, TABLE), MAPPING)
    lines = TABLE.decode().splitlines()
    turned = "\n".join(",".join(reversed(line.split(","))) for line in lines).encode()
    address = uploaded(testapp, turned)
    assert columns_of(testapp.get(address))["Was"] == "series"
    other = uploaded(testapp, b"Was,Welche\nThe Lamplighter (2018),1\n")
    assert columns_of(testapp.get(other)) == {"Was": "", "Welche": ""}
    page = choose_columns(testapp, address, dict.fromkeys(MAPPING, ""))
    assert set(columns_of(page).values()) == {""}
    session.expire_all()
    assert remembered_mapping(session, nora.id, ["was", "welche", "bemerkung", "colour", "grade"]) == {}


def test_cells_and_sheets_that_were_not_read_are_named(testapp, wsgi, nora):
    sheet = [["Series", "Number", "Grade"], *[["The Lamplighter", number, "worn"] for number in range(1, 9)]]
    address = uploaded(testapp, workbook(sheet, [["Writer"], ["A. Writer"]]), name="mine.xlsx")
    while background.work(wsgi.registry["comicsdb.session_factory"], wsgi.registry.settings):
        pass
    page = testapp.get(address)
    text = soup(page).select_one("[aria-labelledby=not-read]").text
    assert " ".join(text.split()) == (
        "Cells that were not recognised Grade 8 cells:"
        " row 2 “worn”, row 3 “worn”, row 4 “worn”, row 5 “worn”, row 6 “worn” …"
    )
    assert "Only the first sheet is read. Left out: Sheet2" in page.text


def test_columns_of_a_stale_form_and_of_others_change_nothing(testapp, session, nora, make):
    address = uploaded(testapp, TABLE)
    form = form_to(testapp.get(address), f"{address}columns/")
    choose_columns(testapp, address, MAPPING)
    form["column was"].force_value("nonsense")
    page = form.submit().follow()
    assert columns_of(page) == dict.fromkeys(("Was", "Welche", "Bemerkung", "Colour"), "")
    start_session(testapp, make.user("Other"))
    token = form_to(testapp.get(UPLOAD), UPLOAD)["csrf_token"].value
    testapp.post(f"{address}columns/", {"csrf_token": token, "column was": "series"}, status=404)
