"""Series keep how many issues they have, the last cover date and the average of their ratings, to be sorted by."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "2b9d5f8e3a71"
down_revision = "5a9c2e7f41d0"
branch_labels = None
depends_on = None

FUNCTIONS = Path(__file__).resolve().parent.parent / "counts" / "series.sql"
AVERAGE = (
    "CASE WHEN rating_count > 0 THEN rating_sum::double precision / rating_count::double precision"
    " ELSE 0::double precision END"
)
FIGURES = {
    "issue_count": sa.Column("issue_count", sa.Integer(), server_default="0", nullable=False),
    "last_cover_date": sa.Column("last_cover_date", sa.Date(), server_default="0001-01-01", nullable=False),
    "rating_average": sa.Column(
        "rating_average", sa.Double(), sa.Computed(AVERAGE, persisted=True), nullable=False
    ),
}


def upgrade():
    for name, column in FIGURES.items():
        op.add_column("series", column)
        op.create_index(f"ix_series_{name}", "series", [name, "id"])
    op.get_bind().exec_driver_sql(FUNCTIONS.read_text("utf-8"), execution_options={"no_parameters": True})
    for event, name in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER issue_figures_{event.lower()} AFTER {event} ON issue"
            f" REFERENCING {name} TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION issues_came_or_went()"
        )
    op.execute(
        "CREATE TRIGGER issue_figures_update AFTER UPDATE OF series_id, cover_date ON issue FOR EACH ROW"
        " WHEN ((OLD.series_id, OLD.cover_date) IS DISTINCT FROM (NEW.series_id, NEW.cover_date))"
        " EXECUTE FUNCTION issue_moved()"
    )
    op.execute("SELECT figure_series(array_agg(id)) FROM series")


def downgrade():
    for event in ("insert", "delete", "update"):
        op.execute(f"DROP TRIGGER issue_figures_{event} ON issue")
    for name in ("issue_moved", "issues_came_or_went", "figure_series"):
        op.execute(f"DROP FUNCTION {name}")
    for name in FIGURES:
        op.drop_column("series", name)
