"""Issues whose cover date is not known, or only its month or year."""

import sqlalchemy as sa
from alembic import op

revision = "6c2d8f1b4e73"
down_revision = "a4c81f60d7e3"
branch_labels = None
depends_on = None

FIGURES = """
    CREATE OR REPLACE TRIGGER issue_figures_update AFTER UPDATE OF {columns} ON issue FOR EACH ROW
    WHEN ((OLD.series_id, OLD.cover_date) IS DISTINCT FROM (NEW.series_id, NEW.cover_date))
    EXECUTE FUNCTION issue_moved()"""


def upgrade():
    op.execute("SET LOCAL lock_timeout = '2s'")
    known = sa.Column("cover_date_precision", sa.String(5), server_default="day", nullable=False)
    op.add_column("issue", known)
    op.execute(
        "ALTER TABLE issue ADD CONSTRAINT ck_issue_cover_date_precision_choice"
        " CHECK (cover_date_precision IN ('day', 'month', 'year', 'none')) NOT VALID"
    )
    op.execute("""
        CREATE FUNCTION place_undated_issue() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.cover_date_precision := 'none';
            NEW.cover_date := coalesce(NEW.store_date, make_date(
                greatest((SELECT s.year_began::integer FROM series s WHERE s.id = NEW.series_id), 1900), 1, 1));
            RETURN NEW;
        END
        $$""")
    op.execute("""
        CREATE TRIGGER issue_undated BEFORE INSERT OR UPDATE ON issue FOR EACH ROW
        WHEN (NEW.cover_date IS NULL OR NEW.cover_date_precision = 'none')
        EXECUTE FUNCTION place_undated_issue()""")
    op.execute("""
        CREATE FUNCTION place_undated_issues() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE issue SET cover_date = NULL
            WHERE series_id = NEW.id AND cover_date_precision = 'none' AND store_date IS NULL;
            RETURN NULL;
        END
        $$""")
    op.execute("""
        CREATE TRIGGER series_undated AFTER UPDATE OF year_began ON series FOR EACH ROW
        WHEN (OLD.year_began <> NEW.year_began) EXECUTE FUNCTION place_undated_issues()""")
    op.execute(FIGURES.format(columns="series_id, cover_date, cover_date_precision, store_date"))
    with op.get_context().autocommit_block():  # reads all rows, and nobody waits for that
        op.execute("ALTER TABLE issue VALIDATE CONSTRAINT ck_issue_cover_date_precision_choice")


def downgrade():
    op.execute(FIGURES.format(columns="series_id, cover_date"))
    op.execute("DROP TRIGGER series_undated ON series")
    op.execute("DROP TRIGGER issue_undated ON issue")
    op.execute("DROP FUNCTION place_undated_issues, place_undated_issue")
    op.drop_column("issue", "cover_date_precision")
