"""Announcements and polls hold one text a language."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "b7d05e3a9c41"
down_revision = "3f9a6d17c8e2"
branch_labels = None
depends_on = None

COLUMNS = (
    ("announcement", "titles"),
    ("announcement", "contents"),
    ("poll", "titles"),
    ("poll", "descriptions"),
    ("poll_choice", "texts"),
)


def upgrade():
    for table, name in COLUMNS:
        column = sa.Column(name, JSONB(), server_default=sa.text("'{}'"), nullable=False)
        op.add_column(table, column)


def downgrade():
    for table, name in COLUMNS:
        op.drop_column(table, name)
