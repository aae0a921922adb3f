"""Errors in forms: shown beside the field and above the form, which keeps everything that was typed."""

from datetime import date

from webtest import Upload

from comicsdb.models import Issue, Publisher, Series
from tests.web.conftest import field_errors, soup
from tests.web.forms.form_helpers import (
    checkbox_labels,
    kept_files,
    open_form,
    picture,
    submit_form,
    value,
)


def test_everything_typed_is_kept_and_everything_wrong_is_told(testapp, nora, world, session):
    before = session.query(Issue).count()
    typed = {
        "number": "",
        "cover_date": "soon",
        "foc_date": "1899-12-31",
        "page": "many",
        "price": "-1",
        "cv_id": "-4",
        "name": "One; Two",
        "desc": "<b>\nkept",
        "characters": [world.character.id],
        "image": picture("front.png"),
    }
    page = submit_form(open_form(testapp, "/issue/create/"), typed, status=422)
    found = field_errors(page)
    assert set(found) == {"series", "number", "cover_date", "foc_date", "page", "price", "cv_id"}
    assert found["series"] == found["number"] == "This field is required."
    assert found["foc_date"] == "Dates before 1900 are not accepted."
    assert kept_files(page) == {"image": "front.png"}
    for name in set(typed) - {"characters", "image"}:
        assert value(page, name) == typed[name], name
    assert checkbox_labels(page, "characters", ticked=True) == ["Lamplighter Wick"]
    summary = soup(page).select_one(".form-errors")
    assert summary["role"] == "alert"
    leads = [link["href"].removeprefix("#") for link in summary.select("li a")]
    assert set(leads) == set(found)
    for name in leads:
        element = soup(page).find(id=name)
        assert element is not None, name
        assert f"{name}-error" in element["aria-describedby"].split()
        assert element.get("aria-invalid") == "true"
    assert session.query(Issue).count() == before


REFUSED = [
    ("name", "  ", "This field is required."),
    ("name", "x" * 256, "Enter at most 255 characters."),
    ("name", "a\0b", "Null characters are not allowed."),
    ("name", "a\ufdd0b", "Please remove the character U+FDD0: it is not allowed here."),
    ("alt_names", f"ok; {'y' * 256}", "Enter at most 255 characters."),
    ("founded", "20226", "Enter 2100 or less."),
    ("country", "XX", "“XX” is not one of the options: choose another."),
]


def test_a_change_that_cannot_be_is_refused_and_changes_nothing(testapp, nora, world, session):
    form = open_form(testapp, f"/publisher/{world.publisher.slug}/update/")
    for field, typed, said in REFUSED:
        page = submit_form(form, {field: typed, "desc": "New."}, status=422)
        assert field_errors(page) == {field: said}
    session.expire_all()
    assert (world.publisher.name, world.publisher.desc) == ("Harbor House", "First.\n\nSecond\nline.")


def test_a_file_that_is_no_picture_is_refused(testapp, nora, world, session):
    form = open_form(testapp, f"/publisher/{world.publisher.slug}/update/")
    page = submit_form(form, {"image": Upload("logo.png", b"no picture", "image/png")}, status=422)
    assert field_errors(page)["image"].startswith("The file ")
    session.expire_all()
    assert world.publisher.image == ""


def test_what_is_taken_is_told_beside_the_field_with_the_way_to_the_other(testapp, nora, world, make):
    typed = {"series": [world.series.id], "number": "2", "cover_date": "2019-09-01", "cv_id": "21"}
    page = submit_form(open_form(testapp, "/issue/create/"), typed, status=422)
    assert field_errors(page) == {
        "number": "This series already has an issue with this number: Lamplight (2019) #2",
        "cv_id": "This Comic Vine ID is already used by Lamplight (2019) #1",
    }
    link = soup(page).select_one("#number-error a")
    assert link["href"] == f"/issue/{world.second.slug}/"
    other = make.series(name="Lamplight", publisher=world.publisher, volume=2)
    page = submit_form(open_form(testapp, f"/series/{other.slug}/update/"), {"volume": "1"}, status=422)
    assert field_errors(page)["name"].startswith(
        "This publisher already has a series with this name, volume and type"
    )
    typed = {"name": "Prime", "designation": "Earth 7", "publisher": [world.publisher.id]}
    page = submit_form(open_form(testapp, "/universe/create/"), typed, status=422)
    assert "universe with this name and designation" in field_errors(page)["name"]


def test_rules_over_several_fields_do_not_mind_that_one_of_them_is_missing(testapp, nora, world, make):
    typed = {"title": "A title", "arcs": [world.arc.id], "series": [], "number": "1"}
    assert set(field_errors(submit_form(open_form(testapp, "/issue/create/"), typed, status=422))) == {
        "series"
    }
    typed = {"series": ["999999"], "number": "1", "cover_date": "2020-01-01", "characters": ["7777777"]}
    found = field_errors(submit_form(open_form(testapp, "/issue/create/"), typed, status=422))
    assert found == dict.fromkeys(("series", "characters"), "Your choice no longer exists: choose another.")
    typed = {"series": ["x"], "number": "1", "cover_date": "2020-01-01"}
    assert set(field_errors(submit_form(open_form(testapp, "/issue/create/"), typed, status=422))) == {
        "series"
    }
    typed = {
        "name": "N",
        "sort_name": "N",
        "volume": "1",
        "year_began": "x",
        "year_end": "1990",
        "cv_id": "3",
    }
    found = field_errors(submit_form(open_form(testapp, "/series/create/"), typed, status=422))
    assert set(found) == {"publisher", "series_type", "year_began"}
    imprint = make.imprint()
    form = open_form(testapp, f"/series/{world.series.slug}/update/")
    assert (
        "another publisher"
        in field_errors(submit_form(form, {"imprint": [imprint.id]}, status=422))["imprint"]
    )


def test_advisory_rules_refuse_a_breach_only_where_its_field_was_changed(testapp, nora, world, make, session):
    book, arc = world.book, world.arc
    make.catalog.update(book, {"cv_id": 900, "associated": [world.series.id]})
    reprint = world.reprint
    make.catalog.update(reprint, {"title": "Old", "arcs": [arc.id], "isbn": "123", "upc": "5", "sku": "A-1"})
    session.commit()
    submit_form(open_form(testapp, f"/series/{book.slug}/update/"), {"desc": "Fine."})
    submit_form(open_form(testapp, f"/issue/{reprint.slug}/update/"), {"desc": "Fine."})
    typed = {"cv_id": "901", "associated": [world.series.id, make.series().id]}
    found = field_errors(submit_form(open_form(testapp, f"/series/{book.slug}/update/"), typed, status=422))
    assert set(found) == {"cv_id", "associated"}
    typed = {"title": "New", "arcs": [arc.id, make.arc().id], "isbn": "1234", "upc": "6", "sku": "A-2"}
    found = field_errors(submit_form(open_form(testapp, f"/issue/{reprint.slug}/update/"), typed, status=422))
    assert set(found) == {"title", "arcs", "isbn", "upc", "sku"}
    life = {"birth": "1950-01-02", "death": "1950-01-01"}
    form = open_form(testapp, f"/creator/{world.inker.slug}/update/")
    assert field_errors(submit_form(form, life, status=422)) == {
        "death": "The date of death is before the date of birth."
    }
    life = {"birth": "1950-06-02", "death": "1949"}
    assert set(field_errors(submit_form(form, life, status=422))) == {"death"}
    submit_form(form, {"birth": "1950-06-02", "death": "1950"})
    session.refresh(world.inker)
    assert (world.inker.death, world.inker.death_precision) == (date(1950, 1, 1), "year")
    # Removing values is no breach, and issues of a series that allows titles may have one.
    emptied = {"title": "", "arcs": [], "isbn": "", "upc": "", "sku": ""}
    submit_form(open_form(testapp, f"/issue/{reprint.slug}/update/"), emptied)
    submit_form(
        open_form(testapp, f"/series/{book.slug}/update/"),
        {"cv_id": "", "associated": [], "collection": ["", "1"]},
    )
    submit_form(open_form(testapp, f"/issue/{reprint.slug}/update/"), {"title": "New"})
    session.expire_all()
    assert (reprint.title, book.cv_id, book.collection) == ("New", None, True)


def test_a_title_that_the_series_does_not_allow_cannot_be_typed(testapp, nora, world, make, session):
    def disabled(issue):
        return soup(testapp.get(f"/issue/{issue.slug}/update/")).find(id="title").has_attr("disabled")

    assert disabled(world.first)
    make.catalog.update(world.second, {"title": "There already"})
    make.catalog.update(world.book, {"collection": True})
    session.commit()
    assert [disabled(issue) for issue in (world.second, world.reprint)] == [False, False]
    submit_form(open_form(testapp, f"/issue/{world.first.slug}/update/"), {"desc": "Sent without a title."})


def test_who_seems_to_be_there_already_is_shown_before_a_second_is_made(testapp, nora, world, session):
    number = session.query(Publisher).count()
    for name in ("Harbour House", "PORTO PRESS"):
        page = submit_form(
            open_form(testapp, "/publisher/create/"), {"name": name, "image": picture()}, status=422
        )
        notice = soup(page).select_one(".notice")
        assert notice.select_one("a")["href"] == f"/publisher/{world.publisher.slug}/"
        assert kept_files(page) == {"image": "cover.png"}
    assert session.query(Publisher).count() == number
    # A refusal rolls back everything on the test's only connection, including the stored picture.
    submit_form(page, {"image": picture()}, press=("anyway", "1"))
    assert session.query(Publisher).count() == number + 1
    submit_form(open_form(testapp, "/publisher/create/"), {"name": "Quite Another"})
    for kind, name in (("series", "Lamplights"), ("creator", "the line"), ("universe", "PRIME")):
        typed = {"name": name, "sort_name": name, "volume": 1, "year_began": 2000, "series_type": 13}
        form = open_form(testapp, f"/{kind}/create/")
        typed = {each: typed[each] for each in typed if each in form.fields}
        page = submit_form(form, typed | {"publisher": [world.publisher.id]}, status=422)
        assert soup(page).select_one(".notice") is not None, kind
    assert session.query(Series).filter_by(name="Lamplights").count() == 0
