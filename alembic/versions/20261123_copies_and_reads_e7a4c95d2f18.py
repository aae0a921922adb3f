"""Reads belong to an account and an issue, and an issue may be owned in several copies, of variants too."""

import sqlalchemy as sa
from alembic import op

revision = "e7a4c95d2f18"
down_revision = "6a1e9d40c7b5"
branch_labels = None
depends_on = None

# Items repeat whether and when their issue was read, for filters and order.
FUNCTIONS = """
CREATE FUNCTION collection_item_is_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) > 0, max(read_on) INTO NEW.is_read, NEW.date_read
    FROM read_date WHERE user_id = NEW.user_id AND issue_id = NEW.issue_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER collection_item_is_read BEFORE INSERT OR UPDATE OF user_id, issue_id ON collection_item
    FOR EACH ROW EXECUTE FUNCTION collection_item_is_read();

-- An item shows the reads of its issue, so it changes with them.
CREATE FUNCTION read_date_moves_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE collection_item item
    SET is_read = reads.number > 0,
        date_read = reads.latest,
        modified_before = item.modified,
        modified = greatest(clock_timestamp(), item.modified + interval '1 microsecond')
    FROM (
        SELECT changed.user_id, changed.issue_id, count(r.id) AS number, max(r.read_on) AS latest
        FROM (SELECT DISTINCT user_id, issue_id FROM touched) changed
        LEFT JOIN read_date r ON r.user_id = changed.user_id AND r.issue_id = changed.issue_id
        GROUP BY changed.user_id, changed.issue_id
    ) reads
    WHERE item.user_id = reads.user_id AND item.issue_id = reads.issue_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER read_date_moves_items_delete AFTER DELETE ON read_date
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();
CREATE TRIGGER read_date_moves_items_insert AFTER INSERT ON read_date
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();
CREATE TRIGGER read_date_moves_items_update AFTER UPDATE ON read_date
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION read_date_moves_items();
"""
TABLES = ("collection_item", "wish_list_item")


def upgrade():
    op.drop_constraint("uq_collection_item_user_id_issue_id", "collection_item", type_="unique")
    op.create_index("ix_collection_item_user_id_issue_id", "collection_item", ["user_id", "issue_id"])
    for table in TABLES:
        op.add_column(table, sa.Column("variant_id", sa.Integer(), nullable=True))
        op.create_foreign_key(
            op.f(f"fk_{table}_variant_id_variant"),
            table,
            "variant",
            ["variant_id"],
            ["id"],
            ondelete="SET NULL",
        )
        op.create_index(f"ix_{table}_variant_id", table, ["variant_id"])
    op.drop_constraint(op.f("ck_collection_item_read_on_a_date"), "collection_item", type_="check")
    op.create_check_constraint(
        op.f("ck_collection_item_read_on_a_date"), "collection_item", "is_read OR date_read IS NULL"
    )
    op.add_column("read_date", sa.Column("user_id", sa.Integer(), nullable=True))
    op.add_column("read_date", sa.Column("issue_id", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE read_date SET user_id = item.user_id, issue_id = item.issue_id"
        " FROM collection_item item WHERE item.id = read_date.collection_item_id"
    )
    op.drop_column("read_date", "collection_item_id")  # with its index and key
    op.alter_column("read_date", "read_date", new_column_name="read_on", nullable=True, server_default=None)
    for column, table in (("user_id", "user_account"), ("issue_id", "issue")):
        op.alter_column("read_date", column, nullable=False)
        op.create_foreign_key(
            op.f(f"fk_read_date_{column}_{table}"), "read_date", table, [column], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_read_date_user_id_issue_id_read_on", "read_date", ["user_id", "issue_id", "read_on"])
    op.create_index("ix_read_date_user_id_read_on", "read_date", ["user_id", "read_on"])
    op.create_index("ix_read_date_issue_id", "read_date", ["issue_id"])
    op.get_bind().exec_driver_sql(FUNCTIONS, execution_options={"no_parameters": True})


def downgrade():
    """Go back to one item for each issue, the first; reads without an item or a date are lost."""
    op.execute("DROP FUNCTION collection_item_is_read() CASCADE")
    op.execute("DROP FUNCTION read_date_moves_items() CASCADE")
    op.execute(
        "DELETE FROM collection_item item USING collection_item first WHERE first.user_id = item.user_id"
        " AND first.issue_id = item.issue_id AND first.id < item.id"
    )
    op.execute("DELETE FROM read_date WHERE read_on IS NULL")
    op.add_column("read_date", sa.Column("collection_item_id", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE read_date SET collection_item_id = item.id FROM collection_item item"
        " WHERE item.user_id = read_date.user_id AND item.issue_id = read_date.issue_id"
    )
    op.execute("DELETE FROM read_date WHERE collection_item_id IS NULL")
    op.execute("UPDATE collection_item SET is_read = date_read IS NOT NULL")
    for column in ("user_id", "issue_id"):
        op.drop_column("read_date", column)  # with its indexes and key
    op.alter_column(
        "read_date",
        "read_on",
        new_column_name="read_date",
        nullable=False,
        server_default=sa.text("clock_timestamp()"),
    )
    op.alter_column("read_date", "collection_item_id", nullable=False)
    op.create_foreign_key(
        op.f("fk_read_date_collection_item_id_collection_item"),
        "read_date",
        "collection_item",
        ["collection_item_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(
        "ix_read_date_collection_item_id_read_date", "read_date", ["collection_item_id", "read_date"]
    )
    op.drop_constraint(op.f("ck_collection_item_read_on_a_date"), "collection_item", type_="check")
    op.create_check_constraint(
        op.f("ck_collection_item_read_on_a_date"), "collection_item", "is_read = (date_read IS NOT NULL)"
    )
    for table in TABLES:
        op.drop_column(table, "variant_id")  # with its index and key
    op.drop_index("ix_collection_item_user_id_issue_id", "collection_item")
    op.create_unique_constraint(
        "uq_collection_item_user_id_issue_id", "collection_item", ["user_id", "issue_id"]
    )
