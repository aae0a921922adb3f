"""Accounts in the administration: the list, the page of an account, and the actions on it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import webtest
from sqlalchemy import select

from comicsdb import accounts, admin, clock
from comicsdb.accounts.context import command_context
from comicsdb.accounts.passwords import Passwords
from comicsdb.models import ApiToken, LoginSession, StaffAction, User
from comicsdb.models.base import SYSTEM_USER_ID
from tests.conftest import build_app
from tests.serving import add_account
from tests.waiting import await_lock
from tests.web.admin.helpers import cells, column, fill, log_in_as, submit_button
from tests.web.conftest import PASSWORD, field_errors, form_to, log_in, notice, soup, submit

LIST = "/admin/user/"
BOTH = ["editor", "reading list editor"]


@pytest.fixture
def boss(testapp, make):
    """A superuser, logged in."""
    return log_in_as(testapp, make, is_staff=True, is_superuser=True)


@pytest.fixture
def ada(make):
    """The account to be changed: an editor and supporter."""
    return make.user(
        "ada", password=PASSWORD, passwords=Passwords("fast"), groups=["editor"], first_name="Ada",
        email_confirmed=True, supporter_tier="backer", bio="One\r\ntwo",
        supporter_until=datetime(2990, 5, 31, 12, 30, 15, tzinfo=UTC),
    )  # fmt: skip


def page_of(user):
    return f"/admin/user/{user.id}/"


def acts(session):
    """The audit log, latest line first: actor, action, target and change."""
    session.expire_all()
    return [
        (each.actor_name, each.action, each.target, each.change) for each in session.scalars(admin.actions())
    ]


def form_of(testapp, user):
    return form_to(testapp.get(page_of(user)), page_of(user))


def tick(form, *names):
    """Tick these groups and no others."""
    for box in form.fields["groups"]:
        box.checked = box._value in names


def test_account_page_for_staff_has_the_name_only_if_its_owner_shows_it(testapp, make, ada, session):
    log_in_as(testapp, make, is_staff=True)
    page = testapp.get(page_of(ada))
    assert 'name="first_name"' not in page.text
    assert ">Ada<" not in page.text
    assert 'value="Ada"' not in page.text
    form = form_to(page, page_of(ada))
    form["bio"] = "changed"
    form.submit(status=303)
    testapp.post(
        page_of(ada), [*form.submit_fields(), ("was_first_name", "x"), ("first_name", "Anna")], status=303
    )
    session.expire_all()
    assert (ada.bio, ada.first_name) == ("changed", "Ada")
    ada.shows_name = True
    session.commit()
    assert form_of(testapp, ada)["first_name"].value == "Ada"


# The list.


def test_words_find_names_and_addresses(testapp, boss, make):
    make.user("zoe", email="z@Example.org", first_name="Zoë", last_name="Ångström")
    make.user("p_a", email="pia@elsewhere.example")
    for query, found in (
        ("ZOE angstrom", ["zoe"]),
        ("elsewhere", ["p_a"]),
        ("_", ["p_a"]),
        ("%", []),
        ("\x00", None),
        ("x" * 3000, []),
    ):
        answer = testapp.get(LIST, {"q": query})
        if found is not None:
            assert column(answer) == found, query
    log_in_as(testapp, make, "Clerk", is_staff=True)
    make.user("una", first_name="Una", last_name="Ångström", shows_name=True)
    assert column(testapp.get(LIST, {"q": "angstrom"})) == ["una"]  # the other one hides the name
    assert soup(testapp.get(LIST, {"q": '"><b>'})).find(id="list-q")["value"] == '"><b>'


def test_filters_narrow_and_what_is_none_is_said_beside_its_field(testapp, boss, make, session):
    later, earlier = clock.now() + timedelta(days=1), clock.now() - timedelta(days=1)
    make.user("off", is_active=False, email_confirmed=True)
    make.user("new", is_active=False)
    make.user("giver", supporter_until=later, supporter_tier="friend")
    make.user("gave", supporter_until=earlier, supporter_tier="friend")
    make.user("ed", groups=["editor"])
    make.user("clerk", is_staff=True)
    everybody = set(column(testapp.get(LIST)))
    group = next(o["value"] for o in soup(testapp.get(LIST)).select("#by-group option") if o.text == "editor")
    for query, names in (
        ("active=no", {"off", "new"}),
        ("active=no&confirmed=no", {"new"}),
        ("active=yes", everybody - {"off", "new"}),
        ("staff=yes", {"Boss", "clerk"}),
        ("supporter=yes", {"giver"}),
        ("supporter=no", everybody - {"giver"}),
        (f"group={group}", {"ed"}),
        ("group=999", everybody),
        ("active=maybe&staff=%00&q=", everybody),
    ):
        assert set(column(testapp.get(f"{LIST}?{query}"))) == names, query
    chosen = soup(testapp.get(f"{LIST}?staff=yes&q=cl")).main.select("option[selected]")
    assert [each["value"] for each in chosen] == ["yes"]
    wrong = soup(testapp.get(f"{LIST}?active=maybe&staff=yes")).select("[aria-invalid]")
    assert [each["id"] for each in wrong] == ["by-active"]


def test_the_list_has_pages_in_a_total_order(testapp, boss, session):
    fill(session, 60)
    pages = [column(testapp.get(f"{LIST}?page={number}&q=u")) for number in (1, 2)]
    assert [len(each) for each in pages] == [50, len(pages[1])]
    names = [name for page in pages for name in page]
    assert names == sorted(names, key=str.lower)
    assert len(set(names)) == len(names) >= 60
    assert "q=u" in soup(testapp.get(f"{LIST}?q=u")).find("a", rel="next")["href"]
    testapp.get(f"{LIST}?page=99", status=404)


# The page of one account.


def test_the_page_shows_all_that_belongs_to_the_account(testapp, boss, session):
    user, other = fill(session, 2)
    page = soup(testapp.get(page_of(user)))
    tables = {
        each.caption.get_text(): each.tbody.get_text(" ", strip=True) for each in page.find_all("table")
    }
    assert set(tables) == {"API tokens", "Donations", "Refused requests", "Throttle notices", "Audit log"}
    assert tables["API tokens"].startswith("Tagger abcd1234… ")
    assert "$12.34 tx-u000" in tables["Donations"]
    assert tables["Refused requests"].endswith(" 121")
    assert tables["Throttle notices"].endswith(" 3 900 400")
    assert tables["Audit log"].endswith("About: nothing → then <i>x</i>")
    for link in page.select(".block-head a"):
        rows = cells(testapp.get(link["href"]))
        assert len(rows) == 1, link["href"]
        assert other.username not in str(rows)


def test_every_field_of_an_account_can_be_changed(testapp, boss, ada, session):
    form = form_of(testapp, ada)
    given = {
        "username": "ada2", "email": "new@example.org", "first_name": "A", "last_name": "L", "bio": "x",
        "supporter_tier": "sponsor", "supporter_until": "2030-01-02T03:04",
        "is_active": False, "email_confirmed": True, "is_staff": True, "is_superuser": True,
    }  # fmt: skip
    assert {*given, "groups"} == set(admin.FIELDS)
    for name, value in given.items():
        form[name] = value
    tick(form, "reading list editor")
    answer = form.submit(status=303)
    assert notice(answer.follow()) == "Saved."
    session.expire_all()
    user = session.get_one(User, ada.id)
    zone = testapp.app.registry.settings["comicsdb.timezone"]
    until = datetime(2030, 1, 2, 3, 4, tzinfo=zone)
    expected = given | {"supporter_until": until, "email_confirmed": False}  # a new address is unconfirmed
    assert {name: getattr(user, name) for name in given} == expected
    assert [group.name for group in accounts.find_user(session, "ada2").groups] == ["reading list editor"]
    ((actor, act, target, change),) = acts(session)
    assert (actor, act, target) == ("Boss", "change", "ada2")
    assert set(change) == {*admin.FIELDS}
    assert change["supporter_until"][1] == until.astimezone(UTC).isoformat()


def test_saving_without_a_change_changes_nothing(testapp, boss, ada, session):
    answer = form_of(testapp, ada).submit(status=303)
    assert notice(answer.follow()) == "Nothing to change."
    assert acts(session) == []
    assert ada.supporter_until.second == 15  # the form does not show seconds


def test_what_others_changed_meanwhile_stays(testapp, boss, ada, session):
    form = form_of(testapp, ada)
    changes = {"bio": "mine", "add_groups": BOTH, "is_active": False}
    admin.change_account(command_context(session, {}), None, ada, changes)
    session.commit()
    form["first_name"] = "Anna"
    form.submit(status=303)
    assert acts(session)[0][3] == {"first_name": ["Ada", "Anna"]}
    assert (ada.bio, ada.is_active) == ("mine", False)
    form["first_name"] = "Ada"
    tick(form)
    form.submit(status=303)
    assert acts(session)[0][3] == {"groups": [BOTH, ["reading list editor"]]}


def test_groups_that_others_change_at_the_same_time_stay_as_they_are(database, factory, tmp_path):
    add_account(database, "boss", PASSWORD)
    add_account(database, "ada", PASSWORD)
    with factory() as session:
        ada = accounts.find_user(session, "ada")
        admin.change_account(command_context(session, {}), None, ada, {"add_groups": ["editor"]})
        accounts.find_user(session, "boss").is_superuser = True
        session.commit()
        page, app = page_of(ada), build_app(database, tmp_path)
    client = webtest.TestApp(app)
    log_in(client, "boss", PASSWORD)
    form = form_to(client.get(page), page)
    tick(form, *BOTH)
    with factory() as session, ThreadPoolExecutor(1) as pool:
        ada = accounts.find_user(session, "ada")
        admin.change_account(command_context(session, {}), None, ada, {"remove_groups": ["editor"]})
        saved = pool.submit(form.submit, status=303)
        await_lock(factory)
        session.commit()
        saved.result(60)
    app.registry["comicsdb.engine"].dispose()
    with factory() as session:
        groups = accounts.find_user(session, "ada").groups
        assert [group.name for group in groups] == ["reading list editor"]


def test_what_is_wrong_stands_beside_its_field_and_is_kept(testapp, boss, ada, make, session):
    make.user("bob", email="bob@example.org")
    form = form_of(testapp, ada)
    form["username"], form["email"], form["last_name"] = "two words", "nowhere", "Moth"
    form["is_active"] = False
    tick(form)
    answer = form.submit(status=422)
    assert set(field_errors(answer)) == {"username", "email"}
    again = form_to(answer, page_of(ada))
    assert (again["username"].value, again["last_name"].value) == ("two words", "Moth")
    assert not again["is_active"].checked
    assert not any(box.checked for box in again.fields["groups"])
    again["username"], again["email"] = "ada", "BOB@example.org"
    answer = again.submit(status=422)
    assert field_errors(answer) == {"email": "Another account uses this address."}
    again = form_to(answer, page_of(ada))
    again["email"] = ada.email
    again.submit(status=303)  # saves what was typed the first time
    assert set(acts(session)[0][3]) == {"last_name", "is_active", "groups"}


@pytest.mark.parametrize(
    "text", ["tomorrow", "2030-13-01T00:00", "9999-12-31T23:59", "2030-01-02", "９999-12-31T23:59x"]
)
def test_what_is_no_moment_is_refused(testapp, boss, ada, session, text):
    form = form_of(testapp, ada)
    form["supporter_until"].force_value(text)
    answer = form.submit(status=422)
    assert set(field_errors(answer)) == {"supporter_until"}
    assert form_to(answer, page_of(ada))["supporter_until"].value == text
    assert acts(session) == []


def test_a_supporters_time_can_be_ended(testapp, boss, ada, session):
    submit(testapp, page_of(ada), supporter_until="", supporter_tier="")
    session.expire_all()
    assert (ada.supporter_until, ada.supporter_tier) == (None, "")


def test_odd_forms_do_no_harm(testapp, boss, ada, session):
    token = form_of(testapp, ada)["csrf_token"].value
    nothing = {"csrf_token": token}
    missing = {"username", "email"}
    assert set(field_errors(testapp.post(page_of(ada), nothing, status=422))) == missing
    fields = nothing | {"username": "ada", "email": ada.email, "groups": "nobody", "supporter_tier": "gold"}
    assert set(field_errors(testapp.post(page_of(ada), fields, status=422))) == {"groups", "supporter_tier"}
    upload = [("username", "a.txt", b"x"), ("groups", "b.txt", b"x")]
    answer = testapp.post(page_of(ada), nothing, upload_files=upload, status=422)
    assert set(field_errors(answer)) == missing
    assert acts(session) == []


# Rights of the acting account.


@pytest.fixture
def clerk(testapp, make):
    """A staff account without further rights, logged in."""
    return log_in_as(testapp, make, "Clerk", is_staff=True)


def test_the_staff_gives_groups_but_no_rights(testapp, clerk, ada, session):
    form = form_of(testapp, ada)
    disabled = {each["name"] for each in soup(testapp.get(page_of(ada))).select(".admin-form [disabled]")}
    assert disabled == {"is_staff", "is_superuser"}
    tick(form, *BOTH)
    fields = [*form.submit_fields(), ("is_superuser", "1"), ("is_staff", "1")]
    testapp.post(page_of(ada), fields, status=303)
    assert acts(session) == [("Clerk", "change", "ada", {"groups": [["editor"], BOTH]})]
    assert (ada.is_staff, ada.is_superuser) == (False, False)


def test_superusers_are_out_of_the_staffs_reach(testapp, clerk, make, session):
    king = make.user("King", is_superuser=True)
    session.add(ApiToken(user_id=king.id, digest="d" * 64, token_key="aaaa1111"))
    session.commit()
    page = testapp.get(page_of(king))
    assert "Only a superuser can change the account of a superuser." in soup(page).main.get_text()
    assert soup(page).select_one(".form-buttons") is None
    assert not soup(page).select(
        ".admin-form :is(input, select, textarea):not([type=hidden]):not([disabled])"
    )
    token = soup(page).find("input", attrs={"name": "csrf_token"})["value"]
    csrf = {"csrf_token": token}
    number = session.scalars(select(ApiToken.id)).one()
    testapp.post(page_of(king), csrf | {"username": "pawn", "is_superuser": ""}, status=303)
    testapp.post(f"{page_of(king)}password/", csrf | {"password": "another horse battery"}, status=422)
    testapp.post(f"{page_of(king)}delete/", csrf, status=422)
    for path in (
        f"{page_of(king)}end-sessions/",
        f"{page_of(king)}revoke-tokens/",
        f"/admin/token/{number}/revoke/",
    ):
        answer = testapp.post(path, csrf, status=303).follow()
        assert notice(answer) == "Only a superuser can change the account of a superuser."
    assert acts(session) == []
    assert session.scalars(select(ApiToken.id)).all() == [number]
    assert (king.username, king.password, king.is_superuser) == ("King", "!", True)


def test_nobody_changes_the_own_rights_or_password_here(testapp, boss, session):
    form = form_of(testapp, boss)
    form["first_name"] = "B"
    fields = [*form.submit_fields(), ("email", "other@example.org")]
    testapp.post(page_of(boss), fields, status=303)
    assert acts(session) == [("Boss", "change", "Boss", {"first_name": ["", "B"]})]
    own = soup(testapp.get(page_of(boss)))
    links = {each["href"] for each in own.select(".admin-acts a")}
    assert links == {"/accounts/"}
    assert "" in field_errors(
        submit(testapp, f"{page_of(boss)}password/", password="another horse battery", status=422)
    )
    assert "" in field_errors(submit(testapp, f"{page_of(boss)}delete/", status=422))
    testapp.get("/admin/", status=200)


# Other actions.


def test_an_account_is_added(testapp, boss, make, session):
    good = {"username": "carl", "email": "carl@example.org", "password": "seven horses"}
    answer = submit(testapp, "/admin/user/add/", **good)
    carl = accounts.find_user(session, "carl")
    assert answer.location.endswith(page_of(carl))
    assert (carl.is_active, carl.email_confirmed) == (True, True)
    assert acts(session) == [("Boss", "create", "carl", {})]
    wrong = submit(testapp, "/admin/user/add/", **good | {"email": "x"}, status=422)
    form = form_to(wrong, "/admin/user/add/")
    assert (form["username"].value, form["password"].value) == ("carl", "")
    testapp.reset()
    assert log_in(testapp, "carl", "seven horses").status_int == 303


def test_a_password_is_set_and_sessions_end(testapp, boss, ada, session):
    session.add(LoginSession(user_id=ada.id, digest="d" * 64, expires=clock.now() + timedelta(days=1)))
    session.commit()
    path = f"{page_of(ada)}password/"
    assert set(field_errors(submit(testapp, path, password="short", status=422))) == {"password"}
    submit(testapp, path, password="another horse battery")
    assert [row.user_id for row in session.scalars(select(LoginSession))] == [boss.id]
    assert acts(session) == [("Boss", "set password", "ada", {})]
    testapp.reset()
    assert log_in(testapp, "ada", "another horse battery").status_int == 303


def test_sessions_are_ended_and_tokens_revoked(testapp, boss, session):
    user, _other = fill(session, 2)
    session.add(LoginSession(user_id=user.id, digest="d" * 64, expires=clock.now() + timedelta(days=1)))
    session.commit()
    submit_button(testapp, page_of(user), f"{page_of(user)}end-sessions/")
    submit_button(testapp, page_of(user), f"{page_of(user)}revoke-tokens/")
    assert [line[:2] for line in acts(session)[:2]] == [("Boss", "revoke tokens"), ("Boss", "end sessions")]
    assert [row.user_id for row in session.scalars(select(LoginSession))] == [boss.id]
    assert user.id not in session.scalars(select(ApiToken.user_id)).all()
    page = soup(testapp.get(page_of(user)))
    assert page.find("form", action=f"{page_of(user)}revoke-tokens/") is None
    assert page.find("form", action=f"{page_of(user)}end-sessions/") is None


def test_one_token_is_revoked_where_it_is_shown(testapp, boss, session):
    user, _other = fill(session, 2)
    number = session.scalars(select(ApiToken.id).where(ApiToken.user_id == user.id)).one()
    action = f"/admin/token/{number}/revoke/"
    form = form_to(testapp.get(page_of(user)), action)
    answer = form.submit(status=303, headers={"Referer": f"http://localhost{page_of(user)}"})
    assert answer.location == f"http://localhost{page_of(user)}"
    assert acts(session)[0] == ("Boss", "revoke token", "u000", {"token": ["abcd1234… Tagger", None]})
    form.submit(status=404)


def test_deleting_asks_first(testapp, boss, session):
    (user,) = fill(session)
    number = user.id
    path = f"{page_of(user)}delete/"
    testapp.get(path)
    assert session.get(User, number) is not None
    answer = submit(testapp, path)
    assert answer.location.endswith(LIST)
    session.expire_all()
    assert session.get(User, number) is None
    testapp.get(f"/admin/user/{number}/", status=404)
    lines = session.scalars(select(StaffAction).order_by(StaffAction.id.desc())).all()
    assert [(each.action, each.target, each.change) for each in lines] == [
        ("delete", f"account {number}", {}),
        ("change", f"account {number}", {}),
    ]
    assert soup(testapp.get("/admin/action/")).find("a", href=f"/admin/user/{number}/") is None


def test_the_sites_own_account_stays(testapp, boss, session):
    path = f"/admin/user/{SYSTEM_USER_ID}/"
    assert soup(testapp.get(path)).find("a", href=f"{path}delete/") is None
    assert field_errors(submit(testapp, f"{path}delete/", status=422)) == {
        "": "This account cannot be deleted."
    }
    form = form_to(testapp.get(path), path)
    form["is_active"] = False
    assert field_errors(form.submit(status=422)) == {"is_active": "This account is always active."}
