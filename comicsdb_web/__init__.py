"""comicsdb_web: the site, pages rendered on the server and complete without JavaScript."""

from pyramid.config import Configurator

from comicsdb.config import resolve


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """The site alone, without the API."""
    with Configurator(settings=resolve(settings)) as config:
        config.include("comicsdb_web")
        return config.make_wsgi_app()


def includeme(config):
    """What the site is made of, in the order in which one part needs another."""
    config.include("comicsdb")
    config.include(".settings")  # of the site and of the template engine
    config.include(".rendering.locales")  # messages, and how dates, numbers and money are written
    config.include(".rendering.templating")  # how templates import macros, and call for texts
    config.include("pyramid_jinja2")
    config.include(".http.routing")  # config.add_page: a route with one written form and known methods
    config.include(".rendering.themes")  # light or dark
    config.include(".rendering.layout")  # header and footer, made once for all who see the same
    config.include(".rendering.page_cache")  # what anonymous visitors see is kept
    config.include(".http.assets")  # style sheets, scripts and icons under an address that changes with them
    config.include(".http.csp")  # the headers of every answer
    config.include(".http.session_auth")  # who is logged in
    config.include(".http.csrf")  # forms of other sites are refused
    config.include(".http.flash_messages")  # notices shown on the next page
    config.include(".forms.after_login")  # forms that were sent after their session had ended come back
    config.include(".forms")  # what forms ask for while they are filled in
    config.include(".rendering.linked_data")  # what pages are about, for search engines
    config.include(".pages.catalogue.base")  # config.add_entity_views: the pages of one kind
    config.include(".pages")  # the pages, written out
