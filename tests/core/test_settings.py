"""Settings: where they come from, and how a wrong one stops the start."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from comicsdb.clock import business_day
from comicsdb.settings import SETTINGS, SettingsError, resolve

GIVEN = {"sqlalchemy.url": "postgresql://x/y", "comicsdb.secret": "s"}


def test_defaults_have_types():
    settings = resolve(GIVEN)
    assert settings["comicsdb.timezone"] == ZoneInfo("America/New_York")
    assert settings["comicsdb.countries"] == ("US", "GB", "IT")
    assert settings["comicsdb.languages"] == ("en", "it")
    assert settings["comicsdb.secure_cookies"] is True


def test_the_environment_goes_before_the_ini_file(monkeypatch):
    monkeypatch.setenv("COMICSDB_TIMEZONE", "Europe/Rome")
    monkeypatch.setenv("COUNTRIES", "IT, FR")
    settings = resolve(GIVEN | {"comicsdb.timezone": "Asia/Tokyo"})
    assert settings["comicsdb.timezone"] == ZoneInfo("Europe/Rome")
    assert settings["comicsdb.countries"] == ("IT", "FR")


def test_resolving_twice_changes_nothing():
    once = resolve(GIVEN)
    assert resolve(once) == once


@pytest.mark.parametrize("key", [setting.key for setting in SETTINGS if setting.required])
def test_a_missing_required_setting_names_itself_and_its_variable(key, monkeypatch):
    (setting,) = (setting for setting in SETTINGS if setting.key == key)
    monkeypatch.delenv(setting.variable, raising=False)
    with pytest.raises(SettingsError) as caught:
        resolve({name: value for name, value in GIVEN.items() if name != key})
    assert key in str(caught.value)
    assert setting.variable in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("comicsdb.timezone", "Mars/Olympus", "Europe/Rome"),
        ("comicsdb.timezone", "../../etc/passwd", "Europe/Rome"),
        ("comicsdb.countries", "US XX", "XX"),
        ("comicsdb.languages", "klingon", "klingon"),
        ("comicsdb.secure_cookies", "perhaps", "true or false"),
        ("comicsdb.site_editing", "nobody", "everybody, editors"),
        ("comicsdb.copying.without", "12 big", "1 2"),
        ("comicsdb.licence", "https://example.org/licence", "a name and an address"),
        ("comicsdb.licence", "Ours javascript:alert(1)", "http"),
        ("comicsdb_web.social", "Forum https://forum.example; https://social.example", "names and addresses"),
        ("comicsdb_web.social", "Forum javascript:alert(1)", "http"),
    ],
)
def test_a_wrong_setting_names_itself_and_says_what_it_takes(key, value, hint):
    with pytest.raises(SettingsError) as caught:
        resolve(GIVEN | {key: value})
    assert key in str(caught.value)
    assert hint in str(caught.value)


def test_the_business_day_is_that_of_the_site():
    late = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
    assert business_day(ZoneInfo("America/New_York"), late) == date(2026, 11, 21)
    assert business_day(ZoneInfo("Europe/Rome"), late) == date(2026, 11, 22)
