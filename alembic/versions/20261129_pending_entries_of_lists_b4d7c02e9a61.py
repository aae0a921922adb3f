"""Entries of imported reading lists whose issues are not in the catalogue stay in their lists.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "b4d7c02e9a61"
down_revision = "4d7e1b9c0a52"
branch_labels = None
depends_on = None

TABLE = "reading_list_pending"


def upgrade():
    moment = sa.DateTime(timezone=True)
    op.create_table(
        TABLE,
        sa.Column("id", sa.BigInteger(), primary_key=True),
        sa.Column(
            "reading_list_id",
            sa.Integer(),
            sa.ForeignKey("reading_list.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.String(length), nullable=False, server_default="")
            for name, length in (("series", 255), ("number", 25))
        ),
        *(sa.Column(name, sa.Integer()) for name in ("volume", "year_began", "year")),
        sa.Column("cover_date", sa.Date()),
        *(
            sa.Column(name, sa.String(length), nullable=False, server_default="")
            for name, length in (("publisher", 255), ("upc", 20), ("ids", 1000), ("issue_type", 10))
        ),
        sa.Column("added_on", moment, nullable=False, server_default=sa.text("clock_timestamp()")),
        sa.Column("tried_on", moment),
        sa.CheckConstraint('"position" >= 1', name="position_from_one"),
        *(
            sa.CheckConstraint(f"{name} BETWEEN 1500 AND 2100", name=f"{name}_range")
            for name in ("year_began", "year")
        ),
        sa.CheckConstraint(
            "issue_type IN ('', 'PROLOGUE', 'CORE', 'TIE_IN', 'EPILOGUE')", name="issue_type_choice"
        ),
    )
    op.create_index(f"ix_{TABLE}_reading_list_id", TABLE, ["reading_list_id", "position", "id"])
    op.create_index(f"ix_{TABLE}_tried_on", TABLE, [sa.text("tried_on NULLS FIRST"), "id"])
    op.execute(f"SELECT watch_library_table('{TABLE}', 'tried_on')")
    for event, rows in (("insert", "NEW"), ("delete", "OLD")):
        op.execute(
            f"CREATE TRIGGER {TABLE}_moves_owner_{event} AFTER {event.upper()} ON {TABLE}"
            f" REFERENCING {rows} TABLE AS touched FOR EACH STATEMENT"
            " EXECUTE FUNCTION reading_list_item_moves_owner()"
        )


def downgrade():
    op.drop_table(TABLE)
