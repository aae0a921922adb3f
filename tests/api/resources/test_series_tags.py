"""The tags of a series' issues as ZIP archives: contents, pages, and conditional requests."""

import io
import zipfile
from datetime import date

import pytest
from sqlalchemy import select, update

from comicsdb.library import ratings
from comicsdb.models import Issue
from comicsdb.tags import FORMATS
from comicsdb.tags.archive import folder
from comicsdb_api.resources import series_tags
from tests.tag_schemas import valid_comicinfo, valid_metroninfo

VALID = {"comicinfo": valid_comicinfo, "metroninfo": valid_metroninfo}


@pytest.fixture
def series(make):
    """A series of three issues, and another series."""
    with make.single_commit():
        found = make.series(name="Harbor: Lights/../..", year_began=2019)
        for month, number in enumerate(("1", "½", "1/2 <x>"), 1):
            make.issue(series=found, number=number, cover_date=date(2019, month, 1), cv_id=50 + month)
        make.issue()
    return found


def files(answer):
    """The files of an archive, by name, in order."""
    assert answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        return {each: archive.read(each) for each in archive.namelist()}


@pytest.mark.parametrize("format_", FORMATS, ids=lambda each: each.name)
def test_each_issue_has_a_folder_with_its_file(api, make, series, format_):
    answer = api.get(f"/api/series/{series.id}/{format_.name}/", headers={"Accept": "application/zip"})
    found = files(answer)
    ids = [each["id"] for each in api.json(f"/api/series/{series.id}/issue_list/")["results"]]
    numbers = ("1", "½", "1_2 _x_")
    assert list(found) == [
        f"Harbor_ Lights_.._ (2019) {number} [{object_id}]/{format_.file_name}"
        for number, object_id in zip(numbers, ids, strict=True)
    ]
    for object_id, content in zip(ids, found.values(), strict=True):
        assert content == api.get(f"/api/issue/{object_id}.{format_.name}").body
        VALID[format_.name](content)
    assert answer.headers["Content-Disposition"].endswith(f'series-{series.id}-{format_.name}.zip"')
    assert "Link" not in answer.headers


@pytest.mark.parametrize(("letters", "times"), [("ゆ", 100), ("é", 150), ("x🌊", 75), ("Tide ", 50)])
def test_folders_have_names_that_file_systems_allow(letters, times):
    name = letters * times
    issue = {"series": {"name": name, "year_began": 2019}, "number": "½" * 25, "id": 2_147_483_647}
    begin, end, rest = folder(issue).partition(f" (2019) {'½' * 25} [2147483647]")
    assert (name.startswith(begin), bool(end), rest) == (True, True, "")
    assert 100 < len(begin.encode()) <= 255 - len(end.encode())


def test_times_that_archives_cannot_tell_become_the_nearest(api, series, session):
    times = ["1970-01-02 03:04:05+00", "2026-03-04 05:06:07+00", "2345-06-07 08:09:10+00"]
    ids = session.scalars(select(Issue.id).where(Issue.series_id == series.id).order_by(Issue.id)).all()
    for issue_id, modified in zip(ids, times, strict=True):
        session.execute(update(Issue).where(Issue.id == issue_id).values(modified=modified))
    session.commit()
    answer = api.get(f"/api/series/{series.id}/comicinfo/")
    assert len(files(answer)) == 3
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert [each.date_time for each in archive.infolist()] == [
            (1980, 1, 1, 0, 0, 0),
            (2026, 3, 4, 5, 6, 6),  # in steps of two seconds
            (2107, 12, 31, 23, 59, 58),
        ]


def test_long_series_have_several_archives(api, series, monkeypatch):
    monkeypatch.setattr(series_tags, "ISSUES_MAX", 2)
    monkeypatch.setattr(series_tags, "rows_query", series_tags.rows_query.__wrapped__)
    path = f"/api/series/{series.id}/comicinfo/"
    first = api.get(path)
    second = api.get(f"{path}?page=2")
    assert first.headers["Link"] == f'<http://localhost{path}?page=2>; rel="next"'
    assert "Link" not in second.headers
    assert (len(files(first)), len(files(second))) == (2, 1)
    for page in ("3", "0", "x", "last", "-1"):
        api.get(f"{path}?page={page}", 404)


def test_whoever_has_it_gets_304_until_something_in_it_changes(api, make, series, session, reader):
    path = f"/api/series/{series.id}/comicinfo/"
    first = api.get(path)
    assert api.get(path).body == first.body
    dated = {"If-Modified-Since": first.headers["Last-Modified"]}
    api.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    issue = session.scalars(select(Issue).where(Issue.series_id == series.id)).first()
    arc = make.arc(name="Apex")
    make.catalog.update(issue, {"arcs": [arc.id]})
    session.commit()
    second = api.get(path, 200, {"If-None-Match": first.headers["ETag"]})
    ratings.rate(session, issue, reader.id, 4, today=date(2026, 3, 4))
    session.commit()
    third = api.get(path, 200, {"If-None-Match": second.headers["ETag"]})
    assert [b"CommunityRating" in b"".join(files(each).values()) for each in (second, third)] == [False, True]
    make.catalog.update(arc, {"name": "Zenith"})
    session.commit()
    assert b"Zenith" in b"".join(files(api.get(path, 200, dated)).values())


def test_an_empty_series_has_an_empty_archive(api, make):
    assert files(api.get(f"/api/series/{make.series().id}/metroninfo/")) == {}


def test_only_archives_are_sent(api, anonymous, series):
    path = f"/api/series/{series.id}/comicinfo/"
    api.get(path, 406, {"Accept": "application/json"})
    api.get(f"{path}?format=json", 404)
    api.get(path.rstrip("/") + ".json", 404)
    api.get("/api/series/999999/comicinfo/", 404)
    anonymous.get(path, 401)
