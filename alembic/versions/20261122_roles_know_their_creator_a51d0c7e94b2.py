"""A credit's roles know their creator: the column, filled by the trigger that fills `issue_id`.

Must not lock a table for long, and must leave the running code of the version before it working: it never
names the column.
"""

import sqlalchemy as sa
from alembic import op

revision = "a51d0c7e94b2"
down_revision = "8d3b60f1c7a5"
branch_labels = None
depends_on = None

FUNCTION = """
CREATE OR REPLACE FUNCTION fill_credit_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT {columns} INTO {new} FROM credit WHERE id = NEW.credit_id;
    RETURN NEW;
END
$$
"""


def upgrade():
    op.add_column("credit_role", sa.Column("creator_id", sa.Integer(), nullable=True))
    op.execute(
        FUNCTION.format(columns="issue_id, creator_id", new="NEW.issue_id, NEW.creator_id"),
    )


def downgrade():
    op.execute(FUNCTION.format(columns="issue_id", new="NEW.issue_id"))
    op.drop_column("credit_role", "creator_id")
