"""Creating and migrating the database, for commands and tests."""

from pathlib import Path

import click
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

import comicsdb

MIGRATIONS = Path(comicsdb.__file__).parent / "migrations"


def alembic_config(connection=None) -> Config:
    """Alembic's configuration for an open connection; file names consist of date, words and revision."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "%%(year)d%%(month).2d%%(day).2d_%%(slug)s_%%(rev)s")
    config.attributes["connection"] = connection
    return config


def upgrade(engine: Engine) -> None:
    """Upgrade a database to the latest schema, if necessary.

    Raises ClickException for an unknown revision.
    """
    known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    with engine.connect() as connection:
        revision = MigrationContext.configure(connection).get_current_revision()
        if revision is not None and revision not in known:
            raise click.ClickException(
                f"This version does not know the schema of the database ({revision}): a newer version, or one"
                " from before 0.1.0, has made it. Use that version, or an empty database; for development,"
                " remove var/postgres."
            )
        connection.rollback()
        command.upgrade(alembic_config(connection), "head")


def is_current(engine: Engine) -> bool:
    """Whether the schema of a database is the latest."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == head
