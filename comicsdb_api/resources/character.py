"""The resource of characters."""

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
from comicsdb.schemas import CharacterSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import CatalogResource
from comicsdb_api.resources.issue import linked_issues

character, universe = Character.__table__, Universe.__table__


class CharacterResource(CatalogResource):
    """Characters that appear in comics."""

    model = Character
    schema = CharacterSchema
    filters = filters.name_filters(Character)
    child_lists = {"issue_list": linked_issues(Character, issue_character)}

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": character.c.id,
            "name": character.c.name,
            "alias": character.c.alias,
            "desc": character.c.desc,
            "image": expressions.picture_url(character.c.image),
            "creators": expressions.stamped_list(character, character_creator, Creator.__table__),
            "teams": expressions.stamped_list(character, character_team, Team.__table__),
            "universes": expressions.stamped_list(
                character, character_universe, universe, expressions.by_kind_order(Universe)
            ),
            "cv_id": character.c.cv_id,
            "gcd_id": character.c.gcd_id,
        } | cls.closing_fields()
