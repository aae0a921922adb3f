"""Imprints."""

from sqlalchemy import select

from comicsdb.catalog.filters import Condition, equal
from comicsdb.models import Imprint, Publisher, Series
from comicsdb.schemas import ImprintSchema
from comicsdb_web.forms.catalog_forms import (
    DESC,
    EXTERNAL_IDS,
    FOUNDED,
    IDS,
    LOGO,
    NAME,
    PUBLISHER,
    SOURCES,
    about,
    picture,
)
from comicsdb_web.forms.fields import EntityForm
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalog.base import EntityViews, series_of
from comicsdb_web.rendering.json_columns import object_or_null
from comicsdb_web.rendering.page_cache import CachePolicy

FORM = EntityForm(
    ImprintSchema, (about(NAME, PUBLISHER, FOUNDED, DESC), picture(LOGO), IDS, EXTERNAL_IDS, SOURCES)
)


class ImprintViews(EntityViews):
    """The pages of imprints."""

    model = Imprint
    form = FORM
    icon = (
        '<path d="M12 3.500c2.2 0 3.5 1.5 3.5 3.3 0 2.2-1.7 2.7-1.7 5.200h3.700a2 2 0 0 1 2 2v2.5'
        "00h-15V14a2 2 0 0 1 2-2h3.700c0-2.5-1.7-3-1.7-5.200C8.5 5 9.8 3.5 12 3.500ZM5.5 20.500h1"
        '3"/>'
    )
    menu = "comics"
    comic_vine_prefix = 4010
    gcd_path = "brand_group"
    shows = CachePolicy(("imprint", "series", "series_type", "publisher", "issue"), Imprint)

    @classmethod
    def page_columns(cls, own):
        """Its publisher, the number of its series, and the latest."""
        publisher = select(*cards.link_columns(Publisher)).where(Publisher.id == own.publisher_id)
        return {"publisher": object_or_null("publisher", publisher, own), **series_of(own, Series.imprint_id)}

    def series_list(self):
        """The series of an imprint."""
        imprint = self._entity()
        mine = Condition(equal, Series.imprint_id).clause("owner", imprint.id)
        return self._listing({"owner": imprint, "query": ""}, mine, model=Series)
