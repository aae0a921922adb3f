"""What the nine kinds of the catalogue have in common, and the list of issues that four of them have."""

from functools import cache

from sqlalchemy import Select, bindparam, func, select

from comicsdb.models import Issue
from comicsdb_api import shapes
from comicsdb_api.entity import EntityResource, window


class CatalogueResource(EntityResource):
    """A kind of the catalogue: its detail ends with the sources of its text (api.md 10)."""

    @classmethod
    def detail_query(cls) -> Select:
        """All columns of the row, and `attribution`."""
        return super().detail_query().add_columns(shapes.attribution(cls.model.__table__))


@cache
def children_count(parent, child, condition) -> Select:
    """One row with the number of a parent's children; none where the parent is not there.

    `condition` tells which rows of the table `child` belong to the row of `parent`.
    """
    children = select(func.count()).select_from(child).where(condition).correlate(parent).scalar_subquery()
    return select(children).select_from(parent).where(parent.c.id == bindparam("id"))


class IssueListed:
    """For kinds with `/{id}/issue_list/`: the issues of one object, as the list of issues shows them."""

    actions = {"issue_list": "issue_list"}

    @classmethod
    def issue_condition(cls):
        """Which rows of the table of issues belong to the object whose id is bound as `id`."""
        raise NotImplementedError

    def issue_list(self):
        """GET on the issues of one object: by cover date."""
        from comicsdb_api.resources.issue import IssueResource

        object_id = self.wanted_id()
        count = self.rows(_issue_count(type(self)), id=object_id).scalar_one_or_none()
        if count is None:
            raise self.missing()
        return IssueResource(self.request).page(_issue_page(type(self)), count, id=object_id)


def linked_issues(link):
    """The condition of issues that a link table ties to the object whose id is bound as `id`."""
    (other,) = (column for column in link.c if column.name != "issue_id")
    return Issue.__table__.c.id.in_(select(link.c.issue_id).where(other == bindparam("id")))


@cache
def _issue_count(resource) -> Select:
    parent, issue = resource.model.__table__, Issue.__table__
    children = (
        select(func.count()).select_from(issue).where(resource.issue_condition()).scalar_subquery()
    )
    return select(children).select_from(parent).where(parent.c.id == bindparam("id"))


@cache
def _issue_page(resource) -> Select:
    from comicsdb_api.resources.issue import ISSUE_ORDER_OF_PARENT, IssueResource

    query = IssueResource.list_query().where(resource.issue_condition())
    return window(query.order_by(None).order_by(*ISSUE_ORDER_OF_PARENT))
