"""Texts of the core: marked for translation in the code, translated where they are displayed."""

from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path

from pyramid.i18n import Localizer, TranslationString, TranslationStringFactory, make_localizer

from comicsdb.models.choices import DEFAULT_LANGUAGE

DOMAIN = "comicsdb"
FOLDER = Path(__file__).parent / "locale"
# English, the language of the source, and the languages of the translations.
INTERFACE_LANGUAGES = (
    DEFAULT_LANGUAGE,
    *sorted(each.parent.parent.name for each in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")),
)

OTHER_LANGUAGES = INTERFACE_LANGUAGES[1:]

_ = TranslationStringFactory(DOMAIN)

DAYS = (  # dates by month, for mails
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
    """A text with plural forms; `${n}` is the number."""

    singular: str
    plural: str
    n: int
    mapping: dict = field(default_factory=dict)
    domain: str = DOMAIN

    def __str__(self) -> str:
        """Return the text in English."""
        return in_english(self)


class FormattedText(str):
    """An English string with values inserted, which can also be translated.

    The API, which is in English, uses it as a string; the site translates it. If clients know the API by a
    different wording, that is `api`, and the first text is the site's, also in English.
    """

    text: str
    mapping: dict
    domain = DOMAIN

    def __new__(cls, text: str, api: str | None = None, **mapping):
        """Create the text, replacing each `${name}` with the value of that name."""
        plain = TranslationString(api or text, domain=DOMAIN, mapping=mapping)
        made = super().__new__(cls, plain.interpolate())
        made.text, made.mapping = text, mapping
        return made


formatted = FormattedText
Text = str | TranslationString | Plural


def ngettext(singular: str, plural: str, n: int, **mapping) -> Plural:
    """Return a text with plural forms: `ngettext("${n} day", "${n} days", 3)`."""
    return Plural(singular, plural, n, mapping)


def long_date(day: date) -> TranslationString:
    """Return a date as text: November 30, 2026."""
    return DAYS[day.month - 1] % {"day": str(day.day), "year": str(day.year)}


def name_in(language: str, row) -> str:
    """Return the name of a row of reference data in a language; in English if there is no translation."""
    return text_in(language, row.name, row.names)


def text_in(language: str, english: str, translations: dict[str, str]) -> str:
    """Return a text of the database in a language; in English if there is no translation."""
    return translations.get(language) or english


def translate(localizer: Localizer, text: Text) -> str:
    """Translate a text, including texts among its values."""
    mapping = getattr(text, "mapping", None) or {}
    values = {name: translate(localizer, value) for name, value in mapping.items()}
    if isinstance(text, Plural):
        values["n"] = str(text.n)
        return localizer.pluralize(text.singular, text.plural, text.n, domain=text.domain, mapping=values)
    if isinstance(text, FormattedText):
        return localizer.translate(TranslationString(text.text, domain=text.domain), mapping=values)
    if isinstance(text, TranslationString):
        plain = TranslationString(text, domain=text.domain, default=text.default, context=text.context)
        return localizer.translate(plain, mapping=values)
    return str(text)


def in_english(text: Text) -> str:
    """Return a text in English, with its values."""
    return translate(localizer(DEFAULT_LANGUAGE), text)


@lru_cache
def localizer(language: str) -> Localizer:
    """Return the localizer of an interface language, or of English for any other."""
    known = language if language in INTERFACE_LANGUAGES else DEFAULT_LANGUAGE
    return make_localizer(known, [str(FOLDER)])
