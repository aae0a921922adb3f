"""Rows of forms: credits, variants, attributions and external ids, with and without our script."""

from decimal import Decimal

import pytest

from comicsdb.models import History, Issue, Variant
from comicsdb_web.forms.drafts import state_of
from tests.web.conftest import field_errors, soup
from tests.web.forms.form_helpers import (
    checkbox_labels,
    kept_files,
    open_form,
    picture,
    submit_form,
    value,
)


@pytest.fixture
def address(world):
    """The address of the form of an issue with two credits and a variant."""
    return f"/issue/{world.first.slug}/update/"


@pytest.fixture
def state(world, session):
    """`state()`: the current state of that issue."""

    def found():
        session.expire_all()
        return state_of(session, world.first)

    return found


def test_a_row_is_added_without_a_script_and_nothing_is_saved(testapp, nora, address, state):
    before = state()
    form = open_form(testapp, address)
    page = submit_form(form, {"desc": "typed", "credits-1-remove": "1"}, press=("add", "credits"), status=200)
    assert value(page, "desc") == "typed"
    assert [row["id"] for row in soup(page).select("[id^=credits-][data-row]")] == [
        f"credits-{n}" for n in range(3)
    ]
    assert soup(page).find(id="credits-1-remove").has_attr("checked")
    page = submit_form(page, press=("add", "variants"), status=200)
    page = submit_form(page, press=("add", "attribution"), status=200)
    assert len(soup(page).select("[data-row]")) == 3 + 2 + 2
    submit_form(page, press=("add", "nonsense"), status=200)
    assert state() == before


def test_the_same_row_comes_as_a_fragment(testapp, nora, address):
    page = testapp.get(address)
    page = submit_form(page, press=("add", "credits"), status=200)
    whole = soup(page).find(id="credits-2")
    for kind, name in (("credits", "creator"), ("variants", "image"), ("attribution", "url")):
        answer = testapp.get(f"/issue/formset/{kind}/add-row/?form_idx=2", headers={"X-Fragment": "1"})
        template = soup(answer).template
        assert (template["data-target"], template["data-mode"]) == (f"{kind}-rows", "append")
        assert template.find(id=f"{kind}-2-{name}") is not None
        if kind == "credits":
            names = [each["name"] for each in template.select("[name]")]
            assert names == [each["name"] for each in whole.select("[name]")]
    for index in ("", "-1", "10000", "x", "9" * 40):
        testapp.get(f"/issue/formset/credits/add-row/?form_idx={index}", status=400)
    testapp.get("/issue/formset/nonsense/add-row/?form_idx=0", status=404)
    testapp.reset()
    answer = testapp.get(
        "/issue/formset/credits/add-row/?form_idx=0", headers={"X-Fragment": "1"}, status=204
    )
    assert answer.headers["X-Location"] == "/accounts/login/"


def test_rows_are_changed_added_and_removed_in_one_history_row(
    testapp, nora, world, address, make, state, session
):
    writer, inker = make.role("Writer").id, make.role("Inker").id
    third = make.creator(name="Cy Third")
    rows = session.query(History).filter_by(kind="issue", object_id=world.first.id)
    number = rows.count()
    form = open_form(testapp, address)
    places = {credit["creator"]: index for index, credit in enumerate(state()["credits"])}
    ada, bo = places[world.creator.id], places[world.inker.id]
    (old,) = state()["variants"]
    submit_form(
        form,
        {
            f"credits-{ada}-roles": [writer],
            f"credits-{bo}-remove": "1",
            # Gaps in the numbers do not matter, and empty new rows are ignored.
            "credits-9999-creator": [third.id],
            "credits-9999-roles": [inker],
            "credits-9-creator-q": "",
            "credits-9-roles-q": "",
            "variants-0-name": "Shiny",
            "variants-3-image": picture("b.png", size=(50, 40)),
            "variants-3-name": "Sketch",
            "variants-3-price": "5",
            "variants-3-price_currency": "GBP",
            "attribution-0-remove": "1",
            "attribution-4-source": "M",
            "attribution-4-url": "https://marvel.com/x",
            "attribution-5-source": "W",
            "attribution-5-url": " ",
        },
    )
    now = state()
    assert now["credits"] == [
        {"creator": world.creator.id, "roles": [writer]},
        {"creator": third.id, "roles": [inker]},
    ]
    kept, new = now["variants"]
    assert kept == old | {"name": "Shiny"}
    assert (new["name"], new["price"], new["currency"]) == ("Sketch", 5.0, "GBP")
    stored = session.get(Variant, new["id"])
    assert (stored.image_width, len(stored.cover_hash)) == (50, 16)
    assert now["attributions"] == [{"source": "M", "url": "https://marvel.com/x"}]
    assert rows.count() == number + 1


def test_external_ids_are_added_and_removed_and_wrong_ones_told(testapp, nora, make, session):
    arc = make.arc(external_ids=[{"source": "locg", "external_id": "9"}])
    form = open_form(testapp, f"/arc/{arc.slug}/update/")
    typed = {
        "external_ids-0-remove": "1",
        "external_ids-1-source": "wikidata",
        "external_ids-1-external_id": "q42",
        "external_ids-1-scope": "",
        "external_ids-2-source": "metron",
        "external_ids-2-external_id": "x",
    }
    page = submit_form(form, typed, status=422)
    assert field_errors(page) == {"external_ids-2-external_id": "This is not a valid ID for this source."}
    submit_form(page, {"external_ids-2-external_id": "7"})
    session.expire_all()
    assert state_of(session, arc)["external_ids"] == [
        {"source": "metron", "external_id": "7", "scope": ""},
        {"source": "wikidata", "external_id": "Q42", "scope": ""},
    ]


def test_a_creator_named_twice_has_the_roles_of_both(testapp, nora, world, make, session):
    writer, inker, editor = (make.role(name).id for name in ("Writer", "Inker", "Editor"))
    typed = {"series": [world.series.id], "number": "9", "cover_date": "2020-02-02"}
    for index, roles in enumerate(([writer], [inker], [writer, editor])):
        typed |= {f"credits-{index}-creator": [world.creator.id], f"credits-{index}-roles": roles}
    submit_form(open_form(testapp, "/issue/create/"), typed)
    issue = session.query(Issue).filter_by(number="9").one()
    expected = [{"creator": world.creator.id, "roles": sorted([writer, inker, editor])}]
    assert state_of(session, issue)["credits"] == expected


def test_an_invalid_row_saves_nothing_and_keeps_what_was_typed(testapp, nora, world, make, session):
    number = session.query(Issue).count()
    typed = {
        "series": [world.series.id],
        "number": "9",
        "cover_date": "2020-02-02",
        "credits-0-creator": [world.creator.id],
        "credits-0-roles-q": "",
        "credits-1-creator-q": "",
        "credits-1-roles": [make.role("Writer").id],
        "variants-0-name": "No cover",
        "variants-1-image": picture("v.png"),
        "variants-1-price": "dear",
        "variants-1-sku": "a b",
        "attribution-0-source": "W",
        "attribution-0-url": "javascript:alert(1)",
    }
    page = submit_form(open_form(testapp, "/issue/create/"), typed, status=422)
    assert field_errors(page) == {
        "credits-0-roles": "This field is required.",
        "credits-1-creator": "This field is required.",
        "variants-1-price": "Enter an amount, such as 3.99, 3,99 € or $3.99.",
        "variants-1-sku": "A SKU may contain only letters and digits.",
        "attribution-0-url": "Enter a valid URL.",
    }
    assert kept_files(page) == {"variants-1-image": "v.png"}
    assert checkbox_labels(page, "credits-0-creator", ticked=True) == ["Ada Pencil 1950–"]
    assert checkbox_labels(page, "credits-1-roles", ticked=True) == ["Writer"]
    assert value(page, "variants-1-price") == "dear"
    assert "Credit 1, Roles" in soup(page).select_one(".form-errors").get_text()
    assert session.query(Issue).count() == number


def test_rows_that_were_not_sent_stay_and_those_sent_unchanged_are_not_judged(
    testapp, nora, world, make, state, session
):
    """A credit without roles, as an import may create it, does not prevent an edit."""
    make.catalog.update(
        world.first,
        {
            "credits": [{"creator": world.creator.id, "roles": []}],
            "variants": [{"id": state()["variants"][0]["id"], "upc": "77", "price": Decimal("1.50")}],
        },
    )
    session.commit()
    before = state()
    address = f"/issue/{world.first.slug}/update/"
    submit_form(open_form(testapp, address), {"desc": "!", "variants-0-name": "Other"})
    form = open_form(testapp, address)
    hidden = form.hidden
    row = {"credits-5-creator": world.inker.id, "credits-5-roles": make.role("Inker").id}
    testapp.post(address, hidden | row, status=303)
    after = state()
    assert after["credits"] == [
        {"creator": world.creator.id, "roles": []},
        {"creator": world.inker.id, "roles": [make.role("Inker").id]},
    ]
    assert after["variants"] == [before["variants"][0] | {"name": "Other"}]
    assert after["attributions"] == before["attributions"]


def test_a_row_of_something_that_is_not_there_is_a_new_one(testapp, nora, world, make, state, address):
    """A forged form cannot change the rows of other objects."""
    other = make.issue(variants=[{"name": "Alien", "image": "variants/2020/01/01/a.png"}])
    (alien,) = make.session.query(Variant).filter_by(issue_id=other.id)
    form = open_form(testapp, address)
    row = {"variants-8-key": alien.id, "variants-8-name": "Mine", "variants-8-remove": "1"}
    submit_form(form, row)
    row.pop("variants-8-remove")
    submit_form(open_form(testapp, address), row)
    make.session.expire_all()
    assert (alien.name, alien.issue_id) == ("Alien", other.id)
    kept, added = state()["variants"]
    assert (added["name"], added["image"], added["id"] != alien.id) == ("Mine", "", True)
    page = testapp.get(address.removesuffix("update/")).html
    (frame,) = page.select(f"#variant-{added['id']} .placeholder")
    assert frame["aria-label"].startswith("Variant cover of ")
    assert page.select(f"#variant-{kept['id']} a")
    assert not page.select(f"#variant-{added['id']} a")
