"""Settings: where each comes from, its type and default; a missing or wrong one stops the start by name."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from comicsdb.models.choices import COUNTRIES, LANGUAGES

# What our own use of Pyramid's add-ons needs, whatever the ini file says.
FIXED = {
    "tm.manager_hook": "pyramid_tm.explicit_manager",
    "tm.commit_veto": "pyramid_tm.default_commit_veto",  # a 4xx or 5xx answer rolls back
    "tm.annotate_user": "false",  # would ask for the user before the route is known
    "retry.attempts": "5",
}


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
    Setting("comicsdb.official_account", "COMICSDB_OFFICIAL_ACCOUNT", str, "Metron"),
    Setting("comicsdb.media.folder", "COMICSDB_MEDIA_FOLDER", Path, "var/media"),
    Setting("comicsdb.password_cost", "COMICSDB_PASSWORD_COST", str, "default"),
    Setting("comicsdb.secure_cookies", "COMICSDB_SECURE_COOKIES", boolean, "true"),
    Setting("comicsdb.cache.url", "COMICSDB_CACHE_URL", cache_url, ""),
    Setting("comicsdb.cache.memory_mb", "COMICSDB_CACHE_MEMORY_MB", megabytes, "64"),
    Setting("comicsdb.cache.prefix", "COMICSDB_CACHE_PREFIX", cache_prefix, "comicsdb"),
)


def resolve(given: dict) -> dict:
    """Settings with types: the environment goes before the ini file, the ini file before the default.

    Raises SettingsError for a required setting that is missing and for a value that cannot be read.
    """
    settings = {**given, **FIXED}
    for setting in SETTINGS:
        value = os.environ.get(setting.variable) or settings.get(setting.key)
        if value is None or value == "":
            if setting.required:
                raise SettingsError(
                    f"The setting {setting.key} is missing: write it in the ini file"
                    f" or set the environment variable {setting.variable}."
                )
            value = setting.default
        if isinstance(value, str):
            try:
                value = setting.parse(value)
            except ValueError as error:
                raise SettingsError(f"The setting {setting.key} ({value!r}) is wrong: it {error}.") from error
        settings[setting.key] = value
    return settings


def includeme(config):
    """Make the settings typed, also for a host that brought its own Configurator."""
    config.add_settings(resolve(config.get_settings()))
