"""Publishers, with their imprints and universes."""

from comicsdb.catalog.filters import Condition, equal
from comicsdb.models import Imprint, Publisher, Series, Universe
from comicsdb.models.choices import DEFAULT_COUNTRY
from comicsdb.schemas import PublisherSchema
from comicsdb_web.forms import options
from comicsdb_web.forms.catalog_forms import (
    ALT_NAMES,
    DESC,
    EXTERNAL_IDS,
    FOUNDED,
    IDS,
    LOGO,
    NAME,
    SOURCES,
    about,
    picture,
)
from comicsdb_web.forms.fields import CountryChoice, EntityForm
from comicsdb_web.lists.catalog_filters import PUBLISHER
from comicsdb_web.pages.catalog.base import EntityViews, card_block, series_of
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy

FORM = EntityForm(
    PublisherSchema,
    (
        about(
            NAME,
            ALT_NAMES,
            FOUNDED,
            CountryChoice("country", _("Country"), initial=DEFAULT_COUNTRY, options=options.countries),
            DESC,
        ),
        picture(LOGO),
        IDS,
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class PublisherViews(EntityViews):
    """The pages of publishers."""

    model = Publisher
    form = FORM
    icon = (
        '<path d="M4 20.500v-14l7-3v17M11 9l9 2.500v9M2.5 20.500h19M7 9v.01M7 12.500v.01M7 16v.01'
        'M15.5 14.500v.01M15.5 17.500v.01"/>'
    )
    menu = "comics"
    comic_vine_prefix = 4010
    gcd_path = "publisher"
    shows = CachePolicy(("publisher", "imprint", "universe", "series", "series_type", "issue"), Publisher)
    filters = PUBLISHER
    blocks = (
        card_block(
            "imprints", _("Imprints"), Imprint, lambda publisher: Imprint.publisher_id == publisher.id
        ),
        card_block(
            "universes", _("Universes"), Universe, lambda publisher: Universe.publisher_id == publisher.id
        ),
    )

    @classmethod
    def page_columns(cls, own):
        """The number of its series, and the latest."""
        return series_of(own, Series.publisher_id)

    def series_list(self):
        """The series of a publisher."""
        publisher = self._entity()
        mine = Condition(equal, Series.publisher_id).clause("owner", publisher.id)
        return self._listing({"owner": publisher, "query": ""}, mine, model=Series)
