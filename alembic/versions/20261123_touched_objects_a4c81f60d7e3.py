"""The objects whose public rows change are noted, whatever changes them."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "a4c81f60d7e3"
down_revision = "4e1b7c9a5d30"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "touched" / "functions.sql"
KINDS = (
    *("age_rating", "genre", "role", "series_type"),
    *("arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"),
)
WATCHED = {
    **dict.fromkeys(KINDS, "touch_objects"),
    "variant": "touch_issues",
    "tombstone": "touch_named_objects",
    "former_slug": "touch_named_objects",
}
ROWS = {
    "insert": "NEW TABLE AS changed",
    "update": "NEW TABLE AS changed OLD TABLE AS was",
    "delete": "OLD TABLE AS changed",
}


def upgrade():
    op.create_table(
        "touched_object",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "xid",
            sa.BigInteger(),
            server_default=sa.text("pg_current_xact_id()::text::bigint"),
            nullable=False,
        ),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("ids", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_touched_object")),
    )
    op.create_index("ix_touched_object_xid", "touched_object", ["xid", "id"])
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})
    for table, function in WATCHED.items():
        for event, rows in ROWS.items():
            op.execute(
                f"CREATE TRIGGER {table}_touched_{event} AFTER {event.upper()} ON {table}"
                f" REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
            )


def downgrade():
    for table in WATCHED:
        for event in ROWS:
            op.execute(f"DROP TRIGGER {table}_touched_{event} ON {table}")
    for name in ("touch_named_objects()", "touch_issues()", "touch_objects()", "touch(text, integer[])"):
        op.execute(f"DROP FUNCTION {name}")
    op.drop_table("touched_object")
