"""The read pool: single statements, outside of sessions and transactions.

Executing a statement through a session takes several times as long as PostgreSQL needs to find one row. So
reads by a single statement, which has its own snapshot, use `request.read_pool`. So do rate limits, whose
counts must be kept if the request's transaction is rolled back.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import MappingProxyType

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import DiagnosticField, ExecStatus, Format
from sqlalchemy import URL, Connection, Engine, Executable, NullPool, create_engine
from sqlalchemy.dialects.postgresql.psycopg import dialect
from sqlalchemy.exc import DBAPIError

from comicsdb.db import LEASE_KEY, SHORT_STATEMENTS, set_config, timeouts

PREPARED_MAX = 300  # prepared statements per connection
UNKNOWN, BOOLEAN = 0, psycopg.postgres.types["bool"].oid
NOT_PREPARED = psycopg.errors.InvalidSqlStatementName.sqlstate.encode()
STATEMENT_NUMBERS = count()  # numbers prepared statements, globally as tests share a connection
DIALECT = dialect(paramstyle="numeric_dollar")


@dataclass(frozen=True)
class CompiledQuery:
    """A compiled statement: its text, the names of its parameters, and its constant values.

    Parameters are $1, $2 and so on, in the order of `names`.
    """

    text: str
    names: tuple[str, ...]
    constants: dict
    prepared: bool = True  # otherwise PostgreSQL plans each execution for its values

    @classmethod
    def of(cls, statement, *, prepared: bool = True) -> "CompiledQuery":
        """Compile an SQLAlchemy statement, whose variable parameters have names but no values."""
        compiled = statement.compile(dialect=DIALECT)
        unbound = {name for name, bind in compiled.binds.items() if bind.required}
        constants = {name: value for name, value in compiled.params.items() if name not in unbound}
        return cls(str(compiled), tuple(compiled.positiontup), constants, prepared)

    def values(self, parameters: dict) -> list:
        """The parameters in the order of the text."""
        known = {**self.constants, **parameters} if self.constants else parameters
        return [known[name] for name in self.names]


class ReadPool:
    """Connections in autocommit mode, as many as there are concurrent readers.

    Without `prepare`, statements are not prepared, and connections have no state.
    """

    def __init__(self, connect: Callable[[], Connection], *, prepare: bool = True):
        self._connect = connect
        self._prepare = prepare
        self._idle: deque[ReadConnection] = deque()

    def fetch(self, query: CompiledQuery, parameters: dict) -> tuple | None:
        """The first row of a compiled statement, or None."""
        return self._run(lambda connection: connection.fetch(query, parameters))

    def first(self, statement: Executable, parameters: dict):
        """The first row of an SQLAlchemy statement, or None; not prepared."""
        return self._run(lambda connection: connection.first(statement, parameters))

    def with_connection(self, read: Callable[[Connection], list]) -> list:
        """The rows that a function reads through an SQLAlchemy connection; not prepared."""
        return self._run(lambda connection: connection.with_connection(read))

    def _run(self, read: Callable[["ReadConnection"], tuple | None]):
        """Run a read; repeats it on a new connection if the server has closed an idle one."""
        try:
            connection = self._idle.pop()
        except IndexError:
            return self._use(self._open(), read)
        try:
            return self._use(connection, read)
        except (psycopg.Error, DBAPIError):
            if not connection.broken:
                raise
        self.close()
        return self._use(self._open(), read)

    def _use(self, connection: "ReadConnection", read):
        try:
            return read(connection)
        finally:
            if connection.broken:
                connection.close()
            else:
                self._idle.append(connection)

    def _open(self) -> "ReadConnection":
        return ReadConnection(self._connect(), prepare=self._prepare)

    def close(self) -> None:
        """Close the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


class ReadConnection:
    """One connection.

    psycopg's cursors take longer than PostgreSQL needs to find one row, and would dominate a cached read. So
    prepared statements are executed through libpq, and only the first row is converted.
    """

    def __init__(self, connection: Connection, *, prepare: bool = True):
        self.sqlalchemy = connection
        self._prepares = prepare
        self.driver = connection.connection.driver_connection
        self._transformer = Transformer(self.driver)
        self._prepared: OrderedDict[str, bytes] = OrderedDict()

    def fetch(self, query: CompiledQuery, parameters: dict) -> tuple | None:
        """The first row of a compiled statement, or None."""
        return self.row(query.text, query.values(parameters), prepared=query.prepared)

    def first(self, statement: Executable, parameters: dict):
        """The first row of an SQLAlchemy statement, or None; not prepared."""
        return self.sqlalchemy.execute(statement, parameters).first()

    def with_connection(self, read: Callable[[Connection], list]) -> list:
        """The rows that a function reads through the SQLAlchemy connection; not prepared."""
        return read(self.sqlalchemy)

    def row(self, text: str, values: list, *, prepared: bool = True) -> tuple | None:
        """The first row of a statement, or None; prepared on first use. Raises psycopg's errors."""
        name = self._prepared.get(text)
        if not (prepared and self._prepares):
            result = self._sent(text, values)
        else:
            result = self._executed(name or self._prepare(text, values), values)
        if name and result.status == ExecStatus.FATAL_ERROR and _code(result) == NOT_PREPARED:
            self._prepared.clear()  # they have been discarded
            result = self._executed(self._prepare(text, values), values)
        self._check(result, ExecStatus.TUPLES_OK)
        if not result.ntuples:
            return None
        self._transformer.set_pgresult(result)
        return self._transformer.load_row(0, tuple)

    def _executed(self, name: bytes, values: list):
        sent = [self._dumped(value) for value in values]
        return self.driver.pgconn.exec_prepared(name, sent, result_format=Format.BINARY)

    def _sent(self, text: str, values: list):
        sent = [self._dumped(value) for value in values]
        return self.driver.pgconn.exec_params(
            text.encode(), sent, _types(values), result_format=Format.BINARY
        )

    def _prepare(self, text: str, values: list) -> bytes:
        """Prepare a statement, deallocating the oldest one if there are too many."""
        if len(self._prepared) >= PREPARED_MAX:
            _, oldest = self._prepared.popitem(last=False)
            self._check(self.driver.pgconn.exec_(b"DEALLOCATE " + oldest), ExecStatus.COMMAND_OK)
        name = b"read_%d" % next(STATEMENT_NUMBERS)
        prepared = self.driver.pgconn.prepare(name, text.encode(), _types(values))
        self._check(prepared, ExecStatus.COMMAND_OK)
        self._prepared[text] = name
        return name

    def _check(self, result, wanted: ExecStatus) -> None:
        if result.status == wanted:
            return
        if self.broken:
            raise psycopg.OperationalError(self.driver.pgconn.get_error_message())
        raise error_from_result(result)

    def _dumped(self, value) -> bytes | None:
        """A value in PostgreSQL's text format."""
        if value is None:
            return None
        if isinstance(value, str):
            if "\0" in value:  # libpq would truncate the text
                raise psycopg.DataError("PostgreSQL text cannot contain NUL (0x00)")
            return value.encode()
        if type(value) is int:
            return b"%d" % value
        return self._transformer.get_dumper(value, PyFormat.TEXT).dump(value)

    @property
    def broken(self) -> bool:
        """Whether the connection is closed."""
        return self.driver.broken or self.driver.closed

    def close(self) -> None:
        """Close the connection, in any state."""
        self.sqlalchemy.invalidate()
        self.sqlalchemy.close()


def _code(result) -> bytes | None:
    return result.error_field(DiagnosticField.SQLSTATE)


def _types(values: list) -> list[int]:
    """The type ids of parameters: only booleans need one, as SQLAlchemy casts all others in the text."""
    return [BOOLEAN if isinstance(value, bool) else UNKNOWN for value in values]


def connector(
    engine: Engine, *, configure: bool = True, limits: Mapping[str, str] = MappingProxyType({})
) -> Callable[[], Connection]:
    """A function that opens connections to the database of an engine, outside of its pool.

    They are configured for short statements, unless they go through a pooler; `limits` are further parameters
    of PostgreSQL.
    """
    return partial(open_connection, autocommit_engine(engine.url), limits, configure=configure)


def autocommit_engine(url: URL) -> Engine:
    """An engine without a pool whose connections are in autocommit mode."""
    return create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")


def open_connection(engine: Engine, limits: Mapping[str, str], *, configure: bool = True) -> Connection:
    """Open a new connection for short statements: see `connector`."""
    connection = engine.connect()
    driver = connection.connection.driver_connection
    driver.prepare_threshold = None  # psycopg must not prepare these, which could lead to generic plans
    if configure:
        driver.execute(set_config(SHORT_STATEMENTS | limits))
    return connection


def _read_pool(request) -> ReadPool | ReadConnection:
    return request.environ.get(LEASE_KEY) or request.registry["comicsdb.read_pool"]


def includeme(config):
    """Add `request.read_pool`, the pool or a lease of a replica; connections are opened on first use."""
    settings = config.get_settings()
    alone = not settings["comicsdb.database.pooled"]
    connect = connector(config.registry["comicsdb.engine"], configure=alone, limits=timeouts(settings))
    config.registry["comicsdb.read_pool"] = ReadPool(connect, prepare=alone)
    config.add_request_method(_read_pool, "read_pool", reify=True)
