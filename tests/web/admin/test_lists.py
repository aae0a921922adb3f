"""Lists in the administration: groups, tokens, donations, throttling, notices and the audit log."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from comicsdb import accounts, admin, clock
from comicsdb.models import ApiToken, DailyCount, Donation, Group, StaffAction, ThrottleNotice
from tests.cases import for_each
from tests.web.admin.helpers import cells, column, fill, log_in_as, submit_button
from tests.web.conftest import field_errors, form_to, notice, soup, submit


@pytest.fixture
def boss(testapp, make):
    """A superuser, logged in."""
    return log_in_as(testapp, make, is_staff=True, is_superuser=True)


@pytest.fixture
def editors(session):
    """The address of the page of a group."""
    return f"/admin/group/{session.scalar(select(Group.id).where(Group.name == 'editor'))}/"


def acts(session):
    session.expire_all()
    return [(each.actor_name, each.target, each.change) for each in session.scalars(admin.actions())]


LISTS = ["token", "donation", "throttle", "notice", "action", "mail", "announcement"]


@pytest.fixture
def users(session):
    """Accounts for two pages, with something in each list."""
    return fill(session, 53)


@for_each("kind", LISTS)
def test_every_list_has_pages_a_total_order_and_a_search(testapp, boss, users, kind):
    path = f"/admin/{kind}/"
    rows = [row for number in (1, 2) for row in cells(testapp.get(f"{path}?page={number}"))]
    assert len(rows) == 53
    names = [user.username for user in users]
    text = [str(row) for row in rows]
    assert sorted(name for name in names for row in text if name in row) == names  # each exactly once
    (found,) = cells(testapp.get(f"{path}?q={names[7].upper()}"))
    assert names[7] in str(found)
    assert cells(testapp.get(f"{path}?q=nothing-like-it")) == []
    assert "Nothing matches." in soup(testapp.get(f"{path}?q=nothing-like-it")).main.get_text()
    testapp.get(f"{path}?page=3", status=404)
    for odd in ("page=x", "page=0", "page=-1"):
        testapp.get(f"{path}?{odd}", status=404)


@for_each("kind", LISTS[:-1])
def test_lists_can_be_of_one_account_alone(testapp, boss, users, kind):
    user = users[0]
    (row,) = cells(testapp.get(f"/admin/{kind}/?user={user.id}"))
    assert user.username in str(row)
    page = soup(testapp.get(f"/admin/{kind}/?user={user.id}"))
    assert page.find("input", attrs={"name": "user"})["value"] == str(user.id)
    for odd in ("x", "-1", "9" * 40, "", "%00"):
        assert len(cells(testapp.get(f"/admin/{kind}/?user={odd}"))) == 50


# Groups.


def test_groups_are_listed_with_their_members(testapp, boss, session, editors):
    fill(session, 3)
    assert cells(testapp.get("/admin/group/")) == [["editor", "3"], ["reading list editor", "0"]]
    assert column(testapp.get(editors)) == ["u000", "u001", "u002"]
    assert column(testapp.get(f"{editors}?q=u001")) == ["u001"]


def test_members_come_and_go(testapp, boss, make, session, editors):
    ada = make.user("ada")
    answer = submit(testapp, editors, username=" ADA ")
    assert notice(answer.follow()) == "ada was added to the group."
    assert column(testapp.get(editors)) == ["ada"]
    answer = submit_button(testapp, editors, f"{editors}remove/{ada.id}/")
    assert notice(answer.follow()) == "ada was removed from the group."
    assert column(testapp.get(editors)) == []
    assert acts(session) == [
        ("Boss", "ada", {"groups": [["editor"], []]}),
        ("Boss", "ada", {"groups": [[], ["editor"]]}),
    ]


def test_who_cannot_be_a_member_is_told_beside_the_field(testapp, boss, make, session, editors):
    make.user("ada", groups=["editor"])
    for name, text in (("nobody", "There is no account named nobody."), ("ada", "ada is already a member.")):
        answer = submit(testapp, editors, username=name, status=422)
        assert field_errors(answer) == {"username": text}
        assert form_to(answer, editors)["username"].value == name
        assert column(answer) == ["ada"]
    king = make.user("King", is_superuser=True, groups=["editor"])
    log_in_as(testapp, make, "Clerk", is_staff=True)
    text = "Only a superuser can change the account of a superuser."
    other = soup(testapp.get("/admin/group/")).find("a", string="reading list editor")["href"]
    assert field_errors(submit(testapp, other, username="King", status=422)) == {"username": text}
    assert notice(submit_button(testapp, editors, f"{editors}remove/{king.id}/").follow()) == text
    assert acts(session) == []


# Tokens.


def test_tokens_are_found_by_owner_label_and_beginning(testapp, boss, session, make):
    ada, bob = make.user("ada"), make.user("bob")
    now = clock.now()
    session.add_all(
        [
            ApiToken(user_id=ada.id, digest="1" * 64, token_key="aaaa1111", name="Laptop", last_used=now),
            ApiToken(
                user_id=ada.id,
                digest="2" * 64,
                token_key="bbbb2222",
                expiry=now - timedelta(days=1),
                name="Old",
            ),
            ApiToken(
                user_id=bob.id,
                digest="3" * 64,
                token_key="cccc3333",
                expiry=now + timedelta(days=1),
                name="New",
            ),
        ]
    )
    session.commit()
    for query, labels in (
        ("q=ADA", {"Laptop", "Old"}),
        ("q=lap", {"Laptop"}),
        ("q=cccc3333", {"New"}),
        ("q=1111111111", set()),  # part of a digest
        ("used=yes", {"Laptop"}),
        ("used=no", {"Old", "New"}),
        ("expired=yes", {"Old"}),
        ("expired=no", {"Laptop", "New"}),
        ("expired=no&q=ada", {"Laptop"}),
    ):
        assert set(column(testapp.get(f"/admin/token/?{query}"), 1)) == labels, query


def test_a_token_is_revoked_for_good(testapp, boss, make, session):
    visit_user = make.user("ada")
    session.add(ApiToken(user_id=visit_user.id, digest="1" * 64, token_key="aaaa1111", name="<b>"))
    session.commit()
    number = session.scalars(select(ApiToken.id)).one()
    answer = submit_button(testapp, "/admin/token/", f"/admin/token/{number}/revoke/")
    assert notice(answer.follow()) == "The token was revoked and no longer works."
    assert session.scalars(select(ApiToken.id)).all() == []
    assert acts(session) == [("Boss", "ada", {"token": ["aaaa1111… <b>", None]})]


# Records.


def test_donations_show_whose_they_are(testapp, boss, make, session):
    ada = make.user("ada")
    for number, (user, email, often) in enumerate(
        ((ada.id, "ada@example.org", "monthly"), (None, "who@example.org", "onetime"), (None, "", ""))
    ):
        day = datetime(2026, 5, 1 + number, 20, tzinfo=UTC)
        session.add(
            Donation(
                user_id=user,
                email=email,
                frequency=often,
                transaction_id=f"t{number}",
                amount=500,
                donated_at=day,
            )
        )
    session.commit()
    path = "/admin/donation/"
    assert [row[1:] for row in cells(testapp.get(path))] == [
        ["not found", "–", "$5.00", "–", "t2"],
        ["not found", "who@example.org", "$5.00", "Once", "t1"],
        ["ada", "ada@example.org", "$5.00", "Monthly", "t0"],
    ]
    for query, numbers in (
        ("matched=yes", ["t0"]),
        ("matched=no", ["t2", "t1"]),
        ("frequency=onetime", ["t1"]),
        ("q=who@", ["t1"]),
    ):
        assert column(testapp.get(f"{path}?{query}"), 5) == numbers, query


def test_refusals_stand_by_day_and_limit(testapp, boss, make, session):
    make.user("ada")
    today = clock.now().date()
    for days, counter, identity, count in (
        (0, "throttled:burst", "user:ada", 3),
        (0, "throttled:sustained", "user:ada", 1234),
        (1, "throttled:burst", "ip:192.0.2.1", 5),
        (9, "throttled:burst", "user:gone", 7),
        (0, "authmethod:basic", "", 99),
        (0, "signup", "ip:192.0.2.1", 98),
    ):
        session.add(
            DailyCount(day=today - timedelta(days=days), counter=counter, identity=identity, count=count)
        )
    session.commit()
    path = "/admin/throttle/"
    assert [row[1:] for row in cells(testapp.get(path))] == [
        ["ada", "3", "1,234"],
        ["ip:192.0.2.1", "5", "0"],
        ["user:gone", "7", "0"],
    ]
    for query, who in (
        ("who=account", ["ada", "user:gone"]),
        ("who=address", ["ip:192.0.2.1"]),
        ("when=today", ["ada"]),
        ("when=week", ["ada", "ip:192.0.2.1"]),
        ("q=192.0", ["ip:192.0.2.1"]),
    ):
        assert column(testapp.get(f"{path}?{query}"), 1) == who, query


def test_notices_say_the_how_manyeth_they_are(testapp, boss, make, session):
    ada, bob = make.user("ada"), make.user("bob", is_active=False)
    now = clock.now()
    for user, days, worst in ((ada, 40, 1), (ada, 20, 2), (bob, 15, 3), (ada, 2, 4)):
        session.add(
            ThrottleNotice(
                user_id=user.id,
                days_throttled=2,
                total_count=1500,
                worst_day_count=worst,
                sent_at=now - timedelta(days=days),
            )
        )
    session.commit()
    path = "/admin/notice/"
    assert [row[1:] for row in cells(testapp.get(path))] == [
        ["ada", "3", "2", "1,500", "4"],
        ["bob", "1", "2", "1,500", "3"],
        ["ada", "2", "2", "1,500", "2"],
        ["ada", "1", "2", "1,500", "1"],
    ]
    for query, worst in (("when=week", ["4"]), ("when=month", ["4", "3", "2"]), ("active=no", ["3"])):
        assert column(testapp.get(f"{path}?{query}"), 5) == worst, query


def test_the_log_tells_who_did_what_to_whom(testapp, boss, make, session):
    ada = make.user("ada")
    submit(testapp, f"/admin/user/{ada.id}/", first_name="<b>Ada</b>")
    admin.set_sign_ups(session, None, False, "Monday")
    admin.record(
        session, accounts.find_user(session, "Boss"), "new act", "new kind", 7, "it", {"x": [1, None]}
    )
    session.commit()
    path = "/admin/action/"
    assert [row[1:] for row in cells(testapp.get(path))] == [
        ["Boss", "new act", "new kind it", "x: 1 → then nothing"],
        [
            "a command",
            "Changed",
            "Sign-ups",
            "Sign-ups are open: yes → then no Message shown while sign-ups are closed: nothing → then Monday",
        ],
        ["Boss", "Changed", "Account ada", "First name: nothing → then <b>Ada</b>"],
    ]
    for query, number in (
        ("by=command", 1),
        ("by=staff", 2),
        ("action=change", 2),
        ("kind=signup_settings", 1),
        ("kind=user&action=change&by=staff&q=ada+boss", 1),
        ("action=delete", 0),
    ):
        assert len(cells(testapp.get(f"{path}?{query}"))) == number, query
    assert soup(testapp.get(path)).find("a", href=f"/admin/user/{ada.id}/") is not None


def test_lines_of_one_moment_keep_their_order(testapp, boss, session):
    at = clock.now()
    session.add_all(
        [StaffAction(at=at, action="change", kind="mail", target=f"line {number:02}") for number in range(70)]
    )
    session.commit()
    shown = [row[3] for number in (1, 2) for row in cells(testapp.get(f"/admin/action/?page={number}"))]
    assert len(set(shown)) == 70
    assert shown == sorted(shown, reverse=True)
