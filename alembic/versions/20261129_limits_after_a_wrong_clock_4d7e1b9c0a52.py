"""Events of a clock that was far ahead no longer count for rate limits.

Only replaces functions, by others that the running code of the version before can call, too.
"""

from pathlib import Path

from alembic import op

revision = "4d7e1b9c0a52"
down_revision = "3e8a5d17c2f4"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "baseline" / "rate_limits.sql"


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    functions = FUNCTIONS.read_text("utf-8").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    op.get_bind().exec_driver_sql(functions, execution_options={"no_parameters": True})


def downgrade():
    """Leave the functions, which the version before can call."""
