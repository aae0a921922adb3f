"""The number of objects of each of the nine kinds is kept."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "1d7f4b2a8c63"
down_revision = "9e3b5c7f1a20"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "counts" / "functions.sql"
KINDS = ("arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe")


def upgrade():
    op.add_column("version", sa.Column("number", sa.BigInteger(), nullable=True))
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})
    for kind in KINDS:
        for event, name in (("INSERT", "NEW"), ("DELETE", "OLD")):
            op.execute(
                f"CREATE TRIGGER {kind}_counted_{event.lower()} AFTER {event} ON {kind}"
                f" REFERENCING {name} TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION count_objects()"
            )
        op.execute(
            f"INSERT INTO version (kind, number) SELECT '{kind}', count(*) FROM {kind}"
            " ON CONFLICT (kind) DO UPDATE SET number = excluded.number"
        )


def downgrade():
    for kind in KINDS:
        op.execute(f"DROP TRIGGER {kind}_counted_insert ON {kind}")
        op.execute(f"DROP TRIGGER {kind}_counted_delete ON {kind}")
    op.execute("DROP FUNCTION count_objects")
    op.drop_column("version", "number")
