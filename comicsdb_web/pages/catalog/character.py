"""Characters: who they are, and where they appear."""

from comicsdb.models import (
    Character,
    Creator,
    Team,
    Universe,
    character_creator,
    character_team,
    character_universe,
)
from comicsdb.schemas import CharacterSchema
from comicsdb_web.forms.catalog_forms import (
    ALIAS,
    CREATORS,
    DESC,
    EXTERNAL_IDS,
    IDS,
    IMAGE,
    NAME,
    SOURCES,
    TEAMS,
    UNIVERSES,
    about,
    picture,
)
from comicsdb_web.forms.fields import EntityForm, Section
from comicsdb_web.pages.catalog.base import (
    EntityViews,
    IssueListMixin,
    SeriesIssuesMixin,
    first_appearance,
    issue_count,
    linked_objects,
    recent_appearances,
    series_block,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy

FORM = EntityForm(
    CharacterSchema,
    (
        about(NAME, ALIAS, DESC),
        Section("links", _("Connections"), (CREATORS, TEAMS, UNIVERSES)),
        picture(IMAGE),
        IDS,
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class CharacterViews(SeriesIssuesMixin, IssueListMixin, EntityViews):
    """The pages of characters."""

    model = Character
    form = FORM
    icon = (
        '<path d="M3.5 7.500c5.5-1.7 11.5-1.7 17 0 .6 5-1.3 9-5 9-2 0-2.5-2-3.5-2s-1.5 2-3.5 2c-3'
        '.7 0-5.6-4-5-9ZM7 11.300c1.2-.8 2.5-.6 3.3.7M17 11.300c-1.2-.8-2.5-.6-3.3.7"/>'
    )
    menu = "people"
    card_size = "card_top"
    comic_vine_prefix = 4005
    gcd_path = "character"
    shows = CachePolicy(
        ("character", "creator", "team", "universe", "issue", "series", "series_type", "publisher"), Character
    )
    blocks = (series_block(_("Appearances")),)

    @classmethod
    def page_columns(cls, own):
        """First and latest appearances; creators, teams and universes."""
        return {
            "issue_count": issue_count(own),
            "first": first_appearance(own),
            "recent": recent_appearances(own),
            "creators": linked_objects(own, Creator, character_creator),
            "teams": linked_objects(own, Team, character_team),
            "universes": linked_objects(own, Universe, character_universe),
        }
