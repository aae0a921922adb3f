"""The schema of series."""

from comicsdb.models.choices import LANGUAGES, Status
from comicsdb.schemas.base import (
    NAME_LENGTH,
    field,
    reference,
    references,
    small_integer,
    text,
    texts,
    year,
)
from comicsdb.schemas.catalog_schema import CatalogSchema
from comicsdb.schemas.types import Choice, Id


class SeriesSchema(CatalogSchema):
    """A series.

    Without `partial`, a missing imprint means none, and so do an empty text, 0 and null: writing the whole
    series without an imprint removes it.
    """

    sort_name = text(NAME_LENGTH, required=True)
    alt_names = texts(NAME_LENGTH)
    language = field(Choice(("", *LANGUAGES)))
    volume = small_integer(required=True)
    series_type = reference(required=True)
    status = field(Choice(Status), required=True)
    publisher = reference(required=True)
    imprint = field(Id(nullable=True, zero_is_none=True))
    year_began = year(required=True)
    year_end = year()
    genres = references()
    associated = references()

    def __init__(self, **options):
        super().__init__(**options)
        if not self.partial:
            self["imprint"].missing = None
