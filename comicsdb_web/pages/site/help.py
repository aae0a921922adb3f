"""Help pages: static, public, from Markdown files for each language that are filled in from settings."""

from pathlib import Path

from babel import Locale, dates, numbers
from pyramid.httpexceptions import HTTPNotFound
from pyramid.i18n import make_localizer

from comicsdb.config.declarations import BASIC_DEPRECATED, BASIC_PHASE, BASIC_SUNSET
from comicsdb.i18n import INTERFACE_LANGUAGES, translate
from comicsdb.models.choices import SupporterTier
from comicsdb.ratelimit.api import BASIC_MAX
from comicsdb_web.rendering import markdown
from comicsdb_web.rendering.locales import _

ORDER = (
    "search",
    "editing",
    "library",
    "reading-lists",
    "api",
    "rate-limits",
    "basic-auth",
    "privacy",
    "contact",
)
LOCALE = Path(__file__).parent.parent.parent / "locale"

EVERYBODY_EDITS = _("Everybody with an account can add to it and correct it.")
EDITORS_EDIT = _("Members of the editor group can add to it and correct it.")
FREE_304 = _(": unchanged data is answered with 304, which does not count towards your daily limit.")
COUNTED_304 = _(": unchanged data is answered with 304 and no body.")


def index(request):
    """All help pages."""
    return {"pages": [_page(request, name) for name in ORDER]}


def page(request):
    """One help page, next to the list of all."""
    name = request.matchdict["page"]
    if name not in ORDER:
        raise HTTPNotFound
    return {"page": _page(request, name), "pages": [_page(request, each) for each in ORDER]}


def _page(request, name: str) -> markdown.Page:
    return markdown.in_language(request.registry["comicsdb_web.help"][name], request.locale_name)


def values(settings, language: str) -> dict[str, str]:
    """The values of settings in the texts, formatted for a language."""
    locale, localizer = Locale.parse(language, sep="-"), make_localizer(language, [str(LOCALE)])
    throttle, gifts = "comicsdb_api.throttle", settings["comicsdb.donations.tiers"]

    def number(name: str) -> str:
        return numbers.format_decimal(settings[f"{throttle}.{name}"], locale=locale)

    def day(name: str) -> str:
        return dates.format_date(settings[name], "long", locale=locale) if settings[name] else "–"

    tiers = {}
    for tier in SupporterTier:
        name = tier.name.lower()
        tiers[name] = numbers.format_decimal(settings[f"{throttle}.tiers"][tier], locale=locale)
        tiers[f"{name}_gift"] = numbers.format_currency(gifts[tier] / 100, "USD", locale=locale)
    everybody = settings["comicsdb.site_editing"] == "everybody"
    free = settings[f"{throttle}.free_304_429"]
    return tiers | {
        "base_url": settings["comicsdb.base_url"],
        "share": number("share"),
        "burst": number("burst"),
        "sustained": number("sustained"),
        "basic_burst": numbers.format_decimal(BASIC_MAX[0], locale=locale),
        "basic_sustained": numbers.format_decimal(BASIC_MAX[1], locale=locale),
        "basic_phase": str(settings[BASIC_PHASE]),
        "basic_deprecated": day(BASIC_DEPRECATED),
        "basic_sunset": day(BASIC_SUNSET),
        "editors": translate(localizer, EVERYBODY_EDITS if everybody else EDITORS_EDIT),
        "free_304": translate(localizer, FREE_304 if free else COUNTED_304),
    }


def includeme(config):
    """Read the files and add the pages. Raises TextError for a file that cannot be used or has no place."""
    settings = config.get_settings()
    told = {language: values(settings, language) for language in INTERFACE_LANGUAGES}
    found = markdown.pages("help", ("title", "summary", "icon"), told)
    if odd := set(found) ^ set(ORDER):
        raise markdown.TextError(
            f"Help pages are the files in {markdown.FOLDER / 'help'}, in the ORDER in {__file__};"
            f" only in one of them: {', '.join(sorted(odd))}."
        )
    config.registry["comicsdb_web.help"] = found
    config.add_page("help", "/help/", index, renderer="help/index.jinja2")
    config.add_page("help.page", "/help/{page}/", page, renderer="help/page.jinja2")
