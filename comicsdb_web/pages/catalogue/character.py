"""Characters: who they are, and where they appear."""

from sqlalchemy.orm import selectinload, undefer

from comicsdb.models import Character, Creator, Team, Universe
from comicsdb_web.forms.catalogue_forms import CHARACTER_FORM
from comicsdb_web.pages.catalogue.base import (
    EntityViews,
    WithIssues,
    WithSeries,
    first_appearance,
    issue_count,
    recent_appearances,
    series_block,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


class CharacterViews(WithSeries, WithIssues, EntityViews):
    """The pages of characters."""

    model = Character
    form = CHARACTER_FORM
    shows = CachePolicy(
        ("character", "creator", "team", "universe", "issue", "series", "series_type", "publisher"), Character
    )
    options = (
        selectinload(Character.creators).undefer(Creator.folded),
        selectinload(Character.teams).undefer(Team.folded),
        selectinload(Character.universes).options(
            undefer(Universe.folded), undefer(Universe.designation_folded)
        ),
    )
    blocks = (series_block(_("Appearances")),)

    def facts(self, character):
        """First and latest appearances."""
        return {
            "issue_count": issue_count(self.session, character),
            "first": first_appearance(self.session, character),
            "recent": recent_appearances(self.session, character),
        }
