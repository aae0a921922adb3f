"""The database: engine, sessions, and `request.dbsession` tied to the request's transaction."""

import psycopg
import zope.sqlalchemy
from psycopg.errors import ForeignKeyViolation
from pyramid_retry import mark_error_retryable
from sqlalchemy import Engine, engine_from_config, event
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session, sessionmaker
from zope.sqlalchemy.datamanager import STATUS_CHANGED

from comicsdb import embedded
from comicsdb.catalog import unit

# Classes of SQLSTATE: no connection, no resources (disk, connections), an operator's doing (a shutdown).
AWAY = ("08", "53", "57P")


def is_away(error: BaseException) -> bool:
    """Whether an error says that the database cannot be used now; nothing is wrong with the request then."""
    if isinstance(error, NoConnectionFree):
        return True
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate.startswith(AWAY)


def make_engine(settings: dict) -> Engine:
    """An engine from the `sqlalchemy.` settings; an `embedded:` address starts or joins our own server."""
    configured = {**settings, "sqlalchemy.url": embedded.resolve(settings["sqlalchemy.url"])}
    configured.setdefault("sqlalchemy.pool_pre_ping", "true")
    if settings.get("comicsdb.database.pooled"):  # each transaction may meet another connection
        return engine_from_config(configured, "sqlalchemy.", connect_args={"prepare_threshold": None})
    engine = engine_from_config(configured, "sqlalchemy.")
    event.listen(engine, "connect", _settle)
    return engine


def _settle(driver: psycopg.Connection, _record) -> None:
    """Compile nothing: that takes longer than the dearest of our statements."""
    driver.autocommit = True  # a rollback would take a setting back
    driver.execute("SET jit = off")
    driver.autocommit = False


def session_factory(bind) -> sessionmaker[Session]:
    """Sessions whose every write is recorded by the catalogue (`catalog.unit`)."""
    factory = sessionmaker(bind=bind, expire_on_commit=False)
    unit.watch(factory)
    return factory


def retry_what_vanished(engine: Engine) -> None:
    """Let a request be tried again that refers to a row which was deleted since it looked.

    The next attempt does not find it: it answers as if it had come a moment later. An account that is deleted
    after it was recognised is such a row; there is nobody logged in then.
    """
    mark_error_retryable(NoResultFound)  # of `get_one`

    @event.listens_for(engine, "handle_error")
    def mark(context) -> None:
        if isinstance(context.original_exception, ForeignKeyViolation):
            mark_error_retryable(context.sqlalchemy_exception)


def _dbsession(request) -> Session:
    session = request.registry["comicsdb.session_factory"]()
    # Committed even where nothing was flushed: set-based statements pass the session's own bookkeeping by,
    # and psycopg forgets the statements it prepared at every rollback.
    zope.sqlalchemy.register(session, STATUS_CHANGED, request.tm)
    session.info["media"] = request.media  # where the catalogue removes pictures that nothing names any more
    return session


def includeme(config):
    """Open the engine once; a session is opened on first use and closed with the transaction."""
    engine = make_engine(config.get_settings())
    retry_what_vanished(engine)
    config.registry["comicsdb.engine"] = engine
    config.registry["comicsdb.session_factory"] = session_factory(engine)
    config.add_request_method(_dbsession, "dbsession", reify=True)
