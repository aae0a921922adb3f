"""Rewrite the SQL functions that most writes call in PL/pgSQL, which caches their plans."""

from alembic import op
from sqlalchemy import text

revision = "c7e04d1a96b3"
down_revision = "b51c9e7d3a42"
branch_labels = None
depends_on = None

FUNCTIONS = {"begin_epoch": "()", "figure_series": "(ids integer[])"}
# Returns no row if the baseline has already created the function in PL/pgSQL.
BODY = text(
    "SELECT prosrc FROM pg_proc JOIN pg_language ON pg_language.oid = prolang"
    " WHERE pronamespace = 'public'::regnamespace AND proname = :name AND lanname = 'sql'"
)


def upgrade():
    for name, parameters in FUNCTIONS.items():
        body = op.get_bind().scalar(BODY, {"name": name})
        if body is not None:
            op.get_bind().exec_driver_sql(
                f"CREATE OR REPLACE FUNCTION {name}{parameters} RETURNS void LANGUAGE plpgsql AS"
                f" $$\nBEGIN{body.rstrip()};\nEND\n$$"
            )


def downgrade():
    """Do nothing: the previous version also works with the functions."""
