"""The issues of a reading list: adding them one by one or from series and arcs, order, types, removal."""

from datetime import date

import pytest

from comicsdb.library.reading_lists import figures
from comicsdb.library.reading_lists.items import minimum_moves
from comicsdb.models import Arc
from comicsdb_web.pages.reading_lists.items import apply_positions
from tests.conftest import record_statements
from tests.lists import create_issues, make_list
from tests.web.conftest import field_errors, form_to, notice, soup
from tests.web.forms.form_helpers import (
    back,
    checkbox_labels,
    end_sessions,
    open_form,
    submit_form,
    value,
)


def path(made, action=""):
    return f"/reading-lists/{made.slug}/{action}"


@pytest.fixture
def run(make):
    """Issues 1 to 6 of a series; 4 to 6 belong to an arc."""
    series, arc = make.series(name="Long Run"), make.arc(name="The Tail")
    return [
        make.issue(
            series=series,
            number=str(n),
            cover_date=date(2020, n, 1),
            arcs=[arc] if n > 3 else [],
        )
        for n in range(1, 7)
    ]


def numbers(session, made):
    """The numbers of the issues in order, as one string; their positions must have no gaps."""
    session.expire_all()
    rows = session.scalars(figures.items(made.id)).all()
    assert [row.order for row in rows] == list(range(1, len(rows) + 1))
    return "".join(row.issue.number for row in rows)


def rows_of(session, made):
    return {row.issue.number: row for row in session.scalars(figures.items(made.id)).all()}


def at(issue):
    return f"position-{issue.id}"


@pytest.mark.parametrize(
    ("moved", "after", "moves"),
    [
        ({}, [1, 2, 3, 4], 0),
        ({4: 1}, [4, 1, 2, 3], 1),
        ({1: 3}, [2, 3, 1, 4], 1),
        ({1: 99}, [2, 3, 4, 1], 1),
        ({3: 1, 4: 1}, [3, 4, 1, 2], 2),
        ({1: 2, 2: 1}, [2, 1, 3, 4], 1),
        ({1: 4, 2: 1, 3: 2, 4: 3}, [2, 3, 4, 1], 1),
        ({1: 4, 2: 3, 3: 2, 4: 1}, [4, 3, 2, 1], 3),
        ({9: 1}, [1, 2, 3, 4], 0),
    ],
)
def test_what_was_given_a_position_gets_it_and_the_others_make_room(moved, after, moves):
    assert apply_positions([1, 2, 3, 4], moved) == after
    assert minimum_moves([1, 2, 3, 4], after) == moves


def test_issues_are_found_chosen_and_added_at_the_end_in_one_save(testapp, session, nora, run):
    made = make_list(session, nora, run[:2])
    form = open_form(testapp, path(made, "add-issue/"))
    typed = {"issues-q": "long run", at(run[0]): "2"}
    page = submit_form(form, typed, press=("find", "issues"), status=200)
    assert len(checkbox_labels(page, "issues")) == 6
    assert value(page, at(run[0])) == "2"  # the search keeps what was typed
    assert numbers(session, made) == "12"
    answer = submit_form(page, {"issues": [str(run[4].id), str(run[2].id), str(run[1].id), "999999", "x"]})
    assert answer.location == f"http://localhost{path(made, 'add-issue/')}"
    assert numbers(session, made) == "2153"
    assert notice(answer.follow()) == "2 issues were added. 1 was moved. 3 were skipped."


def test_numbers_and_arrows_bring_issues_into_order_and_types_stay(testapp, session, nora, run):
    made = make_list(session, nora, run[:5])
    rows = rows_of(session, made)
    form = open_form(testapp, path(made, "add-issue/"))
    answer = submit_form(form, {at(run[4]): "1", at(run[0]): "4"})
    assert numbers(session, made) == "52314"
    assert notice(answer.follow()) == "0 issues were added. 2 were moved. 0 were skipped."
    answer = submit_form(open_form(testapp, path(made, "add-issue/")), press=("down", str(rows["2"].id)))
    assert answer.location.endswith(f"/add-issue/#row-{rows['2'].id}")
    assert numbers(session, made) == "53214"
    submit_form(open_form(testapp, path(made, "add-issue/")), press=("up", str(rows["4"].id)))
    assert numbers(session, made) == "53241"
    submit_form(open_form(testapp, path(made, "add-issue/")), press=("up", str(rows["5"].id)))
    assert numbers(session, made) == "53241"
    answer = submit_form(open_form(testapp, path(made, "add-issue/")))
    assert notice(answer.follow()) == "Nothing to change."


@pytest.mark.parametrize("wrong", ["0", "x", "9" * 10])
def test_a_position_that_is_none_is_said_beside_it_and_nothing_is_saved(testapp, session, nora, run, wrong):
    made = make_list(session, nora, run[:3])
    sent = {at(run[0]): wrong, at(run[2]): "1", "issues": [str(run[5].id)]}
    page = submit_form(open_form(testapp, path(made, "add-issue/")), sent, status=422)
    assert field_errors(page) == {at(run[0]): "Enter a whole number."}
    assert (value(page, at(run[0])), value(page, at(run[2]))) == (wrong, "1")
    assert checkbox_labels(page, "issues", ticked=True) == ["Long Run (2020) #6 2020-06"]
    assert numbers(session, made) == "123"


def test_a_stale_page_moves_only_what_was_moved_on_it(testapp, session, nora, run):
    made = make_list(session, nora, run[:4])
    stale = open_form(testapp, path(made, "add-issue/"))
    submit_form(open_form(testapp, path(made, "add-issue/")), {at(run[3]): "1"})
    rows = rows_of(session, made)
    form_to(
        testapp.get(path(made, f"remove-issue/{rows['2'].id}/")), path(made, f"remove-issue/{rows['2'].id}/")
    ).submit(status=303)
    assert numbers(session, made) == "413"
    submit_form(stale, {at(run[0]): "3", at(run[1]): "1"})
    assert numbers(session, made) == "431"


def test_a_form_that_comes_back_after_log_in_is_saved_once(testapp, session, nora, run):
    made = make_list(session, nora, run[:4])
    form = open_form(testapp, path(made, "add-issue/"))
    end_sessions(session)
    target = back(testapp, submit_form(form, {at(run[3]): "1"}), nora).request.path_qs
    submit_form(open_form(testapp, path(made, "add-issue/")), {at(run[2]): "2"})  # in another tab
    assert numbers(session, made) == "1324"
    page = testapp.get(target)
    assert [value(page, at(each)) for each in run[:4]] == ["1", "3", "2", "1"]
    answer = submit_form(page)
    assert answer.location == f"http://localhost{path(made, 'add-issue/')}"
    assert numbers(session, made) == "4132"


def test_an_issue_whose_name_was_typed_is_added_when_the_form_is_saved(testapp, session, nora, run):
    made = make_list(session, nora, run[:1])
    submit_form(open_form(testapp, path(made, "add-issue/")), {"issues-q": "Long Run (2020) #3"})
    assert numbers(session, made) == "13"
    page = submit_form(open_form(testapp, path(made, "add-issue/")), {"issues-q": "long run"}, status=422)
    assert set(field_errors(page)) == {"issues"}
    submit_form(open_form(testapp, path(made, "add-from-series/")), {"series-q": "Long Run (2020)"})
    assert numbers(session, made) == "132456"


def test_a_page_of_fifty_moves_issues_across_its_end(testapp, session, make, nora):
    issues = create_issues(session, make.series(), 52)
    made = make_list(session, nora, issues)
    address = path(made, "add-issue/?page=2")
    page = testapp.get(address)
    assert len(soup(page).select(".order-row")) == 2
    rows = rows_of(session, made)
    answer = submit_form(open_form(testapp, address), press=("up", str(rows["51"].id)))
    assert answer.location.endswith(f"/add-issue/#row-{rows['51'].id}")
    session.expire_all()
    assert (rows["51"].order, rows["50"].order) == (50, 51)
    submit_form(open_form(testapp, address), {at(issues[51]): "1"})
    session.expire_all()
    assert (rows["52"].order, rows["1"].order) == (1, 2)
    testapp.get(path(made, "add-issue/?page=3"), status=404)


def test_a_series_comes_in_whole_or_in_part_at_either_end(testapp, session, nora, run):
    made, address = make_list(session, nora, [run[3]]), "add-from-series/"
    series = {"series": str(run[0].series_id)}
    form = open_form(testapp, path(made, address))
    for fields, said in (
        ({}, {"series": "Choose one."}),
        (series | {"which": "range"}, {"first": "Enter the first or the last issue, or choose all."}),
        (
            series | {"which": "range", "first": "5", "last": "2"},
            {"last": "Issue 2 comes before issue 5: give the earlier one first."},
        ),
        (
            series | {"which": "range", "first": "77"},
            {"first": "This series has no issue with the number 77."},
        ),
        (
            series | {"last": "2"},
            {"which": "Choose “From one number to another”, or leave the numbers blank."},
        ),
        (series | {"at": "middle"}, {"at": "“middle” is not one of the options: choose another."}),
        ({"series": "999999"}, {"series": "Your choice no longer exists: choose another."}),
    ):
        page = submit_form(form, fields, status=422)
        assert field_errors(page) == said, fields
        assert numbers(session, made) == "4"
    answer = submit_form(form, series | {"which": "range", "first": "2", "last": "5", "at": "beginning"})
    assert notice(answer.follow()) == "3 issues were added. 0 were moved. 1 was skipped."
    assert numbers(session, made) == "2354"
    submit_form(form, series)
    assert numbers(session, made) == "235416"


def test_an_arc_comes_in_by_cover_date_and_the_form_can_be_filled_by_address(
    testapp, session, nora, run, make
):
    made = make_list(session, nora, [run[0]])
    arc = session.query(Arc).one()
    form = open_form(testapp, path(made, f"add-from-arc/?arc={arc.id}"))
    assert checkbox_labels(form.page, "arc", ticked=True) == ["The Tail"]
    submit_form(form, {"at": "beginning"})
    assert numbers(session, made) == "4561"
    answer = submit_form(form)
    assert notice(answer.follow()) == "0 issues were added. 0 were moved. 3 were skipped."


def test_the_type_of_an_issue_is_changed_in_its_line_or_on_a_page(testapp, session, nora, run):
    made = make_list(session, nora, run[:2])
    item = rows_of(session, made)["2"]
    page = testapp.get(path(made))
    link = soup(page).select_one(f"#item-type-{item.id} a")
    fragment = testapp.get(link["href"], headers={"X-Fragment": "1"})
    assert soup(fragment).select_one("template")["data-target"] == f"item-type-{item.id}"
    form = form_to(testapp.get(link["href"]), path(made, f"item/{item.id}/update-type/"))
    assert [each[0] for each in form["issue_type"].options] == ["", "PROLOGUE", "CORE", "TIE_IN", "EPILOGUE"]
    sent = {"csrf_token": form["csrf_token"].value, "issue_type": "TIE_IN"}
    answer = testapp.post(form.action, sent, headers={"X-Fragment": "1"})
    assert "Tie-In" in answer.text
    session.expire_all()
    assert item.issue_type == "TIE_IN"
    answer = testapp.post(form.action, sent | {"issue_type": "CORE"}, status=303)
    assert answer.location.endswith(f"{path(made)}#item-{item.id}")
    testapp.post(form.action, sent | {"issue_type": "BOGUS"}, status=422)
    testapp.post(form.action, sent | {"issue_type": "BOGUS"}, headers={"X-Fragment": "1"}, status=422)
    session.expire_all()
    assert item.issue_type == "CORE"
    answer = testapp.get(path(made, f"item/{item.id}/cancel-edit-type/"), headers={"X-Fragment": "1"})
    assert "Core Issue" in answer.text
    testapp.get(path(made, f"item/{item.id}/cancel-edit-type/"), status=303)
    testapp.get(path(made, f"item/{item.id}/update-type/"), status=405)


def test_an_issue_is_taken_out_after_a_question_and_only_out_of_its_own_list(testapp, session, nora, run):
    made, other = make_list(session, nora, run[:3]), make_list(session, nora, run[:1])
    item, foreign = rows_of(session, made)["2"], rows_of(session, other)["1"]
    page = testapp.get(path(made, f"remove-issue/{item.id}/"))
    assert "number 2 in" in soup(page).select_one(".lead").get_text()
    assert numbers(session, made) == "123"
    answer = form_to(page, path(made, f"remove-issue/{item.id}/")).submit(status=303)
    assert notice(answer.follow()) == f"{run[1].label} was removed from the list."
    assert numbers(session, made) == "13"
    for action in (
        f"remove-issue/{foreign.id}/",
        f"item/{foreign.id}/edit-type/",
        "remove-issue/99999999999999/",
    ):
        testapp.get(path(made, action), status=404)
    assert numbers(session, other) == "1"


def test_an_issue_says_which_lists_it_is_in_and_comes_into_ones_own(testapp, session, make, nora, run):
    olga = make.user("Olga")
    make_list(session, olga, [run[0]], name="Seen")
    hidden = make_list(session, olga, [run[0]], name="Hidden", is_private=True)
    foreign = make_list(session, olga, name="Not mine")
    mine = make_list(session, nora, name="Mine", is_private=True)
    issue = f"/issue/{run[0].slug}/"
    page = testapp.get(issue)
    assert [each.get_text() for each in soup(page).select(".in-lists a")] == ["Seen"]
    form = form_to(page, f"{issue}add-to-list/")
    assert [each[2] for each in form["list"].options] == ["Mine"]
    assert notice(form.submit(status=303).follow()) == "It was added to Mine."
    assert numbers(session, mine) == "1"
    assert notice(form.submit(status=303).follow()) == "It is already in Mine."
    sent = {"csrf_token": form["csrf_token"].value}
    for slug, status in ((hidden.slug, 404), (foreign.slug, 403), ("", 404), ("\0", 404)):
        testapp.post(f"{issue}add-to-list/", sent | {"list": slug}, status=status)
    assert numbers(session, foreign) == ""
    testapp.reset()
    assert "Seen" not in testapp.get(issue).text  # pages cached for all visitors must not depend on lists


def test_ordering_costs_the_same_however_long_the_list_is(testapp, session, make, nora, run, connection):
    made = make_list(session, nora, run[:3])

    def cost(first, last):
        form = open_form(testapp, path(made, "add-issue/"))
        with record_statements(connection) as statements:
            testapp.get(path(made, "add-issue/"))
        with record_statements(connection) as more:
            submit_form(form, {at(first): "1", at(last): "3"})
        return len(statements), len(more)

    few = cost(run[2], run[0])
    issues = create_issues(session, make.series(), 30)
    submit_form(open_form(testapp, path(made, "add-issue/")), {"issues": [str(each.id) for each in issues]})
    assert cost(run[0], run[2]) == few
