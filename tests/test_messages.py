"""The message catalogs: no text is missing or stale, and translations contain the same values."""

import re

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from messages import DOMAINS, gather, language_file, languages, merged, template_file, written

VALUES = re.compile(r"%\([a-z_0-9]+\)[sd]|\$\{[a-z_0-9]+\}|%%")
FILES = [(domain, language) for domain in DOMAINS for language in languages()]
REMEDY = "run `make messages`"


def texts(message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Originals and translations, one for each plural form."""
    ids, strings = message.id, message.string
    return (
        tuple(ids) if isinstance(ids, tuple | list) else (ids,),
        tuple(strings) if isinstance(strings, tuple | list) else (strings,),
    )


def strings(catalog) -> dict:
    """Translations by original; texts without a translation are not compiled."""
    found = dict(texts(message) for message in catalog if message.id)
    return {original: translations for original, translations in found.items() if any(translations)}


def test_italian_is_there():
    assert "it" in languages()


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_template_holds_what_the_code_says(domain):
    assert template_file(domain).read_bytes() == written(gather(domain)), REMEDY


@pytest.mark.parametrize(("domain", "language"), FILES)
def test_a_language_holds_the_texts_of_the_code_and_no_others(domain, language):
    path = language_file(domain, language)
    assert path.read_bytes() == written(merged(domain, language)), REMEDY
    with path.open("rb") as source, path.with_suffix(".mo").open("rb") as compiled:
        found, wanted = strings(read_mo(compiled)), strings(read_po(source))
    plurals = {each: each for each in found.keys() - wanted.keys()}  # compiled as they are if not translated
    assert found == wanted | plurals, REMEDY


@pytest.mark.parametrize(("domain", "language"), FILES)
def test_every_text_is_translated_with_the_same_values_in_it(domain, language):
    with language_file(domain, language).open("rb") as stream:
        catalog = read_po(stream, locale=language)
    for message in catalog:
        if not message.id:
            continue
        originals, translations = texts(message)
        assert not message.fuzzy, message.id
        assert all(translations), f"not translated: {message.id}"
        if message.pluralizable:
            assert len(translations) == catalog.num_plurals, message.id
        wanted = [set(VALUES.findall(each)) for each in originals]
        for index, translation in enumerate(translations):
            # A singular may say "one" where other forms show the number.
            allowed = wanted if message.pluralizable else wanted[:1]
            assert set(VALUES.findall(translation)) in allowed, f"{message.id} / {translation} ({index})"
        for original, translation in zip(originals, translations, strict=False):
            edges = [text[:1].isspace() + 2 * text[-1:].isspace() for text in (original, translation)]
            assert edges[0] == edges[1], message.id
            assert original.count("<") == translation.count("<"), message.id


def test_a_text_that_stands_with_a_plural_and_without_keeps_it():
    assert gather("comicsdb_web").get("Issue").id == ("Issue", "Issues")


def test_no_sentence_is_made_of_a_text_that_is_no_literal():
    """Only string literals are extracted: texts composed at runtime would never be translated."""
    for domain in DOMAINS:
        assert all(message.id for message in list(gather(domain))[1:])
