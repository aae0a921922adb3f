"""Runs lingua in a separate process, with the extractor for our templates."""

import configparser

from jinja2.ext import babel_extract
from lingua import extract
from lingua.extractors import EXTRACTORS
from lingua.extractors.babel import BabelExtractor

SETTINGS = """
[extensions]
.py = python
.jinja2 = templates

[extractor:templates]
silent = false
trimmed = true
newstyle_gettext = true
"""


def _texts(stream, keywords, comment_tags, options):
    """Yield the texts of a template; texts in variables are marked in Python code."""
    for line, function, arguments, comments in babel_extract(stream, keywords, comment_tags, options):
        first = arguments if isinstance(arguments, str) else (arguments or [None])[0]
        if isinstance(first, str):
            yield line, function, arguments, comments


class Entry(extract.POEntry):
    """lingua's entry, fixed to keep the plural of a text that was first found without one."""

    def update(self, message, add_occurrences=True):
        """Add another occurrence of the text."""
        if message.msgid_plural and not self.msgid_plural:
            self.msgid_plural, self.msgstr_plural = message.msgid_plural, {0: "", 1: ""}
        super().update(message, add_occurrences)


class Templates(BabelExtractor):
    """lingua's extractor of Jinja2 templates, fixed to ignore `_(variable)`."""

    extractor = staticmethod(_texts)


if __name__ == "__main__":
    # lingua calls a method that was removed in Python 3.12.
    configparser.ConfigParser.readfp = configparser.ConfigParser.read_file
    EXTRACTORS["templates"] = Templates()
    extract.POEntry = Entry
    extract.main()
