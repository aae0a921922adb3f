"""Generates the OpenAPI 3.1 document from the API's services and the declarations of its resources.

Nothing is declared twice: paths, methods and permissions come from the services, the schemas of bodies from
the SQL expressions that build them, and parameters from the filters that read them.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from cornice.service import Service

from comicsdb.catalog.kinds import KINDS
from comicsdb.models import Series
from comicsdb.models.base import max_value
from comicsdb.models.choices import TokenScope
from comicsdb.models.user import EDITOR_GROUP
from comicsdb.security import Identity, Permission, has_permission, scope_for
from comicsdb.tags import TagFormat
from comicsdb_api.openapi import authentication, common, write_operations
from comicsdb_api.openapi.examples import add_examples
from comicsdb_api.openapi.schemas import INTEGER_MAX, Components, reference
from comicsdb_api.resource.base import EntityResource, Resource
from comicsdb_api.resource.listing import DETAILED_ROWS_PER_REQUEST, ROWS_PER_REQUEST, Detail, Listing
from comicsdb_api.resource.operations import Operation
from comicsdb_api.responses import ROUTE_PREFIX, is_api_route
from comicsdb_api.retirement import KEY

GUIDE = Path(__file__).with_name("guide.md").read_text("utf-8")  # text that concerns all endpoints
NAME_PLACEHOLDER = "{name}"
BASIC_PLACEHOLDER = "{about basic}"  # in the guide, for the paragraphs that depend on the phase
PARAMETERS_KEY = "comicsdb_api.query_parameters"
VERBS = {
    "GET": "retrieve",
    "POST": "create",
    "PUT": "update",
    "PATCH": "partial_update",
    "DELETE": "destroy",
}
WRITES = {"POST": "create", "PUT": "update", "PATCH": "update some fields of"}
ROWS_OF_KINDS = {"collection": "collection item"}  # what a row is called, where the route names the whole
# An account with only the permissions that every account has.
ORDINARY_ACCOUNT = Identity(0, "", is_staff=False, is_superuser=False, groups=frozenset(), method="")
EDITOR_ACCOUNT = ORDINARY_ACCOUNT._replace(groups=frozenset([EDITOR_GROUP]))
LIST_COSTS = (
    f"A page costs one of the day's requests for each {ROWS_PER_REQUEST} rows of its page size or, with"
    f" detail fields, for each {DETAILED_ROWS_PER_REQUEST}."
)
IDS_COSTS = f"With `ids`, it costs one for each {DETAILED_ROWS_PER_REQUEST} ids."
PARAMETER = re.compile(r"{(\w+)(?::[^}]*)?}")


@dataclass(frozen=True)
class Endpoint:
    """A method of a service; `served` is its Listing, its Detail or something else."""

    service: Service
    method: str
    view: Callable
    klass: type | None
    permission: str
    served: object

    @property
    def kind(self) -> str:
        """The name of the resource, and its tag: the first part of the route's name."""
        return self.service.name.removeprefix(ROUTE_PREFIX).partition(".")[0]

    @property
    def action(self) -> str:
        """The rest of the route's name, empty for an object itself and for the list of a kind."""
        action = self.service.name.removeprefix(ROUTE_PREFIX).partition(".")[2]
        return "" if action == "list" else action.replace(".", "_")

    @property
    def is_reading(self) -> bool:
        """Whether it is one of our reads, which all have an entity tag and support conditional requests."""
        return self.method == "GET" and self.klass is not None and issubclass(self.klass, Resource)

    @property
    def is_writing(self) -> bool:
        """Whether it creates or updates an object by its schema."""
        ours = self.klass is not None and issubclass(self.klass, EntityResource)
        return ours and self.method in WRITES and self.klass.schema is not None

    @property
    def operation(self) -> Operation | None:
        """Its declaration if it is a write that does not create or update an object by its schema."""
        ours = self.klass is not None and issubclass(self.klass, Resource)
        return self.klass.operations.get(self.method) if ours else None

    @property
    def is_list(self) -> bool:
        """Whether it reads a list, page by page."""
        return self.method == "GET" and isinstance(self.served, Listing)

    @property
    def operation_id(self) -> str:
        verb = "list" if self.is_list or (self.is_reading and self.klass.is_feed) else VERBS[self.method]
        return "_".join(filter(None, ("api", self.kind, self.action, verb)))


def endpoints(registry) -> list[Endpoint]:
    """The endpoints of the API's services, in the order in which they were added.

    HEAD and OPTIONS are omitted, as all services have them.
    """
    served = registry["comicsdb_api.reads"]

    def endpoint(service: Service, method: str, view, args: dict) -> Endpoint:
        asked = args.get("permission") or Permission.API  # the default of a service without a permission
        return Endpoint(service, method, view, args.get("klass"), asked, served.get(service.name))

    return [
        endpoint(service, method, view, args)
        for service in registry.cornice_services.values()
        if is_api_route(service.name)
        for method, view, args in service.definitions
        if method in VERBS
    ]


def document(registry, allowed: Callable[[str], bool], root: str = "/") -> dict:
    """The document for a caller with the `allowed` permissions; `root` is the application's path."""
    components, retirement = Components(), registry[KEY]
    schemes = authentication.schemes(retirement, registry.settings)
    about_basic = authentication.about_basic(retirement)
    paths: dict[str, dict] = {}
    tags: dict[str, dict] = {}
    for endpoint in endpoints(registry):
        if allowed(endpoint.permission):
            tags.setdefault(endpoint.kind, _tag(endpoint))
            path = paths.setdefault(_path(endpoint.service), _path_item(endpoint))
            who = _security(schemes, endpoint.permission)
            own = {"security": who} if who != _security(schemes, Permission.API) else {}
            path[endpoint.method.lower()] = _operation(endpoint, components, registry) | own
    writing = (
        each
        for each in endpoints(registry)
        if each.is_writing or (each.operation and each.operation.body_schema)
    )
    writes = any(allowed(each.permission) for each in writing)
    challenge = common.challenge(retirement.challenge[1])
    licence, site = registry.settings["comicsdb.licence"], registry.settings["comicsdb.title"]
    contact = registry.settings["comicsdb_web.contact"]
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": f"{site} API",
            "version": "1.0.0",
            "summary": "Read and write a community database of comics.",
            "description": GUIDE.replace(NAME_PLACEHOLDER, site).replace(BASIC_PLACEHOLDER, about_basic),
            "contact": {"name": f"The contributors of {site}"} | ({"email": contact} if contact else {}),
            **({"license": asdict(licence)} if licence.name else {}),
        },
        "servers": [{"url": root}],
        "security": _security(schemes, Permission.API),
        "tags": list(tags.values()),
        "paths": paths,
        "components": {
            "securitySchemes": schemes,
            "parameters": common.PARAMETERS,
            "headers": common.HEADER_OBJECTS | {"WWW-Authenticate": challenge},
            "responses": common.RESPONSES | (common.WRITE_RESPONSES if writes else {}),
            "schemas": dict(sorted((components.schemas | common.error_schemas(writes=writes)).items())),
        },
    }
    add_examples(described)
    return described


def query_parameters(registry) -> dict[str, tuple[str, ...]]:
    """The query parameters that each read accepts, by route; all accept `format`."""
    known = registry.get(PARAMETERS_KEY)
    if known is None:
        components = Components()
        known = registry[PARAMETERS_KEY] = {
            each.service.name: tuple(_query(_read_operation(each, components, registry)))
            for each in endpoints(registry)
            if each.is_reading
        }
    return known


def _query(operation: dict):
    yield "format"
    for each in operation["parameters"]:
        described = common.PARAMETERS[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        if described["in"] == "query" and described["name"] != "format":
            yield described["name"]


def _security(schemes: dict, permission: str) -> list[dict]:
    """The alternative requirements for a permission: each scheme (tokens with a scope), and possibly none."""
    needed = {authentication.BY_TOKEN: [scope_for(permission).value]}
    return [
        *([{}] if has_permission(None, permission) else []),
        *({name: needed.get(name, [])} for name in schemes),
    ]


def _path(service: Service) -> str:
    """The pattern of a route as an OpenAPI path."""
    return PARAMETER.sub(r"{\1}", service.path)


def _tag(endpoint: Endpoint) -> dict:
    told = _paragraph(endpoint.service.description)
    return {"name": endpoint.kind} | ({"description": told} if told else {})


def _path_item(endpoint: Endpoint) -> dict:
    service = endpoint.service
    item = {"description": _paragraph(service.description)} if service.description else {}
    parameters = [_path_parameter(name, endpoint.klass) for name in PARAMETER.findall(service.path)]
    return item | ({"parameters": parameters} if parameters else {})


def _path_parameter(name: str, klass: type | None) -> dict:
    model = Series if name == "series_id" else getattr(klass, "model", Series)
    high = max_value(model.__table__.c.id.type)
    if name in common.PARAMETERS and high == INTEGER_MAX:
        return reference("parameters", name)
    return common.PARAMETERS["id"] | {"name": name, "schema": common.integer(1, high)}


def _operation(endpoint: Endpoint, components: Components, registry) -> dict:
    operation = {"operationId": endpoint.operation_id, "tags": [endpoint.kind], "summary": _summary(endpoint)}
    if endpoint.is_reading:
        operation |= _read_operation(endpoint, components, registry)
    elif endpoint.operation:
        operation |= write_operations.describe(components, endpoint.klass, endpoint.operation)
    elif endpoint.is_writing:
        operation |= _write_operation(endpoint, components)
    else:
        operation["responses"] = {"default": {"description": "The result.", "headers": common.headers()}}
    refusals = {
        "401": "Unauthorized",
        "404": "NotFound",
        "406": "NotAcceptable",
        "429": "TooManyRequests",
    }
    if endpoint.method != "GET":
        operation.setdefault("parameters", []).append(reference("parameters", "X-CSRFToken"))
    out_of_scope = scope_for(endpoint.permission) != TokenScope.READ
    if endpoint.method != "GET" or out_of_scope or not has_permission(ORDINARY_ACCOUNT, endpoint.permission):
        refusals["403"] = "Forbidden"
    cost = registry["comicsdb_api.costs"].get((endpoint.service.name, endpoint.method), 1)
    if cost > 1:
        told = operation.get("description", "")
        operation["description"] = f"{told} It costs {cost} of the day's requests.".strip()
    answers = operation["responses"] | _references("responses", refusals)
    return operation | {"responses": dict(sorted(answers.items()))}


def _summary(endpoint: Endpoint) -> str:
    kind, action = endpoint.kind.replace("_", " "), endpoint.action.replace("_", " ")
    row = ROWS_OF_KINDS.get(endpoint.kind, kind)
    if endpoint.is_list and action:
        rows = _plural(action.removesuffix(" list")) if action.endswith(" list") else action
        article = _article(kind) if "{id}" in endpoint.service.path else "the"  # the account's own
        words = f"{rows} of {article} {kind}"
    elif endpoint.is_list:
        words = f"list {_plural(row)}"
    elif isinstance(endpoint.served, Detail) and endpoint.method == "GET":
        words = f"get {_article(row)} {row}"
    elif endpoint.operation:
        words = endpoint.operation.summary
    elif endpoint.is_writing:
        words = f"{WRITES[endpoint.method]} {_article(row)} {row}"
    else:
        told = endpoint.klass if endpoint.is_reading else endpoint.view
        words = _paragraph(told.__doc__).rstrip(".") or f"{kind} {action}".strip()
    return words[0].upper() + words[1:]


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeio" else "a"  # "a universe"


def _plural(noun: str) -> str:
    return noun if noun.endswith("s") else f"{noun}s"


def _read_operation(endpoint: Endpoint, components: Components, registry) -> dict:
    """Parameters and responses of GET, including those of conditional requests."""
    read = endpoint.served.read if endpoint.served is not None else None
    dated, cached = read is not None and read.date_pairs > 0, read is not None and read.region is not None
    if not isinstance(endpoint.served, Listing | Detail):
        own = endpoint.klass.openapi_description(registry)
        if body := own.get("body"):
            schema = components.object_of(body.fields, body.name)
            own["content"] = {"application/json": {"schema": schema}}
    else:
        own = _list(endpoint, components) if endpoint.is_list else _detail(endpoint, components)
    conditions = (*common.TAG_CONDITIONS, *(common.DATE_CONDITIONS if dated else ()))
    shared = ("strict", *conditions)
    parameters = [*own.get("parameters", ()), *(reference("parameters", name) for name in shared)]
    sent = ("ETag", *(("Last-Modified",) if dated else ()), *(("X-Cache",) if cached else ()))
    answer = {
        "description": own.get("answer", "The requested content."),
        "headers": common.headers(*sent) | own.get("headers", {}),
        "content": own["content"],
    }
    others = {"304": "NotModified", "412": "PreconditionFailed"}
    if dated:
        others = {"304": "NotModifiedSince", "412": "ModifiedSince"}
    others["400"] = "BadRequest"
    if read is not None and "{id}" in endpoint.service.path and _can_merge(endpoint.served.resource):
        others["301"] = "Merged"
    told = {"description": own["description"]} if own.get("description") else {}
    responses = {"200": answer} | _references("responses", others) | own.get("refusals", {})
    return told | {"parameters": parameters, "responses": responses}


def _can_merge(resource: type) -> bool:
    """Whether the resource's objects may be merged into others, as only catalog objects may."""
    return resource.model.__tablename__ in KINDS


def _write_operation(endpoint: Endpoint, components: Components) -> dict:
    """Parameters, body and responses of POST, PUT and PATCH."""
    resource, kind, is_new = endpoint.klass, _camel(endpoint.kind), endpoint.method == "POST"
    shown = write_operations.written_schema(components, resource, kind)
    if resource.accepts_list:
        body = write_operations.list_body(components, resource, kind)
        shown = {"type": "array", "items": shown}
    else:
        body = write_operations.request_body(components, resource, kind, partial=endpoint.method == "PATCH")
    headers = common.headers(*(("Idempotent-Replayed",) if is_new else ()))
    answer = {"description": "The object as written.", "headers": headers, "content": _json(shown)}
    others = {"400": "Faulty", "413": "TooLarge", "415": "UnsupportedType"}
    others |= {"422": "KeyUsed"} if is_new else {"412": "Unchangeable"}
    asked = ("Idempotency-Key",) if is_new else ("If-Match", "If-Unmodified-Since")
    return {
        "parameters": [reference("parameters", name) for name in asked],
        "requestBody": body,
        "responses": {"201" if is_new else "200": answer} | _references("responses", others),
    }


def _detail(endpoint: Endpoint, components: Components) -> dict:
    """Parameters and content of a detail."""
    resource = endpoint.served.resource
    shape = components.object_of(resource.detail_fields(), _camel(resource.kind()))
    options = common.query_parameters(endpoint.served.options)
    schema = {"anyOf": [shape, components.selection()]} if options else shape
    others = {each.media_type: {"schema": _tags(each)} for each in endpoint.served.formats}
    return {"answer": "The object.", "content": _json(schema) | others, "parameters": options}


def _tags(chosen: TagFormat) -> dict:
    """The schema of a document in another format."""
    root = chosen.file_name.partition(".")[0]
    return common.TEXT | {"description": f"{chosen.title}.", "examples": [f"<{root}>…</{root}>"]}


def _list(endpoint: Endpoint, components: Components) -> dict:
    """Parameters and content of a list."""
    listing, page = endpoint.served, reference("parameters", "page")
    resource = listing.resource
    row = components.object_of(resource.row_fields(), resource.row_shape, f"{_camel(resource.kind())}Row")
    schema, told = components.page_of(row), []
    if listing.options:
        told = [LIST_COSTS] if listing.condition else [LIST_COSTS, IDS_COSTS]
        schema = {"anyOf": [schema, components.selection_page()]}
    declared = (*listing.filters, *listing.options)
    parameters = common.query_parameters(declared)
    shown = {
        "answer": "A page of the list.",
        "content": _json(schema),
        "parameters": [*parameters, page],
        "headers": _optional_headers(listing) if listing.options else {},
    }
    if not listing.condition and (order := _paragraph(resource.order.__doc__)):
        told.insert(0, f"Order: {order[0].lower()}{order[1:]}")
    return shown | {"description": " ".join(told)}


def _optional_headers(listing: Listing) -> dict:
    """The headers that are missing if options request fields that the list's stamps do not cover."""
    names = ("X-Cache", *(("Last-Modified",) if listing.read.date_pairs else ()))
    optional = {name: common.MORE_HEADERS[name] | {"required": False} for name in names}
    return optional | {"Link": common.NEXT_PAGE}


def _references(section: str, names: dict[str, str]) -> dict:
    return {key: reference(section, name) for key, name in names.items()}


def _json(schema: dict) -> dict:
    return {common.JSON: {"schema": schema}}


def _camel(kind: str) -> str:
    """A kind as the name of a schema: `reading_list` becomes `ReadingList`."""
    return "".join(word.capitalize() for word in kind.split("_"))


def _paragraph(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())
