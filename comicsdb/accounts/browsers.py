"""Browsers by the names that people know them by."""

import re

# The first pattern that is found decides: many browsers also claim to be those further down.
BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/"),
    ("Opera", r"OPR/|Opera"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Vivaldi", r"Vivaldi/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chromium", r"Chromium/"),
    ("Chrome", r"Chrome/|CriOS/"),
    ("Safari", r"Version/.*Safari/"),
)
SYSTEMS = (
    ("iPhone", r"iPhone"),
    ("iPad", r"iPad"),
    ("Android", r"Android"),
    ("Windows", r"Windows NT"),
    ("macOS", r"Macintosh"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)
LENGTH_MAX = 60


def browser_name(agent: str) -> tuple[str, str]:
    """Browser and system of a User-Agent header; the header itself, cut, where it is nobody we know."""
    browser, system = _first(BROWSERS, agent), _first(SYSTEMS, agent)
    return (browser, system) if browser else (agent[:LENGTH_MAX], "")


def _first(known, agent: str) -> str:
    return next((name for name, pattern in known if re.search(pattern, agent)), "")
