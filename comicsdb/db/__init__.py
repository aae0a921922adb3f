"""The database: engine, sessions, and `request.dbsession` tied to the request's transaction."""

import logging

import psycopg
import zope.sqlalchemy
from psycopg.errors import ForeignKeyViolation
from pyramid_retry import mark_error_retryable
from sqlalchemy import Engine, engine_from_config, event
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session, sessionmaker
from zope.sqlalchemy.datamanager import STATUS_CHANGED

from comicsdb.catalog import unit_of_work
from comicsdb.db import dev_cluster
from comicsdb.ops.logs import OutageLog

log = logging.getLogger(__name__)
DATABASE_OUTAGE = OutageLog(log)
# Classes of SQLSTATE: no connection, no resources (disk, connections), an operator's doing (a shutdown).
AWAY = ("08", "53", "57P")
# What ends by our own limits, of statements, of waiting for a lock, and of idling in a transaction.
TIMED_OUT = frozenset({"57014", "55P03", "25P03"})
# Settings of ours, in seconds, and those of PostgreSQL that they become.
TIMEOUTS = {
    "comicsdb.database.statement_timeout": "statement_timeout",
    "comicsdb.database.lock_timeout": "lock_timeout",
    "comicsdb.database.idle_timeout": "idle_in_transaction_session_timeout",
}


def timed_out(error: BaseException) -> bool:
    """Whether a statement or transaction was ended because it took longer than the settings allow."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, psycopg.Error) and cause.sqlstate in TIMED_OUT


def is_away(error: BaseException) -> bool:
    """Whether an error says that the database cannot be used now; nothing is wrong with the request then."""
    if isinstance(error, NoConnectionFree) or timed_out(error):
        return True
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate.startswith(AWAY)


def make_engine(settings: dict, *, limited: bool = False) -> Engine:
    """An engine from the `sqlalchemy.` settings; an `embedded:` address starts or joins our own server.

    With `limited`, as for requests, what takes longer than the settings allow is ended by PostgreSQL.
    """
    configured = {**settings, "sqlalchemy.url": dev_cluster.resolve(settings["sqlalchemy.url"])}
    configured.setdefault("sqlalchemy.pool_pre_ping", "true")
    values = timeouts(settings) if limited else {}
    if settings.get("comicsdb.database.pooled"):  # each transaction may meet another connection
        engine = engine_from_config(configured, "sqlalchemy.", connect_args={"prepare_threshold": None})
        if values:
            limit = set_config(values, local=True)
            event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(limit))
        return engine
    engine = engine_from_config(configured, "sqlalchemy.")
    settle = set_config({"jit": "off"} | values)  # compiling takes longer than the dearest of our statements
    event.listen(engine, "connect", lambda driver, _record: _settle(driver, settle))
    return engine


def timeouts(settings: dict) -> dict[str, str]:
    """PostgreSQL's settings that end what takes too long; 0 is no limit."""
    return {theirs: f"{settings[ours]}s" for ours, theirs in TIMEOUTS.items()}


def set_config(values: dict[str, str], *, local: bool = False) -> str:
    """A statement that sets settings of PostgreSQL's, for the connection or (`local`) the transaction."""
    calls = (f"set_config('{name}', '{value}', {str(local).lower()})" for name, value in values.items())
    return f"SELECT {', '.join(calls)}"


def _settle(driver: psycopg.Connection, statement: str) -> None:
    driver.autocommit = True  # a rollback would take a setting back
    driver.execute(statement)
    driver.autocommit = False


def session_factory(bind) -> sessionmaker[Session]:
    """Sessions whose every write is recorded by the catalogue (`catalog.unit`)."""
    factory = sessionmaker(bind=bind, expire_on_commit=False)
    unit_of_work.watch(factory)
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
    session.info["today"] = request.today
    session.info["media"] = request.media  # where the catalogue removes pictures that nothing names any more
    return session


def includeme(config):
    """Open the engine once; a session is opened on first use and closed with the transaction."""
    engine = make_engine(config.get_settings(), limited=True)
    retry_what_vanished(engine)
    config.registry["comicsdb.engine"] = engine
    config.registry["comicsdb.session_factory"] = session_factory(engine)
    config.add_request_method(_dbsession, "dbsession", reify=True)
