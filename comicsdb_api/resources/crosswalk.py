"""Conversion of other databases' ids to ours, and of ours to all others (`/api/crosswalk/`)."""

from collections.abc import Iterable

from sqlalchemy import Boolean, Integer, String, literal_column

from comicsdb.catalog import crosswalk
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.readcache.etag import with_tag
from comicsdb.schemas import ObjectSchema
from comicsdb.schemas.base import field
from comicsdb.schemas.external_id import ID_LENGTH
from comicsdb.schemas.types import Choice as ChoiceField
from comicsdb.schemas.types import ListOf as ListField
from comicsdb.schemas.types import Text
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_api.errors import BadRequestError
from comicsdb_api.resource import bodies, expressions
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.conditional import conditional_response
from comicsdb_api.resource.external_ids import external_id
from comicsdb_api.resource.operations import Operation, ResponseBody
from comicsdb_api.resource.types import ChoiceText, JsonList, Url
from comicsdb_api.resource.writes import validated
from comicsdb_api.responses import json_response, to_json

OWN_SOURCE = "comicsdb"  # the source of our own ids
IDS_MAX = 1000  # ids in one request
TOO_MANY = f"Send at most {IDS_MAX} ids."
NO_KIND = "The kind is required for our own ids."


class CrosswalkSchema(ObjectSchema):
    """Ids of a source; `kind` narrows the objects found, and is required for our own ids."""

    source = field(ChoiceField([OWN_SOURCE, *EXTERNAL_SOURCES]), required=True)
    kind = field(ChoiceField(OWNERS))
    ids = field(ListField(Text(ID_LENGTH, blank=False), empty=False), required=True)


def _text():
    return literal_column("''", String)


class CrosswalkResource(Resource):
    """External ids: their sources, and the objects that they identify."""

    title = "crosswalk"
    costs = {"POST": 10}

    @classmethod
    def found_fields(cls) -> dict:
        """The fields of the response to ids."""
        url = expressions.value_or_null(literal_column("true", Boolean), literal_column("url", Url()))
        told = external_id(_text(), _text(), _text(), url)
        match = expressions.json_object(
            "CrosswalkMatch",
            asked=_text(),
            kind=literal_column("kind", ChoiceText(*OWNERS)),
            id=literal_column("1", Integer),
            is_merged=literal_column("true", Boolean),
            external_ids=literal_column("external_ids", JsonList(told)),
        )
        return {
            "results": literal_column("results", JsonList(match)),
            "unknown": literal_column("unknown", JsonList(_text())),
        }

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The body of the list of sources."""
        source = expressions.json_object("ExternalSource", source=_text(), name=_text(), pattern=_text())
        sources = {"sources": literal_column("sources", JsonList(source))}
        return {"body": ResponseBody("ExternalSources", sources)}

    def get(self):
        """The sources of external ids."""
        sources = [
            {"source": source, "name": rules.label, "pattern": f"^({rules.pattern})$"}
            for source, rules in EXTERNAL_SOURCES.items()
        ]
        return conditional_response(self.request, with_tag(to_json({"sources": sources})))

    def post(self):
        """The objects that ids identify, with all their external ids."""
        request = self.request
        sent = validated(bodies.parse_body(request, self.parses), CrosswalkSchema)
        source, kind, asked = sent["source"], sent.get("kind"), list(dict.fromkeys(sent["ids"]))
        if len(asked) > IDS_MAX:
            raise BadRequestError({"ids": [TOO_MANY]})
        if source == OWN_SOURCE and kind is None:
            raise BadRequestError({"kind": [NO_KIND]})
        session = request.dbsession
        if source == OWN_SOURCE:
            found = self._own_objects(kind, asked)
        else:
            found = crosswalk.find_by_external_ids(session, source, asked, kind)
        places = {place for each in found.values() for place in each}
        others = crosswalk.external_ids_of(session, places)
        results = [
            {
                "asked": each,
                "kind": place[0],
                "id": place[1],
                "is_merged": source == OWN_SOURCE and int(each) != place[1],
                "external_ids": _external_ids(place[0], others.get(place, ())),
            }
            for each in asked
            for place in found.get(each, ())
        ]
        return json_response(
            request, {"results": results, "unknown": [each for each in asked if not found.get(each)]}
        )

    def _own_objects(self, kind: str, asked: list[str]) -> dict[str, list[crosswalk.ObjectKey]]:
        """Our own objects, or their survivors if they were merged, by the requested ids."""
        numbers = {each: number for each in asked if (number := whole_number(each, 1, INTEGER_MAX))}
        present = (
            crosswalk.resolve_ids(self.request.dbsession, kind, set(numbers.values())) if numbers else {}
        )
        return {each: [(kind, present[number])] for each, number in numbers.items() if number in present}


def _external_ids(kind: str, ids: Iterable[tuple[str, str, str]]) -> list[dict]:
    return [
        {
            "source": source,
            "external_id": external_id,
            "scope": scope,
            "url": EXTERNAL_SOURCES[source].page(kind, external_id) or None,
        }
        for source, external_id, scope in ids
        if source in EXTERNAL_SOURCES
    ]


CrosswalkResource.operations = {
    "POST": Operation(
        "Find objects by ids, with all their external ids",
        {
            200: (
                "The objects that the ids refer to, and the unknown ids.",
                ResponseBody("CrosswalkFound", CrosswalkResource.found_fields()),
            )
        },
        CrosswalkSchema,
        "CrosswalkInput",
    )
}


def includeme(config):
    """Serve the resource, and list it in the root."""
    config.registry["comicsdb_api.lists"]["crosswalk"] = "api.crosswalk"
    serve(
        config,
        CrosswalkResource,
        "api.crosswalk",
        "/api/crosswalk/",
        {"GET": "get", "POST": "post"},
        writing=Permission.API,
    )
