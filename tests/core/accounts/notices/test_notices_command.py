"""Throttle notices: the texts of letters, and the command that finds accounts, reports and sends."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from comicsdb.accounts.letters import ThrottleFigures, throttle_report, throttle_restriction, throttle_warning
from comicsdb.mail.letter import LetterContext, as_html, as_text
from comicsdb.models import ApiToken, OutgoingMail, StaffAction, ThrottleNotice, User
from comicsdb.ops.jobs import NOTICES, job_lock
from tests.core.accounts.notices.throttled_accounts import create_account_warned_twice
from tests.core.cli.conftest import run
from tests.mailbox import waiting_mails
from tests.serving import write_ini

# Letters.


def words(letter) -> str:
    """The text part of a letter in one line."""
    return " ".join(as_text(letter, LetterContext("en", "https://comics.example")).split())


def test_one_single_day_is_called_so_and_no_number_is_repeated(world):
    told = words(throttle_restriction("ann", ThrottleFigures(1, 100, 100), tokens=True))
    assert "It received 100 responses with status 429 on a single day." in told
    assert told.count("100") == 1
    assert "across" not in told
    told = words(throttle_warning("ann", ThrottleFigures(1, 100, 100)))
    assert "It received 100 responses with status 429 on a single day." in told
    assert told.count("100") == 1
    assert "several days" not in told


def test_one_bad_day_beside_small_ones_has_both_numbers():
    told = words(throttle_warning("ann", ThrottleFigures(1, 157, 150)))
    assert told.count("150") == 1
    assert "It recently received 157 responses with status 429, 150 of them on a single day." in told


def test_several_days_have_all_three_numbers():
    told = words(throttle_warning("ann", ThrottleFigures(3, 168, 60)))
    assert "Over the past several days" in told
    assert "It received 168 responses with status 429; there were many on 3 days, 60 of them on" in told
    assert "single day" not in told


def test_one_response_is_one_response():
    assert "It received 1 response with status 429 on a single day." in words(
        throttle_warning("ann", ThrottleFigures(1, 1, 1))
    )


@pytest.mark.parametrize(
    ("letter", "subject", "facts"),
    [
        (
            throttle_warning("ann", ThrottleFigures(3, 168, 60)),
            "Your API client is being rate-limited",
            [
                "X-RateLimit",
                "Retry-After",
                "/help/rate-limits/",
                "may have to revoke",
                "Reply to this e-mail",
            ],
        ),
        (
            throttle_restriction("ann", ThrottleFigures(3, 168, 60), tokens=True),
            "Your API access has been restricted",
            [
                "We wrote to you before",
                "168",
                "revoked all API tokens",
                "new token",
                "fix the program first",
            ],
        ),
        (
            throttle_restriction("ann", ThrottleFigures(3, 168, 60), tokens=False),
            "Your API access has been restricted",
            [
                "We wrote to you before",
                "disabled your account until an administrator restores it",
                "Reply to",
            ],
        ),
    ],
    ids=["warning", "tokens", "account"],
)
def test_a_letter_says_in_both_parts_what_it_has_to(letter, subject, facts):
    reader = LetterContext("en", "https://comics.example")
    assert reader.translate(letter.subject) == subject
    for part in (as_text(letter, reader), as_html(letter, reader)):
        assert [fact for fact in facts if fact not in " ".join(part.split())] == []


def test_a_name_is_no_markup():
    letter = throttle_warning("<b>ann</b>", ThrottleFigures(1, 100, 100))
    assert "<b>" not in as_html(letter, LetterContext("en", "https://comics.example"))


def test_administrators_are_told_whom_it_is_about():
    reader = LetterContext("en", "https://comics.example")
    found = throttle_report(["ann"], ["line of ann"], sent=False)
    assert reader.translate(found.subject) == "Repeatedly throttled accounts: 1 found"
    assert "Found 1 account whose client ignores 429 responses: ann." in words(found)
    sent = throttle_report(["ann", "bob"], ["line of ann", "line of bob"], sent=True)
    assert reader.translate(sent.subject) == "Repeatedly throttled accounts: 2 e-mailed"
    assert "E-mailed 2 accounts whose clients ignore 429 responses: ann, bob. - line of ann" in words(sent)


# The command.


@pytest.fixture
def command(database, tmp_path, monkeypatch):
    """`command("--send")` runs the command; returns its exit code and its lines of output."""
    monkeypatch.setenv("COMICSDB_MAIL_ADMINISTRATORS", "admin@comics.example boss@comics.example")
    ini = write_ini(tmp_path, database)

    def call(*arguments: str) -> tuple[int, list[str]]:
        result = run("-c", ini, "throttle-notices", *arguments)
        return result.exit_code, result.output.splitlines()

    return call


LINE = "{} ann <ann@example.org>: 1 day throttled, 1,120 in total, 1,120 on the worst day, {}"


def test_with_nobody_to_report_there_is_one_line_and_no_mail(world, command):
    world.add_account("ann", {0: 10})
    assert command() == (0, ["Nobody goes on asking after 429."])
    assert waiting_mails(world.session) == []


@pytest.mark.parametrize("arguments", [(), ("--dry-run",), ("--enforce",)])
def test_a_report_changes_nothing_but_tells_the_administrators(world, command, arguments):
    ann = world.add_account("ann", {0: 1120})
    world.add_token(ann)
    assert command(*arguments) == (
        0,
        [
            LINE.format("Would warn", "no prior notices"),
            "1 candidate. Nothing was changed; to write to them add --send.",
        ],
    )
    assert world.rows(ThrottleNotice) == world.rows(StaffAction) == []
    assert len(world.rows(ApiToken)) == 1
    mails = waiting_mails(world.session)
    assert [mail.to for mail in mails] == ["admin@comics.example", "boss@comics.example"]
    assert mails[0].subject == "Repeatedly throttled accounts: 1 found"
    assert "Would warn ann <ann@example.org>: 1 day throttled" in mails[0].text.replace("\n  ", " ")


def test_with_send_accounts_are_written_to(world, command):
    ann = world.add_account("ann", {0: 1120})
    world.add_notice(ann, timedelta(days=20))
    world.add_account("bob", {0: 100, 1: 60, 2: 60})
    assert command("--send") == (
        0,
        [
            LINE.format("Warned", "1 prior notice"),
            "Warned bob <bob@example.org>: 3 days throttled, 220 in total, 100 on the worst day,"
            " no prior notices",
        ],
    )
    mails = waiting_mails(world.session)
    assert [mail.to for mail in mails] == [
        "ann@example.org",
        "bob@example.org",
        "admin@comics.example",
        "boss@comics.example",
    ]
    assert mails[2].subject == "Repeatedly throttled accounts: 2 e-mailed"
    assert command("--send") == (0, ["Nobody goes on asking after 429."])
    assert len(waiting_mails(world.session)) == 4


def test_a_report_says_what_would_be_enforced_and_how(world, command):
    world.add_token(create_account_warned_twice(world, "ann"))
    create_account_warned_twice(world, "bob")
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


def test_enforcement_is_set_for_daily_jobs_and_overruled_by_an_option(world, command, monkeypatch):
    world.add_token(create_account_warned_twice(world))
    monkeypatch.setenv("COMICSDB_NOTICES_ENFORCE", "true")
    assert command("--no-enforce")[1][0].startswith("Would warn ann")
    assert command("--send")[1][0].startswith("Revoked the tokens of ann")
    assert world.rows(ApiToken) == []


def test_without_enforce_those_who_were_warned_are_warned_again(world, command):
    world.add_token(create_account_warned_twice(world))
    assert command("--send")[1][0].startswith("Warned ann")
    assert len(world.rows(ApiToken)) == 1


def test_every_number_can_be_given(world, command):
    ann = world.add_account("ann", {0: 2, 9: 2})
    world.add_notice(ann, timedelta(days=11))
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
    world.add_account("ann", {0: 200})
    eve = world.add_account("eve", {0: 200}, email="eve@exämple.org")  # no mail can be sent to it
    world.add_account("zoe", {0: 200})
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
    assert "ann, zoe" in waiting_mails(world.session)[2].text
    with world.factory() as session:
        session.get(User, eve).email = "eve@example.org"
        session.commit()
    assert [line.partition(":")[0] for line in command("--send")[1]] == ["Warned eve <eve@example.org>"]


def test_account_1_is_never_disabled(world, command):
    world.session.execute(text("UPDATE user_account SET email_confirmed = true WHERE id = 1"))
    name = world.session.scalar(text("SELECT username FROM user_account WHERE id = 1"))
    world.add_refusals(name, 0, 200)
    for weeks in (2, 4):
        world.add_notice(1, timedelta(weeks=weeks))
    world.session.commit()
    assert command("--send", "--enforce")[0] == 1
    assert world.session.get(User, 1, populate_existing=True).is_active
    assert len(world.rows(ThrottleNotice)) == 2
    assert world.rows(OutgoingMail) == []


def test_two_cannot_run_at_once(world, command):
    world.add_account("ann", {0: 200})
    with job_lock(world.factory.kw["bind"], NOTICES):
        assert command("--send") == (
            1,
            ["Error: The command, or one that must not run at the same time, is already running."],
        )
    assert command("--send")[0] == 0


def test_without_the_address_of_the_site_nothing_is_done(world, command, tmp_path):
    ini = tmp_path / "test.ini"
    ini.write_text(ini.read_text().replace("base_url = http://127.0.0.1:1", "base_url ="))
    world.add_account("ann", {0: 200})
    code, lines = command("--send")
    assert code == 1
    assert "comicsdb.base_url" in lines[-1]
    assert world.rows(ThrottleNotice) == []
