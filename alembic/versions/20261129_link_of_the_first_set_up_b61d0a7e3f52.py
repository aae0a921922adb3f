"""Sign-up settings get the digest of the link that creates the first administrator.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "b61d0a7e3f52"
down_revision = "7c41e0d95b23"
branch_labels = None
depends_on = None


def upgrade():
    op.add_column(
        "signup_settings", sa.Column("setup_digest", sa.String(64), nullable=False, server_default="")
    )


def downgrade():
    op.drop_column("signup_settings", "setup_digest")
