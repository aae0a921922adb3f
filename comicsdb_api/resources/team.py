"""The resource of teams."""

from comicsdb.models import Creator, Team, Universe, issue_team, team_creator, team_universe
from comicsdb.schemas import TeamSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource
from comicsdb_api.resources.issue import linked_issues

team, universe = Team.__table__, Universe.__table__


class TeamResource(CatalogResource):
    """Groups of characters."""

    model = Team
    schema = TeamSchema
    filters = filters.name_filters(Team)
    child_lists = {"issue_list": linked_issues(Team, issue_team)}

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": team.c.id,
            "name": team.c.name,
            "desc": team.c.desc,
            "image": expressions.picture_url(team.c.image),
            "creators": expressions.stamped_list(team, team_creator, Creator.__table__),
            "universes": expressions.stamped_list(
                team, team_universe, universe, expressions.by_kind_order(Universe)
            ),
            "cv_id": team.c.cv_id,
            "gcd_id": team.c.gcd_id,
        } | cls.closing_fields()
