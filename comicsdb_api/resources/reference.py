"""The resources of reference data that clients look up by name: lists of roles and series types."""

from comicsdb.models import Role, SeriesType
from comicsdb_api.resource import expressions
from comicsdb_api.resource.base import ListResource
from comicsdb_api.resources import filters


class ReferenceResource(ListResource):
    """A list of rows with an id and a name."""

    row_shape = "Named"

    @classmethod
    def row_fields(cls) -> dict:
        """Named: id and name."""
        table = cls.model.__table__
        return {"id": table.c.id, "name": table.c.name}


class RoleResource(ReferenceResource):
    """Roles of creators on issues, in the order of credits."""

    model = Role
    filters = filters.name_filters(Role)

    @classmethod
    def order(cls) -> tuple:
        """By the position of the role, which is unique."""
        return Role.__table__.c.order, Role.__table__.c.id


class SeriesTypeResource(ReferenceResource):
    """Types of publication, by name."""

    model = SeriesType
    filters = filters.name_filters(SeriesType)

    @classmethod
    def order(cls) -> tuple:
        """By name."""
        return expressions.by_plain_name(SeriesType.__table__)
