"""Quick entry: credits as text, objects created with the form, proposed values, and the edit summary."""

from datetime import date

from comicsdb.models import Arc, Character, Creator, History, Issue, Universe
from comicsdb_web.forms.drafts import state_of
from tests.conftest import record_statements
from tests.web.conftest import field_errors, notice, soup
from tests.web.forms.form_helpers import checkbox_labels, open_form, picture, submit_form, value


def rows(page) -> dict[str, list[str]]:
    """The ticked roles of the credits on a page, by creator."""
    found = {}
    for row in soup(page).select("[id^=credits-][data-row]"):
        creator = checkbox_labels(page, f"{row['id']}-creator", ticked=True)
        found[creator[0] if creator else ""] = checkbox_labels(page, f"{row['id']}-roles", ticked=True)
    return found


def reasons(session, kind, object_id):
    """The reasons in the history of an object, latest first."""
    rows = session.query(History.reason).filter_by(kind=kind, object_id=object_id)
    return [reason for (reason,) in rows.order_by(History.id.desc())]


def test_credits_as_text_become_rows_and_what_is_not_placed_stays(
    testapp, nora, world, make, session, connection
):
    make.creator(name="Eva Šmit")
    form = open_form(testapp, f"/issue/create/?series={world.series.id}")
    text = "W: ada pencil, eva smit; I/C: Bo Brush & Zoe New; Moral support: Cy"
    with record_statements(connection) as statements:
        page = submit_form(
            form, {"credits-text": text, "desc": "typed"}, press=("place", "credits"), status=200
        )
    fold = [each for each in statements if "fold(" in each]
    assert len(fold) == 2, fold  # one for all names, one for names similar to the unknown one
    assert rows(page) == {
        "Ada Pencil 1950–": ["Writer"],
        "Eva Šmit": ["Writer"],
        "Bo Brush": ["Inker", "Colorist"],
        "": ["Inker", "Colorist"],
    }
    assert (value(page, "credits-text"), value(page, "desc")) == ("Moral support: Cy", "typed")
    assert set(field_errors(page)) == {"credits-text", "credits-3-creator"}
    assert checkbox_labels(page, "credits-3-creator", ticked=False) == ["Zoe New New creator"]
    assert value(page, "credits-3-creator-q") == "Zoe New"
    # Saving the form with such text is refused: nothing is saved, and all errors are shown.
    page = submit_form(page, {"number": "", "credits-3-creator": "new:Zoe New"}, status=422)
    assert set(field_errors(page)) == {"credits-text", "number"}
    page = submit_form(page, {"number": "4", "credits-text": ""}).follow()
    issue = session.query(Issue).filter_by(number="4").one()
    zoe = session.query(Creator).filter_by(name="Zoe New").one()
    assert len(state_of(session, issue)["credits"]) == 4
    assert zoe.created_by_id == nora.id
    assert "Zoe New" in page
    # Unambiguous text is saved at once, and added to the existing rows.
    form = open_form(testapp, f"/issue/{issue.slug}/update/")
    submit_form(form, {"credits-text": "Ada Pencil (letters)\nzoe new (Editor)"})
    session.expire_all()
    assert sorted(len(each["roles"]) for each in state_of(session, issue)["credits"]) == [1, 2, 2, 3]
    # Text also replaces a row that is removed.
    form = open_form(testapp, f"/issue/{issue.slug}/update/")
    submit_form(form, {"credits-0-remove": True, "credits-text": "Editor: Ada Pencil"})
    session.expire_all()
    assert sorted(len(each["roles"]) for each in state_of(session, issue)["credits"]) == [1, 1, 2, 3]


def test_what_is_unknown_is_made_with_the_form_in_one_transaction(testapp, nora, world, session):
    form = open_form(testapp, f"/issue/create/?series={world.series.id}")
    typed = {
        "number": "4",
        "characters-q": "lamplighter; Moth; Lam",
        "arcs-q": "The Long Night",
        "universes-q": "Mirror World",
        "reprints-q": "lamplight collected tpb (2020) #1",
        "reason": "From the printed issue",
    }
    page = submit_form(form, typed, status=422)
    assert checkbox_labels(page, "characters", ticked=True) == ["Lamplighter Wick"]
    assert checkbox_labels(page, "characters", ticked=False) == ["Moth New character", "Lam New character"]
    assert checkbox_labels(page, "reprints", ticked=True) == ["Lamplight Collected TPB (2020) #1 2020-01"]
    assert "Not in the catalog yet: Moth, Lam." in field_errors(page)["characters"]
    assert set(field_errors(page)) == {"characters", "arcs", "universes"}
    made = {
        "characters": [world.character.id, "new:Moth"],
        "arcs": ["new:The Long Night"],
        "universes": ["new:Mirror World"],
    }
    # A refused form creates nothing, and shows the same choices again.
    page = submit_form(page, made | {"number": "1"}, status=422)
    assert set(field_errors(page)) == {"number"}
    assert checkbox_labels(page, "characters", ticked=True) == ["Moth New character", "Lamplighter Wick"]
    assert session.query(Character).filter_by(name="Moth").count() == 0
    submit_form(page, {"number": "4", "image": picture()})
    issue = session.query(Issue).filter_by(number="4").one()
    universe = session.query(Universe).filter_by(name="Mirror World").one()
    arc = session.query(Arc).filter_by(name="The Long Night").one()
    assert universe.publisher_id == world.publisher.id
    assert (issue.image_width, state_of(session, issue)["universes"]) == (40, [universe.id])
    for kind, each in (("issue", issue), ("arc", arc)):
        assert reasons(session, kind, each.id) == ["From the printed issue"]
    # The history shows it to all members.
    assert "From the printed issue" in testapp.get(f"/issue/{issue.slug}/history/")
    answer = submit_form(
        open_form(testapp, f"/issue/{issue.slug}/update/"), {"reason": "x" * 101}, status=422
    )
    assert "reason" in field_errors(answer)


def test_a_universe_needs_a_series_and_others_are_made_in_any_form(testapp, nora, world, session):
    page = submit_form(open_form(testapp, "/issue/create/"), {"universes": ["new:Nowhere"]}, status=422)
    assert "Choose the series first" in field_errors(page)["universes"]
    form = open_form(testapp, f"/character/{world.character.slug}/update/")
    submit_form(form, {"creators": ["new:Cy Quill", "new:cy quill"], "teams": ["new:The Moths"]})
    assert session.query(Creator).filter_by(name="Cy Quill").count() == 1
    # Kinds that cannot be created here are refused like missing objects, and so are invalid names.
    for field in ("series", "reprints"):
        page = submit_form(open_form(testapp, "/issue/create/"), {field: ["new:X"]}, status=422)
        assert field in field_errors(page)
    page = submit_form(open_form(testapp, "/issue/create/"), {"arcs": ["new:" + "x" * 300]}, status=422)
    assert "arcs" in field_errors(page)


def test_two_open_forms_do_not_create_the_same_creator_twice(testapp, nora, world, make, session):
    typed = {"credits-text": "Writer: Ivy Quill", "arcs-q": "The Quiet", "universes-q": "Far"}
    pages = []
    for number in ("4", "5"):
        form = open_form(testapp, f"/issue/create/?series={world.series.id}")
        pages.append(submit_form(form, typed | {"number": number, "cover_date": "2020"}, status=422))
    new = {
        "credits-0-creator": ["new:Ivy Quill"],
        "credits-0-creator-q": "",
        "arcs": ["new:The Quiet"],
        "arcs-q": "",
    }
    for page in pages:
        submit_form(page, new | {"universes-q": ""})
    creator = session.query(Creator).filter_by(name="Ivy Quill").one()
    arc = session.query(Arc).filter_by(name="The Quiet").one()
    for issue in session.query(Issue).filter(Issue.number.in_(("4", "5"))):
        state = state_of(session, issue)
        assert ([each["creator"] for each in state["credits"]], state["arcs"]) == ([creator.id], [arc.id])
    # A universe of the same name may be that of another publisher.
    make.universe(name="Far", publisher=make.publisher())
    session.commit()
    submit_form(pages[0], new | {"number": "6", "universes": ["new:Far"], "universes-q": ""})
    assert session.query(Universe).filter_by(name="Far").count() == 2


def test_a_new_issue_is_filled_in_from_the_run_and_leads_to_the_next(testapp, nora, world, session):
    page = testapp.get(f"/issue/create/?series={world.series.id}")
    proposed = {name: value(page, name) for name in ("number", "cover_date", "price", "page", "rating")}
    assert proposed == {
        "number": "4",
        "cover_date": "2019-08-01",
        "price": "3.99",
        "page": "32",
        "rating": "1",
    }
    told = soup(page).select_one(".proposed").get_text(" ", strip=True)
    assert (
        told
        == "Filled in from the series: Number, Alternative number, Cover date, Price, Pages. Please check."
    )
    page = submit_form(page, {"name": "Embers"}, press=("then", "next"))
    fourth = session.query(Issue).filter_by(number="4").one()
    assert fourth.cover_date == date(2019, 8, 1)
    page = page.follow()
    assert notice(page) == "Lamplight (2019) #4 was added to the catalog."
    assert (value(page, "series"), value(page, "number")) == (str(world.series.id), "5")
    # The page of an issue has such a link, too; without a script, a button proposes values for the series.
    link = soup(testapp.get(f"/issue/{fourth.slug}/")).select_one(".acts > a")["href"]
    assert value(testapp.get(link), "cover_date") == "2019-09-01"
    typed = {"series-q": "Lamplight (2019)", "page": "48"}
    page = submit_form(open_form(testapp, "/issue/create/"), typed, press=("propose", "1"), status=200)
    assert [value(page, name) for name in ("series", "number", "page")] == [str(world.series.id), "5", "48"]
    answer = testapp.get(f"/issue/create/?series={world.series.id}", headers={"X-Fragment": "1"})
    assert (answer.json["number"], answer.json["price"]) == ("5", ["3.99", "USD"])
    for nonsense in ("series=x", "series=9999999", "after=x", "after=999999"):
        assert value(testapp.get(f"/issue/create/?{nonsense}"), "page") == ""


def currencies(page) -> list[str]:
    """The selected currencies of all amounts on a page."""
    selects = soup(page).select("form#edit select[name$=_currency]")
    return [select.select_one("option[selected]")["value"] for select in selects]


def test_issue_form_proposes_the_currency_of_the_publishers_country(testapp, nora, make, session):
    with make.single_commit():
        italian = make.publisher(country="IT")
        old, new = (make.series(publisher=italian, year_began=year) for year in (1962, 2019))
        fourth = make.issue(series=old, number="4", cover_date=date(1975, 3, 1))
    page = testapp.get(f"/issue/create/?series={old.id}")
    assert currencies(page) == ["ITL"]
    answer = testapp.get(f"/issue/create/?series={new.id}", headers={"X-Fragment": "1"})
    assert answer.json["price"] == ["", "EUR"]
    # Without a script: by the button of the series; the cover date takes precedence; rows get it, too.
    typed = {"series": [str(old.id)], "number": "9", "cover_date": "2004-05"}
    page = submit_form(open_form(testapp, "/issue/create/"), typed, press=("add", "variants"), status=200)
    assert currencies(page) == ["EUR", "EUR"]
    typed = {"price": "1500", "price_currency": "ITL"}
    page = submit_form(page, typed, press=("add", "variants"), status=200)
    assert currencies(page) == ["ITL", "ITL", "ITL"]
    submit_form(page, {"variants-0-name": "Foil"})
    ninth = session.query(Issue).filter_by(number="9").one()
    assert (str(ninth.price), ninth.currency) == ("1500.00", "ITL")
    # The proposal alone is no change.
    form = open_form(testapp, f"/issue/{fourth.slug}/update/")
    assert currencies(form.page) == ["ITL"]
    assert notice(submit_form(form).follow()) == "Nothing to change."
    session.refresh(fourth)
    assert fourth.price is None
