"""Jinja2 extensions: names of templates, imports of macros, and translations."""

from functools import lru_cache

from jinja2 import Template, TemplateNotFound, pass_context
from jinja2.ext import Extension
from markupsafe import Markup, escape
from pyramid.interfaces import IRendererFactory
from pyramid_jinja2 import IJinja2Environment

from comicsdb.i18n import translate
from comicsdb_web.rendering.locales import DOMAIN

ENDING = ".jinja2"
MAX_TEXTS = 10_000
IMPORTED = "imported_templates"  # modules by name, in the context of a page


class AbsoluteNames(Extension):
    """Names of templates are paths from the template folder, or asset specifications.

    pyramid_jinja2 would first look beside the referring template, and so compile and cache each template once
    for each chain of references.
    """

    def __init__(self, environment):
        super().__init__(environment)
        environment.join_path = lambda name, _parent: name
        environment.template_class = ImportedOnce


class ImportedOnce(Template):
    """A template that runs once per page when it is imported `with context` by several templates.

    Jinja would run it once for each of them. So its macros see the values from the view, but not those set by
    templates.
    """

    def make_module(self, vars=None, shared=False, locals=None):  # noqa: A002  (Jinja's names)
        """Return the module of macros."""
        imported = (vars or {}).get(IMPORTED)
        if imported is None:
            return super().make_module(vars, shared, locals)
        if self.name not in imported:
            imported[self.name] = super().make_module(vars, shared, locals)
        return imported[self.name]


def renderer(info):
    """Return a renderer for a template, looked up by name, then in the package that refers to it.

    pyramid_jinja2's own renderer looks in the package first, each time.
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
    """Translate a text into the language of the page; its values are escaped."""
    localizer = context["request"].localizer
    if type(text) is not str:  # it has its own domain, such as the core's, and perhaps values
        translated = escape(translate(localizer, text))
        return translated % values if values else translated
    return _text(localizer, text) % values if values else _plain_text(localizer, text)


@pass_context
def ngettext(context, singular: str, plural: str, n: int, /, **values) -> Markup:
    """Translate a text in the plural form for a number, which is `num` in the text."""
    translated = context["request"].localizer.pluralize(singular, plural, n, domain=DOMAIN)
    return Markup(translated) % {"num": n, **values}  # noqa: S704


@lru_cache(MAX_TEXTS)
def _text(localizer, text: str) -> Markup:
    return Markup(localizer.translate(text, domain=DOMAIN))  # noqa: S704


@lru_cache(MAX_TEXTS)
def _plain_text(localizer, text: str) -> Markup:
    return _text(localizer, text) % {}  # also turns %% into a percent sign


def includeme(config):
    """Set the renderer and the translation functions of templates, which cache, unlike Jinja's own."""
    config.get_settings()["jinja2.globals"] |= {"_": gettext, "gettext": gettext, "ngettext": ngettext}

    def register():  # replaces pyramid_jinja2's renderer, which is registered before
        config.registry.registerUtility(renderer, IRendererFactory, name=ENDING)

    config.action(None, register)
