"""Rate limits: exact over a moving window, in memory and in Redis alike, with threads, and beside a model."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limits import RateLimitItemPerMinute
from limits.strategies import MovingWindowRateLimiter

from comicsdb import limits_memory
from comicsdb.limits import Limit, Limiter
from comicsdb.limits_memory import SECOND, TimesInMemory
from tests.soak import SOAK

THREE = Limit("burst", 3, 60)
MANY = Limit("sustained", 5, 86_400)
BOTH = ((THREE, "7"), (MANY, "7"))


class InMemory:
    """A limiter in memory, whose clock stands still unless it is moved."""

    def __init__(self):
        self.travel = time_machine.travel(1_800_000_000.25, tick=False)
        self.traveller = self.travel.start()
        self.limiter = Limiter()

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.traveller.shift(seconds)

    def close(self) -> None:
        """Back to the present."""
        self.travel.stop()


class InRedis:
    """A limiter in Redis, whose clock cannot be moved: what it knows is made older instead."""

    def __init__(self, redis):
        self.redis = redis.client
        self.limiter = Limiter(redis.url)

    def move(self, seconds: float) -> None:
        """Let time pass."""
        for key in self.redis.keys("*"):
            times = [int(each) - int(seconds * SECOND) for each in self.redis.lrange(key, 0, -1)]
            kept = self.redis.pttl(key) - int(seconds * 1000)
            self.redis.delete(key)
            if kept > 0:
                self.redis.rpush(key, *times)
                self.redis.pexpire(key, kept)

    def close(self) -> None:
        """Nothing is left: the server goes."""


@pytest.fixture(params=[InMemory, InRedis])
def place(request):
    """A limiter, and the way to move time."""
    place = InMemory() if request.param is InMemory else InRedis(request.getfixturevalue("redis"))
    yield place
    place.close()


@pytest.fixture
def limiter(place):
    """A limiter in memory, and one in Redis."""
    return place.limiter


def seen(taken):
    """What each limit said: whether it refused, and how many places are left."""
    return [(each.refused, each.remaining) for each in taken.standings]


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
    refused = limiter.take([(THREE, "7")]).standings[0]
    assert (refused.refused, refused.wait) == (True, 1)
    place.move(1.01)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 0)]
    assert seen(limiter.take([(THREE, "7")])) == [(True, 0)]
    place.move(18)
    assert seen(limiter.take([(THREE, "7")])) == [(True, 0)]
    place.move(2)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 1)]


def test_a_refused_event_does_not_prolong_the_wait(place, limiter):
    for _ in range(3):
        limiter.take([(THREE, "7")])
    for _ in range(10):
        place.move(5)
        limiter.take([(THREE, "7")])
    place.move(10.01)
    assert seen(limiter.take([(THREE, "7")])) == [(False, 2)]


def test_when_the_next_place_becomes_free_is_told_exactly(place, limiter):
    first = limiter.take([(THREE, "7")]).standings[0]
    assert first.free == first.now + 60 * SECOND
    assert (first.wait, first.reset) == (60, -(-first.now // SECOND) + 60)
    place.move(20.5)
    second = limiter.take([(THREE, "7")]).standings[0]
    assert 38 * SECOND < second.free - second.now <= 39.5 * SECOND
    assert second.wait in {39, 40}


def test_a_wait_and_a_reset_are_rounded_up():
    with time_machine.travel(1_800_000_000.25, tick=False) as traveller:
        limiter = Limiter()
        standing = limiter.take([(THREE, "7")]).standings[0]
        assert (standing.wait, standing.reset) == (60, 1_800_000_061)
        traveller.shift(0.5)
        standing = limiter.take([(THREE, "7")]).standings[0]
        assert (standing.wait, standing.reset) == (60, 1_800_000_061)
        traveller.shift(0.5)
        standing = limiter.take([(THREE, "7")]).standings[0]
        assert (standing.wait, standing.reset) == (59, 1_800_000_061)


def test_a_limit_that_was_lowered_frees_a_place_when_enough_events_have_left(place, limiter):
    for _ in range(5):
        limiter.take([(MANY, "7")])
        place.move(100)
    lowered = MANY._replace(most=2)
    standing = limiter.take([(lowered, "7")]).standings[0]
    # Five are taken; the fourth oldest has to leave before there are fewer than two.
    assert (standing.refused, standing.count, standing.remaining) == (True, 5, 0)
    assert 86_198 <= standing.wait <= 86_200
    place.move(86_200 - 1.5)
    assert seen(limiter.take([(lowered, "7")])) == [(True, 0)]
    place.move(1.51)
    assert seen(limiter.take([(lowered, "7")])) == [(False, 0)]


def test_a_limit_that_was_raised_lets_more_pass_at_once(limiter):
    for _ in range(4):
        limiter.take([(THREE, "7")])
    assert seen(limiter.take([(THREE._replace(most=10), "7")])) == [(False, 6)]


def test_what_one_limit_refuses_costs_nothing_at_the_other_where_they_count_together(limiter):
    for _ in range(4):
        taken = limiter.take(BOTH)
    assert seen(taken) == [(True, 0), (False, 2)]
    assert [each.limit.name for each in taken.refused] == ["burst"]


def test_each_counts_for_itself_where_they_do_not_count_together(limiter):
    for _ in range(4):
        taken = limiter.take(BOTH, together=False)
    assert seen(taken) == [(True, 0), (False, 1)]
    limiter.take(BOTH, together=False)
    assert seen(limiter.take(BOTH, together=False)) == [(True, 0), (True, 0)]


def test_a_limit_may_judge_without_counting(limiter):
    assert seen(limiter.take(BOTH, free=("sustained",))) == [(False, 2), (False, 5)]
    looked = limiter.take(BOTH, free=("burst", "sustained")).standings
    assert [each.count for each in looked] == [1, 0]
    assert looked[1].free == looked[1].now + 86_400 * SECOND  # as after the first event
    for _ in range(5):
        limiter.take([(MANY, "7")])
    assert seen(limiter.take(BOTH, free=("sustained",))) == [(False, 2), (True, 0)]


def test_exactly_one_place_is_given_back(limiter):
    first, second, third = (limiter.take(BOTH) for _ in range(3))
    back = limiter.give_back(second, "sustained")
    assert seen(back) == [(False, 1), (False, 3)]
    assert back.standings[0] == second.standings[0]
    assert limiter.give_back(back, "sustained") == back  # what was given back is not there twice
    assert limiter.give_back(third, "sustained").standings[1].free == first.standings[1].free


def test_the_place_given_back_is_that_of_the_very_event():
    with time_machine.travel(1_800_000_000, tick=False) as traveller:
        limiter, taken = Limiter(), []
        for _ in range(3):
            taken.append(limiter.take(BOTH))
            traveller.shift(10)
        limiter.give_back(taken[0], "sustained")
        traveller.shift(86_400 - 30 + 9)  # the second is there for another second
        assert seen(limiter.take([(MANY, "7")])) == [(False, 2)]
        traveller.shift(1)
        assert seen(limiter.take([(MANY, "7")])) == [(False, 2)]


def test_the_first_place_of_all_can_be_given_back(limiter):
    back = limiter.give_back(limiter.take(BOTH), "sustained").standings[1]
    assert (back.count, back.remaining, back.free) == (0, 5, back.now + 86_400 * SECOND)


def test_what_was_refused_or_free_gives_nothing_back(limiter):
    for _ in range(3):
        limiter.take(BOTH)
    refused = limiter.take(BOTH)
    assert limiter.give_back(refused, "sustained") == refused
    free = limiter.take([(MANY, "7")], free=("sustained",))
    assert limiter.give_back(free, "sustained") == free
    assert limiter.take([(MANY, "7")], free=("sustained",)).standings[0].count == 3


def test_among_threads_exactly_so_many_pass(limiter):
    limit = Limit("burst", 50, 600)
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: limiter.take([(limit, "7"), (MANY, "7")], together=False), range(200))
        )
    assert sum(not taken.standings[0].refused for taken in answers) == 50
    assert sum(not taken.standings[1].refused for taken in answers) == 5


def test_threads_that_give_back_what_they_took_leave_nothing(limiter):
    limit = Limit("sustained", 1000, 600)

    def there_and_back(_):
        limiter.give_back(limiter.take([(limit, "7")]), "sustained")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(there_and_back, range(200)))
    assert limiter.take([(limit, "7")], free=("sustained",)).standings[0].count == 0


# Against a model: whatever happens, a limit judges by the events of its window and by nothing else.

TWO, FOUR = Limit("burst", 2, 10), Limit("sustained", 4, 60)
STEPS = st.one_of(
    st.tuples(st.just("move"), st.sampled_from([0.5, 3.0, 9.0, 30.0, 59.0])),
    st.tuples(st.just("take"), st.booleans(), st.sampled_from([(), ("sustained",), ("burst", "sustained")])),
    st.tuples(st.just("give back"), st.integers(0, 9)),
    st.tuples(st.just("change"), st.integers(1, 5)),
)


_clients = itertools.count(100)


class Model:
    """What a limiter should know of one client: the times of its events, and nothing else."""

    def __init__(self):
        self.limits = {"burst": TWO, "sustained": FOUR}
        self.kept: dict[str, list[int]] = {"burst": [], "sustained": []}

    def grow_older(self, seconds: float) -> None:
        """Let all events have happened earlier."""
        for times in self.kept.values():
            times[:] = [each - int(seconds * SECOND) for each in times]

    def take(self, now: int, together: bool, free: tuple) -> list[tuple]:
        """Judge an event: of each limit whether it refuses, the places taken, and when one becomes free."""
        for name, limit in self.limits.items():
            self.kept[name] = [each for each in self.kept[name] if each > now - limit.seconds * SECOND]
        refusing = {name for name, limit in self.limits.items() if len(self.kept[name]) >= limit.most}
        for name in self.limits:
            if name not in free and name not in refusing and not (together and refusing):
                self.kept[name].append(now)
        return [(name in refusing, *self.state(name, now)) for name in self.limits]

    def state(self, name: str, now: int) -> tuple[int, int]:
        """How many places are taken, and when one becomes free, as the contract has it."""
        times, limit = self.kept[name], self.limits[name]
        first = times[len(times) - limit.most] if len(times) > limit.most else times[0] if times else now
        return len(times), first + limit.seconds * SECOND


@settings(max_examples=SOAK or 50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=10, max_size=40))
def test_a_limiter_does_what_the_model_does(place, steps):
    model, given, client = Model(), [], str(next(_clients))
    for kind, *details in steps:
        if kind == "move":
            place.move(*details)
            if isinstance(place, InRedis):
                model.grow_older(*details)
                given.clear()  # their times are not those in Redis any more
        elif kind == "change":
            model.limits["sustained"] = FOUR._replace(most=details[0])
        elif kind == "take":
            together, free = details
            asked = [(each, client) for each in model.limits.values()]
            taken = place.limiter.take(asked, together=together, free=free)
            expected = model.take(taken.standings[0].now, together, free)
            assert [(each.refused, each.count, each.free) for each in taken.standings] == expected
            given.append(taken)
        elif given:
            taken = given.pop(details[0] % len(given))
            back = place.limiter.give_back(taken, "sustained").standings[1]
            if taken.standings[1].placed and back.now in model.kept["sustained"]:
                model.kept["sustained"].remove(back.now)
                assert back.count == len(model.kept["sustained"])


# In memory.


def test_who_is_idle_is_forgotten():
    times = TimesInMemory()
    with time_machine.travel(1_800_000_000, tick=False) as traveller:
        for client in range(500):
            times.take([(THREE, str(client))], True, ())
        traveller.shift(61)
        times.take([(THREE, "late")], True, ())
    assert times.reset() == 1


def test_no_more_clients_are_known_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(limits_memory, "CLIENTS_MOST", 10)
    times = TimesInMemory()
    for client in range(50):
        times.take(((THREE, str(client)), (MANY, str(client))), True, ())
    assert times.reset() == 10


def test_a_clock_that_is_set_back_stands_still():
    limiter = Limiter()
    with time_machine.travel(1_800_000_000, tick=False) as traveller:
        first = limiter.take([(THREE, "7")]).standings[0]
        traveller.shift(-30)
        second = limiter.take([(THREE, "7")]).standings[0]
        assert (second.now, second.count) == (first.now, 2)


def test_it_is_a_storage_of_the_library_too():
    by_library = MovingWindowRateLimiter(TimesInMemory())
    twice = RateLimitItemPerMinute(2)
    assert [by_library.hit(twice, "ann") for _ in range(3)] == [True, True, False]
