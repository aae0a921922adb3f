"""Teams (api.md 2.9)."""

from comicsdb.models import Creator, Team, Universe, issue_team, team_creator, team_universe
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import ListingResource
from comicsdb_api.resources.issue import linked_issues


class TeamResource(ListingResource):
    """Groups of characters."""

    model = Team
    issues = linked_issues(Team, issue_team)

    @classmethod
    def detail_query(cls):
        """With creators and universes."""
        own, universe = Team.__table__, Universe.__table__
        return (
            super()
            .detail_query()
            .add_columns(
                shapes.stamps(own, team_creator, Creator.__table__),
                shapes.stamps(own, team_universe, universe, shapes.by_designation(universe)),
            )
        )

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "creators": row.creators,
            "universes": row.universes,
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)
