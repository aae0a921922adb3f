"""What readers keep: collections, pull, wish and reading lists, and the triggers that keep their figures.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "56eeae035b7f"
down_revision = "2b7f90c4e6a1"
branch_labels = None
depends_on = None

# Whose stamps move when rows of a table come, change or go, in whatever way they do: (table, owner).
OWNED = (
    ("pull_list_series", "pull_list"),
    ("wish_list_item", "wish_list"),
    ("reading_list_item", "reading_list"),
)
EVENTS = {
    "INSERT": "REFERENCING NEW TABLE AS touched",
    "UPDATE": "REFERENCING NEW TABLE AS touched",
    "DELETE": "REFERENCING OLD TABLE AS touched",
}
MOVED = (
    "modified_before = modified, modified = greatest(clock_timestamp(), modified + interval '1 microsecond')"
)
RATED = "rated_before = rated, rated = greatest(clock_timestamp(), rated + interval '1 microsecond')"


def each_event(table: str, name: str, function: str) -> None:
    """A trigger for each event, called once per statement."""
    for event, tables in EVENTS.items():
        op.execute(
            f"CREATE TRIGGER {name}_{event.lower()} AFTER {event} ON {table} {tables}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        )


def move_owners() -> None:
    """Owners of rows that change get a new stamp; so do the neighbours of a reading list (M18 to M20)."""
    for table, owner in OWNED:
        ids = f"SELECT {owner}_id FROM touched"
        if owner == "reading_list":
            ids += (
                " UNION SELECT neighbour.id FROM reading_list neighbour JOIN reading_list list"
                " ON neighbour.id IN (list.previous_id, list.next_id)"
                " WHERE list.id IN (SELECT reading_list_id FROM touched)"
            )
        op.execute(
            f"""
            CREATE FUNCTION {table}_moves_owner() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM id FROM {owner} WHERE id IN ({ids}) ORDER BY id FOR UPDATE;
                UPDATE {owner} SET {MOVED} WHERE id IN ({ids});
                RETURN NULL;
            END
            $$
            """
        )
        each_event(table, f"{table}_moves_owner", f"{table}_moves_owner")


def close_gaps() -> None:
    """Positions stay 1 to n when items go, also with their issue."""
    op.execute(
        """
        CREATE FUNCTION close_reading_list_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE reading_list_item item SET "order" = dense.place
            FROM (
                SELECT id, row_number() OVER (PARTITION BY reading_list_id ORDER BY "order", id) AS place
                FROM reading_list_item
                WHERE reading_list_id IN (SELECT reading_list_id FROM touched)
            ) dense
            WHERE item.id = dense.id AND item."order" <> dense.place;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER close_reading_list_gaps AFTER DELETE ON reading_list_item"
        " REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION close_reading_list_gaps()"
    )


def keep_neighbours() -> None:
    """A list that gets or loses a neighbour has changed, also where the neighbour was deleted."""
    op.execute(
        """
        CREATE FUNCTION reading_list_has_new_neighbour() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.modified = OLD.modified AND (NEW.previous_id, NEW.next_id)
                IS DISTINCT FROM (OLD.previous_id, OLD.next_id) THEN
                NEW.modified_before := OLD.modified;
                NEW.modified := greatest(clock_timestamp(), OLD.modified + interval '1 microsecond');
            END IF;
            RETURN NEW;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER reading_list_has_new_neighbour BEFORE UPDATE ON reading_list"
        " FOR EACH ROW EXECUTE FUNCTION reading_list_has_new_neighbour()"
    )


def keep_stars() -> None:
    """The figures of a reading list follow its stars, also those that go with an account (M22)."""
    op.execute(
        f"""
        CREATE FUNCTION reading_list_is_rated() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM id FROM reading_list WHERE id IN (SELECT reading_list_id FROM touched)
            ORDER BY id FOR UPDATE;
            UPDATE reading_list list
            SET rating_count = figures.number, rating_sum = figures.total, {RATED}
            FROM (
                SELECT rated.id, count(stars.id) AS number, coalesce(sum(stars.rating), 0) AS total
                FROM reading_list rated LEFT JOIN reading_list_rating stars ON stars.reading_list_id = rated.id
                WHERE rated.id IN (SELECT reading_list_id FROM touched)
                GROUP BY rated.id
            ) figures
            WHERE list.id = figures.id;
            RETURN NULL;
        END
        $$
        """
    )
    each_event("reading_list_rating", "reading_list_is_rated", "reading_list_is_rated")


def rename_owners() -> None:
    """What shows the name of its owner has changed with the name (api.md 1.9)."""
    op.execute(
        f"""
        CREATE FUNCTION reader_is_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM id FROM reading_list WHERE user_id = NEW.id ORDER BY id FOR UPDATE;
            UPDATE reading_list SET {MOVED} WHERE user_id = NEW.id;
            UPDATE collection_item SET {MOVED} WHERE user_id = NEW.id;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER reader_is_renamed AFTER UPDATE OF username ON user_account FOR EACH ROW"
        " WHEN (OLD.username <> NEW.username) EXECUTE FUNCTION reader_is_renamed()"
    )


def upgrade():
    op.create_table(
        "feed_address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), server_default="", nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("last_used", sa.Date(), nullable=True),
        sa.Column("form_key", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_feed_address_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_address")),
        sa.UniqueConstraint("digest", name="uq_feed_address_digest"),
        sa.UniqueConstraint("form_key", name="uq_feed_address_form_key"),
    )
    op.create_index(op.f("ix_feed_address_user_id"), "feed_address", ["user_id"], unique=False)
    op.create_table(
        "pull_list",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_pull_list_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_list")),
        sa.UniqueConstraint("user_id", name="uq_pull_list_user_id"),
    )
    op.create_table(
        "reading_list",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("is_private", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("list_type", sa.String(length=10), server_default="EVENT", nullable=False),
        sa.Column("attribution_source", sa.String(length=10), server_default="", nullable=False),
        sa.Column("attribution_url", sa.String(length=200), server_default="", nullable=False),
        sa.Column("previous_id", sa.Integer(), nullable=True),
        sa.Column("next_id", sa.Integer(), nullable=True),
        sa.Column("rating_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rating_sum", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("rated", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rated_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "attribution_source IN ('', 'CBRO', 'CMRO', 'CBH', 'CBT', 'MG', 'HTLC', 'LOCG', 'OTHER')",
            name=op.f("ck_reading_list_attribution_source_choice"),
        ),
        sa.CheckConstraint(
            "list_type IN ('CREATOR', 'EVENT', 'STORY', 'CHARACTERS', 'TEAMS', 'MASTER')",
            name=op.f("ck_reading_list_list_type_choice"),
        ),
        sa.CheckConstraint("next_id <> id", name=op.f("ck_reading_list_next_not_itself")),
        sa.CheckConstraint("previous_id <> id", name=op.f("ck_reading_list_previous_not_itself")),
        sa.CheckConstraint("previous_id <> next_id", name=op.f("ck_reading_list_two_neighbours")),
        sa.ForeignKeyConstraint(
            ["next_id"],
            ["reading_list.id"],
            name=op.f("fk_reading_list_next_id_reading_list"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["previous_id"],
            ["reading_list.id"],
            name=op.f("fk_reading_list_previous_id_reading_list"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_reading_list_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading_list")),
        sa.UniqueConstraint(
            "user_id", "name", "attribution_source", name="uq_reading_list_user_id_name_attribution_source"
        ),
    )
    op.create_index(
        "ix_reading_list_folded_trgm",
        "reading_list",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_reading_list_modified", "reading_list", ["modified", "id"], unique=False)
    op.create_index(op.f("ix_reading_list_next_id"), "reading_list", ["next_id"], unique=False)
    op.create_index("ix_reading_list_order", "reading_list", ["folded", "name", "id"], unique=False)
    op.create_index(op.f("ix_reading_list_previous_id"), "reading_list", ["previous_id"], unique=False)
    op.create_index("uq_reading_list_slug", "reading_list", ["slug"], unique=True)
    op.create_table(
        "wish_list",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_wish_list_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish_list")),
        sa.UniqueConstraint("user_id", name="uq_wish_list_user_id"),
    )
    op.create_table(
        "reading_list_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reading_list_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.SmallInteger(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("rating BETWEEN 1 AND 5", name=op.f("ck_reading_list_rating_rating_range")),
        sa.ForeignKeyConstraint(
            ["reading_list_id"],
            ["reading_list.id"],
            name=op.f("fk_reading_list_rating_reading_list_id_reading_list"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_reading_list_rating_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading_list_rating")),
        sa.UniqueConstraint(
            "reading_list_id", "user_id", name="uq_reading_list_rating_reading_list_id_user_id"
        ),
    )
    op.create_index(
        "ix_reading_list_rating_user_id", "reading_list_rating", ["user_id", "reading_list_id"], unique=False
    )
    op.create_table(
        "pull_list_series",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("pull_list_id", sa.BigInteger(), nullable=False),
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column(
            "added_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["pull_list_id"],
            ["pull_list.id"],
            name=op.f("fk_pull_list_series_pull_list_id_pull_list"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["series_id"],
            ["series.id"],
            name=op.f("fk_pull_list_series_series_id_series"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_list_series")),
        sa.UniqueConstraint("pull_list_id", "series_id", name="uq_pull_list_series_pull_list_id_series_id"),
    )
    op.create_index(op.f("ix_pull_list_series_series_id"), "pull_list_series", ["series_id"], unique=False)
    op.create_table(
        "collection_item",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("quantity", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("book_format", sa.String(length=10), server_default="PRINT", nullable=False),
        sa.Column("grade", sa.Numeric(precision=3, scale=1), nullable=True),
        sa.Column("grading_company", sa.String(length=10), server_default="", nullable=False),
        sa.Column("purchase_date", sa.Date(), nullable=True),
        sa.Column("purchase_price", sa.Numeric(precision=10, scale=2), nullable=True),
        sa.Column("purchase_currency", sa.String(length=3), server_default="USD", nullable=False),
        sa.Column("purchase_store", sa.String(length=255), server_default="", nullable=False),
        sa.Column("storage_location", sa.String(length=255), server_default="", nullable=False),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column("is_read", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("date_read", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rating", sa.SmallInteger(), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "book_format IN ('PRINT', 'DIGITAL', 'BOTH')", name=op.f("ck_collection_item_book_format_choice")
        ),
        sa.CheckConstraint(
            "grading_company IN ('', 'CGC', 'CBCS', 'PGX')",
            name=op.f("ck_collection_item_grading_company_choice"),
        ),
        sa.CheckConstraint(
            "purchase_currency IN ('USD', 'GBP', 'EUR', 'ITL')",
            name=op.f("ck_collection_item_purchase_currency_choice"),
        ),
        sa.CheckConstraint(
            "grade IN (10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.8, 1.5, 1.0, 0.5)",
            name=op.f("ck_collection_item_grade_scale"),
        ),
        sa.CheckConstraint(
            "is_read = (date_read IS NOT NULL)", name=op.f("ck_collection_item_read_on_a_date")
        ),
        sa.CheckConstraint(
            "purchase_price >= 0", name=op.f("ck_collection_item_purchase_price_not_negative")
        ),
        sa.CheckConstraint("quantity BETWEEN 1 AND 32767", name=op.f("ck_collection_item_quantity_range")),
        sa.CheckConstraint("rating BETWEEN 1 AND 5", name=op.f("ck_collection_item_rating_range")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_collection_item_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_collection_item_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection_item")),
        sa.UniqueConstraint("user_id", "issue_id", name="uq_collection_item_user_id_issue_id"),
    )
    op.create_index("ix_collection_item_issue_id", "collection_item", ["issue_id"], unique=False)
    op.create_index(
        "ix_collection_item_user_id_book_format", "collection_item", ["user_id", "book_format"], unique=False
    )
    op.create_index("ix_collection_item_user_id_grade", "collection_item", ["user_id", "grade"], unique=False)
    op.create_index(
        "ix_collection_item_user_id_grading_company",
        "collection_item",
        ["user_id", "grading_company"],
        unique=False,
    )
    op.create_index(
        "ix_collection_item_user_id_is_read", "collection_item", ["user_id", "is_read"], unique=False
    )
    op.create_index(
        "ix_collection_item_user_id_purchase_date",
        "collection_item",
        ["user_id", "purchase_date"],
        unique=False,
    )
    op.create_table(
        "reading_list_item",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("reading_list_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("order", sa.Integer(), nullable=False),
        sa.Column("issue_type", sa.String(length=10), server_default="", nullable=False),
        sa.Column(
            "added_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "issue_type IN ('', 'PROLOGUE', 'CORE', 'TIE_IN', 'EPILOGUE')",
            name=op.f("ck_reading_list_item_issue_type_choice"),
        ),
        sa.CheckConstraint('"order" >= 1', name=op.f("ck_reading_list_item_order_from_one")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_reading_list_item_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reading_list_id"],
            ["reading_list.id"],
            name=op.f("fk_reading_list_item_reading_list_id_reading_list"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading_list_item")),
        sa.UniqueConstraint(
            "reading_list_id", "issue_id", name="uq_reading_list_item_reading_list_id_issue_id"
        ),
        sa.UniqueConstraint(
            "reading_list_id",
            "order",
            deferrable=True,
            initially="IMMEDIATE",
            name="uq_reading_list_item_reading_list_id_order",
        ),
    )
    op.create_index("ix_reading_list_item_issue_id", "reading_list_item", ["issue_id"], unique=False)
    op.create_table(
        "wish_list_item",
        sa.Column("wish_list_id", sa.BigInteger(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=10), server_default="WANTED", nullable=False),
        sa.Column("priority", sa.SmallInteger(), server_default="3", nullable=False),
        sa.Column("desired_grade", sa.Numeric(precision=3, scale=1), nullable=True),
        sa.Column("max_price", sa.Numeric(precision=10, scale=2), nullable=True),
        sa.Column("max_currency", sa.String(length=3), server_default="USD", nullable=False),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "added_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "max_currency IN ('USD', 'GBP', 'EUR', 'ITL')", name=op.f("ck_wish_list_item_max_currency_choice")
        ),
        sa.CheckConstraint(
            "status IN ('WANTED', 'FOUND', 'ACQUIRED')", name=op.f("ck_wish_list_item_status_choice")
        ),
        sa.CheckConstraint(
            "desired_grade IN (10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.8, 1.5, 1.0, 0.5)",
            name=op.f("ck_wish_list_item_desired_grade_scale"),
        ),
        sa.CheckConstraint("max_price >= 0", name=op.f("ck_wish_list_item_max_price_not_negative")),
        sa.CheckConstraint("priority BETWEEN 1 AND 5", name=op.f("ck_wish_list_item_priority_range")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_wish_list_item_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["wish_list_id"],
            ["wish_list.id"],
            name=op.f("fk_wish_list_item_wish_list_id_wish_list"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish_list_item")),
        sa.UniqueConstraint("wish_list_id", "issue_id", name="uq_wish_list_item_wish_list_id_issue_id"),
    )
    op.create_index("ix_wish_list_item_issue_id", "wish_list_item", ["issue_id"], unique=False)
    op.create_index(
        "ix_wish_list_item_wish_list_id_priority",
        "wish_list_item",
        ["wish_list_id", "priority"],
        unique=False,
    )
    op.create_index(
        "ix_wish_list_item_wish_list_id_status", "wish_list_item", ["wish_list_id", "status"], unique=False
    )
    op.create_table(
        "read_date",
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("collection_item_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "read_date",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["collection_item_id"],
            ["collection_item.id"],
            name=op.f("fk_read_date_collection_item_id_collection_item"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_read_date")),
    )
    op.create_index(
        "ix_read_date_collection_item_id_read_date",
        "read_date",
        ["collection_item_id", "read_date"],
        unique=False,
    )
    close_gaps()
    move_owners()
    keep_neighbours()
    keep_stars()
    rename_owners()


def downgrade():
    op.execute("DROP TRIGGER reader_is_renamed ON user_account")
    for table in (
        "read_date",
        "wish_list_item",
        "reading_list_item",
        "collection_item",
        "pull_list_series",
        "reading_list_rating",
        "wish_list",
        "reading_list",
        "pull_list",
        "feed_address",
    ):
        op.drop_table(table)
    for table, _owner in OWNED:
        op.execute(f"DROP FUNCTION {table}_moves_owner()")
    functions = ("close_reading_list_gaps", "reading_list_has_new_neighbour", "reading_list_is_rated")
    for function in (*functions, "reader_is_renamed"):
        op.execute(f"DROP FUNCTION {function}()")
