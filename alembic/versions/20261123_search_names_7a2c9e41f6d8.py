"""Names without a leading article are indexed: suggestions while somebody types read nothing else."""

import sqlalchemy as sa
from alembic import op

revision = "7a2c9e41f6d8"
down_revision = "c41d7e92b8f6"
branch_labels = None
depends_on = None

KINDS = ("arc", "character", "creator", "imprint", "publisher", "series", "team", "universe")
FUNCTION = """
CREATE FUNCTION without_article(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT regexp_replace($1,
    '^((the|an?|il|lo|la|gli|le|i|les|der|die|das|el|los|las) +|l'' *)(?=[^ ])', '') $$
"""


def upgrade():
    op.execute(FUNCTION)
    for kind in KINDS:
        op.create_index(f"ix_{kind}_search", kind, [sa.text("without_article(folded)"), "name", "id"])


def downgrade():
    for kind in KINDS:
        op.drop_index(f"ix_{kind}_search", kind)
    op.execute("DROP FUNCTION without_article")
