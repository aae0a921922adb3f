"""The resource of credits, which are read with their issue and created many at a time."""

from typing import NoReturn

import colander
import orjson
from sqlalchemy import ARRAY, Integer, cast, func, select

from comicsdb.catalog import InvalidRowsError, issue_parts
from comicsdb.models import Credit, Role, credit_role
from comicsdb.schemas import CreditSchema, errors_by_field
from comicsdb.schemas.base import NON_FIELD_ERRORS
from comicsdb.schemas.types import LIST_LENGTH_MAX
from comicsdb_api.errors import BadRequestError, RefusedError, messages_by_field
from comicsdb_api.resource import bodies, expressions
from comicsdb_api.resources.part import PartResource
from comicsdb_api.responses import to_json

credit = Credit.__table__


class CreditResource(PartResource):
    """Credits: who did what on an issue."""

    model = Credit
    schema = CreditSchema
    accepts_list = True

    @classmethod
    def detail_methods(cls) -> dict[str, str]:
        """None: credits are changed with their issue."""
        return {}

    @classmethod
    def written_fields(cls) -> dict:
        """The fields of a created credit, with its roles in order."""
        role = Role.__table__
        roles = expressions.json_list(
            role.c.id,
            credit_role.join(role),
            credit_role.c.credit_id == credit.c.id,
            (role.c.order, role.c.id),
            credit,
        )
        return {
            "id": credit.c.id,
            "modified": expressions.instant(credit.c.modified),
            "issue": credit.c.issue_id,
            "creator": credit.c.creator_id,
            "role": roles,
        }

    def create(self, sent: bodies.ParsedBody) -> bytes:
        """Create credits; returns the body, which has them in the order sent. Raises BadRequestError."""
        wanted, problems = self._validate(sent)
        catalog = self.request.catalog
        if problems:
            self._raise_errors(problems, issue_parts.find_credit_errors(catalog, wanted))
        try:
            made = issue_parts.add_credits(catalog, list(wanted.values()))
        except InvalidRowsError as invalid:
            self._raise_errors({}, invalid.errors)
        found = self.request.dbsession.scalar(select(expressions.rows_as_json(_created_rows(made))))
        return to_json(orjson.loads(found))

    def _validate(self, sent: bodies.ParsedBody) -> tuple[dict[int, dict], dict[int, dict]]:
        """The valid credits and the errors of the others, by index."""
        schema = self.schema(form=sent.is_form)
        rows = sent.rows(schema)
        if not isinstance(rows, list):
            raise BadRequestError(
                {NON_FIELD_ERRORS: [f'Expected a list of items but got type "{type(rows).__name__}".']}
            )
        if len(rows) > LIST_LENGTH_MAX:
            raise RefusedError(413, f"The list has more than {LIST_LENGTH_MAX} credits.")
        wanted, problems = {}, {}
        for index, row in enumerate(rows):
            try:
                wanted[index] = schema.deserialize(row)
            except colander.Invalid as invalid:
                problems[index] = errors_by_field(invalid)
        return wanted, problems

    def _raise_errors(self, problems: dict[int, dict], faults: dict[int, dict]) -> NoReturn:
        found = problems | {index: messages_by_field(errors) for index, errors in faults.items()}
        raise BadRequestError({str(index): found[index] for index in sorted(found)})


def _created_rows(ids: list[int]):
    """The rows of new credits, in the order of their ids in the list."""
    place = func.array_position(cast(ids, ARRAY(Integer)), credit.c.id)
    fields = expressions.labelled_columns(CreditResource.written_fields())
    return select(*fields).where(credit.c.id.in_(ids)).order_by(place)
