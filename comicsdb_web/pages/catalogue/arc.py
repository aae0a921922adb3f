"""Arcs: the issues of a story, in reading order."""

from comicsdb.models import Arc, Issue, Series
from comicsdb_web.forms.catalogue_forms import ARC_FORM
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalogue.base import EntityViews, WithIssues, card_block, issue_count
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy

READING_ORDER = (
    Issue.cover_date,
    Issue.store_date.asc().nulls_last(),
    Series.sort_folded,
    Series.sort_name,
    Issue.number,
    Issue.id,
)


class ArcViews(WithIssues, EntityViews):
    """The pages of arcs."""

    model = Arc
    form = ARC_FORM
    shows = CachePolicy(("arc", "issue", "series", "series_type", "publisher"), Arc)
    blocks = (card_block("issues", _("Issues"), Issue, cards.issues_of, READING_ORDER),)

    def facts(self, arc):
        """The number of issues."""
        return {"issue_count": issue_count(self.session, arc)}
