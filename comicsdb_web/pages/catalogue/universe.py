"""Universes: who lives there, and in which series they appear."""

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from comicsdb.models import Character, Team, Universe, character_universe, team_universe
from comicsdb_web.forms.catalogue_forms import UNIVERSE_FORM
from comicsdb_web.pages.catalogue.base import (
    EntityViews,
    WithIssues,
    WithSeries,
    card_block,
    first_appearance,
    issue_count,
    series_block,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _characters(universe):
    links = character_universe.c
    return Character.id.in_(select(links.character_id).where(links.universe_id == universe.id))


def _teams(universe):
    return Team.id.in_(select(team_universe.c.team_id).where(team_universe.c.universe_id == universe.id))


class UniverseViews(WithSeries, WithIssues, EntityViews):
    """The pages of universes."""

    model = Universe
    form = UNIVERSE_FORM
    shows = CachePolicy(
        ("universe", "character", "team", "issue", "series", "series_type", "publisher"), Universe
    )
    options = (joinedload(Universe.publisher),)
    blocks = (
        card_block("characters", _("Characters"), Character, _characters),
        card_block("teams", _("Teams"), Team, _teams),
        series_block(_("Appearances")),
    )

    def facts(self, universe):
        """Where it first appeared, and in how many issues it does."""
        return {
            "issue_count": issue_count(self.session, universe),
            "first": first_appearance(self.session, universe),
        }
