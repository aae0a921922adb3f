"""The reference docs/settings.md generated from the declarations, and the values of one site."""

import os
from collections.abc import Iterator

from comicsdb.config.declarations import SECTIONS, Setting

HEAD = """\
# Settings

Made by `comicsdb settings --reference > docs/settings.md`; a test says when it is stale.

Each setting is a line of the ini file's `[app:main]`, or an environment variable, which goes before the file.
A missing or wrong one stops the start and names itself, and so does a name that does not exist; what is
secret is never quoted. `comicsdb settings` shows those of a site and where they come from. The options of
`[server:main]` are in [deploying](deploy.md#serving). The `sqlalchemy.` prefix passes other settings to the
engine, such as `sqlalchemy.pool_size`.
"""
COLUMNS = "| setting | variable | type | default | meaning |\n| --- | --- | --- | --- | --- |"
FROM_ENVIRONMENT, FROM_INI, BY_DEFAULT = "environment", "ini file", "default"


def page() -> str:
    """The whole page, in Markdown."""
    parts = [HEAD]
    for name, settings in SECTIONS.items():
        rows = "\n".join(map(_row, settings))
        parts.append(f"## {name}\n\n{COLUMNS}\n{rows}\n")
    return "\n".join(parts)


def _row(setting: Setting) -> str:
    default = "none, required" if setting.required else f"`{setting.default}`" if setting.default else "none"
    cells = f"`{setting.key}`", f"`{setting.variable}`", setting.takes, default, setting.meaning
    return f"| {' | '.join(cells)} |"


def present(given: dict) -> Iterator[tuple[str, str, str]]:
    """Key, text and origin of each setting of a site; secrets as `***`."""
    for settings in SECTIONS.values():
        for setting in settings:
            if text := os.environ.get(setting.variable):
                origin = FROM_ENVIRONMENT
            elif text := given.get(setting.key):
                origin = FROM_INI
            else:
                text, origin = setting.default or "", BY_DEFAULT
            yield setting.key, "***" if setting.secret and text else str(text), origin
