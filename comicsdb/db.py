"""The database: engine, sessions, and `request.dbsession` tied to the request's transaction."""

import zope.sqlalchemy
from sqlalchemy import Engine, engine_from_config
from sqlalchemy.orm import Session, sessionmaker
from zope.sqlalchemy.datamanager import STATUS_CHANGED

from comicsdb import embedded
from comicsdb.catalog import unit


def make_engine(settings: dict) -> Engine:
    """An engine from the `sqlalchemy.` settings; an `embedded:` address starts or joins our own server."""
    configured = {**settings, "sqlalchemy.url": embedded.resolve(settings["sqlalchemy.url"])}
    configured.setdefault("sqlalchemy.pool_pre_ping", "true")
    return engine_from_config(configured, "sqlalchemy.")


def session_factory(bind) -> sessionmaker[Session]:
    """Sessions whose every write is recorded by the catalogue (`catalog.unit`)."""
    factory = sessionmaker(bind=bind, expire_on_commit=False)
    unit.watch(factory)
    return factory


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
    config.registry["comicsdb.engine"] = engine
    config.registry["comicsdb.session_factory"] = session_factory(engine)
    config.add_request_method(_dbsession, "dbsession", reify=True)
