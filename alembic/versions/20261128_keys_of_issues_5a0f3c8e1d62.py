"""All issues get their key and their place in the order.

A series may have a number in several spellings, such as 1 and 01. All but one of these issues get `#` and the
number as printed for a key, which no other number has: they stay, and the series takes no further ones.

Must not lock a table for long, and must leave the running code of the version before it working.
"""

import sqlalchemy as sa
from alembic import op

revision = "5a0f3c8e1d62"
down_revision = "2b9d6e4f7a10"
branch_labels = None
depends_on = None

CHUNK = 500  # series


def upgrade():
    connection = op.get_bind()
    ids = connection.execute(sa.text("SELECT id FROM series ORDER BY id")).scalars().all()
    for at in range(0, len(ids), CHUNK):
        values = {"ids": ids[at : at + CHUNK]}
        connection.execute(
            sa.text(
                "UPDATE issue i SET number_key = CASE WHEN spelled.place = 1 THEN spelled.key ELSE '#' || i.number END"
                " FROM (SELECT id, key, row_number() OVER (PARTITION BY series_id, key"
                " ORDER BY number <> key, id) AS place"
                " FROM (SELECT id, series_id, number, number_key(number) AS key FROM issue"
                " WHERE series_id = ANY(:ids)) listed) spelled WHERE spelled.id = i.id"
            ),
            values,
        )
        connection.execute(sa.text("SELECT order_issues(:ids)"), values)


def downgrade():
    pass
