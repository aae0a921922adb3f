"""Reference data that clients look up by name: roles and series types (api.md 2.11). Lists only."""

from sqlalchemy import select

from comicsdb.models import Role, SeriesType
from comicsdb_api import shapes
from comicsdb_api.entity import ListResource


class ReferenceResource(ListResource):
    """Rows with a name."""

    def summary(self, row) -> dict:
        """Named: id and name."""
        return {"id": row.id, "name": row.name}


class RoleResource(ReferenceResource):
    """What a creator can do on an issue, in the order of credits."""

    model = Role

    @classmethod
    def list_query(cls):
        """In the roles' own order, which is unique."""
        c = Role.__table__.c
        return select(c.id, c.name).order_by(c.order, c.id)


class SeriesTypeResource(ReferenceResource):
    """Forms of publication, by name."""

    model = SeriesType

    @classmethod
    def list_query(cls):
        """By name."""
        table = SeriesType.__table__
        return select(table.c.id, table.c.name).order_by(*shapes.by_plain_name(table))
