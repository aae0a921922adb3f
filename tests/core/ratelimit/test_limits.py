"""Rate limits over a sliding window, in PostgreSQL and in Redis: with threads, and compared with a model."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from comicsdb.db.epoch import EPOCH, EpochMovedError
from comicsdb.db.read_pool import ReadPool, connector
from comicsdb.models import RateLimit
from comicsdb.ratelimit import Limit, Limiter
from comicsdb.ratelimit.types import SECOND
from tests.conftest import forget_limits
from tests.soak import SOAK

THREE = Limit("burst", 3, 60)
MANY = Limit("sustained", 5, 86_400)
BOTH = ((THREE, "7"), (MANY, "7"))


class InPostgres:
    """A limiter in PostgreSQL, whose clock stands still until the test moves it."""

    def __init__(self, read_pool):
        self.travel = time_machine.travel(1_800_000_000.25, tick=False)
        self.traveller = self.travel.start()
        self.limiter = Limiter(read_pool)
        forget_limits(self.limiter)

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.traveller.shift(seconds)

    def close(self) -> None:
        """Return to the present."""
        self.travel.stop()


class InRedis:
    """A limiter in Redis, whose clock cannot be moved: its stored times are made older instead."""

    def __init__(self, read_pool, redis):
        self.redis = redis.client
        self.limiter = Limiter(read_pool, redis.url)

    def move(self, seconds: float) -> None:
        """Let time pass."""
        for key in self.redis.keys("*"):
            times = [int(each) - int(seconds * SECOND) for each in self.redis.lrange(key, 0, -1)]
            kept = self.redis.pttl(key) - int(seconds * 1000)
            self.redis.delete(key)
            if kept > 0:
                self.redis.rpush(key, *times)
                self.redis.pexpire(key, kept)


@pytest.fixture
def postgres(independent_read_pool):
    """A limiter in PostgreSQL, with a clock that can be moved."""
    place = InPostgres(independent_read_pool)
    yield place
    place.close()


@pytest.fixture(params=["postgresql", "redis"])
def place(independent_read_pool, request):
    """A limiter in PostgreSQL or Redis, with a clock that can be moved."""
    if request.param == "postgresql":
        yield request.getfixturevalue("postgres")
    else:
        yield InRedis(independent_read_pool, request.getfixturevalue("redis"))


@pytest.fixture
def limiter(place):
    """The limiter of `place`: in PostgreSQL, then in Redis."""
    return place.limiter


def seen(taken):
    """What each limit says: whether it refused, and how many events it still allows."""
    return [(each.refused, each.remaining) for each in taken.states]


def test_so_many_pass_and_the_next_is_refused(limiter):
    assert [seen(limiter.take([(THREE, "7")])) for _ in range(5)] == [
        [(False, 2)],
        [(False, 1)],
        [(False, 0)],
        [(True, 0)],
        [(True, 0)],
    ]


def test_clients_and_limits_are_counted_apart(limiter):
    for _ in range(3):
        limiter.take([(THREE, "7")])
    assert seen(limiter.take([(THREE, "8")])) == [(False, 2)]
    assert seen(limiter.take([(THREE._replace(name="other"), "7")])) == [(False, 2)]


def test_a_place_becomes_free_when_the_oldest_event_leaves_the_window(place, limiter):
    limiter.take([(THREE, "7")])
    place.move(20)
    limiter.take([(THREE, "7")])
    limiter.take([(THREE, "7")])
    place.move(39)
    refused = limiter.take([(THREE, "7")]).states[0]
    assert (refused.refused, refused.retry_after) == (True, 1)
    place.move(1.01)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 0)]
    assert seen(limiter.take([(THREE, "7")])) == [(True, 0)]
    place.move(18)
    assert seen(limiter.take([(THREE, "7")])) == [(True, 0)]
    place.move(2)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 1)]


def test_an_event_counts_as_often_as_a_limit_is_named_or_not_at_all(limiter):
    assert seen(limiter.take([(THREE, "7"), *[(MANY, "7")] * 3]))[-1] == (False, 2)
    assert limiter.take([(THREE, "7"), *[(MANY, "7")] * 3]).refused
    assert seen(limiter.take(BOTH, uncounted=("burst", "sustained"))) == [(False, 2), (False, 2)]
    taken = limiter.take([(THREE, "7"), *[(MANY, "7")] * 2])
    assert seen(taken)[-1] == (False, 0)
    assert seen(limiter.refund(taken, "sustained"))[-1] == (False, 2)
    assert seen(limiter.take(BOTH)) == [(False, 0), (False, 1)]


def test_a_refused_event_does_not_prolong_the_wait(place, limiter):
    for _ in range(3):
        limiter.take([(THREE, "7")])
    for _ in range(10):
        place.move(5)
        limiter.take([(THREE, "7")])
    place.move(10.01)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 2)]


def test_when_the_next_place_becomes_free_is_told_exactly(place, limiter):
    first = limiter.take([(THREE, "7")]).states[0]
    assert first.free_at == first.now + 60 * SECOND
    assert (first.retry_after, first.reset) == (60, -(-first.now // SECOND) + 60)
    place.move(20.5)
    second = limiter.take([(THREE, "7")]).states[0]
    assert 38 * SECOND < second.free_at - second.now <= 39.5 * SECOND
    assert second.retry_after in {39, 40}


def test_a_wait_and_a_reset_are_rounded_up(postgres):
    told = []
    for _ in range(3):
        standing = postgres.limiter.take([(THREE, "7")]).states[0]
        told.append((standing.retry_after, standing.reset))
        postgres.move(0.5)
    assert told == [(60, 1_800_000_061), (60, 1_800_000_061), (59, 1_800_000_061)]


def test_a_limit_that_was_lowered_frees_a_place_when_enough_events_have_left(place, limiter):
    for _ in range(5):
        limiter.take([(MANY, "7")])
        place.move(100)
    lowered = MANY._replace(max_events=2)
    standing = limiter.take([(lowered, "7")]).states[0]
    # Five events count; the fourth oldest has to leave the window before fewer than two are left.
    assert (standing.refused, standing.count, standing.remaining) == (True, 5, 0)
    assert 86_198 <= standing.retry_after <= 86_200
    place.move(86_200 - 1.5)
    assert seen(limiter.take([(lowered, "7")])) == [(True, 0)]
    place.move(1.51)
    assert seen(limiter.take([(lowered, "7")])) == [(False, 0)]


def test_a_limit_that_was_raised_lets_more_pass_at_once(limiter):
    for _ in range(4):
        limiter.take([(THREE, "7")])
    assert seen(limiter.take([(THREE._replace(max_events=10), "7")])) == [(False, 6)]


def test_what_one_limit_refuses_costs_nothing_at_the_other_where_they_count_together(limiter):
    for _ in range(4):
        taken = limiter.take(BOTH)
    assert seen(taken) == [(True, 0), (False, 2)]
    assert [each.limit.name for each in taken.refused] == ["burst"]


def test_each_counts_for_itself_where_they_do_not_count_together(limiter):
    for _ in range(4):
        taken = limiter.take(BOTH, all_or_none=False)
    assert seen(taken) == [(True, 0), (False, 1)]
    limiter.take(BOTH, all_or_none=False)
    assert seen(limiter.take(BOTH, all_or_none=False)) == [(True, 0), (True, 0)]


def test_a_limit_may_judge_without_counting(limiter):
    assert seen(limiter.take(BOTH, uncounted=("sustained",))) == [(False, 2), (False, 5)]
    looked = limiter.take(BOTH, uncounted=("burst", "sustained")).states
    assert [each.count for each in looked] == [1, 0]
    assert looked[1].free_at == looked[1].now + 86_400 * SECOND  # as after the first event
    for _ in range(5):
        limiter.take([(MANY, "7")])
    assert seen(limiter.take(BOTH, uncounted=("sustained",))) == [(False, 2), (True, 0)]


def test_exactly_one_place_is_given_back(limiter):
    first, second, third = (limiter.take(BOTH) for _ in range(3))
    back = limiter.refund(second, "sustained")
    assert seen(back) == [(False, 1), (False, 3)]
    assert back.states[0] == second.states[0]
    assert limiter.refund(back, "sustained") == back  # a second refund does nothing
    assert limiter.refund(third, "sustained").states[1].free_at == first.states[1].free_at


def test_the_place_given_back_is_that_of_the_very_event(postgres):
    limiter, taken = postgres.limiter, []
    for _ in range(3):
        taken.append(limiter.take(BOTH))
        postgres.move(10)
    limiter.refund(taken[0], "sustained")
    postgres.move(86_400 - 30 + 9)  # the second event counts for another second
    assert seen(limiter.take([(MANY, "7")])) == [(False, 2)]
    postgres.move(1)
    assert seen(limiter.take([(MANY, "7")])) == [(False, 2)]


def test_the_first_place_of_all_can_be_given_back(limiter):
    back = limiter.refund(limiter.take(BOTH), "sustained").states[1]
    assert (back.count, back.remaining, back.free_at) == (0, 5, back.now + 86_400 * SECOND)


def test_what_was_refused_or_free_gives_nothing_back(limiter):
    for _ in range(3):
        limiter.take(BOTH)
    refused = limiter.take(BOTH)
    assert limiter.refund(refused, "sustained") == refused
    free = limiter.take([(MANY, "7")], uncounted=("sustained",))
    assert limiter.refund(free, "sustained") == free
    assert limiter.take([(MANY, "7")], uncounted=("sustained",)).states[0].count == 3


def test_among_threads_exactly_so_many_pass(limiter):
    limit = Limit("burst", 50, 600)
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: limiter.take([(limit, "7"), (MANY, "7")], all_or_none=False), range(200))
        )
    assert sum(not taken.states[0].refused for taken in answers) == 50
    assert sum(not taken.states[1].refused for taken in answers) == 5


def test_threads_that_give_back_what_they_took_leave_nothing(limiter):
    limit = Limit("sustained", 1000, 600)

    def there_and_back(_):
        limiter.refund(limiter.take([(limit, "7")]), "sustained")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(there_and_back, range(200)))
    assert limiter.take([(limit, "7")], uncounted=("sustained",)).states[0].count == 0


# Against a model: a limit depends on the events in its window and on nothing else.

TWO, FOUR = Limit("burst", 2, 10), Limit("sustained", 4, 60)
STEPS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from([0.5, 3.0, 9.0, 30.0, 59.0])),
    st.tuples(st.just("take"), st.booleans(), st.sampled_from([(), ("sustained",), ("burst", "sustained")])),
    st.tuples(st.just("give back"), st.integers(0, 9)),
    st.tuples(st.just("change"), st.integers(1, 5)),
)


_clients = itertools.count(100)


class LimiterModel:
    """The expected state of a limiter for one client: the times of its events."""

    def __init__(self):
        self.limits = {"burst": TWO, "sustained": FOUR}
        self.kept: dict[str, list[int]] = {"burst": [], "sustained": []}

    def grow_older(self, seconds: float) -> None:
        """Move all events into the past."""
        for times in self.kept.values():
            times[:] = [each - int(seconds * SECOND) for each in times]

    def take(self, now: int, together: bool, free: tuple) -> list[tuple]:
        """Take an event: for each limit whether it refuses, how many count, and when a place is free."""
        for name, limit in self.limits.items():
            self.kept[name] = [each for each in self.kept[name] if each > now - limit.seconds * SECOND]
        refusing = {name for name, limit in self.limits.items() if len(self.kept[name]) >= limit.max_events}
        for name in self.limits:
            if name not in free and name not in refusing and not (together and refusing):
                self.kept[name].append(now)
        return [(name in refusing, *self.state(name, now)) for name in self.limits]

    def state(self, name: str, now: int) -> tuple[int, int]:
        """How many events count, and when the next place becomes free, by the documented rules."""
        times, limit = self.kept[name], self.limits[name]
        first = (
            times[len(times) - limit.max_events]
            if len(times) > limit.max_events
            else times[0]
            if times
            else now
        )
        return len(times), first + limit.seconds * SECOND


@settings(max_examples=SOAK or 50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=10, max_size=40))
def test_a_limiter_does_what_the_model_does(place, steps):
    model, given, client = LimiterModel(), [], str(next(_clients))
    for kind, *details in steps:
        if kind == "move":
            place.move(*details)
            if isinstance(place, InRedis):
                model.grow_older(*details)
                given.clear()  # the times in Redis are different now
        elif kind == "change":
            model.limits["sustained"] = FOUR._replace(max_events=details[0])
        elif kind == "take":
            together, free = details
            asked = [(each, client) for each in model.limits.values()]
            taken = place.limiter.take(asked, all_or_none=together, uncounted=free)
            expected = model.take(taken.states[0].now, together, free)
            assert [(each.refused, each.count, each.free_at) for each in taken.states] == expected
            given.append(taken)
        elif given:
            taken = given.pop(details[0] % len(given))
            back = place.limiter.refund(taken, "sustained").states[1]
            if taken.states[1].is_counted and back.now in model.kept["sustained"]:
                model.kept["sustained"].remove(back.now)
                assert back.count == len(model.kept["sustained"])


# In PostgreSQL.

DAY = Limit("sustained", 200, 86_400)
QUARTER = 900  # seconds: a 96th of a day
TIMES = 150  # times that a row holds


def kept(engine) -> dict[tuple[str, str], list[int]]:
    """The number of events at each stored time, by client and limit."""
    found = {}
    with engine.connect() as connection:
        for row in connection.execute(select(RateLimit)):
            found[row.client, row.name] = [after - before for before, after in pairwise(row.sums)]
            assert len(found[row.client, row.name]) == len(row.times)
    return found


def counts(engine) -> list[int]:
    """The number of events at each stored time of the only window."""
    (found,) = kept(engine).values()
    return found


def test_events_that_are_many_become_free_by_quarters_of_an_hour_of_a_day(postgres, engine):
    """Grouped events become free with the last of them: up to a quarter of an hour late, never early."""
    limiter = postgres.limiter
    postgres.move(-1_800_000_000 % QUARTER)
    for _ in range(TIMES):
        last = limiter.take([(DAY, "7")]).states[0]
        postgres.move(3)
    assert counts(engine) == [1] * TIMES
    assert last.free_at == last.now - (TIMES - 1) * 3 * SECOND + 86_400 * SECOND  # still exact
    more = limiter.take([(DAY, "7")]).states[0]
    assert counts(engine) == [TIMES + 1]
    assert more.free_at == more.now + 86_400 * SECOND
    postgres.move(QUARTER)
    assert limiter.take([(DAY, "7")]).states[0].free_at == more.free_at
    postgres.move(86_400 - QUARTER - 1)
    assert limiter.take([(DAY, "7")], uncounted=("sustained",)).states[0].count == TIMES + 2
    postgres.move(1)
    assert limiter.take([(DAY, "7")], uncounted=("sustained",)).states[0].count == 1


def test_no_more_than_a_large_limit_pass_in_any_period_and_its_row_stays_small(postgres, engine):
    limiter, passed = postgres.limiter, []
    for step in range(1500):
        if not limiter.take([(DAY, "7")]).refused:
            passed.append(step * 200)
        postgres.move(200)
    for moment in passed:
        assert sum(moment <= each < moment + 86_400 for each in passed) <= DAY.max_events
    assert len(passed) >= 3 * DAY.max_events  # in three days and a half
    assert len(counts(engine)) <= TIMES


def test_of_many_too_exactly_one_place_is_given_back(postgres, engine):
    limiter = postgres.limiter
    taken = [limiter.take([(DAY, "7")]) for _ in range(TIMES + 1)]
    assert seen(limiter.refund(taken[0], "sustained")) == [(False, DAY.max_events - TIMES)]
    for each in taken[1:]:
        left = limiter.refund(each, "sustained")
    assert seen(left) == [(False, DAY.max_events)]
    assert counts(engine) == []
    assert seen(limiter.take([(DAY, "7")])) == [(False, DAY.max_events - 1)]


def test_looking_leaves_nothing_behind(postgres, engine):
    postgres.limiter.take(BOTH, uncounted=("burst", "sustained"))
    assert kept(engine) == {}


def test_a_clock_that_is_set_back_stands_still(postgres):
    first = postgres.limiter.take([(THREE, "7")]).states[0]
    postgres.move(-30)
    second = postgres.limiter.take([(THREE, "7")]).states[0]
    assert (second.now, second.count) == (first.now, 2)


@pytest.mark.parametrize("ahead", [2 * 60, 86_400, 10 * 365 * 86_400])
def test_events_of_a_clock_that_was_far_ahead_do_not_count(postgres, ahead):
    postgres.move(ahead)
    for _ in range(4):
        refused = postgres.limiter.take([(THREE, "7")])
    assert refused.refused
    postgres.move(-ahead)
    for uncounted, number in ((("burst",), 0), ((), 1), ((), 2)):
        state = postgres.limiter.take([(THREE, "7")], uncounted=uncounted).states[0]
        assert (round(state.now / SECOND), state.count) == (1_800_000_000, number)


def test_two_who_ask_for_the_same_limits_in_another_order_do_not_wait_for_each_other(limiter):
    burst, day = Limit("burst", 10_000, 600), Limit("sustained", 10_000, 86_400)
    asked = [(burst, "7"), (day, "7"), (burst, "8")]
    orders = asked, asked[::-1]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: limiter.take(orders[number % 2]), range(400)))
    assert [each.count for each in limiter.take(asked).states] == [401, 401, 401]


def test_at_an_epoch_that_is_over_nothing_is_counted(postgres, independent_read_pool):
    (epoch,) = independent_read_pool.fetch(EPOCH, {})
    with pytest.raises(EpochMovedError):
        postgres.limiter.take(BOTH, epoch=epoch - 1)
    assert [each.count for each in postgres.limiter.take(BOTH, epoch=epoch).states] == [1, 1]


def test_connections_of_a_proxy_count_as_well(postgres, engine):
    lent = ReadPool(connector(engine, configure=False), prepare=False)
    limiter = Limiter(lent)
    limiter.refund(limiter.take(BOTH), "sustained")
    assert [each.count for each in postgres.limiter.take(BOTH).states] == [2, 1]
    lent.close()


@pytest.fixture
def processes(postgres, independent_read_pool):
    """Limiters of two processes, with the clock of `postgres`."""
    return postgres.limiter, Limiter(independent_read_pool)


def test_processes_judge_by_what_others_have_counted(processes):
    one, other = processes
    assert [bool(each.take(BOTH).refused) for each in (one, other, one, other, one)] == [False] * 3 + [
        True
    ] * 2
    assert [each.count for each in other.take(BOTH, uncounted=("burst", "sustained")).states] == [3, 3]


def test_a_place_that_one_process_gave_back_is_there_for_the_others(processes):
    one, other = processes
    taken = [other.take([(THREE, "7")]) for _ in range(3)]
    assert one.take([(THREE, "7")]).refused
    other.refund(taken[0], "burst")
    assert seen(one.take([(THREE, "7")])) == [(False, 0)]


def test_a_row_that_was_removed_counts_no_more(processes):
    one, other = processes
    one.take([(THREE, "7")])
    forget_limits(other)
    assert seen(one.take([(THREE, "7")], uncounted=("burst",))) == [(False, 3)]
    other.take([(THREE, "7")])
    forget_limits(other)
    assert seen(other.take([(THREE, "7")])) == [(False, 2)]
    assert seen(one.take([(THREE, "7")])) == [(False, 1)]


def test_threads_of_several_processes_let_exactly_so_many_pass(processes):
    limit = Limit("burst", 50, 600)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: processes[number % 2].take([(limit, "7")]), range(200)))
    assert sum(not taken.refused for taken in answers) == 50


def test_a_part_of_a_client_is_counted_apart_and_judged_with_the_whole(postgres, engine):
    both = [(Limit("burst", 3, 60), "7"), (Limit("burst", 2, 60), "7 token:5")]
    for _ in range(3):
        taken = postgres.limiter.take(both)
    assert [(each.refused, each.count) for each in taken.states] == [(False, 2), (True, 2)]
    other = [both[0], (both[1][0], "7 token:6")]
    assert seen(postgres.limiter.take(other)) == [(False, 0), (False, 1)]
    assert kept(engine) == {
        ("7", "burst"): [1, 1, 1],
        ("7", "burst token:5"): [1, 1],
        ("7", "burst token:6"): [1],
    }
