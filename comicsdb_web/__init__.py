"""The web site of comicsdb: server-rendered pages that work without JavaScript."""

from pyramid.config import Configurator

from comicsdb.config import parse_settings


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """Return the WSGI application of the site without the API."""
    with Configurator(settings=parse_settings(settings)) as config:
        config.include("comicsdb_web")
        return config.make_wsgi_app()


def includeme(config):
    """Include all parts of the site, in the order of their dependencies."""
    config.include("comicsdb")
    config.include(".settings")  # settings of the site and of Jinja2
    config.include(".rendering.locales")  # translations; formats of dates, numbers and amounts
    config.include(".rendering.templating")  # imports and translations in templates
    config.include("pyramid_jinja2")
    config.include(".http.routing")  # config.add_page: a route with a canonical URL
    config.include(".rendering.themes")  # light or dark
    config.include(".rendering.layout")  # header and footer
    config.include(".rendering.track_bar")  # buttons of issues, with the reader's marks
    config.include(".rendering.card_cache")  # the cache of rendered cards
    config.include(".rendering.page_cache")  # cached pages for anonymous visitors
    config.include(".http.assets")  # static files, with their digest in the URL
    config.include(".http.csp")  # security headers
    config.include(".http.session_auth")  # sessions
    config.include(".http.csrf")  # CSRF tokens
    config.include(".http.pending_action")  # actions that visitors chose before log-in
    config.include(".http.flash_messages")  # notices shown on the next page
    config.include(".forms.expired_session")  # restores forms sent after the session had ended
    config.include(".forms")  # requests of scripts in forms
    config.include(".rendering.linked_data")  # structured data for search engines
    config.include(".pages.catalog.base")  # config.add_entity_views: the pages of a kind
    config.include(".pages")  # the pages
