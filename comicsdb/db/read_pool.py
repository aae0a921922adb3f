"""The read pool: single statements, past sessions and transactions.

A statement through a session costs several times what PostgreSQL needs for a look at one row. Whoever only
reads, and in one statement, which is a snapshot of its own, asks `request.read_pool`. Limits are counted here
as well: what a request takes of them stays taken if its transaction is rolled back.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

import psycopg
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import DiagnosticField, ExecStatus, Format
from sqlalchemy import Connection, Engine, Executable, NullPool, create_engine
from sqlalchemy.dialects.postgresql.psycopg import dialect
from sqlalchemy.exc import DBAPIError

from comicsdb.db import set_config, timeouts

PREPARED_MOST = 300  # sentences that a connection keeps prepared
UNKNOWN, BOOLEAN = 0, psycopg.postgres.types["bool"].oid
NOT_PREPARED = psycopg.errors.InvalidSqlStatementName.sqlstate.encode()
NUMBERS = count()  # of the names of prepared sentences: a connection may be lent
DIALECT = dialect(paramstyle="numeric_dollar")


@dataclass(frozen=True)
class CompiledQuery:
    """A statement compiled once: its text, the names of its parameters, and the values that never vary.

    Parameters are $1, $2 and so on, in the order of `names`.
    """

    text: str
    names: tuple[str, ...]
    constants: dict

    @classmethod
    def of(cls, statement) -> "CompiledQuery":
        """Compile a statement of SQLAlchemy; what varies is bound by name and has no value yet."""
        compiled = statement.compile(dialect=DIALECT)
        unbound = {name for name, bind in compiled.binds.items() if bind.required}
        constants = {name: value for name, value in compiled.params.items() if name not in unbound}
        return cls(str(compiled), tuple(compiled.positiontup), constants)

    def values(self, parameters: dict) -> list:
        """The parameters in the order of the text."""
        known = {**self.constants, **parameters} if self.constants else parameters
        return [known[name] for name in self.names]


class ReadPool:
    """Connections that commit by themselves; as many as there are readers at one time.

    Without `prepare` nothing is kept in a connection, and each statement is planned anew.
    """

    def __init__(self, connect: Callable[[], Connection], *, prepare: bool = True):
        self._connect = connect
        self._prepare = prepare
        self._idle: deque[ReadConnection] = deque()

    def fetch(self, sentence: CompiledQuery, parameters: dict) -> tuple | None:
        """The first row of a compiled statement, prepared on first use, or None."""
        values = sentence.values(parameters)
        return self._run(lambda line: line.row(sentence.text, values))

    def first(self, statement: Executable, parameters: dict):
        """The first row of a statement of SQLAlchemy, or None; planned anew for the values in it."""

        return self._run(lambda line: line.connection.execute(statement, parameters).first())

    def _run(self, read: Callable[["ReadConnection"], tuple | None]):
        """Run a read; once more on a new connection if the server had closed the one that was idle."""
        try:
            line = self._idle.pop()
        except IndexError:
            return self._use(self._line(), read)
        try:
            return self._use(line, read)
        except (psycopg.Error, DBAPIError):
            if not line.broken:
                raise
        self.close()
        return self._use(self._line(), read)

    def _use(self, line: "ReadConnection", read):
        try:
            return read(line)
        finally:
            if line.broken:
                line.close()
            else:
                self._idle.append(line)

    def _line(self) -> "ReadConnection":
        return ReadConnection(self._connect(), prepare=self._prepare)

    def close(self) -> None:
        """Close the connections that nobody uses at the moment."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


class ReadConnection:
    """One connection.

    Sentences pass by psycopg's cursors, which take longer than PostgreSQL takes to find one row. What they
    would do is done here for the simple case: libpq runs a statement that it has prepared, and the first row
    is converted. Most of a hit's time is this.
    """

    def __init__(self, connection: Connection, *, prepare: bool = True):
        self.connection = connection
        self._prepares = prepare
        self.driver = connection.connection.driver_connection
        self._transformer = Transformer(self.driver)
        self._prepared: OrderedDict[str, bytes] = OrderedDict()

    def row(self, text: str, values: list) -> tuple | None:
        """The first row of a statement, or None; an error is psycopg's."""
        name = self._prepared.get(text)
        if not self._prepares:
            result = self._sent(text, values)
        else:
            result = self._executed(name or self._prepare(text, values), values)
        if name and result.status == ExecStatus.FATAL_ERROR and _code(result) == NOT_PREPARED:
            self._prepared.clear()  # somebody discarded all
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
        """Have a statement prepared; the oldest gives way to one too many."""
        if len(self._prepared) >= PREPARED_MOST:
            _, oldest = self._prepared.popitem(last=False)
            self._check(self.driver.pgconn.exec_(b"DEALLOCATE " + oldest), ExecStatus.COMMAND_OK)
        name = b"light_%d" % next(NUMBERS)
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
        """A value in PostgreSQL's text form; its type is that of the place where it stands."""
        if value is None:
            return None
        if isinstance(value, str):
            if "\0" in value:  # it would be cut off there
                raise psycopg.DataError("PostgreSQL text cannot contain NUL (0x00)")
            return value.encode()
        if type(value) is int:
            return b"%d" % value
        return self._transformer.get_dumper(value, PyFormat.TEXT).dump(value)

    @property
    def broken(self) -> bool:
        """Whether the server has gone."""
        return self.driver.broken or self.driver.closed

    def close(self) -> None:
        """Close it."""
        self.connection.invalidate()
        self.connection.close()


def _code(result) -> bytes | None:
    return result.error_field(DiagnosticField.SQLSTATE)


def _types(values: list) -> list[int]:
    """SQLAlchemy writes the types of parameters into the text, but for that of truth values."""
    return [BOOLEAN if isinstance(value, bool) else UNKNOWN for value in values]


def connector(
    engine: Engine, *, settle: bool = True, limits: Mapping[str, str] = MappingProxyType({})
) -> Callable[[], Connection]:
    """A function that opens connections to the database of an engine, beside its pool.

    They are settled for short statements, unless a proxy would hand that on to others; `limits` are settings
    of PostgreSQL's that go with that.
    """
    # Statements of some milliseconds: compiling them, or starting workers for them, takes longer.
    settled = set_config({"jit": "off", "max_parallel_workers_per_gather": "0", **limits})
    own = create_engine(engine.url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def connect() -> Connection:
        connection = own.connect()
        driver = connection.connection.driver_connection
        driver.prepare_threshold = None  # a plan for any value would be a plan for none
        if not settle:
            return connection
        driver.execute(settled)
        return connection

    return connect


def includeme(config):
    """`request.read_pool`; connections are opened when first needed."""
    settings = config.get_settings()
    alone = not settings["comicsdb.database.pooled"]
    connect = connector(config.registry["comicsdb.engine"], settle=alone, limits=timeouts(settings))
    config.registry["comicsdb.read_pool"] = ReadPool(connect, prepare=alone)
    config.add_request_method(lambda request: request.registry["comicsdb.read_pool"], "read_pool", reify=True)
