"""Message catalogues: texts are gathered by lingua and brought into each language's file.

Each of the packages that speak has a domain of its own name, and in `locale/` the template `<domain>.pot` and
`<language>/LC_MESSAGES/<domain>.po`. The `.mo` files are made of these in the build.
"""

import configparser
import sys
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract
from lingua import extract
from lingua.extractors import EXTRACTORS
from lingua.extractors.babel import BabelExtractor

TOP = Path(__file__).parent.parent
DOMAINS = ("comicsdb", "comicsdb_web")
SETTINGS = """
[extensions]
.py = python
.jinja2 = templates

[extractor:templates]
silent = false
trimmed = true
newstyle_gettext = true
"""


def template_file(domain: str) -> Path:
    """Where the gathered texts of a domain are."""
    return TOP / domain / "locale" / f"{domain}.pot"


def language_file(domain: str, language: str) -> Path:
    """Where a language's translation of them is."""
    return TOP / domain / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def languages() -> list[str]:
    """The languages that somebody has begun to translate into."""
    return sorted(each.parent.parent.name for each in TOP.glob("comicsdb/locale/*/LC_MESSAGES/comicsdb.po"))


def _texts(stream, keywords, comment_tags, options):
    """The texts of a template; what is translated there without being a text stands in Python code."""
    for line, function, arguments, comments in babel_extract(stream, keywords, comment_tags, options):
        first = arguments if isinstance(arguments, str) else (arguments or [None])[0]
        if isinstance(first, str):
            yield line, function, arguments, comments


class Templates(BabelExtractor):
    """lingua's extractor of Jinja2 templates, which would give up at `_(variable)`."""

    extractor = staticmethod(_texts)


EXTRACTORS["templates"] = Templates()


def gather(domain: str) -> Catalog:
    """All texts of a package as they stand in its code and templates now."""
    # lingua asks for a method that Python 3.12 took away.
    configparser.ConfigParser.readfp = configparser.ConfigParser.read_file
    sources = sorted(
        str(path.relative_to(TOP))
        for suffix in ("py", "jinja2")
        for path in (TOP / domain).rglob(f"*.{suffix}")
        if "build" not in path.parts and "migrations" not in path.parts
    )
    with TemporaryDirectory() as folder:
        settings, listed, found = (Path(folder, name) for name in ("lingua.cfg", "files", "found.pot"))
        settings.write_text(SETTINGS, encoding="utf-8")
        listed.write_text("\n".join(sources), encoding="utf-8")
        arguments = [
            "-c",
            settings,
            "-k",
            "_",
            "-k",
            "said",
            "-d",
            domain,
            "-D",
            TOP,
            "-f",
            listed,
            "-o",
            found,
        ]
        _run([str(each) for each in arguments])
        with found.open("rb") as stream:
            catalog = read_po(stream, domain=domain)
    for message in catalog:  # line numbers would change the file with every edit of code
        message.locations = sorted({(name.removeprefix("./"), None) for name, _line in message.locations})
        message.flags.discard("python-brace-format")
    return catalog


def _run(arguments: list[str]) -> None:
    """lingua's own command, which reads its arguments from the process."""
    before, sys.argv = sys.argv, ["pot-create", *arguments]
    said = StringIO()
    try:
        with redirect_stdout(said):
            failed = extract.main()
    except SystemExit as error:
        failed = error.code
    finally:
        sys.argv = before
    if failed:
        raise RuntimeError(f"The texts could not be gathered: {said.getvalue()}")


def merged(domain: str, language: str) -> Catalog:
    """A language's file brought up to date: new texts empty, those that are gone left out."""
    path = language_file(domain, language)
    if path.exists():
        with path.open("rb") as stream:
            catalog = read_po(stream, locale=language, domain=domain)
    else:
        catalog = Catalog(locale=language, domain=domain)
    catalog.update(gather(domain), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> bytes:
    """A catalogue as its file: ordered by text, without dates, so that it changes only where texts do."""
    catalog.fuzzy = False
    catalog.header_comment = "# Messages of comicsdb."
    catalog.project, catalog.version, catalog.copyright_holder = catalog.domain, "", "the contributors"
    catalog.last_translator = catalog.language_team = catalog.msgid_bugs_address = ""
    stream = BytesIO()
    write_po(stream, catalog, width=100, sort_output=True, omit_header=False, include_lineno=False)
    kept = (line for line in stream.getvalue().splitlines(keepends=True) if b"-Date: " not in line)
    return b"".join(kept)
