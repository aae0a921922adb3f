"""The Alembic environment: runs migrations on the connection that `comicsdb.cli.database` passes in."""

from alembic import context
from sqlalchemy import text

from comicsdb.models import metadata

LOCK = 7_240_411  # key of the lock that keeps starting servers from migrating concurrently


def run(connection):
    """Run all pending migrations, one transaction each, on an open connection."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transaction_per_migration=True,
        compare_server_default=True,
        include_object=context.config.attributes.get("include_object"),
    )
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
    connection.commit()
    try:
        with context.begin_transaction():
            context.run_migrations()
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
        connection.commit()


run(context.config.attributes["connection"])
