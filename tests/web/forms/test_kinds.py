"""The forms of the nine kinds: what is typed is stored, and untouched fields keep their values."""

import base64
from datetime import date
from decimal import Decimal

import pytest

from comicsdb.models import CATALOG, History, Issue
from comicsdb_web.forms.drafts import state_of
from tests.conftest import record_statements
from tests.web.conftest import soup
from tests.web.forms.form_helpers import checkbox_labels, log_in_as, open_form, picture, submit_form, value


def made(session, model):
    """The newest object of a model."""
    return session.query(model).order_by(model.id.desc()).first()


def unquoted(answer) -> str:
    """The message of a response for the next page, from its signed cookie."""
    cookie = next(each for each in answer.headers.getall("Set-Cookie") if each.startswith("messages="))
    packed = cookie.partition("=")[2].partition(";")[0].strip('"')
    return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))[64:].decode()


def texts(world):
    """Yield for each kind what is typed into a new form, and the state that results."""
    w = world
    about = {"name": "  Moon  ", "desc": "One.\r\n\r\nTwo", "gcd_id": "77"}
    stored = {"name": "Moon", "desc": "One.\n\nTwo", "gcd_id": 77}
    source = {"attribution-0-source": "G", "attribution-0-url": "https://www.comics.org/1"}
    sources = {"attributions": [{"source": "G", "url": "https://www.comics.org/1"}]}
    cv, cv_stored = {"cv_id": "66"}, {"cv_id": 66}
    yield (
        "publisher",
        about | cv | {"alt_names": "Luna; Mond ;; Luna;", "founded": "1999", "country": "IT"} | source,
        stored | cv_stored | {"alt_names": ["Luna", "Mond"], "founded": 1999, "country": "IT"} | sources,
    )
    yield (
        "imprint",
        about | cv | {"publisher": [w.publisher.id], "founded": ""},
        stored | cv_stored | {"publisher": w.publisher.id, "founded": None},
    )
    yield (
        "universe",
        about | {"publisher": [w.publisher.id], "designation": "Earth 2"},
        stored | {"publisher": w.publisher.id, "designation": "Earth 2", "cv_id": None},
    )
    yield "arc", about | cv, stored | cv_stored
    yield (
        "creator",
        about | cv | {"alias": "The Hand, The Eye,, The Hand", "birth": "1950-01-02", "death": "2001-03"},
        stored
        | cv_stored
        | {"alias": ["The Hand", "The Eye"], "birth": "1950-01-02", "birth_precision": "day"}
        | {"death": "2001-03-01", "death_precision": "month"},
    )
    yield (
        "team",
        about | {"creators": [w.creator.id, w.inker.id], "universes": [w.universe.id]},
        stored | {"creators": sorted([w.creator.id, w.inker.id]), "universes": [w.universe.id]},
    )
    yield (
        "character",
        about | {"alias": "Crescent", "creators": [w.creator.id], "teams": [w.team.id]},
        stored | {"alias": ["Crescent"], "creators": [w.creator.id], "teams": [w.team.id], "universes": []},
    )
    yield (
        "series",
        about
        | {"sort_name": "Moon", "alt_names": "Luna", "publisher": [w.publisher.id], "imprint": [w.imprint.id]}
        | {"series_type": "13", "status": "2", "volume": "1", "language": "", "year_began": "2001"}
        | {"year_end": "2003", "collection": ["", "1"], "genres": ["1", "12"], "associated": [w.series.id]},
        stored
        | {"sort_name": "Moon", "alt_names": ["Luna"], "publisher": w.publisher.id, "imprint": w.imprint.id}
        | {"series_type": 13, "status": 2, "volume": 1, "language": "", "year_began": 2001}
        | {"year_end": 2003, "collection": True, "genres": [1, 12], "associated": [w.series.id]},
    )
    yield (
        "issue",
        {"series": [w.series.id], "number": "½", "alt_number": "7", "name": "Dawn; Dusk;", "desc": "x"}
        | {"desc_is_solicitation": ["", "1"]}
        | {"cover_date": "2019-08-01", "store_date": "2019-07-03", "foc_date": "", "page": "36"}
        | {"price": "4,50 €", "price_currency": "USD", "rating": "3", "sku": "JUN190001"}
        | {"isbn": "978-3-16-148410-0", "upc": "7 61941 34182 8 00111", "cv_id": "5", "gcd_id": ""}
        | {"characters": [w.character.id], "teams": [w.team.id], "arcs": [w.arc.id]}
        | {"universes": [w.universe.id], "reprints": [w.reprint.id]},
        {"series": w.series.id, "number": "½", "alt_number": "7", "name": ["Dawn", "Dusk"], "desc": "x"}
        | {"desc_is_solicitation": True}
        | {"cover_date": "2019-08-01", "store_date": "2019-07-03", "foc_date": None, "page": 36}
        | {"price": 4.5, "currency": "EUR", "rating": 3, "sku": "JUN190001"}
        | {"isbn": "9783161484100", "upc": "76194134182800111", "cv_id": 5, "gcd_id": None}
        | {"characters": [w.character.id], "teams": [w.team.id], "arcs": [w.arc.id]}
        | {"universes": [w.universe.id], "reprints": [w.reprint.id]},
    )


def test_what_is_typed_is_stored_and_shown_and_each_field_can_be_changed(testapp, nora, world, session):
    models = {model.__tablename__: model for model in CATALOG}
    for kind, typed, stored in texts(world):
        form = open_form(testapp, f"/{kind}/create/")
        if kind != "series":
            typed = typed | {"image": picture()}  # noqa: PLW2901
        if "attribution-0-url" in typed:
            form = submit_form(form, press=("add", "attribution"), status=200)
        answer = submit_form(form, typed)
        entity = made(session, models[kind])
        assert answer.location == f"http://localhost/{kind}/{entity.slug}/"
        assert "was added to the catalog" in unquoted(answer)
        state = state_of(session, entity)
        assert {name: state[name] for name in stored} == stored, kind
        assert (entity.created_by_id, entity.edited_by_id) == (nora.id, nora.id)
        assert bool(state.get("image")) is (kind != "series")
        history = session.query(History).filter_by(kind=kind, object_id=entity.id).count()

        # Submitting an unchanged form writes nothing and moves no stamp.
        modified = entity.modified
        answer = submit_form(open_form(testapp, f"/{kind}/{entity.slug}/update/"))
        assert "Nothing to change." in unquoted(answer)
        session.refresh(entity)
        assert entity.modified == modified

        # Changing one field leaves all others alone.
        answer = submit_form(open_form(testapp, f"/{kind}/{entity.slug}/update/"), {"desc": "Now."})
        assert "Saved." in unquoted(answer)
        session.expire_all()
        assert state_of(session, entity) == state | {"desc": "Now."}
        assert session.query(History).filter_by(kind=kind, object_id=entity.id).count() == history + 1


def test_what_the_forms_can_hardly_show_survives_an_edit_of_something_else(testapp, nora, make, session):
    """A language and a country that are not offered, a semicolon in a name, a comma in an alias."""
    series = make.series(language="fr", alt_names=["One; two", "Three"])
    page = testapp.get(f"/series/{series.slug}/update/")
    assert value(page, "language") == "fr"
    assert "French" in soup(page).find(id="language").get_text()
    submit_form(page, {"volume": "9"})
    session.expire_all()
    assert (series.language, series.alt_names, series.volume) == ("fr", ["One; two", "Three"], 9)
    publisher = make.publisher(country="FR")
    page = testapp.get(f"/publisher/{publisher.slug}/update/")
    assert sorted(each["value"] for each in soup(page).select("#country option")) == [
        "",
        "FR",
        "GB",
        "IT",
        "US",
    ]
    submit_form(page, {"founded": "1950"})
    creator = make.creator(alias=["Pen, the"])
    submit_form(open_form(testapp, f"/creator/{creator.slug}/update/"), {"name": "Ada"})
    session.expire_all()
    assert (publisher.country, publisher.founded, creator.alias) == ("FR", 1950, ["Pen, the"])


def test_fields_that_were_not_sent_stay(testapp, nora, world, session):
    """Missing fields, as in requests of programs or if a field was disabled, are not emptied."""
    before = state_of(session, world.first)
    address = f"/issue/{world.first.slug}/update/"
    form = open_form(testapp, address)
    hidden = form.hidden
    testapp.post(address, hidden | {"number": "1b"}, status=303)
    session.expire_all()
    assert state_of(session, world.first) == before | {"number": "1b"}


def test_links_can_be_taken_away_and_values_emptied(testapp, nora, world, session):
    form = open_form(testapp, f"/issue/{world.first.slug}/update/")
    assert checkbox_labels(form.page, "characters", ticked=True) == ["Lamplighter Wick"]
    emptied = {name: [] for name in ("characters", "teams", "arcs", "universes")}
    blank = dict.fromkeys(
        ("name", "sku", "upc", "page", "store_date", "foc_date", "price", "cv_id", "gcd_id"), ""
    )
    submit_form(form, emptied | blank)
    session.expire_all()
    state = state_of(session, world.first)
    assert [state[name] for name in emptied] == [[], [], [], []]
    assert [state[name] for name in blank] == [[], "", "", None, None, None, None, None, None]
    form = open_form(testapp, f"/series/{world.series.slug}/update/")
    submit_form(form, {"imprint": "", "year_end": "", "alt_names": " ; "})
    session.expire_all()
    assert (world.series.imprint_id, world.series.year_end, world.series.alt_names) == (None, None, [])


def test_a_picture_is_replaced_and_taken_away(testapp, nora, make, session, media_folder):
    address = f"/issue/{make.issue(cover_date=date(2020, 1, 1)).slug}/update/"
    submit_form(open_form(testapp, address), {"image": picture(colour="red")})
    issue = made(session, Issue)
    session.expire_all()
    first, hashed = issue.image, issue.cover_hash
    assert (issue.image_width, issue.image_height, len(hashed)) == (40, 60, 16)
    assert (media_folder / first).exists()
    submit_form(open_form(testapp, address), {"image": picture(size=(60, 40), colour="blue")})
    session.expire_all()
    assert issue.image != first
    assert issue.image_width == 60
    page = testapp.get(address)
    assert issue.image in page.text  # shown beside the file input
    submit_form(page, {"image_clear": "1"})
    session.expire_all()
    assert (issue.image, issue.image_width, issue.cover_hash) == ("", None, "")


def test_the_address_may_name_what_a_new_object_belongs_to(testapp, nora, world):
    page = testapp.get(f"/issue/create/?series={world.series.id}")
    assert checkbox_labels(page, "series", ticked=True) == ["Lamplight (2019) Harbor House"]
    assert checkbox_labels(testapp.get("/issue/create/?series=999999999"), "series") == []
    assert checkbox_labels(testapp.get("/issue/create/?series=%00x"), "series") == []


@pytest.mark.parametrize("shown", ["1963", "1963-09", "1963-09-12", ""])
def test_a_cover_date_is_shown_as_far_as_it_is_known(testapp, nora, make, session, shown):
    issue = make.issue(cover_date=date(1963, 1, 1))
    address = f"/issue/{issue.slug}/update/"
    submit_form(open_form(testapp, address), {"cover_date": shown})
    page = testapp.get(address)
    assert value(page, "cover_date") == shown
    assert "Nothing to change." in unquoted(submit_form(open_form(testapp, address)))


def test_prices_keep_their_currency(testapp, nora, make, session):
    issue = make.issue(price=Decimal("500.00"), currency="ITL")
    page = testapp.get(f"/issue/{issue.slug}/update/")
    assert (value(page, "price"), value(page, "price_currency")) == ("500.00", "ITL")
    submit_form(page, {"price_currency": "EUR"})
    session.expire_all()
    assert (issue.price, issue.currency) == (Decimal("500.00"), "EUR")
    for typed, currency, price in (
        ("1.500", "ITL", "1500"),
        ("2,500", "ITL", "2500"),
        ("1.250", "KWD", "1.25"),
    ):
        submit_form(open_form(testapp, page.request.path), {"price": typed, "price_currency": currency})
        session.expire_all()
        assert (issue.price, issue.currency) == (Decimal(price), currency), typed


def test_what_editors_open_costs_the_same_whatever_it_holds(testapp, make, world, connection):
    log_in_as(testapp, make, is_superuser=True)

    def costs():
        found = {}
        for address, most in (
            (f"/issue/{world.first.slug}/update/", 15),
            (f"/issue/create/?series={world.series.id}", 7),
            (f"/series/{world.series.slug}/update/", 10),
            (f"/publisher/{world.publisher.slug}/update/", 5),
            (f"/publisher/{world.publisher.slug}/delete/", 4),
            (f"/issue/{world.first.slug}/delete/", 4),
            ("/autocomplete/issue/items?q=%23", 3),
            ("/autocomplete/creator/items?q=creator", 3),
            ("/issue/formset/credits/add-row/?form_idx=0", 2),
        ):
            with record_statements(connection) as statements:
                testapp.get(address, status=200)
            assert len(statements) <= most, f"{address}\n{statements}"
            found[address] = len(statements)
        return found

    make.creator()
    make.session.commit()
    few = costs()
    role = make.role("Writer").id
    with make.single_commit():
        people = [make.creator().id for _ in range(8)]
        make.catalog.update(
            world.first,
            {
                "characters": [make.character().id for _ in range(5)],
                "credits": [{"creator": each, "roles": [role]} for each in people],
            },
        )
    assert costs() == few
