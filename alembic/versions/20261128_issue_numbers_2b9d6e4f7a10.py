"""Issues get a key, by which a series takes a number once, and their place in the series' order.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "2b9d6e4f7a10"
down_revision = "b61d0a7e3f52"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions" / "issue_numbers.sql"


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    for name in ("number_key", "series_order"):
        op.add_column("issue", sa.Column(name, sa.Text(collation="C")))
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})


def downgrade():
    for name in ("order_insert", "order_update", "order_delete", "keyed_insert", "keyed_update"):
        op.execute(f"DROP TRIGGER issue_{name} ON issue")
    for name in ("series_order", "number_key"):
        op.drop_column("issue", name)
    op.execute(
        "DROP FUNCTION reorder_series, reorder_changed_series, order_issues, key_issue, number_order,"
        " pad_numbers, number_key"
    )
