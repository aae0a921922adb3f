"""Matching of issues with descriptions of comics, up to 100 at once (`/api/match/`)."""

import orjson
from sqlalchemy import (
    ARRAY,
    JSON,
    Boolean,
    Float,
    Integer,
    String,
    Text,
    any_,
    cast,
    literal,
    literal_column,
    select,
    type_coerce,
)

from comicsdb.matching.descriptors import build_descriptor
from comicsdb.matching.scoring import Candidate, Match
from comicsdb.matching.service import match
from comicsdb.schemas.match import DescriptorSchema, MatchSchema
from comicsdb.security import Permission
from comicsdb_api.resource import bodies, expressions
from comicsdb_api.resource.base import Resource, serve
from comicsdb_api.resource.operations import Operation, ResponseBody
from comicsdb_api.resource.options import option_values, options_of
from comicsdb_api.resource.selection import FieldSelection
from comicsdb_api.resource.types import JsonList, SelectableObject
from comicsdb_api.resource.writes import validated
from comicsdb_api.resources.issue import IssueResource, issue
from comicsdb_api.responses import base_urls, json_response

CANDIDATES_DEFAULT = 5  # if the request does not say
SCORE_DECIMALS = 4  # of scores


def body_fields() -> dict:
    """The fields of the response: SQL expressions that only describe it, as Python builds it."""
    said = literal_column("''", String)
    value = expressions.json_object(
        "TieValue", issue=issue.c.id, value=expressions.value_or_null(literal_column("true"), said)
    )
    tie = expressions.json_object("MatchTie", field=said, values=literal_column("''", JsonList(value)))
    reason = expressions.json_object("MatchReason", field=said, text=said)
    candidate = expressions.json_object(
        "MatchCandidate",
        issue=type_coerce(literal_column("''"), SelectableObject(IssueResource.row_fields(), "IssueRow")),
        score=literal_column("0", Float),
        reasons=literal_column("''", JsonList(reason)),
    )
    result = expressions.json_object(
        "MatchResult",
        certain=literal_column("true", Boolean),
        candidates=literal_column("''", JsonList(candidate)),
        ties=literal_column("''", JsonList(tie)),
        errors=literal_column("''", JSON),
    )
    return {"results": literal_column("''", JsonList(result))}


class MatchResource(Resource):
    """Identification of comics by file names, tags, codes and hashes of covers."""

    title = "match"
    permission = Permission.API
    parses = (bodies.JSON,)
    costs = {"POST": 10}
    operations = {
        "POST": Operation(
            "Identify comics",
            {
                200: (
                    "One result for each descriptor, in the order sent.",
                    ResponseBody("Matches", body_fields()),
                )
            },
            MatchSchema,
            "MatchInput",
            query_parameters=options_of(IssueResource),
        )
    }

    def post(self):
        """Candidates for each descriptor; an invalid one gets its errors, without affecting the others.

        Of ComicInfo and MetronInfo, invalid fields are left out, and named in `errors`.
        """
        request = self.request
        selection = FieldSelection(IssueResource, **option_values(options_of(IssueResource), request))
        sent = validated(bodies.parse_body(request, self.parses), MatchSchema)
        schema = DescriptorSchema()
        wanted, errors = {}, {}
        for place, each in enumerate(sent["descriptors"]):
            facts, errors[place] = schema.read_leniently(each)
            if facts or not errors[place]:
                wanted[place] = build_descriptor(facts)
        found = match(request.dbsession, list(wanted.values()), sent.get("candidates", CANDIDATES_DEFAULT))
        shown = self._rows({each.issue.id for result in found for each in result.candidates}, selection)
        matches = dict(zip(wanted, found, strict=True))
        results = [
            _result(matches.get(place, Match()), errors[place] or None, shown)
            for place in range(len(sent["descriptors"]))
        ]
        return json_response(request, {"results": results})

    def _rows(self, ids: set[int], selection: FieldSelection) -> dict[int, orjson.Fragment]:
        """Issues by their ids, with the fields of lists or those that options select."""
        if not ids:
            return {}
        row = expressions.json_object("IssueRow", **selection.expressions)
        rows = select(issue.c.id, cast(row, Text)).select_from(selection.source)
        rows = rows.where(issue.c.id == any_(literal(sorted(ids), ARRAY(Integer))))
        found = self.request.dbsession.execute(rows, base_urls(self.request))
        return {issue_id: orjson.Fragment(shown) for issue_id, shown in found}


def _result(found: Match, errors: dict | None, shown: dict[int, orjson.Fragment]) -> dict:
    return {
        "certain": found.certain,
        "candidates": [_candidate(each, shown) for each in found.candidates if each.issue.id in shown],
        "ties": [
            {
                "field": name,
                "values": [
                    {"issue": issue_id, "value": None if value is None else str(value)}
                    for issue_id, value in values
                ],
            }
            for name, values in found.ties.items()
        ],
        "errors": errors,
    }


def _candidate(found: Candidate, shown: dict[int, orjson.Fragment]) -> dict:
    return {
        "issue": shown[found.issue.id],
        "score": round(found.score, SCORE_DECIMALS),
        "reasons": [{"field": each.field, "text": each.text} for each in found.reasons],
    }


def includeme(config):
    """Serve the resource."""
    serve(config, MatchResource, "api.match", "/api/match/", {"POST": "post"}, writing=Permission.API)
