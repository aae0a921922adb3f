"""Several reading lists at once: archives of CBL files."""

import io
import zipfile

import pytest
from sqlalchemy import select

from comicsdb.catalog import Catalog, InvalidError
from comicsdb.library.transfer import background, reading
from comicsdb.library.transfer.imports import upload
from comicsdb.library.transfer.reading import read_file
from comicsdb.models import LibraryImport, ReadingList, ReadingListItem
from tests.core.library.library_files import create_catalog, import_file
from tests.core.library.transfer.test_background import confirm, finish
from tests.factories import Factories


def archive_of(files: dict[str, str | bytes]) -> bytes:
    """A compressed archive of files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def cbl_of(name: str, *numbers: int) -> str:
    """A CBL file with issues of one series."""
    books = "".join(f'<Book Series="The Lamplighter" Number="{n}" Volume="2018"/>' for n in numbers)
    return f"<ReadingList><Name>{name}</Name><Books>{books}</Books></ReadingList>"


FILES = {
    "orders/b.CBL": cbl_of("Night", 3, 1),
    "orders/a.cbl": cbl_of("Night", 2),
    "orders/Third part.cbl": cbl_of("", 1),
    "orders/read me.txt": "no list",
    "__MACOSX/orders/._a.cbl": b"\0\5\x16\7",
}


def test_import_of_archive_adds_each_list_with_a_name_of_its_own(session, make):
    create_catalog(make)
    user = make.user()
    counted = import_file(session, user, archive_of(FILES))
    assert counted == {"reading_lists_added": 3, "reading_list_items_added": 4}
    rows = select(ReadingList.name, ReadingListItem.order).join_from(ReadingListItem, ReadingList)
    assert set(session.execute(rows).all()) == {
        ("Third part", 1),
        ("Night", 1),
        ("Night (2)", 1),
        ("Night (2)", 2),
    }
    assert import_file(session, user, archive_of(FILES)) == {}


def test_large_archive_is_imported_in_the_background_as_private_as_chosen(factory, monkeypatch):
    for limit in ("LARGE", "LARGE_ROWS"):
        monkeypatch.setattr(background, limit, 0)
    with factory() as session:
        make = Factories(Catalog(session))
        create_catalog(make)
        options = {"currency": "USD", "rows": 99, "megabytes": 1, "is_private": True}
        made = upload(session, make.user().id, "a.zip", archive_of(FILES), **options)
        session.commit()
        finish(factory)
        queued = session.get_one(LibraryImport, made.id, populate_existing=True)
        confirm(session, queued)
        session.commit()
        finish(factory)
        assert session.scalars(select(ReadingList.is_private)).all() == [True] * 3


def test_archive_with_unreadable_files_is_refused_and_names_them():
    files = {"a.cbl": cbl_of("A", 1), "b.cbl": "<ReadingList>", "c.cbl": "<html/>"}
    with pytest.raises(InvalidError) as refused:
        read_file(archive_of(files), rows=9, megabytes=1)
    texts = [text.interpolate() for text in refused.value.errors["file"]]
    assert [text for text in texts if "cannot be read." in text and ".cbl" in text] == [
        "The file “b.cbl” cannot be read.",
        "The file “c.cbl” cannot be read.",
    ]
    assert len(texts) == 4


@pytest.mark.parametrize(
    "files",
    [
        {f"{number}.cbl": cbl_of("A") for number in range(reading.LISTS_MAX + 1)},
        {f"{number}.cbl": cbl_of("A", 1, 2, 3, 4) for number in range(3)},
        {"a.cbl": cbl_of("A") + " " * 2_000_000},
    ],
)
def test_archive_beyond_a_limit_is_refused(files):
    with pytest.raises(InvalidError) as refused:
        read_file(archive_of(files), rows=9, megabytes=1)
    assert set(refused.value.errors) == {"file"}
