"""The statement for the page of one object: its row, and everything that the page shows with it as JSON."""

from functools import cache

from sqlalchemy import bindparam, inspect, select, tuple_
from sqlalchemy.orm import aliased

from comicsdb.catalog import search
from comicsdb.catalog.kinds import KINDS
from comicsdb.db.read_pool import CompiledQuery, ReadPool
from comicsdb.models import Attribution, ExternalId, Issue, User
from comicsdb.models.base import AuthorsMixin
from comicsdb_web.lists import cards
from comicsdb_web.lists.paging import BLOCK_STEP
from comicsdb_web.rendering.json_columns import PageColumn, constant, object_list, object_or_null
from comicsdb_web.rendering.row_views import RowView, row_view


class DetailQuery:
    """The compiled statement for the pages of a kind, given the class of its views."""

    def __init__(self, views):
        self._kind = views.model.__tablename__
        row = select(views.model.__table__).where(views.model.slug == bindparam("slug")).cte("own")
        own = aliased(views.model, row)
        self._parts = {**_common(own, views.model), **_blocks(own, views.blocks), **views.page_columns(own)}
        columns = [each for each in inspect(own).selectable.c if not each.key.endswith("folded")]
        self._names = [*(each.key for each in columns), *self._parts]
        columns += [part.column.label(name) for name, part in self._parts.items()]
        self._query = CompiledQuery.of(select(*columns).select_from(own))

    def read(self, read_pool: ReadPool, slug: str) -> tuple[RowView, dict] | None:
        """The object with a slug, and its parts by name, which are also its attributes; None without one."""
        row = read_pool.fetch(self._query, {"slug": slug}) if "\0" not in slug else None
        if row is None:
            return None
        values = dict(zip(self._names, row, strict=True))
        parts = {name: _found(part.kind, values[name]) for name, part in self._parts.items()}
        return row_view(self._kind, values | parts), parts


@cache
def detail_query(views) -> DetailQuery:
    """The statement for the pages of a class of views, compiled once."""
    return DetailQuery(views)


def _found(kind: str | None, value):
    if kind is None or value is None:
        return value
    return [row_view(kind, each) for each in value] if type(value) is list else row_view(kind, value)


def _common(own, model) -> dict[str, PageColumn]:
    parts = {"previous": _neighbour(own, model, later=False), "following": _neighbour(own, model, later=True)}
    if "attributions" in KINDS[model.__tablename__].parts:
        about = Attribution.__table__.c[f"{model.__tablename__}_id"] == own.id
        query = select(Attribution.source, Attribution.url).where(about).order_by(Attribution.id)
        parts["attributions"] = object_list("attribution", query, own)
        content = (ExternalId.source, ExternalId.external_id, ExternalId.scope)
        about = ExternalId.__table__.c[f"{model.__tablename__}_id"] == own.id
        order = (ExternalId.source, ExternalId.scope, ExternalId.external_id)
        ids = select(*content).where(about).order_by(*order)
        parts["external_ids"] = object_list("external_id", ids, own)
    if issubclass(model, AuthorsMixin):
        query = select(User.username, User.is_active).where(User.id == own.edited_by_id)
        parts["edited_by"] = object_or_null("user", query, own)
    return parts


def _neighbour(own, model, *, later: bool) -> PageColumn:
    """The object before or after this one in the order of lists, for an issue within its series."""
    other = aliased(model, name="other")
    columns = (Issue.series_order, Issue.id) if model is Issue else search.order_columns(model)
    order = [getattr(other, column.key) for column in columns]
    place, here = tuple_(*order), tuple_(*(getattr(own, column.key) for column in order))
    query = select(*cards.link_columns(other)).where(place > here if later else place < here)
    if model is Issue:
        query = query.where(other.series_id == own.series_id)
    query = query.order_by(*(order if later else [each.desc() for each in order]))
    return object_or_null(model.__tablename__, query.limit(constant(1)), own)


def _blocks(own, blocks) -> dict[str, PageColumn]:
    """The first rows of each block, and their total number."""
    parts = {}
    for block in blocks:
        parts[block.name] = object_list(
            block.model.__tablename__, block.rows(own).limit(constant(BLOCK_STEP)), own
        )
        parts[f"{block.name}_total"] = PageColumn(block.count(own).scalar_subquery())
    return parts
