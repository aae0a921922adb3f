"""Rate limits are counted by functions of the database, which are in `alembic/rate_limits/`.

Counts start from zero. Processes of the version before cannot count requests until they are restarted.
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "8d2f6a419be0"
down_revision = "5b8e1f0c3d27"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "rate_limits" / "functions.sql"


def upgrade():
    op.drop_table("rate_limit")
    op.create_table(
        "rate_limit",
        sa.Column("client", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("times", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("sums", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("client", "name", name=op.f("pk_rate_limit")),
        postgresql_with={"fillfactor": 50, "toast_tuple_target": 8160},
        prefixes=["UNLOGGED"],
    )
    sql = FUNCTIONS.read_text("utf-8")
    op.get_bind().exec_driver_sql(sql, execution_options={"no_parameters": True})


def downgrade():
    op.execute("DROP FUNCTION take_limits, give_back_limit")
    op.drop_table("rate_limit")
    op.create_table(
        "rate_limit",
        sa.Column("client", sa.String(length=200), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("windows", sa.LargeBinary(), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("client", name=op.f("pk_rate_limit")),
        postgresql_with={"fillfactor": 50, "toast_tuple_target": 8160},
        prefixes=["UNLOGGED"],
    )
