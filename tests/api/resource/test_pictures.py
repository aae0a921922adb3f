"""Pictures sent to the API: when they are stored, and a storage that fails."""

import base64

import pytest
import webtest
from sqlalchemy import text

from comicsdb import models
from comicsdb.catalog import Catalog
from comicsdb.catalog.unit_of_work import WRITE_LOCK
from comicsdb.media.storage import FolderStorage
from tests.api.conftest import PASSWORD
from tests.conftest import API_ONLY, build_app
from tests.dataset import picture
from tests.factories import Factories

TYPED = {"name": "Salt Tide"}


def sent(client, method: str, path: str, status: int, fields: dict, image: bytes | None = None):
    """The response to a form, with a picture if one is given."""
    files = [("image", "claims.txt", image)] if image else []
    content_type, body = client.testapp.encode_multipart(list(fields.items()), files)
    return client.testapp.request(
        path,
        method=method,
        headers=client.headers,
        content_type=content_type,
        body=body,
        status=status,
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_a_storage_that_is_down_is_told_and_nothing_is_changed(
    editor, make, session, unreachable_storage, caplog, method
):
    arc = make.arc(name="Before", image="arc/2026/01/01/before.png")
    path = "/api/arc/" if method == "POST" else f"/api/arc/{arc.id}/"
    answer = sent(editor, method, path, 503, TYPED, picture())
    assert answer.json == {
        "detail": "Pictures cannot be stored at the moment. Nothing was changed; please try again later."
    }
    assert answer.headers["Retry-After"] == "30"
    assert "Traceback" not in caplog.text
    session.expire_all()
    assert session.query(models.Arc).all() == [arc]
    assert (arc.name, arc.image) == ("Before", "arc/2026/01/01/before.png")


def test_a_write_without_a_picture_needs_no_storage(editor, make, session, unreachable_storage):
    arc = make.arc(name="Before", image="arc/2026/01/01/before.png")
    assert sent(editor, "PATCH", f"/api/arc/{arc.id}/", 200, TYPED).json["name"] == "Salt Tide"
    session.expire_all()
    assert arc.image == "arc/2026/01/01/before.png"


def test_a_picture_is_stored_before_other_writers_have_to_wait(database, factory, tmp_path, monkeypatch):
    """A slow storage does not delay other writers, because no lock is held yet."""
    app = webtest.TestApp(build_app(database, tmp_path / "media", **API_ONLY))
    with factory() as session:
        passwords = app.app.registry["comicsdb.passwords"]
        make = Factories(Catalog(session))
        make.user("ann", password=PASSWORD, passwords=passwords, groups=["editor"])
        series, issue, arc = make.series().id, make.issue().id, make.arc().id
    held, put = [], FolderStorage.put

    def others_wait() -> int:
        with factory() as session:
            locks = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :key")
            return session.scalar(locks, {"key": WRITE_LOCK})

    def watched(storage, *given):
        held.append(others_wait())
        put(storage, *given)

    monkeypatch.setattr(FolderStorage, "put", watched)
    headers = {"Authorization": "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()}
    tag = app.get(f"/api/arc/{arc}/", headers=headers).headers["ETag"]
    files = [("image", "a.png", picture())]
    for method, path, fields, more in (
        ("POST", "/api/arc/", TYPED, {}),
        ("PATCH", f"/api/arc/{arc}/", {}, {"If-Match": tag}),
        ("PUT", f"/api/arc/{arc}/", TYPED, {}),
        ("POST", "/api/issue/", {"series": series, "number": "7", "cover_date": "2026-01-01"}, {}),
        ("POST", "/api/variant/", {"issue": issue, "name": "Foil"}, {"Idempotency-Key": "k"}),
    ):
        content_type, body = app.encode_multipart(
            [(name, str(value)) for name, value in fields.items()], files
        )
        answer = app.request(
            path,
            method=method,
            headers=headers | more,
            content_type=content_type,
            body=body,
            expect_errors=True,
        )
        assert answer.status_int in {200, 201}, answer.text
    assert len(held) >= 5
    assert set(held) == {0}
    with factory() as session:
        Catalog(session).unit.acquire_write_lock()
        assert others_wait() == 1
    app.app.registry["comicsdb.engine"].dispose()
