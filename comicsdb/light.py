"""The light connection: reads of one statement each, past sessions and transactions.

A statement through a session costs several times what PostgreSQL needs for a look at one row. Whoever only
reads, and in one statement, which is a snapshot of its own, asks `request.light`.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from sqlalchemy import Connection, Engine, Executable, NullPool, create_engine
from sqlalchemy.dialects.postgresql.psycopg import dialect
from sqlalchemy.exc import DBAPIError

PREPARED_AFTER = 5  # executions, as psycopg has it
PREPARED_MOST = 300  # statements that a connection keeps prepared
DIALECT = dialect(paramstyle="format")


@dataclass(frozen=True)
class Sentence:
    """A statement compiled once: its text, the names of its parameters, and the values that never vary."""

    text: str
    names: tuple[str, ...]
    constants: dict

    @classmethod
    def of(cls, statement) -> "Sentence":
        """Compile a statement of SQLAlchemy; what varies is bound by name and has no value yet."""
        compiled = statement.compile(dialect=DIALECT)
        unbound = {name for name, bind in compiled.binds.items() if bind.required}
        constants = {name: value for name, value in compiled.params.items() if name not in unbound}
        return cls(str(compiled), tuple(compiled.positiontup), constants)

    def values(self, parameters: dict) -> list:
        """The parameters in the order of the text."""
        known = {**self.constants, **parameters} if self.constants else parameters
        return [known[name] for name in self.names]


class Light:
    """Connections that commit by themselves; as many as there are readers at one time."""

    def __init__(self, connect: Callable[[], Connection]):
        self._connect = connect
        self._idle: deque[Line] = deque()

    def fetch(self, sentence: Sentence, parameters: dict) -> tuple | None:
        """The first row of a compiled statement, prepared on first use, or None."""
        values = sentence.values(parameters)
        return self._run(lambda line: line.cursor.execute(sentence.text, values, prepare=True).fetchone())

    def first(self, statement: Executable, parameters: dict):
        """The first row of a statement of SQLAlchemy, or None; planned anew for the values in it."""

        def read(line: Line):
            line.driver.prepare_threshold = None  # a plan for any value would be a plan for none
            try:
                return line.connection.execute(statement, parameters).first()
            finally:
                line.driver.prepare_threshold = PREPARED_AFTER

        return self._run(read)

    def _run(self, read: Callable[["Line"], tuple | None]):
        """Run a read; once more on a new connection if the server had closed the one that was idle."""
        try:
            line = self._idle.pop()
        except IndexError:
            return self._use(Line(self._connect()), read)
        try:
            return self._use(line, read)
        except (psycopg.OperationalError, psycopg.InterfaceError, DBAPIError):
            if not line.broken:
                raise
        self.close()
        return self._use(Line(self._connect()), read)

    def _use(self, line: "Line", read):
        try:
            return read(line)
        finally:
            if line.broken:
                line.close()
            else:
                self._idle.append(line)

    def close(self) -> None:
        """Close the connections that nobody uses at the moment."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


class Line:
    """One connection, and the cursor that all its compiled statements use."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.driver = connection.connection.driver_connection
        self.cursor = self.driver.cursor(binary=True)

    @property
    def broken(self) -> bool:
        """Whether the server has gone."""
        return self.driver.broken or self.driver.closed

    def close(self) -> None:
        """Close it."""
        self.connection.invalidate()
        self.connection.close()


def connector(engine: Engine) -> Callable[[], Connection]:
    """A function that opens connections to the database of an engine, beside its pool."""
    own = create_engine(engine.url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def connect() -> Connection:
        connection = own.connect()
        driver = connection.connection.driver_connection
        driver.prepared_max = PREPARED_MOST
        # Statements of some milliseconds: compiling them, or starting workers for them, takes longer.
        driver.execute(
            "SELECT set_config('jit', 'off', false), "
            "set_config('max_parallel_workers_per_gather', '0', false)"
        )
        return connection

    return connect


def includeme(config):
    """`request.light`; connections are opened when first needed."""
    config.registry["comicsdb.light"] = Light(connector(config.registry["comicsdb.engine"]))
    config.add_request_method(lambda request: request.registry["comicsdb.light"], "light", reify=True)
