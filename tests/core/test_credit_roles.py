"""The issue and creator that a credit's roles carry along: always those of the credit."""

import pytest
from alembic import command
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

from comicsdb.scripts.database import alembic_config, upgrade

BEFORE, WITH_TRIGGER, WITH_CREATORS = "4616d63e090d", "4f1c84088895", "a51d0c7e94b2"
CREATORS = "SELECT DISTINCT r.creator_id, c.creator_id FROM credit_role r JOIN credit c ON c.id = r.credit_id"


def rows(connection) -> list[tuple]:
    """(credit, role, issue) of all roles."""
    found = connection.execute(text("SELECT credit_id, role_id, issue_id FROM credit_role ORDER BY 1, 2"))
    return [tuple(row) for row in found]


@pytest.fixture
def credit(make, session):
    """(id, issue, another issue) of a credit as writer and editor."""
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


CREDITED = """
INSERT INTO publisher (id, slug, name) VALUES (1, 'p', 'P');
INSERT INTO series (id, slug, name, sort_name, volume, year_began, series_type_id, publisher_id)
VALUES (1, 's', 'S', 'S', 1, 2020, 13, 1);
INSERT INTO issue (id, slug, series_id, number, cover_date)
SELECT n, 'i' || n, 1, n::text, '2020-01-01' FROM generate_series(1, 3) n;
INSERT INTO creator (id, slug, name) VALUES (1, 'c', 'C'), (2, 'd', 'D'), (3, 'e', 'E');
INSERT INTO credit (id, issue_id, creator_id) SELECT 10 * n, n, 1 FROM generate_series(1, 3) n;
INSERT INTO credit_role (credit_id, role_id) VALUES (10, 1), (10, 2), (20, 1)
"""


def test_migrations_fill_it_for_roles_of_before_and_of_meanwhile(cluster):
    cluster.ensure_database("roles")
    engine = create_engine(cluster.url("roles"))
    with engine.connect() as connection:
        command.upgrade(alembic_config(connection), BEFORE)
        connection.execute(text(CREDITED))
        connection.commit()
        command.upgrade(alembic_config(connection), WITH_TRIGGER)
        # The version of the code before this one is still running.
        connection.execute(text("INSERT INTO credit_role (credit_id, role_id) VALUES (30, 1)"))
        connection.commit()
        command.upgrade(alembic_config(connection), WITH_CREATORS)
        connection.execute(text("UPDATE credit SET creator_id = 2 WHERE id = 30"))
        connection.execute(text("INSERT INTO credit_role (credit_id, role_id) VALUES (30, 2)"))
        connection.execute(text("UPDATE credit SET creator_id = 3 WHERE id = 30"))
        connection.commit()
    upgrade(engine)
    with engine.connect() as connection:
        assert rows(connection) == [(10, 1, 1), (10, 2, 1), (20, 1, 2), (30, 1, 3), (30, 2, 3)]
        assert sorted(connection.execute(text(CREATORS)).all()) == [(1, 1), (3, 3)]
        connection.rollback()
        command.downgrade(alembic_config(connection), BEFORE)
        assert connection.scalar(text("SELECT count(*) FROM credit_role")) == 5
    engine.dispose()
    cluster.drop_database("roles")
