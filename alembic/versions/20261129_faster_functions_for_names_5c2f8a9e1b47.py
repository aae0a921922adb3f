"""Functions for names that a search calls instead of copying them into each of its expressions.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from pathlib import Path

from alembic import op

revision = "5c2f8a9e1b47"
down_revision = "b4d7c02e9a61"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions" / "search_names.sql"


def upgrade():
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})


def downgrade():
    pass
