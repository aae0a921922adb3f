"""Message catalogs: lingua extracts the texts, which are merged into the file of each language.

Each of the packages that speak has a domain of its own name, and in `locale/` the template `<domain>.pot` and
`<language>/LC_MESSAGES/<domain>.po`. The `.mo` files are made of these in the build.
"""

import subprocess
import sys
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from messages.extracting import SETTINGS

TOP = Path(__file__).parent.parent
DOMAINS = ("comicsdb", "comicsdb_web")


def template_file(domain: str) -> Path:
    """Return the path of the template of a domain."""
    return TOP / domain / "locale" / f"{domain}.pot"


def language_file(domain: str, language: str) -> Path:
    """Return the path of the translations of a domain into a language."""
    return TOP / domain / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def languages() -> list[str]:
    """Return the languages with translations."""
    return sorted(each.parent.parent.name for each in TOP.glob("comicsdb/locale/*/LC_MESSAGES/comicsdb.po"))


@cache
def gather(domain: str) -> Catalog:
    """Extract all texts of a package from its code and templates, once per process."""
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
            "formatted",
            "-C",
            "Translators:",
            "-d",
            domain,
            "-D",
            TOP,
            "-f",
            listed,
            "-o",
            found,
        ]
        _extract([str(each) for each in arguments])
        with found.open("rb") as stream:
            catalog = read_po(stream, domain=domain)
    for message in catalog:  # line numbers would change with every edit of the code
        message.locations = sorted({(name.removeprefix("./"), None) for name, _line in message.locations})
    return catalog


def _extract(arguments: list[str]) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "messages.extracting", *arguments]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The texts could not be gathered: {done.stdout}{done.stderr}")


def merged(domain: str, language: str) -> Catalog:
    """Return the updated catalog of a language: new texts are empty, unused ones removed."""
    path = language_file(domain, language)
    if path.exists():
        with path.open("rb") as stream:
            catalog = read_po(stream, locale=language, domain=domain)
    else:
        catalog = Catalog(locale=language, domain=domain)
    catalog.update(gather(domain), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    for message in catalog:
        if message.fuzzy and message.id:  # it gained or lost a plural, so the translation does not match
            message.string = ("",) * catalog.num_plurals if message.pluralizable else ""
            message.flags.discard("fuzzy")
    return catalog


def written(catalog: Catalog) -> bytes:
    """Serialise a catalog, sorted by text and without dates, so that it only changes if texts do."""
    catalog.fuzzy = False
    for message in catalog:
        message.flags.discard("python-brace-format")  # Babel's guess for `${name}`
    catalog.header_comment = "# Messages of comicsdb."
    catalog.project, catalog.version, catalog.copyright_holder = catalog.domain, "", "the contributors"
    catalog.last_translator = catalog.language_team = catalog.msgid_bugs_address = ""
    stream = BytesIO()
    write_po(stream, catalog, width=100, sort_output=True, omit_header=False, include_lineno=False)
    kept = (line for line in stream.getvalue().splitlines(keepends=True) if b"-Date: " not in line)
    return b"".join(kept)
