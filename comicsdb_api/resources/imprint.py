"""The resource of imprints."""

from dataclasses import replace

from comicsdb.models import Imprint, Publisher
from comicsdb.schemas import ImprintSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resources import filters
from comicsdb_api.resources.catalog_resource import PublishedResource

imprint = Imprint.__table__


class ImprintResource(PublishedResource):
    """Imprints of publishers."""

    model = Imprint
    schema = ImprintSchema
    filters = filters.name_filters(Imprint)

    @classmethod
    def detail_fields(cls) -> dict:
        """The fields of a detail."""
        return {
            "id": imprint.c.id,
            "name": imprint.c.name,
            "founded": imprint.c.founded,
            "desc": imprint.c.desc,
            "image": expressions.picture_url(imprint.c.image),
            "cv_id": imprint.c.cv_id,
            "gcd_id": imprint.c.gcd_id,
            "publisher": expressions.named_object(Publisher.__table__),
        } | cls.closing_fields()

    @classmethod
    def pictures(cls):
        """The declaration of the logo; only here does an empty text in a form remove the picture."""
        return replace(super().pictures(), empty_text_removes=True)
