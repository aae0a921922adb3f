"""Creators: what they made."""

from comicsdb.models import Creator
from comicsdb_web.forms.catalogue_forms import CREATOR_FORM
from comicsdb_web.pages.catalogue.base import (
    EntityViews,
    WithIssues,
    WithSeries,
    issue_count,
    recent_appearances,
    series_block,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


class CreatorViews(WithSeries, WithIssues, EntityViews):
    """The pages of creators."""

    model = Creator
    form = CREATOR_FORM
    shows = CachePolicy(("creator", "issue", "series", "series_type", "publisher"), Creator)
    blocks = (series_block(_("Credits")),)

    def facts(self, creator):
        """The number of issues, and the latest."""
        return {
            "issue_count": issue_count(self.session, creator),
            "recent": recent_appearances(self.session, creator),
        }
