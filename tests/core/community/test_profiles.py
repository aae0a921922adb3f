"""Public profiles: private by default; a few favourites; diaries by the days of a time zone."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.community import profiles
from comicsdb.models import ReadDate

ROME = ZoneInfo("Europe/Rome")


@pytest.fixture
def ann(make):
    return make.user("Ann")


def open_to_nobody(session, username) -> bool:
    try:
        profiles.find(session, username, None)
    except NotFoundError:
        return True
    return False


def test_a_profile_is_found_only_while_it_is_public_and_active(session, ann):
    assert open_to_nobody(session, "Ann")
    profiles.save_settings(session, ann.id, public=False, parts=profiles.PARTS)
    assert open_to_nobody(session, "Ann")
    profiles.save_settings(session, ann.id, public=True, parts=[profiles.SHELF])
    assert profiles.find(session, "aNN", None).user is ann
    ann.is_active = False
    session.flush()
    assert open_to_nobody(session, "Ann")
    for name in ("nobody", "", "\0", "Ann\0"):
        assert open_to_nobody(session, name)


def test_others_see_the_chosen_parts_and_the_owner_all(session, ann):
    profiles.save_settings(session, ann.id, public=True, parts=[profiles.SHELF])
    found = profiles.find(session, "Ann", None)
    assert [part for part in profiles.PARTS if found.shows(part)] == [profiles.SHELF]
    mine = profiles.find(session, "Ann", ann.id)
    assert [part for part in profiles.PARTS if mine.shows(part)] == list(profiles.PARTS)
    assert [part for part in profiles.PARTS if mine.is_open(part)] == [profiles.SHELF]
    profiles.save_settings(session, ann.id, public=False, parts=[profiles.SHELF])
    mine = profiles.find(session, "Ann", ann.id)
    assert mine.parts == {profiles.SHELF}  # kept for when it is public again
    assert not any(mine.is_open(part) for part in profiles.PARTS)


def test_favourites_are_few_and_in_order(session, ann, make):
    issues = [make.issue() for _ in range(4)]
    for each in issues[:3]:
        profiles.add_favourite(session, ann.id, "issue", each.id)
    profiles.add_favourite(session, ann.id, "issue", issues[0].id)  # is already one
    profiles.add_favourite(session, ann.id, "series", issues[0].series_id)
    with pytest.raises(InvalidError, match="at most 4"):
        profiles.add_favourite(session, ann.id, "issue", issues[3].id)
    with pytest.raises(NotFoundError):
        profiles.add_favourite(session, ann.id, "issue", 10**9)
    found = profiles.favourites(session, ann.id)
    assert [each.issue_id for each in found] == [*(each.id for each in issues[:3]), None]
    profiles.move_favourite_up(session, ann.id, found[3].id)
    profiles.move_favourite_up(session, ann.id, found[0].id)
    profiles.remove_favourite(session, ann.id, found[1].id)
    profiles.remove_favourite(session, make.user("Bob").id, found[0].id)  # not Bob's
    found = profiles.favourites(session, ann.id)
    assert [each.issue_id or 0 for each in found] == [issues[0].id, 0, issues[2].id]


def test_a_diary_has_months_and_days_of_a_time_zone(session, ann, make):
    first, second = make.issue(), make.issue()
    for issue, moment in (
        (first, datetime(2026, 10, 31, 23, 30, tzinfo=UTC)),  # November in Rome
        (first, datetime(2026, 11, 1, 12, tzinfo=UTC)),  # the second time on that day
        (second, datetime(2026, 10, 2, 12, tzinfo=UTC)),
        (second, None),
    ):
        session.add(ReadDate(user_id=ann.id, issue_id=issue.id, read_on=moment))
    session.flush()
    november, october = date(2026, 11, 1), date(2026, 10, 1)
    assert profiles.months(session, ann.id, ROME) == [
        profiles.Month(november, 1),
        profiles.Month(october, 1),
    ]
    entries = profiles.entries(session, ann.id, ROME, limit=9)
    assert [(each.day, each.issue_id) for each in entries] == [
        (november, first.id),
        (date(2026, 10, 2), second.id),
    ]
    span = october, november
    assert profiles.entry_count(session, ann.id, ROME, span) == 1
    assert profiles.entries(session, ann.id, ROME, limit=9, span=span) == entries[1:]
