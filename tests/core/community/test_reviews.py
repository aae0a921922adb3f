"""Reviews: one per reader and issue, a limit per day, reports to the staff, and hiding by the staff."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from comicsdb import admin, clock
from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.community import profiles, reviews
from comicsdb.library.ratings import rate
from comicsdb.models import Issue, Review, ReviewReport, StaffAction
from tests.cases import for_each
from tests.refused import refused


@pytest.fixture
def ann(make):
    return make.user("Ann")


@pytest.fixture
def bob(make):
    return make.user("Bob")


@pytest.fixture
def issue(make):
    return make.issue()


def seen(session, issue) -> list[tuple]:
    rows = reviews.select_visible().where(Review.issue_id == issue.id).order_by(*reviews.ORDER)
    return [(row.text, row.author, row.rating, row.edited) for row in session.execute(rows)]


def digest(session, issue) -> int | None:
    session.flush()
    return session.scalar(select(reviews.visible_digest(Issue.__table__)).where(Issue.id == issue.id))


def test_a_reader_has_one_review_of_an_issue(session, ann, bob, issue):
    first = reviews.write(session, ann.id, issue.id, " Good.\r\n ", spoils=False)
    assert seen(session, issue) == [("Good.", None, None, False)]
    again = reviews.write(session, ann.id, issue.id, "Bad.", spoils=True)
    assert again is first
    reviews.write(session, bob.id, issue.id, "Fine.", spoils=False)
    assert sorted(seen(session, issue)) == [("Bad.", None, None, True), ("Fine.", None, None, False)]
    reviews.remove(session, ann.id, issue.id)
    reviews.remove(session, ann.id, issue.id)
    assert [each[0] for each in seen(session, issue)] == ["Fine."]


@for_each("text", ["", " \n ", "x" * 10_001, "a\0b"])
def test_a_text_that_is_none_is_refused(session, ann, issue, text):
    assert refused(reviews.write, session, ann.id, issue.id, text, spoils=False) == {"text"}


def test_there_are_limits_for_a_day(session, ann, issue, make):
    first = reviews.write(session, ann.id, issue.id, "Good.", spoils=False)
    old = clock.now() - timedelta(days=2)
    other = make.user("Carl")
    for number in range(reviews.REVIEWS_A_DAY):
        another = make.issue(series=issue.series_id, number=str(number + 2))
        written = reviews.write(session, other.id, another.id, "Good.", spoils=False)
        reviews.report(session, written.id, ann.id, "Spam.")
    extra = make.issue(series=issue.series_id, number="90")
    with pytest.raises(InvalidError, match="limit of 20 a day"):
        reviews.write(session, other.id, extra.id, "One more.", spoils=False)
    reviews.write(session, other.id, another.id, "Changed.", spoils=False)  # not a new review
    one_more = reviews.write(session, make.user("Dora").id, issue.id, "Hm.", spoils=False)
    with pytest.raises(InvalidError, match="limit of 20 a day"):
        reviews.report(session, one_more.id, ann.id, "Spam.")
    session.execute(update(Review).where(Review.id != first.id).values(created_on=old))
    reviews.write(session, other.id, extra.id, "One more.", spoils=False)


def test_names_are_shown_of_public_profiles_alone_and_stars_beside(session, ann, issue):
    reviews.write(session, ann.id, issue.id, "Good.", spoils=False)
    known = {digest(session, issue)}
    profiles.save_settings(session, ann.id, public=True, parts=())
    assert seen(session, issue) == [("Good.", "Ann", None, False)]
    known.add(digest(session, issue))
    rate(session, issue, ann.id, 4, today=clock.now().date())
    assert seen(session, issue) == [("Good.", "Ann", 4, False)]
    known.add(digest(session, issue))
    ann.username = "Anna"
    known.add(digest(session, issue))
    reviews.write(session, ann.id, issue.id, "Bad.", spoils=False)
    known.add(digest(session, issue))
    assert len(known) == 5
    ann.is_active = False
    assert digest(session, issue) is None
    assert seen(session, issue) == []


def test_a_review_that_was_kept_can_be_reported_again_once_it_is_changed(session, ann, bob, issue, make):
    review = reviews.write(session, ann.id, issue.id, "Good.", spoils=False)
    reviews.report(session, review.id, bob.id, "Boring.")
    admin.dismiss_reports(session, make.user("Boss", is_staff=True), review.id, "Fine")
    reports = select(ReviewReport.reason, ReviewReport.settled.is_(None))
    reviews.report(session, review.id, bob.id, "Boring, I say.")
    assert session.execute(reports).all() == [("Boring.", False)]
    reviews.write(session, ann.id, issue.id, "Bob is a fool.", spoils=False)
    for reason in ("An insult.", "The same."):
        reviews.report(session, review.id, bob.id, reason)
        assert session.execute(reports).all() == [("An insult.", True)]


def test_deleting_a_hidden_review_does_not_undo_the_hiding(session, ann, bob, issue, make):
    review = reviews.write(session, ann.id, issue.id, "He dies.", spoils=True)
    reviews.report(session, review.id, bob.id, "Spoiler.")
    staff = make.user("Boss", is_staff=True)
    admin.hide_review(session, staff, review.id, "A spoiler")
    for _ in range(2):
        reviews.remove(session, ann.id, issue.id)
        assert (review.text, review.spoils, review.hidden_reason) == ("", False, "A spoiler")
    assert session.scalar(select(func.count(ReviewReport.id))) == 1
    assert refused(admin.restore_review, session, staff, review.id, "Mended") == {"__all__"}
    reviews.write(session, ann.id, issue.id, "He dies!", spoils=False)
    assert seen(session, issue) == []
    admin.restore_review(session, staff, review.id, "Mended")
    reviews.remove(session, ann.id, issue.id)
    assert session.scalar(select(func.count(Review.id))) == 0


def test_reports_reach_the_staff_and_are_settled(session, ann, bob, issue, make):
    review = reviews.write(session, ann.id, issue.id, "Good.", spoils=False)
    for _ in range(2):
        reviews.report(session, review.id, bob.id, "He dies.")
    with pytest.raises(NotFoundError):
        reviews.report(session, review.id, ann.id, "My own.")
    with pytest.raises(InvalidError):
        reviews.report(session, review.id, bob.id, " ")
    staff = make.user("Boss", is_staff=True)
    with pytest.raises(InvalidError):
        admin.hide_review(session, staff, review.id, "")
    admin.hide_review(session, staff, review.id, "A spoiler")
    assert session.scalar(select(func.count()).where(ReviewReport.settled.is_(None))) == 0
    assert seen(session, issue) == []
    with pytest.raises(NotFoundError):
        reviews.report(session, review.id, bob.id, "Hidden.")
    reviews.write(session, ann.id, issue.id, "Better.", spoils=True)
    assert (review.hidden_reason, seen(session, issue)) == ("A spoiler", [])  # her edits do not unhide it
    admin.restore_review(session, staff, review.id, "Mended")
    assert [each[0] for each in seen(session, issue)] == ["Better."]
    admin.dismiss_reports(session, staff, review.id, "Fine")
    session.flush()
    lines = session.execute(
        select(StaffAction.action, StaffAction.change["reason"]).order_by(StaffAction.id)
    ).all()
    assert lines == [
        ("hide", ["", "A spoiler"]),
        ("restore", ["A spoiler", "Mended"]),
        ("keep", [None, "Fine"]),
    ]
    assert "Ann" not in session.scalar(select(StaffAction.target).limit(1))
