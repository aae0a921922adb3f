"""Settings from environment, ini file and defaults; a missing or invalid one prevents the start."""

import logging
import os
import re
from difflib import get_close_matches

from comicsdb.config.declarations import (
    BASIC_DAYS,
    BASIC_DEPRECATED,
    BASIC_PHASE,
    BASIC_SUNSET,
    COUNT_MAX,
    DATABASE_URL,
    DEVELOPMENT_SECRET,
    MEDIA_BUCKET,
    REMOVED,
    REPLICAS,
    SECRET,
    SETTINGS,
    SMTP_SSL,
    SMTP_TLS,
    variable_of,
)
from comicsdb.config.types import EMBEDDED

# Settings of Pyramid's add-ons that our code depends on.
FIXED_SETTINGS = {
    "tm.manager_hook": "pyramid_tm.explicit_manager",
    "tm.commit_veto": "pyramid_tm.default_commit_veto",  # 4xx and 5xx responses roll back
    "tm.annotate_user": "false",  # it would look up the user before the route is known
    "retry.attempts": "5",
}
OUR_PREFIXES = ("comicsdb.", "comicsdb_api.", "comicsdb_web.")  # unknown names with these prefixes are errors


log = logging.getLogger(__name__)

SECRET_BYTES = 32
HOW_TO_MAKE_ONE = " This makes one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
SECRET_LETTERS = 8  # minimum of distinct characters; random text has more
_PLACEHOLDER = re.compile(r"change[-_ ]?(me|this|it)\b", re.IGNORECASE)


class SettingsError(Exception):
    """A setting is missing or invalid; the message names it and the accepted values, but quotes no secret."""


def parse_settings(given: dict) -> dict:
    """Typed settings: the environment overrides the ini file, which overrides the defaults.

    Raises SettingsError for a missing required setting, an invalid value, conflicting values, an unknown name
    with one of our prefixes, and a weak secret.
    """
    settings = {**given, **FIXED_SETTINGS}
    _check_names(given)
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
                shown = "" if setting.secret else f" ({value!r})"
                raise SettingsError(f"The setting {setting.key}{shown} is wrong: it {error}.") from error
        settings[setting.key] = value
    if not settings[DATABASE_URL].startswith(EMBEDDED):
        _check_secrets(settings)
    _check_basic(settings)
    _check_conflicts(settings)
    return settings


def _check_names(given: dict) -> None:
    known = {setting.key for setting in SETTINGS}
    for key, remedy in REMOVED.items():
        if key in given or variable_of(key) in os.environ:
            log.warning(
                "The setting %s (%s) is no longer read: %s. Remove it.", key, variable_of(key), remedy
            )
    for key in given.keys() - REMOVED.keys():
        if key.startswith(OUR_PREFIXES) and key not in known:
            near = get_close_matches(key, known, 1)
            hint = f" Is {near[0]} meant?" if near else " docs/settings.md lists what there is."
            raise SettingsError(f"There is no setting {key}.{hint}")


def _missing(key: str, why: str = "") -> SettingsError:
    (variable,) = (setting.variable for setting in SETTINGS if setting.key == key)
    return SettingsError(
        f"The setting {key} is missing{why}: write it in the ini file"
        f" or set the environment variable {variable}."
    )


def _check_secrets(settings: dict) -> None:
    """Reject secrets that are known or can be guessed, except for an embedded database."""
    for setting in SETTINGS:
        if setting.secret and _PLACEHOLDER.search(str(settings[setting.key] or "")):
            raise SettingsError(
                f"The setting {setting.key} ({setting.variable}) still holds the placeholder of an example:"
                f" write your own.{HOW_TO_MAKE_ONE}"
            )
    secret = settings[SECRET]
    if secret == DEVELOPMENT_SECRET:
        why = "is that of development.ini, which everybody knows"
    elif len(secret.encode()) < SECRET_BYTES:
        why = f"is too short: it takes {SECRET_BYTES} bytes or more"
    elif len(set(secret)) < SECRET_LETTERS:
        why = f"can be guessed: it has fewer than {SECRET_LETTERS} different characters"
    else:
        return
    raise SettingsError(f"The setting {SECRET} (COMICSDB_SECRET) {why}.{HOW_TO_MAKE_ONE}")


def _check_conflicts(settings: dict) -> None:
    """Reject settings that contradict each other or lack another one."""
    if settings[DATABASE_URL] in settings[REPLICAS]:
        raise SettingsError(f"The setting {REPLICAS} is wrong: it names the database of {DATABASE_URL}.")
    if settings["comicsdb.media.storage"] == "s3" and not settings[MEDIA_BUCKET]:
        raise _missing(MEDIA_BUCKET, ", which comicsdb.media.storage = s3 needs")
    if settings[SMTP_TLS] and settings[SMTP_SSL]:
        raise SettingsError(f"Only one of the settings {SMTP_TLS} and {SMTP_SSL} can be true.")


def _check_basic(settings: dict) -> None:
    """Check that the dates required by the current phase of HTTP Basic's end are set and in order."""
    for key, first_phase in BASIC_DAYS.items():
        if settings[BASIC_PHASE] >= first_phase and settings[key] is None:
            raise _missing(key, f", which {BASIC_PHASE} needs from {first_phase} on")
    deprecated, sunset = settings[BASIC_DEPRECATED], settings[BASIC_SUNSET]
    if deprecated and sunset and sunset < deprecated:
        raise SettingsError(f"The setting {BASIC_SUNSET} is wrong: it is before {BASIC_DEPRECATED}.")


def includeme(config):
    """Replace the settings with typed ones."""
    config.add_settings(parse_settings(config.get_settings()))
