"""Credits: many at a time, all or none."""

import pytest
from sqlalchemy import text

from comicsdb.models import Change, Credit, History, Version, credit_role
from tests.api.bodies import api_timestamp
from tests.api.writing import to_json

TAKEN = {"non_field_errors": ["The fields issue, creator must make a unique set."]}
CREDIT = "/api/credit/"


def credit(issue, creator, *roles):
    """An element of the body."""
    return {"issue": issue.id, "creator": creator.id, "role": list(roles)}


@pytest.fixture
def issue(make):
    """An issue without credits."""
    return make.issue()


def test_the_answer_is_in_the_order_sent(writer, make, session, issue):
    other, creators = make.issue(), [make.creator() for _ in range(3)]
    sent = [credit(other, creators[2], 2, 1, 2), credit(issue, creators[1], 3), credit(issue, creators[0], 1)]
    made = writer.post(CREDIT, json=sent)
    rows = [session.get(Credit, each["id"]) for each in made]
    assert made == [
        {"id": row.id, "modified": api_timestamp(row.modified), **given, "role": roles}
        for row, given, roles in zip(rows, sent, ([1, 2], [3], [1]), strict=True)
    ]
    assert [list(each) for each in made] == [["id", "modified", "issue", "creator", "role"]] * 3
    shown = writer.json(f"/api/issue/{other.id}/")["credits"]
    assert [(each["id"], [role["id"] for role in each["role"]]) for each in shown] == [
        (creators[2].id, [1, 2])
    ]


def test_what_follows_for_the_issue(writer, make, session, issue):
    untouched, creator = make.issue(), make.creator()
    before = {each.id: each.modified for each in (issue, untouched)}
    version = session.get(Version, "issue").value
    writer.post(CREDIT, json=[credit(issue, creator, 1)])
    session.expire_all()
    assert issue.modified > before[issue.id]
    assert untouched.modified == before[untouched.id]
    assert session.get(Version, "issue").value > version
    last = session.query(History).filter_by(kind="issue", object_id=issue.id).order_by(History.id.desc())
    assert last.first().snapshot["credits"] == [{"creator": creator.id, "roles": [1]}]
    assert last.first().user_id == issue.edited_by_id != untouched.edited_by_id
    change = session.query(Change).filter_by(kind="issue").order_by(Change.seq.desc()).first()
    assert (change.object_id, change.action, change.fields) == (issue.id, "update", ["credits"])
    tag = writer.get(f"/api/issue/{issue.id}/").headers["ETag"]
    writer.post(CREDIT, json=[credit(issue, make.creator(), 1)])
    assert writer.get(f"/api/issue/{issue.id}/").headers["ETag"] != tag


def test_all_faults_are_told_by_index_and_nothing_is_written(writer, make, session, issue):
    creator, other = make.creator(), make.creator()
    make.credit(issue, creator, "Writer")
    before = writer.json(f"/api/issue/{issue.id}/")
    sent = [
        credit(issue, creator, 2),
        credit(issue, other, 1),
        credit(issue, other, 2),
        {"issue": 999_999, "creator": 999_999, "role": [1, 99, 98]},
        {"issue": None, "creator": "x", "role": []},
        {},
        5,
        {"issue": issue.id, "creator": make.creator().id, "role": 1},
        credit(issue, make.creator(), 1),
    ]
    assert writer.post(CREDIT, 400, json=sent) == {
        "0": TAKEN,
        "2": TAKEN,
        "3": {
            "issue": ['Invalid pk "999999" - object does not exist.'],
            "creator": ['Invalid pk "999999" - object does not exist.'],
            "role": [f'Invalid pk "{each}" - object does not exist.' for each in (98, 99)],
        },
        "4": {
            "issue": ["This field may not be null."],
            "creator": ["Incorrect type. Expected pk value, received str."],
            "role": ["This list may not be empty."],
        },
        "5": {field: ["This field is required."] for field in ("issue", "creator", "role")},
        "6": {"non_field_errors": ["Invalid data. Expected a dictionary, but got int."]},
        "7": {"role": ['Expected a list of items but got type "int".']},
    }
    assert writer.post(CREDIT, 400, json=sent[:3]) == {"0": TAKEN, "2": TAKEN}
    assert writer.json(f"/api/issue/{issue.id}/") == before
    assert session.query(Credit).count() == 1


@pytest.mark.parametrize(("value", "name"), [({}, "dict"), ("a", "str"), (None, "NoneType")])
def test_a_body_is_a_list(writer, value, name):
    said = writer.raw("POST", CREDIT, 400, to_json(value), "application/json").json
    assert said == {"non_field_errors": [f'Expected a list of items but got type "{name}".']}


def test_nothing_is_made_of_an_empty_list(writer, session):
    version = session.get(Version, "issue").value
    assert writer.post(CREDIT, json=[]) == []
    assert writer.post(CREDIT, form={}) == []
    assert writer.post(CREDIT, form={"issue": 1, "creator": 1, "role": 1}) == []
    assert session.get(Version, "issue", populate_existing=True).value == version


def test_a_form_with_indexed_fields_is_a_list(writer, make, session, issue):
    one, two = make.creator(), make.creator()
    form = [
        *(("[1]issue", issue.id), ("[1]creator", one.id), ("[1]role", 1), ("[1]role", 2)),
        *(("[0]issue", issue.id), ("[0]creator", two.id), ("[0]role[0]", 3)),
    ]
    made = writer.post(CREDIT, form=form)
    assert [(each["creator"], each["role"]) for each in made] == [(two.id, [3]), (one.id, [1, 2])]
    assert writer.post(CREDIT, 400, form=[("[5]issue", issue.id)]) == {
        "0": {"creator": ["This field is required."], "role": ["This list may not be empty."]}
    }
    assert session.execute(credit_role.select()).rowcount == 3


def test_many(writer, make, session, issue):
    session.execute(
        text("INSERT INTO creator (name, slug) SELECT 'C' || n, 'c' || n FROM generate_series(1, 300) n")
    )
    session.commit()
    ids = session.scalars(text("SELECT id FROM creator ORDER BY id DESC")).all()
    made = writer.post(CREDIT, json=[{"issue": issue.id, "creator": each, "role": [1, 2]} for each in ids])
    assert [each["creator"] for each in made] == ids
