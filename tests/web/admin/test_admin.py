"""All pages of the administration: access, markup, links, secrets, and the statements that they cost."""

import re

import pytest
from sqlalchemy import func, select

from comicsdb.models import Announcement, Creator, Group, OutgoingMail, Poll, Review, StaffAction, User
from tests.conftest import record_statements
from tests.web.admin.helpers import SECRET_TOKEN, column, fill, log_in_as
from tests.web.attacks.attempts import path_of, routes_of_the_site
from tests.web.conftest import soup

# Statements of each page, however much it shows; one of them identifies the account.
COSTS = {
    "/admin/": 9,  # two of them only on a cache miss
    "/admin/user/": 5,
    "/admin/user/add/": 1,
    "/admin/user/#/": 10,
    "/admin/user/#/password/": 3,
    "/admin/user/#/delete/": 3,
    "/admin/group/": 3,
    "/admin/group/#/": 4,
    "/admin/token/": 3,
    "/admin/donation/": 3,
    "/admin/throttle/": 3,
    "/admin/notice/": 3,
    "/admin/action/": 3,
    "/admin/catalogue/": 2,
    "/admin/creator/": 3,
    "/admin/creator/add/": 2,
    "/admin/creator/#/": 5,
    "/admin/creator/#/delete/": 5,
    "/admin/advice/": 3,
    "/admin/merge/": 1,
    "/admin/merge/creator/": 1,
    "/admin/move/": 1,
    "/admin/announcement/": 3,
    "/admin/announcement/add/": 1,
    "/admin/announcement/#/": 2,
    "/admin/announcement/#/delete/": 2,
    "/admin/poll/": 3,
    "/admin/poll/add/": 1,
    "/admin/poll/#/": 4,
    "/admin/poll/#/votes/": 5,
    "/admin/advice/duplicates/": 3,
    "/admin/review/": 3,
    "/admin/review/#/": 6,
    "/admin/sign-ups/": 2,
    "/admin/mail/": 3,
}


@pytest.fixture
def boss(testapp, make):
    """A superuser, logged in."""
    return log_in_as(testapp, make, is_staff=True, is_superuser=True)


def admin_routes(wsgi):
    """The routes below /admin/, with their methods."""
    return [each for each in routes_of_the_site(wsgi) if each[0].pattern.startswith("/admin/")]


@pytest.fixture
def paths(wsgi, session, make):
    """`paths()`: the address of each GET page by its pattern, for the newest object."""
    make.creator(name="Ada <i>x</i>")
    session.add(Review(user_id=make.user().id, issue_id=make.issue().id, text="<i>x</i>"))
    session.commit()

    def found():
        ids = {
            "user": session.scalar(select(func.max(User.id))),
            "creator": session.scalar(select(func.max(Creator.id))),
            "announcement": session.scalar(select(func.max(Announcement.id))),
            "poll": session.scalar(select(func.max(Poll.id))),
            "review": session.scalar(select(func.max(Review.id))),
            "group": session.scalar(select(Group.id).where(Group.name == "editor")),
        }
        result = {}
        for route, methods in admin_routes(wsgi):
            if "GET" in methods and route.name != "admin.catalog.history":  # redirects to the site
                pattern = re.sub(r"\{id:[^}]*\}", "#", re.sub(r"\{kind:[^}]*\}", "creator", route.pattern))
                result[pattern] = pattern.replace("#", str(ids.get(pattern.split("/")[2])))
        return result

    return found


def test_strangers_are_led_to_the_log_in_form_and_back(wsgi, testapp, make, session, paths):
    fill(session)
    for path in paths().values():
        answer = testapp.get(f"{path}?q=1", status=303)
        assert answer.location.endswith(f"/accounts/login/?next={path.replace('/', '%2F')}%3Fq%3D1")
    for route, methods in admin_routes(wsgi):
        if "POST" in methods:
            assert "/accounts/login/" in testapp.post(path_of(route), status=303).location


def test_other_accounts_see_that_there_is_nothing(wsgi, testapp, make, paths, session, connection):
    log_in_as(testapp, make, "Nora", groups=("editor", "reading list editor"))
    fill(session)
    for path in paths().values():
        answer = testapp.get(path, status=404)
        assert answer.headers["Cache-Control"] == "no-store"
        assert soup(answer).h1.get_text() == soup(testapp.get("/no-such-page/", status=404)).h1.get_text()
    for route, methods in admin_routes(wsgi):
        if "POST" in methods:
            with record_statements(connection) as statements:
                testapp.post(path_of(route), {"csrf_token": "x"}, status=404)
            assert not [each for each in statements if each.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert "/admin/" not in {each["href"] for each in soup(testapp.get("/")).header.find_all("a")}


@pytest.mark.parametrize("values", [{"is_staff": True}, {"is_superuser": True}])
def test_the_staff_gets_in_by_the_menu(testapp, make, paths, session, values):
    log_in_as(testapp, make, **values)
    fill(session)
    assert [each["href"] for each in soup(testapp.get("/")).header.find_all("a")].count("/admin/") == 2
    for pattern, path in paths().items():
        refused = pattern == "/admin/creator/#/delete/" and "is_superuser" not in values
        testapp.get(path, status=403 if refused else 200)


def test_rights_that_were_taken_end_at_once(testapp, boss, session):
    testapp.get("/admin/", status=200)
    boss.is_staff = boss.is_superuser = False
    session.commit()
    testapp.get("/admin/", status=404)


def test_every_page_is_whole_and_nobody_keeps_it(testapp, boss, make, session, paths):
    fill(session, 51)
    for pattern, path in paths().items():
        answer = testapp.get(path, status=200)
        page = soup(answer)
        assert answer.headers["Cache-Control"] == "no-store", path
        assert page.find("meta", attrs={"name": "robots"})["content"] == "noindex", path
        assert len(page.find_all("h1")) == 1, path
        assert len(answer.body) < 160_000, f"{path}: {len(answer.body)} bytes"
        ids = [each["id"] for each in page.find_all(id=True)]
        assert len(ids) == len(set(ids)), f"{path}: {sorted(each for each in ids if ids.count(each) > 1)}"
        labelled = {each["for"] for each in page.find_all("label")}
        assert labelled <= set(ids), path
        for control in page.main.select("input:not([type=hidden]), select, textarea"):
            assert control["id"] in labelled, f"{path}: {control}"
        for owner in page.find_all(attrs={"aria-labelledby": True}):
            assert owner["aria-labelledby"] in ids, path
        for table in page.find_all("table"):
            assert table.caption.get_text(strip=True), path
            assert {each["scope"] for each in table.thead.find_all("th")} == {"col"}, path
            assert all(row.th["scope"] == "row" for row in table.tbody.find_all("tr")), path
        assert not [
            each for each in page.find_all(True) for name in each.attrs if name in {"style", "onclick"}
        ]
        assert page.main.find("a", attrs={"aria-current": True}) is not None, path
        assert "<i>x</i>" not in page.main.decode_contents().replace("&lt;i&gt;", ""), pattern


def test_no_link_is_dead(testapp, boss, make, session, paths):
    fill(session, 2)
    links = set()
    for path in paths().values():
        links |= {each["href"] for each in soup(testapp.get(path)).main.find_all("a")}
    assert len(links) > 30
    for link in sorted(each for each in links if each.startswith("/")):
        testapp.get(link, status="2*")


def test_no_page_shows_a_secret(testapp, boss, make, session, paths):
    users = fill(session)
    session.commit()
    secrets = [SECRET_TOKEN, "abcd1234e", "secret-link", users[0].password]
    secrets += session.connection().exec_driver_sql("SELECT digest FROM api_token").scalars()
    secrets += session.connection().exec_driver_sql("SELECT form_key FROM api_token").scalars()
    secrets += session.connection().exec_driver_sql("SELECT digest FROM login_session").scalars()
    for path in paths().values():
        text = testapp.get(path).text
        assert not [each for each in secrets if each in text], path
    assert column(testapp.get("/admin/token/?q=abcd1234"))  # the part that is shown can be searched for
    assert not column(testapp.get("/admin/token/?q=abcd1234extra"))  # and the rest cannot


def test_each_page_costs_the_same_for_many_and_few(testapp, boss, make, session, paths, connection):
    def costs():
        found = {}
        testapp.app.registry["comicsdb.cache"].clear()
        for pattern, path in paths().items():
            with record_statements(connection) as statements:
                testapp.get(path, status=200)
            found[pattern] = len(statements)
        return found

    fill(session, 1)
    assert costs() == COSTS
    fill(session, 30, "v")
    assert costs() == COSTS


def test_the_overview_tells_what_needs_hands(testapp, boss, make, session):
    def needs():
        items = soup(testapp.get("/admin/")).select("[aria-labelledby=hands-title] .need")
        return {
            each.span.get_text(): (each.strong.get_text(), "need-urgent" in each["class"]) for each in items
        }

    before = {
        "Reported reviews": ("0", False),
        "Abandoned e-mails": ("0", False),
        "E-mails to retry": ("0", False),
        "Programs that keep sending after a refusal": ("0", False),
        "Accounts not activated": ("0", False),
        "E-mails waiting": ("0", False),
    }
    assert needs() == before
    fill(session, 3)
    make.user("new", is_active=False)
    make.user("off", is_active=False, email_confirmed=True)
    session.scalars(select(OutgoingMail)).first().next_attempt = None
    session.commit()
    assert needs() == {
        "Reported reviews": ("0", False),
        "Abandoned e-mails": ("1", True),
        "E-mails to retry": ("2", True),
        "Programs that keep sending after a refusal": ("3", True),
        "Accounts not activated": ("1", False),
        "E-mails waiting": ("2", False),
    }
    for link in soup(testapp.get("/admin/")).select("[aria-labelledby=hands-title] .need a"):
        number = link.strong.get_text()
        assert len(column(testapp.get(link["href"]))) == int(number), link["href"]


def test_the_overview_shows_what_was_done_last(testapp, boss, make, session):
    ada = make.user("ada")
    for number in range(12):
        session.add(
            StaffAction(
                actor_id=boss.id, actor_name="Boss", action="change", kind="user", target_id=ada.id,
                target="ada", change={"bio": [str(number), str(number + 1)]},
            )
        )  # fmt: skip
        session.flush()
    session.commit()
    rows = column(testapp.get("/admin/"), 4)
    assert rows == [f"About: {number} → then {number + 1}" for number in range(11, 1, -1)]


def test_what_has_no_number_is_not_there(testapp, boss, wsgi):
    for route, methods in admin_routes(wsgi):
        for number in ("0", "2147483648", "9" * 40):
            path = re.sub(r"\{\w+:[^}]*\}", number, route.pattern)
            if "GET" in methods and path != route.pattern:
                testapp.get(path, status=404)
    testapp.get("/admin/user/x/", status=404)
    testapp.get("/admin/no-such-kind/", status=404)


def test_a_form_without_its_token_changes_nothing(wsgi, testapp, boss, connection):
    tried = 0
    for route, methods in admin_routes(wsgi):
        if "POST" in methods:
            with record_statements(connection) as statements:
                testapp.post(path_of(route), status=400)
            assert not [each for each in statements if each.startswith(("INSERT", "UPDATE", "DELETE"))]
            tried += 1
    assert tried == 24
