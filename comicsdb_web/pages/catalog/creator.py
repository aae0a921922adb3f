"""Creators: what they made."""

from comicsdb.models import Creator
from comicsdb.schemas import CreatorSchema
from comicsdb_web.forms.catalog_forms import (
    ALIAS,
    DESC,
    EXTERNAL_IDS,
    IDS,
    IMAGE,
    NAME,
    SOURCES,
    about,
    picture,
)
from comicsdb_web.forms.fields import EntityForm, PartialDay
from comicsdb_web.pages.catalog.base import (
    EntityViews,
    IssueListMixin,
    SeriesIssuesMixin,
    issue_count,
    recent_appearances,
    series_block,
)
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy

_LIFE = _("As much as is known: 1963-09-12, 1963-09 or 1963.")

FORM = EntityForm(
    CreatorSchema,
    (
        about(
            NAME,
            ALIAS,
            PartialDay("birth", _("Born"), help=_LIFE, max_length=10),
            PartialDay("death", _("Died"), help=_LIFE, max_length=10),
            DESC,
        ),
        picture(IMAGE),
        IDS,
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class CreatorViews(SeriesIssuesMixin, IssueListMixin, EntityViews):
    """The pages of creators."""

    model = Creator
    form = FORM
    icon = (
        '<path d="m4 20 1.5-6L16 3.500a2 2 0 0 1 2.8 0l1.7 1.700a2 2 0 0 1 0 2.800L10 18.5 4 20ZM'
        '13.5 6l4.5 4.500M5.5 14l4.5 4.5"/>'
    )
    menu = "people"
    card_size = "creator"
    comic_vine_prefix = 4040
    gcd_path = "creator"
    shows = CachePolicy(("creator", "issue", "series", "series_type", "publisher"), Creator)
    blocks = (series_block(_("Credits")),)

    @classmethod
    def page_columns(cls, own):
        """The number of issues, and the latest."""
        return {"issue_count": issue_count(own), "recent": recent_appearances(own)}
