"""Imprints."""

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from comicsdb.models import Imprint, Series
from comicsdb_web.entity import EntityViews


class ImprintViews(EntityViews):
    """The pages of imprints (web.md 4.5)."""

    model = Imprint
    options = (joinedload(Imprint.publisher),)

    def facts(self, imprint):
        """The number of its series."""
        mine = Series.imprint_id == imprint.id
        return {"series_count": self.session.scalar(select(func.count()).where(mine))}

    def series_list(self):
        """The series of an imprint."""
        imprint = self._entity()
        mine = Series.imprint_id == imprint.id
        return self._listing({"owner": imprint, "query": ""}, mine, model=Series)
