"""The tags of a series' issues, as a ZIP archive (`/api/series/{id}/comicinfo/` and `/metroninfo/`)."""

from functools import cache

import orjson
from sqlalchemy import BigInteger, bindparam, select

from comicsdb import tags
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.readcache.etag import with_tag
from comicsdb.readcache.validators import select_stamps
from comicsdb.security import Permission
from comicsdb.tags.archive import archive
from comicsdb.values import whole_number
from comicsdb_api.errors import NOT_ACCEPTABLE, NOT_FOUND, RefusedError
from comicsdb_api.negotiation import parameter
from comicsdb_api.openapi.common import DATE_CONDITIONS, MORE_HEADERS, PARAMETERS, integer
from comicsdb_api.openapi.schemas import reference
from comicsdb_api.resource import expressions, paging
from comicsdb_api.resource.base import serve
from comicsdb_api.resource.conditional import LastModified, conditional_response, response_by_date
from comicsdb_api.resources.issue import IssueResource, issue, series
from comicsdb_api.resources.series import SeriesResource
from comicsdb_api.responses import FORMAT_KEY, PATH_PREFIX, ROUTE_PREFIX, accepts, base_urls

ZIP = "application/zip"
ZIP_MEDIA_RANGES = {"*/*", "application/*", ZIP}
ISSUES_MAX = 500  # issues in an archive

PAGE_PARAMETER = PARAMETERS["page"] | {
    "description": "Number of the archive, from 1.",
    "schema": integer(1, paging.PAGE_MAX),
}
# A change of an issue's detail updates its `modified`, and so the series' `issues_modified`; ratings update
# the series' `rated`.
STAMPS = select_stamps(series, "issues_modified", "rated")


@cache
def rows_query() -> CompiledQuery:
    """The statement for a page of a series' issues and one more, as a JSON list with the fields for tags."""
    details = (
        select(*expressions.labelled_columns(IssueResource.tag_fields()))
        .select_from(IssueResource.detail_source())
        .where(issue.c.series_id == bindparam("id"))
        .order_by(*expressions.by_cover_date(issue, series))
        .limit(ISSUES_MAX + 1)
        .offset(bindparam("offset", type_=BigInteger))
    )
    return CompiledQuery.of(select(expressions.rows_as_json(details)), prepared=False)


class SeriesTagsResource(SeriesResource):
    """The issues of a series in one of the formats, in a ZIP archive."""

    permission = Permission.API  # expensive, and needed only by programs of people with an account
    renders = (ZIP,)
    costs = {"GET": 10}
    tag_format: tags.TagFormat

    @classmethod
    def openapi_description(cls, registry):  # noqa: ARG003
        """The parameters and responses of the archive."""
        return {
            "description": f"A folder for each issue, by cover date; at most {ISSUES_MAX} issues in an"
            " archive. `Link` has the URL of the next one.",
            "parameters": [PAGE_PARAMETER, *(reference("parameters", name) for name in DATE_CONDITIONS)],
            "content": {ZIP: {"schema": {"type": "string", "format": "binary", "examples": ["PK…"]}}},
            "headers": {name: MORE_HEADERS[name] for name in ("Last-Modified", "Content-Disposition")},
            "refusals": {
                "301": reference("responses", "Merged"),
                "304": reference("responses", "NotModifiedSince"),
                "412": reference("responses", "ModifiedSince"),
            },
        }

    def get(self):
        """One page of the issues as an archive."""
        request, object_id, page = self.request, self.id_in_path(), self._page()
        stamps = request.read_pool.first(STAMPS, {"id": object_id})
        if stamps is None:
            raise self.missing(object_id)
        dates = LastModified(tuple(stamps))
        if page == 1 and (refusal := response_by_date(request, dates)):
            return refusal
        values = {"id": object_id, "offset": (page - 1) * ISSUES_MAX, **base_urls(request)}
        (rows,) = request.read_pool.fetch(rows_query(), values)
        issues = orjson.loads(rows)
        if page > 1 and not issues:
            raise paging.invalid_page()
        name = f"series-{object_id}-{self.tag_format.name}{f'-{page}' if page > 1 else ''}.zip"
        headers = [("Content-Disposition", f'attachment; filename="{name}"')]
        if len(issues) > ISSUES_MAX:
            headers.append(("Link", f'<{request.path_url}?page={page + 1}>; rel="next"'))
        body = with_tag(archive(issues[:ISSUES_MAX], self.tag_format))
        return conditional_response(request, body, headers, dates=dates, content_type=("Content-Type", ZIP))

    def _page(self) -> int:
        """The number of the archive; raises RefusedError (404)."""
        number = whole_number(parameter(self.request, "page") or "1", 1, paging.PAGE_MAX)
        if number is None:
            raise paging.invalid_page()
        return number


class SeriesComicInfo(SeriesTagsResource):
    """The issues of a series as ComicInfo, in a ZIP archive."""

    tag_format = tags.COMICINFO


class SeriesMetronInfo(SeriesTagsResource):
    """The issues of a series as MetronInfo, in a ZIP archive."""

    tag_format = tags.METRONINFO


def negotiate(request) -> None:
    """Raise RefusedError if another format is requested, or the caller does not accept an archive."""
    if request.environ.get(FORMAT_KEY) or parameter(request, "format"):
        raise RefusedError(404, NOT_FOUND)
    header = request.environ.get("HTTP_ACCEPT", "")
    if header and not accepts(header, ZIP_MEDIA_RANGES):
        raise RefusedError(406, NOT_ACCEPTABLE)


def includeme(config):
    """Serve each format at its own path."""
    for resource in (SeriesComicInfo, SeriesMetronInfo):
        route = f"{ROUTE_PREFIX}series.{resource.tag_format.name}"
        path = f"{PATH_PREFIX}series/{{id}}/{resource.tag_format.name}/"
        config.registry["comicsdb_api.negotiators"][route] = negotiate
        serve(config, resource, route, path, {"GET": "get"})
