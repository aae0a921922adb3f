"""Imprints."""

from sqlalchemy.orm import joinedload

from comicsdb.models import Imprint, Series
from comicsdb_web.forms.catalogue_forms import IMPRINT_FORM
from comicsdb_web.lists import cards
from comicsdb_web.pages.catalogue.base import EntityViews, latest_series
from comicsdb_web.rendering.page_cache import CachePolicy


class ImprintViews(EntityViews):
    """The pages of imprints."""

    model = Imprint
    form = IMPRINT_FORM
    shows = CachePolicy(("imprint", "series", "series_type", "publisher", "issue"), Imprint)
    options = (joinedload(Imprint.publisher),)

    def facts(self, imprint):
        """The number of its series, and the latest."""
        mine = Series.imprint_id == imprint.id
        return {
            "series_count": self.session.scalar(cards.counted(Series, mine)),
            "latest": latest_series(self.session, mine),
        }

    def series_list(self):
        """The series of an imprint."""
        imprint = self._entity()
        mine = Series.imprint_id == imprint.id
        return self._listing({"owner": imprint, "query": ""}, mine, model=Series)
