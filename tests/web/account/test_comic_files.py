"""Drafts of new issues from the tags in comic files; archives and tags may be hostile."""

import struct
from zipfile import ZIP_BZIP2, ZipFile

import pytest

from comicsdb.accounts import drafts
from comicsdb.exchange.comic_files import PLACE, UnreadableError, import_files, read_tags
from comicsdb.models import Issue
from tests.web.conftest import log_in, soup

COMICINFO = (
    "<ComicInfo><Series>{series}</Series><Volume>2019</Volume><Number>{number}</Number>"
    "<Title>Low Water</Title><Year>2019</Year><Month>7</Month>"
    "<Writer>Ada Penwell</Writer><PageCount>32</PageCount></ComicInfo>"
)
METRONINFO = (
    "<MetronInfo><Series lang='en'><Name>{series}</Name><StartYear>2019</StartYear></Series>"
    "<Number>{number}</Number><Stories><Story>Ebb</Story><Story>Flow</Story></Stories>"
    "<CoverDate>2019-08-01</CoverDate><Credits><Credit><Creator id='1'>Sam Reed</Creator>"
    "<Roles><Role>Writer</Role><Role>Artist</Role></Roles></Credit></Credits></MetronInfo>"
)


@pytest.fixture
def folder(tmp_path):
    """A function that writes a comic file with tags."""

    def write(name, text, tag="ComicInfo.xml", **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        with ZipFile(path, "w", **options) as archive:
            archive.writestr("p01.jpg", b"\xff\xd8")
            archive.writestr(tag, text)
        return path

    write.path = tmp_path
    return write


def test_what_is_known_is_listed_and_the_rest_becomes_drafts(testapp, world, session, folder, member):
    known = COMICINFO.format(series="Lamplight", number="1").replace("<Month>7", "<Month>5")
    folder("known.cbz", known)
    folder("new/one.cbz", COMICINFO.format(series="Quiet Harbor", number="7"))
    folder("new/same.cbz", COMICINFO.format(series="Quiet Harbor", number="7"))
    folder("two.CBZ", METRONINFO.format(series="Quiet Harbor", number="8"), "sub/MetronInfo.xml")
    folder("bare.cbz", "<ComicInfo><Title>x</Title></ComicInfo>")
    folder("none.cbz", "", "readme.txt")
    (folder.path / "broken.cbz").write_bytes(b"no archive")
    issues = session.query(Issue).count()
    expected = {
        "bare.cbz": "unreadable", "broken.cbz": "unreadable", "known.cbz": "known",
        "none.cbz": "without tags",
        "new/one.cbz": "draft", "new/same.cbz": "draft", "two.CBZ": "draft",
    }  # fmt: skip
    for _ in range(2):  # again adds nothing
        found = {each.file: each.what for each in import_files(session, member.id, folder.path)}
        assert found == expected
        stored = drafts.drafts_of(session, member.id, PLACE)
        assert len(stored) == 2
    assert session.query(Issue).count() == issues
    texts = [dict(drafts.find_draft(session, member.id, key).texts) for key, _stored in stored]
    first, second = sorted(texts, key=lambda each: each["number"])
    assert (first["series-q"], first["cover_date"]) == ("Quiet Harbor (2019)", "2019-07-01")
    assert (second["name"], second["cover_date"]) == ("Ebb; Flow", "2019-08-01")
    assert log_in(testapp).status_int == 303
    page = soup(testapp.get("/issue/create/"))
    links = [each["href"] for each in page.select(".drafts a")]
    assert len(links) == 2
    forms = [soup(testapp.get(link)) for link in links]
    assert {each.find(attrs={"name": "number"})["value"] for each in forms} == {"7", "8"}
    for form in forms:
        assert form.find(attrs={"name": "series-q"})["value"] == "Quiet Harbor (2019)"
        written = form.find(attrs={"name": "credits-text"}).get_text()
        assert written.strip() in {"Writer: Ada Penwell", "Sam Reed (Writer, Artist)"}


def test_other_drafts_are_not_pushed_out(session, member, folder):
    for number in range(drafts.DRAFTS_MAX + 2):
        folder(f"{number:02d}.cbz", COMICINFO.format(series="Quiet Harbor", number=str(number + 1)))
    outcomes = [each.what for each in import_files(session, member.id, folder.path)]
    assert outcomes == ["draft"] * drafts.DRAFTS_MAX + ["waiting"] * 2
    key, _stored = drafts.drafts_of(session, member.id, PLACE)[0]
    drafts.discard_draft(session, member.id, key)
    again = [each.what for each in import_files(session, member.id, folder.path)]
    assert again.count("waiting") == 1  # one more found its place; what was discarded does not come back


def test_archives_and_tags_may_be_hostile(folder):
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><ComicInfo><Series>&a;</Series></ComicInfo>'
    files = [
        folder("entities.cbz", bomb),
        folder("utf16.cbz", bomb.encode("utf-16")),
        folder("large.cbz", "<ComicInfo>" + " " * 1_100_000 + "</ComicInfo>", compression=8),
        folder("many.cbz", "<ComicInfo>" + "<a/>" * 20_001 + "</ComicInfo>"),
        folder("deep.cbz", "<a>" * 20_001),
        folder("cut.cbz", "<ComicInfo><Series>"),
        folder("bzip2.cbz", "<ComicInfo/>", compression=ZIP_BZIP2),
    ]
    long = folder("directory.cbz", "<ComicInfo/>")
    data = bytearray(long.read_bytes())
    struct.pack_into("<L", data, len(data) - 22 + 12, 17_000_000)
    long.write_bytes(data)
    for path in (*files, long):
        with pytest.raises(UnreadableError):
            read_tags(path)
