"""Groups whose members may delete objects of some kinds on the site.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "5d0e7c2ab914"
down_revision = "b3c1d1f0a7e2"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column(
        "user_group",
        sa.Column("may_delete", postgresql.ARRAY(sa.String(40)), server_default="{}", nullable=False),
    )


def downgrade():
    op.drop_column("user_group", "may_delete")
