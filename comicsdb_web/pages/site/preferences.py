"""The switches for language and theme."""

from babel import Locale
from babel.core import get_global

from comicsdb import accounts
from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb_web.http import preferences
from comicsdb_web.http.fragments import fragment
from comicsdb_web.rendering.locales import LANGUAGE_COOKIE, locale_of
from comicsdb_web.rendering.themes import COOKIE, THEMES


def languages(request) -> list[tuple[str, str]]:  # noqa: ARG001
    """The languages of the site, each with its name in that language."""
    return [(code, _own_name(code)) for code in INTERFACE_LANGUAGES]


def _own_name(code: str) -> str:
    name = Locale.parse(code, sep="-").get_display_name()
    return name[0].upper() + name[1:]


def locale_territory(request) -> str:
    """The page's language for Open Graph, with its most likely country: en_US."""
    likely = get_global("likely_subtags").get(str(locale_of(request)), "en_Latn_US")
    return "_".join(likely.split("_")[::2])


def switch_language(request):
    """Store the choice, also in the account (for its mails), and redirect back."""
    language = preferences.submitted_choice(request, "language", INTERFACE_LANGUAGES)
    if language and request.identity is not None:
        accounts.set_language(request.dbsession, request.identity.user_id, language)
    return preferences.store_choice(request, preferences.redirect_back(request), LANGUAGE_COOKIE, language)


def switch_theme(request):
    """Store the choice and redirect back."""
    theme = preferences.submitted_choice(request, "theme", THEMES)
    if request.is_fragment:
        response = fragment(request, "theme", {"theme": theme or request.theme})
    else:
        response = preferences.redirect_back(request)
    return preferences.store_choice(request, response, COOKIE, theme)


def includeme(config):
    """Add the switches, and the request properties that their forms need."""
    config.add_request_method(languages, "languages", reify=True)
    config.add_request_method(locale_territory, "locale_territory", reify=True)
    config.add_page("language", "/i18n/setlang/", switch_language, methods=("POST",), require_csrf=False)
    config.add_page("theme", "/theme/", switch_theme, methods=("POST",), require_csrf=False)
