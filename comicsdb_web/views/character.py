"""Characters: who they are, and where they appear."""

from sqlalchemy.orm import selectinload

from comicsdb.models import Character
from comicsdb_web.entity import (
    EntityViews,
    WithIssues,
    WithSeries,
    first_appearance,
    issue_count,
    recent_appearances,
    series_block,
)
from comicsdb_web.locales import _


class CharacterViews(WithSeries, WithIssues, EntityViews):
    """The pages of characters (web.md 4.5)."""

    model = Character
    options = tuple(selectinload(link) for link in (Character.creators, Character.teams, Character.universes))
    blocks = (series_block(_("Appearances")),)

    def facts(self, character):
        """First and latest appearances."""
        return {
            "issue_count": issue_count(self.session, character),
            "first": first_appearance(self.session, character),
            "recent": recent_appearances(self.session, character),
        }
