"""Letters: a subject and blocks, rendered as plain text and as HTML with the same content."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from translationstring import TranslationString

from comicsdb.config import SettingsError
from comicsdb.i18n import Text, _, localizer, translate
from comicsdb.log_lines import printable

WIDTH = 72  # columns of the text part
_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_TEXT = f"{_FONT};font-size:16px;line-height:24px;color:#1b171f"
_SMALL = f"{_FONT};font-size:13px;line-height:20px;color:#5d5560"
_BUTTON = (
    "display:inline-block;padding:9px 21px;border:2px solid #17141a;border-radius:24px;"
    f"{_FONT};font-size:16px;line-height:24px;color:#1b171f;text-decoration:none;font-weight:bold"
)
_OTHER = "#fffdf8"  # background of other buttons than the main one
_PAPER = "#fbf6ec"
_STRIPE = ("#1496c4", "#e0457b", "#e8503a")  # the printer's colors, as on the site, beside the accent
_TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"'


@dataclass(frozen=True)
class Link:
    """A link with a label: to a path of this site or a full URL."""

    label: Text
    address: str


@dataclass(frozen=True)
class Facts:
    """A small table: (label, value) per row."""

    rows: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True)
class Items:
    """A list of points."""

    entries: tuple[Text, ...]


Block = Text | Link | Facts | Items  # a text is a paragraph


@dataclass(frozen=True)
class Letter:
    """The content of a mail; texts are translated when it is rendered, and contain no markup."""

    subject: Text
    blocks: tuple[Block, ...]


class LetterContext:
    """The context for rendering a letter: language, base URL for paths (`https://host`), name and color.

    Texts name the site as `${site}`.
    """

    def __init__(self, language: str, base_url: str, site: str = "comicsdb", accent: str = "#ffd23f"):
        self._localizer = localizer(language)
        self._base_url = base_url
        self._site = site
        self.accent = accent
        self.language = self._localizer.locale_name

    def translate(self, text: Text) -> str:
        """A text in the reader's language, on one line regardless of the values in it."""
        named = text % {"site": self._site} if isinstance(text, TranslationString) else text
        return printable(translate(self._localizer, named))

    def absolute(self, address: str) -> str:
        """A full URL; raises SettingsError if the site's base URL is needed and not set."""
        if not address.startswith("/"):
            return address
        if not self._base_url:
            raise SettingsError(
                "The setting comicsdb.base_url is missing: mails cannot link to the site"
                " (the environment variable is COMICSDB_BASE_URL)."
            )
        return self._base_url + address

    @property
    def footer(self) -> str:
        """The footer of every letter."""
        return self.translate(_("This e-mail was sent by ${site}, the community comics database."))


def as_text(letter: Letter, context: LetterContext) -> str:
    """The text part; each URL is on a line of its own."""
    parts = ["\n".join(_text_lines(block, context)) for block in letter.blocks]
    return "\n\n".join([*parts, "-- \n" + _wrapped(context.footer)]) + "\n"


def _text_lines(block: Block, context: LetterContext) -> Iterable[str]:
    match block:
        case Link(label, address):
            yield _wrapped(f"{context.translate(label)}:")
            yield context.absolute(address)
        case Facts(rows):
            for label, value in rows:
                yield _wrapped(f"{context.translate(label)}: {context.translate(value)}", later="    ")
        case Items(entries):
            for entry in entries:
                yield _wrapped(f"- {context.translate(entry)}", later="  ")
        case text:
            yield _wrapped(context.translate(text))


def _wrapped(line: str, later: str = "") -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)


def as_html(letter: Letter, context: LetterContext) -> str:
    """The HTML part: tables and inline styles, which mail programs render consistently."""
    first = next((block for block in letter.blocks if isinstance(block, Link)), None)
    rows = "\n".join(
        f'<tr><td style="padding:0 28px 16px;{_TEXT}">{_html(block, context, block is first)}</td></tr>'
        for block in letter.blocks
    )
    stripe = "".join(
        f'<td width="25%" height="6" style="background-color:{colour};font-size:0;line-height:6px"></td>'
        for colour in (*_STRIPE[:2], context.accent, *_STRIPE[2:])
    )
    subject, footer = escape(context.translate(letter.subject)), escape(context.footer)
    return f"""\
<!DOCTYPE html>
<html lang="{context.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{subject}</title></head>
<body style="margin:0;padding:0;background-color:{_PAPER}">
{_TABLE} width="100%" style="background-color:{_PAPER}"><tr><td align="center" style="padding:24px 12px">
{_TABLE} width="560" style="width:100%;max-width:560px;background-color:#fffdf8;border:1px solid #e0d5c2">
<tr><td>{_TABLE} width="100%"><tr>{stripe}</tr></table></td></tr>
<tr><td style="padding:26px 28px 14px;{_TEXT}">
<h1 style="margin:0;font-size:22px;line-height:28px">{subject}</h1></td></tr>
{rows}
<tr><td style="padding:12px 28px 22px;border-top:1px solid #e0d5c2;{_SMALL}">{footer}</td></tr>
</table>
</td></tr></table>
</body>
</html>
"""


def _html(block: Block, context: LetterContext, is_first_link: bool) -> str:
    match block:
        case Link(label, address):
            absolute, words = escape(context.absolute(address)), escape(context.translate(label))
            ground = context.accent if is_first_link else _OTHER
            return (
                f'<a href="{absolute}" style="{_BUTTON};background-color:{ground}">{words}</a>'
                f'<div style="padding-top:6px;{_SMALL};word-break:break-all">{absolute}</div>'
            )
        case Facts(rows):
            cells = "".join(
                f'<tr valign="top"><td style="padding:4px 16px 0 0;{_SMALL}">'
                f"{escape(context.translate(label))}</td>"
                f'<td style="{_TEXT};word-break:break-word">{escape(context.translate(value))}</td></tr>'
                for label, value in rows
            )
            return f"{_TABLE}>{cells}</table>"
        case Items(entries):
            points = "".join(
                f'<li style="{_TEXT}">{escape(context.translate(entry))}</li>' for entry in entries
            )
            return f'<ul style="margin:0;padding:0 0 0 20px">{points}</ul>'
        case text:
            return escape(context.translate(text))
