"""Settings of the API's limits: which limits apply to whom, and the errors of invalid settings."""

import pytest

from comicsdb.config import parse_settings
from comicsdb.db.read_pool import ReadPool, connector
from comicsdb.models.choices import SupporterTier
from comicsdb.ratelimit import Limiter
from comicsdb.ratelimit.api import BURST, ApiLimits
from comicsdb.security import Identity
from tests.serving import SECRET

GIVEN = {"sqlalchemy.url": "postgresql://x/y", "comicsdb.secret": SECRET}
ENDING = {
    "comicsdb.basic_phase": "2",
    "comicsdb.basic_deprecated": "2026-12-01",
    "comicsdb.basic_sunset": "2027-05-31",
}


@pytest.fixture
def limits(limiter):
    """`limits(**more)`: the limits of a site with the default settings and `more`."""
    return lambda **more: ApiLimits(limiter, parse_settings(GIVEN | more))


def somebody(tier=None, method="token") -> Identity:
    """The identity of an account."""
    return Identity(
        7, "ann", is_staff=False, is_superuser=False, groups=frozenset(), method=method, tier=tier
    )


def test_looking_at_how_one_stands_counts_nothing(limits):
    ours = limits()
    for _ in range(3):
        ours.take(somebody(), "192.0.2.1")
    for _ in range(3):
        minute, day = ours.states(somebody())
        assert (minute.count, minute.limit.max_events) == (3, 60)
        assert (day.count, day.limit.max_events, day.remaining) == (3, 5000, 4997)
    assert ours.states(somebody(SupporterTier.SPONSOR))[1].remaining == 14_997


def test_default_limits_are_no_lower_for_any_token_than_clients_of_metron_assume(limits):
    ours = limits()
    shared = somebody()._replace(token_id=1, shares_limits=True)
    minutes = [state.limit.max_events for state in ours.states(shared) if state.limit.name == BURST]
    assert len(minutes) == 2  # of the account, and of each of its tokens
    assert min(minutes) >= 20


def test_accounts_and_addresses_are_never_one(limits):
    ours = limits()
    ours.take(None, "7")
    assert ours.states(somebody())[0].count == 0


def test_a_database_that_takes_nothing_in_still_judges(limits, engine, limiter, caplog):
    """For example with a full disk, or as a replica."""
    ours, readonly = limits(), ReadPool(connector(engine, limits={"default_transaction_read_only": "on"}))
    for _ in range(58):
        ours.take(somebody(), "192.0.2.1")
    uncounted = ApiLimits(Limiter(readonly), parse_settings(GIVEN))
    assert [uncounted.take(somebody(), "192.0.2.1").states[0].count for _ in range(2)] == [58, 58]
    assert "Requests are not counted: cannot execute" in caplog.text
    for _ in range(2):
        ours.take(somebody(), "192.0.2.1")
    assert uncounted.take(somebody(), "192.0.2.1").refused
    readonly.close()


def test_a_supporter_has_by_basic_no_more_than_others_when_it_ends(limits):
    ours = limits(**ENDING)
    assert [each.max_events for each in ours.limits_of(somebody(SupporterTier.MEGA_SPONSOR, "basic"))] == [
        10,
        1000,
    ]
    assert [each.max_events for each in ours.limits_of(somebody(SupporterTier.MEGA_SPONSOR))] == [60, 25_000]
    low = limits(**ENDING, **{"comicsdb_api.throttle.burst": "5"})
    assert [each.max_events for each in low.limits_of(somebody(method="basic"))] == [5, 1000]


def test_tiers_may_be_written_in_any_order():
    settings = parse_settings(
        GIVEN | {"comicsdb_api.throttle.tiers": "sponsor=3, friend=1 mega_sponsor=4 backer=2"}
    )
    assert settings["comicsdb_api.throttle.tiers"] == dict(zip(SupporterTier, (1, 2, 3, 4), strict=True))
    assert parse_settings(settings) == settings
