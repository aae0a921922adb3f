"""A credit's roles know their issue: the column and the trigger that fills it."""

import sqlalchemy as sa
from alembic import op

revision = "4f1c84088895"
down_revision = "4616d63e090d"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column("credit_role", sa.Column("issue_id", sa.Integer(), nullable=True))
    op.execute(
        """
        CREATE FUNCTION fill_credit_role() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            SELECT issue_id INTO NEW.issue_id FROM credit WHERE id = NEW.credit_id;
            RETURN NEW;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER credit_role_fill BEFORE INSERT OR UPDATE OF credit_id ON credit_role
        FOR EACH ROW EXECUTE FUNCTION fill_credit_role()
        """
    )


def downgrade():
    op.execute("DROP TRIGGER credit_role_fill ON credit_role")
    op.execute("DROP FUNCTION fill_credit_role()")
    op.drop_column("credit_role", "issue_id")
