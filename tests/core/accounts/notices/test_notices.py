"""Throttle notices: which accounts get one, what is done to them, and that nothing is done twice."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from comicsdb.admin.notices import NoticeRules, candidates, send_notice
from comicsdb.config import parse_settings
from comicsdb.models import ApiToken, DailyCount, StaffAction, ThrottleNotice, User
from tests.core.accounts.notices.throttled_accounts import NOW, TODAY, create_account_warned_twice
from tests.mailbox import waiting_mails
from tests.serving import SECRET

ENFORCING = NoticeRules(enforce=True)
SETTINGS = parse_settings(
    {
        "sqlalchemy.url": "postgresql://x/y",
        "comicsdb.secret": SECRET,
        "comicsdb.base_url": "https://comics.example",
    }
)


# Candidates.


def test_three_bad_days_make_an_offender(world):
    world.add_account("two", {0: 50, 1: 50, 2: 49})
    world.add_account("three", {0: 50, 3: 60, 7: 55, 5: 3})
    assert world.find_candidates() == {"three": (3, 168, 60)}


def test_one_extreme_day_makes_an_offender(world):
    world.add_account("nearly", {1: 99})
    world.add_account("once", {1: 100})
    world.add_account("more", {1: 150, 2: 7})
    assert world.find_candidates() == {"once": (1, 100, 100), "more": (1, 157, 150)}


def test_low_counts_on_many_days_are_no_offence(world):
    world.add_account("patient", dict.fromkeys(range(8), 49))
    assert world.find_candidates() == {}


def test_both_limits_count_together(world):
    world.add_account("both", {1: 60})
    world.add_refusals("both", 1, 40, "sustained")
    assert world.find_candidates() == {"both": (1, 100, 100)}


def test_counts_and_notices_of_a_clock_that_was_ahead_do_not_decide(world):
    world.add_account("ahead", {-3000: 100})
    warned = world.add_account("warned", {1: 100})
    world.add_notice(warned, timedelta(days=-3000))
    assert world.find_candidates() == {"warned": (1, 100, 100)}


def test_today_and_seven_days_before_are_read(world):
    world.add_account("inside", {7: 100})
    world.add_account("outside", {8: 100})
    assert world.find_candidates() == {"inside": (1, 100, 100)}
    assert world.find_candidates(NoticeRules(lookback_days=8)) == {
        "inside": (1, 100, 100),
        "outside": (1, 100, 100),
    }


def test_other_counts_and_addresses_are_nobody(world):
    world.add_account("ann", {})
    for counter, identity in [
        ("throttled:burst", "ip:192.0.2.1"),
        ("throttled:burst", "user:nobody"),
        ("throttled:login", "user:ann"),
        ("authmethod:token", "user:ann"),
        ("throttled:burst", "ann"),
    ]:
        world.session.add(DailyCount(day=TODAY, counter=counter, identity=identity, count=500))
    world.session.commit()
    assert world.find_candidates() == {}


@pytest.mark.parametrize(
    "values",
    [{"is_active": False}, {"email_confirmed": False}, {"email": ""}],
    ids=["inactive", "not confirmed", "no address"],
)
def test_who_cannot_be_written_to_is_left_out(world, values):
    world.add_account("ann", {0: 500}, **values)
    assert world.find_candidates() == {}


def test_nobody_has_two_notices_within_a_week(world, clock):
    ann = world.add_account("ann", {0: 500})
    world.add_notice(ann, timedelta(days=6, hours=23))
    assert world.find_candidates() == {}
    clock.shift(timedelta(hours=1))
    assert world.find_candidates() == {"ann": (1, 500, 500)}
    assert world.find_candidates(NoticeRules(cooldown_days=8)) == {}


def test_what_lies_on_or_before_the_day_of_the_latest_notice_is_done_with(world):
    rules = NoticeRules(cooldown_days=1, lookback_days=10)
    ann = world.add_account("ann", {4: 500, 5: 500, 6: 500})
    world.add_notice(ann, timedelta(days=9))
    world.add_notice(ann, timedelta(days=4))
    assert world.find_candidates(rules) == {}  # the day of the notice itself included
    world.add_refusals("ann", 3, 100)
    assert world.find_candidates(rules) == {"ann": (1, 100, 100)}


def test_the_day_of_a_notice_is_that_of_utc(world):
    rules = NoticeRules(cooldown_days=1)
    ann = world.add_account("ann", {3: 100})
    world.add_notice(ann, timedelta(days=2, hours=15, minutes=1))  # a minute before that day ends in UTC
    assert world.find_candidates(rules) == {}
    bob = world.add_account("bob", {3: 100})
    world.add_notice(bob, timedelta(days=3, hours=15, minutes=1))
    world.session.execute(text("SET TIME ZONE 'Asia/Tokyo'"))  # where it was already the next day
    assert world.find_candidates(rules) == {"bob": (1, 100, 100)}


def test_after_enough_notices_it_gets_serious(world):
    for name, notices in (("none", 0), ("one", 1), ("two", 2), ("five", 5)):
        user = world.add_account(name, {0: 100})
        for number in range(notices):
            world.add_notice(user, timedelta(days=8 * (number + 1)))
    found = candidates(world.session, ENFORCING)
    assert {each.username: (each.prior, each.escalates) for each in found} == {
        "none": (0, False),
        "one": (1, False),
        "two": (2, True),
        "five": (5, True),
    }
    assert not any(each.escalates for each in candidates(world.session, NoticeRules()))


DAYS = st.dictionaries(st.integers(0, 30).map(lambda ago: TODAY - timedelta(days=ago)), st.integers(1, 200))


@given(DAYS, st.integers(1, 5), st.integers(1, 150), st.integers(1, 200))
def test_the_figures_fit_each_other(counts, min_days, single, extreme):
    rules = NoticeRules(min_days=min_days, single_day_threshold=single, extreme_day_threshold=extreme)
    figures = rules.judge(counts)
    bad = [count for count in counts.values() if count >= single]
    if figures is None:
        assert len(bad) < min_days
        assert all(count < extreme for count in counts.values())
    else:
        assert figures == (len(bad), sum(counts.values()), max(counts.values()))
        assert len(bad) >= min_days or figures.worst >= extreme


# Actions.


def test_a_warning_is_written_and_noted(world):
    ann = world.add_account("ann", {0: 120, 1: 60, 2: 10})
    world.add_token(ann)
    done = send_notice(world.factory, SETTINGS, NoticeRules(), ann)
    assert (done.username, done.figures, done.escalates) == ("ann", (2, 190, 120), False)
    (notice,) = world.rows(ThrottleNotice)
    assert (notice.user_id, notice.days_throttled, notice.total_count, notice.worst_day_count) == (
        ann,
        2,
        190,
        120,
    )
    assert notice.sent_at == NOW
    (mail,) = waiting_mails(world.session)
    assert (mail.to, mail.kind) == ("ann@example.org", "throttle_warning")
    assert len(world.rows(ApiToken)) == 1
    assert world.rows(User)[-1].is_active


def test_what_was_done_is_not_done_again(world):
    ann = world.add_account("ann", {0: 120})
    assert send_notice(world.factory, SETTINGS, NoticeRules(), ann) is not None
    assert send_notice(world.factory, SETTINGS, NoticeRules(), ann) is None
    assert send_notice(world.factory, SETTINGS, NoticeRules(), 2**31 - 1) is None
    assert len(world.rows(ThrottleNotice)) == len(waiting_mails(world.session)) == 1


def test_who_has_tokens_loses_all_of_them_and_nothing_else(world):
    ann, bob = create_account_warned_twice(world), world.add_account("bob", {})
    for number, user in enumerate((ann, ann, bob)):
        world.add_token(user, str(number))
    send_notice(world.factory, SETTINGS, ENFORCING, ann)
    assert [token.user_id for token in world.rows(ApiToken)] == [bob]
    assert all(user.is_active for user in world.rows(User))
    (mail,) = waiting_mails(world.session)
    assert mail.kind == "throttle_restriction"
    assert "revoked all API tokens" in " ".join(mail.text.split())
    assert mail.link("/accounts/tokens/")
    assert [action.action for action in world.rows(StaffAction)] == ["revoke token"] * 2
    assert len(world.rows(ThrottleNotice)) == 3


def test_who_has_no_tokens_is_disabled(world):
    ann = create_account_warned_twice(world)
    send_notice(world.factory, SETTINGS, ENFORCING, ann)
    assert not next(user for user in world.rows(User) if user.id == ann).is_active
    (mail,) = waiting_mails(world.session)
    assert "disabled your account" in " ".join(mail.text.split())
    (action,) = world.rows(StaffAction)
    assert (action.actor_name, action.target_id, action.change) == ("", ann, {"is_active": [True, False]})
