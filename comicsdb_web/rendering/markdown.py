"""Help pages and timeline: Markdown files with a few lines of metadata.

They are read once, at start; an invalid file prevents the start, and the error names it. Their HTML is
rendered on first use, as this takes longer and cannot fail.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from string import Template

from markupsafe import Markup

from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb.models.choices import DEFAULT_LANGUAGE
from comicsdb_web.rendering.richtext import PAGE_ELEMENTS, clean

FOLDER = Path(__file__).parent.parent / "data"
FENCE = "---"


class TextError(ValueError):
    """A file is invalid; the message names it and the reason."""


@cache
def renderer():
    """Return the renderer, which escapes HTML."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  (slow to import, not needed at start)

    return MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Page:
    """A page in one language: its name, its metadata, and its text in Markdown."""

    name: str
    language: str
    metadata: Mapping[str, str]
    text: str
    new_tab: bool

    @cached_property
    def html(self) -> Markup:
        """Return the text as HTML; links open a new tab if `new_tab` is set."""
        return clean(renderer().render(self.text), PAGE_ELEMENTS, new_tab=self.new_tab)


def pages(
    folder: str,
    required: tuple[str, ...],
    values: Mapping[str, Mapping[str, str]] | None = None,
    *,
    new_tab: bool = False,
) -> dict[str, dict[str, Page]]:
    """Return the pages of a folder by name and language, sorted by name; raise TextError.

    `NAME.md` is the English page, `NAME.it.md` the Italian one. `required` are the mandatory metadata;
    `${name}` in a text is replaced with the value of that name among the `values` of its language.
    """
    found: dict[str, dict[str, Page]] = {}
    for path in sorted((FOLDER / folder).glob("*.md")):
        name, _dot, language = path.name.removesuffix(".md").partition(".")
        language = language or DEFAULT_LANGUAGE
        if language not in INTERFACE_LANGUAGES:
            raise TextError(f"{path}: there is no language {language!r}.")
        metadata, text = _parse(path)
        missing = [each for each in required if not metadata.get(each)]
        if missing:
            raise TextError(f"{path}: {', '.join(missing)} must stand in front of the text.")
        try:
            written = Template(text).substitute((values or {}).get(language, {}))
        except (KeyError, ValueError) as error:
            raise TextError(f"{path}: {error} (a dollar sign is written twice).") from error
        found.setdefault(name, {})[language] = Page(name, language, metadata, written, new_tab)
    for name, languages in found.items():
        if DEFAULT_LANGUAGE not in languages:
            raise TextError(f"{FOLDER / folder / name}.md is missing.")
    return found


def in_language(languages: Mapping[str, Page], language: str) -> Page:
    """Return a page in a language, or in English if it is not translated."""
    return languages.get(language) or languages[DEFAULT_LANGUAGE]


def _parse(path: Path) -> tuple[dict[str, str], str]:
    """Return the metadata of a file, with a line `name: value` for each, and its text."""
    lines = path.read_text("utf-8").split("\n")
    if lines[0] != FENCE or FENCE not in lines[1:]:
        raise TextError(f"{path}: the file must begin with lines between two of {FENCE!r}.")
    end = lines.index(FENCE, 1)
    metadata = {}
    for line in lines[1:end]:
        name, colon, value = line.partition(":")
        if not colon:
            raise TextError(f"{path}: {line!r} is not of the form `name: value`.")
        metadata[name.strip()] = value.strip()
    return metadata, "\n".join(lines[end + 1 :])
