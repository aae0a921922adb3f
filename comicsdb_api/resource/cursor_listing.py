"""Pages by cursor (`cursor=`): each begins after the last row of the previous one.

Concurrent writes therefore do not shift other rows: a row that does not change is returned exactly once.
Rows are neither counted nor skipped, so any page costs as much as the first.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, date, datetime

import orjson
from sqlalchemy import Date, DateTime, Integer, func, literal_column, select

from comicsdb.catalog.filters import Clause
from comicsdb.db import keyset
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models.base import max_value
from comicsdb_api.errors import RefusedError
from comicsdb_api.negotiation import parameter, parameters
from comicsdb_api.resource import expressions, paging
from comicsdb_api.resource.listing import Listing, PageRequest, compiled_query
from comicsdb_api.resource.options import CURSOR
from comicsdb_api.responses import base_urls, to_json

START = "*"
FROM_START, AFTER = "from start", "after"  # strategies
POSITION_KEY = "_"  # the key of a row's keyset position
UNKNOWN_DATE = "infinity"  # in place of an unknown date


@dataclass(frozen=True, eq=False)
class CursorListing(Listing):
    """A list whose pages begin after the position in a cursor."""

    def page(
        self,
        request,
        stamps: tuple,  # noqa: ARG002
        page_request: PageRequest,
        epoch: int | None = None,
    ) -> bytes | None:
        """The body, or None if the object was deleted meanwhile.

        Raises RefusedError (404) for an invalid cursor, and EpochMovedError if the rows are not of the given
        epoch.
        """
        cursor = parameter(request, CURSOR).strip()
        values = {"id": page_request.object_id, **base_urls(request), **page_request.values}
        if cursor != START:
            values |= keyset.place_values([0, *self._decode_cursor(cursor)])
        query = compiled_query(self, False, FROM_START if cursor == START else AFTER, page_request.clauses)
        found = request.read_pool.fetch(query, values)
        if found is None:
            return None
        now, rows = found
        if epoch is not None and now != epoch:
            raise EpochMovedError
        rows = orjson.loads(rows)
        places = [row.pop(POSITION_KEY) for row in rows]
        following = self._encode_cursor(places[self.size - 1]) if len(rows) > self.size else None
        repeated = parameters(request, self.parameters)
        return to_json(paging.cursor_envelope(request, following, rows[: self.size], repeated))

    def query(self, with_count: bool, strategy: str, clauses: tuple[Clause, ...]) -> CompiledQuery:  # noqa: ARG002
        """One row: the epoch, and the rows of a page and one more, each with its position."""
        resource, conditions = self.resource, (*self.condition, *(each.build() for each in clauses))
        if strategy == AFTER:
            # If the other columns belong to another table, an index can only have the leading ones.
            leading = self.order[: keyset.place_length(self.order, resource.model.__table__)]
            conditions += keyset.from_place(leading), keyset.after_place(self.order)
        wanted = select(resource.key()).select_from(resource.row_source()).where(*conditions)
        wanted = wanted.order_by(*self.order).limit(literal_column(str(self.size + 1)))
        place = func.json_build_array(*keyset.sort_keys(self.order))
        rows = self.rows_query(**{POSITION_KEY: place}).where(resource.key().in_(wanted.correlate(None)))
        return CompiledQuery.of(
            select(
                EPOCH_NOW.scalar_subquery().label("epoch"),
                expressions.rows_as_json(rows.order_by(*self.order)).label("rows"),
            ).select_from(self.read.stamps.subquery("stamps")),
            prepared=False,
        )

    def _encode_cursor(self, place: list) -> str:
        return urlsafe_b64encode(orjson.dumps([self.sort, *place])).decode().rstrip("=")

    def _decode_cursor(self, cursor: str) -> list:
        """The values of a cursor; raises RefusedError (404)."""
        try:
            sort, *place = orjson.loads(urlsafe_b64decode(cursor.encode("ascii") + b"==="))
            if sort != self.sort:
                raise ValueError(sort)
            columns = keyset.sort_keys(self.order)
            return [_value(each, column.type) for each, column in zip(place, columns, strict=True)]
        except (ValueError, TypeError, OverflowError) as error:
            raise RefusedError(404, "Invalid cursor.") from error


def _value(value, kind):
    """A value that fits a column's type; raises ValueError, TypeError or OverflowError for others."""
    match kind:
        case Date():
            return value if value == UNKNOWN_DATE else date.fromisoformat(value).isoformat()
        case DateTime():
            return datetime.fromisoformat(value).astimezone(UTC).isoformat()
        case Integer():
            fits = type(value) is int and abs(value) <= max_value(kind)
        case _:
            fits = isinstance(value, str) and "\0" not in value
    if not fits:
        raise ValueError(value)
    return value
