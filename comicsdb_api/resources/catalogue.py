"""What the nine kinds of the catalogue have in common, and pages of what belongs to one object."""

from sqlalchemy import Select, bindparam, func, select

from comicsdb.models import Publisher
from comicsdb_api import shapes
from comicsdb_api.entity import EntityResource, ListResource, window


class CatalogueResource(EntityResource):
    """A kind of the catalogue: its detail ends with the sources of its text (api.md 10)."""

    @classmethod
    def detail_query(cls) -> Select:
        """All columns of the row, and `attribution`."""
        return super().detail_query().add_columns(shapes.attribution(cls.model.__table__))

    def closing(self, row) -> dict:
        """The last fields of a detail."""
        return {"modified": shapes.utc(row.modified), "attribution": row.attribution}


class PublishedResource(CatalogueResource):
    """A kind that belongs to a publisher and shows its name."""

    @classmethod
    def detail_query(cls) -> Select:
        """With the publisher's name."""
        return (
            super()
            .detail_query()
            .join(Publisher, Publisher.id == cls.model.publisher_id)
            .add_columns(Publisher.name.label("publisher_name"))
        )


class Children:
    """The rows of one kind that belong to an object of another: how many, and page by page.

    `condition` tells, of the rows of the children's table, which belong to the object bound as `id`.
    """

    def __init__(self, parent, resource: type[ListResource], condition, order):
        child = resource.model.__table__
        mine = select(func.count()).select_from(child).where(condition).scalar_subquery()
        # One row with the count; none where the parent is not there.
        self.count = select(mine).select_from(parent).where(parent.c.id == bindparam("id"))
        self.query = window(resource.list_query().where(condition).order_by(None).order_by(*order))
        self.resource = resource

    def page(self, owner: EntityResource):
        """The page that the caller of `owner` asks for; 404 where the object is not there."""
        object_id = owner.wanted_id()
        count = owner.rows(self.count, id=object_id).scalar_one_or_none()
        if count is None:
            raise owner.missing()
        return self.resource(owner.request).page(self.query, count, id=object_id)


class ListingResource(CatalogueResource):
    """A kind whose objects have a list of issues: `issues` says which."""

    issues: Children
    actions = {"issue_list": "issue_list"}

    def issue_list(self):
        """GET on the issues of one object."""
        return self.issues.page(self)
