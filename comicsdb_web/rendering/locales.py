"""Language of a page: translated messages, and dates, numbers and money as its readers write them."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError, dates, numbers
from jinja2 import pass_context
from markupsafe import Markup, escape
from pyramid.i18n import LocalizerRequestMixin, TranslationStringFactory
from webob.acceptparse import create_accept_language_header

from comicsdb import clock
from comicsdb.community.polls import percent_of
from comicsdb.i18n import INTERFACE_LANGUAGES, Plural
from comicsdb.imaging.picture import fitted
from comicsdb.models.choices import DEFAULT_LANGUAGE
from comicsdb.security import session_identifier
from comicsdb_web.http.routing import is_api

DOMAIN = "comicsdb_web"
_ = TranslationStringFactory(DOMAIN)

LANGUAGE_COOKIE = "language"
WRITTEN_MOST = 20_000  # dates, numbers and amounts whose words are remembered
HEADER_LENGTH_MOST = 1000  # of Accept-Language: what is judged is remembered


def ngettext(singular: str, plural: str, n: int, **mapping) -> Plural:
    """A text of the site that depends on a number: `ngettext("${n} day", "${n} days", 3)`."""
    return Plural(singular, plural, n, mapping, DOMAIN)


def locale_of(request) -> Locale:
    """The locale of a page, with its names of months, countries and languages."""
    return _locale_named(request.locale_name)


@lru_cache
def _locale_named(language: str) -> Locale:
    return Locale.parse(language.replace("-", "_"))


def _locale(context) -> Locale:
    return locale_of(context["request"])


@lru_cache(WRITTEN_MOST)
def _written(language: str, form: Callable[..., str], *how) -> str:
    """What a function of Babel's writes in a language; the same dates and numbers come again and again."""
    return form(*how, locale=_locale_named(language))


@pass_context
def number(context, value: int) -> str:
    """A whole number with separators: 12,345."""
    return _written(context["request"].locale_name, numbers.format_decimal, value)


@pass_context
def percent(context, value: int) -> str:
    """A share out of a hundred: 69%."""
    return _written(context["request"].locale_name, numbers.format_percent, value / 100)


@pass_context
def average(context, value: float) -> str:
    """An average of stars with one decimal: 3.4."""
    return _written(context["request"].locale_name, numbers.format_decimal, Decimal(str(value)), "0.0")


@pass_context
def day(context, value: date) -> str:
    """A date: July 29, 2026."""
    return _written(context["request"].locale_name, dates.format_date, value, "long")


@pass_context
def month(context, value: date) -> str:
    """The month of a cover date: October 2026."""
    return _written(context["request"].locale_name, dates.format_skeleton, "yMMMM", value)


@pass_context
def short_month(context, value: date) -> str:
    """The month of a cover date where there is little room: Oct 2026."""
    return _written(context["request"].locale_name, dates.format_skeleton, "yMMM", value)


@pass_context
def local_day(context, value: datetime) -> str:
    """The date of a moment in the time zone of the reader, or of the site where that is not known."""
    zone = context["request"].zone
    return _written(context["request"].locale_name, dates.format_date, value.astimezone(zone).date(), "long")


@pass_context
def local_short_day(context, value: datetime) -> str:
    """The same where there is little room: Nov 22, 2026."""
    zone = context["request"].zone
    return _written(
        context["request"].locale_name, dates.format_date, value.astimezone(zone).date(), "medium"
    )


@pass_context
def moment(context, value: datetime) -> str:
    """A moment to the minute, in the time zone of the reader: Nov 21, 2026, 9:05 PM.

    Where that is not known, in that of the site, with its name: Nov 21, 2026, 9:05 PM EST.
    """
    request, locale = context["request"], _locale(context)
    local = value.astimezone(request.zone)
    written = dates.get_datetime_format("medium", locale=locale).replace("'", "")
    written = written.replace("{1}", dates.format_date(local, "medium", locale=locale))
    written = written.replace("{0}", dates.format_time(local, "short", locale=locale))
    return written if request.zone_is_known else f"{written}\xa0{zone_name(local, locale)}"


def zone_name(moment: datetime, locale: Locale) -> str:
    """What people call the time zone of a moment: EST, UTC, UTC+2."""
    return dates.get_timezone_name(moment, "short", locale=locale)


def _zone_of(request) -> ZoneInfo:
    """The time zone that a page shows times in."""
    if request.zone_is_known:
        return ZoneInfo(request.identity.timezone)
    return request.registry.settings["comicsdb.timezone"]


def _zone_is_known(request) -> bool:
    """Whether that is the reader's own; pages that are kept for everybody have the site's."""
    return request.identity is not None and request.identity.timezone in clock.zone_names()


def instant(text: str) -> datetime | None:
    """The moment that a text is, as JSON has it, with its zone; None for any other text."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


@pass_context
def money(context, value: Decimal, currency: str) -> str:
    """An amount with its currency: $3.99. Lire have no cents unless the amount has."""
    # As text: amounts that are the same may have more digits or fewer.
    return _written(context["request"].locale_name, _amount, str(value), currency)


def _amount(digits: str, currency: str, locale: Locale) -> str:
    value = Decimal(digits)
    exact = currency == "ITL" and value != value.to_integral_value()
    written = numbers.format_currency(
        value, currency, locale=locale, currency_digits=not exact, decimal_quantization=not exact
    )
    if written.startswith(currency) and written[len(currency)].isdigit():  # a code, where others have a sign
        return f"{currency}\xa0{written.removeprefix(currency)}"
    return written


@pass_context
def country(context, code: str) -> str:
    """The name of a country by its ISO 3166-1 code; the code where the name is not known."""
    return _locale(context).territories.get(code, code)


@pass_context
def language(context, code: str) -> str:
    """The name of a language by its code in the catalogue; the code where the name is not known."""
    return language_name(context["request"], code)


def language_name(request, code: str) -> str:
    """The same, for views."""
    locale = locale_of(request)
    try:
        return Locale.parse(code, sep="-").get_display_name(locale) or code
    except (UnknownLocaleError, ValueError):
        return locale.languages.get(code, code)


@pass_context
def is_new(context, created: datetime) -> bool:
    """Whether something was added today or yesterday, as the site's days go."""
    request = context["request"]
    zone = request.registry.settings["comicsdb.timezone"]
    return created.astimezone(zone).date() >= request.today - timedelta(days=1)


def paragraphs(text: str) -> Markup:
    """Plain text as paragraphs: an empty line parts them, a line break stays one."""
    blocks = [block.strip() for block in text.replace("\r\n", "\n").split("\n\n")]
    lines = (Markup("<br>").join(escape(line) for line in block.split("\n")) for block in blocks if block)
    return Markup("\n").join(Markup("<p>{}</p>").format(each) for each in lines)


def star_fills(value: float) -> list[int]:
    """How many percent of each of the five stars are filled: 3.4 gives 100, 100, 100, 40, 0."""
    exact = Decimal(str(value))
    shares = (min(max(exact - each, Decimal(0)), Decimal(1)) * 100 for each in range(5))
    return [int(share.quantize(Decimal(1), ROUND_HALF_UP)) for share in shares]


def excerpt(text: str, length: int = 160) -> str:
    """The beginning of a text in one line, cut between words."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + "…"


FILTERS = (
    number,
    percent,
    percent_of,
    average,
    day,
    month,
    short_month,
    local_day,
    local_short_day,
    moment,
    instant,
    money,
    country,
    language,
    paragraphs,
    excerpt,
    is_new,
)


def negotiate(request) -> str:
    """The language of a page: the cookie's, the account's, the browser's, or English.

    The API speaks English, whoever asks. Pyramid's own way would believe any parameter of the address.
    """
    if is_api(request):
        return DEFAULT_LANGUAGE
    return _of_cookie(request) or _of_account(request) or _of_browser(request)


def speak_alone(request) -> None:
    """Choose the language of a page that must not ask who reads it, as the database may be away."""
    request.locale_name = _of_cookie(request) or _of_browser(request)
    request.localizer = LocalizerRequestMixin.localizer.wrapped(request)  # one may have been made already


def _of_cookie(request) -> str | None:
    try:
        return language_of_cookies(request.cookies)
    except UnicodeDecodeError:  # one of the cookies is no text, and then none can be read
        return None


def language_of_cookies(cookies: Mapping[str, str]) -> str | None:
    """The language that a reader chose, None for none."""
    language = cookies.get(LANGUAGE_COOKIE)
    return language if language in INTERFACE_LANGUAGES else None


def _of_account(request) -> str | None:
    identity = request.identity if session_identifier(request) else None
    return identity.language if identity and identity.language in INTERFACE_LANGUAGES else None


def _of_browser(request) -> str:
    return language_of_header(request.environ.get("HTTP_ACCEPT_LANGUAGE"))


def language_of_header(accepted: str | None) -> str:
    """The language of ours that suits an Accept-Language header best; one that is too long says nothing."""
    return _suiting(accepted) if accepted and len(accepted) <= HEADER_LENGTH_MOST else DEFAULT_LANGUAGE


@lru_cache(maxsize=1024)
def _suiting(accepted: str) -> str:
    header = create_accept_language_header(accepted)
    return header.lookup(INTERFACE_LANGUAGES, default=DEFAULT_LANGUAGE)


def includeme(config):
    """Add the messages, and the filters of the templates; before the template engine comes in."""
    config.set_locale_negotiator(negotiate)
    config.add_request_method(_zone_of, "zone", reify=True)
    config.add_request_method(_zone_is_known, "zone_is_known", reify=True)
    config.add_translation_dirs("comicsdb_web:locale")
    config.add_settings(
        {
            "jinja2.filters": {each.__name__: each for each in FILTERS},
            "jinja2.globals": {"fitted": fitted, "star_fills": star_fills},
        }
    )
