"""One row that every change of accounts and of the catalogue's stamps moves: a cheap question for readers.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "b3c1d1f0a7e2"
down_revision = "7a7f4d9d5980"
branch_labels = None
depends_on = None

# What decides who an account is and what it may do, by table: the event, and when it counts.
TRIGGERS = {
    "user_account": (
        "UPDATE OF username, password, is_active, is_staff, is_superuser, supporter_until, supporter_tier"
        " OR DELETE"
    ),
    "user_group": "UPDATE OF name",
    "user_group_member": "INSERT OR UPDATE OR DELETE",
    "api_token": "UPDATE OF digest, user_id, expiry OR DELETE",
}


def upgrade():
    op.create_table(
        "epoch",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_epoch_single")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epoch")),
        postgresql_with={"fillfactor": 10},
    )
    # The clock makes a value that is never met again, also where a backup is put back.
    op.execute(
        """
        CREATE FUNCTION begin_epoch() RETURNS void LANGUAGE sql AS $$
            UPDATE epoch
            SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
            WHERE xmin <> pg_current_xact_id()::xid
        $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION begin_epoch_of_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM begin_epoch();
            RETURN NULL;
        END
        $$
        """
    )
    op.execute("INSERT INTO epoch VALUES (1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)")
    for table, events in TRIGGERS.items():
        # Deferred to the commit, so that the row is the last that a transaction locks.
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {table}_epoch AFTER {events} ON {table}"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts()"
        )


def downgrade():
    for table in TRIGGERS:
        op.execute(f"DROP TRIGGER {table}_epoch ON {table}")
    op.execute("DROP FUNCTION begin_epoch_of_accounts()")
    op.execute("DROP FUNCTION begin_epoch()")
    op.drop_table("epoch")
