"""Two requests that lock rows in crossing orders: one is tried again, and both are answered."""

from concurrent.futures import ThreadPoolExecutor

import webtest
from sqlalchemy import text

from comicsdb import models
from comicsdb.catalog import Catalog
from tests.conftest import build_app
from tests.factories import Make


def test_a_deadlock_is_tried_again_and_both_writers_are_answered(database, factory, tmp_path):
    with factory() as session:
        make = Make(Catalog(session))
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
    assert [each["picture"] for each in answers] == [5000, 5000]  # read a second time, too
    with factory() as session:
        assert {"".join(sorted(session.get(models.Arc, each).desc)) for each in (one, other)} == {"ab"}
        assert session.scalar(text("SELECT count(*) FROM history WHERE type = '~'")) == 4
        assert session.scalar(text("SELECT count(*) FROM change_log WHERE action = 'update'")) == 4
