"""The forms of reading lists: creating, changing, giving away and deleting them, and permissions."""

import pytest
import webtest
from sqlalchemy import select

from comicsdb.models import ReadingList, User
from tests.lists import make_list
from tests.web.admin.helpers import cells
from tests.web.conftest import field_errors, form_to, notice, soup, start_session
from tests.web.forms.form_helpers import checkbox_labels, log_in_as, open_form, picture, submit_form, value

CREATE = "/reading-lists/create/"


def path(made, action=""):
    return f"/reading-lists/{made.slug}/{action}"


def only(session):
    session.expire_all()
    return session.scalars(select(ReadingList).order_by(ReadingList.id.desc())).first()


def test_a_list_is_made_with_a_banner_and_found_at_its_address(testapp, session, make):
    nora = log_in_as(testapp, make)
    form = open_form(testapp, CREATE)
    assert not {"attribution_source", "attribution_url"} & form.fields
    fields = {"name": " Dusk to dawn ", "list_type": "STORY", "desc": "First.\n\nSecond.", "is_private": "1"}
    answer = submit_form(form, fields | {"image": picture(size=(160, 52))})
    made = only(session)
    assert answer.location == f"http://localhost{path(made)}"
    assert notice(answer.follow()) == "Dusk to dawn was created. Now add issues to it."
    assert (made.user_id, made.name, made.list_type) == (nora.id, "Dusk to dawn", "STORY")
    assert made.is_private
    assert "dusk" not in made.slug
    assert (made.image_width, made.image.split("/")[0]) == (160, "reading_list")
    page = testapp.get(path(made))
    assert soup(page).select_one(".banner-large img")["width"] == "1600"
    assert [each.get_text() for each in soup(page).select(".summary p")] == ["First.", "Second."]
    assert soup(page).select_one(".empty .button-pop")["href"] == path(made, "add-issue/")


def test_a_list_that_becomes_public_gets_a_readable_address(testapp, session, make):
    nora = log_in_as(testapp, make)
    made = make_list(session, nora, name="Dusk to dawn", is_private=True)
    hidden = path(made)
    answer = submit_form(open_form(testapp, path(made, "update/")), {"is_private": ""})
    assert answer.location == "http://localhost/reading-lists/dusk-to-dawn/"
    assert testapp.get(hidden, status=301).location == answer.location
    make_list(session, make.user("bob"), name="Other")
    submit_form(open_form(testapp, "/reading-lists/dusk-to-dawn/update/"), {"is_private": "1"})
    stranger = webtest.TestApp(testapp.app)
    known, unknown = (
        stranger.get(f"/reading-lists/{slug}/", status=404).text for slug in ("dusk-to-dawn", "dusk-to-dusk")
    )
    assert known.replace("dusk-to-dawn", "") == unknown.replace("dusk-to-dusk", "")


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"name": " "}, "name", "This field is required."),
        ({"name": "x" * 256}, "name", None),
        (
            {"name": "List", "list_type": "BOGUS"},
            "list_type",
            "“BOGUS” is not one of the options: choose another.",
        ),
        (
            {"name": "Taken"},
            "name",
            "Its owner already has a list with this name from the same source: choose another name.",
        ),
        (
            {"name": "List", "previous": "99999"},
            "previous",
            "Your choice no longer exists: choose another.",
        ),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(testapp, session, make, fields, field, said):
    make_list(session, log_in_as(testapp, make), name="Taken")
    before = session.query(ReadingList).count()
    page = submit_form(open_form(testapp, CREATE), {"desc": "kept", **fields}, status=422)
    assert list(field_errors(page)) == [field]
    assert said is None or field_errors(page)[field] == said
    assert value(page, "desc") == "kept"
    assert session.query(ReadingList).count() == before


def test_the_second_to_save_sees_what_the_first_changed_and_keeps_it_elsewhere(testapp, session, make):
    made = make_list(session, log_in_as(testapp, make), name="Dusk")
    first, second = (open_form(testapp, path(made, "update/")) for _ in range(2))
    assert value(first.page, "name") == "Dusk"
    submit_form(first, {"desc": "By the first.", "list_type": "STORY"})
    page = submit_form(second, {"desc": "By the second."}, status=409)
    assert "By the first." in soup(page).select_one(".differences").get_text()
    submit_form(page)
    assert (only(session).desc, only(session).list_type) == ("By the second.", "STORY")
    answer = submit_form(open_form(testapp, path(made, "update/")))
    assert notice(answer.follow()) == "Nothing to change."


def test_neighbours_are_found_set_and_taken_away(testapp, session, make):
    nora = log_in_as(testapp, make)
    made, after = make_list(session, nora, name="Dusk"), make_list(session, nora, name="Dawn chorus")
    make_list(session, make.user(), name="Dawn hidden", is_private=True)
    page = submit_form(
        open_form(testapp, path(made, "update/")),
        {"next-q": "dawn", "desc": "typed"},
        press=("find", "next"),
        status=200,
    )
    assert checkbox_labels(page, "next") == ["Dawn chorus Nora", "None"]
    assert value(page, "desc") == "typed"
    submit_form(page, {"next": str(after.id)})
    session.expire_all()
    assert (made.next_id, after.previous_id) == (after.id, made.id)
    page = testapp.get(path(after, "update/"))
    assert checkbox_labels(page, "previous", ticked=True) == ["Dusk Nora"]
    submit_form(page, {"previous": ""})
    session.expire_all()
    assert (made.next_id, after.previous_id) == (None, None)


def test_a_neighbour_that_may_not_be_seen_is_not_shown_and_not_lost(testapp, session, make):
    nora, olga = log_in_as(testapp, make), make.user("Olga")
    made, hidden = make_list(session, nora, name="Dusk"), make_list(session, olga, name="Secret")
    submit_form(open_form(testapp, path(made, "update/")), {"next": str(hidden.id)})
    hidden.is_private = True
    session.commit()
    page = testapp.get(path(made, "update/"))
    assert "Secret" not in page.text
    submit_form(page, {"desc": "changed"})
    session.expire_all()
    assert (made.desc, made.next_id) == ("changed", hidden.id)
    page = submit_form(open_form(testapp, path(made, "update/")), {"previous": str(hidden.id)}, status=422)
    assert "Secret" not in page.text


def test_only_staff_say_where_a_list_is_from(testapp, session, make):
    nora = log_in_as(testapp, make)
    made = make_list(session, nora, name="Dusk")
    submit_form(open_form(testapp, path(made, "update/")), {"attribution_source": "CBRO", "desc": "x"})
    session.expire_all()
    assert made.attribution_source == ""
    testapp.reset()
    log_in_as(testapp, make, "Sam", is_staff=True)
    form = open_form(testapp, CREATE)
    wrong = {"name": "Dusk", "attribution_source": "CBRO", "attribution_url": "javascript:alert(1)"}
    assert list(field_errors(submit_form(form, wrong, status=422))) == ["attribution_url"]
    submit_form(form, wrong | {"attribution_url": "https://orders.example/dusk"})
    page = testapp.get(path(only(session)))
    link = soup(page).select_one('.facts a[target="_blank"]')
    assert (link["href"], link["rel"]) == ("https://orders.example/dusk", ["noopener", "noreferrer"])
    assert link.get_text(" ", strip=True) == "Comic Book Reading Orders (opens in a new tab)"


def test_others_may_look_and_not_touch(testapp, session, make, world):
    made = make_list(session, make.user(), [world.first], name="Dusk")
    for name, values in (("Nora", {}), ("Sam", {"is_staff": True}), ("Sue", {"is_superuser": True})):
        testapp.reset()
        log_in_as(testapp, make, name, **values)
        page = soup(testapp.get(path(made)))
        assert page.select(".item-acts a") == []
        for action in ("update/", "delete/", "add-issue/", "add-from-series/", "add-from-arc/"):
            assert page.select(f'a[href="{path(made, action)}"]') == []
            testapp.get(path(made, action), status=403)
        token = form_to(testapp.get("/accounts/"), "/accounts/logout/")["csrf_token"].value
        testapp.post(path(made, "delete/"), {"csrf_token": token}, status=403)
        testapp.get(path(made, "assign-to-official/"), status=403 if name == "Nora" else 200)
    assert only(session).id == made.id


def test_a_list_is_deleted_after_a_question(testapp, session, make, world):
    made = make_list(session, log_in_as(testapp, make), [world.first], name="Dusk")
    address = path(made)
    page = testapp.get(path(made, "delete/"))
    assert "1 issue" in soup(page).select_one(".lead").get_text()
    assert only(session) is not None
    answer = form_to(page, path(made, "delete/")).submit(status=303)
    assert answer.location.endswith("/reading-lists/my-lists/")
    assert notice(answer.follow()) == "Dusk was deleted."
    assert only(session) is None
    testapp.get(address, status=404)


@pytest.mark.parametrize("word", ["assign-to-official", "assign-to-metron"])
def test_a_list_is_given_to_the_official_account_for_good(testapp, session, make, word):
    official, olga = make.user("Metron"), make.user("Olga")
    made = make_list(session, olga, name="Dusk")
    lea = log_in_as(testapp, make, "Lea", groups=("reading list editor",))
    assert soup(testapp.get(path(made))).select_one(f'a[href="{path(made, "assign-to-official/")}"]')
    page = testapp.get(path(made, f"{word}/"))
    assert "cannot be undone" in soup(page).select_one(".lead").get_text()
    session.expire_all()
    assert made.user_id == olga.id
    page = form_to(page, path(made, f"{word}/")).submit(status=303).follow()
    assert notice(page) == "The list now belongs to Metron."
    session.expire_all()
    assert made.user_id == official.id
    # Now she can edit it, like everyone in her group, and it cannot be given away again.
    assert testapp.get(path(made, "update/")).status_int == 200
    again = form_to(testapp.get(path(made, f"{word}/")), path(made, f"{word}/")).submit(status=422)
    assert "already belongs to Metron" in again.text
    assert session.get(User, lea.id) is not None
    log_in_as(testapp, make, "Boss", is_staff=True, is_superuser=True)
    (line,) = cells(testapp.get("/admin/action/"))
    assert line[1:] == ["Lea", "Made official", "Reading list Dusk", "Owner: Olga → then Metron"]
    testapp.reset()
    log_in_as(testapp, make, "Nora")
    testapp.get(path(made, "update/"), status=403)


def test_somebody_who_is_not_logged_in_is_asked_to(testapp, session, make, member):
    made = make_list(session, make.user(), name="Dusk")
    for address in (CREATE, path(made, "update/"), "/reading-lists/my-lists/"):
        assert "/accounts/login/?next=" in testapp.get(address, status=303).location
    start_session(testapp, member)
    assert testapp.get(CREATE).status_int == 200


def test_autocomplete_finds_the_lists_one_may_see_and_no_others(testapp, session, make):
    nora, olga = log_in_as(testapp, make), make.user("Olga")
    mine = make_list(session, nora, name="Long dusk", is_private=True)
    other = make_list(session, olga, name="Dusk chorus")
    make_list(session, olga, name="Dusk secret", is_private=True)
    found = testapp.get("/autocomplete/reading_list/items?q=dusk").json
    assert found == {
        "results": [
            {"id": other.id, "text": "Dusk chorus", "note": "Olga"},
            {"id": mine.id, "text": "Long dusk", "note": "Nora"},
        ],
        "total": 2,
    }
    testapp.reset()
    testapp.get("/autocomplete/reading_list/items?q=dusk", status=204)
