"""comicsdb_web: the site, pages rendered on the server and complete without JavaScript."""

from pyramid.config import Configurator

from comicsdb.settings import resolve


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """The site alone, without the API."""
    with Configurator(settings=resolve(settings)) as config:
        config.include("comicsdb_web")
        return config.make_wsgi_app()


def includeme(config):
    """What the site is made of, in the order in which one part needs another."""
    config.include("comicsdb")
    config.include(".settings")  # of the site and of the template engine
    config.include(".locales")  # messages, and how dates, numbers and money are written
    config.include(".templating")  # how templates import macros, and call for texts
    config.include("pyramid_jinja2")
    config.include(".routing")  # config.add_page: a route with one written form and known methods
    config.include(".themes")  # light or dark
    config.include(".layout")  # header and footer, made once for all who see the same
    config.include(".pagecache")  # what anonymous visitors see is kept
    config.include(".assets")  # style sheets, scripts and icons under an address that changes with them
    config.include(".csp")  # the headers of every answer
    config.include(".auth")  # who is logged in
    config.include(".csrf")  # forms of other sites are refused
    config.include(".messages")  # notices shown on the next page
    config.include(".kept_forms")  # forms that were sent after their session had ended come back
    config.include(".editing")  # what forms ask for while they are filled in
    config.include(".linked_data")  # what pages are about, for search engines
    config.include(".entity")  # config.add_entity_views: the pages of one kind
    config.include(".views")  # the pages, written out
