"""Lists by ids (`ids=`): the objects that exist, and which ids are missing, merged or deleted."""

from dataclasses import dataclass
from math import ceil

import orjson
from sqlalchemy import ARRAY, Integer, Text, bindparam, cast, func, select, union

from comicsdb.catalog.filters import Clause
from comicsdb.db.epoch import EPOCH_NOW, EpochMovedError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import Tombstone
from comicsdb_api.resource import expressions
from comicsdb_api.resource.listing import DETAILED_ROWS_PER_REQUEST, Listing, PageRequest, compiled_query
from comicsdb_api.resource.options import IDS, IDS_OPTION, option_values
from comicsdb_api.responses import base_urls, to_json

BY_IDS = "ids"
ID_KEY = "_"  # the key of a row's id, as the selected fields may not include it

tombstone = Tombstone.__table__
MERGED = expressions.json_object("MergedId", id=tombstone.c.object_id, survivor=tombstone.c.survivor_id)


@dataclass(frozen=True, eq=False)
class IdListing(Listing):
    """The objects with the requested ids, on one page and in their order.

    A merged object is replaced by its survivor, unless that precedes it in the list.
    """

    def cost(self, request) -> int:
        """How many of the day's requests the response counts as, by the number of ids."""
        return ceil(len(option_values((IDS_OPTION,), request)[IDS]) / DETAILED_ROWS_PER_REQUEST)

    def page(self, request, stamps: tuple, page_request: PageRequest, epoch: int | None = None) -> bytes:  # noqa: ARG002
        """The body; raises EpochMovedError if the rows are not of the given epoch."""
        query = compiled_query(self, False, BY_IDS, page_request.clauses)
        ids = option_values((IDS_OPTION,), request)[IDS]
        values = {**base_urls(request), **page_request.values, IDS: list(ids)}
        now, rows, present, gone = request.read_pool.fetch(query, values)
        if epoch is not None and now != epoch:
            raise EpochMovedError
        return to_json(_envelope(ids, *map(orjson.loads, (rows, present, gone))))

    def query(self, with_count: bool, strategy: str, clauses: tuple[Clause, ...]) -> CompiledQuery:  # noqa: ARG002
        """One row: the epoch, the rows, the ids that exist, and deleted ids with their survivors, if any."""
        key, ids = self.resource.key(), bindparam(IDS, type_=ARRAY(Integer))
        gone = (
            select(tombstone.c.object_id, tombstone.c.survivor_id)
            .where(tombstone.c.kind == expressions.constant(self.resource.kind()))
            .where(tombstone.c.object_id == func.any(ids))
            .cte("gone")
        )
        survivors = select(gone.c.survivor_id).where(gone.c.survivor_id.is_not(None))
        wanted = key.in_(union(select(func.unnest(ids)), survivors))
        rows = self.rows_query(**{ID_KEY: key}).where(wanted, *(each.build() for each in clauses))
        pair = func.json_build_array(gone.c.object_id, gone.c.survivor_id)
        return CompiledQuery.of(
            select(
                EPOCH_NOW.scalar_subquery().label("epoch"),
                expressions.rows_as_json(rows).label("rows"),
                _json_array(key, wanted).label("present"),
                _json_array(pair).label("gone"),
            ),
            prepared=False,
        )


def _envelope(ids: tuple[int, ...], rows: list[dict], present: list[int], gone: list) -> dict:
    by_id = {row.pop(ID_KEY): row for row in rows}
    there, survivors = set(present), dict(gone)
    found, missing, merged, deleted = {}, [], [], []
    for each in ids:
        survivor = survivors.get(each)
        if survivor in there:
            merged.append({"id": each, "survivor": survivor})
        elif each not in there:
            (deleted if each in survivors else missing).append(each)
        place = survivor if survivor in there else each
        if place in by_id:
            found[place] = by_id[place]
    results = list(found.values())
    envelope = {"count": len(results), "next": None, "previous": None, "results": results}
    return envelope | {"missing": missing, "merged": merged, "deleted": deleted}


def _json_array(value, *conditions):
    listed = func.coalesce(func.json_agg(value), expressions.literal_column("'[]'"))
    return select(cast(listed, Text)).where(*conditions).scalar_subquery()
