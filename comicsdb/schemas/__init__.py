"""What may be written to each kind: fields, types, limits, and messages for what does not fit.

`PublisherSchema().deserialize(values)` gives the values that `catalog.create` takes, or raises
`colander.Invalid`, which `errors_of` turns into messages by field. With `partial=True` nothing is required
(PATCH); with `form=True` an empty text stands for "no value" where a field has such a state.
No schema looks at the database: whether ids exist, and how fields must agree, is the catalogue's business.
"""

from comicsdb.schemas.attribution import AttributionSchema
from comicsdb.schemas.base import CatalogueSchema, EntitySchema, ObjectSchema, errors_of
from comicsdb.schemas.issue import CreditSchema, IssueSchema, VariantSchema
from comicsdb.schemas.people import ArcSchema, CharacterSchema, CreatorSchema, TeamSchema
from comicsdb.schemas.publisher import ImprintSchema, PublisherSchema, UniverseSchema
from comicsdb.schemas.reference import AgeRatingSchema, GenreSchema, RoleSchema, SeriesTypeSchema
from comicsdb.schemas.series import SeriesSchema

__all__ = [
    "AgeRatingSchema",
    "ArcSchema",
    "AttributionSchema",
    "CatalogueSchema",
    "CharacterSchema",
    "CreatorSchema",
    "CreditSchema",
    "EntitySchema",
    "GenreSchema",
    "ImprintSchema",
    "IssueSchema",
    "ObjectSchema",
    "PublisherSchema",
    "RoleSchema",
    "SeriesSchema",
    "SeriesTypeSchema",
    "TeamSchema",
    "UniverseSchema",
    "VariantSchema",
    "errors_of",
]
