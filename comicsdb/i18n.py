"""Texts of the core, marked for translation where they stand and translated where they are read."""

from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path

from pyramid.i18n import Localizer, TranslationString, TranslationStringFactory, make_localizer

from comicsdb.models.choices import DEFAULT_LANGUAGE

DOMAIN = "comicsdb"
FOLDER = Path(__file__).parent / "locale"
# English, in which the texts are written, and the languages they are translated into.
INTERFACE_LANGUAGES = (
    DEFAULT_LANGUAGE,
    *sorted(each.parent.parent.name for each in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")),
)

_ = TranslationStringFactory(DOMAIN)

DAYS = (  # of each month, as mails write them
    _("January ${day}, ${year}"),
    _("February ${day}, ${year}"),
    _("March ${day}, ${year}"),
    _("April ${day}, ${year}"),
    _("May ${day}, ${year}"),
    _("June ${day}, ${year}"),
    _("July ${day}, ${year}"),
    _("August ${day}, ${year}"),
    _("September ${day}, ${year}"),
    _("October ${day}, ${year}"),
    _("November ${day}, ${year}"),
    _("December ${day}, ${year}"),
)


@dataclass(frozen=True)
class Plural:
    """A text in the forms that a number asks for; `${n}` stands for the number."""

    singular: str
    plural: str
    n: int
    mapping: dict = field(default_factory=dict)
    domain: str = DOMAIN

    def __str__(self) -> str:
        """The original text, in English."""
        return translate(localizer(DEFAULT_LANGUAGE), self)


class Said(str):
    """A text with values in it that reads in English as it is, and can be said in another language.

    The API's words are English and fixed: it shows such a text as the string it is; the site
    translates it.
    """

    text: str
    mapping: dict
    domain = DOMAIN

    def __new__(cls, text: str, **mapping):
        """The text with each `${name}` replaced by the value of that name."""
        plain = TranslationString(text, domain=DOMAIN, mapping=mapping)
        made = super().__new__(cls, plain.interpolate())
        made.text, made.mapping = text, mapping
        return made


said = Said
Text = str | TranslationString | Plural


def ngettext(singular: str, plural: str, n: int, **mapping) -> Plural:
    """A text that depends on a number: `ngettext("${n} day", "${n} days", 3)`."""
    return Plural(singular, plural, n, mapping)


def written_day(day: date) -> TranslationString:
    """A day in words: November 30, 2026."""
    return DAYS[day.month - 1] % {"day": str(day.day), "year": str(day.year)}


def translate(localizer: Localizer, text: Text) -> str:
    """A text in the language of a localizer; values within it that are texts are translated too."""
    mapping = getattr(text, "mapping", None) or {}
    values = {name: translate(localizer, value) for name, value in mapping.items()}
    if isinstance(text, Plural):
        values["n"] = str(text.n)
        return localizer.pluralize(text.singular, text.plural, text.n, domain=text.domain, mapping=values)
    if isinstance(text, Said):
        return localizer.translate(TranslationString(text.text, domain=text.domain), mapping=values)
    if isinstance(text, TranslationString):
        plain = TranslationString(text, domain=text.domain, default=text.default, context=text.context)
        return localizer.translate(plain, mapping=values)
    return str(text)


@lru_cache
def localizer(language: str) -> Localizer:
    """The localizer of an interface language; of English for any other, such as an empty one."""
    known = language if language in INTERFACE_LANGUAGES else DEFAULT_LANGUAGE
    return make_localizer(known, [str(FOLDER)])
