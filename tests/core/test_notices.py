"""Throttle notices: who is found, what is written and done, and that nothing is done twice (api.md 6.5)."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from comicsdb.jobs import NOTICES, alone
from comicsdb.mail.letter import Reader, as_html, as_text
from comicsdb.models import ApiToken, DailyCount, OutgoingMail, StaffAction, ThrottleNotice, User
from comicsdb.notice_letters import Figures, restriction, to_administrators, warning
from comicsdb.notices import Rules, act, candidates
from comicsdb.passwords import digest
from comicsdb.scripts import main
from comicsdb.settings import resolve
from tests.mailbox import letters

NOW = datetime(2027, 5, 20, 15, tzinfo=UTC)
TODAY = NOW.date()
ENFORCING = Rules(enforce=True)
SETTINGS = resolve(
    {
        "sqlalchemy.url": "postgresql://x/y",
        "comicsdb.secret": "s",
        "comicsdb.base_url": "https://comics.example",
    }
)


@pytest.fixture(autouse=True)
def clock():
    """Time that stands still until it is moved."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


class World:
    """Accounts that were refused, in a database of the test's own."""

    def __init__(self, factory):
        self.factory = factory
        self.session = factory()

    def account(self, name: str, refusals: dict[int, int], **values) -> int:
        """An account with so many refusals by how many days ago; gives its id."""
        given = {"email": f"{name}@example.org", "email_confirmed": True, "password": "!"} | values
        user = User(username=name, **given)
        self.session.add(user)
        for ago, count in refusals.items():
            self.refused(name, ago, count)
        self.session.commit()
        return user.id

    def refused(self, name: str, ago: int, count: int, limit: str = "burst") -> None:
        """So many refusals more, so many days ago."""
        day, counter = TODAY - timedelta(days=ago), f"throttled:{limit}"
        row = DailyCount(day=day, counter=counter, identity=f"user:{name}", count=count)
        self.session.merge(row)
        self.session.commit()

    def noticed(self, user: int, ago: timedelta) -> None:
        """A notice so long ago."""
        self.session.add(
            ThrottleNotice(
                user_id=user, days_throttled=3, total_count=9, worst_day_count=3, sent_at=NOW - ago
            )
        )
        self.session.commit()

    def token(self, user: int, text: str = "x") -> None:
        """A token of an account."""
        self.session.add(ApiToken(digest=digest(text), token_key="x", user_id=user))
        self.session.commit()

    def found(self, rules=None) -> dict:
        """Whom the rules find: figures by name."""
        return {each.username: tuple(each.figures) for each in candidates(self.session, rules or Rules())}

    def rows(self, model) -> list:
        """All rows of a table, as they are now."""
        self.session.expire_all()
        return list(self.session.scalars(select(model)))


@pytest.fixture
def world(factory):
    """Nobody has been refused yet."""
    world = World(factory)
    yield world
    world.session.close()


# Who is found.


def test_three_bad_days_make_an_offender(world):
    world.account("two", {0: 50, 1: 50, 2: 49})
    world.account("three", {0: 50, 3: 60, 7: 55, 5: 3})
    assert world.found() == {"three": (3, 168, 60)}


def test_one_extreme_day_makes_an_offender(world):
    world.account("nearly", {1: 99})
    world.account("once", {1: 100})
    world.account("more", {1: 150, 2: 7})
    assert world.found() == {"once": (1, 100, 100), "more": (1, 157, 150)}


def test_low_counts_on_many_days_are_no_offence(world):
    world.account("patient", dict.fromkeys(range(8), 49))
    assert world.found() == {}


def test_both_limits_count_together(world):
    world.account("both", {1: 60})
    world.refused("both", 1, 40, "sustained")
    assert world.found() == {"both": (1, 100, 100)}


def test_today_and_seven_days_before_are_read(world):
    world.account("inside", {7: 100})
    world.account("outside", {8: 100})
    assert world.found() == {"inside": (1, 100, 100)}
    assert world.found(Rules(lookback_days=8)) == {"inside": (1, 100, 100), "outside": (1, 100, 100)}


def test_other_counts_and_addresses_are_nobody(world):
    world.account("ann", {})
    for counter, identity in [
        ("throttled:burst", "ip:192.0.2.1"),
        ("throttled:burst", "user:nobody"),
        ("throttled:login", "user:ann"),
        ("authmethod:token", "user:ann"),
        ("throttled:burst", "ann"),
    ]:
        world.session.add(DailyCount(day=TODAY, counter=counter, identity=identity, count=500))
    world.session.commit()
    assert world.found() == {}


@pytest.mark.parametrize(
    "values",
    [{"is_active": False}, {"email_confirmed": False}, {"email": ""}],
    ids=["inactive", "not confirmed", "no address"],
)
def test_who_cannot_be_written_to_is_left_out(world, values):
    world.account("ann", {0: 500}, **values)
    assert world.found() == {}


def test_nobody_has_two_notices_within_a_week(world, clock):
    ann = world.account("ann", {0: 500})
    world.noticed(ann, timedelta(days=6, hours=23))
    assert world.found() == {}
    clock.shift(timedelta(hours=1))
    assert world.found() == {"ann": (1, 500, 500)}
    assert world.found(Rules(cooldown_days=8)) == {}


def test_what_lies_on_or_before_the_day_of_the_latest_notice_is_done_with(world):
    rules = Rules(cooldown_days=1, lookback_days=10)
    ann = world.account("ann", {4: 500, 5: 500, 6: 500})
    world.noticed(ann, timedelta(days=9))
    world.noticed(ann, timedelta(days=4))
    assert world.found(rules) == {}  # the day of the notice itself included
    world.refused("ann", 3, 100)
    assert world.found(rules) == {"ann": (1, 100, 100)}


def test_the_day_of_a_notice_is_that_of_utc(world):
    rules = Rules(cooldown_days=1)
    ann = world.account("ann", {3: 100})
    world.noticed(ann, timedelta(days=2, hours=15, minutes=1))  # a minute before that day's end, in UTC
    assert world.found(rules) == {}
    bob = world.account("bob", {3: 100})
    world.noticed(bob, timedelta(days=3, hours=15, minutes=1))
    world.session.execute(text("SET TIME ZONE 'Asia/Tokyo'"))  # where it was the next day
    assert world.found(rules) == {"bob": (1, 100, 100)}


def test_after_enough_notices_it_gets_serious(world):
    for name, notices in (("none", 0), ("one", 1), ("two", 2), ("five", 5)):
        user = world.account(name, {0: 100})
        for number in range(notices):
            world.noticed(user, timedelta(days=8 * (number + 1)))
    found = candidates(world.session, ENFORCING)
    assert {each.username: (each.prior, each.escalates) for each in found} == {
        "none": (0, False),
        "one": (1, False),
        "two": (2, True),
        "five": (5, True),
    }
    assert not any(each.escalates for each in candidates(world.session, Rules()))


DAYS = st.dictionaries(st.integers(0, 30).map(lambda ago: TODAY - timedelta(days=ago)), st.integers(1, 200))


@given(DAYS, st.integers(1, 5), st.integers(1, 150), st.integers(1, 200))
def test_the_figures_fit_each_other(counts, min_days, single, extreme):
    rules = Rules(min_days=min_days, single_day_threshold=single, extreme_day_threshold=extreme)
    figures = rules.judge(counts)
    bad = [count for count in counts.values() if count >= single]
    if figures is None:
        assert len(bad) < min_days
        assert all(count < extreme for count in counts.values())
    else:
        assert figures == (len(bad), sum(counts.values()), max(counts.values()))
        assert len(bad) >= min_days or figures.worst >= extreme


# What is done.


def test_a_warning_is_written_and_noted(world):
    ann = world.account("ann", {0: 120, 1: 60, 2: 10})
    world.token(ann)
    done = act(world.factory, SETTINGS, Rules(), ann)
    assert (done.username, done.figures, done.escalates) == ("ann", (2, 190, 120), False)
    (notice,) = world.rows(ThrottleNotice)
    assert (notice.user_id, notice.days_throttled, notice.total_count, notice.worst_day_count) == (
        ann,
        2,
        190,
        120,
    )
    assert notice.sent_at == NOW
    (mail,) = letters(world.session)
    assert (mail.to, mail.kind) == ("ann@example.org", "throttle_warning")
    assert len(world.rows(ApiToken)) == 1
    assert world.rows(User)[-1].is_active


def test_what_was_done_is_not_done_again(world):
    ann = world.account("ann", {0: 120})
    assert act(world.factory, SETTINGS, Rules(), ann) is not None
    assert act(world.factory, SETTINGS, Rules(), ann) is None
    assert act(world.factory, SETTINGS, Rules(), 2**31 - 1) is None
    assert len(world.rows(ThrottleNotice)) == len(letters(world.session)) == 1


def warned_twice(world, name="ann", **values) -> int:
    """An account that had two notices and goes on."""
    user = world.account(name, {0: 120}, **values)
    for weeks in (2, 4):
        world.noticed(user, timedelta(weeks=weeks))
    return user


def test_who_has_tokens_loses_all_of_them_and_nothing_else(world):
    ann, bob = warned_twice(world), world.account("bob", {})
    for number, user in enumerate((ann, ann, bob)):
        world.token(user, str(number))
    act(world.factory, SETTINGS, ENFORCING, ann)
    assert [token.user_id for token in world.rows(ApiToken)] == [bob]
    assert all(user.is_active for user in world.rows(User))
    (mail,) = letters(world.session)
    assert mail.kind == "throttle_restriction"
    assert "revoked all API tokens" in " ".join(mail.text.split())
    assert mail.link("/accounts/tokens/")
    assert [action.action for action in world.rows(StaffAction)] == ["revoke token"] * 2
    assert len(world.rows(ThrottleNotice)) == 3


def test_who_has_no_tokens_is_disabled(world):
    ann = warned_twice(world)
    act(world.factory, SETTINGS, ENFORCING, ann)
    assert not next(user for user in world.rows(User) if user.id == ann).is_active
    (mail,) = letters(world.session)
    assert "disabled your account" in " ".join(mail.text.split())
    (action,) = world.rows(StaffAction)
    assert (action.actor_name, action.target_id, action.change) == ("", ann, {"is_active": [True, False]})


# What is written.


def words(letter) -> str:
    """A letter's text in one line, without addresses and footer."""
    return " ".join(as_text(letter, Reader("en", "https://comics.example")).split())


def test_one_single_day_is_called_so_and_no_number_is_repeated(world):
    told = words(restriction("ann", Figures(1, 100, 100), tokens=True))
    assert "It got 100 responses with the status 429 on one single day." in told
    assert told.count("100") == 1
    assert "across" not in told
    told = words(warning("ann", Figures(1, 100, 100)))
    assert "100 responses with the status 429 on one single day. It got 100 responses" in told
    assert "several days" not in told


def test_one_bad_day_beside_small_ones_has_both_numbers():
    told = words(warning("ann", Figures(1, 157, 150)))
    assert "150 responses with the status 429 on one single day." in told
    assert (
        "It got 157 responses with the status 429 over the recent period, 150 of them on one single day."
        in told
    )


def test_several_days_have_all_three_numbers():
    told = words(warning("ann", Figures(3, 168, 60)))
    assert "over the past several days." in told
    assert "It got 168 responses with the status 429 across 3 days, including 60 on the worst day." in told
    assert "single day" not in told


def test_one_response_is_one_response():
    assert "It got 1 response with the status 429 on one single day." in words(
        warning("ann", Figures(1, 1, 1))
    )


@pytest.mark.parametrize(
    ("letter", "subject", "facts"),
    [
        (
            warning("ann", Figures(3, 168, 60)),
            "Your API client is being rate-limited",
            ["X-RateLimit", "Retry-After", "/help/rate-limits/", "may have to revoke", "Reply to this mail"],
        ),
        (
            restriction("ann", Figures(3, 168, 60), tokens=True),
            "Your API access has been restricted",
            [
                "We wrote to you before",
                "168",
                "revoked all API tokens",
                "new token",
                "repair the program first",
            ],
        ),
        (
            restriction("ann", Figures(3, 168, 60), tokens=False),
            "Your API access has been restricted",
            [
                "We wrote to you before",
                "disabled your account, until an administrator restores it",
                "Reply to",
            ],
        ),
    ],
    ids=["warning", "tokens", "account"],
)
def test_a_letter_says_in_both_parts_what_it_has_to(letter, subject, facts):
    reader = Reader("en", "https://comics.example")
    assert reader.say(letter.subject) == subject
    for part in (as_text(letter, reader), as_html(letter, reader)):
        assert [fact for fact in facts if fact not in " ".join(part.split())] == []


def test_a_name_is_no_markup():
    letter = warning("<b>ann</b>", Figures(1, 100, 100))
    assert "<b>" not in as_html(letter, Reader("en", "https://comics.example"))


def test_administrators_are_told_whom_it_is_about():
    reader = Reader("en", "https://comics.example")
    found = to_administrators(["ann"], ["line of ann"], sent=False)
    assert reader.say(found.subject) == "Repeat throttled accounts: 1 found"
    assert "Found 1 account whose client goes on after 429: ann." in words(found)
    sent = to_administrators(["ann", "bob"], ["line of ann", "line of bob"], sent=True)
    assert reader.say(sent.subject) == "Repeat throttled accounts: 2 e-mailed"
    assert "E-mailed 2 accounts whose clients go on after 429: ann, bob. - line of ann" in words(sent)


# The command.


@pytest.fixture
def command(database, tmp_path):
    """`command("--send")` runs it; gives its exit code and its lines."""
    path = tmp_path / "site.ini"
    path.write_text(
        "[app:main]\nuse = egg:comicsdb\ncomicsdb.secret = for tests only\n"
        f"sqlalchemy.url = {database.replace('%', '%%')}\n"
        "comicsdb.base_url = https://comics.example\n"
        "comicsdb.mail.administrators = admin@comics.example boss@comics.example\n"
    )

    def run(*arguments: str) -> tuple[int, list[str]]:
        result = CliRunner().invoke(main, ["-c", str(path), "throttle-notices", *arguments])
        return result.exit_code, result.output.splitlines()

    return run


LINE = "{} ann <ann@example.org>: 1 day throttled, 1,120 in total, 1,120 on the worst day, {}"


def test_with_nobody_to_report_there_is_one_line_and_no_mail(world, command):
    world.account("ann", {0: 10})
    assert command() == (0, ["Nobody goes on asking after 429."])
    assert letters(world.session) == []


@pytest.mark.parametrize("arguments", [(), ("--dry-run",), ("--enforce",)])
def test_a_report_changes_nothing_but_tells_the_administrators(world, command, arguments):
    ann = world.account("ann", {0: 1120})
    world.token(ann)
    assert command(*arguments) == (
        0,
        [
            LINE.format("Would warn", "no prior notices"),
            "1 candidate. Nothing was changed; to write to them add --send.",
        ],
    )
    assert world.rows(ThrottleNotice) == world.rows(StaffAction) == []
    assert len(world.rows(ApiToken)) == 1
    mails = letters(world.session)
    assert [mail.to for mail in mails] == ["admin@comics.example", "boss@comics.example"]
    assert mails[0].subject == "Repeat throttled accounts: 1 found"
    assert "Would warn ann <ann@example.org>: 1 day throttled" in mails[0].text.replace("\n  ", " ")


def test_with_send_accounts_are_written_to(world, command):
    ann = world.account("ann", {0: 1120})
    world.noticed(ann, timedelta(days=20))
    world.account("bob", {0: 100, 1: 60, 2: 60})
    assert command("--send") == (
        0,
        [
            LINE.format("Warned", "1 prior notice"),
            "Warned bob <bob@example.org>: 3 days throttled, 220 in total, 100 on the worst day,"
            " no prior notices",
        ],
    )
    mails = letters(world.session)
    assert [mail.to for mail in mails] == [
        "ann@example.org",
        "bob@example.org",
        "admin@comics.example",
        "boss@comics.example",
    ]
    assert mails[2].subject == "Repeat throttled accounts: 2 e-mailed"
    assert command("--send") == (0, ["Nobody goes on asking after 429."])
    assert len(letters(world.session)) == 4


def test_a_report_says_what_would_be_enforced_and_how(world, command):
    world.token(warned_twice(world, "ann"))
    warned_twice(world, "bob")
    code, lines = command("--enforce")
    assert code == 0
    assert [line.partition(" <")[0] for line in lines[:2]] == [
        "Would revoke the tokens of ann",
        "Would disable bob",
    ]
    assert all(line.endswith("2 prior notices") for line in lines[:2])
    assert lines[2].startswith("2 candidates. ")
    assert len(world.rows(ApiToken)) == 1
    code, lines = command("--enforce", "--send")
    assert [line.partition(" <")[0] for line in lines] == ["Revoked the tokens of ann", "Disabled bob"]
    assert world.rows(ApiToken) == []


def test_without_enforce_those_who_were_warned_are_warned_again(world, command):
    world.token(warned_twice(world))
    assert command("--send")[1][0].startswith("Warned ann")
    assert len(world.rows(ApiToken)) == 1


def test_every_number_can_be_given(world, command):
    ann = world.account("ann", {0: 2, 9: 2})
    world.noticed(ann, timedelta(days=11))
    assert command()[1] == ["Nobody goes on asking after 429."]
    numbers = {
        "lookback-days": 9,
        "min-days": 2,
        "single-day-threshold": 2,
        "extreme-day-threshold": 500,
        "cooldown-days": 5,
        "enforce-after": 1,
    }
    arguments = [part for name, value in numbers.items() for part in (f"--{name}", str(value))]
    assert command(*arguments, "--enforce")[1][0].startswith(
        "Would disable ann <ann@example.org>: 2 days throttled, 4"
    )
    assert command("--min-days", "0")[0] == 2


def test_one_that_fails_does_not_stop_the_others_and_is_tried_again(world, command):
    world.account("ann", {0: 200})
    eve = world.account("eve", {0: 200}, email="eve@exämple.org")  # mail cannot have such an address
    world.account("zoe", {0: 200})
    code, lines = command("--send")
    assert code == 1
    assert [line.partition(":")[0] for line in lines] == [
        "Warned ann <ann@example.org>",
        "eve",
        "Warned zoe <zoe@example.org>",
        "Error",
    ]
    assert lines[-1] == "Error: Nothing was done about eve."
    assert {notice.user_id for notice in world.rows(ThrottleNotice)} == {eve - 1, eve + 1}
    assert "ann, zoe" in letters(world.session)[2].text
    with world.factory() as session:
        session.get(User, eve).email = "eve@example.org"
        session.commit()
    assert [line.partition(":")[0] for line in command("--send")[1]] == ["Warned eve <eve@example.org>"]


def test_account_1_is_never_disabled(world, command):
    world.session.execute(text("UPDATE user_account SET email_confirmed = true WHERE id = 1"))
    name = world.session.scalar(text("SELECT username FROM user_account WHERE id = 1"))
    world.refused(name, 0, 200)
    for weeks in (2, 4):
        world.noticed(1, timedelta(weeks=weeks))
    world.session.commit()
    assert command("--send", "--enforce")[0] == 1
    assert world.session.get(User, 1, populate_existing=True).is_active
    assert len(world.rows(ThrottleNotice)) == 2
    assert world.rows(OutgoingMail) == []


def test_two_cannot_run_at_once(world, command):
    world.account("ann", {0: 200})
    with alone(world.factory.kw["bind"], NOTICES):
        assert command("--send") == (1, ["Error: The command is running already."])
    assert command("--send")[0] == 0


def test_without_the_address_of_the_site_nothing_is_done(world, command, tmp_path):
    ini = tmp_path / "site.ini"
    ini.write_text(ini.read_text().replace("comicsdb.base_url = https://comics.example\n", ""))
    world.account("ann", {0: 200})
    code, lines = command("--send")
    assert code == 1
    assert "comicsdb.base_url" in lines[-1]
    assert world.rows(ThrottleNotice) == []
