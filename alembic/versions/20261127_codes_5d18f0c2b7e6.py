"""Check currencies and languages by functions, whose plans are cached, instead of by lists of codes."""

from pathlib import Path

from alembic import op
from sqlalchemy import text

revision = "5d18f0c2b7e6"
down_revision = "c7e04d1a96b3"
branch_labels = None
depends_on = None

CODES = Path(__file__).resolve().parent.parent / "baseline" / "codes.sql"
CHECKS = (
    ("issue", "currency", "is_currency"),
    ("variant", "currency", "is_currency"),
    ("collection_item", "purchase_currency", "is_currency"),
    ("wish_list_item", "max_currency", "is_currency"),
    ("series", "language", "is_language"),
)


def upgrade():
    """Create the functions and use them in the checks, unless the baseline has already created them."""
    connection = op.get_bind()
    if connection.scalar(text("SELECT to_regproc('is_currency') IS NOT NULL")):
        return
    connection.exec_driver_sql(CODES.read_text("utf-8"), execution_options={"no_parameters": True})
    for table, column, function in CHECKS:
        name = f"ck_{table}_{column}_choice"
        connection.exec_driver_sql(
            f"ALTER TABLE {table} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} CHECK ({function}({column}))"
        )


def downgrade():
    """Do nothing: the previous version also works with the functions."""
