"""Schemas that validate what is written to each kind: fields, types, limits and error messages.

`PublisherSchema().deserialize(values)` returns values for `catalog.create`, or raises `colander.Invalid`,
which `errors_by_field` turns into messages by field. With `partial=True` nothing is required (PATCH); with
`form=True` an empty text means "no value" if the field allows that. Schemas do not access the database: the
catalog checks whether ids exist and fields are consistent.
"""

from comicsdb.schemas.attribution import AttributionSchema
from comicsdb.schemas.base import EntitySchema, ObjectSchema, errors_by_field
from comicsdb.schemas.external_id import ExternalIdSchema
from comicsdb.schemas.issue import CreditSchema, IssueSchema, VariantSchema
from comicsdb.schemas.people import ArcSchema, CharacterSchema, CreatorSchema, TeamSchema
from comicsdb.schemas.publisher import ImprintSchema, PublisherSchema, UniverseSchema
from comicsdb.schemas.reference import AgeRatingSchema, GenreSchema, RoleSchema, SeriesTypeSchema
from comicsdb.schemas.series import SeriesSchema
