"""The REST API of comicsdb: JSON below /api/."""

from pyramid.config import Configurator

from comicsdb.config import parse_settings


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """Return the WSGI application of a host that only serves the API."""
    with Configurator(settings=parse_settings(settings)) as config:
        config.include("comicsdb_api")
        return config.make_wsgi_app()


def includeme(config):
    """Include all parts of the API, in the order of their dependencies."""
    config.include("comicsdb")  # the core; including it twice has no effect
    config.add_settings(handle_exceptions=False)  # Cornice's exception views would replace the site's
    config.include("cornice")
    config.include("comicsdb_api.responses")  # common response headers
    config.include("comicsdb_api.negotiation")  # format suffixes, slashes, Accept
    config.include("comicsdb_api.read_policy")  # reads answered without a view
    config.include("comicsdb_api.cors")  # cross-origin requests
    config.include("comicsdb_api.retirement")  # the end of HTTP Basic
    config.include("comicsdb_api.auth")  # authentication by HTTP Basic and tokens
    config.include("comicsdb_api.errors")  # errors as JSON
    config.include("comicsdb_api.resource.waiting")  # slots for requests that wait
    config.include("comicsdb_api.throttle")  # rate limits
    config.include("comicsdb_api.resource.base")  # config.add_entity_resource
    config.include("comicsdb_api.resources")  # the resources
    config.include("comicsdb_api.openapi")  # the OpenAPI document
    config.include("comicsdb_api.resource.strict")  # rejects unknown parameters on request
    config.include("comicsdb_api.cover_matching")  # covers for ComicTagger
    config.include("comicsdb_api.docs_page")  # the reference page
