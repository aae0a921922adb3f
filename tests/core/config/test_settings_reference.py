"""Every setting is described, `docs/settings.md` is up to date, and no secret is printed."""

from pathlib import Path

import pytest

from comicsdb.config import SETTINGS, SettingsError, parse_settings
from comicsdb.config.reference import reference_page
from tests.core.cli.conftest import run
from tests.core.config.test_config import GIVEN
from tests.serving import write_ini

ROOT = Path(__file__).parents[3]
# Invalid values that contain a secret, for the settings whose parser refuses any.
REFUSED = {
    "sqlalchemy.url": "mysql://me:hush@db/comics",
    "comicsdb.cache.url": "redsi://:hush@cache:6379/0",
    "comicsdb.database.replica_urls": "postgres://comicsdb:hush@replica/comicsdb",
    "comicsdb.metrics.token": "hush",
}


def test_the_page_is_that_of_the_code():
    written = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert written == reference_page(), "run: comicsdb settings --reference > docs/settings.md"


def test_each_setting_has_a_variable_of_its_own_and_a_default_that_it_takes():
    assert len({setting.variable for setting in SETTINGS}) == len({setting.key for setting in SETTINGS})
    for setting in SETTINGS:
        assert setting.variable.startswith("COMICSDB_")
        assert setting.meaning
        assert setting.takes
        if not setting.required:
            setting.parse(setting.default)


@pytest.mark.parametrize("key", REFUSED)
def test_a_wrong_secret_is_named_and_not_quoted(key):
    with pytest.raises(SettingsError) as caught:
        parse_settings(GIVEN | {key: REFUSED[key]})
    assert f"The setting {key} is wrong: it " in str(caught.value)
    assert "hush" not in str(caught.value)


def test_what_may_hold_a_password_is_a_secret():
    words = ("password", "secret", "token", "_key", "answer", "cache.url", "sqlalchemy.url", "replica_urls")
    for setting in SETTINGS:
        telling = any(word in setting.key for word in words) and setting.key != "comicsdb.password_cost"
        assert setting.secret is telling or setting.key == "comicsdb.signup.mail_check", setting.key


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("comicsdb.cahce.url", "comicsdb.cache.url"),
        ("comicsdb_api.throtle.burst", "comicsdb_api.throttle.burst"),
    ],
)
def test_a_name_that_does_not_exist_stops_the_start(key, hint):
    with pytest.raises(SettingsError, match=f"no setting {key}. Is {hint} meant"):
        parse_settings(GIVEN | {key: "x"})


def test_settings_of_other_packages_are_theirs():
    assert parse_settings(GIVEN | {"comicsdb_shops.city": "Lucca"})["comicsdb_shops.city"] == "Lucca"


@pytest.mark.parametrize("place", ["nowhere:report", "os:no_such_name", "os:sep", "comicsdb.config"])
def test_a_function_that_does_not_exist_stops_the_start(place):
    with pytest.raises(SettingsError, match=r"comicsdb.errors.report .*package.module:function"):
        parse_settings(GIVEN | {"comicsdb.errors.report": place})


def test_the_command_tells_values_and_origins_but_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("COMICSDB_TIMEZONE", "Europe/Rome")
    ini = write_ini(tmp_path, "postgresql://me:hush@db/comics")
    result = run("-c", str(ini), "settings")
    assert result.exit_code == 0, result.output
    lines = dict(line.split(maxsplit=1) for line in result.output.splitlines())
    assert lines["comicsdb.timezone"].split() == ["environment", "Europe/Rome"]
    assert lines["sqlalchemy.url"].split() == ["ini", "file", "***"]
    assert lines["comicsdb.languages"].split() == ["default", "en", "it"]
    assert "hush" not in result.output
    monkeypatch.setenv("COMICSDB_TIMEZONE", "Mars/Olympus")
    result = run("-c", str(ini), "settings")
    assert (result.exit_code, "comicsdb.timezone" in result.output) == (1, True)
