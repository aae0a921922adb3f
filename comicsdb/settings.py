"""Settings: where each comes from, its type and default; a missing or wrong one stops the start by name."""

import os
import re
from dataclasses import dataclass
from datetime import date
from email.headerregistry import Address
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from comicsdb.models.choices import COUNTRIES, LANGUAGES, SupporterTier

# What our own use of Pyramid's add-ons needs, whatever the ini file says.
FIXED = {
    "tm.manager_hook": "pyramid_tm.explicit_manager",
    "tm.commit_veto": "pyramid_tm.default_commit_veto",  # a 4xx or 5xx answer rolls back
    "tm.annotate_user": "false",  # would ask for the user before the route is known
    "retry.attempts": "5",
}

MOST = 1_000_000_000  # of anything that is counted

# The end of HTTP Basic (seed 3.2): from which phase on each of its days must be known.
BASIC_PHASE, BASIC_DEPRECATED, BASIC_SUNSET = (
    f"comicsdb.basic_{name}" for name in ("phase", "deprecated", "sunset")
)
MEDIA_BUCKET = "comicsdb.media.bucket"
BASIC_DAYS = {BASIC_DEPRECATED: 1, BASIC_SUNSET: 2}


class SettingsError(Exception):
    """A setting is missing or wrong; the message names it and says what it takes."""


def words(text: str) -> tuple[str, ...]:
    """The words of a text, separated by blanks or commas."""
    return tuple(text.replace(",", " ").split())


def boolean(text: str) -> bool:
    """`true`, `yes`, `on` and `1`, or their opposites."""
    lowered = text.strip().lower()
    if lowered in {"true", "yes", "on", "1"}:
        return True
    if lowered in {"false", "no", "off", "0"}:
        return False
    raise ValueError("takes true or false")


def zone(text: str) -> ZoneInfo:
    """A time zone by its name in the IANA database."""
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError("takes the name of a time zone, such as Europe/Rome") from error


def megabytes(text: str) -> float:
    """A size in megabytes, zero included."""
    try:
        size = float(text)
    except ValueError:
        size = -1.0
    if not 0 <= size < 1_000_000:
        raise ValueError("takes a number of megabytes, such as 64")
    return size


def cache_url(text: str) -> str:
    """Where Redis listens; an empty text means that there is none."""
    if not text or re.fullmatch(r"unix://([^@/]*@)?/[^?]+(\?.*)?", text):
        return text
    try:
        parts = urlsplit(text)
        number = parts.path.strip("/") or "0"
        if parts.scheme in {"redis", "rediss"} and parts.hostname and parts.port != 0 and number.isdecimal():
            return text
    except ValueError:  # a port that is none, a bracket too many: said below
        pass
    raise ValueError("takes redis://HOST:PORT/NUMBER, rediss://... or unix:///PATH?db=NUMBER")


def cache_prefix(text: str) -> str:
    """What every key in Redis begins with."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+", text):
        raise ValueError("takes letters, digits, dots, hyphens and underscores")
    return text


def _codes(known: tuple[str, ...], what: str):
    def parse(text: str) -> tuple[str, ...]:
        codes = words(text)
        unknown = [code for code in codes if code not in known]
        if unknown or not codes:
            raise ValueError(f"takes {what} codes separated by blanks (unknown: {' '.join(unknown) or '-'})")
        return codes

    return parse


def base_url(text: str) -> str:
    """`https://host`, without a path; empty where it is not known."""
    text = text.strip().rstrip("/")
    if text and not re.fullmatch(r"https?://[^/\s;,]+", text):
        raise ValueError("takes an address such as https://host")
    return text


def networks(text: str) -> tuple:
    """Addresses and networks, such as 127.0.0.1 and fd00::/8."""
    try:
        return tuple(ip_network(word) for word in words(text))
    except ValueError as error:
        raise ValueError("takes addresses or networks separated by blanks, such as 10.0.0.0/8") from error


def sender(text: str) -> Address:
    """Who mail is from: `Name <name@host>`."""
    name, address = parseaddr(text)
    try:
        found = Address(name, addr_spec=address)
    except (ValueError, IndexError) as error:
        raise ValueError("takes a name and an address, such as comicsdb <mail@host>") from error
    if not found.domain or not text.isascii() or not text.isprintable():
        raise ValueError("takes a name and an address, such as comicsdb <mail@host>")
    return found


def mailboxes(text: str) -> tuple[str, ...]:
    """Mail addresses, separated by blanks or commas."""
    found = words(text)
    for each in found:
        sender(each)
    return found


def folder(text: str) -> Path | None:
    """A folder, or none."""
    return Path(text) if text else None


def day(text: str) -> date | None:
    """A date such as 2027-05-31, or none."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError("takes a date, such as 2027-05-31") from error


def number(low: int, high: int):
    """A reader of whole numbers within bounds, both included."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not low <= int(text) <= high:
            raise ValueError(f"takes a number from {low} to {high}")
        return int(text)

    return parse


def ids(text: str) -> frozenset[int]:
    """Ids of rows, separated by blanks or commas."""
    if not all(re.fullmatch("[1-9][0-9]{0,9}", word) for word in words(text)):
        raise ValueError("takes ids separated by blanks, such as 1 2")
    return frozenset(map(int, words(text)))


def standing_credits(text: str) -> dict[int, tuple[tuple[int, str], ...]]:
    """Creators and roles by publisher: `7: 12 Editor In Chief, 15 President; 8: 20 Publisher`."""
    found = {}
    for part in filter(str.strip, text.split(";")):
        publisher, _, rest = part.partition(":")
        pairs = [re.fullmatch(r"([1-9][0-9]{0,8}) +(\S.*)", each.strip()) for each in rest.split(",")]
        if not re.fullmatch("[1-9][0-9]{0,8}", publisher.strip()) or not all(pairs):
            raise ValueError("takes ids with roles, such as 7: 12 Editor In Chief, 15 President; 8: 20 Other")
        found[int(publisher)] = tuple((int(pair[1]), pair[2]) for pair in pairs)
    return found


def one_of(*choices: str):
    """A reader of one of a few words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"takes one of: {', '.join(choices)}")
        return text

    return parse


def by_tier(text: str) -> dict[SupporterTier, int]:
    """A number for each tier of supporters: `friend=7500 backer=10000 ...`."""
    found = dict(word.partition("=")[::2] for word in words(text))
    numbers = [found.get(tier, "") for tier in SupporterTier]
    if set(found) != set(SupporterTier) or not all(re.fullmatch("[1-9][0-9]{0,8}", each) for each in numbers):
        raise ValueError("takes a number for each tier: friend=1 backer=2 sponsor=3 mega_sponsor=4")
    return {tier: int(each) for tier, each in zip(SupporterTier, numbers, strict=True)}


def web_address(text: str) -> str:
    """An address of http or https."""
    if not re.fullmatch(r"https?://[^/\s]+(/\S*)?", text):
        raise ValueError("takes an address such as https://host/path")
    return text


def below(text: str) -> str:
    """An address that others lie below, without its last slash; empty where there is none."""
    return web_address(text).rstrip("/") if text else ""


def prefix(text: str) -> str:
    """What the names in a bucket begin with: words with slashes between them."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", text):
        raise ValueError("takes letters, digits, dots, hyphens and underscores, and slashes between them")
    return text


def some_of(*choices: str):
    """A reader of any of a few words, separated by blanks or commas."""

    def parse(text: str) -> tuple[str, ...]:
        if not set(words(text)) <= set(choices):
            raise ValueError(f"takes any of: {', '.join(choices)}")
        return words(text)

    return parse


@dataclass(frozen=True)
class Setting:
    """One setting: its key in the ini file, its environment variable, how to read it, and its default."""

    key: str
    variable: str
    parse: type | object = str
    default: str | None = None
    required: bool = False


SETTINGS = (
    Setting("sqlalchemy.url", "COMICSDB_DATABASE_URL", required=True),
    Setting("comicsdb.secret", "COMICSDB_SECRET", required=True),
    Setting("comicsdb.timezone", "COMICSDB_TIMEZONE", zone, "America/New_York"),
    Setting("comicsdb.countries", "COUNTRIES", _codes(COUNTRIES, "ISO 3166-1 country"), "US GB IT"),
    Setting("comicsdb.languages", "COMICSDB_LANGUAGES", _codes(LANGUAGES, "language"), "en it"),
    Setting("comicsdb.site_editing", "COMICSDB_SITE_EDITING", one_of("everybody", "editors"), "everybody"),
    Setting("comicsdb.copying.without", "COMICSDB_COPYING_WITHOUT", ids, ""),
    Setting("comicsdb.executives", "COMICSDB_EXECUTIVES", standing_credits, ""),
    Setting("comicsdb.official_account", "COMICSDB_OFFICIAL_ACCOUNT", str, "Metron"),
    Setting("comicsdb.media.storage", "COMICSDB_MEDIA_STORAGE", one_of("folder", "s3"), "folder"),
    Setting("comicsdb.media.folder", "COMICSDB_MEDIA_FOLDER", Path, "var/media"),
    Setting(MEDIA_BUCKET, "COMICSDB_MEDIA_BUCKET", str, ""),
    Setting("comicsdb.media.prefix", "COMICSDB_MEDIA_PREFIX", prefix, "media"),
    Setting("comicsdb.media.endpoint", "COMICSDB_MEDIA_ENDPOINT", base_url, ""),
    Setting("comicsdb.media.region", "COMICSDB_MEDIA_REGION", str, ""),
    Setting("comicsdb.media.access_key", "COMICSDB_MEDIA_ACCESS_KEY", str, ""),
    Setting("comicsdb.media.secret_key", "COMICSDB_MEDIA_SECRET_KEY", str, ""),
    Setting("comicsdb.media.url", "COMICSDB_MEDIA_URL", below, ""),
    Setting("comicsdb.password_cost", "COMICSDB_PASSWORD_COST", str, "default"),
    Setting("comicsdb.secure_cookies", "COMICSDB_SECURE_COOKIES", boolean, "true"),
    Setting("comicsdb.cache.url", "COMICSDB_CACHE_URL", cache_url, ""),
    Setting("comicsdb.cache.memory_mb", "COMICSDB_CACHE_MEMORY_MB", megabytes, "64"),
    Setting("comicsdb.cache.prefix", "COMICSDB_CACHE_PREFIX", cache_prefix, "comicsdb"),
    Setting("comicsdb.base_url", "COMICSDB_BASE_URL", base_url, ""),
    Setting("comicsdb.trusted_proxies", "COMICSDB_TRUSTED_PROXIES", networks, ""),
    Setting("comicsdb.mail.from", "COMICSDB_MAIL_FROM", sender, "comicsdb <noreply@localhost>"),
    Setting("comicsdb.mail.sender", "COMICSDB_MAIL_SENDER", one_of("thread", "command"), "thread"),
    Setting("comicsdb.mail.folder", "COMICSDB_MAIL_FOLDER", folder, ""),
    Setting("comicsdb.mail.administrators", "COMICSDB_MAIL_ADMINISTRATORS", mailboxes, ""),
    Setting("comicsdb.mail.tell", "COMICSDB_MAIL_TELL", some_of("signup", "activation", "blocked"), ""),
    Setting("mail.host", "COMICSDB_SMTP_HOST", str, "localhost"),
    Setting("mail.port", "COMICSDB_SMTP_PORT", number(1, 65535), "25"),
    Setting("mail.username", "COMICSDB_SMTP_USERNAME", str, ""),
    Setting("mail.password", "COMICSDB_SMTP_PASSWORD", str, ""),
    Setting("mail.tls", "COMICSDB_SMTP_TLS", boolean, "false"),
    Setting("mail.ssl", "COMICSDB_SMTP_SSL", boolean, "false"),
    Setting("comicsdb.signup.per_address", "COMICSDB_SIGNUP_PER_ADDRESS", number(0, 1_000_000), "1"),
    Setting("comicsdb.signup.fastest", "COMICSDB_SIGNUP_FASTEST", number(0, 60), "2"),
    Setting("comicsdb.signup.question", "COMICSDB_SIGNUP_QUESTION", str, ""),
    Setting("comicsdb.signup.answer", "COMICSDB_SIGNUP_ANSWER", str, ""),
    Setting("comicsdb.signup.blocked_domains", "COMICSDB_SIGNUP_BLOCKED_DOMAINS", words, ""),
    Setting("comicsdb.signup.mail_check", "COMICSDB_SIGNUP_MAIL_CHECK", str, ""),
    Setting(
        "comicsdb.signup.mail_check_failure",
        "COMICSDB_SIGNUP_MAIL_CHECK_FAILURE",
        one_of("refuse", "allow"),
        "refuse",
    ),
    Setting(BASIC_PHASE, "COMICSDB_BASIC_PHASE", number(0, 3), "0"),
    Setting(BASIC_DEPRECATED, "COMICSDB_BASIC_DEPRECATED", day, ""),
    Setting(BASIC_SUNSET, "COMICSDB_BASIC_SUNSET", day, ""),
    Setting("comicsdb.basic_remind_days", "COMICSDB_BASIC_REMIND_DAYS", number(1, 365), "30"),
    Setting("comicsdb_api.throttle", "LIMITS", boolean, "on"),
    Setting("comicsdb_api.throttle.burst", "COMICSDB_THROTTLE_BURST", number(1, MOST), "20"),
    Setting("comicsdb_api.throttle.sustained", "COMICSDB_THROTTLE_SUSTAINED", number(1, MOST), "5000"),
    Setting(
        "comicsdb_api.throttle.tiers",
        "COMICSDB_THROTTLE_TIERS",
        by_tier,
        "friend=7500 backer=10000 sponsor=15000 mega_sponsor=25000",
    ),
    Setting("comicsdb_api.throttle.basic_burst", "COMICSDB_THROTTLE_BASIC_BURST", number(1, MOST), "10"),
    Setting(
        "comicsdb_api.throttle.basic_sustained", "COMICSDB_THROTTLE_BASIC_SUSTAINED", number(1, MOST), "1000"
    ),
    Setting("comicsdb_api.throttle.free_304_429", "COMICSDB_THROTTLE_FREE_304_429", boolean, "true"),
    Setting("comicsdb.limits.shared", "COMICSDB_LIMITS_SHARED", boolean, "true"),
    Setting("comicsdb.counters.seconds", "COMICSDB_COUNTERS_SECONDS", number(0, 3600), "5"),
    Setting(
        "comicsdb.donations.url",
        "COMICSDB_DONATIONS_URL",
        web_address,
        "https://api.opencollective.com/graphql/v2",
    ),
    Setting("comicsdb.donations.collective", "COMICSDB_DONATIONS_COLLECTIVE", str, ""),
    Setting("comicsdb.donations.token", "COMICSDB_DONATIONS_TOKEN", str, ""),
    Setting(
        "comicsdb.donations.tiers",
        "COMICSDB_DONATIONS_TIERS",
        by_tier,
        "friend=200 backer=500 sponsor=1000 mega_sponsor=2500",
    ),
    Setting("comicsdb.donations.yearly", "COMICSDB_DONATIONS_YEARLY", boolean, "false"),
)


def resolve(given: dict) -> dict:
    """Settings with types: the environment goes before the ini file, the ini file before the default.

    Raises SettingsError for a required setting that is missing, for a value that cannot be read, and for
    values that do not go together.
    """
    settings = {**given, **FIXED}
    for setting in SETTINGS:
        value = os.environ.get(setting.variable) or settings.get(setting.key)
        if value is None or value == "":
            if setting.required:
                raise _missing(setting.key)
            value = setting.default
        if isinstance(value, str):
            try:
                value = setting.parse(value)
            except ValueError as error:
                raise SettingsError(f"The setting {setting.key} ({value!r}) is wrong: it {error}.") from error
        settings[setting.key] = value
    _check_basic(settings)
    if settings["comicsdb.media.storage"] == "s3" and not settings[MEDIA_BUCKET]:
        raise _missing(MEDIA_BUCKET, ", which comicsdb.media.storage = s3 needs")
    return settings


def _missing(key: str, why: str = "") -> SettingsError:
    (variable,) = (setting.variable for setting in SETTINGS if setting.key == key)
    return SettingsError(
        f"The setting {key} is missing{why}: write it in the ini file"
        f" or set the environment variable {variable}."
    )


def _check_basic(settings: dict) -> None:
    """Each phase in the end of HTTP Basic tells days: they must be known, and in their order."""
    for key, first_phase in BASIC_DAYS.items():
        if settings[BASIC_PHASE] >= first_phase and settings[key] is None:
            raise _missing(key, f", which {BASIC_PHASE} needs from {first_phase} on")
    deprecated, sunset = settings[BASIC_DEPRECATED], settings[BASIC_SUNSET]
    if deprecated and sunset and sunset < deprecated:
        raise SettingsError(f"The setting {BASIC_SUNSET} is wrong: it is before {BASIC_DEPRECATED}.")


def includeme(config):
    """Make the settings typed, also for a host that brought its own Configurator."""
    config.add_settings(resolve(config.get_settings()))
