"""Rows of credit_role always have the issue and the creator of their credit."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

CREATORS = "SELECT DISTINCT r.creator_id, c.creator_id FROM credit_role r JOIN credit c ON c.id = r.credit_id"


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


def test_the_catalogue_need_not_know_of_it(make, session, credit):
    credit_id, issue, _ = credit
    writer, editor = make.role("Writer").id, make.role("Editor").id
    assert rows(session) == sorted([(credit_id, writer, issue), (credit_id, editor, issue)])


def test_another_issue_than_the_credits_cannot_be_written(session, credit):
    credit_id, issue, other = credit
    session.execute(
        text("INSERT INTO credit_role (credit_id, role_id, issue_id) VALUES (:credit, 9, :other)"),
        {"credit": credit_id, "other": other},
    )
    assert (credit_id, 9, issue) in rows(session)
    with pytest.raises(IntegrityError, match="fk_credit_role_credit_id_issue_id_creator_id_credit"):
        session.execute(text("UPDATE credit_role SET issue_id = :other"), {"other": other})


def test_another_creator_than_the_credits_cannot_be_written(session, credit):
    with pytest.raises(IntegrityError, match="fk_credit_role_credit_id_issue_id_creator_id_credit"):
        session.execute(text("UPDATE credit_role SET creator_id = creator_id + 1"))


def test_a_credit_of_another_creator_takes_its_roles_along(make, session, credit):
    other = make.creator().id
    session.execute(text("UPDATE credit SET creator_id = :other"), {"other": other})
    assert session.execute(text(CREATORS)).all() == [(other, other)]


def test_a_credit_that_is_not_there_has_no_roles(session):
    with pytest.raises(IntegrityError):
        session.execute(text("INSERT INTO credit_role (credit_id, role_id) VALUES (999, 1)"))


def test_a_credit_that_moves_takes_its_roles_along(session, credit):
    credit_id, _, other = credit
    session.execute(text("UPDATE credit SET issue_id = :other"), {"other": other})
    assert {row[2] for row in rows(session)} == {other}
    session.execute(text("UPDATE credit SET id = :new"), {"new": credit_id + 1})
    assert {(row[0], row[2]) for row in rows(session)} == {(credit_id + 1, other)}


@pytest.mark.parametrize("gone", ["issue", "credit", "creator"])
def test_they_go_with_what_they_hang_on(session, credit, gone):
    session.execute(text(f"DELETE FROM {gone}"))
    assert rows(session) == []
