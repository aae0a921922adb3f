"""Jinja2 extensions: names of templates, imports of macros, calls, and translations."""

import re
from functools import lru_cache
from types import MethodType

from jinja2 import Template, TemplateNotFound
from jinja2.ext import Extension
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape
from pyramid.interfaces import IRendererFactory
from pyramid_jinja2 import IJinja2Environment

from comicsdb.i18n import translate
from comicsdb_web.rendering.locales import DOMAIN

EXTENSION = ".jinja2"
TEXTS_MAX = 10_000
has_special_characters = re.compile("[&<>'\"]").search  # the characters that HTML escapes
IMPORTED_MODULES = "imported_templates"  # modules by name, in the context of a page


class AbsoluteTemplateNames(Extension):
    """Names of templates are paths from the template folder, or asset specifications.

    pyramid_jinja2 would first look next to the referring template, and so compile and cache each template
    once for each chain of references.
    """

    def __init__(self, environment):
        super().__init__(environment)
        environment.join_path = lambda name, _parent: name
        environment.template_class = PageTemplate
        environment.context_class = PageContext


class PageContext(Context):
    """A context that calls macros and methods directly, without checking whether they need the context.

    A page has hundreds of such calls: together with `escaped`, this saves a fifth of a list's rendering time.
    """

    def call(self, function, /, *args, **kwargs):
        """Call something from a template."""
        if type(function) not in (Macro, MethodType):
            return super().call(function, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return function(*args, **kwargs)


def escaped(value) -> str:
    """A value as HTML; Markup and text without special characters are returned without a copy."""
    if type(value) is Markup or (type(value) is str and not has_special_characters(value)):
        return value
    return escape(value)


class PageTemplate(Template):
    """A template that runs once per page when it is imported `with context` by several templates.

    Jinja would run it once for each of them. Its macros therefore see the values from the view, but not those
    set by templates.
    """

    @classmethod
    def from_code(cls, environment, code, globals, uptodate=None):  # noqa: A002  (Jinja's names)
        """Return the template of compiled code, which escapes by the function above."""
        template = super().from_code(environment, code, globals, uptodate)
        template.root_render_func.__globals__["escape"] = escaped
        return template

    def make_module(self, vars=None, shared=False, locals=None):  # noqa: A002  (Jinja's names)
        """Return the module of macros."""
        imported = (vars or {}).get(IMPORTED_MODULES)
        if imported is None:
            return super().make_module(vars, shared, locals)
        if self.name not in imported:
            imported[self.name] = super().make_module(vars, shared, locals)
        return imported[self.name]


def renderer(info):
    """Return a renderer for a template, which is looked up by name, then in the package that refers to it.

    pyramid_jinja2's own renderer looks in the package first, each time.
    """

    def template():
        environment = info.registry.getUtility(IJinja2Environment, name=EXTENSION)
        try:
            return environment.get_template(info.name)
        except TemplateNotFound:
            return environment.get_template(f"{info.package.__name__}:{info.name}")

    def rendered(value, system):
        texts = translator(system["request"].localizer).functions
        return template().render({**system, **texts, **value, IMPORTED_MODULES: {}})

    return rendered


class Translator:
    """Translates the texts of a page.

    Its methods are values of the page, not globals, which would need the context at each call: in a loop,
    Jinja copies the whole context for this.
    """

    def __init__(self, localizer):
        self._localizer = localizer
        self.functions = {"_": self.gettext, "gettext": self.gettext, "ngettext": self.ngettext}

    def gettext(self, text, /, **values) -> Markup:
        """Translate a text; its values are escaped."""
        if type(text) is not str:  # a text with its own domain, such as the core's, and perhaps values
            translated = escape(translate(self._localizer, text))
            return translated % values if values else translated
        return _filled(_text(self._localizer, text), values) if values else _plain_text(self._localizer, text)

    def ngettext(self, singular: str, plural: str, n: int, /, **values) -> Markup:
        """Translate a text in the plural form for a number, which is `num` in the text."""
        translated = self._localizer.pluralize(singular, plural, n, domain=DOMAIN)
        return _filled(translated, {"num": n, **values})


@lru_cache
def translator(localizer) -> Translator:
    """The translator for a language."""
    return Translator(localizer)


@lru_cache(TEXTS_MAX)
def _text(localizer, text: str) -> str:
    return localizer.translate(text, domain=DOMAIN)


@lru_cache(TEXTS_MAX)
def _plain_text(localizer, text: str) -> Markup:
    return _filled(_text(localizer, text), {})  # also turns %% into a percent sign


def _filled(translated: str, values: dict) -> Markup:
    """A translation with its values; Markup's own operator would take three times as long."""
    return Markup(translated % {name: escaped(value) for name, value in values.items()})  # noqa: S704


def includeme(config):
    """Set the renderer."""

    def register():  # replaces pyramid_jinja2's renderer, which was registered earlier
        config.registry.registerUtility(renderer, IRendererFactory, name=EXTENSION)

    config.action(None, register)
