"""`python -m messages update` updates all catalogs; `add LANGUAGE` starts a translation."""

import sys

from babel import Locale, UnknownLocaleError

from messages import DOMAINS, gather, language_file, languages, merged, template_file, written

USAGE = "usage: python -m messages update | add LANGUAGE"


def update(codes: list[str]) -> None:
    """Write the templates and the files of some languages, and print the number of missing translations."""
    for domain in DOMAINS:
        template_file(domain).write_bytes(written(gather(domain)))
        for code in codes:
            catalog = merged(domain, code)
            path = language_file(domain, code)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(catalog))
            left = sum(1 for message in catalog if message.id and not _is_done(message))
            sys.stdout.write(f"{path}: {len(catalog)} texts, {left} to translate\n")


def _is_done(message) -> bool:
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)


def main(arguments: list[str]) -> str | None:
    """Run the command line; return an error message or None."""
    match arguments:
        case ["update"]:
            update(languages())
        case ["add", code]:
            try:
                Locale.parse(code, sep="-")
            except (UnknownLocaleError, ValueError):
                return f"{code}: not the code of a language, as `fr` or `pt-br`"
            update(sorted({*languages(), code}))
        case _:
            return USAGE
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
