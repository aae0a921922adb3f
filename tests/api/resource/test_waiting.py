"""Slots for requests that wait: who gets one, and who gives way."""

import pytest

from comicsdb_api.resource.waiting import ENDING_MAX, WaitingSlots


@pytest.fixture
def numbers():
    """The numbers of slots taken that were reported."""
    return []


def clients_of(slots: WaitingSlots) -> list[str]:
    return ["+".join(slot.clients) for slot in slots._slots]


def test_slots_of_a_client_with_as_many_as_it_may_pass_from_its_oldest_to_its_newest(numbers):
    slots = WaitingSlots(10, 2, numbers.append)
    first, _, third, other = (slots.acquire((name,)) for name in ("a", "a", "a", "b"))
    assert [first.is_given_away, third.is_given_away, other.is_given_away] == [True, False, False]
    assert clients_of(slots) == ["a", "a", "b"]
    slots.release(first)
    slots.release(third)
    assert numbers == [1, 2, 2, 3, 3, 2]


def test_slots_are_counted_by_account_and_by_address(numbers):
    slots = WaitingSlots(10, 2, numbers.append)
    for clients in (("user:1", "a"), ("user:1", "b"), ("user:1", "c"), ("user:2", "c"), ("user:3", "c")):
        slots.acquire(clients)
    assert clients_of(slots) == ["user:1+b", "user:2+c", "user:3+c"]


def test_full_slots_take_from_the_client_with_most(numbers):
    slots = WaitingSlots(4, 3, numbers.append)
    for name in ("a", "b", "b", "b", "c", "d", "e"):
        slots.acquire((name,))
    assert clients_of(slots) == ["b", "c", "d", "e"]  # of equals, the oldest


def test_slot_in_a_rush_is_refused(numbers):
    slots = WaitingSlots(1, 1, numbers.append)
    taken = [slots.acquire(("a",)) for _ in range(ENDING_MAX + 1)]
    assert all(taken)
    assert slots.acquire(("a",)) is None
    slots.release(taken[0])
    assert slots.acquire(("b",)) is not None


@pytest.mark.parametrize("limits", [(0, 1), (1, 0)])
def test_no_slots_are_given_if_there_are_none(numbers, limits):
    assert WaitingSlots(*limits, numbers.append).acquire(("a",)) is None
