"""Arcs: the issues of a story, in reading order."""

from comicsdb.models import Arc, Issue, Series
from comicsdb.schemas import ArcSchema
from comicsdb_web.forms.catalog_forms import DESC, EXTERNAL_IDS, IDS, IMAGE, NAME, SOURCES, about, picture
from comicsdb_web.forms.fields import EntityForm
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalog.base import EntityViews, IssueListMixin, card_block, issue_count
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


FORM = EntityForm(ArcSchema, (about(NAME, DESC), picture(IMAGE), IDS, EXTERNAL_IDS, SOURCES))


class ArcViews(IssueListMixin, EntityViews):
    """The pages of arcs."""

    model = Arc
    form = FORM
    icon = (
        '<path d="M4 18.500C4 10 8 5.5 12 5.500s8 4.5 8 13"/><circle cx="4" cy="19" r="1.5"/><cir'
        'cle cx="12" cy="5.5" r="1.5"/><circle cx="20" cy="19" r="1.5"/>'
    )
    comic_vine_prefix = 4045
    gcd_path = "story_arc"
    shows = CachePolicy(("arc", "issue", "series", "series_type", "publisher"), Arc)
    blocks = (card_block("issues", _("Issues"), Issue, cards.issues_of, READING_ORDER),)

    @classmethod
    def page_columns(cls, own):
        """The number of issues."""
        return {"issue_count": issue_count(own)}
