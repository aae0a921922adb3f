"""Acts on many objects are done in pieces after the request that asks for them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "6a1e9d40c7b5"
down_revision = "7a2c9e41f6d8"
branch_labels = None
depends_on = None


def upgrade():
    """Give the table another key and other columns; merges and deletions that were interrupted stay."""
    op.drop_constraint("pk_unfinished_act", "unfinished_act", type_="primary")
    op.execute("ALTER TABLE unfinished_act ADD COLUMN id serial NOT NULL")
    for column in (
        sa.Column("act", sa.String(length=20), nullable=False, server_default="delete"),
        sa.Column("ids", postgresql.ARRAY(sa.Integer()), nullable=False, server_default="{}"),
        sa.Column("arguments", postgresql.JSONB(), nullable=False, server_default="{}"),
        sa.Column("result", postgresql.JSONB(), nullable=False, server_default="{}"),
    ):
        op.add_column("unfinished_act", column)
    op.execute(
        "UPDATE unfinished_act SET ids = ARRAY[object_id],"
        " act = CASE WHEN survivor_id IS NULL THEN 'delete' ELSE 'merge' END,"
        " arguments = CASE WHEN survivor_id IS NULL THEN jsonb_build_object('audited', audited)"
        " ELSE jsonb_build_object('survivor', survivor_id) END"
    )
    op.alter_column("unfinished_act", "act", server_default=None)
    op.alter_column("unfinished_act", "ids", server_default=None)
    op.create_primary_key("pk_unfinished_act", "unfinished_act", ["id"])
    for column in ("object_id", "survivor_id", "audited"):
        op.drop_column("unfinished_act", column)


def downgrade():
    """Keep merges and deletions of single objects; other acts are given up."""
    op.execute("DELETE FROM unfinished_act WHERE act NOT IN ('delete', 'merge') OR cardinality(ids) <> 1")
    op.drop_constraint("pk_unfinished_act", "unfinished_act", type_="primary")
    op.add_column("unfinished_act", sa.Column("object_id", sa.Integer(), nullable=True))
    op.add_column("unfinished_act", sa.Column("survivor_id", sa.Integer(), nullable=True))
    op.add_column("unfinished_act", sa.Column("audited", sa.Boolean(), nullable=True))
    op.execute(
        "UPDATE unfinished_act SET object_id = ids[1], survivor_id = (arguments ->> 'survivor')::integer,"
        " audited = act = 'merge' OR coalesce((arguments ->> 'audited')::boolean, false)"
    )
    op.execute(
        "DELETE FROM unfinished_act a USING unfinished_act b"
        " WHERE (a.kind, a.object_id) = (b.kind, b.object_id) AND a.id < b.id"
    )
    op.alter_column("unfinished_act", "object_id", nullable=False)
    op.alter_column("unfinished_act", "audited", nullable=False)
    for column in ("id", "act", "ids", "arguments", "result"):
        op.drop_column("unfinished_act", column)
    op.create_primary_key("pk_unfinished_act", "unfinished_act", ["kind", "object_id"])
