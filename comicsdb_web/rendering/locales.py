"""The language of a page: translations, and formats of dates, numbers and amounts."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError, dates, numbers
from jinja2 import pass_context
from markupsafe import Markup, escape
from webob.acceptparse import create_accept_language_header

from comicsdb import clock
from comicsdb.community.polls import percent_of
from comicsdb.config.types import Logo
from comicsdb.http.session_cookie import session_identifier
from comicsdb.i18n import INTERFACE_LANGUAGES, Plural, name_in, text_in
from comicsdb.imaging.picture import thumbnail_size
from comicsdb.models.choices import DEFAULT_LANGUAGE, Precision
from comicsdb.models.currencies import IN_USE, WITHDRAWN, round_to_decimals
from comicsdb.values import iso_timestamp, partial_day_text
from comicsdb_web.http.routing import is_api
from comicsdb_web.rendering.review_text import passages
from comicsdb_web.texts import DOMAIN, _

_COMMON = ("USD", "GBP", "EUR", "JPY", "CAD", "AUD", "CHF", "BRL", "MXN", "ITL", "FRF", "DEM", "ESP")
# The currencies that a form offers, common ones first; each occurs once.
CURRENCY_GROUPS = (
    (_("Common currencies"), _COMMON),
    (_("Currencies in use"), tuple(code for code in IN_USE if code not in _COMMON)),
    (_("Old currencies"), tuple(code for code in WITHDRAWN if code not in _COMMON)),
)

LANGUAGE_COOKIE = "language"
FORMATTED_MAX = 20_000  # cached dates, numbers and amounts
HEADER_LENGTH_MAX = 1000  # of Accept-Language, as the result is cached


def ngettext(singular: str, plural: str, n: int, **mapping) -> Plural:
    """Return a text of the site with plural forms: `ngettext("${n} day", "${n} days", 3)`."""
    return Plural(singular, plural, n, mapping, DOMAIN)


def locale_of(request) -> Locale:
    """Return Babel's locale of a page."""
    return _locale_named(request.locale_name)


@lru_cache
def _locale_named(language: str) -> Locale:
    return Locale.parse(language.replace("-", "_"))


def _locale(context) -> Locale:
    return locale_of(context["request"])


@lru_cache(FORMATTED_MAX)
def _written(language: str, form: Callable[..., str], *how) -> str:
    """Call one of Babel's formatters and cache the result; dates and numbers repeat."""
    return form(*how, locale=_locale_named(language))


@pass_context
def number(context, value: int) -> str:
    """Format an integer with separators: 12,345."""
    return _written(context["request"].locale_name, numbers.format_decimal, value)


@pass_context
def percent(context, value: int) -> str:
    """Format a percentage: 69%."""
    return _written(context["request"].locale_name, numbers.format_percent, value / 100)


@pass_context
def average(context, value: float) -> str:
    """Format an average rating with one decimal: 3.4."""
    return _written(context["request"].locale_name, numbers.format_decimal, Decimal(str(value)), "0.0")


@pass_context
def day(context, value: date) -> str:
    """Format a date: July 29, 2026."""
    return _written(context["request"].locale_name, dates.format_date, value, "long")


@pass_context
def month(context, value: date) -> str:
    """Format the month of a cover date: October 2026."""
    return _written(context["request"].locale_name, dates.format_skeleton, "yMMMM", value)


UNDATED = _("Undated")


def _covered(context, issue, how: str) -> str:
    known = getattr(issue, "cover_date_precision", Precision.DAY)
    if known == Precision.NONE:
        return context["request"].localizer.translate(UNDATED)
    return _known(context, issue.cover_date, known, how)


def _known(context, value: date, known: str, how: str) -> str:
    if known == Precision.YEAR:
        how = "y"
    elif known == Precision.MONTH and how == "yMMMMd":
        how = "yMMMM"
    if how == "yMMMMd":
        return day(context, value)
    return _written(context["request"].locale_name, dates.format_skeleton, how, value)


@pass_context
def day_known(context, value: date, known: str) -> str:
    """Format a date as far as it is known: July 29, 2026; July 2026; 2026."""
    return _known(context, value, known, "yMMMMd")


@pass_context
def cover_day(context, issue) -> str:
    """Format the cover date of an issue as far as it is known: July 29, 2026."""
    return _covered(context, issue, "yMMMMd")


@pass_context
def cover_month(context, issue) -> str:
    """Format the month of an issue's cover date: October 2026."""
    return _covered(context, issue, "yMMMM")


@pass_context
def short_cover(context, issue) -> str:
    """Format the month of an issue's cover date, abbreviated: Oct 2026."""
    return _covered(context, issue, "yMMM")


def cover_iso(issue) -> str:
    """Write the cover date of an issue as far as it is known, as in ISO 8601."""
    return partial_day_text(issue.cover_date, getattr(issue, "cover_date_precision", Precision.DAY))


@pass_context
def weekday(context, value: date) -> str:
    """Format the day within its month: 5 Thu."""
    return _written(context["request"].locale_name, dates.format_skeleton, "Ed", value)


@pass_context
def local_day(context, value: datetime) -> str:
    """Format the date of a time in the reader's time zone, or the site's if unknown."""
    zone = context["request"].zone
    return _written(context["request"].locale_name, dates.format_date, value.astimezone(zone).date(), "long")


@pass_context
def local_short_day(context, value: datetime) -> str:
    """Format the date of a time like `local_day`, abbreviated: Nov 22, 2026."""
    zone = context["request"].zone
    return _written(
        context["request"].locale_name, dates.format_date, value.astimezone(zone).date(), "medium"
    )


@pass_context
def moment(context, value: datetime) -> str:
    """Format a time to the minute, in the reader's time zone: Nov 21, 2026, 9:05 PM.

    If the zone is unknown, use the site's and add its name: Nov 21, 2026, 9:05 PM EST.
    """
    request, locale = context["request"], _locale(context)
    local = value.astimezone(request.zone)
    written = dates.get_datetime_format("medium", locale=locale).replace("'", "")
    written = written.replace("{1}", dates.format_date(local, "medium", locale=locale))
    written = written.replace("{0}", dates.format_time(local, "short", locale=locale))
    return written if request.zone_is_known else f"{written}\xa0{zone_name(local, locale)}"


@pass_context
def timestamp(context, value: datetime) -> Markup:
    """Mark up a time; if the reader's zone is unknown, our script shows the time in the browser's zone."""
    told = Markup("") if context["request"].zone_is_known else Markup(" data-local")
    return Markup('<time datetime="{}"{}>{}</time>').format(value.isoformat(), told, moment(context, value))


def zone_name(moment: datetime, locale: Locale) -> str:
    """Return the short name of the time zone of a time: EST, UTC, UTC+2."""
    return dates.get_timezone_name(moment, "short", locale=locale)


def _zone_of(request) -> ZoneInfo:
    """Return the time zone of times on a page."""
    if request.zone_is_known:
        return ZoneInfo(request.identity.timezone)
    return request.registry.settings["comicsdb.timezone"]


def _zone_is_known(request) -> bool:
    """Whether the reader's time zone is known; pages cached for everybody use the site's."""
    return request.identity is not None and request.identity.timezone in clock.zone_names()


@pass_context
def money(context, value: Decimal, currency: str) -> str:
    """Format an amount with its currency: $3.99.

    Decimals of currencies that are usually written without, such as lire, are shown only if they are not 0.
    """
    # As a string: equal amounts, which would be one cache key, may have different numbers of digits.
    return _written(context["request"].locale_name, _amount, str(value), currency)


def _amount(digits: str, currency: str, locale: Locale) -> str:
    value = Decimal(digits)
    usual = numbers.get_currency_precision(currency)
    exact = value != round(value, usual)
    written = numbers.format_currency(
        round_to_decimals(currency, value) if exact else value,
        currency,
        locale=locale,
        currency_digits=not exact,
        decimal_quantization=not exact,
    )
    if written.startswith(currency) and written[len(currency)].isdigit():  # a code instead of a symbol
        return f"{currency}\xa0{written.removeprefix(currency)}"
    return written


@pass_context
def currency_groups(context) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the currencies that a form offers: the title of each group, and its codes with their names."""
    request = context["request"]
    names = _currency_names(request.locale_name)
    return [
        (request.localizer.translate(title), [(code, names[code]) for code in codes])
        for title, codes in CURRENCY_GROUPS
    ]


@lru_cache
def _currency_names(language: str) -> dict[str, str]:
    """Return codes with their names in the language, or else in English: JPY · Japanese Yen."""
    known = {**_locale_named(DEFAULT_LANGUAGE).currencies, **_locale_named(language).currencies}
    return {code: f"{code} · {known[code]}" for _title, codes in CURRENCY_GROUPS for code in codes}


@pass_context
def country(context, code: str) -> str:
    """Return the name of a country by its ISO 3166-1 code, or the code if unknown."""
    return _locale(context).territories.get(code, code)


@pass_context
def language(context, code: str) -> str:
    """Return the name of a language by its code in the catalog, or the code if unknown."""
    return language_name(context["request"], code)


@pass_context
def localized(context, row, field: str) -> str:
    """Return a text of a row in the language of the page; translations of `title` are in `titles`."""
    return text_in(context["request"].locale_name, getattr(row, field), getattr(row, f"{field}s"))


@pass_context
def named(context, row) -> str:
    """Return the name of a row of reference data in the language of the page."""
    return name_in(context["request"].locale_name, row)


def language_name(request, code: str) -> str:
    """Return the name of a language, for views."""
    locale = locale_of(request)
    try:
        return Locale.parse(code, sep="-").get_display_name(locale) or code
    except (UnknownLocaleError, ValueError):
        return locale.languages.get(code, code)


@pass_context
def is_new(context, created: datetime) -> bool:
    """Whether something was added today or yesterday, in the site's time zone."""
    request = context["request"]
    zone = request.registry.settings["comicsdb.timezone"]
    return created.astimezone(zone).date() >= request.today - timedelta(days=1)


def paragraphs(text: str) -> Markup:
    """Convert plain text to HTML: empty lines separate paragraphs, line breaks are kept."""
    blocks = [block.strip() for block in text.replace("\r\n", "\n").split("\n\n")]
    lines = (Markup("<br>").join(escape(line) for line in block.split("\n")) for block in blocks if block)
    return Markup("\n").join(Markup("<p>{}</p>").format(each) for each in lines)


def star_fills(value: float) -> list[int]:
    """Return the filled percentage of each of the five stars: 3.4 gives 100, 100, 100, 40, 0."""
    exact = Decimal(str(value))
    shares = (min(max(exact - each, Decimal(0)), Decimal(1)) * 100 for each in range(5))
    return [int(share.quantize(Decimal(1), ROUND_HALF_UP)) for share in shares]


def excerpt(text: str, length: int = 160) -> str:
    """Return the beginning of a text as one line, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + "…"


FILTERS = (
    number,
    percent,
    percent_of,
    average,
    day,
    month,
    day_known,
    cover_day,
    cover_month,
    short_cover,
    cover_iso,
    local_day,
    local_short_day,
    moment,
    timestamp,
    weekday,
    iso_timestamp,
    money,
    country,
    language,
    localized,
    named,
    paragraphs,
    passages,
    excerpt,
    is_new,
)


def negotiate(request) -> str:
    """Return the language of a page: that of the cookie, else the account, else the browser, else English.

    The API is always in English. Pyramid's default negotiator would accept any query parameter.
    """
    if is_api(request):
        return DEFAULT_LANGUAGE
    return _of_cookie(request) or _of_account(request) or _of_browser(request)


def set_language_without_account(request) -> None:
    """Set the language of an error page without looking up the account, as the database may be down."""
    set_language(request, _of_cookie(request) or _of_browser(request))


def set_language(request, language: str) -> None:
    """Set the language of a page."""
    request.locale_name = language
    vars(request).pop("localizer", None)  # that of another language


def set_language_of_account(request, language: str) -> None:
    """Set the language to that of an account that is not logged in, unless the cookie has one."""
    if language in INTERFACE_LANGUAGES and _of_cookie(request) is None:
        set_language(request, language)


def _of_cookie(request) -> str | None:
    try:
        return language_of_cookies(request.cookies)
    except UnicodeDecodeError:  # a cookie is not valid UTF-8, so none can be read
        return None


def language_of_cookies(cookies: Mapping[str, str]) -> str | None:
    """Return the language chosen by cookie, or None."""
    language = cookies.get(LANGUAGE_COOKIE)
    return language if language in INTERFACE_LANGUAGES else None


def _of_account(request) -> str | None:
    identity = request.identity if session_identifier(request) else None
    return identity.language if identity and identity.language in INTERFACE_LANGUAGES else None


def _of_browser(request) -> str:
    return language_of_header(request.environ.get("HTTP_ACCEPT_LANGUAGE"))


def language_of_header(accepted: str | None) -> str:
    """Return the language that best matches an Accept-Language header; one that is too long is ignored."""
    return _best_match(accepted) if accepted and len(accepted) <= HEADER_LENGTH_MAX else DEFAULT_LANGUAGE


@lru_cache(maxsize=1024)
def _best_match(accepted: str) -> str:
    header = create_accept_language_header(accepted)
    return header.lookup(INTERFACE_LANGUAGES, default=DEFAULT_LANGUAGE)


class Brand(NamedTuple):
    """The name of the site, and its mark if it is not ours."""

    title: str
    logo: Logo | None

    @property
    def picture(self) -> str:
        """The static file that other sites show with a link; ours has our name on it."""
        if self.logo:
            return self.logo.name
        return "img/share.png" if self.title == "comicsdb" else "img/icon-512.png"


def includeme(config):
    """Add translations and template filters; include it before the template engine."""
    settings = config.get_settings()
    config.set_locale_negotiator(negotiate)
    config.add_request_method(_zone_of, "zone", reify=True)
    config.add_request_method(_zone_is_known, "zone_is_known", reify=True)
    config.add_translation_dirs("comicsdb_web:locale")
    config.add_settings(
        {
            "jinja2.filters": {each.__name__: each for each in FILTERS},
            "jinja2.globals": {
                **{each.__name__: each for each in (thumbnail_size, star_fills, currency_groups)},
                "BRAND": Brand(settings["comicsdb.title"], settings["comicsdb_web.logo"]),
            },
        }
    )
