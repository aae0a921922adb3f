"""What the filters of the API's lists are served by; reading goes on meanwhile.

Writing waits while the indexes are made: some seconds at 100,000 issues.
"""

import sqlalchemy as sa
from alembic import op

revision = "860b8ade6d16"
down_revision = "4f1c84088895"
branch_labels = None
depends_on = None

NUMBER = 'upper(number COLLATE "default")'
ISSUE = {
    "ix_issue_series_id_number_upper": ["series_id", sa.text(NUMBER)],
    "ix_issue_number_upper": [sa.text(NUMBER)],
    "ix_issue_sku_upper": [sa.text("upper(sku)")],
    "ix_issue_upc_upper": [sa.text("upper(upc)")],
    "ix_issue_cover_hash_upper": [sa.text("upper(cover_hash)")],
}
# Before, letters beyond ASCII were no letters in the first two.
BEFORE = {
    "ix_issue_series_id_number_upper": ["series_id", sa.text("upper(number)")],
    "ix_issue_number_upper": [sa.text("upper(number)")],
    "ix_issue_sku": ["sku"],
    "ix_issue_cover_hash": ["cover_hash"],
}
PARTS = {"publisher": "name", "imprint": "name", "universe": "designation"}


def upgrade():
    op.execute(
        "UPDATE credit_role r SET issue_id = c.issue_id FROM credit c"
        " WHERE c.id = r.credit_id AND r.issue_id IS NULL"
    )
    op.create_index("ix_credit_role_role_id_issue_id", "credit_role", ["role_id", "issue_id"])
    op.create_index("ix_credit_creator_id_issue_id", "credit", ["creator_id", "issue_id"])
    op.create_index("ix_issue_id_series_id", "issue", ["id", "series_id"])
    for table, column in PARTS.items():
        op.create_index(
            f"ix_{table}_{column}_upper_trgm",
            table,
            [sa.literal_column(f'upper({column} COLLATE "default")').label("upper")],
            postgresql_using="gin",
            postgresql_ops={"upper": "gin_trgm_ops"},
        )
    # Last, because it keeps readers out until the end of the transaction.
    op.create_unique_constraint("uq_credit_id_issue_id", "credit", ["id", "issue_id"])
    op.alter_column("credit_role", "issue_id", nullable=False)
    op.create_foreign_key(
        "fk_credit_role_credit_id_issue_id_credit",
        "credit_role",
        "credit",
        ["credit_id", "issue_id"],
        ["id", "issue_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    )
    op.drop_constraint("fk_credit_role_credit_id_credit", "credit_role")
    op.drop_index("ix_credit_role_role_id", "credit_role")
    op.drop_index("ix_credit_creator_id", "credit")
    for name in BEFORE:
        op.drop_index(name, "issue")
    for name, columns in ISSUE.items():
        op.create_index(name, "issue", columns)


def downgrade():
    for name in ISSUE:
        op.drop_index(name, "issue")
    for name, columns in BEFORE.items():
        op.create_index(name, "issue", columns)
    for table, column in PARTS.items():
        op.drop_index(f"ix_{table}_{column}_upper_trgm", table)
    op.create_index("ix_credit_creator_id", "credit", ["creator_id"])
    op.create_index("ix_credit_role_role_id", "credit_role", ["role_id", "credit_id"])
    op.create_foreign_key(
        "fk_credit_role_credit_id_credit", "credit_role", "credit", ["credit_id"], ["id"], ondelete="CASCADE"
    )
    op.drop_constraint("fk_credit_role_credit_id_issue_id_credit", "credit_role")
    op.alter_column("credit_role", "issue_id", nullable=True)
    op.drop_constraint("uq_credit_id_issue_id", "credit")
    op.drop_index("ix_issue_id_series_id", "issue")
    op.drop_index("ix_credit_creator_id_issue_id", "credit")
    op.drop_index("ix_credit_role_role_id_issue_id", "credit_role")
