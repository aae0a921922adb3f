"""The arithmetic of donations: the periods that gifts open, and the tiers that they reach."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comicsdb.accounts.supporters import MONTHLY, ONCE, PERIOD, YEARLY, Gift, Grant, Terms, combine_grants
from comicsdb.models.choices import SupporterTier

FRIEND, BACKER, SPONSOR, MEGA = SupporterTier
LEAST = {FRIEND: 200, BACKER: 500, SPONSOR: 1000, MEGA: 2500}
TERMS = Terms(LEAST)
BEGINNING = datetime(2027, 1, 31, 12, tzinfo=UTC)
_numbers = itertools.count(1)


def gift(days: float, amount: int, frequency: str = ONCE) -> Gift:
    """A gift the given number of days after BEGINNING."""
    return Gift(
        BEGINNING + timedelta(days=days), f"t{next(_numbers):06}", "ann@example.org", amount, frequency
    )


def granted(*gifts: Gift, terms: Terms = TERMS) -> tuple[float, str] | None:
    """The end of the grant in days after BEGINNING, and its tier; None without a grant."""
    grant = terms.grant(gifts)
    return ((grant.until - BEGINNING) / timedelta(days=1), str(grant.tier)) if grant else None


# Tiers.


@pytest.mark.parametrize(
    ("total", "tier"),
    [
        (0, None),
        (199, None),
        (200, FRIEND),
        (499, FRIEND),
        (500, BACKER),
        (999, BACKER),
        (1000, SPONSOR),
        (2499, SPONSOR),
        (2500, MEGA),
        (10**9, MEGA),
    ],
)
def test_the_highest_tier_that_is_reached(total, tier):
    assert TERMS.tier(total) == tier


# Periods.


def test_a_gift_gives_31_days():
    assert granted(gift(0, 500)) == (31, "backer")


def test_31_days_are_31_days_in_every_month():
    for month in range(1, 13):
        day = datetime(2028, month, 1, tzinfo=UTC)
        grant = TERMS.grant([Gift(day, "t", "", 200)])
        assert grant.until - day == timedelta(days=31)


def test_a_second_gift_raises_the_tier_and_adds_no_time():
    assert granted(gift(0, 300), gift(30.9, 300)) == (31, "backer")


def test_a_gift_after_the_period_opens_another():
    assert granted(gift(0, 900), gift(31, 300)) == (62, "friend")


def test_small_gifts_of_one_period_add_up_from_its_beginning():
    assert granted(gift(0, 150)) is None
    assert granted(gift(0, 150), gift(10, 150)) == (31, "friend")
    assert granted(gift(0, 150), gift(31, 150)) is None


def test_what_recurs_always_opens_a_period():
    assert granted(gift(0, 200, MONTHLY), gift(28, 200, MONTHLY)) == (59, "friend")
    assert granted(gift(0, 900), gift(5, 200, MONTHLY)) == (36, "friend")
    assert granted(gift(0, 200, YEARLY), gift(1, 200, YEARLY)) == (32, "friend")


def test_a_single_gift_joins_the_period_that_was_opened_last():
    assert granted(gift(0, 200, MONTHLY), gift(28, 200, MONTHLY), gift(40, 900)) == (59, "sponsor")


def test_what_is_below_the_minimum_takes_nothing_away():
    assert granted(gift(0, 900), gift(5, 100, MONTHLY)) == (31, "backer")


def test_the_order_in_which_gifts_become_known_does_not_matter():
    gifts = [gift(0, 900), gift(20, 200, MONTHLY), gift(30, 400), gift(60, 100)]
    assert {granted(*each) for each in itertools.permutations(gifts)} == {(51, "backer")}


def test_a_year_can_be_given_for_a_year():
    yearly = Terms(LEAST, yearly=True)
    assert granted(gift(0, 6000, YEARLY), terms=yearly) == (366, "backer")
    assert granted(gift(0, 6000, YEARLY)) == (31, "mega_sponsor")
    assert granted(gift(0, 2399, YEARLY), terms=yearly) is None
    # A one-time gift may raise the tier, and never shortens the grant.
    assert granted(gift(0, 6000, YEARLY), gift(10, 500), terms=yearly) == (366, "sponsor")
    assert granted(gift(0, 6000, YEARLY), gift(100, 1000), terms=yearly) == (366, "sponsor")
    assert granted(gift(0, 6000, YEARLY), gift(100, 200), terms=yearly) == (366, "backer")
    assert granted(gift(0, 6000, YEARLY), gift(350, 300), terms=yearly) == (381, "friend")


GIFTS = st.lists(
    st.builds(
        gift,
        st.floats(0, 400, allow_nan=False),
        st.integers(1, 3000),
        st.sampled_from([MONTHLY, YEARLY, ONCE, ""]),
    ),
    max_size=12,
)


@given(GIFTS, st.booleans(), st.randoms())
def test_periods_are_what_the_rules_say(gifts, yearly, random):
    terms = Terms(LEAST, yearly)
    shuffled = random.sample(gifts, len(gifts))
    periods = terms.periods(shuffled)
    assert periods == terms.periods(gifts)
    assert [each for period in periods for each in period.gifts] == sorted(gifts)  # each counts once
    for period in periods:
        first, *others = period.gifts
        assert first.given == period.start
        assert all(each.frequency in {ONCE, ""} and each.given < period.start + PERIOD for each in others)
    for earlier, later in itertools.pairwise(periods):
        first = later.gifts[0]
        assert first.frequency in {MONTHLY, YEARLY} or first.given >= earlier.start + PERIOD


@given(GIFTS)
def test_a_grant_ends_31_days_after_the_last_period_with_a_tier_began(gifts):
    with_tier = [each for each in TERMS.periods(gifts) if TERMS.tier(each.total)]
    grant = TERMS.grant(gifts)
    if not with_tier:
        assert grant is None
    else:
        assert grant.until == max(each.start for each in with_tier) + PERIOD
        assert grant.tier in [TERMS.tier(each.total) for each in with_tier]


@given(GIFTS, st.booleans())
def test_what_was_granted_lasts_when_more_is_given_later(gifts, yearly):
    terms, before = Terms(LEAST, yearly), None
    for number in range(len(gifts) + 1):
        grant = terms.grant(sorted(gifts)[:number])
        assert before is None or grant.until >= before.until
        before = grant


def test_the_longer_of_two_grants():
    early, late = BEGINNING, BEGINNING + PERIOD
    assert combine_grants(None, Grant(early, FRIEND)) == Grant(early, FRIEND)
    assert combine_grants(Grant(early, MEGA), Grant(late, FRIEND)) == Grant(late, FRIEND)
    assert combine_grants(Grant(late, FRIEND), Grant(early, MEGA)) == Grant(late, MEGA)
    assert combine_grants(Grant(late, MEGA), Grant(late, FRIEND)) == Grant(late, MEGA)
