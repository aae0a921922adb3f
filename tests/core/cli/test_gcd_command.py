"""`comicsdb import-gcd`: its output and options, and its errors for invalid files and options."""

import csv

from sqlalchemy import create_engine, text

from comicsdb.cli import exchange
from tests.core.cli.conftest import run
from tests.gcd_dump import GcdDump


def a_dump(folder):
    """A MySQL dump with an English and an Italian series; the Italian one has an issue twice."""
    made = GcdDump()
    made.add("stddata_country", id=225, code="us")
    made.add("stddata_language", id=25, code="en")
    made.add("stddata_language", id=51, code="it")
    made.add("gcd_publisher", name="Marvel", country_id=225)
    for language in (25, 51):
        series = made.add(
            "gcd_series",
            name="Fantastic Four",
            year_began=1961,
            publisher_id=1,
            language_id=language,
            publishing_format="was ongoing series",
            is_comics_publication=1,
            is_current=1,
        )
        for number in ("5", "[5]")[: 1 if language == 25 else 2]:
            made.add("gcd_issue", number=number, series_id=series, key_date="1962-07-00")
    return made.mysql(folder / "2026-08-15.sql")


def test_the_command_imports_and_writes_its_report(ini, database, tmp_path, monkeypatch):
    path = a_dump(tmp_path)
    given = ("-c", ini, "import-gcd", str(path), "--working", str(tmp_path / "working"))
    dry = run(*given, "--dry-run")
    assert dry.exit_code == 0, dry.output
    assert "Nothing was stored." in dry.output
    result = run(*given, "--language", "IT", "--years", "1961-1970", "--publisher", "marvel", "--country", "")
    assert "--country : the dump has no such code." in result.output
    monkeypatch.setattr(exchange, "LINE_SECONDS", 0)  # otherwise a line a minute
    result = run(*given, "--language", "IT", "--years", "1961-1970", "--publisher", "marvel")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1] == "100% read"
    assert "number-clash: another issue of the series has the number: left out" in result.output
    engine = create_engine(database)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT name, language FROM series")).all() == [
            ("Fantastic Four", "it")
        ]
        assert connection.execute(text("SELECT number FROM issue")).all() == [("5",)]
    engine.dispose()
    with (tmp_path / "2026-08-15.sql.report.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert row == {
        "rule": "number-clash",
        "kind": "issue",
        "gcd_id": "3",
        "address": "https://www.comics.org/issue/3/",
        "name": "[5]",
        "field": "number",
        "here": "",
        "at GCD": "[5]",
    }
    assert list((tmp_path / "working").iterdir()) == []


def test_what_cannot_be_imported_is_told_in_a_line(ini, tmp_path):
    wrong = tmp_path / "wrong.zip"
    wrong.write_bytes(b"no dump")
    path = a_dump(tmp_path)
    for arguments, message in (
        ((str(wrong),), "wrong.zip is neither an SQLite file nor a dump of MySQL."),
        ((str(tmp_path / "none"),), f"There is no file {tmp_path / 'none'}."),
        ((str(path), "--language", "xx"), "--language xx: the dump has no such code."),
        ((str(path), "--publisher", "DC"), "--publisher dc: the dump has no publisher with this name or id."),
        ((str(path), "--years", "sixties"), "--years takes a year or two"),
    ):
        result = run("-c", ini, "import-gcd", *arguments, "--working", str(tmp_path))
        assert (result.exit_code, result.output.count("\n")) == (1, 1), result.output
        assert message in result.output
