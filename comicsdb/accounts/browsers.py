"""Names of browsers and operating systems."""

import re

# The first match counts: many User-Agent headers also name the browsers further down.
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
    """The browser and system that a User-Agent header names; for unknown browsers the truncated header."""
    browser, system = _first(BROWSERS, agent), _first(SYSTEMS, agent)
    return (browser, system) if browser else (agent[:LENGTH_MAX], "")


def _first(known, agent: str) -> str:
    return next((name for name, pattern in known if re.search(pattern, agent)), "")
