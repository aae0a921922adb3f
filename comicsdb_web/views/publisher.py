"""Publishers: the list, and each with its imprints and universes."""

from sqlalchemy import func, select

from comicsdb.models import Imprint, Publisher, Series, Universe
from comicsdb_web.entity import EntityViews, card_block
from comicsdb_web.locales import _


class PublisherViews(EntityViews):
    """The pages of publishers (web.md 4.5)."""

    model = Publisher
    blocks = (
        card_block(
            "imprints", _("Imprints"), Imprint, lambda publisher: Imprint.publisher_id == publisher.id
        ),
        card_block(
            "universes", _("Universes"), Universe, lambda publisher: Universe.publisher_id == publisher.id
        ),
    )

    def facts(self, publisher):
        """The number of its series."""
        mine = Series.publisher_id == publisher.id
        return {"series_count": self.session.scalar(select(func.count()).where(mine))}

    def series_list(self):
        """The series of a publisher."""
        publisher = self._entity()
        mine = Series.publisher_id == publisher.id
        return self._listing({"owner": publisher, "query": ""}, mine, model=Series)
