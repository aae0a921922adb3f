"""Teams and their members."""

from sqlalchemy import select

from comicsdb.models import Character, Creator, Team, Universe, character_team, team_creator, team_universe
from comicsdb.schemas import TeamSchema
from comicsdb_web.forms.catalog_forms import (
    CREATORS,
    DESC,
    EXTERNAL_IDS,
    IDS,
    IMAGE,
    NAME,
    SOURCES,
    UNIVERSES,
    about,
    picture,
)
from comicsdb_web.forms.fields import EntityForm, Section
from comicsdb_web.pages.catalog.base import (
    EntityViews,
    IssueListMixin,
    card_block,
    issue_count,
    linked_objects,
    recent_appearances,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _members(team):
    members = select(character_team.c.character_id).where(character_team.c.team_id == team.id)
    return Character.id.in_(members.correlate_except(character_team))


FORM = EntityForm(
    TeamSchema,
    (
        about(NAME, DESC),
        Section("links", _("Connections"), (CREATORS, UNIVERSES)),
        picture(IMAGE),
        IDS,
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class TeamViews(IssueListMixin, EntityViews):
    """The pages of teams."""

    model = Team
    form = FORM
    icon = (
        '<circle cx="12" cy="7.5" r="3.2"/><path d="M6.5 18.500c.3-3.7 2.3-5.7 5.5-5.700s5.2 2 5.'
        "5 5.700M5.5 12.500a2.5 2.5 0 1 1 1.2-4.700M2.5 17.500c.1-1.9.9-3.2 2.2-3.900M18.5 12.500"
        'a2.5 2.5 0 1 0-1.2-4.700M21.5 17.500c-.1-1.9-.9-3.2-2.2-3.9"/>'
    )
    menu = "people"
    portrait_size = "emblem"
    comic_vine_prefix = 4060
    gcd_path = "group"
    shows = CachePolicy(
        ("team", "creator", "universe", "character", "issue", "series", "series_type", "publisher"), Team
    )
    blocks = (card_block("members", _("Members"), Character, _members),)

    @classmethod
    def page_columns(cls, own):
        """The number of issues, and the latest; creators and universes."""
        return {
            "issue_count": issue_count(own),
            "recent": recent_appearances(own),
            "creators": linked_objects(own, Creator, team_creator),
            "universes": linked_objects(own, Universe, team_universe),
        }
