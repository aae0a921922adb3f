"""Public profiles with favourites, reviews with reports of them, and who follows whom.

What these tables change on cached pages begins a new epoch.
"""

import sqlalchemy as sa
from alembic import op

revision = "4d7e1c9a3b60"
down_revision = "9d4e7b1c30f5"
branch_labels = None
depends_on = None

TABLES = ("follow", "review_report", "review", "favourite", "public_profile")
WATCHED = ("public_profile", "review")


def _key(table: str, column: str, referred: str):
    return sa.ForeignKeyConstraint(
        [column], [f"{referred}.id"], name=op.f(f"fk_{table}_{column}_{referred}"), ondelete="CASCADE"
    )


def _stamp(name: str):
    now = sa.text("clock_timestamp()")
    return sa.Column(name, sa.DateTime(timezone=True), server_default=now, nullable=False)


def _off(name: str):
    return sa.Column(name, sa.Boolean(), server_default="false", nullable=False)


def upgrade():
    op.create_table(
        "public_profile",
        sa.Column("user_id", sa.Integer(), autoincrement=False, nullable=False),
        _off("is_public"),
        _off("shows_shelf"),
        _off("shows_favourites"),
        _off("shows_diary"),
        _off("shows_year"),
        _key("public_profile", "user_id", "user_account"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_public_profile")),
    )
    op.create_table(
        "favourite",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=True),
        sa.Column("series_id", sa.Integer(), nullable=True),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.CheckConstraint("num_nonnulls(issue_id, series_id) = 1", name=op.f("ck_favourite_of_one")),
        _key("favourite", "user_id", "user_account"),
        _key("favourite", "issue_id", "issue"),
        _key("favourite", "series_id", "series"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_favourite")),
        sa.UniqueConstraint("user_id", "issue_id", name="uq_favourite_user_id_issue_id"),
        sa.UniqueConstraint("user_id", "series_id", name="uq_favourite_user_id_series_id"),
    )
    op.create_index(op.f("ix_favourite_issue_id"), "favourite", ["issue_id"])
    op.create_index(op.f("ix_favourite_series_id"), "favourite", ["series_id"])
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        _off("spoils"),
        _stamp("created_on"),
        _stamp("modified"),
        sa.Column("hidden", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hidden_reason", sa.String(length=255), server_default="", nullable=False),
        _key("review", "user_id", "user_account"),
        _key("review", "issue_id", "issue"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint("issue_id", "user_id", name="uq_review_issue_id_user_id"),
    )
    op.create_index("ix_review_user_id_created_on", "review", ["user_id", "created_on"])
    op.create_table(
        "review_report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        _stamp("created_on"),
        sa.Column("settled", sa.DateTime(timezone=True), nullable=True),
        _key("review_report", "review_id", "review"),
        _key("review_report", "user_id", "user_account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_report")),
        sa.UniqueConstraint("review_id", "user_id", name="uq_review_report_review_id_user_id"),
    )
    op.create_index("ix_review_report_user_id_created_on", "review_report", ["user_id", "created_on"])
    op.create_table(
        "follow",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("follower_id", sa.Integer(), nullable=False),
        sa.Column("followed_id", sa.Integer(), nullable=False),
        _off("blocked"),
        _stamp("created_on"),
        sa.CheckConstraint("follower_id <> followed_id", name=op.f("ck_follow_another")),
        _key("follow", "follower_id", "user_account"),
        _key("follow", "followed_id", "user_account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_follow")),
        sa.UniqueConstraint("follower_id", "followed_id", name="uq_follow_follower_id_followed_id"),
    )
    op.create_index(op.f("ix_follow_followed_id"), "follow", ["followed_id"])
    for table in WATCHED:
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {table}_epoch AFTER INSERT OR UPDATE OR DELETE ON {table}"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION begin_epoch_of_accounts()"
        )


def downgrade():
    for table in TABLES:
        op.drop_table(table)
