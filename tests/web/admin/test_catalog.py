"""The catalog in the administration: forms, slugs, deletion and history of all kinds and reference data."""

import pytest
from sqlalchemy import select

from comicsdb.models import CATALOG, AgeRating, FormerSlug, Genre, Group, Role, SeriesType, StaffAction
from comicsdb.models.choices import COUNTRIES, LANGUAGES
from tests.conftest import record_statements
from tests.web.admin.helpers import cells
from tests.web.conftest import field_errors, form_to, notice, soup
from tests.web.forms.form_helpers import checkbox_labels, open_form, picture, submit_form, value

KINDS = [model.__tablename__ for model in CATALOG]
REFERENCE = ["role", "series_type", "genre", "age_rating"]


def of(world, kind):
    return getattr(world, "first" if kind == "issue" else kind)


def messages(response, kind) -> list[str]:
    return [
        each.get_text(" ", strip=True).removesuffix(" Close")
        for each in soup(response).select(f".message-{kind}")
    ]


def lines(session) -> list[tuple]:
    """The lines of the audit log, oldest first."""
    found = session.scalars(select(StaffAction).order_by(StaffAction.id))
    return [(each.action, each.kind, each.target, each.change) for each in found]


def options(page, name) -> set[str]:
    return {each["value"] for each in soup(page).main.find("select", attrs={"name": name}).find_all("option")}


def test_every_kind_is_listed_and_has_a_form_and_a_history(testapp, root, world, session):
    page = soup(testapp.get("/admin/catalogue/"))
    assert {each["href"] for each in page.select(".tile a")} == {f"/admin/{k}/" for k in KINDS + REFERENCE}
    before = {kind: of(world, kind).modified for kind in KINDS}
    for kind in KINDS:
        entity, path = of(world, kind), f"/admin/{kind}/"
        assert f'href="{path}{entity.id}/"' in testapp.get(path)
        form = open_form(testapp, f"{path}{entity.id}/")
        assert value(form.page, "slug") == entity.slug
        assert {"cv_id", "gcd_id", "desc", "name"} <= form.fields
        assert soup(form.page).find(attrs={"data-rows": "attribution"}) is not None
        links = {each["href"] for each in soup(form.page).select(".admin-acts a")}
        site = f"/{kind}/{entity.slug}/"
        assert links == {site, f"{site}history/", f"{path}{entity.id}/delete/"}
        assert testapp.get(f"{path}{entity.id}/history/").location.endswith(f"{site}history/")
        assert messages(submit_form(form).follow(), "info") == ["Nothing to change."]
    testapp.get("/admin/genre/add/", status=200)
    session.expire_all()
    assert {kind: of(world, kind).modified for kind in KINDS} == before
    assert lines(session) == []
    for path in (
        "arc/0/",
        "arc/2147483647/",
        "arc/2147483648/delete/",
        "quiz/",
        "arc/x/",
        "genre/0/history/",
    ):
        testapp.get(f"/admin/{path}", status=404)


def test_another_address_keeps_the_old_one(testapp, boss, world, session, make):
    path, old = f"/admin/series/{world.series.id}/", world.series.slug
    answer = submit_form(open_form(testapp, path), {"slug": "lamp"})
    assert answer.location == f"http://localhost{path}"
    assert testapp.get(f"/series/{old}/", status=301).location == "http://localhost/series/lamp/"
    assert testapp.get(f"/issue/{world.first.slug}/")
    assert lines(session) == [("change", "series", f"{world.series.name} (2019)", {"slug": [old, "lamp"]})]
    submit_form(open_form(testapp, path), {"slug": old})  # the old slug can be restored
    assert session.get(FormerSlug, ("series", old)) is None
    assert session.get(FormerSlug, ("series", "lamp")).object_id == world.series.id
    other = f"/admin/series/{world.book.id}/"
    page = submit_form(open_form(testapp, other), {"slug": "lamp", "volume": "x"}, status=422)
    assert "belongs or belonged to another entry" in field_errors(page)["slug"]
    assert set(field_errors(page)) == {"slug", "volume"}
    assert value(page, "slug") == "lamp"
    assert "Enter a slug" in field_errors(submit_form(page, {"slug": " ", "volume": "1"}, status=422))["slug"]
    submit_form(open_form(testapp, "/admin/issue/" + str(world.first.id) + "/"), {"slug": "the-first"})
    assert testapp.get("/issue/the-first/", status=200)


def test_a_new_object_may_be_given_its_address(testapp, boss, session, make):
    wanted = {"name": "Night Crew", "slug": "crew"}
    answer = submit_form(open_form(testapp, "/admin/team/add/"), wanted)
    assert messages(answer.follow(), "success") == ["Night Crew was added to the catalog."]
    assert testapp.get("/team/crew/", status=200)
    assert lines(session) == [
        ("create", "team", "Night Crew", {"name": [None, "Night Crew"], "slug": [None, "crew"]})
    ]
    page = submit_form(open_form(testapp, "/admin/team/add/"), wanted | {"name": "Other"}, status=422)
    assert set(field_errors(page)) == {"slug"}
    page = submit_form(open_form(testapp, "/admin/team/add/"), {"name": "Night Crew"}, status=422)
    assert "Is it here already?" in page
    submit_form(page, {"name": "Night Crew"}, press=("anyway", "1"))
    assert testapp.get("/team/night-crew/", status=200)


def test_every_language_and_every_country_is_offered(testapp, boss, world, session):
    form = open_form(testapp, f"/admin/series/{world.series.id}/")
    assert options(form.page, "language") == {"", *LANGUAGES}
    assert len(LANGUAGES) == 100
    submit_form(form, {"language": "sr-latn", "alt_names": "Luce; Lume"})
    form = open_form(testapp, f"/admin/publisher/{world.publisher.id}/")
    assert options(form.page, "country") == set(COUNTRIES)
    assert len(COUNTRIES) == 249
    submit_form(form, {"country": "FR", "alt_names": "Porto; Port"})
    submit_form(open_form(testapp, f"/admin/universe/{world.universe.id}/"), {"cv_id": "77"})
    session.expire_all()
    assert (world.series.language, world.series.alt_names) == ("sr-latn", ["Luce", "Lume"])
    assert (world.publisher.country, world.publisher.alt_names) == ("FR", ["Porto", "Port"])
    assert world.universe.cv_id == 77


def test_advice_is_told_and_not_in_the_way(testapp, boss, world, session):
    path = f"/admin/issue/{world.first.id}/"
    wanted = {"isbn": "9780306406158", "title": "All of it", "variants-0-upc": "123", "credits-0-remove": "1"}
    answer = submit_form(open_form(testapp, path), wanted)
    page = answer.follow()
    assert messages(page, "success") == ["Saved."]
    told = messages(page, "warning")
    assert [each.split(":")[0] for each in told] == [
        "Saved, but please check Variant 1, UPC",
        "Saved, but please check ISBN",
        "Saved, but please check Collection title",
    ]
    session.expire_all()
    assert (world.first.isbn, world.first.title) == ("9780306406158", "All of it")
    ((action, kind, _target, change),) = lines(session)
    assert (action, kind) == ("change", "issue")
    assert set(change) == {"isbn", "title", "variants", "credits"}
    shown = testapp.get("/admin/action/").text
    assert "Collection title:" in shown
    assert "Variant covers:" in shown
    assert (
        messages(submit_form(open_form(testapp, path)).follow(), "warning") == []
    )  # unchanged values are not checked
    page = submit_form(open_form(testapp, path), {"isbn": "1", "page": "many"}, status=422)
    assert set(field_errors(page)) == {"page"}


def test_the_rows_of_an_issue_are_edited_here_too(testapp, boss, world, session, make):
    path = f"/admin/issue/{world.second.id}/"
    page = submit_form(open_form(testapp, path), status=200, press=("add", "credits"))
    page = submit_form(page, {"credits-0-creator-q": "Ada"}, status=200, press=("find", "credits-0-creator"))
    assert checkbox_labels(page, "credits-0-creator") == ["Ada Pencil 1950–", "Ada New creator"]
    sent = {
        "credits-0-creator": [world.creator.id],
        "credits-0-roles": [make.role("Writer").id],
        "variants-0-name": "Foil",
        "variants-0-image": picture(),
        "attribution-0-url": "https://example.org/",
        "attribution-0-source": "G",
        "image": picture("front.png"),
    }
    assert messages(submit_form(page, sent).follow(), "success") == ["Saved."]
    ((_action, _kind, target, change),) = lines(session)
    assert target == world.second.slug.replace("lamplight-2019-2", "Lamplight (2019) #2")
    assert set(change) == {"credits", "variants", "attributions", "image"}
    assert change["credits"][1] == [f"roles [{make.role('Writer').id}] creator {world.creator.id}"]
    session.expire_all()
    assert world.second.edited_by_id == boss.id


def test_reference_data_is_kept_here(testapp, root, session, make):
    answer = submit_form(
        open_form(testapp, "/admin/role/add/"), {"name": "Lettering", "order": "77", "is_writer": "1"}
    )
    role = session.scalars(select(Role).where(Role.name == "Lettering")).one()
    path = f"/admin/role/{role.id}/"
    assert answer.location == f"http://localhost{path}"
    assert (role.order, role.is_writer, role.is_artist, role.notes) == (77, True, False, "")
    taken = session.scalar(select(Role.order).where(Role.name == "Writer"))
    page = submit_form(open_form(testapp, path), {"order": str(taken)}, status=422)
    assert "already has this value" in field_errors(page)["order"]
    assert set(
        field_errors(submit_form(open_form(testapp, path), {"name": " ", "order": "-1"}, status=422))
    ) == {
        "name",
        "order",
    }
    submit_form(open_form(testapp, path), {"is_writer": "", "is_cover": "1"})
    session.expire_all()
    assert (role.is_writer, role.is_cover) == (False, True)
    rows = cells(testapp.get(f"{path}history/"))
    assert [row[2] for row in rows] == ["Updated", "Created"]
    assert "Is a cover" in rows[0][3]
    assert "First appearance" not in rows[1][3]
    page = submit_form(open_form(testapp, "/admin/genre/add/"), {"name": "HORROR"}, status=422)
    assert set(field_errors(page)) == {"name"}
    page = submit_form(
        open_form(testapp, "/admin/series_type/add/"), {"name": "Folio", "code": "omnibus"}, status=422
    )
    assert set(field_errors(page)) == {"code"}
    for name in ("Folio", "Leaflet"):  # two empty codes are not duplicates
        submit_form(open_form(testapp, "/admin/series_type/add/"), {"name": name})
    codes = select(SeriesType.code).where(SeriesType.name.in_(["Folio", "Leaflet"]))
    assert session.scalars(codes).all() == [None, None]
    submit_form(open_form(testapp, "/admin/age_rating/2/"), {"short_description": "Everyone."})
    assert session.get(AgeRating, 2).short_description == "Everyone."
    assert [line[:3] for line in lines(session)] == [
        ("create", "role", "Lettering"),
        ("change", "role", "Lettering"),
        ("create", "series_type", "Folio"),
        ("create", "series_type", "Leaflet"),
        ("change", "age_rating", "Everyone"),
    ]
    assert lines(session)[1][3] == {"is_cover": [False, True], "is_writer": [True, False]}


def test_reference_data_in_use_stays(testapp, root, session, make, world):
    for path in ("series_type/13/", "age_rating/1/"):
        page = testapp.get(f"/admin/{path}delete/")
        assert soup(page).select_one(".button-danger") is None
        form = form_to(page, f"/admin/{path}delete/")
        assert field_errors(form.submit(status=422))[""]
    assert "Some series have this type" in testapp.get("/admin/series_type/13/delete/")
    genre = session.scalars(select(Genre)).first()
    make.catalog.update(world.series, {"genres": [genre.id]})
    session.commit()
    name, path = genre.name, f"/admin/genre/{genre.id}/delete/"
    page = testapp.get(path)
    assert "1 series" in soup(page).select_one(".notice").get_text()
    done = form_to(page, path).submit(status=303)
    assert done.location == "http://localhost/admin/genre/"
    assert notice(done.follow()) == f"{name} was deleted."
    assert lines(session) == [("delete", "genre", name, {})]


def test_who_may_delete_a_kind_on_the_site_may_here(testapp, boss, world, session):
    path = f"/admin/issue/{world.second.id}/"
    testapp.get(f"{path}delete/", status=403)
    assert f"{path}delete/" not in testapp.get(path)
    group = session.scalars(select(Group).where(Group.name == "editor")).one()
    group.may_delete = ["issue"]
    boss.groups = [group]
    session.commit()
    form = form_to(testapp.get(f"{path}delete/"), f"{path}delete/")
    form["reason"] = "Twice"
    assert form.submit(status=303).location == "http://localhost/admin/issue/"
    assert lines(session) == [("delete", "issue", "Lamplight (2019) #2", {"reason": ["", "Twice"]})]
    testapp.get(path, status=404)
    rated = f"/admin/issue/{world.first.id}/delete/"
    assert "Only a superuser" in form_to(testapp.get(rated), rated).submit(status=422)
    testapp.get(f"/admin/series/{world.series.id}/delete/", status=403)
    testapp.get("/admin/genre/1/delete/", status=403)


def test_two_of_the_staff_keep_their_work(testapp, boss, world, session):
    path = f"/admin/arc/{world.arc.id}/"
    mine, theirs = open_form(testapp, path), open_form(testapp, path)
    submit_form(theirs, {"slug": "dusk"})
    page = submit_form(mine, {"desc": "Mine."}, status=409)
    assert value(page, "slug") == "dusk"
    assert value(page, "desc") == "Mine."
    submit_form(page)
    session.expire_all()
    assert (world.arc.slug, world.arc.desc) == ("dusk", "Mine.")


def test_translations_that_two_of_the_staff_change_are_compared(testapp, boss, session):
    mine, theirs = open_form(testapp, "/admin/role/5/"), open_form(testapp, "/admin/role/5/")
    submit_form(theirs, {"names-it": "Loro"})
    page = submit_form(mine, {"names-it": "Mio"}, status=409)
    assert "Loro" in soup(page).select_one("main").get_text()
    submit_form(page)
    assert session.get(Role, 5, populate_existing=True).names == {"it": "Mio"}


@pytest.mark.parametrize("kind", ["role", "series_type", "age_rating", "universe"])
def test_odd_values_are_told_beside_their_fields(testapp, root, world, kind):
    path = f"/admin/{kind}/{of(world, kind).id if kind in KINDS else 5}/"
    for odd in ("\0", "9" * 400, "é" * 300, "<odd>"):
        form = open_form(testapp, path)
        kept = {"csrf_token", "modified", "seen"}
        sent = [(name, each if name in kept else odd) for name, each in form.submit_fields()]
        answer = testapp.post(path, sent, content_type="multipart/form-data", status="*")
        assert answer.status_int == 422 or (answer.status_int == 303 and odd == "<odd>"), (odd, answer.status)
        if answer.status_int == 422:
            assert field_errors(answer), odd
        assert "<odd>" not in testapp.get(f"/admin/{kind}/").text


def test_a_form_costs_the_same_however_much_it_shows(testapp, boss, world, make, connection):
    def cost(path):
        with record_statements(connection) as statements:
            testapp.get(path, status=200)
        return len(statements), statements

    path = f"/admin/issue/{world.first.id}/"
    few, statements = cost(path)
    assert few <= 15, statements
    for _ in range(8):
        make.credit(world.first, make.creator(), "Writer", "Inker")
    assert cost(path)[0] == few
    history = "/admin/genre/1/history/"
    few, statements = cost(history)
    for name in ("One", "Two", "Three"):
        make.catalog.update(make.session.get(Genre, 1), {"name": name})
        make.session.commit()
    assert cost(history)[0] == few <= 5
