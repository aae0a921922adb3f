"""Characters (api.md 2.3)."""

from comicsdb.models import (
    Character,
    Creator,
    Team,
    Universe,
    character_creator,
    character_team,
    character_universe,
    issue_character,
)
from comicsdb_api import shapes
from comicsdb_api.resources.catalogue import ListingResource
from comicsdb_api.resources.issue import linked_issues


class CharacterResource(ListingResource):
    """Those who appear in comics."""

    model = Character
    issues = linked_issues(Character, issue_character)

    @classmethod
    def detail_query(cls):
        """With creators, teams and universes."""
        own, universe = Character.__table__, Universe.__table__
        return (
            super()
            .detail_query()
            .add_columns(
                shapes.stamps(own, character_creator, Creator.__table__),
                shapes.stamps(own, character_team, Team.__table__),
                shapes.stamps(own, character_universe, universe, shapes.by_designation(universe)),
            )
        )

    def detail(self, row) -> dict:
        """The detail form."""
        return {
            "id": row.id,
            "name": row.name,
            "alias": row.alias,
            "desc": row.desc,
            "image": self.image_url(row.image),
            "creators": row.creators,
            "teams": row.teams,
            "universes": row.universes,
            "cv_id": row.cv_id,
            "gcd_id": row.gcd_id,
            "resource_url": self.page_url(row),
        } | self.closing(row)
