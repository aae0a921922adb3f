"""Several wishes for one issue, each for another variant."""

from alembic import op

revision = "5a9c2e7f41d0"
down_revision = "4d7e1c9a3b60"
branch_labels = None
depends_on = None

TABLE = "wish_list_item"
OLD, NEW = "uq_wish_list_item_wish_list_id_issue_id", "uq_wish_list_item_wish_list_id_issue_id_variant_id"


def upgrade():
    op.create_unique_constraint(
        NEW, TABLE, ["wish_list_id", "issue_id", "variant_id"], postgresql_nulls_not_distinct=True
    )
    op.drop_constraint(OLD, TABLE, type_="unique")
    # Foreign keys could only set the variant to null where nobody wishes for the issue, too.
    op.execute("""
        CREATE FUNCTION unwish_variant() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE wish_list_item w SET variant_id = NULL WHERE variant_id = OLD.id AND NOT EXISTS (
                SELECT FROM wish_list_item o
                WHERE o.wish_list_id = w.wish_list_id AND o.issue_id = w.issue_id AND o.variant_id IS NULL
            );
            DELETE FROM wish_list_item WHERE variant_id = OLD.id;
            RETURN OLD;
        END
        $$
    """)
    op.execute(
        "CREATE TRIGGER unwish_variant BEFORE DELETE ON variant FOR EACH ROW EXECUTE FUNCTION unwish_variant()"
    )


def downgrade():
    op.execute("DROP TRIGGER unwish_variant ON variant")
    op.execute("DROP FUNCTION unwish_variant")
    op.execute(
        "DELETE FROM wish_list_item w USING wish_list_item o"
        " WHERE o.wish_list_id = w.wish_list_id AND o.issue_id = w.issue_id AND o.id < w.id"
    )
    op.create_unique_constraint(OLD, TABLE, ["wish_list_id", "issue_id"])
    op.drop_constraint(NEW, TABLE, type_="unique")
