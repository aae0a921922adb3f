"""Universes: their characters and teams, and the series in which they appear."""

from typing import ClassVar

from sqlalchemy import select

from comicsdb.models import Character, Publisher, Team, Universe, character_universe, team_universe
from comicsdb.schemas import UniverseSchema
from comicsdb.schemas.base import NAME_LENGTH, external_id
from comicsdb_web.forms.catalog_forms import (
    DESC,
    EXTERNAL_IDS,
    GCD_ID,
    IDS,
    IMAGE,
    NAME,
    SOURCES,
    about,
    picture,
)
from comicsdb_web.forms.fields import EntityForm, Line, ModelSelect, Section
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalog.base import (
    EntityViews,
    IssueListMixin,
    SeriesIssuesMixin,
    card_block,
    first_appearance,
    issue_count,
    series_block,
)
from comicsdb_web.rendering.json_columns import object_or_null
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _characters(universe):
    links = character_universe.c
    found = select(links.character_id).where(links.universe_id == universe.id)
    return Character.id.in_(found.correlate_except(character_universe))


def _teams(universe):
    found = select(team_universe.c.team_id).where(team_universe.c.universe_id == universe.id)
    return Team.id.in_(found.correlate_except(team_universe))


FORM = EntityForm(
    UniverseSchema,
    (
        about(
            ModelSelect("publisher", _("Publisher"), source="publisher"),
            NAME,
            Line(
                "designation",
                _("Designation"),
                help=_("Such as Earth 2, without a hyphen."),
                max_length=NAME_LENGTH,
            ),
            DESC,
        ),
        picture(IMAGE),
        Section("ids", _("Identification numbers"), (GCD_ID,)),
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class WholeUniverseSchema(UniverseSchema):
    """A universe with its Comic Vine ID, which the site's form does not have."""

    cv_id = external_id()


class UniverseViews(SeriesIssuesMixin, IssueListMixin, EntityViews):
    """The pages of universes."""

    model = Universe
    form = FORM
    admin_form = EntityForm(WholeUniverseSchema, (*FORM.sections[:2], IDS, EXTERNAL_IDS, SOURCES))
    icon = (
        '<circle cx="12" cy="12" r="5"/><path d="M16.3 9.500c2.9-.2 4.8.2 5 1.2.4 1.5-3.5 3.8-8.6'
        ' 5.200s-9.6 1.3-10-.2c-.3-1 1.3-2.5 4-3.9"/>'
    )
    card_size = "card_top"
    portrait_size = "emblem"
    gcd_path = "universe"
    conflict_messages: ClassVar = {
        ("publisher", "name", "designation"): (
            "name",
            _("This publisher already has a universe with this name and designation:"),
        )
    }
    shows = CachePolicy(
        ("universe", "character", "team", "issue", "series", "series_type", "publisher"), Universe
    )
    blocks = (
        card_block("characters", _("Characters"), Character, _characters),
        card_block("teams", _("Teams"), Team, _teams),
        series_block(_("Appearances")),
    )

    @classmethod
    def page_columns(cls, own):
        """Its publisher, its first appearance, and the number of its issues."""
        publisher = select(*cards.link_columns(Publisher)).where(Publisher.id == own.publisher_id)
        return {
            "publisher": object_or_null("publisher", publisher, own),
            "issue_count": issue_count(own),
            "first": first_appearance(own),
        }
