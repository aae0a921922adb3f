"""Rows of credit_role always have the issue and the creator of their credit."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

CREATORS = "SELECT DISTINCT r.creator_id, c.creator_id FROM credit_role r JOIN credit c ON c.id = r.credit_id"
KEY = "fk_credit_role_credit_id_issue_id_creator_id_credit"


def rows(connection) -> list[tuple]:
    """All rows of credit_role, as (credit, role, issue)."""
    found = connection.execute(text("SELECT credit_id, role_id, issue_id FROM credit_role ORDER BY 1, 2"))
    return [tuple(row) for row in found]


@pytest.fixture
def credit(make, session):
    """A credit as writer and editor: its id, its issue, and another issue."""
    issue, creator = make.issue(), make.creator()
    make.credit(issue, creator, "Writer", "Editor")
    return session.scalar(text("SELECT id FROM credit")), issue.id, make.issue().id


def test_a_row_has_the_issue_and_the_creator_of_its_credit_whatever_is_written(make, session, credit):
    credit_id, issue, other = credit
    writer, editor = make.role("Writer").id, make.role("Editor").id  # the catalog did not write the issue
    assert rows(session) == sorted([(credit_id, writer, issue), (credit_id, editor, issue)])
    session.execute(
        text("INSERT INTO credit_role (credit_id, role_id, issue_id) VALUES (:credit, 9, :other)"),
        {"credit": credit_id, "other": other},
    )
    assert (credit_id, 9, issue) in rows(session)
    for change in ("issue_id = :other", "creator_id = creator_id + 1"):
        wrong = text(f"UPDATE credit_role SET {change}")
        with pytest.raises(IntegrityError, match=KEY), session.begin_nested():
            session.execute(wrong, {"other": other} if ":other" in change else {})


def test_a_credit_that_is_not_there_has_no_roles(session):
    with pytest.raises(IntegrityError):
        session.execute(text("INSERT INTO credit_role (credit_id, role_id) VALUES (999, 1)"))


def test_a_credit_that_changes_takes_its_roles_along(make, session, credit):
    credit_id, _, other = credit
    creator = make.creator().id
    session.execute(text("UPDATE credit SET creator_id = :other"), {"other": creator})
    assert session.execute(text(CREATORS)).all() == [(creator, creator)]
    session.execute(text("UPDATE credit SET issue_id = :other"), {"other": other})
    assert {row[2] for row in rows(session)} == {other}
    session.execute(text("UPDATE credit SET id = :new"), {"new": credit_id + 1})
    assert {(row[0], row[2]) for row in rows(session)} == {(credit_id + 1, other)}


@pytest.mark.parametrize("gone", ["issue", "credit", "creator"])
def test_they_go_with_what_they_hang_on(session, credit, gone):
    session.execute(text(f"DELETE FROM {gone}"))
    assert rows(session) == []
