"""Pages of lists that change during a request: each shows one moment, and none is cached wrongly."""

from contextlib import contextmanager

import pytest

from comicsdb.db.read_pool import ReadPool
from comicsdb.models import Arc
from comicsdb_api.resource import listing
from tests.api.bulk_rows import (
    ARCS,
    ISSUES_IN_ARC,
    PAGE_SIZE,
    BulkRows,
    expected_summary,
    page_summary,
    with_page,
)
from tests.cases import for_each
from tests.conftest import ReadPoolOfTests

NO_PAGE = {"detail": "Invalid page."}
GONE = {"detail": "No Arc matches the given query."}
LISTS = {
    "/api/arc/": ("arc", ARCS.format("")),
    "/api/arc/?name=%C3%81": ("arc", ARCS.format("WHERE fold(name) LIKE '%a%'")),
    "/api/arc/{arc}/issue_list/": ("issue", ISSUES_IN_ARC),
}
HAPPENINGS = {
    "some come": lambda many, kind: many.add(kind, PAGE_SIZE + 30),
    "most go": lambda many, kind: many.remove(kind, "id % 40 > 0"),
    "all move": lambda many, kind: many.reorder(kind),
}
FAR = 3  # `many` lowers the limit to the page before, so that fewer rows are needed
PAGES = [2, FAR, "last"]


class Interrupted(ReadPoolOfTests):
    """A pool of connections that calls `happening` before one of the reads, counted from 1."""

    def __init__(self, connection, number, happening):
        super().__init__(lambda: connection)
        self.left, self.happening = number, happening

    def _run(self, read):
        self.left -= 1
        if self.left == 0:
            self.happening()
        return super()._run(read)


@pytest.fixture
def interrupted(wsgi, api, connection):
    """A function that requests a path while something happens before one of the reads."""

    def ask(path, number, happening):
        own = wsgi.registry["comicsdb.read_pool"]
        wsgi.registry["comicsdb.read_pool"] = Interrupted(connection, number, happening)
        answer = api.testapp.get(path, headers=api.headers, expect_errors=True)
        wsgi.registry["comicsdb.read_pool"] = own
        return answer

    return ask


@pytest.fixture
def many(make, monkeypatch):
    """Rows in bulk."""
    monkeypatch.setattr(listing, "OFFSET_PAGES_MAX", FAR - 1)
    return BulkRows(make)


@pytest.fixture(params=LISTS)
def listed(request, many):
    """Rows in bulk, the path of a list of them, their kind, and a statement that gives their order."""
    kind, statement = LISTS[request.param]
    many.add(kind, 603 if "?" in request.param else 353)
    return many, request.param.format(arc=many.arc.id), kind, statement


@pytest.fixture
def undone(wsgi, connection, session):
    """`with undone():` what happens in the block is rolled back at its end, and the caches are cleared."""

    @contextmanager
    def undone():
        session.rollback()  # it has only read
        savepoint = connection.begin_nested()
        yield
        session.rollback()
        savepoint.rollback()
        for name in ("comicsdb.cache", "comicsdb.validator_cache"):
            wsgi.registry[name].clear()

    return undone


def is_page_of(answer, page, *moments):
    """Whether an answer is a page of the list, or a page past its end, at one of these moments."""
    if answer.status_int == 200:
        return page_summary(answer.json) in [expected_summary(ids, page) for ids in moments]
    missing = page != "last" and any(len(ids) <= (page - 1) * PAGE_SIZE for ids in moments)
    return missing and answer.status_int == 404 and answer.json == NO_PAGE


@for_each("happening", HAPPENINGS)
@for_each("page", PAGES)
@for_each("known", (False, True))  # whether something about the list is cached already
@for_each("number", (2, 3))  # the first read is that of the account and the list's version
def test_a_page_is_of_one_moment(api, listed, interrupted, undone, *, happening, page, known, number):
    many, path, kind, statement = listed
    with undone():
        before = many.ids(statement)
        if number == 3 and not known:  # what is cached about an earlier version causes one more read
            for each in PAGES:
                api.get(with_page(path, each))
            many.bump_versions()
        if known:
            for each in (1, FAR, FAR + 1):
                api.get(with_page(path, each))
            many.bump_versions()
            for each in (3, FAR + 1):
                api.get(with_page(path, each))
        answer = interrupted(with_page(path, page), number, lambda: HAPPENINGS[happening](many, kind))
        after = many.ids(statement)
        assert is_page_of(answer, page, before, after)
        for each in PAGES:
            again = api.testapp.get(with_page(path, each), headers=api.headers, expect_errors=True)
            assert is_page_of(again, each, after), each


def test_the_last_page_is_the_last_however_often_rows_come_and_go(api, many, wsgi, connection):
    many.add("arc", 353)

    class Restless(ReadPool):
        """A pool of connections that adds or removes rows before each of the first reads."""

        left = 4

        def _run(self, read):
            self.left -= 1
            if self.left >= 0:
                many.remove("arc", "id % 2 = 0") if self.left % 2 else many.add("arc", 5 * PAGE_SIZE)
            return super()._run(read)

    wsgi.registry["comicsdb.read_pool"] = Restless(lambda: connection)
    body = api.json("/api/arc/?page=last")
    assert page_summary(body) == expected_summary(many.ids(ARCS.format("")), "last")


@for_each("page", PAGES)
@for_each("number", (2, 3))
def test_a_parent_that_goes_meanwhile_is_not_there(make, many, interrupted, undone, *, page, number):
    arc_id, session = many.arc.id, make.session
    with undone():
        many.add("issue", (FAR - 1) * PAGE_SIZE + 1)
        before = many.ids(ISSUES_IN_ARC)

        def go():
            make.catalog.delete(session.get(Arc, arc_id))
            session.commit()

        answer = interrupted(with_page(f"/api/arc/{arc_id}/issue_list/", page), number, go)
        if number == 3 and page == 2:  # it takes two reads
            assert page_summary(answer.json) == expected_summary(before, page)
        else:
            assert (answer.status_int, answer.json) == (404, GONE)
