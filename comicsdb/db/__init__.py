"""Engine, sessions, and `request.dbsession`, which joins the request's transaction."""

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

from comicsdb.db import dev_cluster
from comicsdb.log_lines import OutageLog

log = logging.getLogger(__name__)
DATABASE_OUTAGE = OutageLog(log)
# Classes of SQLSTATE: no connection, insufficient resources (disk, connections), operator intervention.
UNAVAILABLE = ("08", "53", "57P")
# SQLSTATEs of our timeouts: of statements, lock waits, and idle transactions.
TIMED_OUT = frozenset({"57014", "55P03", "25P03"})
# The parameters of PostgreSQL that limit requests, in shares of `comicsdb.database.statement_timeout`.
TIMEOUTS = {"statement_timeout": 1, "lock_timeout": 1 / 3, "idle_in_transaction_session_timeout": 4}
# In the WSGI environment: the connection to a replica from which the request reads (`comicsdb.db.replicas`).
LEASE_KEY = "comicsdb.replica"


def timed_out(error: BaseException) -> bool:
    """Whether a statement or transaction was cancelled because it exceeded one of the configured timeouts."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, psycopg.Error) and cause.sqlstate in TIMED_OUT


def is_unavailable(error: BaseException) -> bool:
    """Whether an error means that the database is unavailable, rather than that the request is wrong."""
    if isinstance(error, NoConnectionFree) or timed_out(error):
        return True
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, psycopg.OperationalError):
        return False
    return cause.sqlstate is None or cause.sqlstate.startswith(UNAVAILABLE)


# JIT compilation and parallel workers take longer to start than our statements run.
SHORT_STATEMENTS = {"jit": "off", "max_parallel_workers_per_gather": "0"}


def make_engine(settings: dict, *, limited: bool = False) -> Engine:
    """Create an engine from the `sqlalchemy.` settings; an `embedded:` URL starts or joins a private server.

    With `limited`, as for requests, PostgreSQL cancels whatever exceeds the configured timeouts.
    """
    configured = {**settings, "sqlalchemy.url": dev_cluster.resolve_url(settings["sqlalchemy.url"])}
    configured.setdefault("sqlalchemy.pool_pre_ping", "true")
    values = timeouts(settings) if limited else {}
    if settings.get("comicsdb.database.pooled"):  # each transaction may get another connection
        engine = engine_from_config(configured, "sqlalchemy.", connect_args={"prepare_threshold": None})
        if values:
            limit = set_config(values, local=True)
            event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(limit))
        return engine
    engine = engine_from_config(configured, "sqlalchemy.")
    configure = set_config(SHORT_STATEMENTS | values)
    event.listen(engine, "connect", lambda driver, _record: _configure(driver, configure))
    return engine


def timeouts(settings: dict) -> dict[str, str]:
    """Return the timeouts as parameters of PostgreSQL; 0 means none."""
    milliseconds = settings["comicsdb.database.statement_timeout"] * 1000
    return {parameter: f"{round(milliseconds * share)}ms" for parameter, share in TIMEOUTS.items()}


def set_config(values: dict[str, str], *, local: bool = False) -> str:
    """Return a statement that sets PostgreSQL parameters for the connection or (`local`) the transaction."""
    calls = (f"set_config('{name}', '{value}', {str(local).lower()})" for name, value in values.items())
    return f"SELECT {', '.join(calls)}"


def _configure(driver: psycopg.Connection, statement: str) -> None:
    driver.autocommit = True  # a rollback would reset the parameters
    driver.execute(statement)
    driver.autocommit = False


def session_factory(bind) -> sessionmaker[Session]:
    """Return a factory of sessions whose writes are tracked by `catalog.unit_of_work`."""
    # Slow to import, and some processes have no session.
    from comicsdb.catalog import late_stamps, unit_of_work  # noqa: PLC0415

    factory = sessionmaker(bind=bind, expire_on_commit=False)
    unit_of_work.register_listeners(factory)
    late_stamps.register_listeners(factory)
    return factory


def retry_vanished_references(engine: Engine) -> None:
    """Retry requests that fail because a row they refer to was deleted after they had read it.

    The next attempt does not find the row, so it responds as if it had come a moment later. If the row is the
    caller's account, the next attempt is anonymous.
    """
    mark_error_retryable(NoResultFound)  # raised by `get_one`

    @event.listens_for(engine, "handle_error")
    def mark(context) -> None:
        if isinstance(context.original_exception, ForeignKeyViolation):
            mark_error_retryable(context.sqlalchemy_exception)


def _dbsession(request) -> Session:
    factory, lease = request.registry["comicsdb.session_factory"], request.environ.get(LEASE_KEY)
    session = factory() if lease is None else factory(bind=lease.sqlalchemy)
    # Commit even if nothing was flushed: the session does not notice set-based statements, and psycopg
    # discards its prepared statements on every rollback.
    zope.sqlalchemy.register(session, STATUS_CHANGED, request.tm)
    session.info["today"] = request.today
    session.info["media"] = request.media  # the catalog removes unreferenced pictures from this storage
    return session


def includeme(config):
    """Create the engine and `request.dbsession`, opened on first use and closed with the transaction."""
    engine = make_engine(config.get_settings(), limited=True)
    retry_vanished_references(engine)
    config.registry["comicsdb.engine"] = engine
    config.registry["comicsdb.session_factory"] = session_factory(engine)
    config.add_request_method(_dbsession, "dbsession", reify=True)
