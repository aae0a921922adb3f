"""A letter: a subject and blocks, rendered as plain text and as HTML, which so always tell the same facts."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from comicsdb.i18n import Text, _, localizer, translate
from comicsdb.settings import SettingsError

WIDTH = 72  # columns of the text part
_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_TEXT = f"{_FONT};font-size:16px;line-height:24px;color:#1d2430"
_SMALL = f"{_FONT};font-size:13px;line-height:20px;color:#5b6472"
_BUTTON = f"{_FONT};font-size:16px;line-height:24px;color:#ffffff;text-decoration:none;font-weight:bold"
_TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"'


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    text: Text


@dataclass(frozen=True)
class Link:
    """A label that leads to an address: a path of this site, or https:// and so on."""

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


Block = Paragraph | Link | Facts | Items


@dataclass(frozen=True)
class Letter:
    """What a mail says; texts are translated when it is rendered. No markup: every text is shown as it is."""

    subject: Text
    blocks: tuple[Block, ...]


def printable(text: str) -> str:
    """A text from outside with blanks for line breaks and other control characters."""
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


class Reader:
    """Who a letter is rendered for: a language, and the site that paths belong to (`https://host`)."""

    def __init__(self, language: str, base_url: str):
        self._localizer = localizer(language)
        self._base_url = base_url
        self.language = self._localizer.locale_name

    def say(self, text: Text) -> str:
        """A text in the reader's language, in one line: no value in it can begin another."""
        return printable(translate(self._localizer, text))

    def absolute(self, address: str) -> str:
        """A full address; raises SettingsError where the site's own is needed and not known."""
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
        """The last line of every letter."""
        return self.say(_("This mail was sent by comicsdb, the community comics database."))


def as_text(letter: Letter, reader: Reader) -> str:
    """The text part; addresses stand whole on a line of their own."""
    parts = ["\n".join(_text_lines(block, reader)) for block in letter.blocks]
    return "\n\n".join([*parts, "-- \n" + _wrapped(reader.footer)]) + "\n"


def _text_lines(block: Block, reader: Reader) -> Iterable[str]:
    match block:
        case Paragraph(text):
            yield _wrapped(reader.say(text))
        case Link(label, address):
            yield _wrapped(f"{reader.say(label)}:")
            yield reader.absolute(address)
        case Facts(rows):
            for label, value in rows:
                yield _wrapped(f"{reader.say(label)}: {reader.say(value)}", later="    ")
        case Items(entries):
            for entry in entries:
                yield _wrapped(f"- {reader.say(entry)}", later="  ")


def _wrapped(line: str, later: str = "") -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)


def as_html(letter: Letter, reader: Reader) -> str:
    """The HTML part: tables and inline styles, which is what mail programs show alike."""
    rows = "\n".join(
        f'<tr><td style="padding:0 32px 16px;{_TEXT}">{_html(block, reader)}</td></tr>'
        for block in letter.blocks
    )
    subject = escape(reader.say(letter.subject))
    return f"""\
<!DOCTYPE html>
<html lang="{reader.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{subject}</title></head>
<body style="margin:0;padding:0;background-color:#eef0f3">
{_TABLE} width="100%" style="background-color:#eef0f3"><tr><td align="center" style="padding:24px 12px">
{_TABLE} width="560" style="width:100%;max-width:560px;background-color:#ffffff;border-radius:8px">
<tr><td style="padding:28px 32px 16px;{_TEXT};font-size:20px;font-weight:bold">{subject}</td></tr>
{rows}
<tr><td style="padding:8px 32px 24px;border-top:1px solid #dfe3e8;{_SMALL}">{escape(reader.footer)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
"""


def _html(block: Block, reader: Reader) -> str:
    match block:
        case Paragraph(text):
            return escape(reader.say(text))
        case Link(label, address):
            absolute, words = escape(reader.absolute(address)), escape(reader.say(label))
            return (
                f'{_TABLE}><tr><td style="padding:10px 22px;background-color:#1f5fbf;border-radius:6px">'
                f'<a href="{absolute}" style="{_BUTTON}">{words}</a></td></tr></table>'
                f'<div style="padding-top:8px;{_SMALL};word-break:break-all">{absolute}</div>'
            )
        case Facts(rows):
            cells = "".join(
                f'<tr><td style="padding:2px 16px 2px 0;{_SMALL}">{escape(reader.say(label))}</td>'
                f'<td style="padding:2px 0;{_TEXT}">{escape(reader.say(value))}</td></tr>'
                for label, value in rows
            )
            return f"{_TABLE}>{cells}</table>"
        case Items(entries):
            points = "".join(f'<li style="{_TEXT}">{escape(reader.say(entry))}</li>' for entry in entries)
            return f'<ul style="margin:0;padding:0 0 0 20px">{points}</ul>'
