"""How templates name one another, import macros, and speak the language of a page."""

from functools import lru_cache

from jinja2 import Template, TemplateNotFound, pass_context
from jinja2.ext import Extension
from markupsafe import Markup, escape
from pyramid.interfaces import IRendererFactory
from pyramid_jinja2 import IJinja2Environment

from comicsdb.i18n import translate
from comicsdb_web.rendering.locales import DOMAIN

ENDING = ".jinja2"
TEXTS_MOST = 10_000
IMPORTED = "imported_templates"  # by name, in the context of a page


class FromTheTop(Extension):
    """A template is named by its path from the folder of templates, or by an asset specification.

    pyramid_jinja2 would first look beside the template that names it, and therefore compile and keep each
    template once for every chain of names that leads to it.
    """

    def __init__(self, environment):
        super().__init__(environment)
        environment.join_path = lambda name, _parent: name
        environment.template_class = ImportedOnce


class ImportedOnce(Template):
    """A template that is imported `with context` once for a page, however many of its templates do so.

    Jinja would run it anew for each. Its macros therefore see what the view gave to the page, and nothing
    that templates set.
    """

    def make_module(self, vars=None, shared=False, locals=None):  # noqa: A002  (Jinja's names)
        """The macros."""
        imported = (vars or {}).get(IMPORTED)
        if imported is None:
            return super().make_module(vars, shared, locals)
        if self.name not in imported:
            imported[self.name] = super().make_module(vars, shared, locals)
        return imported[self.name]


def renderer(info):
    """A renderer factory: a template of ours is the one of that name, and need not be looked for elsewhere.

    pyramid_jinja2's own looks in the folder of the package first, each time. Here that is what is left for
    the templates of others.
    """

    def template():
        environment = info.registry.getUtility(IJinja2Environment, name=ENDING)
        try:
            return environment.get_template(info.name)
        except TemplateNotFound:
            return environment.get_template(f"{info.package.__name__}:{info.name}")

    return lambda value, system: template().render({**system, **value, IMPORTED: {}})


@pass_context
def gettext(context, text, /, **values) -> Markup:
    """A text in the language of the page; the values in it are escaped."""
    localizer = context["request"].localizer
    if type(text) is not str:  # it brings a domain, such as the core's, and perhaps values of its own
        said = escape(translate(localizer, text))
        return said % values if values else said
    return _text(localizer, text) % values if values else _plain_text(localizer, text)


@pass_context
def ngettext(context, singular: str, plural: str, n: int, /, **values) -> Markup:
    """A text in the form that a number asks for, which is `num` in it."""
    said = context["request"].localizer.pluralize(singular, plural, n, domain=DOMAIN)
    return Markup(said) % {"num": n, **values}  # noqa: S704


@lru_cache(TEXTS_MOST)
def _text(localizer, text: str) -> Markup:
    return Markup(localizer.translate(text, domain=DOMAIN))  # noqa: S704


@lru_cache(TEXTS_MOST)
def _plain_text(localizer, text: str) -> Markup:
    return _text(localizer, text) % {}  # in which %% is a percent sign too


def includeme(config):
    """Give templates these functions for texts: Jinja's own look each up anew, in several steps."""
    config.get_settings()["jinja2.globals"] |= {"_": gettext, "gettext": gettext, "ngettext": ngettext}

    def register():  # in the place of pyramid_jinja2's, which is there by then
        config.registry.registerUtility(renderer, IRendererFactory, name=ENDING)

    config.action(None, register)
