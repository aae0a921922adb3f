"""Settings: where each comes from; a missing or wrong one stops the start by name, no secret is quoted."""

import os
import re
from difflib import get_close_matches

from comicsdb.config.declarations import (
    BASIC_DAYS,
    BASIC_DEPRECATED,
    BASIC_PHASE,
    BASIC_SUNSET,
    DATABASE_URL,
    DEVELOPMENT_SECRET,
    MEDIA_BUCKET,
    MOST,
    SECRET,
    SETTINGS,
    Setting,
)
from comicsdb.config.types import EMBEDDED, boolean, words

__all__ = [
    "BASIC_DEPRECATED",
    "BASIC_PHASE",
    "BASIC_SUNSET",
    "FIXED",
    "MOST",
    "SETTINGS",
    "Setting",
    "SettingsError",
    "boolean",
    "resolve",
    "words",
]

# What our own use of Pyramid's add-ons needs, whatever the ini file says.
FIXED = {
    "tm.manager_hook": "pyramid_tm.explicit_manager",
    "tm.commit_veto": "pyramid_tm.default_commit_veto",  # a 4xx or 5xx answer rolls back
    "tm.annotate_user": "false",  # would ask for the user before the route is known
    "retry.attempts": "5",
}
OURS = ("comicsdb.", "comicsdb_api.", "comicsdb_web.")  # what begins like this is ours, or a slip of the pen


SECRET_BYTES = 32
HOW_TO_MAKE_ONE = " This makes one: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
SECRET_LETTERS = 8  # different ones, at least: random text has more
_PLACEHOLDER = re.compile(r"change[-_ ]?(me|this|it)\b", re.IGNORECASE)


class SettingsError(Exception):
    """A setting is missing or wrong; the message names it and says what it takes."""


def resolve(given: dict) -> dict:
    """Settings with types: the environment goes before the ini file, the ini file before the default.

    Raises SettingsError for a required setting that is missing, for a value that cannot be read, for values
    that do not go together, for a name of ours that does not exist, and for a secret that is none.
    """
    settings = {**given, **FIXED}
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
    if settings["comicsdb.media.storage"] == "s3" and not settings[MEDIA_BUCKET]:
        raise _missing(MEDIA_BUCKET, ", which comicsdb.media.storage = s3 needs")
    return settings


def _check_names(given: dict) -> None:
    known = {setting.key for setting in SETTINGS}
    for key in given:
        if key.startswith(OURS) and key not in known:
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
    """Nothing but a developer's own database is served with secrets that others know or can guess."""
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
