"""Settings: where their values come from, and how an invalid one stops the start."""

import re
from configparser import ConfigParser
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from comicsdb.clock import business_day
from comicsdb.config import SETTINGS, SettingsError, parse_settings
from comicsdb.config.declarations import DEVELOPMENT_SECRET, REMOVED, variable_of
from tests.serving import SECRET

ROOT = Path(__file__).parents[3]
GIVEN = {"sqlalchemy.url": "postgresql://x/y", "comicsdb.secret": SECRET}
TIERS = "friend=1 backer=2 sponsor=3 mega_sponsor="


def test_defaults_have_types():
    settings = parse_settings(GIVEN)
    assert settings["comicsdb.timezone"] == ZoneInfo("America/New_York")
    assert settings["comicsdb.countries"] == ("US", "GB", "IT")
    assert settings["comicsdb.languages"] == ("en", "it")
    assert settings["comicsdb.secure_cookies"] is True


def test_the_environment_goes_before_the_ini_file(monkeypatch):
    monkeypatch.setenv("COMICSDB_TIMEZONE", "Europe/Rome")
    monkeypatch.setenv("COMICSDB_COUNTRIES", "IT, FR")
    settings = parse_settings(GIVEN | {"comicsdb.timezone": "Asia/Tokyo"})
    assert settings["comicsdb.timezone"] == ZoneInfo("Europe/Rome")
    assert settings["comicsdb.countries"] == ("IT", "FR")


def test_resolving_twice_changes_nothing():
    once = parse_settings(GIVEN)
    assert parse_settings(once) == once


@pytest.mark.parametrize("key", [setting.key for setting in SETTINGS if setting.required])
def test_a_missing_required_setting_names_itself_and_its_variable(key, monkeypatch):
    (setting,) = (setting for setting in SETTINGS if setting.key == key)
    monkeypatch.delenv(setting.variable, raising=False)
    with pytest.raises(SettingsError) as caught:
        parse_settings({name: value for name, value in GIVEN.items() if name != key})
    assert key in str(caught.value)
    assert setting.variable in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("comicsdb.timezone", "Mars/Olympus", "Europe/Rome"),
        ("comicsdb.timezone", "../../etc/passwd", "Europe/Rome"),
        ("comicsdb.timezone", "America", "Europe/Rome"),  # a folder of the time zone database
        ("comicsdb.base_url", "https://comics.example.org:port", "https://host"),
        ("comicsdb.base_url", "https://comics.example.org:99999", "https://host"),
        ("comicsdb.base_url", "https://comics.example.org?page=1", "https://host"),
        ("comicsdb.base_url", "https://ann:secret@comics.example.org", "https://host"),
        ("comicsdb.base_url", "https://città.example", "xn--"),
        ("comicsdb.signup.mail_check", "https://check.example/v1/", "{domain}"),
        ("comicsdb.signup.mail_check", "check.example/{domain}", "https://"),
        ("comicsdb.signup.mail_check", "https://check.example/{domain}/{key}", "{domain}"),
        ("comicsdb.signup.mail_check", "https://check.example/{domain}/{domain.name}", "{domain}"),
        ("comicsdb.errors.report", ".reports:send", "package.module:function"),
        ("comicsdb.countries", "US XX", "XX"),
        ("comicsdb.languages", "klingon", "klingon"),
        ("comicsdb.secure_cookies", "perhaps", "true or false"),
        ("comicsdb.site_editing", "nobody", "everybody, editors"),
        ("comicsdb.copying.without", "12 big", "1 2"),
        ("comicsdb.licence", "https://example.org/licence", "a name and an address"),
        ("comicsdb.licence", "Ours javascript:alert(1)", "http"),
        ("comicsdb_web.social", "Forum https://forum.example; https://social.example", "names and addresses"),
        ("comicsdb_web.social", "Forum javascript:alert(1)", "http"),
        ("comicsdb.database.replica_urls", "embedded:var/postgres?database=x", "postgresql://"),
        ("comicsdb.database.replica_urls", "postgresql://a/x replica-2", "postgresql://"),
        ("comicsdb.database.replica_urls", "postgresql://a", "DATABASE"),
        ("comicsdb.database.replica_urls", "postgresql:///x?host=a,b", "an address of its own"),
        ("comicsdb.database.replica_urls", "postgresql:///x?host=a&host=b", "an address of its own"),
        ("comicsdb.database.replica_urls", f"postgresql://a/x {GIVEN['sqlalchemy.url']}", "sqlalchemy.url"),
        ("comicsdb.cache.memory_mb", "much", "megabytes"),
        ("comicsdb.cache.memory_mb", "-1", "megabytes"),
        ("comicsdb.cache.memory_mb", "nan", "megabytes"),
        ("comicsdb.cache.prefix", "comics:db", "letters"),
        ("comicsdb.cache.prefix", "comics*", "letters"),
        ("comicsdb.trusted_proxies", "proxy", "10.0.0.0/8"),
        ("comicsdb.trusted_proxies", "10.0.0.1/8", "10.0.0.0/8"),
        ("comicsdb.trusted_proxies", "127.0.0.1;", "10.0.0.0/8"),
        ("comicsdb_api.throttle", "perhaps", "true or false"),
        ("comicsdb_api.throttle.burst", "0", "a number from 1"),
        ("comicsdb_api.throttle.sustained", "many", "a number from 1"),
        ("comicsdb_api.throttle.tiers", "friend=1", "friend=1 backer=2"),
        ("comicsdb_api.throttle.tiers", f"{TIERS}0", "friend=1 backer=2"),
        ("comicsdb_api.throttle.tiers", f"{TIERS}4 x=5", "friend=1 backer=2"),
        ("comicsdb.donations.tiers", "200 500 1000 2500", "friend=1 backer=2"),
        ("comicsdb.donations.url", "file:///etc/passwd", "https://host"),
        ("comicsdb.counters.seconds", "-1", "a number from 0"),
    ],
)
def test_a_wrong_setting_names_itself_and_says_what_it_takes(key, value, hint):
    with pytest.raises(SettingsError) as caught:
        parse_settings(GIVEN | {key: value})
    assert key in str(caught.value)
    assert hint in str(caught.value)


def test_both_kinds_of_encryption_of_mail_stop_the_start():
    with pytest.raises(SettingsError, match=r"mail\.tls and mail\.ssl"):
        parse_settings(GIVEN | {"mail.tls": "true", "mail.ssl": "true"})


@pytest.mark.parametrize(
    "address",
    [
        "https://xn--citt-5na.example",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "https://my_host.example/",
    ],
)
def test_addresses_of_sites(address):
    assert parse_settings(GIVEN | {"comicsdb.base_url": address})["comicsdb.base_url"] == address.rstrip("/")


@pytest.mark.parametrize("key", REMOVED)
def test_removed_setting_in_file_or_environment_is_reported_with_its_remedy(key, caplog, monkeypatch):
    settings = parse_settings(GIVEN)
    assert key not in settings
    assert caplog.text == ""
    assert parse_settings(GIVEN | {key: "1"}).keys() == settings.keys() | {key}
    monkeypatch.setenv(variable_of(key), "1")
    parse_settings(GIVEN)
    assert (
        caplog.messages
        == [f"The setting {key} ({variable_of(key)}) is no longer read: {REMOVED[key]}. Remove it."] * 2
    )
    assert key not in {setting.key for setting in SETTINGS}


def test_pictures_may_come_from_all_subdomains():
    key = "comicsdb_web.media_origin"
    for address in ("https://*.cdn.example", "https://cdn.example/", ""):
        assert parse_settings(GIVEN | {key: address})[key] == address.rstrip("/")
    for address in ("https://*", "https://a.*.example", "cdn.example", "https://*.cdn.example/a b"):
        with pytest.raises(SettingsError, match="https://host"):
            parse_settings(GIVEN | {key: address})


WEAK = [
    ("comicsdb.secret", "s" + SECRET[:30], "32 bytes"),
    ("comicsdb.secret", DEVELOPMENT_SECRET, "development.ini"),
    ("comicsdb.secret", "0011" * 16, "guessed"),
    ("comicsdb.secret", f"CHANGE-ME {SECRET}", "placeholder"),
    ("sqlalchemy.url", "postgresql://me:CHANGE-ME@db/comics", "placeholder"),
    ("comicsdb.cache.url", "redis://:change_me@cache:6379/0", "placeholder"),
    ("comicsdb.database.replica_urls", "postgresql://me:CHANGE-ME@db/comics", "placeholder"),
    ("comicsdb.metrics.token", "changemechangeme", "placeholder"),
    ("mail.password", "ChangeMe", "placeholder"),
]


@pytest.mark.parametrize(("key", "value", "hint"), WEAK)
def test_a_weak_secret_stops_the_start_of_all_but_an_embedded_database(key, value, hint):
    with pytest.raises(SettingsError) as caught:
        parse_settings(GIVEN | {key: value})
    message = str(caught.value)
    assert key in message
    assert hint in message
    assert "secrets.token_urlsafe(32)" in message  # how to generate one
    assert value not in message
    if key != "sqlalchemy.url":
        parse_settings(GIVEN | {key: value, "sqlalchemy.url": "embedded:var/postgres?database=comicsdb"})


def test_the_files_to_begin_with_have_the_secrets_that_are_refused():
    ini = ConfigParser(interpolation=None)
    ini.read(ROOT / "development.ini", "utf-8")
    assert ini["app:main"]["comicsdb.secret"] == DEVELOPMENT_SECRET
    lines = (ROOT / "deploy" / "comicsdb.env").read_text("utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    keys = {setting.variable: setting.key for setting in SETTINGS}
    placeholders = {keys[name]: value for name, value in given.items() if "CHANGE-ME" in value}
    assert placeholders
    for key, value in placeholders.items():
        with pytest.raises(SettingsError, match=re.escape(key)):
            parse_settings(GIVEN | {key: value})


def test_the_business_day_is_that_of_the_site():
    late = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
    assert business_day(ZoneInfo("America/New_York"), late) == date(2026, 11, 21)
    assert business_day(ZoneInfo("Europe/Rome"), late) == date(2026, 11, 22)
