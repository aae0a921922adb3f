"""The command that imports reading lists from files, folders and archives."""

import zipfile
from datetime import date

import orjson
import pytest

from comicsdb.library.transfer.cbl import write_cbl
from comicsdb.models import Issue, ReadingList
from tests.lists import OFFICIAL, make_list

LISTS = """
    SELECT u.username, l.name, l.attribution_source, l.is_private
    FROM reading_list l JOIN user_account u ON u.id = l.user_id ORDER BY l.id
"""
ITEMS = """
    SELECT l.name, i.issue_id, i."order"
    FROM reading_list_item i JOIN reading_list l ON l.id = i.reading_list_id ORDER BY l.name, i."order"
"""
BOOK = '<Book Series="{}" Number="{}" Volume="2019" Year="2019"/>'


def write_books(path, issues, **values):
    """Write a list in the form of Metron's command; the books are not in their order."""
    books = [{"index": 10 * index, "issue_id": issue} for index, issue in enumerate(issues, 1)]
    path.write_bytes(orjson.dumps({"name": path.stem, "source": "CBRO", "books": books[::-1]} | values))
    return path


@pytest.fixture
def issues(make):
    """The ids of three issues of one series; there is an official account, too."""
    make.user(OFFICIAL)
    with make.single_commit():
        series = make.series(name="Lamplight", year_began=2019)
        made = [
            make.issue(series=series, number=str(number), cover_date=date(2019, number, 1))
            for number in (1, 2, 3)
        ]
    return [issue.id for issue in made]


def test_import_of_books_makes_a_public_list_of_the_official_account(comicsdb, issues, rows, tmp_path):
    first, second, third = issues
    path = write_books(tmp_path / "x.json", (third, first, third, second), name="[1963-1970] The Long Night")
    told = comicsdb("import-reading-lists", path, "--dry-run")
    assert told.endswith(
        "1 lists with 3 issues added for Metron, 0 exist already. Dry run: nothing was changed.\n"
    )
    assert rows(LISTS) == []
    assert comicsdb("import-reading-lists", path) == (
        f"{path}: entries that are repeated and left out: 1\n"
        "added   The Long Night\n1 lists with 3 issues added for Metron, 0 exist already.\n"
    )
    assert rows(LISTS) == [("Metron", "The Long Night", "CBRO", False)]
    numbered = [(third, 1), (first, 2), (second, 3)]
    assert rows(ITEMS) == [("The Long Night", issue, order) for issue, order in numbered]
    # A list of that name and source is left alone; one from another source is not the same.
    write_books(path, (first,), name="The Long Night")
    assert "exists  The Long Night\n0 lists" in comicsdb("import-reading-lists", path)
    assert len(rows(ITEMS)) == 3
    write_books(path, (first,), name="(2019) The Long Night", source="")
    assert "added   The Long Night\n" in comicsdb("import-reading-lists", path)


def test_import_of_folders_and_archives_reads_cbl_for_an_account(
    comicsdb, make, issues, rows, open_session, tmp_path
):
    ann = make.user("ann")
    shelf = [open_session.get(Issue, issue) for issue in issues[1:]]
    exported = make_list(open_session, ann, shelf, name="Exported")
    folder = tmp_path / "lists" / "below"
    folder.mkdir(parents=True)
    (folder / "one.CBL").write_bytes(write_cbl(open_session, open_session.get(ReadingList, exported.id)))
    (folder / "notes.txt").write_text("no list")
    with zipfile.ZipFile(tmp_path / "lists" / "more.zip", "w") as archive:
        books = "".join(BOOK.format("Lamplight", number) for number in (2, 1))
        archive.writestr("a/two.cbl", f"<ReadingList><Name>Two</Name><Books>{books}</Books></ReadingList>")
        archive.writestr("read me.md", "no list")
    told = comicsdb("import-reading-lists", tmp_path / "lists", "--account", "ANN")
    assert told.splitlines() == [
        "exists  Exported",
        "added   Two",
        "1 lists with 2 issues added for ann, 1 exist already.",
    ]
    assert rows(LISTS)[1:] == [("ann", "Two", "", True)]
    assert rows(ITEMS)[2:] == [("Two", issues[1], 1), ("Two", issues[0], 2)]
    comicsdb("import-reading-lists", tmp_path / "lists" / "more.zip", "--public")
    assert rows(LISTS)[2:] == [("Metron", "Two", "", False)]


def test_file_with_unknown_issues_is_refused_unless_they_are_skipped(comicsdb, issues, rows, tmp_path):
    path = write_books(tmp_path / "gaps.json", (issues[0], 999_999, issues[1]))
    other = write_books(tmp_path / "whole.json", issues)
    told = comicsdb("import-reading-lists", path, other, code=1)
    assert f"{path}: not certainly in the catalog: 999999\n" in told  # no id of ours ever
    assert told.endswith(f"Error: Nothing was imported from {path}.\n")
    assert [name for _user, name, *_more in rows(LISTS)] == ["whole"]
    told = comicsdb("import-reading-lists", path, "--skip-missing")
    assert "added   gaps\n1 lists with 2 issues" in told
    assert [order for name, _issue, order in rows(ITEMS) if name == "gaps"] == [1, 2]
    # A list of which nothing is known is not added empty.
    write_books(path, (999_999,), name="nothing")
    assert "0 lists with 0 issues" in comicsdb("import-reading-lists", path, "--skip-missing")


def test_entries_of_missing_issues_stay_in_their_lists_unless_they_are_skipped(
    comicsdb, issues, rows, tmp_path
):
    books = "".join(BOOK.format("Lamplight", number) for number in (9, 1, 10))
    path = tmp_path / "gaps.cbl"
    path.write_text(f"<ReadingList><Name>Gaps</Name><Books>{books}</Books></ReadingList>")
    told = comicsdb("import-reading-lists", path)
    assert f"{path}: not certainly in the catalog: Lamplight (2019) #10\n" in told
    assert "added   Gaps\n1 lists with 1 issues added" in told
    waiting = 'SELECT number, "position" FROM reading_list_pending ORDER BY "position"'
    assert rows(waiting) == [("9", 1), ("10", 3)]
    path.write_text(path.read_text().replace("Gaps", "Whole"))
    comicsdb("import-reading-lists", path, "--skip-missing")
    assert len(rows(waiting)) == 2


def test_invalid_files_are_refused_with_the_reason_and_the_others_are_imported(
    comicsdb, issues, rows, tmp_path
):
    reasons = {
        "unsourced": ({"source": "Rumours"}, "The “source” of the list is “Rumours”, not one of: CBRO "),
        "unnamed": ({"name": ""}, "A reading list in the file has no name"),
        "unnumbered": ({"books": [{"issue_id": issues[0]}]}, "Each of the “books” needs an “index”"),
        "odd": ({"books": [7]}, "Each of the “books” needs an “index”"),
        "bookless": ({"books": None}, "This JSON is not a comicsdb library"),
    }
    paths = [
        write_books(tmp_path / f"{name}.json", issues, **values) for name, (values, _) in reasons.items()
    ]
    (tmp_path / "broken.cbl").write_text("<ReadingList><Name>")
    whole = write_books(tmp_path / "whole.json", issues)
    told = comicsdb("import-reading-lists", *paths, tmp_path / "broken.cbl", whole, code=1)
    for path, (_values, reason) in zip(paths, reasons.values(), strict=True):
        assert f"{path}: {reason}" in told
    assert f"{tmp_path}/broken.cbl: This XML cannot be read" in told
    assert [name for _user, name, *_more in rows(LISTS)] == ["whole"]
    (tmp_path / "broken.zip").write_text("no archive")
    assert "cannot be read" in comicsdb("import-reading-lists", tmp_path / "broken.zip", code=1)
    assert "no active account with the name nobody" in comicsdb(
        "import-reading-lists", whole, "--account", "nobody", code=1
    )
