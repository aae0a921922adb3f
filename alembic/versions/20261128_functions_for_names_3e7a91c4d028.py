"""Functions that compare names without articles, signs and spaces, and by one typing error.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

from pathlib import Path

from alembic import op

revision = "3e7a91c4d028"
down_revision = "8c4e7b2f9d35"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions" / "search_names.sql"


def upgrade():
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})


def downgrade():
    op.execute("DROP FUNCTION near_keys, key_pattern, name_key, name_words, plain_words")
