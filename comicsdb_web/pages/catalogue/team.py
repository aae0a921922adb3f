"""Teams and their members."""

from sqlalchemy import select
from sqlalchemy.orm import selectinload, undefer

from comicsdb.models import Character, Creator, Team, Universe, character_team
from comicsdb_web.forms.catalogue_forms import TEAM_FORM
from comicsdb_web.pages.catalogue.base import (
    EntityViews,
    WithIssues,
    card_block,
    issue_count,
    recent_appearances,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _members(team):
    return Character.id.in_(select(character_team.c.character_id).where(character_team.c.team_id == team.id))


class TeamViews(WithIssues, EntityViews):
    """The pages of teams."""

    model = Team
    form = TEAM_FORM
    shows = CachePolicy(
        ("team", "creator", "universe", "character", "issue", "series", "series_type", "publisher"), Team
    )
    options = (
        selectinload(Team.creators).undefer(Creator.folded),
        selectinload(Team.universes).options(undefer(Universe.folded), undefer(Universe.designation_folded)),
    )
    blocks = (card_block("members", _("Members"), Character, _members),)

    def facts(self, team):
        """The number of issues, and the latest."""
        return {
            "issue_count": issue_count(self.session, team),
            "recent": recent_appearances(self.session, team),
        }
