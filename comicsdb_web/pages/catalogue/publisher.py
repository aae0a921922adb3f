"""Publishers: the list, and each with its imprints and universes."""

from comicsdb.models import Imprint, Publisher, Series, Universe
from comicsdb_web.forms.catalogue_forms import PUBLISHER_FORM
from comicsdb_web.lists import cards
from comicsdb_web.lists.catalogue_filters import PUBLISHER
from comicsdb_web.pages.catalogue.base import EntityViews, card_block, latest_series
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


class PublisherViews(EntityViews):
    """The pages of publishers."""

    model = Publisher
    form = PUBLISHER_FORM
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

    def facts(self, publisher):
        """The number of its series, and the latest."""
        mine = Series.publisher_id == publisher.id
        return {
            "series_count": self.session.scalar(cards.counted(Series, mine)),
            "latest": latest_series(self.session, mine),
        }

    def series_list(self):
        """The series of a publisher."""
        publisher = self._entity()
        mine = Series.publisher_id == publisher.id
        return self._listing({"owner": publisher, "query": ""}, mine, model=Series)
