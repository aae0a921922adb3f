"""Uploaded pictures are decoded and stored before anything is locked, in the API and all forms."""

import re

import pytest
import webtest
from sqlalchemy import text

from comicsdb import models
from comicsdb.catalog import Catalog
from comicsdb.media.decoding import Decoder
from comicsdb.media.storage import FolderStorage
from comicsdb.media.uploads import UPLOAD_LOCK
from tests.conftest import build_app
from tests.dataset import picture
from tests.factories import Factories
from tests.serving import add_account
from tests.site.test_plugin import MAKE_EDITOR
from tests.web.conftest import log_in
from tests.web.forms.form_helpers import Form

# Reads take AccessShareLock; UPLOAD_LOCK, with which members wait for their own uploads, blocks nobody else.
LOCKS = text("""
    SELECT pg_stat_activity.pid, coalesce(relation::regclass::text, locktype) AS what, mode
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND locktype <> 'virtualxid'
    AND mode <> 'AccessShareLock' AND NOT (locktype = 'advisory' AND classid = :turn)
""")
# With an Idempotency-Key, the key is claimed first, and the account must not be deleted meanwhile.
OF_KEY = re.compile(r".*(idempotency_key|user_account).*|transactionid")


@pytest.fixture
def locks_while_decoding(factory, monkeypatch):
    """For each decoding of a picture, the locks held at that moment, as pairs of object and mode."""
    found, real = [], Decoder._ask

    def ask(decoder, job, data):
        with factory() as session:
            rows = session.execute(LOCKS, {"turn": UPLOAD_LOCK})
            found.append([(row.what, row.mode) for row in rows])
        return real(decoder, job, data)

    monkeypatch.setattr(Decoder, "_ask", ask)
    return found


@pytest.fixture
def site(database, factory, tmp_path):
    """An application, a browser and the API credentials of the editor `ed`, and objects in the catalog."""
    basic = {"Authorization": add_account(database, "ed")}
    with factory() as session:
        session.execute(text(MAKE_EDITOR))
        session.commit()
        make = Factories(Catalog(session))
        arc, issue = make.arc(), make.issue()
        session.commit()
        names = arc.id, arc.slug, issue.slug
    app = build_app(database, tmp_path)
    browser = webtest.TestApp(app)
    log_in(browser, "ed", "secret")
    yield app, browser, basic, names
    app.registry["comicsdb.engine"].dispose()


FILE = [("image", "cover.png", picture())]


def test_the_api_decodes_before_it_locks(site, locks_while_decoding):
    app, _browser, basic, (arc, _slug, _issue) = site
    client = webtest.TestApp(app)
    made = client.post("/api/arc/", {"name": "New", "desc": ""}, headers=basic, upload_files=FILE, status=201)
    client.patch(f"/api/arc/{arc}/", {}, headers=basic, upload_files=FILE, status=200)
    tag = client.get(f"/api/arc/{arc}/", headers=basic).headers["ETag"]
    conditional = basic | {"If-Match": tag}
    client.put(f"/api/arc/{arc}/", {"name": "Newer"}, headers=conditional, upload_files=FILE, status=200)
    assert made.json["image"]
    assert locks_while_decoding == [[], [], []]
    once = basic | {"Idempotency-Key": "once"}
    client.post("/api/arc/", {"name": "Once"}, headers=once, upload_files=FILE, status=201)
    assert [what for what, _mode in locks_while_decoding.pop() if not OF_KEY.fullmatch(what)] == []
    wrong = {"name": ""}
    client.patch(f"/api/arc/{arc}/", wrong, headers=basic, upload_files=FILE, status=400)
    assert locks_while_decoding == [[], [], [], []]


def test_forms_of_the_site_decode_before_they_lock(site, locks_while_decoding):
    _app, browser, _basic, (_arc, slug, issue) = site
    form = Form(browser.get(f"/arc/{slug}/update/"))
    browser.post(form.action, form.submit_fields(), upload_files=FILE, status=303)
    form = Form(browser.get("/arc/create/"))
    fields = [*((name, value) for name, value in form.submit_fields() if name != "name"), ("name", "Created")]
    browser.post(form.action, fields, upload_files=FILE, status=303)
    form = Form(browser.get(f"/issue/{issue}/update/"))
    form = Form(browser.post(form.action, [*form.submit_fields(), ("add", "variants")]))
    variant = next(name for name in form.fields if re.fullmatch(r"variants-.*-image", name))
    row = variant.removesuffix("image")
    fields = [*((name, value) for name, value in form.submit_fields() if name != f"{row}name")]
    files = [*FILE, (variant, "variant.png", picture())]
    browser.post(form.action, [*fields, (f"{row}name", "Foil")], upload_files=files, status=303)
    form = Form(browser.get("/reading-lists/create/"))
    fields = [*((name, value) for name, value in form.submit_fields() if name != "name"), ("name", "Mine")]
    browser.post(form.action, fields, upload_files=FILE, status=303)
    assert locks_while_decoding == [[]] * 5


def test_a_profile_and_a_revert_decode_before_they_lock(site, locks_while_decoding, factory, tmp_path):
    _app, browser, _basic, (arc, slug, _issue) = site
    profile = browser.get("/accounts/update/")
    token = re.search(r'name="csrf_token" value="([^"]+)"', profile.text)[1]
    browser.post("/accounts/update/", {"csrf_token": token, "bio": "Me."}, upload_files=FILE, status=303)
    for _ in range(2):
        form = Form(browser.get(f"/arc/{slug}/update/"))
        browser.post(form.action, form.submit_fields(), upload_files=FILE, status=303)
    with factory() as session:
        versions = session.query(models.History).filter_by(kind="arc", object_id=arc).order_by("id").all()
        version, stamp = versions[1].id, session.get(models.Arc, arc).modified.isoformat()
    FolderStorage(tmp_path).put(versions[1].snapshot["image"], picture())  # deleted when it was replaced
    fields = {"csrf_token": token, "modified": stamp}
    browser.post(f"/arc/{slug}/history/{version}/revert/", fields, status=303)
    assert locks_while_decoding == [[]] * 4
