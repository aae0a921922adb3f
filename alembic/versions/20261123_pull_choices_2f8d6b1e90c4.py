"""What is pulled of a followed series."""

import sqlalchemy as sa
from alembic import op

revision = "2f8d6b1e90c4"
down_revision = "b7d05e3a9c41"
branch_labels = None
depends_on = None

TABLE = "pull_list_series"


def upgrade():
    op.add_column(TABLE, sa.Column("pulled", sa.String(length=10), server_default="COVER", nullable=False))
    op.add_column(TABLE, sa.Column("variant_words", sa.String(length=200), server_default="", nullable=False))
    op.create_check_constraint(
        op.f("ck_pull_list_series_pulled_choice"), TABLE, "pulled IN ('ALL', 'COVER', 'VARIANTS', 'NONE')"
    )


def downgrade():
    op.drop_column(TABLE, "variant_words")
    op.drop_column(TABLE, "pulled")
