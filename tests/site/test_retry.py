"""Requests that are retried: two that deadlock, and those whose account is deleted meanwhile."""

from concurrent.futures import ThreadPoolExecutor

import webtest
from sqlalchemy import func, select, text

from comicsdb import models
from comicsdb.catalog import Catalog
from comicsdb.library import locks
from tests.conftest import build_app
from tests.factories import Factories
from tests.serving import add_account
from tests.site.test_plugin import MAKE_EDITOR
from tests.waiting import wait_until
from tests.web.conftest import log_in, soup


def test_a_deadlock_is_tried_again_and_both_writers_are_answered(database, factory, tmp_path):
    with factory() as session:
        make = Factories(Catalog(session))
        one, other = make.arc().id, make.arc().id
    app = build_app(database, tmp_path, **{"pyramid.includes": "tests.site.crossing"})

    def ask(given):
        first, second, mark = given
        form = {"first": str(first), "second": str(second), "mark": mark}
        files = [("picture", "cover.png", b"p" * 5000)]
        return webtest.TestApp(app).post("/crossing/", form, upload_files=files).json

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, [(one, other, "a"), (other, one, "b")]))
    app.registry["comicsdb.engine"].dispose()
    assert sorted(each["attempt"] for each in answers) == [0, 1]
    assert [each["picture"] for each in answers] == [5000, 5000]  # the retry has read it again
    with factory() as session:
        assert {"".join(sorted(session.get(models.Arc, each).desc)) for each in (one, other)} == {"ab"}
        assert session.scalar(text("SELECT count(*) FROM history WHERE type = '~'")) == 4
        assert session.scalar(text("SELECT count(*) FROM change_log WHERE action = 'update'")) == 4


def waiting(session) -> int:
    """The number of connections waiting for a lock now."""
    return session.scalar(text("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"))


def test_who_is_deleted_after_it_was_recognised_is_nobody(database, factory, tmp_path):
    basic = {"Authorization": add_account(database, "ed")}
    with factory() as session:
        make = Factories(Catalog(session))
        arc, issue = make.arc().id, make.issue()
        account = session.scalar(select(models.User.id).filter_by(username="ed"))
        session.execute(text(MAKE_EDITOR))
        session.commit()
    app = build_app(database, tmp_path)
    member = webtest.TestApp(app)
    log_in(member, "ed", "secret")
    token = soup(member.get("/")).find("input", attrs={"name": "csrf_token"})["value"]
    asked = {"headers": basic, "expect_errors": True}
    asks = [
        lambda: webtest.TestApp(app).post_json("/api/collection/add/", {"issue_id": issue.id}, **asked),
        lambda: webtest.TestApp(app).patch(f"/api/arc/{arc}/", {"desc": "Late."}, **asked),
        lambda: member.post(f"/wish-list/toggle/{issue.slug}/", {"on": "1", "csrf_token": token}),
    ]
    with ThreadPoolExecutor(len(asks)) as pool, factory() as holder:
        locks.lock_account(holder, account)
        holder.execute(text("SELECT FROM arc FOR UPDATE"))
        answers = [pool.submit(each) for each in asks]
        wait_until(lambda: waiting(holder) == len(asks))
        with factory() as session:
            session.execute(text("DELETE FROM user_account WHERE id = :id"), {"id": account})
            session.commit()
        holder.rollback()
        added, changed, wished = [each.result() for each in answers]
    app.registry["comicsdb.engine"].dispose()
    assert (added.status_int, changed.status_int) == (401, 401)
    assert wished.location.startswith("http://localhost/accounts/login/")
    with factory() as session:
        assert session.get(models.Arc, arc).desc == ""
        for written in (models.CollectionItem, models.WishListItem):
            assert session.scalar(select(func.count()).select_from(written)) == 0, written
