"""The scanner without its script: looking up and adding barcodes, and what browsers may store."""

import json

import pytest
from sqlalchemy import select

from comicsdb.catalog import barcodes
from comicsdb.catalog.trade_numbers import parse_gtin
from comicsdb.models import CollectionItem
from tests.conftest import record_statements
from tests.web.conftest import form_with, notice, soup
from tests.web.library.collection_helpers import add_item

RUN = "9771234567003"
UPC = "761941234564"
ADD = "/collection/scan/add/"


@pytest.fixture
def run(make):
    """Issues 1 to 3, whose codes share a stem, with a variant of 2; 4 has no supplement, and 5 an ISBN.

    The code of issue 6, which is not returned, begins with that of 4.
    """
    with make.single_commit():
        series = make.series(name="Lamplight", year_began=2020)
        issues = [
            make.issue(series=series, number=str(number), upc=f"{RUN}00{number}11") for number in (1, 2, 3)
        ]
        issues.append(make.issue(series=series, number="4", upc=f"{UPC[:6]} {UPC[6:]}"))
        issues.append(make.issue(series=series, number="5", isbn="0306406152"))
        make.issue(series=series, number="6", upc=UPC + "9")  # the first twelve digits are those of issue 4
    foil = make.variant(issues[1], name="Foil", upc=f"{RUN}00221")
    return [*issues, foil]


def send(page, button=None, **values):
    """Send the form of the scanner, to the action of a button if given."""
    form = form_with(page, "codes")
    for name, value in values.items():
        form[name.replace("_", "-")] = value
    if button:
        form.action = button
    return form.submit(expect_errors=True)


def rows(page) -> dict[str, list[tuple[str, bool]]]:
    """The choices for each code: their labels, and whether they are selected."""
    return {
        row["data-code"]: [
            (each.get_text(" ", strip=True), each.input.has_attr("checked"))
            for each in row.select(".scan-choice")
        ]
        for row in soup(page).select("[data-code]")
    }


def test_codes_stand_for_issues_and_variants(session, run):
    first, second, third, fourth, fifth, foil = run
    expected = {
        f"{RUN}00211": [(second.id, None, True)],
        f"{RUN}-00221": [(second.id, foil.id, True)],
        f"{RUN}00231": [(second.id, None, False), (second.id, foil.id, False)],
        f"{RUN}01111": [],
        RUN: [
            (first.id, None, True),
            (second.id, None, True),
            (second.id, foil.id, True),
            (third.id, None, True),
        ],
        UPC: [(fourth.id, None, True)],
        f"0{UPC}00111": [(fourth.id, None, False)],
        "978-0-306-40615-7": [(fifth.id, None, True)],
        "0-306-40615-2": [(fifth.id, None, True)],
    }
    with record_statements(session.connection()) as statements:
        found = barcodes.look_up(session, [parse_gtin(each) for each in expected])
    assert len(statements) == 1
    assert dict(zip(expected, map(list, found), strict=True)) == expected
    assert barcodes.look_up(session, []) == []


def test_typed_codes_are_shown_and_added_at_once(testapp, session, connection, run, reader):
    _first, second, third, fourth, _fifth, foil = run
    add_item(session, reader, fourth)
    page = testapp.get("/collection/scan/")
    typed = f"{RUN} 00221\n{UPC}\r\n{RUN}, 12345;9999999999994"
    with record_statements(connection) as statements:
        page = send(page, codes=typed)
    assert len(statements) == 5  # the account, the codes, issues, variants, copies
    found = rows(page)
    assert [*found] == [f"{RUN}00221", UPC, RUN, "12345", "9999999999994"]
    ((label, chosen),) = found[f"{RUN}00221"]
    assert label.startswith("Lamplight (2020) #2 Foil May 2020")
    assert chosen
    ((label, chosen),) = found[UPC]
    assert label.endswith("In your collection")
    assert not chosen
    assert [chosen for _label, chosen in found[RUN]] == [False] * 4
    text = soup(page).get_text(" ")
    assert "This is not a barcode: enter its 12 or 13 digits" in text
    assert "No issue has this barcode yet." in text

    refused = send(page, ADD)
    assert refused.status_int == 422
    assert "choose an issue for each barcode" in refused.text
    page = send(refused, **{f"supplement_{RUN}": "003 11"})
    ((label, chosen),) = rows(page)[f"{RUN}00311"]
    assert label.startswith("Lamplight (2020) #3")
    assert chosen
    assert RUN not in rows(page)
    refused = send(page, ADD, codes=f"{RUN}00111")
    assert refused.status_int == 422
    assert "Check what was found" in refused.text
    form = form_with(refused, "codes")
    form[f"pick-{RUN}00111"] = False
    form.action, form["list"] = ADD, "abc1"
    answer = form.submit(status=303)
    assert answer.location.endswith("/collection/scan/?added=abc1")
    page = answer.follow()
    assert "2 copies were added to your collection." in notice(page)
    assert "Nothing was found for: 12345, 9999999999994" in soup(page).get_text(" ")
    item = CollectionItem
    added = session.execute(select(item.issue_id, item.variant_id).order_by(item.id)).all()
    assert [tuple(each) for each in added] == [(fourth.id, None), (second.id, foil.id), (third.id, None)]

    undone = form_with(page, **{"class": "message-undo"}).submit()
    assert "It was undone." in notice(undone.follow())
    assert len(session.execute(select(item.id)).all()) == 1


def test_bad_input_is_refused_with_a_reason(testapp, run, reader):
    page = testapp.get("/collection/scan/")
    many = "\n".join(str(10**12 + number) for number in range(101))
    for button in (None, ADD):
        refused = send(page, button, codes=many)
        assert refused.status_int == 422
        assert "Enter at most 100 barcodes at a time." in refused.text
    refused = send(page, ADD)
    assert refused.status_int == 422
    assert "Choose at least one issue to add." in refused.text
    token = form_with(page, "codes")["csrf_token"].value
    odd = {"csrf_token": token, "barcode": f"{RUN}00211", f"pick-{RUN}00211": "77", "list": "../x"}
    assert testapp.post(ADD, odd, status=422)
    uploads = [(name, "a.txt", b"1") for name in ("codes", "barcode", "list")]
    assert testapp.post(ADD, {"csrf_token": token}, upload_files=uploads, status=422)
    answer = testapp.post(
        "/collection/scan/", {"csrf_token": token, "codes": "x" * 9000}, headers={"X-Fragment": "1"}
    )
    assert "This is not a barcode" in answer.text
    assert "<html" not in answer.text


def test_only_the_scanner_has_the_camera_and_what_is_kept_is_nobodys(testapp, reader):
    page = testapp.get("/collection/scan/")
    shell = testapp.get("/collection/scan/shell/")
    for each in (page, shell):
        assert "camera=(self)" in each.headers["Permissions-Policy"]
        assert "script-src 'self' 'wasm-unsafe-eval';" in each.headers["Content-Security-Policy"]
    assert "no-store" in page.headers["Cache-Control"]
    assert reader.username not in shell.text
    assert "csrf_token" not in shell.text
    worker = testapp.get("/collection/scan/worker.js")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert worker.content_type == "text/javascript"
    assert "wasm" not in worker.headers["Content-Security-Policy"]
    values = dict(line[6:-1].split(" = ", 1) for line in worker.text.splitlines()[:4])
    assert json.loads(values["PAGE"]) == "/collection/scan/"
    for address in (json.loads(values["SHELL"]), *json.loads(values["FILES"])):
        testapp.get(address, status=200)
    testapp.set_cookie("language", "it")
    assert testapp.get("/collection/scan/worker.js").text != worker.text

    manifest = testapp.get(soup(testapp.get("/")).select_one("link[rel=manifest]")["href"])
    assert manifest.content_type == "application/manifest+json"
    for icon in manifest.json["icons"]:
        assert testapp.get(icon["src"]).content_type == icon["type"]
    assert "/collection/scan/" in [each["url"] for each in manifest.json["shortcuts"]]
