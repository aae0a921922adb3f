"""Pictures that were chosen in a form are stored if the form is refused.

These tests use real connections: on the single connection of other tests, a refusal rolls back everything.
"""

from contextlib import closing
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import select

from comicsdb import clock
from comicsdb.accounts import drafts
from comicsdb.accounts.deletion import clean
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.db.read_pool import ReadPool, connector
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Arc, PictureDraft, ReadingList, Variant
from tests.conftest import client_on
from tests.factories import Factories
from tests.web.conftest import PASSWORD, field_errors, form_to, soup, start_session
from tests.web.forms.form_helpers import kept_files, open_form, picture, submit_form

LOST = "The picture you chose is no longer stored: please choose it again."


@pytest.fixture
def site(wsgi, factory, tmp_path, monkeypatch):
    """A client of the site with a separate database and folder, logged in as Nora."""
    engine, storage = factory.kw["bind"], FolderStorage(tmp_path)
    monkeypatch.setitem(wsgi.registry, "comicsdb.media", storage)
    with (
        client_on(wsgi, engine) as browser,
        factory() as session,
        closing(ReadPool(connector(engine))) as pool,
    ):
        wsgi.registry["comicsdb.read_pool"] = pool
        session.info["media"] = storage
        make = Factories(Catalog(session))
        browser.nora = make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        browser.bob = make.user("Bob")
        browser.session, browser.make, browser.folder = session, make, tmp_path
        session.commit()
        start_session(browser, browser.nora)
        yield browser


def stored(site) -> set[str]:
    """The keys of all pictures in the storage, except for thumbnails."""
    paths = (path.relative_to(site.folder) for path in site.folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if path.parts[0] != "thumbs"}


def thumbnail(page, name) -> str:
    return soup(page).find(id=name).find_parent(class_="picture").img["src"]


def one(site, model):
    site.session.expire_all()
    return site.session.scalars(select(model)).one()


def test_a_chosen_picture_outlives_a_refusal(site):
    """Errors and other buttons of the form keep it; it is shown, dropped or replaced, and saved only once."""
    page = submit_form(open_form(site, "/arc/create/"), {"name": "", "image": picture("a.png")}, status=422)
    assert (kept_files(page), field_errors(page)) == ({"image": "a.png"}, {"name": "This field is required."})
    shown = thumbnail(page, "image")
    assert site.get(shown).content_type == "image/webp"
    page = submit_form(page, press=("add", "attribution"), status=200)
    assert kept_files(page) == {"image": "a.png"}
    assert thumbnail(page, "image") == shown
    dropped = submit_form(page, {"image_drop": "1"}, status=422)
    assert kept_files(dropped) == {}
    replaced = submit_form(page, {"image": picture("b.png", colour="red")}, status=422)
    assert kept_files(replaced) == {"image": "b.png"}
    submit_form(replaced, {"name": "Dusk"})
    arc = one(site, Arc)
    assert f"/{arc.image}." in thumbnail(replaced, "image")
    assert (arc.image_width, arc.image_height) == (40, 60)
    assert field_errors(submit_form(replaced, {"name": "Dawn"}, status=422)) == {"image": LOST}
    # Besides it, only the picture that is still waiting is stored.
    assert stored(site) == {arc.image, one(site, PictureDraft).image}


def test_covers_of_variants_and_banners_are_kept_too(site):
    with site.make.single_commit():
        series = site.make.series()
    site.session.commit()
    typed = {
        "series": [series.id],
        "number": "",
        "cover_date": "2020-01-01",
        "variants-0-image": picture("v.png"),
    }
    page = submit_form(open_form(site, "/issue/create/"), typed, status=422)
    assert kept_files(page) == {"variants-0-image": "v.png"}
    submit_form(page, {"number": "1"})
    variant = one(site, Variant)
    assert (variant.image.split("/")[0], len(variant.cover_hash)) == ("variants", 16)
    page = submit_form(
        open_form(site, "/reading-lists/create/"), {"name": "", "image": picture("banner.png")}, status=422
    )
    submit_form(page, {"name": "Order"})
    assert one(site, ReadingList).image_height == 60


def test_the_picture_of_a_profile_is_kept(site):
    form = form_to(site.get("/accounts/update/"), "/accounts/update/")
    form["username"], form["image"] = "two words", picture("me.png")
    page = form.submit(status=422)
    assert set(field_errors(page)) == {"username"}
    again = form_to(page, "/accounts/update/")
    again["username"] = "Nora"
    again.submit(status=303)
    site.session.refresh(site.nora)
    assert f"/{site.nora.image}." in soup(page).select_one(".field-image img")["src"]
    assert field_errors(again.submit(status=422)) == {"image": LOST}


def test_it_is_its_owners_for_an_hour_and_then_goes(site):
    page = submit_form(open_form(site, "/arc/create/"), {"name": "", "image": picture("a.png")}, status=422)
    secret = soup(page).select_one('input[name="image_kept"]')["value"]
    start_session(site, site.bob)
    stolen = {"name": "Stolen", "image_kept": secret}
    assert field_errors(submit_form(open_form(site, "/arc/create/"), stolen, status=422)) == {"image": LOST}
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        start_session(site, site.nora)
        late = {"name": "Late", "image_kept": secret}
        assert field_errors(submit_form(open_form(site, "/arc/create/"), late, status=422)) == {"image": LOST}
        assert clean(site.session)["drafts"] == 1
        site.session.commit()
    assert stored(site) == set()


def test_an_account_keeps_so_many(site, monkeypatch):
    monkeypatch.setattr(drafts, "PICTURES_MAX", 2)
    form = open_form(site, "/arc/create/")
    for _ in range(3):
        page = submit_form(form, {"name": "", "image": picture("a.png")}, status=422)
    kept = set(site.session.scalars(select(PictureDraft.image)))
    assert kept == stored(site)
    assert len(kept) == 2
    submit_form(page, {"name": "Dusk"})
    assert one(site, Arc).image in kept


def test_a_draft_keeps_its_picture_for_as_long_as_there_is_the_draft(site, monkeypatch):
    form = open_form(site, "/arc/create/")
    page = submit_form(form, {"name": "Dusk", "image_photo": picture("p.png")}, press=("save_draft", "1"))
    monkeypatch.setattr(drafts, "LIFETIME", timedelta(0))  # pictures without a draft expire at once
    assert drafts.remove_old_pictures(site.session) == []
    page = page.follow()
    assert kept_files(page) == {"image": "p.png"}
    monkeypatch.undo()
    submit_form(page)
    assert one(site, Arc).image_width == 40


def test_a_draft_keeps_the_picture_that_was_chosen_last(site):
    """A picture chosen in a form that was opened from a draft replaces the one in the draft."""
    form = open_form(site, "/arc/create/")
    page = submit_form(form, {"name": "Dusk", "image": picture("a.png")}, press=("save_draft", "1")).follow()
    page = submit_form(page, {"image": picture("b.png", size=(50, 60))}, press=("save_draft", "1")).follow()
    assert kept_files(page) == {"image": "b.png"}
    chosen = {"image_drop": "1", "image": picture("c.png", size=(70, 60))}
    page = submit_form(page, chosen, press=("save_draft", "1")).follow()
    assert kept_files(page) == {"image": "c.png"}
    submit_form(page)
    assert one(site, Arc).image_width == 70
