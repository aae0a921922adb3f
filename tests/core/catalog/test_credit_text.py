"""Credits written as text: which names and roles are recognised, and which texts are returned unplaced."""

import pytest

from comicsdb.catalog.credit_text import read_credits
from comicsdb.models.reference_data import REFERENCE

ROLES = [row["name"] for row in REFERENCE["role"]]


def said(text) -> tuple[str, list[str]]:
    """The credits in short form, and the texts that were not placed."""
    found = read_credits(text, ROLES)
    short = "; ".join(f"{name}: {', '.join(roles)}" for name, roles in found.credits.items())
    return short, found.unplaced


@pytest.mark.parametrize(
    ("text", "placed", "unplaced"),
    [
        ("W: Ann Lee, Bo Ito; A: Cy Um", "Ann Lee: Writer; Bo Ito: Writer; Cy Um: Artist", []),
        (
            "(W) Ann Lee (A) Cy Um & Bo Ito (CA) Di Oz",
            "Ann Lee: Writer; Cy Um: Artist; Bo Ito: Artist; Di Oz: Cover",
            [],
        ),
        ("(W/A) Ann Lee", "Ann Lee: Writer, Artist", []),
        ("(W) Ann Lee, Bo Ito (A/CA) Cy Um", "Ann Lee: Writer; Bo Ito: Writer; Cy Um: Artist, Cover", []),
        ("Ann Lee (W, A), Cy Um (letters)", "Ann Lee: Writer, Artist; Cy Um: Letterer", []),
        ("Ann Lee and Bo Ito (writers)", "Ann Lee: Writer; Bo Ito: Writer", []),
        (
            "Writer: Ann Lee. Pencils: Cy Um. Inks: Di Oz Jr.",
            "Ann Lee: Writer; Cy Um: Penciller; Di Oz Jr.: Inker",
            [],
        ),
        ("W: Ann Lee A: Cy Um L: Di Oz", "Ann Lee: Writer; Cy Um: Artist; Di Oz: Letterer", []),
        ("Written by Ann Lee\nArt by Cy Um w/ Bo Ito", "Ann Lee: Writer; Cy Um: Artist; Bo Ito: Artist", []),
        (
            "Testi di Ann Lee e Bo Ito; disegni: Cy Um; chine: Di Oz",
            "Ann Lee: Writer; Bo Ito: Writer; Cy Um: Artist; Di Oz: Inker",
            [],
        ),
        (
            "Writer, Artist: Ann Lee; Editor In Chief - Bo Ito",
            "Ann Lee: Writer, Artist; Bo Ito: Editor In Chief",
            [],
        ),
        ("Ann Lee - Colorist | Cy Um – cover artist", "Ann Lee: Colorist; Cy Um: Cover", []),
        (
            "Consulting Editor: Ann Lee; Editors: Bo Ito & ann lee",
            "Ann Lee: Consulting Editor, Editor; Bo Ito: Editor",
            [],
        ),
        (
            "W: Sam Poe; P: Sam Poe, Jr.; I: Sam Poe,III",
            "Sam Poe: Writer; Sam Poe, Jr.: Penciller; Sam Poe, III: Inker",
            [],
        ),
        (
            "W: Sam Poe, Jr., Ann Lee; A: J.R. Oz, D'Arcy O'Neil-Vo",
            "Sam Poe, Jr.: Writer; Ann Lee: Writer; J.R. Oz: Artist; D'Arcy O'Neil-Vo: Artist",
            [],
        ),
        ("W: Éva Śmiť; A: 手塚 治虫", "Éva Śmiť: Writer; 手塚 治虫: Artist", []),
        ("W: Ann Lee (as A. Lee), Bo Ito", "Ann Lee: Writer; Bo Ito: Writer", ["(as A. Lee)"]),
        ("W: Ann Lee; Moral support: Bo Ito; Cy Um", "Ann Lee: Writer", ["Moral support: Bo Ito", "Cy Um"]),
        ("Writer", "", ["Writer"]),
        ("Ann Lee, Bo Ito (W)", "Bo Ito: Writer", ["Ann Lee"]),
        ("W: ; A: 17", "", ["17"]),
        (" \n ; ", "", []),
    ],
)  # fmt: skip
def test_texts_are_taken_apart_and_nothing_is_lost(text, placed, unplaced):
    assert said(text) == (placed, unplaced)


def test_only_roles_that_exist_are_given():
    found = read_credits("W: Ann Lee; Boss: Bo Ito", ["Boss"])
    assert (found.credits, found.unplaced) == ({"Bo Ito": ["Boss"]}, ["W: Ann Lee"])
