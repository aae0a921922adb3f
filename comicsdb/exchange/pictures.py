"""The pictures of a set: every row gets a file of its own, as a link to the first row's where it can be."""

from psycopg import sql

from comicsdb.exchange.fields import File
from comicsdb.exchange.run import Run
from comicsdb.exchange.staging import Pictures
from comicsdb.media.storage import Batch

CHUNK = 2000


def store(run: Run, file: File, pictures: Pictures, batch: Batch) -> None:
    """Store the pictures of rows that have none in the database yet."""
    with run.cursor.connection.cursor("pictures") as rows:
        rows.itersize = CHUNK
        rows.execute(
            sql.SQL("SELECT image_path, image FROM {} WHERE image_path <> ''").format(
                sql.Identifier(file.staged)
            )
        )
        for path, key in rows:
            pictures.store(batch, path, key)
            run.report.pictures += 1
