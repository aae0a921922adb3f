"""Engines that are reused for the databases of single tests, to keep the SQL that they have compiled."""

from sqlalchemy import Engine, create_engine, event, make_url

_free: list[Engine] = []


def acquire(url: str) -> Engine:
    """An engine on a database; remove your listeners before you release it."""
    engine = _free.pop() if _free else _make(url)
    engine.url = make_url(url)
    return engine


def release(engine: Engine) -> None:
    """Close the connections of an engine, and make it available again."""
    engine.dispose()
    _free.append(engine)


def _make(url: str) -> Engine:
    engine = create_engine(url, pool_size=10)

    @event.listens_for(engine, "do_connect")
    def connect(_dialect, _record, _arguments, parameters):
        parameters["dbname"] = engine.url.database

    return engine
