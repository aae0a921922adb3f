"""New issues from the tags in comic files, and the list to review them; archives and tags may be hostile."""

import struct
from datetime import date
from zipfile import ZIP_BZIP2, ZipFile

import pytest

from comicsdb.accounts import drafts
from comicsdb.exchange import tagged_files
from comicsdb.exchange.comic_files import UnreadableError, import_files, read_tags
from comicsdb.models import Issue, TaggedFile
from tests.conftest import record_statements
from tests.web.conftest import form_with, soup

LIST = "/accounts/comic-files/"
COST = 5  # statements

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


def outcomes(session, user, folder):
    """Import a folder; returns the status of each file."""
    return {each.file: each.status for each in import_files(session, user.id, folder.path)}


def buttons(page, name):
    """The ids of the rows that have this button."""
    return [each["value"] for each in page.select(f"button[name={name}]")]


def test_what_is_known_is_counted_and_the_rest_is_entered_from_a_list(testapp, world, session, folder, nora):
    known = COMICINFO.format(series="Lamplight", number="1").replace("<Month>7", "<Month>5")
    folder("known.cbz", known)
    new = COMICINFO.format(series="Quiet Harbor", number="7").replace("<Month>7", "<Day>31</Day><Month>6")
    folder("new/one.cbz", new)
    folder("new/same.cbz", new)
    folder("two.CBZ", METRONINFO.format(series="Quiet Harbor", number="8"), "sub/MetronInfo.xml")
    folder("bare.cbz", "<ComicInfo><Title>x</Title></ComicInfo>")
    folder("none.cbz", "", "readme.txt")
    folder(b"b\xff.cbz".decode(errors="surrogateescape"), COMICINFO.format(series="Ebbing", number="9"))
    (folder.path / "broken.cbz").write_bytes(b"no archive")
    issues = session.query(Issue).count()
    expected = {
        "bare.cbz": "unreadable", "broken.cbz": "unreadable", "known.cbz": "known",
        "none.cbz": "without tags", "b\N{REPLACEMENT CHARACTER}.cbz": "new",
        "new/one.cbz": "new", "new/same.cbz": "new", "two.CBZ": "new",
    }  # fmt: skip
    for _ in range(2):  # a second import adds nothing
        assert outcomes(session, nora, folder) == expected
        assert session.query(TaggedFile).count() == 3
    assert session.query(Issue).count() == issues
    page = soup(testapp.get(LIST))
    assert [each.get_text(strip=True) for each in page.select("tbody th")] == [
        "Ebbing (2019) #9",
        "Quiet Harbor (2019) #7",
        "Quiet Harbor (2019) #8",
    ]
    forms = []
    for each in buttons(page, "enter")[1:]:
        answer = post(testapp, enter=each)
        assert answer.location == post(testapp, enter=each).location  # one draft only
        forms.append(soup(answer.follow()))
    assert [each.find(attrs={"name": "number"})["value"] for each in forms] == ["7", "8"]
    assert [each.find(attrs={"name": "series-q"})["value"] for each in forms] == ["Quiet Harbor (2019)"] * 2
    # The first file tells no day that there is.
    assert [each.find(attrs={"name": "cover_date"})["value"] for each in forms] == ["2019-06", "2019-08-01"]
    assert forms[1].select_one("textarea[name=name]").get_text().strip() == "Ebb; Flow"
    written = [each.find(attrs={"name": "credits-text"}).get_text().strip() for each in forms]
    assert written == ["Writer: Ada Penwell", "Sam Reed (Writer, Artist)"]


def post(testapp, status=303, **pressed):
    """Press a button in the list."""
    form = form_with(testapp.get(LIST), "listed")
    return testapp.post(form.action, [*form.submit_fields(), *pressed.items()], status=status)


def test_one_that_was_entered_meanwhile_is_found_and_removed(testapp, world, session, folder, make, nora):
    folder("Quiet Harbor 007.cbz", COMICINFO.format(series="Quiet Harbor", number="7"))
    folder("Quiet Harbor 008.cbz", COMICINFO.format(series="Quiet Harbor", number="8"))
    outcomes(session, nora, folder)
    series = make.series(name="Quiet Harbor", year_began=2019, volume=1)
    issue = make.issue(series=series, number="7", cover_date=date(2019, 7, 1))
    session.commit()
    page = soup(testapp.get(LIST))
    assert [each.get_text(strip=True) for each in page.select("td .tag")] == ["found", "new"]
    assert page.select_one(f"td a[href='/issue/{issue.slug}/']")
    assert len(buttons(page, "enter")) == 1
    post(testapp, remove="1")
    (left,) = session.query(TaggedFile)
    assert left.file == "Quiet Harbor 008.cbz"
    assert outcomes(session, nora, folder) == {"Quiet Harbor 007.cbz": "known", "Quiet Harbor 008.cbz": "new"}
    assert session.query(TaggedFile).count() == 1


def test_several_that_it_may_be_are_shown(testapp, world, session, folder, make, nora):
    for year in (2018, 2020):
        series = make.series(name="Quiet Harbor", year_began=year)
        make.issue(series=series, number="7", cover_date=date(year, 7, 1))
    session.commit()
    folder("one.cbz", "<ComicInfo><Series>Quiet Harbor</Series><Number>7</Number></ComicInfo>")
    assert outcomes(session, nora, folder) == {"one.cbz": "ambiguous"}
    page = soup(testapp.get(LIST))
    assert page.select_one("td .tag").get_text(strip=True) == "perhaps"
    assert len(page.select("td a")) == 2
    assert len(buttons(page, "enter")) == 1


def test_comics_of_one_name_and_number_are_kept_apart(session, folder, nora):
    batman = (
        "<ComicInfo><Series>Batman</Series><Number>1</Number><Publisher>DC</Publisher>{}</ComicInfo>"
    ).format
    differing = {
        "1940": "<Volume>1</Volume><Year>1940</Year>",
        "2011": "<Volume>2</Volume><Year>2011</Year>",
        "later": "<Volume>2</Volume><Year>2016</Year>",
        "third": "<Volume>3</Volume><Year>2016</Year>",
        "italian": "<Volume>3</Volume><Year>2016</Year><LanguageISO>it</LanguageISO>",
        "book": "<Volume>3</Volume><Year>2016</Year><LanguageISO>it</LanguageISO><Format>TPB</Format>",
    }
    for name, more in differing.items():
        folder(f"{name}.cbz", batman(more))
    metron = METRONINFO.format(series="Batman", number="1")
    folder("metron.cbz", metron, "MetronInfo.xml")
    folder("metron later.cbz", metron.replace("2019-08", "2021-08"), "MetronInfo.xml")
    folder("same.cbz", batman(differing["book"]))  # it is the last of these two
    kept = {"metron.cbz", "metron later.cbz", *(f"{each}.cbz" for each in differing if each != "book")}
    for _ in range(2):  # a second import adds nothing
        outcomes(session, nora, folder)
        assert {each.file for each in session.query(TaggedFile)} == kept | {"same.cbz"}


def test_what_is_dismissed_stays_so_and_can_be_restored(testapp, world, session, folder, nora):
    folder("one.cbz", COMICINFO.format(series="Quiet Harbor", number="7"))
    assert outcomes(session, nora, folder) == {"one.cbz": "new"}
    (row,) = session.query(TaggedFile)
    post(testapp, dismiss=str(row.id))
    assert "No comic files to review." in testapp.get(LIST).text
    assert outcomes(session, nora, folder) == {"one.cbz": "dismissed"}
    form = form_with(testapp.get(f"{LIST}?dismissed=1"), "listed")
    assert form.action == f"{LIST}?dismissed=1"
    testapp.post(form.action, [*form.submit_fields(), ("restore", str(row.id))])
    assert outcomes(session, nora, folder) == {"one.cbz": "new"}
    assert buttons(soup(testapp.get(LIST)), "dismiss") == [str(row.id)]


def test_rows_and_drafts_have_limits(testapp, world, session, folder, monkeypatch, nora):
    monkeypatch.setattr(tagged_files, "FILES_MAX", drafts.DRAFTS_MAX + 1)
    for number in range(drafts.DRAFTS_MAX + 2):
        folder(f"{number:02d}.cbz", COMICINFO.format(series="Quiet Harbor", number=str(number + 1)))
    for _ in range(2):
        found = list(outcomes(session, nora, folder).values())
        assert found == ["new"] * (drafts.DRAFTS_MAX + 1) + ["waiting"]
    page = testapp.get(LIST)
    form, ids = form_with(page, "listed"), buttons(soup(page), "enter")
    answers = [testapp.post(form.action, [*form.submit_fields(), ("enter", each)]) for each in ids]
    assert [each.location.endswith(LIST) for each in answers] == [False] * drafts.DRAFTS_MAX + [True]
    assert "You have too many unsaved drafts." in testapp.get(LIST).text
    assert len(drafts.drafts_of(session, nora.id, tagged_files.PLACE)) == drafts.DRAFTS_MAX


def test_others_see_and_touch_nothing(testapp, world, session, folder, make, nora):
    other = make.user("Bob")
    session.commit()
    folder("one.cbz", COMICINFO.format(series="Quiet Harbor", number="7"))
    outcomes(session, other, folder)
    (row,) = session.query(TaggedFile)
    folder("two.cbz", COMICINFO.format(series="Quiet Harbor", number="8"))
    outcomes(session, nora, folder)
    assert buttons(soup(testapp.get(LIST)), "dismiss") != [str(row.id)]
    for name in ("enter", "dismiss", "restore"):
        for wrong in (str(row.id), "x", "99999999999999999999"):
            post(testapp, 404, **{name: wrong})
    post(testapp, listed="x", remove="1")
    session.refresh(row)
    assert not row.is_dismissed


def test_the_list_costs_a_fixed_number_of_statements(testapp, world, session, folder, make, nora):
    counts = []
    series = make.series(name="Quiet Harbor", year_began=2019)
    make.issue(series=series, number="1", cover_date=date(2019, 7, 1))
    for number in (1, 30):
        for each in range(number):
            folder(f"{each:02d}.cbz", COMICINFO.format(series="Quiet Harbor", number=str(each + 2)))
        outcomes(session, nora, folder)
        session.commit()
        testapp.get(LIST)
        with record_statements(session.connection()) as statements:
            testapp.get(LIST)
        counts.append(len(statements))
    assert counts == [COST, COST]


@pytest.mark.parametrize(
    ("name", "tags", "detail"),
    [
        (
            "a.cbz",
            "<Series>Quiet Harbor</Series><Number>7</Number><Volume>67-1</Volume><Count>85,5</Count>",
            "Quiet Harbor #7; Count was not read; Volume was not read",
        ),
        (
            "a.cbz",
            "<Series>Quiet Harbor</Series><Number>7</Number><Month>0</Month><PageCount>36 pages</PageCount>",
            "Quiet Harbor #7; Month was not read; PageCount was not read",
        ),
        ("Quiet Harbor 008.cbz", "<Series>Quiet Harbor</Series><Year>2019</Year>", "Quiet Harbor #8"),
        ("Quiet Harbor 009.cbz", "<Writer>Ada & Sam</Writer>", "Quiet Harbor #9"),
    ],
)
def test_comic_file_with_invalid_field_is_read_without_it(session, folder, nora, name, tags, detail):
    folder(name, f"<ComicInfo>{tags}</ComicInfo>")
    (outcome,) = import_files(session, nora.id, folder.path)
    assert (outcome.status, outcome.detail) == ("new", detail)


@pytest.mark.parametrize(
    ("document", "series"),
    [
        ("note\n<?xml version='1.0'?><ComicInfo><Series>Q</Series></ComicInfo>", "Q"),
        ("<ComicInfo><Series>Q & R &nbsp; S</Series></ComicInfo>", "Q & R &nbsp; S"),
        ("<ComicInfo><Series>Q\x0b\x80</Series></ComicInfo>", "Q"),
    ],
)
def test_tags_with_small_faults_are_read(folder, document, series):
    assert read_tags(folder("a.cbz", document)) == {"Series": series}


def test_tags_in_the_root_win_over_those_in_folders(folder):
    path = folder("a.cbz", "<ComicInfo><Series>Folder</Series></ComicInfo>", "sub/ComicInfo.xml")
    assert read_tags(path) == {"Series": "Folder"}
    with ZipFile(path, "a") as archive:
        archive.writestr("comicinfo.xml", "<ComicInfo><Series>Root</Series></ComicInfo>")
        archive.writestr("z/ComicInfo.xml", "<ComicInfo><Series>Other</Series></ComicInfo>")
    assert read_tags(path) == {"Series": "Root"}


def test_archives_and_tags_may_be_hostile(folder):
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><ComicInfo><Series>&a;</Series></ComicInfo>'
    files = [
        folder("entities.cbz", bomb),
        folder("utf16.cbz", bomb.encode("utf-16")),
        folder("large.cbz", "<ComicInfo>" + " " * 1_100_000 + "</ComicInfo>", compression=8),
        folder("many.cbz", "<ComicInfo>" + "<a/>" * 20_001 + "</ComicInfo>"),
        folder("deep.cbz", "<a>" * 20_001),
        folder("nested.cbz", "<a>" * 3000 + "</a>" * 3000),
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
