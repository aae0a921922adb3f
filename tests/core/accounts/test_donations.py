"""Donations: requests to the platform (a real HTTP server), and the command, with a real database."""

import json
import logging
from datetime import UTC, datetime

import pytest
import time_machine
from sqlalchemy import select, text

from comicsdb.accounts import supporters
from comicsdb.accounts.supporters import FetchError, Gift, fetch_contributions
from comicsdb.models import Donation, User
from comicsdb.ops.jobs import DONATIONS, job_lock
from tests.core.cli.conftest import run
from tests.donation_platform import COLLECTIVE, TOKEN, DonationPlatform
from tests.serving import write_ini

BEGINNING = datetime(2027, 1, 31, 12, tzinfo=UTC)


# The platform.


@pytest.fixture
def platform():
    """A donation platform."""
    platform = DonationPlatform()
    yield platform
    platform.close()


@pytest.fixture
def ask(platform):
    """`ask(**settings)`: fetch the contributions from the platform, with some settings changed."""

    def asked(**others):
        given = {"url": platform.url, "collective": COLLECTIVE, "token": TOKEN} | others
        return fetch_contributions(
            {f"comicsdb.donations.{name}": value for name, value in given.items()}, BEGINNING
        )

    return asked


def test_contributions_are_read_page_by_page_in_their_order(platform, ask, monkeypatch):
    monkeypatch.setattr(supporters, "PAGE", 3)
    for number in range(7):
        platform.add_contribution(
            f"t{number}", f"2027-02-0{7 - number}T10:00:00Z", "Ann@Example.org ", 100 * number, "MONTHLY"
        )
    found = ask()
    assert [each.transaction_id for each in found] == ["t6", "t5", "t4", "t3", "t2", "t1", "t0"]
    assert found[0] == Gift(datetime(2027, 2, 1, 10, tzinfo=UTC), "t6", "Ann@Example.org", 600, "monthly")
    assert [asked["offset"] for asked in platform.asked] == [0, 3, 6]
    assert {asked["since"] for asked in platform.asked} == {"2027-01-31T12:00:00+00:00"}


def test_refunds_other_transactions_and_other_times_are_left_out(platform, ask):
    platform.add_contribution("early", "2027-01-31T11:00:00Z", "ann@example.org", 500)
    platform.add_contribution("refunded", "2027-02-01T10:00:00Z", "ann@example.org", 500, isRefunded=True)
    platform.add_contribution("refund", "2027-02-01T10:00:00Z", "ann@example.org", 500, isRefund=True)
    platform.add_contribution("expense", "2027-02-01T10:00:00Z", "ann@example.org", 500, kind="EXPENSE")
    platform.add_contribution("debit", "2027-02-01T10:00:00Z", "ann@example.org", 500, type="DEBIT")
    platform.add_contribution("one", "2027-02-01T10:00:00Z", "ann@example.org", 500)
    assert [each.transaction_id for each in ask()] == ["one"]


def test_what_is_not_in_dollars_counts_by_what_the_host_received(platform, ask, caplog):
    euros = {"valueInCents": 900, "value": 9.0, "currency": "EUR"}
    platform.add_contribution("converted", "2027-02-01T10:00:00Z", "ann@example.org", 1000, amount=euros)
    both = {"amount": euros, "amountInHostCurrency": euros}
    platform.add_contribution("foreign", "2027-02-02T10:00:00Z", "ann@example.org", 1000, **both)
    assert [(each.transaction_id, each.amount) for each in ask()] == [("converted", 1000)]
    assert [record.getMessage() for record in caplog.records] == [
        "Contribution foreign is not in USD: ignored."
    ]


def test_donors_and_frequencies_may_be_unknown(platform, ask):
    platform.add_contribution("nobody", "2027-02-01T10:00:00Z", None, 500, None)
    platform.add_contribution("weekly", "2027-02-01T11:00:00Z", "ann@example.org", 500, "WEEKLY")
    platform.add_contribution("guest", "2027-02-01T12:00:00Z", None, 500, fromAccount=None)
    assert [(each.email, each.frequency) for each in ask()] == [
        ("", ""),
        ("ann@example.org", ""),
        ("", "onetime"),
    ]


def test_without_the_token_addresses_are_not_told(platform, ask):
    platform.add_contribution("one", "2027-02-01T10:00:00Z", "ann@example.org", 500)
    assert [each.email for each in ask(token="")] == [""]


def answer(status=200, body=b"{}", **headers):
    """An invalid response of the platform."""
    return status, headers, body


BROKEN = {
    "fault": answer(500, b"<html>"),
    "too many requests": answer(429, b'{"errors": [{"message": "slow down"}]}'),
    "no JSON": answer(200, b"<html>"),
    "no text": answer(200, b"\xff\xfe"),
    "another shape": answer(200, b'{"data": {"transactions": null}}'),
    "no object": answer(200, b"[]"),
    "errors": answer(200, b'{"errors": [{"message": "No such account"}], "data": null}'),
    "no time": answer(200, b'{"data": {"transactions": {"totalCount": 1, "nodes": [{}]}}}'),
    "elsewhere": answer(302, b"", Location="http://127.0.0.1:1/"),
    "nothing": answer(200, b""),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_an_answer_that_is_wrong_is_no_answer(platform, ask, broken):
    platform.answers.append(BROKEN[broken])
    with pytest.raises(FetchError):
        ask()


@pytest.mark.parametrize(
    "node", [{"id": "x" * 65}, {"createdAt": "2027-02-01T10:00:00"}, {"createdAt": "soon"}]
)
def test_a_contribution_that_is_not_understood_is_no_answer(platform, ask, node):
    platform.add_contribution("one", "2027-02-01T10:00:00Z", "ann@example.org", 500, **node)
    with pytest.raises(FetchError):
        ask()


def test_a_platform_that_does_not_answer_is_told_of_without_the_token(platform, ask):
    platform.close()
    with pytest.raises(FetchError) as caught:
        ask()
    assert TOKEN not in str(caught.value)


def test_a_platform_that_says_there_are_more_than_it_tells_comes_to_an_end(platform, ask):
    platform.answers.append(
        answer(200, json.dumps({"data": {"transactions": {"totalCount": 9, "nodes": []}}}).encode())
    )
    assert ask() == []


# The command.


class World:
    """Accounts in a database, a donation platform, and the command that transfers donations."""

    def __init__(self, factory, platform, ini):
        self.factory, self.platform, self.ini = factory, platform, ini

    def account(self, name: str = "ann", **values) -> int:
        """Create an account with a confirmed address; returns its id."""
        given = {
            "email": f"{name.capitalize()}@Example.org",
            "email_confirmed": True,
            "password": "!",
        } | values
        with self.factory() as session:
            user = User(username=name, **given)
            session.add(user)
            session.commit()
            return user.id

    def sync(self, *arguments: str) -> dict[str, int]:
        """Run the command; returns the counts that it prints, without zeros."""
        result = run("-c", self.ini, "sync-donors", *arguments)
        assert result.exit_code == 0, result.output
        found = (line.rpartition(" ") for line in result.output.splitlines()[1:7])
        return {name.strip(): int(count) for name, _, count in found if int(count)}

    def fails(self, *arguments: str) -> str:
        """Run the command, which must fail; returns its output."""
        result = run("-c", self.ini, "sync-donors", *arguments)
        assert result.exit_code != 0
        return result.output

    def support(self, user: int) -> tuple[str, str]:
        """Until when an account is a supporter, and its tier."""
        with self.factory() as session:
            found = session.get(User, user)
            until = found.supporter_until
            return until.astimezone(UTC).isoformat()[:16] if until else "", found.supporter_tier

    def recorded(self) -> dict[str, int | None]:
        """The account of each recorded donation, by transaction."""
        with self.factory() as session:
            rows = session.execute(select(Donation.transaction_id, Donation.user_id))
            return dict(rows.all())


@pytest.fixture
def world(factory, platform, database, tmp_path, monkeypatch):
    """A World without accounts and donations."""
    monkeypatch.setenv("COMICSDB_DONATIONS_URL", platform.url)
    monkeypatch.setenv("COMICSDB_DONATIONS_COLLECTIVE", COLLECTIVE)
    monkeypatch.setenv("COMICSDB_DONATIONS_TOKEN", TOKEN)
    with time_machine.travel(datetime(2027, 3, 1, tzinfo=UTC), tick=False):
        yield World(factory, platform, write_ini(tmp_path, database))


def test_a_donor_becomes_a_supporter(world):
    ann = world.account()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@EXAMPLE.org", 500, "MONTHLY")
    assert world.sync() == {"matched": 1}
    assert world.support(ann) == ("2027-03-23T10:00", "backer")
    assert world.recorded() == {"t1": ann}
    with world.factory() as session:
        row = session.scalar(select(Donation))
        assert (row.email, row.amount, row.frequency) == ("ann@EXAMPLE.org", 500, "monthly")


def test_each_contribution_is_processed_once(world):
    ann = world.account()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 500)
    world.sync()
    world.platform.add_contribution("t2", "2027-02-20T12:00:00Z", "ann@example.org", 500)
    assert world.sync() == {"matched": 1, "already processed": 1}
    assert world.sync() == {"already processed": 2}
    assert world.support(ann) == ("2027-03-23T10:00", "sponsor")


def test_a_run_begins_60_days_back_or_a_day_before_the_newest(world):
    world.sync()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 500)
    world.sync()
    world.sync()
    world.sync("--since", "2026-05-04")
    assert [asked["since"] for asked in world.platform.asked] == [
        "2026-12-31T00:00:00+00:00",
        "2026-12-31T00:00:00+00:00",
        "2027-02-19T10:00:00+00:00",
        "2026-05-04T00:00:00+00:00",
    ]
    assert "Invalid value" in world.fails("--since", "yesterday")


def test_only_a_confirmed_address_counts(world):
    ann = world.account(email_confirmed=False)
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 500)
    assert world.sync() == {"unmatched": 1}
    assert world.recorded() == {"t1": None}
    with world.factory() as session:
        session.get(User, ann).email_confirmed = True
        session.commit()
    assert world.sync() == {"rematched": 1, "already processed": 1}
    assert world.support(ann) == ("2027-03-23T10:00", "backer")
    assert world.recorded() == {"t1": ann}


def test_what_matches_nobody_is_told_of_once(world, caplog):
    caplog.set_level(logging.WARNING, "comicsdb.accounts.supporters")
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "zoe@example.org", 500)
    world.platform.add_contribution("t2", "2027-02-21T10:00:00Z", None, 500)
    assert world.sync() == {"unmatched": 2}
    assert len(caplog.records) == 2
    assert world.sync() == {"already processed": 2}
    assert len(caplog.records) == 2
    assert not any("zoe" in record.getMessage() for record in caplog.records)


def test_what_matches_several_is_nobodys(world):
    """Addresses are unique today. Should that change, nobody gets a donation that may be another's."""
    with world.factory() as session:
        session.execute(text("DROP INDEX uq_user_account_email"))
        session.commit()
    ann, _ = world.account("ann"), world.account("other", email="ANN@example.org")
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 500)
    assert world.sync() == {"ambiguous": 1}
    assert world.support(ann) == ("", "")
    assert world.sync() == {"already processed": 1}


def test_old_and_new_are_processed_together_in_their_order(world):
    world.platform.add_contribution("t1", "2027-02-01T10:00:00Z", "ann@example.org", 300)
    world.sync()
    ann = world.account()
    world.platform.add_contribution("t2", "2027-02-25T10:00:00Z", "ann@example.org", 300)
    assert world.sync() == {"rematched": 1, "matched": 1, "already processed": 1}
    assert world.support(ann) == ("2027-03-04T10:00", "backer")  # one period, from the first gift on


def test_an_older_gift_that_is_found_late_does_not_stack(world):
    ann = world.account()
    world.platform.add_contribution("t2", "2027-02-25T10:00:00Z", "ann@example.org", 300)
    world.sync()
    assert world.support(ann) == ("2027-03-28T10:00", "friend")
    world.platform.add_contribution("t1", "2027-02-01T10:00:00Z", "ann@example.org", 300)
    assert world.sync("--since", "2027-01-01") == {"matched": 1, "already processed": 1}
    assert world.support(ann) == ("2027-03-28T10:00", "backer")  # what was granted is not taken back


def test_below_the_minimum_it_is_recorded_only(world):
    ann = world.account()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 150)
    assert world.sync() == {"below minimum": 1}
    assert world.support(ann) == ("", "")
    assert world.recorded() == {"t1": ann}
    world.platform.add_contribution("t2", "2027-02-22T10:00:00Z", "ann@example.org", 150)
    assert world.sync("--since", "2027-01-01") == {"matched": 1, "already processed": 1}
    assert world.support(ann) == ("2027-03-23T10:00", "friend")


@pytest.mark.parametrize(
    ("present", "tier", "cents", "expected"),
    [
        ("2030-01-01T00:00", "friend", 2500, ("2030-01-01T00:00", "mega_sponsor")),
        ("2030-01-01T00:00", "sponsor", 500, ("2030-01-01T00:00", "sponsor")),
        ("2030-01-01T00:00", "", 500, ("2030-01-01T00:00", "backer")),
        ("2027-03-10T00:00", "mega_sponsor", 500, ("2027-03-23T10:00", "backer")),
        ("2027-02-10T00:00", "mega_sponsor", 500, ("2027-03-23T10:00", "backer")),
    ],
)
def test_what_an_account_has_is_never_shortened(world, present, tier, cents, expected):
    until = datetime.fromisoformat(present).replace(tzinfo=UTC)
    ann = world.account(supporter_until=until, supporter_tier=tier)
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", cents)
    world.sync()
    assert world.support(ann) == expected


def test_a_gift_of_long_ago_raises_nothing_today(world):
    until = datetime(2030, 1, 1, tzinfo=UTC)
    ann = world.account(supporter_until=until, supporter_tier="friend")
    world.platform.add_contribution("t1", "2026-06-01T10:00:00Z", "ann@example.org", 5000)
    assert world.sync("--since", "2026-01-01") == {"matched": 1}
    assert world.support(ann) == ("2030-01-01T00:00", "friend")


def test_a_dry_run_simulates_everything_and_changes_nothing(world):
    ann = world.account()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 150)
    world.platform.add_contribution("t2", "2027-02-21T10:00:00Z", "ann@example.org", 150)
    world.platform.add_contribution("t3", "2027-02-22T10:00:00Z", "zoe@example.org", 150)
    expected = {"below minimum": 1, "matched": 1, "unmatched": 1}
    assert world.sync("--dry-run") == expected
    assert world.sync("--dry-run") == expected
    assert world.support(ann) == ("", "")
    assert world.recorded() == {}
    assert world.sync() == expected
    assert world.support(ann) == ("2027-03-23T10:00", "friend")


def test_after_a_failed_fetch_nothing_is_processed(world, monkeypatch):
    monkeypatch.setattr(supporters, "PAGE", 2)
    ann = world.account()
    for number in range(3):
        world.platform.add_contribution(f"t{number}", "2027-02-20T10:00:00Z", "ann@example.org", 200)
    world.platform.answers += [None, BROKEN["fault"]]  # the second page fails
    assert "Nothing was done, as the donation platform failed: HTTP Error 500" in world.fails()
    assert world.recorded() == {}
    assert world.sync() == {"matched": 3}
    assert world.support(ann)[1] == "backer"


def test_tiers_and_years_are_settings(world, monkeypatch):
    ann = world.account()
    world.platform.add_contribution("t1", "2027-02-20T10:00:00Z", "ann@example.org", 1200, "YEARLY")
    monkeypatch.setenv("COMICSDB_DONATIONS_YEARLY", "true")
    monkeypatch.setenv("COMICSDB_DONATIONS_TIERS", "friend=10 backer=100 sponsor=1000 mega_sponsor=2000")
    assert world.sync() == {"matched": 1}
    assert world.support(ann) == ("2028-02-21T10:00", "backer")


def test_without_a_collective_it_says_so_and_does_nothing(world, monkeypatch):
    monkeypatch.setenv("COMICSDB_DONATIONS_COLLECTIVE", "")
    result = run("-c", world.ini, "sync-donors")
    assert result.exit_code == 0
    assert result.output.startswith("Nothing to do: the setting comicsdb.donations.collective")
    assert world.platform.asked == []


def test_two_cannot_run_at_once(world):
    with job_lock(world.factory.kw["bind"], DONATIONS):
        assert "The command, or one that must not run at the same time, is already running." in world.fails()
    assert world.sync() == {}
