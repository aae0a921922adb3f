"""Following other readers: only while their profiles are public, and not if they block the follower."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from comicsdb import clock
from comicsdb.catalog import InvalidError
from comicsdb.community import follows, profiles, reviews
from comicsdb.models import ReadDate

UTC = ZoneInfo("UTC")


@pytest.fixture
def ann(session, make):
    """A reader whose profile shows all parts."""
    ann = make.user("Ann")
    profiles.save_settings(session, ann.id, public=True, parts=profiles.PARTS)
    return ann


@pytest.fixture
def bob(make):
    return make.user("Bob")


def told(session, bob) -> list[tuple]:
    """The entries of Bob's feed: the text of a review, or the number of issues read."""
    return [
        each.review.text if each.review is not None else each.number
        for each in follows.feed(session, bob.id, UTC)
    ]


def test_the_feed_shows_what_is_public_of_the_last_weeks(session, ann, bob, make):
    issues = [make.issue() for _ in range(2)]
    now = clock.now()
    for issue, ago in ((issues[0], 2), (issues[1], 2), (issues[0], 5), (issues[0], 40), (issues[0], -3)):
        session.add(ReadDate(user_id=ann.id, issue_id=issue.id, read_on=now - timedelta(days=ago)))
    reviews.write(session, ann.id, issues[0].id, "Good.", spoils=False)
    session.flush()
    assert told(session, bob) == []
    follows.follow(session, bob.id, ann)
    follows.follow(session, bob.id, ann)
    assert told(session, bob) == ["Good.", 2, 1]
    profiles.save_settings(session, ann.id, public=True, parts=[profiles.SHELF])
    assert told(session, bob) == ["Good."]
    profiles.save_settings(session, ann.id, public=False, parts=profiles.PARTS)
    assert (told(session, bob), follows.followed(session, bob.id)) == ([], [])
    profiles.save_settings(session, ann.id, public=True, parts=profiles.PARTS)
    ann.is_active = False
    session.flush()
    assert (told(session, bob), follows.followed(session, bob.id)) == ([], [])


def test_a_follower_is_blocked_and_unblocked(session, ann, bob, make):
    follows.block(session, ann.id, bob.id)  # no effect: he does not follow her
    follows.follow(session, bob.id, ann)
    assert [tuple(each) for each in follows.followers(session, ann.id)] == [(bob, False)]
    follows.block(session, ann.id, bob.id)
    assert [tuple(each) for each in follows.followers(session, ann.id)] == [(bob, True)]
    assert not follows.follows(session, bob.id, ann.id)
    assert follows.followed(session, bob.id) == []
    follows.unfollow(session, bob.id, ann.id)  # does not lift the block
    with pytest.raises(InvalidError):
        follows.follow(session, bob.id, ann)
    follows.unblock(session, ann.id, bob.id)
    follows.follow(session, bob.id, ann)
    assert follows.follows(session, bob.id, ann.id)
    follows.unfollow(session, bob.id, ann.id)
    assert follows.followers(session, ann.id) == []
