"""Who is credited in many issues is read from one index of the roles; the key keeps their creator true.

Must not lock a table for long, and must leave the running code of the version before it working. Each step is
a transaction of its own and may be done again: rows are filled some thousands at a time, keys are checked and
indexes made while everybody goes on.
"""

from alembic import op
from sqlalchemy import text

revision = "e27b94f0a6d3"
down_revision = "a51d0c7e94b2"
branch_labels = None
depends_on = None

STEP = 10_000
INDEX = "ix_credit_role_issue_id_role_id"
KEY, BEFORE = ["id", "issue_id", "creator_id"], ["id", "issue_id"]
FILL = """
UPDATE credit_role r SET creator_id = c.creator_id FROM credit c
WHERE c.id = r.credit_id AND r.creator_id IS DISTINCT FROM c.creator_id
    AND r.credit_id > :after AND r.credit_id <= :last
"""


def upgrade():
    with op.get_context().autocommit_block():
        _key(KEY)  # first: from here on nothing that changes a credit leaves its roles behind
        last = op.get_bind().scalar(text("SELECT coalesce(max(id), 0) FROM credit"))
        for after in range(0, last, STEP):
            op.get_bind().execute(text(FILL), {"after": after, "last": after + STEP})
        _check(KEY)
        op.execute("ALTER TABLE credit_role DROP CONSTRAINT IF EXISTS ck_credit_role_creator")
        op.execute(
            "ALTER TABLE credit_role"
            " ADD CONSTRAINT ck_credit_role_creator CHECK (creator_id IS NOT NULL) NOT VALID"
        )
        op.execute("ALTER TABLE credit_role VALIDATE CONSTRAINT ck_credit_role_creator")
        op.alter_column("credit_role", "creator_id", nullable=False)  # the check spares it a look at all rows
        op.execute("ALTER TABLE credit_role DROP CONSTRAINT ck_credit_role_creator")
        op.drop_index(INDEX, "credit_role", postgresql_concurrently=True, if_exists=True)
        op.create_index(
            INDEX,
            "credit_role",
            ["issue_id", "role_id"],
            postgresql_include=["creator_id"],
            postgresql_concurrently=True,
        )
        _no_key(BEFORE)


def downgrade():
    with op.get_context().autocommit_block():
        _key(BEFORE)
        _check(BEFORE)
        op.drop_index(INDEX, "credit_role", postgresql_concurrently=True, if_exists=True)
        op.alter_column("credit_role", "creator_id", nullable=True)
        _no_key(KEY)


def _key(columns: list[str]) -> None:
    """Make credit_role refer to these columns of its credit; rows of before are not looked at."""
    unique, key, own = _names(columns)
    op.execute(f"ALTER TABLE credit_role DROP CONSTRAINT IF EXISTS {key}")
    op.execute(f"ALTER TABLE credit DROP CONSTRAINT IF EXISTS {unique}")
    op.drop_index(unique, "credit", postgresql_concurrently=True, if_exists=True)
    op.create_index(unique, "credit", columns, unique=True, postgresql_concurrently=True)
    op.execute(f"ALTER TABLE credit ADD CONSTRAINT {unique} UNIQUE USING INDEX {unique}")
    op.execute(
        f"ALTER TABLE credit_role ADD CONSTRAINT {key} FOREIGN KEY ({own})"
        f" REFERENCES credit ({', '.join(columns)}) ON DELETE CASCADE ON UPDATE CASCADE NOT VALID"
    )


def _check(columns: list[str]) -> None:
    op.execute(f"ALTER TABLE credit_role VALIDATE CONSTRAINT {_names(columns)[1]}")


def _no_key(columns: list[str]) -> None:
    unique, key, _ = _names(columns)
    op.execute(f"ALTER TABLE credit_role DROP CONSTRAINT IF EXISTS {key}")
    op.execute(f"ALTER TABLE credit DROP CONSTRAINT IF EXISTS {unique}")


def _names(columns: list[str]) -> tuple[str, str, str]:
    """Of the constraint that makes columns of a credit unique, of the key that refers to it, its columns."""
    own = ["credit_id", *columns[1:]]
    return f"uq_credit_{'_'.join(columns)}", f"fk_credit_role_{'_'.join(own)}_credit", ", ".join(own)
