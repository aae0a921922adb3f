"""Concurrent edits of an object: no work is lost, and the form shows both versions."""

from comicsdb_web.forms.drafts import state_of
from tests.web.conftest import field_errors, notice, soup
from tests.web.forms.form_helpers import (
    checkbox_labels,
    kept_files,
    open_form,
    picture,
    submit_form,
    value,
)


def table(page) -> dict[str, list[str]]:
    """The notice of a conflict, by field: their value, yours, and which of them is in the form."""
    return {
        row.th.get_text(" ", strip=True): [cell.get_text(" ", strip=True) for cell in row.find_all("td")]
        for row in soup(page).select(".differences tbody tr")
    }


def test_both_versions_are_shown_and_one_can_go_on(testapp, nora, world, make, session):
    address = f"/issue/{world.first.slug}/update/"
    form = open_form(testapp, address)
    other = make.arc(name="Their Arc")
    theirs = {"desc": "Theirs.", "page": 99, "arcs": [world.arc.id, other.id], "rating": 4, "sku": "SAME1"}
    make.catalog.update(world.first, theirs)
    session.commit()
    before = state_of(session, world.first)
    page = submit_form(
        form, {"desc": "Mine.", "number": "1a", "sku": "SAME1", "image": picture("my.png")}, status=409
    )
    assert table(page) == {
        "Description": ["Theirs.", "Mine.", "yours"],
        "Pages": ["99", "not changed", "theirs"],
        "Story arcs": ["The Long Dusk, Their Arc", "not changed", "theirs"],
        "Age rating": ["Teen Plus", "not changed", "theirs"],
    }
    notice = soup(page).select_one(".notice-conflict")
    assert (notice["role"], notice.has_attr("autofocus")) == ("alert", True)
    assert [link["href"] for link in notice.select("a")] == ["#desc", "#page", "#rating", "#arcs"]
    assert (value(page, "desc"), value(page, "page"), value(page, "number")) == ("Mine.", "99", "1a")
    assert checkbox_labels(page, "arcs", ticked=True) == ["The Long Dusk", "Their Arc"]
    assert field_errors(page) == {}
    assert kept_files(page) == {"image": "my.png"}
    session.expire_all()
    assert state_of(session, world.first) == before
    submit_form(
        page, {"image_drop": "1"}
    )  # the 409 has rolled back the stored picture, which shares the connection of the test
    session.expire_all()
    assert state_of(session, world.first) == before | {"desc": "Mine.", "number": "1a"}


def test_rows_that_both_added_are_kept(testapp, nora, world, make, session):
    address = f"/issue/{world.first.slug}/update/"
    form = open_form(testapp, address)
    editor, third, fourth = make.role("Editor").id, make.creator(name="Cy"), make.creator(name="Di")
    present = state_of(session, world.first)["credits"]
    make.catalog.update(
        world.first,
        {
            "credits": [*present, {"creator": third.id, "roles": [editor]}],
            "attributions": [{"source": "G", "url": "https://www.comics.org/9"}],
        },
    )
    session.commit()
    mine = {"credits-5-creator": [fourth.id], "credits-5-roles": [editor]}
    page = submit_form(form, mine, status=409)
    found = table(page)
    assert set(found) == {"Credits", "Attribution"}
    assert "Cy · Editor" in found["Credits"][0]
    assert "Di · Editor" in found["Credits"][1]
    assert found["Attribution"][1:] == ["not changed", "theirs"]
    assert value(page, "attribution-0-url") == "https://www.comics.org/9"
    submit_form(page)
    session.expire_all()
    state = state_of(session, world.first)
    assert [credit["creator"] for credit in state["credits"]][-2:] == [third.id, fourth.id]
    assert state["attributions"] == [{"source": "G", "url": "https://www.comics.org/9"}]


def test_what_only_moved_a_stamp_is_no_conflict(testapp, nora, world, make, session):
    form = open_form(testapp, f"/issue/{world.first.slug}/update/")
    modified = world.first.modified
    make.catalog.update(world.series, {"name": "Lamplight Anew"})
    session.commit()
    session.refresh(world.first)
    assert world.first.modified > modified
    submit_form(form, {"desc": "Mine."})
    session.refresh(world.first)
    assert world.first.desc == "Mine."


def test_two_who_do_the_same_are_not_in_each_others_way(testapp, nora, world, make, session):
    form = open_form(testapp, f"/publisher/{world.publisher.slug}/update/")
    make.catalog.update(world.publisher, {"founded": 1940})
    session.commit()
    answer = submit_form(form, {"founded": "1940"})
    assert answer.location.endswith(f"/publisher/{world.publisher.slug}/")


def test_the_same_rows_in_another_order_are_no_conflict(testapp, nora, make, session):
    first, second = make.creator(), make.creator()
    issue = make.issue()
    make.credit(issue, second, "Writer")
    make.catalog.update(issue, {"external_ids": [{"source": "metron", "external_id": "7", "scope": ""}]})
    session.commit()
    form = open_form(testapp, f"/issue/{issue.slug}/update/")
    typed = {
        "credits-1-creator": [first.id],
        "credits-1-roles": [make.role("Writer").id],
        "external_ids-1-source": "metron",
        "external_ids-1-external_id": "5",
        "variants-0-name": "Foil",
        "variants-0-price": "3.99",
    }
    submit_form(form, typed)
    saved = state_of(session, issue)
    assert notice(submit_form(form, typed).follow()) == "Nothing to change."  # sent again after Back
    assert state_of(session, issue) == saved


def test_a_form_that_does_not_tell_what_it_has_seen_overwrites_nothing(testapp, nora, world, session):
    form = open_form(testapp, f"/publisher/{world.publisher.slug}/update/")
    for seen in ("", "name:0 desc", "name name:: :x"):
        page = submit_form(form, {"founded": "1940", "modified": "long ago", "seen": seen}, status=409)
        assert table(page)["Founded"] == ["1938", "1940", "yours"]
    session.refresh(world.publisher)
    assert world.publisher.founded == 1938


def test_pictures_conflict_as_well(testapp, nora, make, session):
    publisher = make.publisher()
    address = f"/publisher/{publisher.slug}/update/"
    first, second = open_form(testapp, address), open_form(testapp, address)
    third = open_form(testapp, address)
    submit_form(first, {"image": picture("a.png", colour="red")})
    session.refresh(publisher)
    image = publisher.image
    assert table(submit_form(second, {"image": picture("b.png")}, status=409)) == {
        "Logo": ["another picture", "b.png", "yours"]
    }
    page = submit_form(third, {"desc": "Mine."}, status=409)
    assert table(page) == {"Logo": ["another picture", "not changed", "theirs"]}
    submit_form(page)
    session.refresh(publisher)
    assert (publisher.image, publisher.desc) == (image, "Mine.")


def test_pictures_of_variants_conflict_as_well(testapp, nora, make, session):
    def variants():
        return state_of(session, issue)["variants"]

    issue = make.issue(variants=[{"name": "Foil"}, {"name": "Virgin"}])
    address = f"/issue/{issue.slug}/update/"
    first, second, third = (open_form(testapp, address) for _ in range(3))
    submit_form(first, {"variants-0-image": picture("a.png", colour="red")})
    session.expire_all()
    before, theirs = variants(), "Foil · another picture Virgin"
    page = submit_form(second, {"variants-0-image": picture("b.png")}, status=409)
    assert table(page) == {"Variant covers": [theirs, "Foil · b.png Virgin", "yours"]}
    page = submit_form(third, {"desc": "Mine."}, status=409)
    assert table(page) == {"Variant covers": [theirs, "not changed", "theirs"]}
    submit_form(page)
    session.expire_all()
    assert before[0]["image"]
    assert (variants(), issue.desc) == (before, "Mine.")


def test_of_rows_that_one_did_not_change_those_of_the_other_stay(testapp, nora, world, make, session):
    names = ("Foil", "Virgin", "Gold")
    issue = make.issue(variants=[{"name": each, "sku": f"{each.upper()}1"} for each in names])
    make.credit(issue, world.creator, "Writer")
    session.commit()
    form = open_form(testapp, f"/issue/{issue.slug}/update/")
    _foil, virgin, gold = state_of(session, issue)["variants"]
    inker = make.role("Inker").id
    theirs = {
        "variants": [{"id": virgin["id"]}, {"id": gold["id"], "sku": "GOLD2"}, {"name": "Sketch"}],
        "credits": [{"creator": world.creator.id, "roles": [inker]}],
    }
    make.catalog.update(issue, theirs)
    session.commit()
    mine = {
        "variants-1-name": "Blank",
        "credits-1-creator": [world.inker.id],
        "credits-1-roles": [inker],
    }
    page = submit_form(form, mine, status=409)
    assert {name: cells[-1] for name, cells in table(page).items()} == {
        "Variant covers": "both",
        "Credits": "both",
    }
    assert [value(page, f"variants-{index}-name") for index in (1, 2, 3)] == ["Blank", "Gold", "Sketch"]
    submit_form(page)
    session.expire_all()
    state = state_of(session, issue)
    assert [(each["name"], each["sku"]) for each in state["variants"]] == [
        ("Blank", "VIRGIN1"),
        ("Gold", "GOLD2"),
        ("Sketch", ""),
    ]
    assert state["credits"] == [
        {"creator": each.id, "roles": [inker]} for each in (world.creator, world.inker)
    ]


def test_a_row_that_both_changed_or_one_removed_is_kept_as_one_typed_it(testapp, nora, make, session):
    issue = make.issue(variants=[{"name": "Foil"}, {"name": "Gold"}])
    form = open_form(testapp, f"/issue/{issue.slug}/update/")
    foil, gold = state_of(session, issue)["variants"]
    make.catalog.update(issue, {"variants": [{"id": gold["id"], "sku": "GOLD1"}]})
    session.commit()
    page = submit_form(form, {"variants-0-name": "Holofoil", "variants-1-remove": "1"}, status=409)
    assert table(page)["Variant covers"] == ["Gold · GOLD1", "Holofoil", "yours"]
    submit_form(page)
    session.expire_all()
    (left,) = state_of(session, issue)["variants"]
    assert left["name"] == "Holofoil"
    assert left["id"] not in {foil["id"], gold["id"]}


def test_a_renamed_variant_keeps_the_picture_of_another_editor(testapp, nora, make, session):
    issue = make.issue(variants=[{"name": "Foil"}])
    address = f"/issue/{issue.slug}/update/"
    first, second = open_form(testapp, address), open_form(testapp, address)
    submit_form(first, {"variants-0-image": picture("a.png")})
    session.expire_all()
    (foil,) = state_of(session, issue)["variants"]
    page = submit_form(second, {"variants-0-name": "Gold"}, status=409)
    assert table(page) == {"Variant covers": ["Foil · another picture", "Gold", "yours"]}
    submit_form(page)
    session.expire_all()
    assert state_of(session, issue)["variants"] == [foil | {"name": "Gold"}]


def test_what_was_deleted_meanwhile_is_gone(testapp, nora, make, session):
    arc = make.arc()
    form = open_form(testapp, f"/arc/{arc.slug}/update/")
    make.catalog.delete(arc)
    session.commit()
    page = form.page.test_app.post(form.page.request.path, form.submit_fields(), status=410)
    assert "It was deleted. Its address may be given to a new entry." in page
    assert make.arc(name=arc.name).slug == arc.slug
    session.commit()
    assert "It was deleted" not in testapp.get(f"/arc/{arc.slug}/", status=200)
