"""comicsdb_api, the REST surface of the catalogue: JSON below /api/."""

from pyramid.config import Configurator

from comicsdb.config import resolve


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """The WSGI application of a host that serves the API alone."""
    with Configurator(settings=resolve(settings)) as config:
        config.include("comicsdb_api")
        return config.make_wsgi_app()


def includeme(config):
    """The API, in the order in which one part needs another."""
    config.include("comicsdb")  # the core; a second include changes nothing
    config.add_settings(handle_exceptions=False)  # Cornice's own exception views would meet the site's
    config.include("cornice")
    config.include("comicsdb_api.responses")  # the headers of every answer
    config.include("comicsdb_api.negotiation")  # suffixes, slashes, what the caller accepts
    config.include("comicsdb_api.read_policy")  # which of them are answered without a view
    config.include("comicsdb_api.cors")  # scripts of other sites
    config.include("comicsdb_api.retirement")  # the end of HTTP Basic
    config.include("comicsdb_api.auth")  # who asks: HTTP Basic and tokens; who may not, and the log
    config.include("comicsdb_api.errors")  # every refusal as JSON
    config.include("comicsdb_api.throttle")  # how often somebody may ask
    config.include("comicsdb_api.resource.base")  # config.add_entity_resource
    config.include("comicsdb_api.resources")  # what is served
    config.include("comicsdb_api.openapi")  # what can be said about all that, for programs
    config.include(
        "comicsdb_api.resource.strict"
    )  # parameters that an address does not know, where asked for
    config.include("comicsdb_api.docs_page")  # and for people
