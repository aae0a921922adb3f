"""Names of reference data in the reader's language: on pages, in forms, filters and pickers."""

import pytest
from sqlalchemy import select

from comicsdb.models import Genre, Role, SeriesType
from tests.conftest import record_statements
from tests.web.admin.helpers import cells, log_in_as
from tests.web.conftest import field_errors, soup
from tests.web.forms.form_helpers import open_form, submit_form


@pytest.fixture
def visit(testapp):
    """`visit(path, language)`: the text of a page for an anonymous visitor, and its `X-Cache` header."""

    def read(path, language):
        testapp.reset()
        page = testapp.get(path, headers={"Accept-Language": language})
        return soup(page).main.get_text(" ", strip=True), page.headers["X-Cache"]

    return read


def test_staff_translate_names_and_every_page_follows(testapp, visit, world, make, session):
    make.catalog.update(
        world.series, {"genres": [session.scalar(select(Genre.id).where(Genre.name == "War"))]}
    )
    session.commit()
    series, issue = f"/series/{world.series.slug}/", f"/issue/{world.first.slug}/"
    assert "Guerra" in visit(series, "it")[0]
    assert "War" in visit(series, "en")[0]
    text, _cache = visit(issue, "it")
    assert "Sceneggiatore" in text
    assert "Writer" not in text
    assert "Writer" in visit(issue, "en")[0]
    assert visit(issue, "it")[1] == visit(issue, "en")[1] == "HIT"

    stamp = world.first.modified
    log_in_as(testapp, make, "Root", is_superuser=True)
    for kind, name, italian in (
        ("genre", "War", "Bellico"),
        ("role", "Writer", "Autore dei testi"),
        ("series_type", session.get(SeriesType, world.series.series_type_id).name, "Albetti"),
    ):
        model = {"genre": Genre, "role": Role, "series_type": SeriesType}[kind]
        number = session.scalar(select(model.id).where(model.name == name))
        path = f"/admin/{kind}/{number}/"
        page = submit_form(open_form(testapp, path), {"names-it": "x" * 51}, status=422)
        assert field_errors(page) == {"names": "Enter at most 50 characters."}
        submit_form(open_form(testapp, path), {"names-it": italian})
        assert f"it: {italian}" in cells(testapp.get(f"{path}history/"))[0][3]
    assert "it: Albetti" in testapp.get("/admin/action/").text
    session.expire_all()
    assert world.first.modified == stamp  # clients of the API see no change

    testapp.set_cookie("language", "it")
    with record_statements(session.connection()) as statements:
        found = testapp.get("/autocomplete/role/items", {"q": "dei testi"}).json["results"]
    assert [each["text"] for each in found] == ["Autore dei testi"]
    assert len(statements) < 10
    assert "Autore dei testi" in testapp.get(f"/issue/{world.first.slug}/update/").text
    form = soup(testapp.get(f"{series}update/"))
    names = [each.text.strip() for each in form.select("select[name=series_type] option")]
    assert "Albetti" in names
    assert names == sorted(names, key=str.casefold)
    assert "Bellico" in form.text
    assert "Albetti" in testapp.get("/series/").text

    for path, italian, english in ((series, "Bellico", "War"), (issue, "Autore dei testi", "Writer")):
        text, cache = visit(path, "it")
        assert (italian in text, cache) == (True, "MISS")
        assert english in visit(path, "en")[0]
