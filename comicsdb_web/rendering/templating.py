"""What templates need beyond pyramid_jinja2: names of templates, imports of macros, and translations."""

import re
from functools import lru_cache

from jinja2 import Template
from jinja2.ext import Extension
from markupsafe import Markup, escape
from pyramid.events import BeforeRender

from comicsdb.i18n import translate
from comicsdb_web.rendering.locales import DOMAIN

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


def _add_page_values(event) -> None:
    event[IMPORTED_MODULES] = {}
    event.update(translator(event["request"].localizer).functions)


def includeme(config):
    """Add the values of every page."""
    config.add_subscriber(_add_page_values, BeforeRender)
