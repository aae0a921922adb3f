"""Ratings of issues: who may give them, and totals of issue and series that always match them."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select, text

from comicsdb import clock, models
from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.library.ratings import DueRatingsPolicy, count_due, rate, rate_issues
from comicsdb.models import IssueRating
from tests.cases import for_each
from tests.concurrency import run_concurrently, second_waits
from tests.factories import Factories

TODAY = date(2026, 3, 4)
STAMPS = "modified, modified_before, rated, rated_before"


class Registry(dict):
    """The part of Pyramid's registry that `DueRatingsPolicy` uses."""

    def __init__(self, settings, factory):
        super().__init__({"comicsdb.session_factory": factory})
        self.settings = settings


def stars(session, issue):
    """The ratings of an issue as {account: stars}."""
    rows = select(IssueRating.user_id, IssueRating.rating).where(IssueRating.issue_id == issue.id)
    return dict(session.execute(rows).all())


def figures(session, entity):
    """The stored (number, sum) of ratings."""
    return tuple(
        session.execute(
            text(f"SELECT rating_count, rating_sum FROM {entity.__tablename__} WHERE id = :id"),
            {"id": entity.id},
        ).one()
    )


def stamps(session, entity):
    """The stored stamps of the row."""
    return session.execute(
        text(f"SELECT {STAMPS} FROM {entity.__tablename__} WHERE id = :id"), {"id": entity.id}
    ).one()


@pytest.fixture
def issue(make):
    return make.issue()


@pytest.fixture
def series(session, issue):
    return session.get(models.Series, issue.series_id)


def test_stars_are_set_changed_and_taken_back(session, make, issue):
    one, other = make.user().id, make.user().id
    assert rate(session, issue, one, 4, today=TODAY) is True
    assert rate(session, issue, other, 5, today=TODAY) is True
    assert stars(session, issue) == {one: 4, other: 5}
    assert rate(session, issue, one, 1, today=TODAY) is True
    assert stars(session, issue) == {one: 1, other: 5}
    assert rate(session, issue, other, None, today=TODAY) is True
    assert stars(session, issue) == {one: 1}


@for_each("wrong", [0, 6, -1, 4.0, True, "5"])
def test_stars_other_than_whole_numbers_from_1_to_5_are_refused(session, make, issue, wrong):
    with pytest.raises(InvalidError) as caught:
        rate(session, issue, make.user().id, wrong, today=TODAY)
    assert list(caught.value.errors) == ["rating"]
    assert stars(session, issue) == {}


def test_an_issue_can_be_rated_from_its_store_date_on(session, make):
    user = make.user().id
    issue = make.issue(store_date=TODAY)
    with pytest.raises(InvalidError) as caught:
        rate(session, issue, user, 5, today=TODAY - timedelta(days=1))
    assert list(caught.value.errors) == ["rating"]
    assert "2026-03-04" in caught.value.errors["rating"][0]
    assert stars(session, issue) == {}
    rate(session, issue, user, 5, today=TODAY)
    assert stars(session, issue) == {user: 5}


def test_stars_on_a_copy_count_from_the_store_date_on(session, make, issue, series):
    one, other = make.user().id, make.user().id
    early = make.issue(series=series, number="2", store_date=TODAY)
    eve = TODAY - timedelta(days=1)
    rate(session, issue, one, 2, today=eve)
    rate_issues(session, one, {early.id: 5}, today=eve)
    rate_issues(session, other, {early.id: 4}, today=eve)
    rate_issues(session, other, {early.id: 3}, today=eve)
    assert stars(session, early) == {one: 5, other: 3}
    assert (figures(session, early), figures(session, series)) == ((0, 0), (1, 2))
    before = stamps(session, early)
    assert (count_due(session, eve), stamps(session, early)) == (0, before)
    assert count_due(session, TODAY) == 2
    assert (figures(session, early), figures(session, series)) == ((2, 8), (3, 10))
    after = stamps(session, early)
    assert (after.modified, after.rated > before.rated) == (before.modified, True)
    assert count_due(session, TODAY + timedelta(days=1)) == 0
    assert stamps(session, early) == after
    rate_issues(session, one, {early.id: None}, today=TODAY)
    assert (figures(session, early), figures(session, series)) == ((1, 3), (2, 5))


def test_a_new_day_does_not_wait_for_who_writes_much(factory):
    settings = {"comicsdb.timezone": ZoneInfo("UTC")}
    with factory() as session:
        make = Factories(Catalog(session))
        early = make.issue(store_date=clock.now().date() + timedelta(days=1))
        rate_issues(session, make.user().id, {early.id: 4}, today=clock.now().date())
        session.execute(text("UPDATE issue SET store_date = '2020-01-01' WHERE id = :id"), {"id": early.id})
        session.commit()
        policy = DueRatingsPolicy(Registry(settings, factory), lambda _environ, _router: "answered")
        with factory() as writer:
            UnitOfWork.of(writer).acquire_write_lock()
            assert policy({}, None) == "answered"
            assert (policy.day, figures(session, early)) == (None, (0, 0))
            writer.rollback()
        session.rollback()
        policy = DueRatingsPolicy(Registry(settings, factory), lambda _environ, _router: "answered")
        assert policy({}, None) == "answered"
        assert (policy.day, figures(session, early)) == (clock.now().date(), (1, 4))


def test_release_is_judged_by_the_row_and_not_by_an_old_copy_of_it(session, make, issue):
    session.execute(text("UPDATE issue SET store_date = '2030-01-01' WHERE id = :id"), {"id": issue.id})
    assert issue.store_date is None
    with pytest.raises(InvalidError):
        rate(session, issue, make.user().id, 5, today=TODAY)


def test_stars_of_an_issue_that_was_put_off_can_be_taken_back(session, catalog, make, issue):
    user = make.user().id
    rate(session, issue, user, 5, today=TODAY)
    catalog.update(issue, {"store_date": TODAY + timedelta(days=30)})
    assert rate(session, issue, user, None, today=TODAY) is True
    assert (stars(session, issue), figures(session, issue)) == ({}, (0, 0))


def test_a_deleted_issue_is_not_found(session, catalog, make, issue):
    catalog.delete(issue)
    with pytest.raises(NotFoundError):
        rate(session, issue, make.user().id, 5, today=TODAY)


def test_the_series_counts_every_star_of_all_its_issues_once(session, make, issue, series):
    second, elsewhere = make.issue(series=series, number="2"), make.issue()
    users = [make.user().id for _ in range(3)]
    for rated, given in ((issue, (5, 4, 4)), (second, (1,)), (elsewhere, (2, 2))):
        for user, number in zip(users, given, strict=False):
            rate(session, rated, user, number, today=TODAY)
    session.commit()
    assert figures(session, issue) == (3, 13)
    assert figures(session, second) == (1, 1)
    assert figures(session, series) == (4, 14)
    assert (issue.average_rating, series.average_rating) == (4.33, 3.5)  # not (4.33 + 1) / 2
    rate(session, issue, users[0], None, today=TODAY)
    rate(session, second, users[0], None, today=TODAY)
    assert figures(session, second) == (0, 0)
    assert second.average_rating is None
    assert figures(session, series) == (2, 8)


def test_rating_moves_the_rating_stamps_of_issue_and_series_and_no_modified(session, make, issue, series):
    neighbour = make.issue(series=series, number="2")
    before = {each: stamps(session, each) for each in (issue, series, neighbour)}
    rate(session, issue, make.user().id, 3, today=TODAY)
    session.commit()
    for entity in (issue, series):
        after = stamps(session, entity)
        assert after[:2] == before[entity][:2]
        assert after.rated is not None
        assert after.rated_before == before[entity].rated
    assert stamps(session, neighbour) == before[neighbour]


def test_the_rating_stamp_grows_strictly_and_keeps_the_value_it_had(session, make, issue):
    user, seen = make.user().id, []
    for number in (3, 4, None, 5):
        rate(session, issue, user, number, today=TODAY)
        seen.append(stamps(session, issue))
    assert [after.rated_before for after in seen] == [None, *(before.rated for before in seen[:-1])]
    assert sorted({after.rated for after in seen}) == [after.rated for after in seen]


def test_the_same_stars_again_change_nothing(session, make, issue, series):
    user = make.user().id
    assert rate(session, issue, user, None, today=TODAY) is False
    rate(session, issue, user, 3, today=TODAY)
    before = stamps(session, issue), stamps(session, series)
    assert rate(session, issue, user, 3, today=TODAY) is False
    assert (stamps(session, issue), stamps(session, series)) == before


def test_rating_is_no_edit(session, make, issue):
    def records():
        return [
            session.scalar(text(f"SELECT {what}"))
            for what in (
                "(SELECT count(*) FROM history)",
                "(SELECT count(*) FROM change_log)",
                "(SELECT sum(value) FROM version)",
            )
        ]

    before = records()
    rate(session, issue, make.user().id, 3, today=TODAY)
    session.commit()
    assert records() == before


def test_a_rolled_back_rating_leaves_no_trace(session, make, issue, series):
    user = make.user().id
    before = stamps(session, issue), stamps(session, series)
    rate(session, issue, user, 3, today=TODAY)
    session.rollback()
    assert (stars(session, issue), figures(session, series)) == ({}, (0, 0))
    assert (stamps(session, issue), stamps(session, series)) == before


def test_an_entity_in_hand_shows_the_new_figures(session, make, issue, series):
    assert (issue.rating_count, series.rating_count) == (0, 0)
    rate(session, issue, make.user().id, 3, today=TODAY)
    assert (issue.rating_count, issue.average_rating) == (1, 3.0)
    assert (series.rating_count, series.average_rating) == (1, 3.0)


@pytest.fixture
def factory(shared_factory):
    return shared_factory


RATERS = 6


def rater(issue_id, user_id, *given):
    """A job in which an account gives an issue these ratings, one after the other."""

    def job(catalog):
        issue = catalog.get(models.Issue, issue_id)
        for number in given:
            rate(catalog.session, issue, user_id, number, today=TODAY)

    return job


def test_raters_of_two_issues_of_one_series_at_once_leave_exact_figures(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        first, second = (make.issue(series=series, number=number) for number in "12")
        users = [make.user().id for _ in range(RATERS)]
    jobs = [
        rater((first, second)[place % 2].id, user, 1 + place % 5, 1 + (place + 2) % 5)
        for place, user in enumerate(users)
    ]
    run_concurrently(factory, *jobs)
    with factory() as session:
        given = [*stars(session, first).values(), *stars(session, second).values()]
        assert len(given) == RATERS
        assert figures(session, series) == (RATERS, sum(given))
        for issue in (first, second):
            mine = stars(session, issue).values()
            assert figures(session, issue) == (len(mine), sum(mine))


def test_the_second_rater_waits_for_the_first_and_counts_its_star(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        series = make.series()
        issues = [make.issue(series=series, number=number).id for number in "12"]
        users = [make.user().id, make.user().id]

    def rating(place, stars):
        return lambda session: rate(
            session, session.get(models.Issue, issues[place]), users[place], stars, today=TODAY
        )

    second_waits(factory, rating(0, 5), rating(1, 2)).result()
    with factory() as session:
        assert figures(session, series) == (2, 7)


def test_one_account_rating_twice_at_once_has_one_rating(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        issue, user = make.issue(), make.user().id
    run_concurrently(factory, *(rater(issue.id, user, number) for number in (1, 2, 3, 4, 5)))
    with factory() as session:
        (number,) = stars(session, issue).values()
        assert figures(session, issue) == (1, number)


def test_a_rater_of_an_issue_that_moves_meanwhile_counts_for_the_new_series(factory):
    with factory() as session:
        make = Factories(Catalog(session))
        old, new = make.series(), make.series()
        issue, user = make.issue(series=old), make.user().id
    second_waits(
        factory,
        lambda session: Catalog(session).update(session.get(models.Issue, issue.id), {"series": new.id}),
        lambda session: rate(session, session.get(models.Issue, issue.id), user, 4, today=TODAY),
    ).result()
    with factory() as session:
        assert (figures(session, old), figures(session, new)) == ((0, 0), (1, 4))


def test_the_series_is_locked_before_the_issue(session, make, issue, connection):
    from tests.conftest import record_statements

    user = make.user().id
    with record_statements(connection) as statements:
        rate(session, issue, user, 4, today=TODAY)
    locking = [sql for sql in statements if "FOR NO KEY UPDATE" in sql]
    assert locking[0].endswith("ORDER BY s.id, i.id FOR NO KEY UPDATE OF s, i")
