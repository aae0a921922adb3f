"""lingua's command in a process of its own, with what it needs to read our templates."""

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
    """The texts of a template; what is translated there without being a text stands in Python code."""
    for line, function, arguments, comments in babel_extract(stream, keywords, comment_tags, options):
        first = arguments if isinstance(arguments, str) else (arguments or [None])[0]
        if isinstance(first, str):
            yield line, function, arguments, comments


class Entry(extract.POEntry):
    """lingua's entry, which would lose the plural of a text that was first met without one."""

    def update(self, message, add_occurrences=True):
        """Take in one place more where the text stands."""
        if message.msgid_plural and not self.msgid_plural:
            self.msgid_plural, self.msgstr_plural = message.msgid_plural, {0: "", 1: ""}
        super().update(message, add_occurrences)


class Templates(BabelExtractor):
    """lingua's extractor of Jinja2 templates, which would give up at `_(variable)`."""

    extractor = staticmethod(_texts)


if __name__ == "__main__":
    # lingua asks for a method that Python 3.12 took away.
    configparser.ConfigParser.readfp = configparser.ConfigParser.read_file
    EXTRACTORS["templates"] = Templates()
    extract.POEntry = Entry
    extract.main()
